"""The program that makes the tables of names."""

from __future__ import annotations

import importlib
import io
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest
import yaml

from evenhand.corpora import load_corpus

ROOT = Path(__file__).parents[2]


def loaded() -> ModuleType:
    """The tools are not an installed package."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(ROOT)
        return importlib.import_module("tools.names")


tool = loaded()
CARD = yaml.safe_load(tool.CARD.read_text(encoding="utf-8"))
SURNAMES = yaml.safe_load((tool.FOLDER / "us-surnames.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("flag", "lines"), [("--show-eec", 42), ("--show-cells", 10), ("--show-surnames", 6)])
def test_the_page_about_names_has_what_the_program_prints(
    flag: str, lines: int, capsys: pytest.CaptureFixture[str]
) -> None:
    tool.main([flag])
    printed = capsys.readouterr().out
    assert printed.count("\n") == lines
    assert printed in (ROOT / "docs" / "names.md").read_text(encoding="utf-8")


def test_the_code_and_the_recipe_on_the_page_about_names_run(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "names.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    made: dict[str, Any] = {}
    exec(compile(code, "names.md", "exec"), made)  # noqa: S102
    assert [len(made[name]) for name in ("corpus", "small", "fewer")] == [144 * 160, 144 * 40, 44 * 160]
    recipes = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "colleagues.yaml").write_text(recipes[0])
    (tmp_path / "applicants.yaml").write_text(recipes[1])
    assert len(load_corpus(tmp_path / "colleagues.yaml")) == 2 * 8 * 40
    assert len(load_corpus(tmp_path / "applicants.yaml")) == 2 * 4 * 40


def test_words_are_found_by_the_dictionary_by_countries_and_by_hand() -> None:
    words = tool._words(b"3\ngrant/SDG\nLatoya/M\neven/S\n", CARD["words"])
    assert [tool._is_word(name, words) for name in ("Grant", "Evens", "Rwanda", "Lexus")] == [True] * 4
    assert not any(tool._is_word(name, words) for name in ("Latoya", "James", "Darnell"))


def test_surnames_are_no_words_with_an_ending_either() -> None:
    endings = SURNAMES["rules"]["endings"]
    words = {"wise", "kind", "free", "nurse"}
    assert all(tool._inflected(name, words, endings) for name in ("Wisely", "Kinder", "Freed", "Nursing"))
    assert not any(tool._inflected(name, words, endings) for name in ("Wagner", "Okafor", "Freeman", "Ed"))


def test_surnames_that_nobody_writes_so_are_known() -> None:
    parts = {"garcia", "lopez", "cruz", "mann", "li"}
    respelled = [tool._is_respelled(name, ["Mc"], parts) for name in ("Garcialopez", "Cruzcruz", "Mcdonald")]
    assert respelled == [True] * 3
    assert not any(tool._is_respelled(name, ["Mc"], parts) for name in ("Garcia", "Limann", "Macdonald", "Cruzado"))


def _census(rows: list[tuple[str, int, float, float]]) -> bytes:
    """Surnames with bearers and the shares of Black and White people, in the columns of the Census."""
    rest = dict.fromkeys(("pcthispanic", "pctapi", "pctaian", "pct2prace"), 0.0)
    table = [
        {"name": name, "rank": rank, "count": count, "pctblack": black, "pctwhite": white} | rest
        for rank, (name, count, black, white) in enumerate(rows, start=1)
    ]
    return _parquet([*table, table[0] | {"name": "ALL OTHER NAMES", "rank": None}])


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(rows).write_parquet(file)
    return file.getvalue()


def test_of_many_surnames_every_kth_is_kept_from_common_to_rare() -> None:
    white = [(f"WAXL{letter}", 2000 - 10 * place, 5.0, 90.0) for place, letter in enumerate("ABCDEFGHIJ")]
    others = [
        ("OKAFOR", 900, 95.0, 2.0),
        ("RARE", 499, 95.0, 2.0),
        ("MIXED", 900, 79.9, 10.0),
        ("UNCONFIRMED", 900, 95.0, 2.0),
        ("UNKNOWN", 900, 95.0, 2.0),
        ("WISELY", 900, 95.0, 2.0),
        ("WILLIAMS", 1_500_000, 46.0, 44.0),
    ]
    rows = white + others
    voters = [
        {"name": name, "black": 0.64 if name == "UNCONFIRMED" else black / 100, "white": share / 100}
        | {"hispanic": 0.0, "asian": 0.0, "other": 0.0}
        for name, _, black, share in rows
        if name != "UNKNOWN"
    ]
    files = {"census": _census(rows), "voters": _parquet(voters), "dictionary": b"2\nwise/Y\nrare\n"}
    card = SURNAMES | {"rules": SURNAMES["rules"] | {"most": 4}}
    made = tool.surnames(files, card)
    assert made.filter(pl.col("pool"))["name"].to_list() == ["Okafor", "Waxla", "Waxld", "Waxlg", "Waxlj"]
    assert made.filter(~pl.col("pool"))["name"].to_list() == ["Williams"]
    assert made.columns == tool.written(made).splitlines()[0].split(",")
    again = dict(files, census=_census(rows[::-1]))
    assert tool.written(tool.surnames(again, card)) == tool.written(made)


def test_no_other_file_of_a_package_than_tables_and_a_dictionary_is_read() -> None:
    packages = [package for card in (CARD, SURNAMES) for package in card["packages"].values()]
    read = [path for package in packages for path in package["files"].values()]
    assert {Path(path).suffix for path in read} == {".parquet", ".dic"}

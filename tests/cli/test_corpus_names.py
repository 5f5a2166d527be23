"""`evenhand corpus names`: the first names of a corpus, name by name."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app


def run(*words: str) -> tuple[int, str]:
    """The exit code and all that was printed."""
    done = CliRunner().invoke(app, ["corpus", "names", *words])
    return done.exit_code, f"{done.output}{done.exception or ''}"


def test_the_eec_name_by_name() -> None:
    code, said = run("eec")
    assert code == 0
    assert said.index("Shereen") < said.index("Latoya") < said.index("Melanie")
    assert "15.4%" in said
    assert "on average 61% of the bearers are of the group" in " ".join(said.split())


@pytest.mark.parametrize("ending", [".html", ".svg", ".png", ".csv"])
def test_every_kind_of_file(ending: str, tmp_path: Path) -> None:
    place = tmp_path / f"names{ending}"
    assert run("eec", "--out", str(place))[0] == 0
    first = place.read_bytes()
    assert run("eec", "--out", str(place))[0] == 0
    assert place.read_bytes() == first  # the same bytes each time
    place.write_text("mine", encoding="utf-8")
    code, said = run("eec", "--out", str(place))
    assert code != 0
    assert "overwrit" in said
    assert run("eec", "--out", str(place), "--overwrite")[0] == 0
    assert place.read_bytes() == first


def test_the_page_shows_every_name(tmp_path: Path) -> None:
    run("eec", "--out", str(tmp_path / "names.html"))
    page = (tmp_path / "names.html").read_text(encoding="utf-8")
    assert page.count('<th scope="row">') == 40
    assert "no: share, second source, a word" in page


def test_the_table_has_all_columns(tmp_path: Path) -> None:
    run("eec", "--out", str(tmp_path / "names.csv"))
    table = pl.read_csv(tmp_path / "names.csv")
    tia = table.row(by_predicate=pl.col("name") == "Tia", named=True)
    assert (tia["measured_by"], tia["share"], tia["pool_race"]) == ("African American", 0.3936, "White")
    assert (tia["in_pool"], tia["why_not"]) == (False, "share, second source, a word")


def test_a_corpus_of_ones_own(tmp_path: Path) -> None:
    rows = [
        {"source": f"s{source}", "text": f"{name} <b>left</b>.", "person": name, "kind": "name", "class": group}
        for source in range(2)
        for group, names in {"worker": ["Darnell", "Xyzzy"], "manager": ["Nancy", "Tia Brown"]}.items()
        for name in names
    ]
    table = tmp_path / "mine.csv"
    pl.DataFrame(rows).write_csv(table)
    code, said = run(str(table))
    assert code == 0, said
    assert "no: not listed" in said
    assert "Tia" in said
    assert run(str(table), "--out", str(tmp_path / "mine.html"))[0] == 0
    assert run(str(table), "--out", str(tmp_path / "mine.svg"))[0] == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["identity"], "calls nobody by a first name"),
        (["es-emotions"], "is in 'es'"),
        (["nowhere"], "unknown corpus"),
        (["eec", "--out", "names.pdf"], "unknown ending"),
    ],
)
def test_what_cannot_be_shown(words: list[str], reason: str) -> None:
    code, said = run(*words)
    assert code != 0
    assert reason in said

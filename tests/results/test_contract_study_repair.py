"""The contract of results for studies and repairs: saved and loaded they are equal to the byte, and can be shown."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand import RepairSettings, UsageError, eec, load_corpus, repair, score, study
from evenhand.cli.app import app
from evenhand.errors import EvenhandError
from evenhand.results import Provenance, Result
from evenhand.results.rendering import renderer_of
from evenhand.saved import load_result
from evenhand.specs import resolve
from evenhand.studies.synthetic import Planted, write_study

FRIENDS = Path(__file__).parents[1] / "promises" / "saved" / "friends.yaml"
GAPS = {"gender": (0.02, 0.005), "race": (0.0, 0.004)}


def a_study(folder: Path) -> Result:
    """With ranks, a baseline, descriptors, a note and a file that cannot be read."""
    made = [Planted(name, "anger", GAPS, noise=0.1 * place) for place, name in enumerate("ab", start=1)]
    baseline = Planted("SVM-Unigrams", "anger", {"gender": (0.005, 0.005), "race": (0.004, 0.004)}, noise=0.2)
    write_study(folder, [*made, baseline, Planted("b", "valence", GAPS)])
    (folder / "submissions" / "b" / "broken.csv").write_text("text,score\nx,1\n")
    return study(folder / "submissions", gold=folder / "gold", progress=False)


def a_bare_study(folder: Path) -> Result:
    """Without gold and baseline, by one attribute and another correction."""
    write_study(folder, [Planted("a", "joy", GAPS)], tweets=5, mystery=0, manifest=False)
    return study(folder / "submissions", attributes=["gender"], progress=False)


def a_repair(folder: Path) -> Result:
    """With the paper's evaluation, gold texts, every method that a lexicon allows, and methods that are left out."""
    corpus = eec().sample(480)
    gold = pl.DataFrame({"text": corpus.frame["text"][:40], "gold": [place / 40 for place in range(40)]})
    gold.write_csv(folder / "gold.csv")
    settings = RepairSettings(repetitions=1)
    return repair("vader", corpus, settings=settings, gold=folder / "gold.csv", progress=False)


def an_advised_repair(folder: Path) -> Result:
    """Of a planted bias, by one attribute."""
    settings = RepairSettings(methods=("layers", "averaging", "additive"), repetitions=1)
    return repair("planted(gap=0.2)+vader", FRIENDS, attributes="gender", settings=settings, progress=False)


def a_recorded_repair(folder: Path) -> Result:
    """Of scores that are there already."""
    corpus = eec().sample(480)
    scores = score([resolve("planted(gap=0.05)", corpus)], corpus, progress=False)
    return repair(scores, corpus, settings=RepairSettings(repetitions=1), progress=False)


MADE: dict[str, Callable[[Path], Result]] = {
    "study": a_study,
    "bare study": a_bare_study,
    "repair": a_repair,
    "advised repair": an_advised_repair,
    "recorded repair": a_recorded_repair,
}


@dataclass(frozen=True)
class Kept:
    """A result, and the same one after it was saved and loaded."""

    made: Result
    loaded: Result
    folder: Path


@pytest.fixture(scope="module", params=MADE)
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("saved")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("EVENHAND_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        made = MADE[request.param](tmp_path_factory.mktemp("made"))
    made.save(folder)
    return Kept(made, load_result(folder), folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_was_saved_is_loaded_as_what_it_was(kept: Kept) -> None:
    assert type(kept.loaded) is type(kept.made)
    assert kept.loaded.to_json() == kept.made.to_json()
    assert kept.loaded.to_html() == kept.made.to_html()
    assert kept.loaded.frame().equals(kept.made.frame())
    assert (str(kept.loaded), kept.loaded.summary()) == (str(kept.made), kept.made.summary())
    assert kept.loaded.notes == kept.made.notes
    assert kept.loaded.attachments() == kept.made.attachments() != {}


def test_saved_again_it_is_the_same_to_the_byte(kept: Kept, tmp_path: Path) -> None:
    written = kept.loaded.save(tmp_path)
    before, again = contents(kept.folder), contents(tmp_path)
    assert {str(path.relative_to(tmp_path)) for path in written} == set(again) == set(before)
    assert [name for name, content in before.items() if content != again[name]] == []


def test_its_json_has_no_nan_and_says_what_it_is(kept: Kept) -> None:
    values = json.loads((kept.folder / kept.made.file).read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert values == json.loads(kept.made.to_json())
    assert values["kind"] == kept.made.kind
    assert all(set(note) == {"about", "text"} for note in values["notes"])


def test_its_json_alone_says_what_was_found(kept: Kept) -> None:
    alone = type(kept.made).from_dict(json.loads(kept.made.to_json()))
    assert alone.to_json() == kept.made.to_json()
    assert (str(alone), alone.summary()) == (str(kept.made), kept.made.summary())
    assert alone.frame().equals(kept.made.frame())


def test_it_says_where_it_comes_from(kept: Kept) -> None:
    provenance = kept.made.provenance
    assert set(provenance.packages) >= {"evenhand", "numpy", "polars"}
    assert [one.digest for one in provenance.corpora] == [load_corpus(kept.folder / "corpus.parquet").digest]
    assert provenance.systems
    assert Provenance.from_dict(json.loads(kept.made.to_json())["provenance"]).to_dict() == provenance.to_dict() | {
        "settings": json.loads(json.dumps(provenance.settings))
    }


def test_its_page_is_the_one_on_disk(kept: Kept) -> None:
    page = (kept.folder / renderer_of(kept.made).page_file).read_text(encoding="utf-8")
    assert page == kept.made.to_html()
    assert "Where these numbers come from" in page


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_is_shown_at_every_width(kept: Kept, width: int, capsys: pytest.CaptureFixture[str]) -> None:
    kept.made.show(width=width)
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) > 3
    assert "…" not in shown
    kept.loaded.show(width=width)
    assert capsys.readouterr().out == shown


def test_it_is_summed_up_in_one_line_and_shown_in_notebooks(kept: Kept) -> None:
    assert kept.made.summary().strip()
    assert "\n" not in kept.made.summary()
    assert str(kept.made).strip()
    assert "<table" in kept.made._repr_html_()
    assert kept.made.frame().height > 0


def test_the_command_line_shows_it_again(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    shown = CliRunner().invoke(app, ["report", str(kept.folder)], env={"COLUMNS": "100"})
    assert shown.exit_code == 0, shown.exception
    kept.made.show(width=100)
    assert shown.stdout == capsys.readouterr().out
    by_file = CliRunner().invoke(app, ["report", str(kept.folder / kept.made.file), "--json"])
    assert by_file.exit_code == 0, by_file.exception
    assert by_file.stdout == f"{kept.made.to_json()}\n"


def test_the_command_line_writes_pages_and_tables_again(kept: Kept, tmp_path: Path) -> None:
    for name in (kept.made.file, *kept.made.attachments()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((kept.folder / name).read_bytes())
    done = CliRunner().invoke(app, ["report", str(tmp_path), "--html", "--tables"])
    assert done.exit_code == 0, done.exception
    figures = {name for name in contents(kept.folder) if name.startswith("figures/")}
    assert contents(tmp_path) == {
        name: content for name, content in contents(kept.folder).items() if name not in figures
    }


def test_what_is_saved_names_no_folder_of_this_machine(kept: Kept) -> None:
    for here in (kept.folder, FRIENDS.parent):
        assert [name for name, content in contents(kept.folder).items() if str(here).encode() in content] == []


@pytest.mark.parametrize("damage", ["{", "[]", "{}", '{"provenance": 1}'])
def test_a_damaged_file_is_one_clear_line(kept: Kept, damage: str, tmp_path: Path) -> None:
    (tmp_path / kept.made.file).write_text(damage, encoding="utf-8")
    with pytest.raises(EvenhandError) as told:
        load_result(tmp_path)
    assert str(tmp_path) in str(told.value)
    assert "\n" not in str(told.value)


def test_a_disk_that_is_full_changes_nothing(kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = len(contents(kept.folder)) - 1
    write = Path.write_bytes

    def until_full(path: Path, content: bytes) -> int:
        nonlocal room
        room -= 1
        if room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, content)

    (tmp_path / kept.made.file).write_text("of another result")
    monkeypatch.setattr(Path, "write_bytes", until_full)
    with pytest.raises(EvenhandError, match="No space left on device"):
        kept.made.save(tmp_path)
    assert contents(tmp_path) == {kept.made.file: b"of another result"}


def test_a_study_without_its_scores_is_told_in_the_terminal_and_says_why_it_has_no_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a_bare_study(tmp_path).save(tmp_path / "out", figures=False)
    (tmp_path / "out" / "scores.parquet").unlink()
    loaded = load_result(tmp_path / "out")
    loaded.show(width=80)
    assert "Gender: female − male" in capsys.readouterr().out
    with pytest.raises(UsageError, match="saved without its scores and corpus"):
        loaded.to_html()

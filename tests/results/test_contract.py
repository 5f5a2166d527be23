"""One contract for every kind of result: saved and loaded it is equal to the byte, and it can be shown in every way."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pytest
from browsing import NEEDS_A_BROWSER, Look, looker
from fuzzing import fuzzed, mutated, read_or_refused
from hypothesis import given
from starlette.testclient import TestClient
from typer.testing import CliRunner

from evenhand import (
    GateSettings,
    RepairSettings,
    Spreads,
    UsageError,
    audit,
    check,
    compare,
    eec,
    measure,
    phrases,
    plan,
    repair,
    score,
    study,
)
from evenhand.annotating import check_sheets
from evenhand.cli.app import app
from evenhand.comparing.chat import Chat
from evenhand.errors import EvenhandError
from evenhand.files.tables import table_bytes
from evenhand.measuring import MeasureSettings
from evenhand.printing import console_of
from evenhand.rating import rate_scores
from evenhand.results import Note, Provenance, Result
from evenhand.results.rendering import renderer_of
from evenhand.specs.resolving import resolve
from evenhand.studies.synthetic import Planted, write_study
from evenhand.systems.training.lesson import read_lesson
from evenhand.systems.training.svm import train_svm
from evenhand.translation import Dictionary, Drift, ThereAndBack, drift
from evenhand.verbs.chat import chat as examine_chat
from evenhand.verbs.explain import explain
from evenhand.verbs.rate import rate
from evenhand.verbs.saved import KINDS, load_result
from evenhand.web.app import application
from evenhand.web.explorer import Explorer
from evenhand.web.index import Wanted

FRIENDS = Path(__file__).parents[1] / "promises" / "saved" / "friends.yaml"
GAPS = {"gender": (0.02, 0.005), "race": (0.0, 0.004)}
INPUTS = Path(__file__).parents[1] / "promises" / "inputs"
LATIN = {"she": "illa", "he": "illa", "her": "illam", "my son": "puer", "this man": "", "happy": "laeta"}


def there_and_back() -> ThereAndBack:
    """Women and men become one on the way, and some are lost."""
    return ThereAndBack(Dictionary(LATIN, source="en", target="la"))


def blind(sentences: list[list[str]]) -> list[list[dict[str, float]]]:
    """A tagger that finds nothing."""
    return [[{"O": 0.7, "U-LOC": 0.3} for _ in tokens] for tokens in sentences]


def labelled() -> Result:
    """An audit of a classifier on sentences with gold labels, which holds metrics."""
    found = importlib.util.spec_from_file_location("promised_systems", INPUTS / "promised_systems.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return audit(module.sentiment, "identity", attributes="age", sample=480, progress=False)


def in_a_folder(make: Callable[[Path], Result]) -> Callable[[], Result]:
    """Gives what makes a result a folder to lay files into."""

    def made() -> Result:
        with tempfile.TemporaryDirectory() as folder:
            return make(Path(folder))

    return made


@in_a_folder
def a_study(folder: Path) -> Result:
    """With ranks, a baseline, descriptors, a note and a file that cannot be read."""
    made = [Planted(name, "anger", GAPS, noise=0.1 * place) for place, name in enumerate("ab", start=1)]
    baseline = Planted("SVM-Unigrams", "anger", {"gender": (0.005, 0.005), "race": (0.004, 0.004)}, noise=0.2)
    write_study(folder, [*made, baseline, Planted("b", "valence", GAPS)])
    (folder / "submissions" / "b" / "broken.csv").write_text("text,score\nx,1\n")
    return study(folder / "submissions", gold=folder / "gold", progress=False)


@in_a_folder
def a_bare_study(folder: Path) -> Result:
    """Without gold and baseline, by one attribute and another correction."""
    write_study(folder, [Planted("a", "joy", GAPS)], tweets=5, mystery=0, manifest=False)
    return study(folder / "submissions", attributes=["gender"], progress=False)


@in_a_folder
def a_repair(folder: Path) -> Result:
    """With the paper's evaluation, gold texts, every method that a lexicon allows, and methods that are left out."""
    corpus = eec().sample(480)
    gold = pl.DataFrame({"text": corpus.frame["text"][:40], "gold": [place / 40 for place in range(40)]})
    gold.write_csv(folder / "gold.csv")
    settings = RepairSettings(repetitions=1)
    return repair("vader", corpus, settings=settings, gold=folder / "gold.csv", progress=False)


@in_a_folder
def an_advised_repair(folder: Path) -> Result:
    """Of a planted bias, by one attribute."""
    settings = RepairSettings(methods=("layers", "averaging", "additive"), repetitions=1)
    return repair("planted(gap=0.2)+vader", FRIENDS, attributes="gender", settings=settings, progress=False)


@in_a_folder
def a_recorded_repair(folder: Path) -> Result:
    """Of scores that are there already."""
    corpus = eec().sample(480)
    scores = score([resolve("planted(gap=0.05)", corpus)], corpus, progress=False)
    return repair(scores, corpus, settings=RepairSettings(repetitions=1), progress=False)


def rated_there_and_back() -> Result:
    """Ratings after a round trip that breaks some sentences, and of people who were not asked all."""
    with patch("evenhand.verbs.rate.resolve_trip", lambda *_, **__: there_and_back()):
        return rate(["biased-female", "textblob"], groups=[1], via="la", bootstrap=10, progress=False)


def rated_without_an_end() -> Result:
    """A system whose raw score is X, one whose score is undefined, and one that goes by words alone."""
    cells = [("m", "positive"), ("m", "negative"), ("f", "positive"), ("f", "negative"), ("f", "negative")]
    scores = {"x": [1.0, -1.0, -1.0, 1.0, 0.0], "words": [1.0, -1.0, 1.0, -1.0, -1.0]}
    rows = [
        {"system": system, "dataset": "d", "gender": gender, "emotion": emotion, "sentiment": score}
        for system, given in scores.items()
        for (gender, emotion), score in zip(cells, given, strict=True)
    ]
    undefined = [
        row | {"system": "undefined"} for row in rows if (row["gender"] == "m") == (row["emotion"] == "positive")
    ]
    return rate_scores(pl.DataFrame(rows + undefined), attributes=["gender"], confounders=["gender"], bootstrap=20)


@in_a_folder
def explained(folder: Path) -> Result:
    """Of a model of words, with the texts that it was trained on, sorted by a column."""
    rows = [
        {"text": f"{who} was {how} {n}", "score": 0.5 + 0.1 * (how == "glad") - 0.2 * (who == "she"), "origin": n % 2}
        for n in range(15)
        for who in ("she", "he")
        for how in ("glad", "sad")
    ]
    pl.DataFrame(rows).write_csv(folder / "train.csv")
    train_svm(folder, read_lesson([folder / "train.csv"], dimension="valence"))
    model = f"svm:{folder / 'valence.skops'}"
    return explain(model, eec().sample(480), train=[folder / "train.csv"], group_by="origin", progress=False)


MADE: dict[str, Callable[[], Result]] = {
    "audit": partial(audit, "planted(gap=0.05)", sample=480, progress=False, command="evenhand audit ..."),
    "audit of labelled sentences": labelled,
    "audit with thresholds": lambda: audit(
        "planted(gap=0.05, person_sd=0.03)", sample=480, thresholds=[0.5, "median"], progress=False
    ),
    "audit of taggers": lambda: audit(blind, "ner-country", sample=200, progress=False),
    "study": a_study,
    "study without gold": a_bare_study,
    "repair": a_repair,
    "repair that is advised": an_advised_repair,
    "repair of scores": a_recorded_repair,
    "metrics": partial(measure, INPUTS / "predictions.csv", settings=MeasureSettings(bootstrap=20)),
    "ratings of systems": partial(
        rate, ["biased-female", "vader"], groups=[1, 2], chat=["example"], bootstrap=20, progress=False
    ),
    "ratings after a round trip": rated_there_and_back,
    "ratings of a table": partial(rate_scores, INPUTS / "rated-1.csv", attributes=["gender"], bootstrap=20),
    "ratings with X and undefined": rated_without_an_end,
    "explanation": lambda: explain("svr", eec().sample(480), training=False, progress=False),
    "explanation of training texts": explained,
    "plan": partial(plan, ["planted(gap=0.05, person_sd=0.03)", "vader"], price=0.01, budget=3_000, progress=False),
    "plan from given spreads": partial(plan, spreads=Spreads(names=0.02, template=0.03), attributes="race"),
    "drift": lambda: drift(eec().sample(480), there_and_back()),
    "even drift": lambda: drift(eec().sample(480), there_and_back(), even=True),
    "chat": partial(examine_chat, ["example"], relabellings=99),
    "chat with systems": partial(examine_chat, ["example"], systems=["vader"], relabellings=99, progress=False),
    "comparison": lambda: compare(*(audit(f"planted(gap={gap})", sample=480, progress=False) for gap in (0.05, 0.01))),
    "check": lambda: check(
        GateSettings(systems=["planted(gap=0.05)"], sample=480, thresholds=[0.5], impact_ratio=0.8), progress=False
    ),
    "phrases": lambda: phrases(["vader", "planted(gap=0.05)"], progress=False),
    "agreement": partial(check_sheets, INPUTS / "sheets"),
}
"""A kind of result, or a case of one, is a row."""
NUMBER_OR_WORD = re.compile(r"[−+±]?\d[\d.,]*\d|\w[\w-]*\w")
"""What a reader takes in at once: in a table that cuts its cells, some of them are gone."""
HEADS_OF_ROWS = {
    *("annotator", "comparison", "data", "dimension", "group", "method", "metric", "property", "step", "system")
}
"""What stands above the first columns, and not in a table that is stacked: there a row begins with what it is about."""


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
        made = MADE[request.param]()
    made.save(folder)
    return Kept(made, load_result(folder), folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_kind_has_a_row_and_a_file_of_its_own() -> None:
    assert len({kind.kind for kind in KINDS}) == len({kind.file for kind in KINDS}) == len(KINDS)
    assert {word for name in MADE for word in name.split()} >= {kind.kind for kind in KINDS}


def test_what_was_saved_is_loaded_as_what_it_was(kept: Kept) -> None:
    assert type(kept.loaded) is type(kept.made)
    assert kept.loaded.to_json() == kept.made.to_json()
    assert kept.loaded.to_html() == kept.made.to_html()
    assert kept.loaded.frame().equals(kept.made.frame())
    assert (str(kept.loaded), kept.loaded.summary()) == (str(kept.made), kept.made.summary())
    assert kept.loaded.notes == kept.made.notes


@pytest.mark.slow
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


def test_it_says_where_it_comes_from(kept: Kept) -> None:
    provenance = kept.made.provenance
    assert set(provenance.packages) >= {"evenhand", "numpy", "polars"}
    assert provenance.corpora or provenance.files or provenance.systems
    assert all(one.digest and one.sentences_digest for one in provenance.corpora)
    assert Provenance.from_dict(json.loads(kept.made.to_json())["provenance"]).to_dict().keys() >= {
        "settings",
        "python",
    }


def test_its_page_is_one_file_that_loads_nothing(kept: Kept) -> None:
    page = (kept.folder / renderer_of(kept.made).page_file).read_text(encoding="utf-8")
    assert page == kept.made.to_html()
    assert page.startswith("<!doctype html>")
    markup = re.sub(r"(?s)(<script[^>]*>).*?</script>", r"\1", page)
    for loading in ("<link", "<script src", "<img", "@import"):
        assert loading not in markup
    assert "Where these numbers come from" in page


@pytest.fixture(scope="module")
def look() -> Iterator[Callable[[Path, int, int], Look]]:
    with looker() as found:
        yield found


@pytest.mark.slow
@NEEDS_A_BROWSER
def test_its_page_is_at_most_four_screens_long_on_a_phone(kept: Kept, look: Callable[[Path, int, int], Look]) -> None:
    """Before something is opened; what is wider than a phone scrolls in its own place."""
    seen = look(kept.folder / renderer_of(kept.made).page_file, 400, 800)
    assert seen.screens <= 4
    assert seen.fits
    assert seen.problems == []


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_is_shown_at_every_width(kept: Kept, width: int, capsys: pytest.CaptureFixture[str]) -> None:
    kept.made.show(width=width)
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) > 3
    kept.loaded.show(width=width)
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("width", [80, 120])
def test_what_is_shown_at_first_fits_a_screen(kept: Kept, width: int, capsys: pytest.CaptureFixture[str]) -> None:
    kept.made.show(width=width, full=False)
    shown = capsys.readouterr().out.rstrip("\n").splitlines()
    assert 1 < len(shown) <= 24
    kept.made.show(width=width)
    if len(capsys.readouterr().out.rstrip("\n").splitlines()) > len(shown):
        assert shown[-1].endswith("--full")


def test_it_is_summed_up_in_one_line_and_shown_in_notebooks(kept: Kept) -> None:
    assert kept.made.summary().strip()
    assert "\n" not in kept.made.summary()
    assert str(kept.made).strip()
    assert "<table" in kept.made._repr_html_()
    assert kept.made.frame().height > 0


@pytest.mark.slow
def test_it_can_be_plotted(kept: Kept, tmp_path: Path) -> None:
    """Every kind has a chart, and what was loaded is drawn as what was made."""
    assert kept.loaded.charts == kept.made.charts != ()
    picture = kept.loaded.plot()
    assert picture.svg == kept.made.plot(kept.made.charts[0]).svg
    assert picture.svg.startswith("<svg")
    assert picture.save(tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_line_shows_it_again(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    shown = CliRunner().invoke(app, ["report", str(kept.folder), "--full"], env={"COLUMNS": "100"})
    assert shown.exit_code == 0, shown.exception
    kept.made.show(width=100)
    assert shown.stdout == capsys.readouterr().out
    by_file = CliRunner().invoke(app, ["report", str(kept.folder / kept.made.file), "--json"])
    assert by_file.exit_code == 0, by_file.exception
    assert by_file.stdout == f"{kept.made.to_json()}\n"


def test_the_command_line_writes_page_and_tables_again(kept: Kept, tmp_path: Path) -> None:
    for name, content in contents(kept.folder).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    page = tmp_path / renderer_of(kept.made).page_file
    page.unlink()
    done = CliRunner().invoke(app, ["report", str(tmp_path), "--html", "--tables"])
    assert done.exit_code == 0, done.exception
    assert page.read_bytes() == kept.made.to_html().encode()


def test_what_is_saved_names_no_folder_of_this_machine(kept: Kept) -> None:
    here = str(INPUTS.parent).encode()
    assert [name for name, content in contents(kept.folder).items() if here in content] == []


@pytest.mark.parametrize("damage", ["{", "[]", "{}", '{"provenance": 1}'])
def test_a_damaged_file_is_one_clear_line(kept: Kept, damage: str, tmp_path: Path) -> None:
    (tmp_path / kept.made.file).write_text(damage, encoding="utf-8")
    with pytest.raises(EvenhandError) as told:
        load_result(tmp_path)
    assert str(tmp_path) in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.slow
def test_mutated_it_is_shown_or_refused(kept: Kept, tmp_path: Path) -> None:
    """Wrong types, keys that are missing or too many, null, huge and negative numbers, lists for objects."""
    for name, content in contents(kept.folder).items():
        if name.endswith(".parquet"):
            (tmp_path / name).write_bytes(content)
    file = tmp_path / kept.made.file

    def shown() -> None:
        loaded = load_result(tmp_path)
        loaded.to_json()
        loaded.to_html()
        assert "\n" not in loaded.summary()
        str(loaded)

    @fuzzed(20)
    @given(mutated(json.loads((kept.folder / file.name).read_text(encoding="utf-8"))))
    def fed(made: Any) -> None:
        file.write_text(json.dumps(made))
        read_or_refused(shown, tmp_path)

    fed()


def test_a_drift_without_its_sentences_says_so(tmp_path: Path) -> None:
    MADE["drift"]().save(tmp_path)
    (tmp_path / "sentences.parquet").unlink()
    with pytest.raises(EvenhandError, match=r"lacks sentences\.parquet"):
        Drift.load(tmp_path)


def test_notes_say_what_they_are_about() -> None:
    note = Note("vader", "not rated on SD, Group-3")
    assert str(note) == "vader: not rated on SD, Group-3"
    assert Note.from_dict(note.to_dict()) == note


def test_its_json_alone_says_what_was_found(kept: Kept) -> None:
    if isinstance(kept.made, Drift | Chat):
        return  # read from their sentences, which lie beside the JSON
    alone = type(kept.made).from_dict(json.loads(kept.made.to_json()))
    assert alone.to_json() == kept.made.to_json()
    assert (str(alone), alone.summary()) == (str(kept.made), kept.made.summary())
    assert alone.frame().equals(kept.made.frame())


@pytest.mark.slow
def test_the_explorer_lists_and_shows_it(kept: Kept, tmp_path: Path) -> None:
    explorer = Explorer(kept.folder, systems=["vader"], cache=tmp_path)
    explorer.index.refresh()
    (entry,), _ = explorer.index.listed(Wanted())
    assert (entry.kind, entry.problem) == (kept.made.kind, None)
    visitor = TestClient(application(explorer), base_url="http://localhost")
    page = visitor.get(f"/results/{entry.id}")
    assert page.status_code == 200
    assert "Take it along" in page.text
    table = visitor.get(f"/api/results/{entry.id}/tables/main").content
    assert table == table_bytes(kept.made.frame())
    explorer.close()


@pytest.mark.slow
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
        kept.made.save(tmp_path, overwrite=True)
    assert contents(tmp_path) == {kept.made.file: b"of another result"}


def test_a_study_without_its_scores_is_told_in_the_terminal_and_says_why_it_has_no_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a_bare_study().save(tmp_path / "out", figures=False)
    (tmp_path / "out" / "scores.parquet").unlink()
    loaded = load_result(tmp_path / "out")
    loaded.show(width=80)
    assert "Gender: women − men" in capsys.readouterr().out
    with pytest.raises(UsageError, match="saved without its scores and corpus"):
        loaded.to_html()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_nothing_is_cut_however_narrow_the_terminal(kept: Kept, width: int, capsys: pytest.CaptureFixture[str]) -> None:
    def printed(columns: int) -> str:
        renderer_of(kept.made).show(kept.made, console_of(columns))
        return capsys.readouterr().out

    everything = set(NUMBER_OR_WORD.findall(printed(1_000)))
    assert everything - set(NUMBER_OR_WORD.findall(printed(width))) <= HEADS_OF_ROWS

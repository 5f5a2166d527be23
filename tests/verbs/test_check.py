"""Gates from end to end: what passes, what fails, what a baseline says, and how it is told."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from click.testing import Result as Done
from typer.testing import CliRunner

from evenhand import Audit, Check, GateSettings, UsageError, Waves, audit, check, load_result
from evenhand.cli.app import app
from evenhand.report.exports import exported
from evenhand.report.exports.account import Request

FRIENDS = Path(__file__).parents[1] / "promises" / "saved" / "friends.yaml"
FAST = {"sample": 960, "attributes": ["gender"]}
EVEN = "planted(gap=0.004, person_sd=0.002)"
UNEVEN = "planted(gap=0.05, person_sd=0.002)"


def gated(*systems: str, **settings: object) -> Check:
    return check(GateSettings(systems=list(systems), **{**FAST, **settings}), progress=False)  # type: ignore[arg-type]


def typed(line: str, monkeypatch: pytest.MonkeyPatch) -> Done:
    monkeypatch.setattr(sys, "argv", shlex.split(line))
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, sys.argv[1:])


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the settings of a gate, where commands are typed."""
    (tmp_path / "evenhand.toml").write_text(
        f'systems = ["{EVEN}", "{UNEVEN}"]\nattributes = "gender"\nwithin = 0.02\nsample = 960\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_planted_gap_fails_and_an_even_system_passes() -> None:
    found = gated(EVEN, UNEVEN, within=0.02)
    assert [(item.system, item.outcome) for item in found.items] == [(EVEN, "passes"), (UNEVEN, "fails")]
    assert not found.passed
    assert [item.system for item in found.blocking] == [UNEVEN]
    assert gated(EVEN, within=0.02).passed
    assert not gated(EVEN, within=0.003).passed


def test_an_attribute_may_have_a_tolerance_of_its_own_and_nobody_is_asked_twice() -> None:
    asked = []

    def short(texts: list[str]) -> list[float]:
        asked.extend(texts)
        return [0.5 + 0.1 * (len(text) % 2) for text in texts]

    settings = GateSettings(systems=["short"], within=0.3, tolerances={"race": 0.2}, sample=960)
    found = check(settings, systems=short, progress=False)
    assert {item.attribute: item.limit for item in found.items} == {"gender": 0.3, "race": 0.2}
    assert len(asked) == len(set(asked))
    alone = check(GateSettings(systems=["short"], within=0.2, sample=960), systems=short, progress=False)
    assert next(item for item in alone.items if item.attribute == "race").interval == next(
        item.interval for item in found.items if item.attribute == "race"
    )


@pytest.mark.slow
def test_a_gap_that_grew_fails_and_one_that_shrank_does_not(tmp_path: Path) -> None:
    audit("planted(gap=0.02, person_sd=0.01)", attributes="gender", sample=960, out=tmp_path / "before", progress=False)
    outcomes = {}
    for gap in (0.03, 0.01, -0.01, -0.06):
        found = gated(f"planted(gap={gap}, person_sd=0.01)", within=0.2, baseline=str(tmp_path / "before"))
        outcomes[gap] = next(item for item in found.items if item.question == "baseline")
    assert {gap: item.outcome for gap, item in outcomes.items()} == {
        0.03: "fails", 0.01: "passes", -0.01: "passes", -0.06: "fails",
    }  # fmt: skip
    # Names cancel out: what persons do in both runs is no error of the difference.
    low, high = outcomes[0.03].interval or (0, 0)
    assert 0 < low <= 0.0101 <= 0.0102 + high
    assert high - low < 0.002
    allowed = gated("planted(gap=0.03, person_sd=0.01)", within=0.2, worse_by=0.02, baseline=str(tmp_path / "before"))
    assert allowed.passed


def test_a_baseline_that_does_not_fit_is_misuse_and_what_it_lacks_cannot_be_told(tmp_path: Path) -> None:
    audit(EVEN, FRIENDS, out=tmp_path / "other", progress=False)
    with pytest.raises(UsageError, match=r"baseline: .* share no sentences"):
        gated(EVEN, baseline=str(tmp_path / "other"))
    with pytest.raises(UsageError, match=r"baseline: .*holds no saved result"):
        gated(EVEN, baseline=str(tmp_path / "nowhere"))
    audit([EVEN, UNEVEN], attributes="gender", sample=960, out=tmp_path / "two", progress=False)
    found = gated(EVEN, "vader", within=0.2, baseline=str(tmp_path / "two"))
    (lacking,) = (item for item in found.items if item.question == "baseline" and item.system == "vader")
    assert (lacking.outcome, lacking.blocks) == ("cannot tell", True)


def test_a_check_is_a_baseline_for_the_next_one(tmp_path: Path) -> None:
    settings = GateSettings(systems=[EVEN], within=0.02, attributes=["gender"], corpora=["eec", str(FRIENDS)])
    first = check(settings, out=tmp_path / "first", progress=False)
    assert isinstance(load_result(tmp_path / "first" / "audits" / "eec"), Audit)
    again = check(settings.model_copy(update={"baseline": str(tmp_path / "first")}), progress=False)
    assert again.baseline == "first"
    kept = [item for item in again.items if item.question == "baseline"]
    assert len(kept) == len(first.items)
    assert {item.outcome for item in kept} == {"passes"}
    with pytest.raises(UsageError, match="has no audit called eec-extended; it has eec, friends"):
        gated(EVEN, corpora=["eec-extended"], baseline=str(tmp_path / "first"))


def test_waves_go_on_until_a_gap_is_known_to_lie_beyond_the_tolerance() -> None:
    noisy, sizes = "planted(gap=0.03, person_sd=0.02)", (5, 10, 20, 40)
    tight = GateSettings(systems=["x"]).settings(0.02)
    first, on = (
        audit(noisy, attributes="gender", settings=tight, waves=Waves(sizes, beyond=beyond), progress=False).findings[0]
        for beyond in (False, True)
    )
    assert first.verdict == on.verdict == "higher"
    assert first.generalising.shown_interval is not None
    assert first.generalising.shown_interval[0] < 0.02  # settled that there is a gap, not that it is too large
    assert len(on.sequential.looks) > len(first.sequential.looks)  # type: ignore[union-attr]
    found = gated(noisy, within=0.02, sample=None, until_settled={"waves": [5, 10, 20, 40]})
    assert [item.outcome for item in found.items] == ["fails"]


def test_texts_of_ones_own_are_judged_too(tmp_path: Path) -> None:
    people = ["She called the office", "He fixed the bicycle", "My sister was late", "The king spoke", "Her aunt sang"]
    texts = [f"{text} on day {number}." for number in range(8) for text in people]
    pl.DataFrame({"review": texts}).write_csv(tmp_path / "reviews.csv")
    found = gated(UNEVEN, text=str(tmp_path / "reviews.csv"), column="review", sample=None, within=0.02)
    assert [item.outcome for item in found.items] == ["fails"]


def test_a_system_that_gives_no_answers_keeps_the_gate_shut() -> None:
    def broken(texts: list[str]) -> list[float]:
        raise ValueError("no model here")

    found = check(GateSettings(systems=["a", "b"], **FAST), systems=[EVEN, broken], progress=False)  # type: ignore[arg-type]
    (item,) = (item for item in found.items if item.question == "answers")
    assert item.blocks
    assert "no model here" in item.reason


def test_exit_codes_and_files(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "below").mkdir()
    monkeypatch.chdir(work / "below")
    done = typed("evenhand check --junit j.xml --markdown m.md --out found --json", monkeypatch)
    assert done.exit_code == 1, done.exception
    assert json.loads(done.stdout)["outcomes"] == {"fails": 1, "cannot_tell": 0, "passes": 1}
    suite = ElementTree.parse(work / "below" / "j.xml").getroot()  # noqa: S314
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert len(suite.findall(".//testcase")) == 2
    (failure,) = suite.findall(".//failure")
    assert "allowed ±0.020: the whole interval lies beyond the limit" in str(failure.get("message"))
    markdown = (work / "below" / "m.md").read_text()
    assert markdown.startswith("### ❌ Evenhand: Failed: of 2 limits, 1 is broken and 1 is kept")
    assert isinstance(load_result(work / "below" / "found"), Check)
    for form, file in (("junit", "j.xml"), ("pull-request", "m.md")):
        again = typed(f"evenhand report found --format {form}", monkeypatch)
        assert again.stdout.strip() == (work / "below" / file).read_text().strip()
    (work / "evenhand.toml").write_text(f'systems = ["{EVEN}"]\nattributes = "gender"\nwithin = 0.02\nsample = 960\n')
    assert typed("evenhand check", monkeypatch).exit_code == 0
    (work / "evenhand.toml").write_text("sistems = []")
    done = typed("evenhand check", monkeypatch)
    assert (done.exit_code, type(done.exception)) == (1, UsageError)  # `main` makes 2 of it
    assert UsageError.exit_code == 2
    assert "did you mean 'systems'" in str(done.exception)


def test_it_fits_a_screen_and_its_next_steps_run(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(typed("evenhand check", monkeypatch).stdout.splitlines()) <= 24
    done = typed("evenhand check --full", monkeypatch)
    commands = re.findall(r"^    (evenhand .*)$", done.stdout, re.MULTILINE)
    assert [command.split()[1] for command in commands] == ["audit", "repair"]
    for command in commands:
        done = typed(f"{command} --sample 240" if "audit" in command else f"{command} --help", monkeypatch)
        assert done.exit_code == 0, (command, done.exception)
    (work / "evenhand.toml").write_text(f'systems = ["{EVEN}"]\nattributes = "gender"\nwithin = 0.02\nsample = 960\n')
    commands = re.findall(r"^    (evenhand .*)$", typed("evenhand check --full", monkeypatch).stdout, re.MULTILINE)
    assert commands == ["evenhand check --out my-check", "evenhand check --baseline my-check"]
    for command in commands:
        assert typed(command, monkeypatch).exit_code == 0, command


def test_markup_in_names_stays_words() -> None:
    def odd(texts: list[str]) -> list[float]:
        return [0.5 + 0.1 * text.startswith("She") for text in texts]

    odd.__name__ = "<b>&|\x07"
    found = check(GateSettings(systems=["x"], **FAST), systems=odd, progress=False)  # type: ignore[arg-type]
    xml = str(exported(Request(found), "junit"))
    assert ElementTree.fromstring(xml).find(".//testcase") is not None  # noqa: S314
    assert "<b>" not in str(exported(Request(found), "pull-request"))


@pytest.mark.parametrize(
    ("fail_on", "code"), [("higher,lower", 1), ("lower", 0), ("cannot-tell", 0), ("higher,cannot-tell", 1)]
)
def test_an_audit_fails_on_the_verdicts_that_are_named(
    fail_on: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"evenhand audit '{UNEVEN}' --sample 960 --attribute gender --fail-on {fail_on} --json"
    done = typed(line, monkeypatch)
    assert done.exit_code == code, done.exception
    values = json.loads(done.stdout)
    assert values["findings"][0]["verdict"] == "higher"
    assert "--fail-on" not in values["provenance"]["command"]
    assert ("fails: " in done.stderr) == bool(code)

"""What people say about a test: checked, carried along, and of no influence on any number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand import Statement, UsageError, audit, measure, rate_scores
from evenhand.cli.options import STATED, repeating
from evenhand.metrics import Predictions
from evenhand.results import Provenance
from evenhand.results.statement import FIELDS
from evenhand.verbs.saved import load_result

SAID = Statement(
    auditor="Zoë | <b>Ada</b>",
    date="2026-11-18",
    model_version="4.1 `beta`",
    tolerance_set_on="2026-10-02",
    tolerance_reason="nobody would notice",
)
BEFORE = ("corpora", "files", "systems", "settings", "packages", "python")
"""What a provenance had before there were statements."""


def without_statement(text: str) -> str:
    values = json.loads(text)
    del values["provenance"]["statement"]
    return json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False)


def test_nothing_said_leaves_nothing_behind() -> None:
    assert tuple(Provenance().to_dict()) == BEFORE
    assert Provenance.from_dict(Provenance().to_dict()).statement == Statement()


def test_a_statement_changes_nothing_but_the_statement() -> None:
    plain = audit("planted(gap=0.05)", sample=480, progress=False)
    said = audit("planted(gap=0.05)", sample=480, progress=False, statement=SAID)
    assert json.loads(said.to_json())["provenance"]["statement"] == SAID.to_dict()
    assert without_statement(said.to_json()) == plain.to_json()
    assert audit("planted(gap=0.05)", sample=480, progress=False, statement=Statement()).to_json() == plain.to_json()


def test_it_is_saved_and_loaded_to_the_byte(tmp_path: Path) -> None:
    made = audit("planted(gap=0.05)", sample=480, progress=False, statement=SAID, out=tmp_path)
    loaded = load_result(tmp_path)
    assert loaded.provenance.statement == SAID
    assert loaded.to_json() == made.to_json()
    page = (tmp_path / "report.html").read_text()
    assert "Zoë | &lt;b&gt;Ada&lt;/b&gt;" in page
    assert "<b>Ada</b>" not in page


def test_metrics_and_ratings_carry_it_too(tmp_path: Path) -> None:
    table = {"source": ["1", "1"], "group": ["old", "young"], "gold": ["yes", "yes"]}
    found = measure(Predictions.of(**table, predicted=["no", "yes"]), statement=SAID)
    assert found.to_dict()["provenance"]["statement"]["auditor"] == SAID.auditor
    scores = tmp_path / "scores.csv"
    rows = [f"a,E1,{who},{place / 10}" for place in range(4) for who in ("male", "female")]
    scores.write_text("\n".join(["system,dataset,gender,sentiment", *rows]))
    rated = rate_scores(scores, attributes=["gender"], bootstrap=0, statement=SAID, out=tmp_path / "rated")
    assert load_result(tmp_path / "rated").to_json() == rated.to_json()
    assert rated.provenance.statement == SAID


@pytest.mark.parametrize(
    "bad", ["18.11.2026", "2026-13-01", "2026-02-30", "20261118", "2026-W47-3", "today", "2026-11-18T10"]
)
@pytest.mark.parametrize("name", ["date", "tolerance_set_on"])
def test_dates_are_dates(name: str, bad: str) -> None:
    with pytest.raises(UsageError, match="must be written as in 2026-11-18"):
        Statement(**{name: bad})


@pytest.mark.parametrize("bad", ["", "  ", "two\nlines", "bell\x07", "para\u2029graph", "x" * 501])
def test_texts_are_lines(bad: str) -> None:
    with pytest.raises(UsageError, match="the auditor must be"):
        Statement(auditor=bad)


def test_what_was_said_with_the_test_cannot_be_changed_afterwards() -> None:
    saved = Statement(auditor="Ada", date="2026-11-18")
    both = Statement(auditor="Ada", model_version="4").added_to(saved)
    assert both.later == ("model_version",)
    assert (both.auditor, both.date, both.model_version) == ("Ada", "2026-11-18", "4")
    assert Statement.from_dict(both.to_dict()) == both
    with pytest.raises(UsageError, match=r'already says the auditor, "Ada"; what was saved stands'):
        Statement(auditor="Grace").added_to(saved)


def test_the_command_that_repeats_a_test_says_nothing_for_others() -> None:
    typed = ["evenhand", "audit", "vader", *(word for flag in STATED for word in (flag, "x")), "--date=2026-11-18"]
    assert repeating(typed) == "evenhand audit vader"
    assert {flag.removeprefix("--").replace("-", "_") for flag in STATED} == set(FIELDS)

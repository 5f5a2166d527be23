"""What gaps do to decisions of a study's submissions: by hand, beside audits, and summed up."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import evenhand
from evenhand.asking import Column, Scores
from evenhand.cli.app import app
from evenhand.comparing.decisions import Decision
from evenhand.contrasts import contrasts
from evenhand.corpora import eec
from evenhand.errors import UsageError
from evenhand.report.study.page import to_html
from evenhand.studies import Study
from evenhand.studies.decisions import decide_all, downstream
from evenhand.systems.base import Output


@pytest.fixture(scope="module")
def decided(small_study: Study) -> Study:
    """The small study with two thresholds."""
    return small_study.decided(["0.5,median"])


def of(study: Study, system: str, dimension: str, attribute: str, rule: str) -> Decision:
    (one,) = [
        one
        for one in study.decisions
        if (one.system, one.output, one.attribute, one.rule) == (system, dimension, attribute, rule)
    ]
    return one


def test_flips_and_rates_are_those_of_counting_sentence_by_sentence(decided: Study) -> None:
    """For race on the EEC: every name of one group against every one of the other of the same gender."""
    corpus, scores = decided.drawn_from
    frame = corpus.frame
    column = next(place for place, c in enumerate(scores.columns) if (c.system, c.output.name) == ("birch", "valence"))
    chosen = scores.matrix[:, column] >= 0.5
    first = second = pairs = 0
    rows: dict[tuple[str, str, str], list[bool]] = {}
    for source, gender, race, selected in zip(frame["source"], frame["gender"], frame["race"], chosen, strict=True):
        rows.setdefault((source, gender, race or ""), []).append(bool(selected))
    for (source, gender, race), mine in rows.items():
        if race != "African American":
            continue
        theirs = rows[source, gender, "European American"]
        pairs += len(mine) * len(theirs)
        first += sum(mine) * (len(theirs) - sum(theirs))
        second += (len(mine) - sum(mine)) * sum(theirs)
    found = of(decided, "birch", "valence", "race", "number")
    assert (found.pairs, found.first_only.pairs, found.second_only.pairs) == (pairs, first, second)
    assert found.first_only.value == pytest.approx(first / pairs)
    assert found.first_rate.value == pytest.approx(
        chosen[(frame["race"] == "African American").fill_null(False)].mean()
    )


def test_every_submission_is_decided_as_an_audit_of_its_scores_would(decided: Study) -> None:
    corpus, scores = decided.drawn_from
    one = next(place for place, c in enumerate(scores.columns) if (c.system, c.output.name) == ("amber", "anger"))
    alone = Scores(scores.ids, scores.matrix[:, [one]], (scores.columns[one],), scores.corpus_digest)
    questions = [made for attribute in corpus.attributes for made in contrasts(corpus, attribute)]
    made = decide_all(questions, alone, corpus, thresholds=(0.5, "median"), alpha=0.05)
    among_others = [d for d in decided.decisions if (d.system, d.output) == ("amber", "anger")]
    for mine, theirs in zip(made, among_others, strict=True):
        assert mine.flat() == pytest.approx(theirs.flat(), abs=1e-9)


def test_summaries_by_hand() -> None:
    """One system takes the women only, one nobody's side, one three women for every four men, one nine for ten."""
    corpus = eec()
    frame = corpus.frame
    woman = (frame["gender"] == "female").to_numpy()
    half = (frame["source"].rank("dense").to_numpy() % 4) > 0
    most = (frame["source"].rank("dense").to_numpy() % 10) > 0
    chosen = [woman, np.full(len(corpus), 0.7), np.where(woman, half, 1.0), np.where(woman, most, 1.0)]
    matrix = np.column_stack(chosen).astype(float)
    columns = tuple(Column(name, Output("joy", 0, 1), None) for name in ("women", "all", "some", "most"))
    scores = Scores(tuple(frame["id"]), matrix, columns, corpus.digest)
    made = decide_all(contrasts(corpus, "gender"), scores, corpus, thresholds=(0.5,), alpha=0.05)
    (one,) = downstream(made)
    share = 1 - half.mean()
    assert (one.submissions, one.with_flips, one.largest_flips_of) == (4, 3, "women")
    assert one.largest_flips == pytest.approx(1.0)
    assert one.median_flips == pytest.approx((share + 1 - most.mean()) / 2, abs=0.01)
    assert (one.first_selected_more, one.second_selected_more) == (1, 2)
    # Nobody can be divided by the men whom the first system does not select.
    assert (one.ratios, one.highest_ratio) == (3, pytest.approx(1.0))
    assert one.lowest_ratio == pytest.approx(1 - share, abs=0.01)
    assert one.below_four_fifths == 2
    assert one.threshold == 0.5


def test_the_study_and_its_page_hold_them(decided: Study, small_study: Study, tmp_path: Path) -> None:
    assert len(decided.decisions) == 8 * 2 * 2
    assert len(decided.downstream) == 2 * 2 * 2
    assert decided.provenance.settings["thresholds"] == [0.5, "median"]
    plain = small_study.to_dict()
    assert (plain["decisions"], plain["downstream"]) == ([], [])
    assert "What it does to decisions" in to_html(decided)
    assert "What it does to decisions" not in to_html(small_study)
    decided.save(tmp_path / "saved", figures=False, progress=False)
    back = Study.load(tmp_path / "saved")
    assert back.decisions == decided.decisions
    assert back.to_json() == decided.to_json()
    assert (tmp_path / "saved" / "tables" / "decisions.csv").read_text().count("\n") == 33
    own = (tmp_path / "saved" / "submissions" / "amber" / "anger.html").read_text()
    assert "What it does to decisions" in own
    assert "birch" not in own


def test_thresholds_come_from_the_command_line(small: Path, tmp_path: Path) -> None:
    given = ["study", str(small / "submissions"), "--threshold", "0.4", "--threshold", "median", "--json"]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    values = json.loads(done.stdout)
    assert {one["rule"] for one in values["decisions"]} == {"number", "median"}
    assert {one["threshold"] for one in values["downstream"]} == {0.4, None}


@pytest.mark.parametrize(
    ("threshold", "message"), [("1.5", "would select nobody"), ("high", "a threshold is a number")]
)
def test_thresholds_that_say_nothing_are_refused_before_files_are_read(
    small: Path, threshold: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        evenhand.study(small / "submissions", thresholds=threshold, progress=False)

"""What became of a gap by part: by hand, on the real design, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from evenhand.asking import Column, Scores
from evenhand.corpora import eec
from evenhand.repairs.estimates import Estimate
from evenhand.repairs.judging import Candidate, Judgement, judge
from evenhand.repairs.layers import Layers
from evenhand.repairs.outcomes import Outcome, in_parts
from evenhand.repairs.parts import PartEstimate, PartOutcome, PartVerdict, mean_parts, part_outcomes
from evenhand.repairs.splits import splits
from evenhand.report.repair.words import parts_in_words, verdict
from evenhand.systems.base import Output

SURE, UNSURE = 0.001**2, 0.05**2


def estimated(gap: float, apart: float = 0.0, *, variance: float = SURE) -> PartEstimate:
    return PartEstimate("emotion", "joy", Estimate(gap, variance, 30.0), Estimate(apart, variance, 30.0))


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (0.10, 0.01, "within bounds"),
        (0.10, 0.05, "within bounds"),  # half of it
        (0.10, 0.06, "left"),
        (0.10, 0.104, "left"),  # as large as it was, give or take half the tolerance
        (0.10, 0.106, "opened"),
        (0.10, -0.009, "within bounds"),  # turned, and too small to matter
        (0.10, -0.02, "opened"),  # turned significantly, though less than half
        (0.00, 0.009, "within bounds"),
        (0.00, 0.02, "opened"),
        (0.002, -0.02, "opened"),
    ],
)
def test_verdicts_on_parts(before: float, after: float, word: PartVerdict) -> None:
    others = [estimated(0.0), estimated(0.0)]
    found = part_outcomes([estimated(before), *others], [estimated(after), *others], tolerance=0.01, alpha=0.05)
    assert [one.verdict for one in found] == [word, "within bounds", "within bounds"]


def test_what_is_not_shown_is_not_called_opened() -> None:
    before, after = estimated(0.0), estimated(0.03, 0.03, variance=UNSURE)
    (found, _) = part_outcomes([before, before], [after, before], tolerance=0.01, alpha=0.05)
    assert (found.verdict, found.differs_after) == ("cannot tell", False)


def test_a_part_that_differs_from_the_rest_is_shown_though_persons_vary() -> None:
    # The gap itself varies with persons; how it differs from the rest does not.
    after = replace(estimated(0.03, variance=UNSURE), apart=Estimate(0.04, SURE, 30.0))
    (found, _) = part_outcomes([estimated(0.0), estimated(0.0)], [after, after], tolerance=0.01, alpha=0.05)
    assert (found.verdict, found.differs_before, found.differs_after) == ("opened", False, True)


def test_parts_are_corrected_for_each_other() -> None:
    # t = 2.4 with 30 degrees of freedom: p is 0.023 for one of two parts, which are one question, and 0.09 for four.
    apart = replace(estimated(0.0), apart=Estimate(0.024, 0.01**2, 30.0))
    for number, differs in ((2, True), (4, False)):
        parts = [apart] + [estimated(0.0)] * (number - 1)
        assert part_outcomes(parts, parts, tolerance=0.01, alpha=0.05)[0].differs_before is differs


def test_means_over_repetitions() -> None:
    (found,) = mean_parts([[estimated(0.02, 0.01)], [estimated(0.04, 0.03)]])
    assert (found.gap.value, found.apart.value, found.level) == (pytest.approx(0.03), pytest.approx(0.02), "joy")


@pytest.mark.parametrize(
    ("whole", "part", "word"),
    [
        ("closed", "within bounds", "closed"),
        ("closed", "left", "reduced"),
        ("closed", "cannot tell", "reduced"),
        ("closed", "opened", "opened a part"),
        ("reduced", "opened", "opened a part"),
        ("nothing to repair", "opened", "opened a part"),
        ("nothing to repair", "left", "nothing to repair"),
        ("reversed", "opened", "reversed"),
        ("made a gap", "opened", "made a gap"),
    ],
)
def test_nothing_is_closed_that_was_opened_in_a_part(whole: str, part: PartVerdict, word: str) -> None:
    one = Estimate(0.0, 0.0, None)
    parts = [PartOutcome("emotion", "joy", one, one, one, one, False, False, part)]
    assert in_parts(whole, parts) == word  # type: ignore[arg-type]


FREE = Output("mood", low=None, high=None, unit=1.0)


@cache
def judged(emotions: tuple[str, ...], size: float) -> Judgement:
    """Layers on a system whose gap by gender is there for some emotions only."""
    frame, rng = eec().frame, np.random.default_rng(3)
    person, source = (frame[column].rank("dense").to_numpy().astype(int) - 1 for column in ("person", "source"))
    women = np.where((frame["gender"] == "female").to_numpy(), size / 2, -size / 2)
    values = women * frame["emotion"].is_in(list(emotions)).fill_null(False).to_numpy()
    values = values + rng.normal(scale=0.01, size=60)[person] + rng.normal(scale=0.1, size=144)[source]
    values += rng.normal(scale=0.02, size=len(frame))
    scores = Scores(tuple(frame["id"]), values[:, None], (Column("toy", FREE, None),), eec().digest)
    halves = [split for split in splits(eec(), repetitions=1) if split.new == "person"]
    return judge(scores, eec(), [Candidate("layers", "fitted", fit=Layers.fit)], halves, attributes=["gender"])


def of_everybody(judgement: Judgement) -> Outcome:
    (found,) = (one for one in judgement.outcomes if one.scope == "everybody")
    return found


def by_level(one: Outcome) -> Mapping[str, PartOutcome]:
    return {part.level: part for part in one.parts}


def test_a_gap_in_two_emotions_is_not_closed_by_opening_one_in_two_others() -> None:
    found = of_everybody(judged(("anger", "fear"), 0.10))
    assert found.before is not None
    assert found.after is not None
    assert abs(found.after.value) < found.before.value / 2  # on average it is closed
    assert found.verdict == "opened a part"
    assert {part.level for part in found.opened} == {"joy", "sadness"}
    assert {level: part.verdict for level, part in by_level(found).items() if part not in found.opened} == {
        "anger": "left",
        "fear": "left",
    }
    assert by_level(found)["joy"].before.value == pytest.approx(0.0, abs=0.01)
    assert by_level(found)["joy"].after.value == pytest.approx(-0.05, abs=0.015)
    assert by_level(found)["anger"].after.value == pytest.approx(0.05, abs=0.015)
    assert {part.level for part in found.differed} == {"anger", "fear", "joy", "sadness"}
    assert verdict(found) == "closed on average, opened a gap in joy and sadness"
    assert parts_in_words(found).startswith("By emotion: anger 0.")
    assert "(opened)" in parts_in_words(found)


def test_a_gap_that_is_alike_in_all_emotions_is_closed() -> None:
    found = of_everybody(judged(("anger", "fear", "joy", "sadness"), 0.06))
    assert found.verdict == "closed"
    assert [part.verdict for part in found.parts] == ["within bounds"] * 4
    assert parts_in_words(found) == ""


def test_an_outcome_with_parts_survives_being_saved() -> None:
    found = of_everybody(judged(("anger", "fear"), 0.10))
    assert Outcome.from_dict(found.to_dict(0.05)) == found
    assert found.row(0.05)["opened_in"] == "joy, sadness"


def test_a_gap_counts_as_in_an_audit() -> None:
    assert judged(("anger", "fear"), 0.10).comparisons == 2  # gender and race, whatever is to be repaired

"""Intervals held against limits, case by case: what passes, what fails, and what cannot be told."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from evenhand import Finding, GateSettings, audit
from evenhand.comparing.decisions import Decision
from evenhand.comparing.differences import GapDifference
from evenhand.comparing.findings import PartGap, Withheld
from evenhand.gating.judging import BEYOND, of_decision, of_difference, of_gap

STRICT = GateSettings(systems=["x"])


@cache
def found() -> tuple[Finding, Decision]:
    """An audit's finding and decision, to be changed."""
    made = audit("planted(gap=0.05, person_sd=0.01)", attributes="gender", sample=960, thresholds=0.5, progress=False)
    return made.findings[0], made.decisions[0]


def finding(verdict: str, interval: tuple[float, float] | None, *, without: float = 0.05, **others: Any) -> Finding:
    """One with a tolerance of 0.01."""
    one, _ = found()
    general = replace(one.generalising, shown_interval=interval)
    rests_on = replace(one.rests_on, without=without)
    return replace(one, verdict=verdict, generalising=general, rests_on=rests_on, parts=(), **others)  # type: ignore[arg-type]


def outcome(one: Finding, **settings: Any) -> tuple[str, bool]:
    item = of_gap(one, "eec", STRICT.model_copy(update=settings))
    return item.outcome, item.blocks


@pytest.mark.parametrize(
    ("verdict", "interval", "expected"),
    [
        ("equivalent", (-0.002, 0.009), "passes"),
        ("higher", (0.02, 0.04), "fails"),
        ("lower", (-0.04, -0.02), "fails"),
        ("higher", (0.005, 0.04), "cannot tell"),  # there is a gap, and it may be an allowed one
        ("cannot tell", (-0.02, 0.04), "cannot tell"),
        ("cannot tell", (-0.002, 0.009), "cannot tell"),  # few react: the interval alone would say too much
        ("cannot tell", None, "cannot tell"),
    ],
)
def test_all_within_passes_all_beyond_fails(verdict: str, interval: tuple[float, float] | None, expected: str) -> None:
    without = -0.05 if interval and interval[0] < -0.03 else 0.05
    assert outcome(finding(verdict, interval, without=without))[0] == expected


def test_what_cannot_be_told_blocks_unless_it_may_pass() -> None:
    unsure = finding("cannot tell", (-0.02, 0.04))
    assert outcome(unsure) == ("cannot tell", True)
    assert outcome(unsure, cannot_tell="pass") == ("cannot tell", False)


def test_a_verdict_that_hangs_on_one_person_fails_nobody() -> None:
    hanging = finding("cannot tell", (0.02, 0.04), withheld=Withheld("higher", "person", "Tia", 0.0, "cannot tell"))
    assert outcome(hanging)[0] == "cannot tell"
    assert "Tia" in of_gap(hanging, "eec", STRICT).reason
    assert outcome(finding("higher", (0.02, 0.04), without=0.008))[0] == "cannot tell"
    assert outcome(finding("lower", (-0.04, -0.02), without=-0.008))[0] == "cannot tell"


def test_no_reaction_is_not_even_unless_nobody_else_can_matter() -> None:
    silent = finding("no reaction seen", None)
    few = replace(silent, equivalence=replace(silent.equivalence, unseen_share=0.14, unseen_reaction=0.07))
    assert outcome(few) == ("cannot tell", True)
    assert outcome(few, no_reaction="pass") == ("passes", False)
    many = replace(silent, equivalence=replace(silent.equivalence, unseen_share=0.009, unseen_reaction=1.1))
    assert outcome(many) == ("passes", False)


def test_a_gap_that_is_small_on_average_alone_does_not_pass() -> None:
    part = PartGap("emotion", "anger", 0.05, -0.02, 0.07, (0.05, 0.09), 0.001, 0.001, True)
    small = finding("equivalent", (-0.002, 0.009))
    assert outcome(replace(small, parts=(part,)))[0] == "cannot tell"
    assert outcome(replace(small, parts=(replace(part, gap=0.009),)))[0] == "passes"
    assert outcome(replace(small, parts=(replace(part, gap=0.011),)))[0] == "cannot tell"
    assert outcome(replace(small, parts=(replace(part, significant=False),)))[0] == "passes"


def test_growth_is_held_against_a_share_of_the_range_once() -> None:
    """Numbers that are shares already are not multiplied by the range again."""
    one = replace(finding("higher", (0.02, 0.04)), span=4.0)
    gap = GapDifference(
        one_called="before", other_called="after", shares=False, one=one, other=one, difference=one,
        size="larger", changed_sides=False, growth=0.03, growth_interval=(0.02, 0.04),
    )  # fmt: skip
    settings = STRICT.model_copy(update={"worse_by": 0.01})
    whole, share = of_difference(gap, "eec", settings), of_difference(replace(gap, shares=True), "eec", settings)
    assert (whole.limit, whole.span, whole.outcome) == (pytest.approx(0.04), 4.0, "passes")
    assert (share.limit, share.span, share.outcome) == (pytest.approx(0.01), 1.0, "fails")


def test_who_does_not_do_its_job_is_never_let_through_unseen() -> None:
    blind = finding("equivalent", (-0.002, 0.009), does_its_job=False, why_not_its_job="it scores all the same")
    assert outcome(blind) == ("fails", True)
    assert outcome(blind, cannot_tell="pass") == ("fails", True)
    assert outcome(blind, unable="cannot tell") == ("cannot tell", True)
    silent = finding("no reaction seen", None, does_its_job=False, why_not_its_job="it scores all the same")
    assert outcome(silent, no_reaction="pass") == ("fails", True)
    large = finding("higher", (0.02, 0.04), does_its_job=False, why_not_its_job="it scores all the same")
    assert of_gap(large, "eec", STRICT).reason == BEYOND


@pytest.mark.parametrize(
    ("ratio", "difference", "outcomes"),
    [
        ((0.85, 1.2), (-0.04, 0.04), ["passes", "passes"]),
        ((0.5, 0.79), (-0.2, -0.06), ["fails", "fails"]),
        ((1.3, 1.6), (0.06, 0.2), ["fails", "fails"]),
        ((0.79, 1.1), (-0.06, 0.01), ["cannot tell", "cannot tell"]),
        ((0.9, 1.26), (0.01, 0.06), ["cannot tell", "cannot tell"]),
        (None, None, ["cannot tell", "cannot tell"]),
    ],
)
def test_decisions_are_held_against_limits_of_their_own(
    ratio: tuple[float, float] | None, difference: tuple[float, float] | None, outcomes: list[str]
) -> None:
    one, decision = found()
    decision = replace(
        decision,
        impact_ratio=replace(decision.impact_ratio, interval=ratio),
        difference=replace(decision.difference, interval=difference),
    )
    key = (one.system, one.output, one.attribute, one.first, one.second, one.subset)
    settings = GateSettings(systems=["x"], thresholds=[0.5], impact_ratio=0.8, selection_difference=0.05)
    items = of_decision(decision, {key: one}, "eec", settings)
    assert [item.question for item in items] == ["selection difference", "impact ratio"]
    assert [item.outcome for item in items] == outcomes

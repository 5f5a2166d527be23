"""Studies of many systems: what gaps do to decisions at a threshold, for each submission and summed up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from evenhand.asking import Scores
from evenhand.comparing.decisions import Decision, decisions_on
from evenhand.comparing.thresholds import Rule, Threshold, check_thresholds, selected
from evenhand.contrasts import Contrast
from evenhand.corpora import Corpus

FOUR_FIFTHS = 0.8
"""Of the larger selection rate; a smaller one below it is often taken as a reason to look closer."""


@dataclass(frozen=True)
class Downstream:
    """What one threshold makes of one comparison for all submissions of a dimension.

    `threshold` is None for the median, which is another number for each submission. Flips are the share of pairs of
    sentences of which only one is selected, either way; None of the numbers is corrected or generalised.
    """

    attribute: str
    first: str
    second: str
    dimension: str
    rule: Rule
    threshold: float | None
    submissions: int
    with_flips: int
    """Submissions in which any decision flips with the person."""
    median_flips: float
    largest_flips: float
    largest_flips_of: str
    first_selected_more: int
    """Submissions that select the first group more often than the second."""
    second_selected_more: int
    ratios: int
    """Submissions whose impact ratio is defined."""
    lowest_ratio: float | None
    median_ratio: float | None
    highest_ratio: float | None
    below_four_fifths: int
    """Submissions that select one of the groups less than four fifths as often as the other."""


def decide_all(
    questions: Sequence[Contrast], scores: Scores, corpus: Corpus, *, thresholds: Sequence[Threshold], alpha: float
) -> tuple[Decision, ...]:
    """The decisions of every submission in every comparison, a submission's next to each other.

    All submissions at once: a threshold turns the matrix of scores into one of ones and zeros.
    """
    check_thresholds(thresholds, [(column.system, column.output) for column in scores.columns])
    cuts = [selected(scores, threshold) for threshold in thresholds]
    made = [
        decision
        for one in questions
        for cut in cuts
        for decision in decisions_on(one, cut, scores, corpus, alpha=alpha)
    ]
    order = {(column.system, column.output.name): place for place, column in enumerate(scores.columns)}
    return tuple(sorted(made, key=lambda one: order[one.system, one.output]))


def flipped(decision: Decision) -> float:
    """The share of pairs that flip, either way."""
    return decision.first_only.value + decision.second_only.value


def downstream(decisions: Sequence[Decision]) -> tuple[Downstream, ...]:
    """A row for each comparison, dimension and threshold."""
    return tuple(_rows(decisions))


def _rows(decisions: Sequence[Decision]) -> Iterator[Downstream]:
    by_key: dict[tuple[str, str, str, str, Rule, float | None], list[Decision]] = {}
    for one in decisions:
        asked = None if one.rule == "median" else one.threshold
        key = (one.attribute, one.first, one.second, one.output, one.rule, asked)
        by_key.setdefault(key, []).append(one)
    for key, members in by_key.items():
        flips = [flipped(one) for one in members]
        ratios = [one.impact_ratio.value for one in members if one.impact_ratio.value is not None]
        rates = [(one.first_rate.value, one.second_rate.value) for one in members]
        apart = [one.difference.value or 0.0 for one in members]
        yield Downstream(
            *key,
            submissions=len(members),
            with_flips=sum(share > 0 for share in flips),
            median_flips=median(flips),
            largest_flips=max(flips),
            largest_flips_of=members[flips.index(max(flips))].system,
            first_selected_more=sum(difference > 0 for difference in apart),
            second_selected_more=sum(difference < 0 for difference in apart),
            ratios=len(ratios),
            lowest_ratio=min(ratios, default=None),
            median_ratio=median(ratios) if ratios else None,
            highest_ratio=max(ratios, default=None),
            below_four_fifths=sum(min(pair) < FOUR_FIFTHS * max(pair) for pair in rates),
        )

"""Decisions instead of scores: who is selected, how often it flips with the person, and how far that generalises.

A decision is a number, 1 for selected and 0 for not. So the difference in selection rates is the gap of a contrast,
and the generalising test knows its variance. The rest follows from sums of numbers, one per sentence, whose gap is the
share in question (or the logarithm of a ratio, to first order) and that vary with persons as it does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from evenhand.comparing.general import general_gap
from evenhand.contrasts import Contrast, Floats, Ints
from evenhand.stats import Components
from evenhand.stats.shares import ratio_interval, share_interval
from evenhand.stats.types import Bools

Ends = tuple[Floats, Floats]

FEWEST = 4
"""An interval is given where at least so many persons, templates and words are behind a share, as it were: a rate of
1 % is often the doing of one or two words, and what two words do says too little about others."""
SHARE_OF_FEW = 1 / 3
"""Of templates or words that are few themselves, this share must be behind it."""

ALIKE = "alike"
FEW = "few"
NOT_GENERAL = "not general"


@dataclass(frozen=True, eq=False)
class Estimate:
    """A share, a difference or a ratio and its interval, one number per column; NaN where undefined."""

    value: Floats
    low: Floats
    high: Floats
    why_not: tuple[str | None, ...]
    """For each column, why there is no interval: NOT_GENERAL, FEW or ALIKE; None where there is one."""


class Sides:
    """The two sides of a contrast, place by place: a place is a pair in a source, or a stratum of a source."""

    def __init__(self, contrast: Contrast) -> None:
        assert contrast.part is not None  # noqa: S101 - only interactions have none
        self.contrast = contrast
        entries = sparse.coo_array(contrast.matrix)
        row, sentence, value = entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data
        _, place = np.unique(np.stack([row, contrast.part[sentence]]), axis=1, return_inverse=True)
        self._place_of = np.full(contrast.shape[1], -1, dtype=np.int64)
        self._place_of[sentence] = place.reshape(-1)
        self._is_first, self._is_second = np.zeros((2, contrast.shape[1]), dtype=bool)
        self._is_first[sentence], self._is_second[sentence] = value > 0, value < 0
        self._counts = np.zeros(contrast.shape[1])
        self._counts[sentence] = np.abs(value)
        # What a place counts in a row is what either of its sides adds up to.
        weights = np.bincount(self._place_of[self._is_first], weights=self._counts[self._is_first])
        self._counts[sentence] /= weights[self._place_of[sentence]]
        self.weights: Floats = weights / contrast.shape[0]
        """What each place counts; all of them add up to one."""

    @cached_property
    def sentences(self) -> tuple[Ints, Ints]:
        """The sentences of the first side, and those of the second."""
        return np.flatnonzero(self._is_first), np.flatnonzero(self._is_second)

    def means(self, decisions: Floats) -> tuple[Floats, Floats]:
        """The share that is selected on each side of each place: (places, columns)."""
        first, second = (self._summed(rows, self._counts[rows], decisions) for rows in self.sentences)
        return first, second

    def pairs(self) -> int:
        """How many pairs of sentences are compared: one of the first side and one of the second, in one place."""
        first, second = (np.bincount(self._place_of[rows], minlength=len(self.weights)) for rows in self.sentences)
        return int((first * second).sum())

    def pairs_flipped(self, decisions: Floats) -> Floats:
        """In how many of these the sentence of the first side is selected, and that of the second is not."""
        first, second = self.sentences
        selected = self._summed(first, np.ones(len(first)), decisions)
        refused = self._summed(second, np.ones(len(second)), 1 - decisions)
        return np.asarray((selected * refused).sum(axis=0))

    def _summed(self, rows: Ints, counts: Floats, decisions: Floats) -> Floats:
        shape = (len(self.weights), len(rows))
        operator = sparse.csr_array((counts, (self._place_of[rows], np.arange(len(rows)))), shape=shape)
        return np.asarray(operator @ decisions[rows])

    def rates(self, decisions: Floats) -> tuple[Floats, Floats]:
        """The selection rate of each side, weighed as the gap weighs its sentences."""
        first, second = self.means(decisions)
        # Weights add up to one but for rounding, which must not carry a rate beyond it.
        return np.minimum(self.weights @ first, 1.0), np.minimum(self.weights @ second, 1.0)

    def rate(self, decisions: Floats, *, first: bool, level: float) -> Estimate:
        """The selection rate of one side."""
        mine = self._is_first if first else self._is_second
        value = self.rates(decisions)[0 if first else 1]
        sign = 1.0 if first else -1.0
        parts = self._general(np.where(mine[:, None], sign * decisions, 0.0), self._behind_side(mine, decisions))
        return _estimate(value, parts, _share_ends(value, parts, level))

    def difference(self, decisions: Floats, *, level: float) -> Estimate:
        """The first side's selection rate minus the second's: the gap of the decisions."""
        first, second = self.rates(decisions)
        parts = self._general(decisions, self._behind_both(decisions))
        return _estimate(first - second, parts, None if parts is None else parts.interval(level))

    def ratio(self, decisions: Floats, *, level: float) -> Estimate:
        """The first side's selection rate divided by the second's; NaN where the second's is zero.

        To first order, the logarithm of the ratio varies as the gap of decisions that are divided by their side's rate.
        """
        first, second = self.rates(decisions)
        value = np.divide(first, second, out=np.full_like(first, np.nan), where=second > 0)
        scaled = np.zeros_like(decisions)
        for mine, rate in ((self._is_first, first), (self._is_second, second)):
            scaled[mine] = decisions[mine] / np.where(rate > 0, rate, 1.0)
        parts = self._general(scaled, self._behind_both(decisions))
        ends = None
        if parts is not None:
            ends = ratio_interval(value, parts.variance, parts.degrees_of_freedom, level=level)
        return _estimate(value, parts, ends)

    def flips(self, decisions: Floats, *, level: float) -> Estimate:
        """The share of pairs in which the first is selected and the second is not.

        A pair of persons is one unit. Where persons have no counterpart, each is paired with all of the other group in
        their stratum: a first person's own number is the share of pairs in which they flip, and a second person's the
        distance of theirs from the mean of the place, so that the share is counted once and both sides vary.
        """
        first, second = self.means(decisions)
        flipped = first * (1 - second)
        # Counted, not summed: where no pair flips, sums of weights leave dust of either sign.
        value = np.where(self.pairs_flipped(decisions) > 0, np.clip(self.weights @ flipped, 0.0, 1.0), 0.0)
        ours, theirs = np.zeros_like(decisions), np.zeros_like(decisions)
        rows, others = self.sentences
        ours[rows] = decisions[rows] * (1 - second)[self._place_of[rows]]
        theirs[others] = (1 - decisions[others]) * first[self._place_of[others]]
        numbers = ours.copy()
        alone = others[self._alone[others]]
        numbers[alone] = theirs[alone] - flipped[self._place_of[alone]]
        parts = self._general(numbers, np.minimum(self._behind(ours), self._behind(theirs)))
        return _estimate(value, parts, _share_ends(value, parts, level))

    @cached_property
    def _alone(self) -> Bools:
        """Which sentences are about persons without a counterpart."""
        unit, _, sentence, _ = self.contrast.entries
        alone = np.zeros(self.contrast.shape[1], dtype=bool)
        alone[sentence] = ~self.contrast.pairs[self.contrast.stratum][unit]
        return alone

    def _general(self, numbers: Floats, behind: Floats) -> Components | None:
        """The variance of what the numbers add up to; it is known no better than by those who are behind it."""
        if self.contrast.not_general:
            return None
        parts = general_gap(self.contrast, numbers, scale=np.ones(numbers.shape[1]))
        return replace(parts, degrees_of_freedom=np.minimum(parts.degrees_of_freedom, behind - 1))

    def _behind_both(self, decisions: Floats) -> Floats:
        return np.minimum(*(self._behind_side(mine, decisions) for mine in (self._is_first, self._is_second)))

    def _behind_side(self, mine: Bools, decisions: Floats) -> Floats:
        """How many are behind what is selected on a side, or behind what is not, whichever are fewer."""
        inside = mine[:, None]
        return np.minimum(*(self._behind(np.where(inside, chosen, 0.0)) for chosen in (decisions, 1 - decisions)))

    def _behind(self, numbers: Floats) -> Floats:
        """How many persons, templates or words numbers come from, whichever are fewest; NaN where too few.

        Those who add x each, never less than nothing, count as (Σ x)² / Σ x²: as many as there are if all add the same,
        one if one adds all.
        """
        contrast = self.contrast
        behind = np.full(numbers.shape[1], np.nan if contrast.not_general else np.inf)
        if contrast.not_general:
            return behind
        counts = np.abs(contrast.unit_weights)
        for place, grouping in enumerate(contrast.sampled_groupings):
            # Of a pair, the second side's numbers come with a minus.
            means = np.abs((grouping.operator @ numbers).reshape(len(contrast.units), -1, numbers.shape[1]))
            if place == 0:
                behind = np.minimum(behind, _effective(np.einsum("u,ugk,g->uk", counts, means, grouping.weights)))
            groups = _effective(np.einsum("u,ugk,g->gk", counts, means, grouping.weights))
            there = 1 / float(grouping.weights @ grouping.weights)
            if there >= FEWEST / SHARE_OF_FEW:
                behind = np.minimum(behind, groups)
            else:
                behind = np.where(groups < SHARE_OF_FEW * there, np.nan, behind)
        return np.where(behind < FEWEST, np.nan, behind)


def _share_ends(value: Floats, parts: Components | None, level: float) -> Ends | None:
    if parts is None:
        return None
    return share_interval(value, parts.variance, parts.degrees_of_freedom, level=level)


def _estimate(value: Floats, parts: Components | None, ends: Ends | None) -> Estimate:
    nothing = np.full_like(value, np.nan)
    if parts is None or ends is None:
        return Estimate(value, nothing, nothing, (NOT_GENERAL,) * len(value))
    alike = parts.variance == 0
    given = ~alike & ~np.isnan(ends[0])
    reasons = tuple(None if fine else ALIKE if same else FEW for fine, same in zip(given, alike, strict=True))
    return Estimate(value, np.where(given, ends[0], np.nan), np.where(given, ends[1], np.nan), reasons)


def _effective(contributions: Floats) -> Floats:
    """How many there would be if all contributed the same: (contributors, columns) → columns."""
    squares = (contributions**2).sum(axis=0)
    return np.asarray(np.divide(contributions.sum(axis=0) ** 2, squares, out=np.zeros_like(squares), where=squares > 0))

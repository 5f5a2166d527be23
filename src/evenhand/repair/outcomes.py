"""What became of a gap: before, after, how much of it is gone, whether it turned round, and what that cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

Verdict = Literal["nothing to repair", "closed", "reduced", "not reduced", "reversed", "made a gap", "undefined"]


@dataclass(frozen=True)
class Estimate:
    """A gap for persons in general: first group minus second."""

    value: float
    variance: float
    freedom: float | None
    """None where nothing varies."""

    def margin(self, alpha: float) -> float:
        """Half the width of the interval; infinite with less than one degree of freedom."""
        if self.variance == 0 or self.freedom is None:
            return 0.0
        if self.freedom < 1:
            return float("inf")
        return float(special.stdtrit(self.freedom, 1 - alpha / 2) * np.sqrt(self.variance))

    def interval(self, alpha: float) -> tuple[float, float]:
        """The generalising interval."""
        return self.value - self.margin(alpha), self.value + self.margin(alpha)

    def is_there(self, alpha: float) -> bool:
        """Whether the interval leaves zero out."""
        return abs(self.value) > self.margin(alpha)


@dataclass(frozen=True)
class Outcome:
    """What became of one gap under one method, on sentences that it was not fitted on.

    `reduction` is 1 − after/before, with Fieller's interval; both are undefined unless the gap was there before.
    `reversed_share` is how often, among the single splits, a significant gap of the other sign stood there after, and
    `spread` how far the gaps of single splits lay apart (standard deviation). `left_alone` is the share of fits that
    changed no score.
    """

    method: str
    family: str
    output: str
    new: str
    attribute: str
    first: str
    second: str
    scope: str
    before: Estimate | None
    after: Estimate | None
    reduction: float | None
    reduction_interval: tuple[float, float] | None
    reversed_share: float | None
    spread: float | None
    left_alone: float
    splits: int
    verdict: Verdict
    undefined: str | None = None


@dataclass(frozen=True)
class Price:
    """What a method does to the scores otherwise: rank correlations of before with after on held-out sentences.

    `overall` over all sentences, `within` the lowest among groups of people who share all attributes, `words` that of
    the emotion words' mean scores; means over the splits. None where scores do not vary. 1 is no price at all.
    """

    method: str
    family: str
    output: str
    new: str
    overall: float | None
    within: float | None
    words: float | None
    splits: int


def outcome(
    noted: Sequence[tuple[Estimate, Estimate, float]], *, alpha: float, undefined: str | None = None
) -> Outcome:
    """The outcome over repeated splits: before, after, and what they vary by together, for each split.

    Estimates and variances are averaged; what they speak for does not become more by dividing it up again.
    """
    nobody = ("",) * 8
    if not noted:
        return Outcome(*nobody, None, None, None, None, None, None, 0.0, 0, "undefined", undefined or "not judged")
    before, after = mean_of([one for one, _, _ in noted]), mean_of([other for _, other, _ in noted])
    shared = float(np.mean([each for _, _, each in noted]))
    values = [other.value for _, other, _ in noted]
    there = before.is_there(alpha)
    return Outcome(
        *nobody,
        before,
        after,
        1 - after.value / before.value if there else None,
        reduction_interval(before, after, shared, alpha=alpha) if there else None,
        float(np.mean([_turned(one, other, alpha) for one, other, _ in noted])),
        float(np.std(values, ddof=1)) if len(values) > 1 else None,
        0.0,
        len(noted),
        verdict(before, after, alpha=alpha),
    )


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of estimates, with the mean of their variances."""
    freedoms = [one.freedom for one in estimates if one.freedom is not None]
    return Estimate(
        float(np.mean([one.value for one in estimates])),
        float(np.mean([one.variance for one in estimates])),
        float(np.mean(freedoms)) if freedoms else None,
    )


def verdict(before: Estimate, after: Estimate, *, alpha: float) -> Verdict:
    """In a word; `closed` says that no gap can be told any more, not that there is none."""
    if not before.is_there(alpha):
        return "made a gap" if after.is_there(alpha) else "nothing to repair"
    if not after.is_there(alpha):
        return "closed"
    if before.value * after.value < 0:
        return "reversed"
    return "reduced" if abs(after.value) < abs(before.value) else "not reduced"


def reduction_interval(before: Estimate, after: Estimate, shared: float, *, alpha: float) -> tuple[float, float] | None:
    """Fieller's interval of 1 − after/before; None where the gap before is not far enough from zero for one.

    >>> reduction_interval(Estimate(0.1, 1e-4, 30.0), Estimate(0.02, 1e-4, 30.0), 1e-4, alpha=0.05)
    (0.743..., 1.00...)
    """
    if before.variance == 0 or before.freedom is None:
        ends = after.interval(alpha)
        low, high = sorted(1 - end / before.value for end in ends)
        return low, high
    squared = before.margin(alpha) ** 2 / before.variance
    a = before.value**2 - squared * before.variance
    b = before.value * after.value - squared * shared
    c = after.value**2 - squared * after.variance
    if a <= 0:
        return None
    root = np.sqrt(max(b**2 - a * c, 0.0))
    return float(1 - (b + root) / a), float(1 - (b - root) / a)


def _turned(before: Estimate, after: Estimate, alpha: float) -> bool:
    return before.value * after.value < 0 and after.is_there(alpha)

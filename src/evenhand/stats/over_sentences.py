"""Groups compared over sentences, for the very terms tested: what can be said where terms are no sample.

A group with one term says nothing about other terms. But each source holds the term and those of the other groups, so
that sources (sentences) are a sample, and the gap for these very terms has an interval over sentences like these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evenhand.stats.multiplicity import CORRECTIONS
from evenhand.stats.paired import PairedTest, paired_test
from evenhand.stats.types import Floats

FEWEST = 2
"""Sources without which nothing is repeated."""
IDENTICAL = "identical: every source gives the same to all groups"
CONSTANT = "the difference is the same in every source, so there is no variance to test against"


@dataclass(frozen=True)
class SentenceTest:
    """One group minus the mean of the others, for the terms tested, over sources. What is None has its reason in
    `undefined`; where every source has the same difference, p is 0 (or 1 if it is zero) and there is no interval."""

    sources: int
    """How many of them hold every group."""
    difference: float | None = None
    interval: tuple[float, float] | None = None
    """For this group alone, at 1 − α."""
    p: float | None = None
    p_adjusted: float | None = None
    significant: bool | None = None
    effect: float | None = None
    """The difference in standard deviations between sources."""
    undefined: str | None = None


def sentence_tests(
    means: Floats, *, scale: float, alpha: float = 0.05, correction: str = "holm"
) -> tuple[SentenceTest, ...]:
    """A paired t-test of each group against the mean of the others; `means` is (sources, groups), NaN where empty.

    Sources that lack a group are left out. Two groups ask one question, which is not corrected for.

    >>> first, second = sentence_tests(np.array([[0.1, 0.3], [0.2, 0.6], [0.0, 0.3]]), scale=1.0)
    >>> round(first.difference, 3), round(first.p, 3), round(second.difference, 3)
    (-0.3, 0.035, 0.3)
    """
    whole = means[~np.isnan(means).any(axis=1)]
    sources, groups = len(whole), int(whole.shape[1])
    if sources < FEWEST:
        reason = f"{sources or 'no'} {'source holds' if sources == 1 else 'sources hold'} every group"
        return (SentenceTest(sources, undefined=f"{reason}; at least {FEWEST} are needed"),) * groups
    others = (whole.sum(axis=1, keepdims=True) - whole) / (groups - 1)
    test = paired_test(whole - others, scale=np.full(groups, scale), level=1 - alpha)
    once = test.p[:1] if groups == 2 else test.p
    adjusted = np.broadcast_to(CORRECTIONS[correction](once), test.p.shape)
    return tuple(_of_group(test, place, float(adjusted[place]), alpha=alpha) for place in range(groups))


def _of_group(test: PairedTest, place: int, adjusted: float, *, alpha: float) -> SentenceTest:
    found = SentenceTest(
        test.n, float(test.mean[place]), p=float(test.p[place]), p_adjusted=adjusted, significant=adjusted < alpha
    )
    if test.identical[place] or test.constant[place]:
        return replace(found, undefined=IDENTICAL if test.identical[place] else CONSTANT)
    spread = float(test.standard_error[place]) * float(np.sqrt(test.n))
    interval = float(test.low[place]), float(test.high[place])
    return replace(found, interval=interval, effect=float(test.mean[place]) / spread)

"""Tests of groups that generalise over terms: a group's terms are a sample of those that could stand for it.

The published rank tests answer for the very terms in the blocks; these ask whether other terms would show it too. They
take the term means (each term's mean over all sources), so what varies between templates must be the same for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special, stats

from evenhand.stats.ranks import adjusted, below
from evenhand.stats.types import ROUNDING, Floats, Ints

FEWEST_FOR_WELCH = 5
"""With fewer terms a side, a variance of its own says too little, and separate ones would raise false alarms."""
CANNOT = "cannot generalise over terms"
CONSTANT = "constant: the terms of a group do not differ, so there is no variance to test against"
IDENTICAL = "identical: no gap exceeds rounding"


@dataclass(frozen=True)
class TermOmnibus:
    """Whether groups differ at all, over term means. What is None has its reason in `undefined`.

    Where terms differ within no group, F has no value, and p is 0 (`constant`) or, if all are alike, 1 (`identical`).
    """

    name: str
    groups: int
    terms: int
    f: float | None = None
    df: tuple[float, float] | None = None
    p: float | None = None
    effect: float | None = None
    """ω²: the share of the variance of term means that lies between groups; below 0 where there is less than chance."""
    pooled: bool = False
    """Whether the groups share one variance between terms, as some have fewer than five, or none that differ."""
    left_out: tuple[int, ...] = ()
    """Groups of one term, by their number."""
    undefined: str | None = None


@dataclass(frozen=True)
class TermTest:
    """One group minus the mean of the others. What is None has its reason in `undefined`.

    Where terms differ within no group, t has no value, and p is 0 (`constant`) or, without a gap, 1 (`identical`).
    """

    terms: int
    other_terms: int
    estimate: float | None = None
    """In the units of the values; the other groups count the same, however many terms they have."""
    standard_error: float | None = None
    t: float | None = None
    df: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    significant: bool | None = None
    """Whether both the omnibus test and this one, adjusted, are below α; None where either has no p."""
    interval: tuple[float, float] | None = None
    """Of level 1 − α, not adjusted."""
    effect: float | None = None
    """The estimate in standard deviations between terms of a group."""
    pooled: bool = False
    """Whether all groups share one variance between terms, because a side has fewer than five."""
    undefined: str | None = None


@dataclass(frozen=True)
class TermTests:
    """All groups at once, then each against the others."""

    omnibus: TermOmnibus
    groups: tuple[TermTest, ...]


def term_tests(
    groups: Sequence[Floats], *, alpha: float = 0.05, correction: str = "holm", scale: float | None = None
) -> TermTests:
    """Test each group's term means against the mean of the other groups.

    Each side has a variance of its own (Welch) where it has at least five terms; else all groups share one, and
    `pooled` says so. A group of one term has an estimate and no test. The other groups count the same, and their
    variance is that of terms within their own group. With two groups there is one question, asked from both sides.
    `scale` is the size of the values that the means were taken of, to tell rounding from findings.

    Two groups of two terms: 0.2 − 0.5, pooled variance (0.02 + 0.02) / 2, standard error √(0.02 · (½ + ½)):

    >>> test = term_tests([np.array([0.1, 0.3]), np.array([0.4, 0.6])]).groups[0]
    >>> round(test.estimate, 3), round(test.standard_error, 4), round(test.t, 4), test.df, test.pooled
    (-0.3, 0.1414, -2.1213, 2.0, True)
    """
    if len(groups) < 2:
        raise ValueError("two groups are needed")
    tolerance = ROUNDING * (_largest(groups) if scale is None else scale)
    omnibus = term_omnibus(groups, scale=scale)
    tests = [_against_others(groups, place, alpha=alpha, tolerance=tolerance) for place in range(len(groups))]
    # Two groups ask one question twice, which is no reason to correct.
    method = "none" if len(groups) == 2 else correction
    p = adjusted([test.p for test in tests], correction=method)
    return TermTests(
        omnibus,
        tuple(
            replace(test, p_adjusted=value, significant=below(alpha, omnibus.p, value))
            for test, value in zip(tests, p, strict=True)
        ),
    )


def term_omnibus(groups: Sequence[Floats], *, scale: float | None = None) -> TermOmnibus:
    """Welch's analysis of variance over term means; the classical one where a group has fewer than five terms.

    Groups of one term are left out: whatever they show may be that term's. Terms that do not differ have no variance
    to weigh their group by, so the classical one serves there too.

    Means 0.2, 0.5, 0.8 of two terms each: between 0.36 / 2, within 0.06 / 3, so F = 9 with 2 and 3 degrees of freedom:

    >>> found = term_omnibus([np.array([0.1, 0.3]), np.array([0.4, 0.6]), np.array([0.7, 0.9])])
    >>> round(found.f, 6), found.df, round(found.p, 4), found.name
    (9.0, (2.0, 3.0), 0.054, 'classical ANOVA')
    """
    kept = [group for group in groups if len(group) > 1]
    left_out = tuple(place for place, group in enumerate(groups) if len(group) < 2)
    tolerance = ROUNDING * (_largest(groups) if scale is None else scale)
    flat = [bool(np.ptp(group) <= tolerance) for group in kept]
    pooled = any(flat) or any(len(group) < FEWEST_FOR_WELCH for group in kept)
    found = TermOmnibus(
        "classical ANOVA" if pooled else "Welch's ANOVA",
        len(kept),
        sum(len(group) for group in kept),
        pooled=pooled,
        left_out=left_out,
    )
    if len(kept) < 2:
        return replace(found, undefined=f"{CANNOT}: fewer than two groups have two terms")
    if all(flat):
        alike = bool(np.ptp(np.concatenate(kept)) <= tolerance)
        return replace(found, p=float(alike), undefined=IDENTICAL if alike else CONSTANT)
    f, df = _classical(kept) if pooled else _welch(kept)
    share = df[0] * (f - 1)
    return replace(found, f=f, df=df, p=float(stats.f.sf(f, *df)), effect=share / (share + found.terms))


def _classical(groups: Sequence[Floats]) -> tuple[float, tuple[float, float]]:
    f = float(stats.f_oneway(*groups).statistic)
    return f, (float(len(groups) - 1), float(sum(len(group) for group in groups) - len(groups)))


def _welch(groups: Sequence[Floats]) -> tuple[float, tuple[float, float]]:
    """Welch (1951): groups weigh by how sure their mean is."""
    number = len(groups)
    sizes, means = np.array([len(group) for group in groups]), np.array([group.mean() for group in groups])
    weights = sizes / np.array([group.var(ddof=1) for group in groups])
    between = weights @ (means - weights @ means / weights.sum()) ** 2 / (number - 1)
    unsure = ((1 - weights / weights.sum()) ** 2 / (sizes - 1)).sum()
    f = float(between / (1 + 2 * (number - 2) / (number**2 - 1) * unsure))
    return f, (float(number - 1), float((number**2 - 1) / (3 * unsure)))


def _against_others(groups: Sequence[Floats], place: int, *, alpha: float, tolerance: float) -> TermTest:
    own, others = groups[place], [group for number, group in enumerate(groups) if number != place]
    other_sizes: Ints = np.array([len(group) for group in others])
    found = TermTest(len(own), int(other_sizes.sum()))
    if not len(own) or not other_sizes.all():
        return replace(found, undefined="a group has no terms")
    estimate = float(own.mean() - np.mean([group.mean() for group in others]))
    estimate = 0.0 if abs(estimate) <= tolerance else estimate
    found = replace(found, estimate=estimate)
    if min(found.terms, found.other_terms) < 2:
        whose = "the group has" if found.terms < 2 else "the other group has"
        return replace(found, undefined=f"{CANNOT}: {whose} one term")
    own_left = own - own.mean()
    other_left = np.concatenate([group - group.mean() for group in others])
    own_df, other_df = len(own) - 1, int((other_sizes - 1).sum())
    weight_of_others = float((1 / other_sizes).sum()) / len(others) ** 2
    within = float(own_left @ own_left + other_left @ other_left) / (own_df + other_df)
    if np.abs(np.concatenate([own_left, other_left])).max() <= tolerance:
        alike = estimate == 0
        reason = IDENTICAL if alike else CONSTANT
        return replace(found, standard_error=0.0, p=float(alike), interval=(estimate, estimate), undefined=reason)
    pooled = min(own_df, other_df) < FEWEST_FOR_WELCH - 1
    if pooled:
        variance, df = within * (1 / len(own) + weight_of_others), float(own_df + other_df)
    else:
        parts = own_left @ own_left / own_df / len(own), other_left @ other_left / other_df * weight_of_others
        variance = float(sum(parts))
        df = variance**2 / float(parts[0] ** 2 / own_df + parts[1] ** 2 / other_df)
    error = float(np.sqrt(variance))
    margin = float(special.stdtrit(df, 1 - alpha / 2)) * error
    return replace(
        found,
        standard_error=error,
        t=estimate / error,
        df=df,
        p=float(2 * special.stdtr(df, -abs(estimate / error))),
        interval=(estimate - margin, estimate + margin),
        effect=estimate / float(np.sqrt(within)),
        pooled=pooled,
    )


def _largest(groups: Sequence[Floats]) -> float:
    return max(float(np.abs(group).max(initial=0.0)) for group in groups)

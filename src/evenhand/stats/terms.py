"""Tests of groups that generalise: a group's terms are a sample of those that could stand for it, sources of others.

The published rank tests answer for the very terms and sources in the blocks; these ask whether others would show it
too. Where every term fills every source, they are the variance components of the audit. Where terms fill different
sources, what varies with terms and what varies with sources are found apart and added up. Where each source is about
one group, there are only the terms to go by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special, stats

from evenhand.numbering import pairs_numbered
from evenhand.stats.components import Components, GroupedMeans, variance_components
from evenhand.stats.dealing import ways
from evenhand.stats.multiplicity import raw_threshold
from evenhand.stats.permutation import dealt_share
from evenhand.stats.ranks import adjusted, below
from evenhand.stats.types import ROUNDING, Floats, Ints

FEWEST_FOR_WELCH = 5
"""With fewer terms a side, a variance of its own says too little, and separate ones would raise false alarms."""
CANNOT = "cannot generalise over terms"
CONSTANT = "constant: the terms of a group do not differ, so there is no variance to test against"
IDENTICAL = "identical: no gap exceeds rounding"
TOO_THIN = "less than one degree of freedom: nearly all sentences are of one kind"
PAIRS = (
    "less than one degree of freedom: too much rests on groups of two terms, which may be alike by luck; three would do"
)
COMBINED = "smallest p of the groups, corrected"
"""The test of all groups at once where sources count too, or a group has few terms: with three that vary six times as
much as the others' twenty, an analysis of variance finds a difference in half of all fair systems."""


@dataclass(frozen=True)
class TermOmnibus:
    """Whether groups differ at all, over term means. What is None has its reason in `undefined`.

    Where terms differ within no group, F has no value, and p is the share of ways to deal them to groups that set the
    groups as clearly apart (`constant`) or, if all are alike, 1 (`identical`).
    """

    name: str
    groups: int
    terms: int
    f: float | None = None
    """Of the analysis of variance over term means, which does not allow for sources; so are `df` and `effect`."""
    df: tuple[float, float] | None = None
    p: float | None = None
    """Of the test called `name`."""
    effect: float | None = None
    """ω²: the share of the variance of term means that lies between groups; below 0 where there is less than chance."""
    pooled: bool = False
    """Whether the groups share one variance between terms, as some have few, or none that differ."""
    left_out: tuple[int, ...] = ()
    """Groups of one term, by their number."""
    undefined: str | None = None


@dataclass(frozen=True)
class TermTest:
    """One group minus the mean of the others. What is None has its reason in `undefined`.

    Where terms differ within no group, t has no value, and p is the share of ways to deal the terms to groups that give
    so large a gap (`constant`) or, without a gap, 1 (`identical`).
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
    """Whether p, adjusted, is below α; None where there is none."""
    interval: tuple[float, float] | None = None
    """Of level 1 − α, not adjusted."""
    effect: float | None = None
    """The estimate in standard deviations between terms of a group."""
    pooled: bool = False
    """Whether groups share a variance between terms, because some have too few to show their own."""
    undefined: str | None = None
    shown_interval: tuple[float, float] | None = None
    """The interval that goes with `significant`, corrected as p is, of `shown_level`."""
    shown_level: float | None = None


@dataclass(frozen=True)
class TermTests:
    """All groups at once, then each against the others."""

    omnibus: TermOmnibus
    groups: tuple[TermTest, ...]


@dataclass(frozen=True)
class _Design:
    """Term means and what a gap between groups varies by besides."""

    groupings: tuple[GroupedMeans, ...]
    group: Ints
    groups: int
    tolerance: float
    family: Ints | None = None
    between_sources: Floats | None = None
    """By group: what its gap varies by from source to source, where that is known apart."""
    sources: int = 0

    @property
    def sizes(self) -> Ints:
        return np.bincount(self.group, minlength=self.groups)

    @property
    def numbers(self) -> Ints:
        """How many terms each group has that do not count as one."""
        if self.family is None:
            return self.sizes
        families = pairs_numbered(self.group, self.family)[0][0]
        return np.bincount(families, minlength=self.groups)

    def components(self, place: int) -> Components:
        """One group against the mean of the others."""
        coefficients = np.full(self.groups, -1 / (self.groups - 1))
        coefficients[place] = 1.0
        return variance_components(
            self.groupings,
            stratum=self.group,
            coefficients=coefficients,
            scale=np.array([self.tolerance / ROUNDING]),
            family=self.family,
            rest=np.arange(self.groups) != place if self.groups > 2 else None,
        )


def term_tests(
    groups: Sequence[Floats],
    *,
    alpha: float = 0.05,
    correction: str = "holm",
    scale: float | None = None,
    between_sources: Floats | None = None,
    sources: int = 0,
) -> TermTests:
    """Test each group's term means against the mean of the other groups.

    Terms vary as persons do in an audit (`variance_components`): of two groups, each has a variance of its own where
    both have at least five terms; of more, see there. A group of one term has an estimate and no test. The other groups
    count the same. With two groups there is one question, asked from both sides. `between_sources` is what the gap of
    each group varies by from source to source, with as many degrees of freedom as there are `sources`, less one: it is
    added, and nothing is taken off, so that it counts a little too much. `scale` is the size of the values that the
    means were taken of, to tell rounding from findings.

    Two groups of two terms: 0.2 − 0.5, pooled variance (0.02 + 0.02) / 2, standard error √(0.02 · (½ + ½)):

    >>> test = term_tests([np.array([0.1, 0.3]), np.array([0.4, 0.6])]).groups[0]
    >>> round(test.estimate, 3), round(test.standard_error, 4), round(test.t, 4), round(test.df, 6), test.pooled
    (-0.3, 0.1414, -2.1213, 2.0, True)
    """
    if len(groups) < 2:
        raise ValueError("two groups are needed")
    means = np.concatenate(groups)
    design = _Design(
        groupings=(GroupedMeans(means[:, None, None], np.ones(1)),),
        group=np.repeat(np.arange(len(groups)), [len(group) for group in groups]),
        groups=len(groups),
        tolerance=ROUNDING * (_largest(groups) if scale is None else scale),
        between_sources=between_sources,
        sources=sources,
    )
    tests = _corrected(design, alpha=alpha, correction=correction)
    omnibus = term_omnibus(groups, scale=scale)
    apart = between_sources is not None or (omnibus.pooled and omnibus.f is not None)
    return TermTests(_combined(omnibus, tests) if apart else omnibus, tests)


def crossed_term_tests(
    groupings: Sequence[GroupedMeans],
    *,
    group: Ints,
    groups: int,
    alpha: float = 0.05,
    correction: str = "holm",
    scale: float,
    family: Ints | None = None,
) -> TermTests:
    """The same where every term fills every source: the variance components of an audit, terms as its persons.

    `groupings` are the terms' means by source (or by template, word and so on), `group` each term's group. The test of
    all groups together is the smallest p of the single tests, corrected: it allows for sources as they do.
    """
    design = _Design(tuple(groupings), group, groups, ROUNDING * scale, family)
    tests = _corrected(design, alpha=alpha, correction=correction)
    means = np.einsum("ugk,g->uk", groupings[0].means, groupings[0].weights)[:, 0]
    omnibus = term_omnibus([means[group == place] for place in range(groups)], scale=scale)
    return TermTests(_combined(omnibus, tests), tests)


def gap_variances_between_sources(values: Floats, *, term: Ints, group: Ints, source: Ints, groups: int) -> Floats:
    """What each group's gap to the others varies by from source to source, where terms fill different sources.

    By the jackknife: every source is left out in turn, and the term means and gaps are taken anew. `group` is each
    term's group; `values`, `term` and `source` have one entry per sentence.

    Two groups of one term in three sources: gaps 1, 2 and 3 vary by 1, their mean by 1/3:

    >>> values, term = np.array([1.0, 0.0, 2.0, 0.0, 3.0, 0.0]), np.array([0, 1, 0, 1, 0, 1])
    >>> gap_variances_between_sources(
    ...     values, term=term, group=np.array([0, 1]), source=np.array([0, 0, 1, 1, 2, 2]), groups=2).round(6).tolist()
    [0.333333, 0.333333]
    """
    terms, sources = len(group), int(source.max()) + 1
    cells, cell = pairs_numbered(term, source)
    sums, counts = np.bincount(cell, weights=values), np.bincount(cell).astype(np.float64)
    total, number = (np.bincount(cells[0], weights=part, minlength=terms) for part in (sums, counts))
    mean = total / number
    left = number[cells[0]] - counts
    without = np.divide(total[cells[0]] - sums, left, out=np.zeros_like(sums), where=left > 0)
    place, size = group[cells[0]] * sources + cells[1], groups * sources
    change, lost = (
        np.bincount(place, weights=of, minlength=size).reshape(groups, sources)
        for of in (without - mean[cells[0]], left == 0)
    )
    here = np.bincount(group, minlength=groups)[:, None] - lost
    sums_of_groups = np.bincount(group, weights=mean, minlength=groups)[:, None] + change
    # A source without which a group has no term is not left out: its gap would have no other side.
    kept = (here > 0).all(axis=0)
    means = sums_of_groups[:, kept] / here[:, kept]
    gaps = means - (means.sum(axis=0) - means) / (groups - 1)
    jackknifed: Floats = (sources - 1) / sources * ((gaps - gaps.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return jackknifed


def _corrected(design: _Design, *, alpha: float, correction: str) -> tuple[TermTest, ...]:
    tests = [_against_others(design, place, alpha=alpha) for place in range(design.groups)]
    # Two groups ask one question twice, which is no reason to correct.
    method = "none" if design.groups == 2 else correction
    p = adjusted([test.p for test in tests], correction=method)
    asked = np.array([test.p for test in tests if test.p is not None], dtype=np.float64)
    # Holm's steps have no intervals of their own; those of Bonferroni hold for all of them.
    level = 1 - raw_threshold(asked, alpha=alpha, method="bonferroni" if method == "holm" else method)
    return tuple(
        replace(
            test,
            p_adjusted=value,
            significant=below(alpha, value),
            shown_interval=_interval(test, level),
            shown_level=None if test.interval is None else level,
        )
        for test, value in zip(tests, p, strict=True)
    )


def _combined(omnibus: TermOmnibus, tests: Sequence[TermTest]) -> TermOmnibus:
    """All groups at once, from the single tests; F, which knows of terms alone, is left as it is."""
    known = [test.p for test in tests if test.p is not None]
    if not known:
        reasons = (test.undefined for test in tests if test.undefined)
        return replace(omnibus, name=COMBINED, p=None, undefined=omnibus.undefined or next(reasons, None))
    times = 1 if len(tests) == 2 else len(known)
    return replace(omnibus, name=COMBINED, p=min(1.0, times * min(known)))


def term_omnibus(groups: Sequence[Floats], *, scale: float | None = None) -> TermOmnibus:
    """Welch's analysis of variance over term means; the classical one where a group has fewer than five terms, which
    takes the terms of all groups to vary alike.

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
        p = 1.0 if alike else _share_set_apart([len(group) for group in kept], [float(group.mean()) for group in kept])
        return replace(found, p=p, undefined=IDENTICAL if alike else CONSTANT)
    f, df = _classical(kept) if pooled else _welch(kept)
    share = df[0] * (f - 1)
    return replace(found, f=f, df=df, p=float(stats.f.sf(f, *df)), effect=share / (share + found.terms))


def _share_set_apart(sizes: Sequence[int], values: Sequence[float]) -> float:
    """The share of ways to deal terms to groups that leave the terms of every group alike, as they are.

    >>> _share_set_apart([2, 2], [0.1, 0.4]), _share_set_apart([2, 3], [0.1, 0.4])
    (0.3333333333333333, 0.1)
    """
    classes = dict.fromkeys(values, 0)
    for size, value in zip(sizes, values, strict=True):
        classes[value] += size
    # By how many terms of each value are left: in how many ways the groups so far can have been filled.
    filled = {tuple(classes.values()): 1}
    for size in sizes:
        after: dict[tuple[int, ...], int] = {}
        for left, number in filled.items():
            for place, have in enumerate(left):
                if have >= size:
                    rest = (*left[:place], have - size, *left[place + 1 :])
                    after[rest] = after.get(rest, 0) + number * math.comb(have, size)
        filled = after
    return sum(filled.values()) / ways(sizes)


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


def _against_others(design: _Design, place: int, *, alpha: float) -> TermTest:
    sizes = design.sizes
    found = TermTest(int(sizes[place]), int(sizes.sum() - sizes[place]))
    if not sizes.all():
        return replace(found, undefined="a group has no terms")
    means = np.einsum("ugk,g->uk", design.groupings[0].means, design.groupings[0].weights)[:, 0]
    by_group = np.bincount(design.group, weights=means) / sizes
    estimate = float(by_group[place] - np.delete(by_group, place).mean())
    found = replace(found, estimate=0.0 if abs(estimate) <= design.tolerance else estimate)
    reason = _too_few(design, place)
    if reason is not None:
        return replace(found, undefined=f"{CANNOT}: {reason}")
    parts = design.components(place)
    left = means - by_group[design.group]
    within = float(left @ left) / int((sizes - 1).sum())
    variance, df, pooled = _with_sources(parts, design, place)
    if df is None and estimate:
        found = replace(found, p=_share_of_deals(means, design, place))
    thin = PAIRS if (design.numbers == 2).any() else TOO_THIN
    return _tested(found, variance, df, pooled, within=within, alpha=alpha, thin=thin)


def _share_of_deals(means: Floats, design: _Design, place: int) -> float:
    """Where the terms of every group are all treated alike: the share of ways to deal them that give so large a gap."""
    weights = np.full(design.groups, -1 / (design.groups - 1))
    weights[place] = 1.0
    return dealt_share(means, (weights / design.sizes)[design.group], np.zeros(len(means), dtype=np.int64))


def _too_few(design: _Design, place: int) -> str | None:
    """Why it cannot be told how terms vary."""
    numbers = design.numbers
    others = np.delete(numbers, place)
    # Several terms of one family count as one.
    one = "one term" if ((numbers > 1) | (design.sizes < 2)).all() else "one term, or one family of terms"
    if numbers[place] < 2:
        return f"the group has {one}"
    if 2 * int((others < 2).sum()) >= len(others):
        return f"the other group has {one}" if len(others) == 1 else f"half of the other groups or more have {one}"
    return None


def _with_sources(parts: Components, design: _Design, place: int) -> tuple[float, float | None, bool]:
    """The variance, its degrees of freedom (None without variance), and whether groups share one between terms."""
    variance, df = float(parts.variance[0]), float(parts.degrees_of_freedom[0])
    extra = 0.0 if design.between_sources is None else float(design.between_sources[place])
    if np.sqrt(extra) > design.tolerance:
        known = variance**2 / df if variance > 0 else 0.0
        df = (variance + extra) ** 2 / (known + extra**2 / max(design.sources - 1, 1))
        variance += extra
    return variance, df if variance > 0 else None, parts.pooled


def _tested(
    found: TermTest,
    variance: float,
    df: float | None,
    pooled: bool,
    *,
    within: float,
    alpha: float,
    thin: str,
) -> TermTest:
    estimate = found.estimate or 0.0
    found = replace(found, pooled=pooled, standard_error=float(np.sqrt(variance)))
    if df is None:
        # Where nobody varies, nothing is known about terms that were not asked: there is no interval.
        if estimate == 0:
            return replace(found, p=1.0, undefined=IDENTICAL)
        return replace(found, undefined=CONSTANT)
    if df < 1:
        return replace(found, df=df, undefined=thin)
    t = estimate / float(np.sqrt(variance))
    found = replace(found, t=t, df=df, p=float(2 * special.stdtr(df, -abs(t))))
    effect = estimate / float(np.sqrt(within)) if within > 0 else None
    return replace(found, interval=_interval(found, 1 - alpha), effect=effect)


def _interval(test: TermTest, level: float) -> tuple[float, float] | None:
    if test.df is None or test.t is None or test.estimate is None or test.standard_error is None:
        return test.interval
    margin = float(special.stdtrit(test.df, (1 + level) / 2)) * test.standard_error
    return test.estimate - margin, test.estimate + margin


def _largest(groups: Sequence[Floats]) -> float:
    return max(float(np.abs(group).max(initial=0.0)) for group in groups)

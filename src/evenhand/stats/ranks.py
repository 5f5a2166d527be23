"""Rank tests of groups: the published ones within blocks, their counterparts for independent groups, and effect sizes.

They answer for the very terms that stand in the blocks. Where terms differ among themselves they raise false alarms
(docs/advice.md has the rates), so `evenhand.stats.terms` stands beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import stats

from evenhand.stats.multiplicity import CORRECTIONS
from evenhand.stats.types import ROUNDING, Floats

FEWEST = 2
"""Blocks, or observations of a group, without which nothing is repeated."""
MOST_EXACT = 50
"""Up to so many differences, all their signs are counted; beyond, the normal distribution does."""
ALL_TIE = "identical: all values tie, so there is nothing to rank"


@dataclass(frozen=True)
class RankTest:
    """One test. What is None has its reason in `undefined`; where all values tie, p is 1 and the rest is None."""

    name: str
    effect_name: str
    n: int
    """Blocks that were used, or observations in all."""
    statistic: float | None = None
    p: float | None = None
    effect: float | None = None
    """Signed for two groups (positive: the first is higher); 0 for no effect, 1 at most."""
    undefined: str | None = None


@dataclass(frozen=True)
class RankPair:
    """A follow-up: two groups by their number, and the p-value adjusted for all pairs."""

    first: int
    second: int
    test: RankTest
    p_adjusted: float | None
    significant: bool | None
    """Whether both the omnibus test and this pair, adjusted, are below α; None where either has no p."""


@dataclass(frozen=True)
class RankTests:
    """All groups at once, then each pair. With two groups both are the same test."""

    omnibus: RankTest
    pairs: tuple[RankPair, ...]


def friedman(blocks: Floats) -> RankTest:
    """Friedman's test of three or more groups within blocks; `blocks` is (blocks, groups), NaN where there is no value.

    Blocks that lack a group are left out. The effect is Kendall's W: 0 where the blocks order the groups at random, 1
    where all order them alike.

    Four blocks; ranks add up to 4, 9 and 11, so χ² = 12/(4·3·4) · (16 + 81 + 121) − 3·4·4 = 6.5 and W = 6.5 / 8:

    >>> test = friedman(np.array([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3.0]]))
    >>> test.statistic, round(test.p, 4), test.effect
    (6.5, 0.0388, 0.8125)
    """
    if blocks.shape[1] < 3:
        raise ValueError("Friedman's test needs three groups; for two there is Wilcoxon's")
    whole = blocks[~np.isnan(blocks).any(axis=1)]
    n, groups = whole.shape
    test = _named("Friedman", "Kendall's W", n)
    if n < FEWEST:
        return test(undefined=f"{_blocks(n)} with all groups; at least {FEWEST} are needed")
    levelled = _levelled(whole)
    if (levelled == levelled[:, :1]).all():
        return test(p=1.0, undefined=ALL_TIE)
    ranks = stats.rankdata(levelled, axis=1) - (groups + 1) / 2
    statistic = (groups - 1) * _share(float((ranks.sum(axis=0) ** 2).sum()), float((ranks**2).sum()), most=n)
    p = float(stats.chi2.sf(statistic, groups - 1))
    return test(statistic=statistic, p=p, effect=statistic / (n * (groups - 1)))


def wilcoxon(first: Floats, second: Floats) -> RankTest:
    """Wilcoxon's signed-rank test of two groups within blocks; NaN where there is no value.

    Blocks without a difference are dropped, as Wilcoxon did, and do not count in `n`. The p-value is exact for up to 50
    blocks, with ties too. The effect is the matched-pairs rank-biserial correlation: the share of rank sums that speaks
    for the first group, less the share that speaks for the second.

    Differences 1, 2, 3, −4: the ranks for the first group add up to 6 of 10, so the effect is 0.6 − 0.4:

    >>> test = wilcoxon(np.array([1.0, 2.0, 3.0, 0.0]), np.array([0.0, 0.0, 0.0, 4.0]))
    >>> test.statistic, test.p, round(test.effect, 3)
    (4.0, 0.875, 0.2)
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    tolerance = ROUNDING * _scale(np.stack([first[both], second[both]]))
    differences = first[both] - second[both]
    differences = differences[np.abs(differences) > tolerance]
    n = len(differences)
    test = _named("Wilcoxon", "rank-biserial correlation", n)
    if both.sum() < FEWEST:
        return test(undefined=f"{_blocks(int(both.sum()))} with both groups; at least {FEWEST} are needed")
    if not n:
        return test(p=1.0, undefined=ALL_TIE)
    sizes = _levelled(np.abs(differences), tolerance)
    ranks = stats.rankdata(sizes)
    for_first, for_second = float(ranks[differences > 0].sum()), float(ranks[differences < 0].sum())
    p = (
        _exact_signed_rank_p(ranks, min(for_first, for_second))
        if n <= MOST_EXACT
        else float(stats.wilcoxon(np.sign(differences) * sizes, method="approx").pvalue)
    )
    effect = (for_first - for_second) / (for_first + for_second)
    return test(statistic=min(for_first, for_second), p=p, effect=effect)


def kruskal_wallis(groups: Sequence[Floats]) -> RankTest:
    """Kruskal and Wallis's test of three or more groups of independent observations.

    The effect is ε² = H / (n − 1): the share of the variance of the ranks that lies between the groups.

    Ranks 1, 2 | 3, 4 | 5, 6: H = 12/(6·7) · (9 + 49 + 121)/2 − 3·7 = 4.571, ε² = 4.571 / 5:

    >>> test = kruskal_wallis([np.array([0.1, 0.2]), np.array([0.3, 0.4]), np.array([0.5, 0.6])])
    >>> round(test.statistic, 3), round(test.p, 4), round(test.effect, 4)
    (4.571, 0.1017, 0.9143)
    """
    if len(groups) < 3:
        raise ValueError("Kruskal and Wallis's test needs three groups; for two there is Mann and Whitney's")
    values, n = np.concatenate(groups), sum(len(group) for group in groups)
    test = _named("Kruskal-Wallis", "epsilon squared", n)
    if min(len(group) for group in groups) < FEWEST:
        return test(undefined=f"a group has fewer than {FEWEST} observations")
    levelled = _levelled(values)
    if (levelled == levelled[0]).all():
        return test(p=1.0, undefined=ALL_TIE)
    ranks = stats.rankdata(levelled) - (n + 1) / 2
    parts = np.split(ranks, np.cumsum([len(group) for group in groups])[:-1])
    between = sum(float(part.sum()) ** 2 / len(part) for part in parts)
    effect = _share(between, float((ranks**2).sum()), most=1)
    p = float(stats.chi2.sf((n - 1) * effect, len(groups) - 1))
    return test(statistic=(n - 1) * effect, p=p, effect=effect)


def mann_whitney(first: Floats, second: Floats) -> RankTest:
    """Mann and Whitney's U test of two groups of independent observations.

    The effect is Cliff's δ: how often the first is higher less how often the second is. A, the chance that the first
    is higher (ties half), is (δ + 1) / 2.

    Of the 2 · 3 pairs, the first is higher in 1 and lower in 5:

    >>> test = mann_whitney(np.array([0.1, 0.35]), np.array([0.3, 0.4, 0.5]))
    >>> test.statistic, test.p, round(test.effect, 3)
    (1.0, 0.4, -0.667)
    """
    test = _named("Mann-Whitney", "Cliff's delta", len(first) + len(second))
    if min(len(first), len(second)) < FEWEST:
        return test(undefined=f"a group has fewer than {FEWEST} observations")
    levelled = _levelled(np.concatenate([first, second]))
    if (levelled == levelled[0]).all():
        return test(p=1.0, undefined=ALL_TIE)
    found = stats.mannwhitneyu(levelled[: len(first)], levelled[len(first) :])
    effect = 2 * float(found.statistic) / (len(first) * len(second)) - 1
    return test(statistic=float(found.statistic), p=float(found.pvalue), effect=effect)


def related_tests(blocks: Floats, *, alpha: float = 0.05, correction: str = "holm") -> RankTests:
    """Friedman's test, then Wilcoxon's for each pair; Wilcoxon's alone for two groups. NaN where there is no value."""
    columns = blocks.T
    omnibus = wilcoxon(*columns) if len(columns) == 2 else friedman(blocks)
    return _followed_up(omnibus, list(columns), wilcoxon, alpha=alpha, correction=correction)


def independent_tests(groups: Sequence[Floats], *, alpha: float = 0.05, correction: str = "holm") -> RankTests:
    """Kruskal and Wallis's test, then Mann and Whitney's for each pair; the latter alone for two groups."""
    omnibus = mann_whitney(*groups) if len(groups) == 2 else kruskal_wallis(groups)
    return _followed_up(omnibus, groups, mann_whitney, alpha=alpha, correction=correction)


def adjusted(p: Sequence[float | None], *, correction: str) -> list[float | None]:
    """Adjusted p-values of those tests that have one; the others are no part of the family.

    >>> adjusted([0.01, None, 0.04], correction="holm")
    [0.02, None, 0.04]
    """
    known = np.array([value for value in p if value is not None], dtype=np.float64)
    found = iter(CORRECTIONS[correction](known).tolist() if len(known) else ())
    return [None if value is None else float(next(found)) for value in p]


def _followed_up(
    omnibus: RankTest,
    groups: Sequence[Floats],
    test: Callable[[Floats, Floats], RankTest],
    *,
    alpha: float,
    correction: str,
) -> RankTests:
    places = list(combinations(range(len(groups)), 2))
    tests = [test(groups[first], groups[second]) for first, second in places]
    pairs = [
        RankPair(first, second, found, p, below(alpha, omnibus.p, p))
        for (first, second), found, p in zip(
            places, tests, adjusted([found.p for found in tests], correction=correction), strict=True
        )
    ]
    return RankTests(omnibus, tuple(pairs))


def below(alpha: float, *p: float | None) -> bool | None:
    """Whether all of them are below α; None where one is undefined.

    >>> below(0.05, 0.01, 0.04), below(0.05, 0.01, None)
    (True, None)
    """
    return None if None in p else all(value is not None and value < alpha for value in p)


def _share(part: float, whole: float, *, most: float) -> float:
    """Sums of squares, one over the other. The usual formulas subtract numbers that are nearly equal where nearly all
    values tie, and end below zero; this one can only round beyond `most`."""
    return min(float(most), part / whole)


def _named(name: str, effect_name: str, n: int) -> Callable[..., RankTest]:
    return lambda **found: RankTest(name, effect_name, n, **found)


def _exact_signed_rank_p(ranks: Floats, smaller: float) -> float:
    """Twice the share of all 2ⁿ ways to sign the ranks whose sum for one side is this small; 1 at most.

    The sums are counted rank by rank. Tied ranks are halves, so everything is doubled to count in whole numbers. (SciPy
    enumerates the signs one by one where ranks tie, which takes up to a second for one pair.)
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    chance = np.zeros(int(doubled.sum()) + 1)
    chance[0] = 1.0
    for rank in doubled.tolist():
        with_rank = np.zeros_like(chance)
        with_rank[rank:] = chance[: len(chance) - rank]
        chance = (chance + with_rank) / 2
    return min(1.0, 2 * float(chance[: round(2 * smaller) + 1].sum()))


def _blocks(n: int) -> str:
    return "there is one block" if n == 1 else f"there are {n or 'no'} blocks"


def _scale(values: Floats) -> float:
    return float(np.abs(values).max(initial=0.0))


def _levelled(values: Floats, tolerance: float | None = None) -> Floats:
    """Values that differ by rounding only are set equal: a mean of three equal numbers is not always that number."""
    flat = values.ravel()
    order = np.argsort(flat, kind="stable")
    apart = np.diff(flat[order]) > (ROUNDING * _scale(flat) if tolerance is None else tolerance)
    run = np.concatenate([[0], np.cumsum(apart)])
    first_of_run = np.concatenate([[True], apart])
    levelled = np.empty_like(flat)
    levelled[order] = flat[order][first_of_run][run]
    return levelled.reshape(values.shape)

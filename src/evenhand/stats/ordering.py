"""Arrays in, numbers out: whether values follow an intended order, and how often chance alone would do as well."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from evenhand.stats.types import Floats, Ints

MOST_EXACT = 20_000
"""Up to so many shuffles, all of them are counted; beyond, a sample is drawn."""
DRAWS = 9_999
CHUNK = 2_000
TIED = 1e-9
"""Correlations that differ by no more are the same."""


@dataclass(frozen=True)
class Ordering:
    """How each column of values follows an intended order.

    `rho` is the rank correlation (1: exactly as intended, 0: not at all, −1: reversed), NaN where a column has the same
    value everywhere. `p` is the share of shuffles that follow the order at least as well. `best_p` is the p of values
    that follow it exactly: where that is not small, nothing can be shown. It is NaN where no order is intended.
    """

    rho: Floats
    p: Floats
    best_p: float


def ordering(
    values: Floats,
    intended: Floats,
    *,
    within: Ints,
    tolerance: Floats,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Ordering:
    """Spearman's rank correlation of each column with the intended order, and a one-sided permutation test.

    Ranks are taken `within` groups, and the correlations of several groups are averaged, weighted by their sizes. A
    group in which no order is intended does not count; one in which a column does not vary by more than its
    `tolerance` adds 0 to that column's mean, as none of its members are told apart. Under the null hypothesis, the
    members of each group might as well have had each other's values: they trade places in every way, or in `draws`
    random ways (and the observed one) where there are more than 20,000.

    Four values, of which the last two are in the wrong order: rho is 1 − 6·2/(4·15) = 0.8. Of the 24 shuffles one
    gives 1, and three give 0.8, in which two neighbours are swapped:

    >>> one = np.zeros(4, dtype=np.int64)
    >>> found = ordering(np.array([[1.0], [2.0], [9.0], [3.0]]), np.array([1.0, 2.0, 3.0, 4.0]), within=one,
    ...                  tolerance=np.zeros(1), rng=np.random.default_rng(0))
    >>> found.rho.round(6).tolist(), found.p.round(6).tolist(), round(found.best_p, 6)
    ([0.8], [0.166667], 0.041667)
    """
    from evenhand.stats.ranks import _levelled  # brings scipy.stats, half of the start-up time of everything else

    groups = [np.flatnonzero(within == group) for group in np.unique(within)]
    levelled = np.column_stack([_levelled(column, margin) for column, margin in zip(values.T, tolerance, strict=True)])
    target = _unit_ranks(intended[:, None], groups)[:, 0]
    weight = np.zeros(len(target))
    for members in groups:
        weight[members] = len(members) if target[members].any() else 0
    if not weight.any():
        nowhere = np.full(values.shape[1], np.nan)
        return Ordering(nowhere, nowhere.copy(), math.nan)
    counted = weight > 0
    order = target * weight / counted.sum()
    told = _unit_ranks(levelled, groups) * counted[:, None]
    p = _shares(order, np.column_stack([told, target]), groups, rng=rng, draws=draws)
    varies = told.any(axis=0)
    return Ordering(np.where(varies, order @ told, np.nan), np.where(varies, p[:-1], np.nan), float(p[-1]))


def _unit_ranks(values: Floats, groups: list[Ints]) -> Floats:
    """Ranks within each group, centred and of length one, so that products are correlations; 0 where all tie."""
    from scipy.stats import rankdata

    ranked = np.zeros(values.shape)
    for members in groups:
        ranks = np.asarray(rankdata(values[members], axis=0))
        centred = ranks - ranks.mean(axis=0)
        lengths = np.sqrt((centred**2).sum(axis=0))
        ranked[members] = np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 0)
    return ranked


def _shares(order: Floats, told: Floats, groups: list[Ints], *, rng: np.random.Generator, draws: int) -> Floats:
    """The share of shuffles of the order that each column follows at least as well as the order itself."""
    reached = order @ told - TIED
    if math.prod(math.factorial(len(members)) for members in groups) <= MOST_EXACT:
        exact: Floats = (_every_shuffle(order, groups) @ told >= reached).mean(axis=0)
        return exact
    extreme = np.ones(told.shape[1])
    for start in range(0, draws, CHUNK):
        shuffled = np.tile(order, (min(CHUNK, draws - start), 1))
        for members in groups:
            shuffled[:, members] = rng.permuted(shuffled[:, members], axis=1)
        extreme += (shuffled @ told >= reached).sum(axis=0)
    drawn: Floats = extreme / (draws + 1)
    return drawn


def _every_shuffle(order: Floats, groups: list[Ints]) -> Floats:
    """All ways in which the members of each group can trade places, one a row."""
    rows = order[None, :]
    for members in groups:
        ways = np.array(list(permutations(order[members])))
        repeated = np.repeat(rows, len(ways), axis=0)
        repeated[:, members] = np.tile(ways, (len(rows), 1))
        rows = repeated
    return rows

"""How well predictions follow what is known, with rows that count several times: one number per row of weights.

`weights` is (resamples, rows), whole numbers; the results are those of a table in which each row stands that often.
"""

from __future__ import annotations

import numpy as np

from evenhand.stats.types import ROUNDING, Floats, Ints


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """The mean; NaN where no row counts.

    >>> weighted_mean(np.array([1.0, 4.0]), np.array([[1.0, 1.0], [2.0, 1.0], [0.0, 0.0]])).tolist()
    [2.5, 2.0, nan]
    """
    return _share(weights @ values, weights.sum(axis=1))


def weighted_pearson(first: Floats, second: Floats, weights: Floats) -> Floats:
    """Pearson's r; NaN where either does not vary.

    >>> weighted_pearson(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), np.ones((1, 3))).round(4).tolist()
    [0.982]
    """
    # Centred before and not after: sums of squares of large numbers would lose what varies.
    x, y = first - first.mean(), second - second.mean()
    return _correlation(np.broadcast_to(x, weights.shape), np.broadcast_to(y, weights.shape), weights, (first, second))


def weighted_spearman(first: Floats, second: Floats, weights: Floats) -> Floats:
    """Spearman's rank correlation, ties sharing their rank; NaN where either does not vary.

    >>> weighted_spearman(np.array([1.0, 2.0, 9.0]), np.array([3.0, 2.0, 1.0]), np.ones((1, 3))).tolist()
    [-1.0]
    """
    ranks = _ranks(first, weights), _ranks(second, weights)
    return _correlation(*ranks, weights, ranks)


def weighted_macro_f1(gold: Ints, predicted: Ints, weights: Floats, *, classes: int) -> Floats:
    """The mean of F1 over those classes that occur or are predicted; NaN where no row counts.

    Class 0: one right, one missed, F1 = 2/3; class 1: one right, one too many, F1 = 2/3; class 2 does not occur:

    >>> weighted_macro_f1(np.array([0, 0, 1]), np.array([0, 1, 1]), np.ones((1, 3)), classes=3).round(4).tolist()
    [0.6667]
    """
    here = np.arange(classes)
    is_gold, is_predicted = (gold[:, None] == here).astype(np.float64), (predicted[:, None] == here).astype(np.float64)
    right = weights @ (is_gold * is_predicted)
    f1 = _share(2 * right, weights @ (is_gold + is_predicted))
    return _share(np.nansum(f1, axis=1), (~np.isnan(f1)).sum(axis=1).astype(np.float64))


def _ranks(values: Floats, weights: Floats) -> Floats:
    """(resamples, rows): the mean rank of each row's value in the table in which rows stand `weights` times."""
    _, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    first_of_value = np.flatnonzero(np.diff(place[order], prepend=-1))
    of_value = np.add.reduceat(weights[:, order], first_of_value, axis=1)
    below = np.cumsum(of_value, axis=1) - of_value
    return np.asarray((below + (of_value + 1) / 2)[:, place], dtype=np.float64)


def _correlation(first: Floats, second: Floats, weights: Floats, sizes: tuple[Floats, Floats]) -> Floats:
    whole = weights.sum(axis=1, keepdims=True)
    x = first - _share((weights * first).sum(axis=1, keepdims=True), whole)
    y = second - _share((weights * second).sum(axis=1, keepdims=True), whole)
    varies = np.ones(len(weights), dtype=np.bool_)
    for away, size in ((x, sizes[0]), (y, sizes[1])):
        furthest = np.where(weights > 0, np.abs(away), 0.0).max(axis=1, initial=0.0)
        varies &= furthest > ROUNDING * np.abs(size).max(axis=-1, initial=0.0)
    together = (weights * x * y).sum(axis=1)
    apart = np.sqrt((weights * x**2).sum(axis=1) * (weights * y**2).sum(axis=1))
    r: Floats = np.divide(together, apart, out=np.full(len(weights), np.nan), where=varies)
    return np.clip(r, -1.0, 1.0)


def _share(part: Floats, whole: Floats) -> Floats:
    empty = np.full(np.broadcast(part, whole).shape, np.nan)
    return np.asarray(np.divide(part, whole, out=empty, where=whole != 0), dtype=np.float64)

"""How well predictions follow what is known, with rows that count several times: one number per row of weights.

`weights` is (resamples, rows), whole numbers; the results are those of a table in which each row stands that often.
"""

from __future__ import annotations

import numpy as np

from evenhand.stats.types import ROUNDING, Bools, Floats, Ints

NOTHING_LEFT = 1e-13
"""A smaller share of a sum of squares is what rounding leaves of it once the mean is taken off."""


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """The mean; NaN where no row counts.

    >>> weighted_mean(np.array([1.0, 4.0]), np.array([[1.0, 1.0], [2.0, 1.0], [0.0, 0.0]])).tolist()
    [2.5, 2.0, nan]
    """
    return mean_of_sums(np.stack([weights @ values, weights.sum(axis=1)], axis=1))


def mean_of_sums(sums: Floats) -> Floats:
    """The mean from sums of values and of ones, (resamples, 2)."""
    return _share(sums[:, 0], sums[:, 1])


def weighted_pearson(first: Floats, second: Floats, weights: Floats) -> Floats:
    """Pearson's r; NaN where either does not vary.

    >>> weighted_pearson(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), np.ones((1, 3))).round(4).tolist()
    [0.982]
    """
    amounts = pearson_amounts(first, second)
    return np.full(len(weights), np.nan) if amounts is None else pearson_of_sums(weights @ amounts)


def pearson_amounts(first: Floats, second: Floats) -> Floats | None:
    """By row, what Pearson's r is made of once it is summed; None where either does not vary."""
    # Centred beforehand: squares of large numbers would lose what varies.
    x, y = first - first.mean(), second - second.mean()
    for away, column in ((x, first), (y, second)):
        if np.abs(away).max(initial=0.0) <= ROUNDING * np.abs(column).max(initial=0.0):
            return None
    return np.stack([x, y, x * x, y * y, x * y, np.ones_like(x)], axis=1)


def pearson_of_sums(sums: Floats) -> Floats:
    """r from the sums of those, (resamples, 6)."""
    whole, sums = sums[:, 5], sums[:, :5]
    products = sums[:, 2:] - _share(sums[:, [0, 1, 0]] * sums[:, [0, 1, 1]], whole[:, None])
    varies = np.asarray((products[:, :2] > NOTHING_LEFT * sums[:, 2:4]).all(axis=1), dtype=np.bool_)
    return _correlation(products, varies)


def weighted_spearman(first: Floats, second: Floats, weights: Floats) -> Floats:
    """Spearman's rank correlation, ties sharing their rank; NaN where either does not vary.

    >>> weighted_spearman(np.array([1.0, 2.0, 9.0]), np.array([3.0, 2.0, 1.0]), np.ones((1, 3))).tolist()
    [-1.0]
    """
    (x, of_x, sum_x), (y, of_y, sum_y) = _ranks(first, weights), _ranks(second, weights)
    together = np.einsum("ij,ij,ij->i", weights, x[:, of_x], y[:, of_y])
    whole = weights.sum(axis=1)
    # Whole numbers and their halves: where nothing varies, exactly nothing is left.
    products = np.stack([sum_x, sum_y, together], axis=1) - (whole * ((whole + 1) / 2) ** 2)[:, None]
    return _correlation(products, (products[:, :2] > 0).all(axis=1))


def weighted_macro_f1(gold: Ints, predicted: Ints, weights: Floats, *, classes: int) -> Floats:
    """The mean of F1 over those classes that occur or are predicted; NaN where no row counts.

    Class 0: one right, one missed, F1 = 2/3; class 1: one right, one too many, F1 = 2/3; class 2 does not occur:

    >>> weighted_macro_f1(np.array([0, 0, 1]), np.array([0, 1, 1]), np.ones((1, 3)), classes=3).round(4).tolist()
    [0.6667]
    """
    return f1_of_sums(weights @ f1_amounts(gold, predicted, classes=classes))


def f1_amounts(gold: Ints, predicted: Ints, *, classes: int) -> Floats:
    """By row, what F1 is made of once it is summed: right answers by class, then mentions by class."""
    here = np.arange(classes)
    is_gold, is_predicted = (gold[:, None] == here).astype(np.float64), (predicted[:, None] == here).astype(np.float64)
    return np.hstack([is_gold * is_predicted, is_gold + is_predicted])


def f1_of_sums(sums: Floats) -> Floats:
    """The mean of F1 from the sums of those, (resamples, 2 · classes)."""
    right, mentioned = np.hsplit(sums, 2)
    f1 = _share(2 * right, mentioned)
    return _share(np.nansum(f1, axis=1), (~np.isnan(f1)).sum(axis=1).astype(np.float64))


def _ranks(values: Floats, weights: Floats) -> tuple[Floats, Ints, Floats]:
    """Mean ranks (resamples, distinct values) in the table in which rows stand `weights` times, which of them each row
    has, and the sum of their squares over that table."""
    _, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    first_of_value = np.flatnonzero(np.diff(place[order], prepend=-1))
    of_value = np.add.reduceat(weights[:, order], first_of_value, axis=1)
    ranks = np.cumsum(of_value, axis=1) - of_value + (of_value + 1) / 2
    return ranks, place, np.einsum("ij,ij,ij->i", of_value, ranks, ranks)


def _correlation(products: Floats, varies: Bools) -> Floats:
    """From the sums of squares and of products around the means, (resamples, 3); NaN where nothing varies."""
    apart = np.sqrt(np.where(varies, products[:, 0] * products[:, 1], 1.0))
    return np.where(varies, np.clip(products[:, 2] / apart, -1.0, 1.0), np.nan)


def _share(part: Floats, whole: Floats) -> Floats:
    empty = np.full(np.broadcast(part, whole).shape, np.nan)
    return np.asarray(np.divide(part, whole, out=empty, where=whole != 0), dtype=np.float64)

"""How well predictions follow what is known: correlations of every column with one target at once."""

from __future__ import annotations

import numpy as np

from evenhand.stats.types import ROUNDING, Bools, Floats


def pearson(predicted: Floats, known: Floats) -> Floats:
    """Pearson's r of each column with the target; NaN where either does not vary.

    >>> pearson(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]), np.array([1.0, 2.0, 3.0])).round(4).tolist()
    [0.982, nan]
    """
    away, target = _centred(predicted), _centred(known)
    sizes = np.sqrt((away**2).sum(axis=0) * (target**2).sum())
    usable = ~(is_flat(predicted) | is_flat(known))
    r: Floats = np.divide(target @ away, sizes, out=np.full(sizes.shape, np.nan), where=usable)
    return np.clip(r, -1.0, 1.0)


def _centred(values: Floats) -> Floats:
    """Each column less its mean, by a power of two within −1..1: squares of huge numbers would overflow."""
    away = values - values.mean(axis=0)
    _, exponent = np.frexp(np.abs(away).max(axis=0, initial=0))
    centred: Floats = np.ldexp(away, -exponent)
    return centred


def spearman(predicted: Floats, known: Floats) -> Floats:
    """Spearman's rank correlation of each column with the target; ties share their rank.

    NaN where either does not vary beyond rounding: ranks would make a full order of the last bits.

    >>> spearman(np.array([[1.0, 3.0], [2.0, 2.0], [9.0, 1.0]]), np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, -1.0]
    """
    from scipy.stats import rankdata  # half of the start-up time of everything else

    r = pearson(np.asarray(rankdata(predicted, axis=0)), np.asarray(rankdata(known)))
    return np.where(is_flat(predicted) | is_flat(known), np.nan, r)


def is_flat(values: Floats) -> Bools:
    """Whether each column (or the one there is) varies by no more than rounding.

    >>> is_flat(np.array([[0.5, 0.5], [0.5 + 1e-16, 0.6]])).tolist()
    [True, False]
    """
    away = np.abs(values - values.mean(axis=0)).max(axis=0, initial=0)
    flat: Bools = away <= ROUNDING * np.abs(values).max(axis=0, initial=0)
    return flat

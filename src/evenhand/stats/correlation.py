"""How well predictions follow what is known: correlations of every column with one target at once."""

from __future__ import annotations

import numpy as np

from evenhand.stats.types import ROUNDING, Floats


def pearson(predicted: Floats, known: Floats) -> Floats:
    """Pearson's r of each column with the target; NaN where either does not vary.

    >>> pearson(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]), np.array([1.0, 2.0, 3.0])).round(4).tolist()
    [0.982, nan]
    """
    away = predicted - predicted.mean(axis=0)
    target = known - known.mean()
    sizes = np.sqrt((away**2).sum(axis=0) * (target**2).sum())
    flat = (np.abs(away).max(axis=0, initial=0) <= ROUNDING * np.abs(predicted).max(axis=0, initial=0)) | (
        np.abs(target).max(initial=0) <= ROUNDING * np.abs(known).max(initial=0)
    )
    r: Floats = np.divide(target @ away, sizes, out=np.full(sizes.shape, np.nan), where=~flat)
    return np.clip(r, -1.0, 1.0)


def spearman(predicted: Floats, known: Floats) -> Floats:
    """Spearman's rank correlation of each column with the target; ties share their rank.

    >>> spearman(np.array([[1.0, 3.0], [2.0, 2.0], [9.0, 1.0]]), np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, -1.0]
    """
    from scipy.stats import rankdata  # half of the start-up time of everything else

    return pearson(np.asarray(rankdata(predicted, axis=0)), np.asarray(rankdata(known)))

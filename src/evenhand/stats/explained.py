"""How much of the variation of numbers is between groups of them."""

from __future__ import annotations

import numpy as np

from evenhand.stats.types import Floats, Ints


def explained_share(values: Floats, groups: Ints) -> Floats:
    """Of each column's variance, the share that lies between groups: omega squared, near 0 where groups are chance.

    `values` is (rows, columns), `groups` a number for each row. 1 where rows of a group are all alike; NaN where
    nothing varies, or where no group has two rows. Hays (1963), Statistics for Psychologists.

    >>> explained_share(np.array([[0.0, 1.0], [0.0, 3.0], [1.0, 2.0], [1.0, 2.0]]), np.array([0, 0, 1, 1])).round(3)
    array([ 1.   , -0.333])
    """
    counts = np.bincount(groups)
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, groups, values)
    kept = counts > 0
    means = sums[kept] / counts[kept, None]
    between = (counts[kept, None] * (means - values.mean(axis=0)) ** 2).sum(axis=0)
    within = ((values - (sums / np.maximum(counts, 1)[:, None])[groups]) ** 2).sum(axis=0)
    free = len(values) - int(kept.sum())
    if free <= 0:
        return np.full(values.shape[1], np.nan)
    noise = within / free
    total = between + within
    with np.errstate(invalid="ignore", divide="ignore"):
        share: Floats = (between - (int(kept.sum()) - 1) * noise) / (total + noise)
    return np.where(total > 0, share, np.nan)

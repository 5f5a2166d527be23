"""What the probabilities of labels say: arrays in, arrays out.

`masses` are the probabilities of whole labels as the model gives them, of shape (texts, labels); what a row lacks to
one is the mass outside the labels. A `distribution` is what is left of it when only the labels may be answered.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.systems.base import Array


def distribution_of(masses: Array) -> Array:
    """The labels' shares of the mass that lies on labels; NaN in rows where none does: undefined is not zero.

    >>> distribution_of(np.array([[0.125, 0.375], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [nan, nan]]
    """
    inside = np.ascontiguousarray(masses).sum(axis=1, keepdims=True)
    shares: Array = np.divide(masses, inside, out=np.full(masses.shape, np.nan), where=inside > 0)
    return shares


def expected(distribution: Array, values: Sequence[float] | Array) -> Array:
    """The mean of the labels' values, weighted by their probabilities; NaN where the distribution is.

    >>> expected(np.array([[0.25, 0.0, 0.75]]), [1, 2, 3]).tolist()
    [2.5]
    """
    worth = np.asarray(values, dtype=np.float64)
    # Not as a matrix product: that would round one row otherwise than many.
    mean: Array = (np.ascontiguousarray(distribution) * worth).sum(axis=1)
    # Rounding must not carry a mean beyond the lowest and the highest value.
    return np.clip(mean, worth.min(), worth.max())


def most_likely(distribution: Array, values: Sequence[float] | Array) -> Array:
    """The value of the most probable label; of labels that are exactly as probable, the lowest value. NaN as above.

    >>> most_likely(np.array([[0.2, 0.4, 0.4], [0.5, 0.3, 0.2]]), [1, 2, 3]).tolist()
    [2.0, 1.0]
    """
    worth = np.asarray(values, dtype=np.float64)
    best = distribution == distribution.max(axis=1, keepdims=True)
    lowest: Array = np.where(best, worth, np.inf).min(axis=1)
    return np.where(np.isnan(distribution).any(axis=1), np.nan, lowest)

"""What a design can see, and what it would take to see more."""

from __future__ import annotations

import numpy as np
from scipy import special

from evenhand.stats.types import Floats

EQUIVALENCE_QUANTILES = float(special.ndtri(0.95) + special.ndtri(0.90))
"""A 90 % interval that fits within ±δ with 80 % power when the gap is zero: 2.93 standard errors."""


def smallest_visible_gap(
    standard_error: Floats, degrees_of_freedom: Floats, *, alpha: float, power: float = 0.8
) -> Floats:
    """The gap that a two-sided test of that level finds with that power; 0 where there is no variance."""
    certain = standard_error == 0
    df = np.where(certain, 1.0, degrees_of_freedom)
    quantiles = special.stdtrit(df, 1 - alpha / 2) + special.stdtrit(df, power)
    return np.where(certain, 0.0, quantiles * standard_error)


def persons_to_settle(persons: Floats, variance: Floats, *, delta: Floats, per_group: float) -> Floats:
    """How many persons a group would show a gap of zero to lie within ±δ, with 80 % power.

    Only the persons' part of the variance shrinks with more persons: NaN where the rest alone is too much.

    With a person sd of 0.03 and 20 names a group, for ±0.02 (the variance of a difference of two means):

    >>> variance = np.array([2 * 0.03**2 / 20])
    >>> persons_to_settle(variance, variance, delta=np.array([0.02]), per_group=20)
    array([39.])
    """
    allowed = (delta / EQUIVALENCE_QUANTILES) ** 2 - (variance - persons)
    needed = np.divide(persons * per_group, allowed, out=np.full(persons.shape, np.nan), where=allowed > 0)
    # Less than rounding above a whole number is that whole number.
    whole: Floats = np.ceil(needed - 1e-9)
    return whole

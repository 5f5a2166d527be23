"""What a design can see, and what it would take to see more."""

from __future__ import annotations

import numpy as np
from scipy import special

from evenhand.stats.types import Floats

FEWEST_PERSONS = 5
"""With fewer than five persons a group, how persons vary cannot be seen, whatever a formula says."""


def smallest_visible_gap(
    standard_error: Floats, degrees_of_freedom: Floats, *, alpha: float, power: float = 0.8
) -> Floats:
    """The gap that a two-sided test of that level finds with that power; NaN where there is no variance to go by.

    By the noncentral t distribution, as the usual sum of two quantiles promises too much at few degrees of freedom.
    """
    known = (standard_error > 0) & (degrees_of_freedom >= 1)
    df = np.where(known, degrees_of_freedom, 1.0)
    critical = special.stdtrit(df, 1 - alpha / 2)
    shift = special.nctdtrinc(df, 1 - power, critical)
    return np.where(known, shift * standard_error, np.nan)


def persons_to_settle(persons: Floats, rest: Floats, *, delta: Floats, per_group: float, alpha: float = 0.05) -> Floats:
    """How many persons a group would show a gap of zero to lie within ±δ, four times in five; at least five.

    The interval of level 1 − 2α fits within ±δ with 80 % power when δ is z(1−α) + z(0.9) standard errors: 2.93 at
    α = 0.05. Only the persons' part of the variance shrinks with more persons: NaN where the rest alone is too much,
    and where persons do not vary at all, so that nothing is known about how they might.

    With a person sd of 0.03 and 20 names a group, for ±0.02 (the variance of a difference of two means):

    >>> persons_to_settle(np.array([2 * 0.03**2 / 20]), np.zeros(1), delta=np.array([0.02]), per_group=20)
    array([39.])
    """
    quantiles = float(special.ndtri(1 - alpha) + special.ndtri(0.9))
    allowed = (delta / quantiles) ** 2 - rest
    known = (allowed > 0) & (persons > 0)
    needed = np.divide(persons * per_group, allowed, out=np.full(persons.shape, np.nan), where=known)
    # Less than rounding above a whole number is that whole number.
    whole: Floats = np.maximum(np.ceil(needed - 1e-9), FEWEST_PERSONS)
    return whole

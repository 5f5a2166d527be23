"""What a design can see, and what it would take to see more."""

from __future__ import annotations

import numpy as np
from scipy import special

from evenhand.stats.types import Floats

FEWEST_PERSONS = 5
"""With fewer than five persons a group, how persons vary cannot be seen, whatever a formula says."""
POWER = 0.8
FARTHEST = 2.5
BISECTIONS = 60


def smallest_visible_gap(
    standard_error: Floats, degrees_of_freedom: Floats, *, alpha: float | Floats, power: float = POWER
) -> Floats:
    """The gap that a two-sided test of that level finds with that power; NaN where there is no variance to go by.

    By the noncentral t distribution, as the usual sum of two quantiles promises too much at few degrees of freedom.
    """
    known = (standard_error > 0) & (degrees_of_freedom >= 1)
    df = np.where(known, degrees_of_freedom, 1.0)
    critical = special.stdtrit(df, 1 - alpha / 2)
    shift = special.nctdtrinc(df, 1 - power, critical)
    return np.where(known, shift * standard_error, np.nan)


def persons_to_settle(
    persons: Floats,
    rest: Floats,
    *,
    delta: Floats,
    per_group: float,
    alpha: float = 0.05,
    gap: Floats | None = None,
    test_alpha: float | Floats | None = None,
    groups: int = 2,
    power: float = POWER,
) -> Floats:
    """How many persons a group would reach a verdict four times in five (or with another `power`); at least five.

    A gap of zero (or of `gap`, if that is within ±δ) is then shown to lie within ±δ by the interval of level 1 − 2α; a
    larger one is shown to be there by a test of level `test_alpha`, or either is, whichever takes fewer. Only the
    persons' part of the variance shrinks with more persons: NaN where the rest alone is too much, and where persons do
    not vary at all, so that nothing is known about how they might. A verdict must also stand without its most
    influential person, which takes a few more. Of several `groups`, one is compared with the mean of the others.

    With a person sd of 0.03 and 20 names a group, for ±0.02 and ±0.01 (the variance of a difference of two means). By
    the usual formula, 2·(2.93·sd/δ)², it would be 39 and 155:

    >>> persons_to_settle(np.full(2, 2 * 0.03**2 / 20), np.zeros(2), delta=np.array([0.02, 0.01]), per_group=20)
    array([ 46., 169.])
    """
    true = np.zeros_like(delta) if gap is None else np.abs(gap)
    level = alpha if test_alpha is None else test_alpha
    error_if_small, error_if_large = _errors(true, delta, alpha=alpha, test_alpha=level, power=power)
    small = error_if_small >= error_if_large
    error, margin = np.where(small, error_if_small, error_if_large), np.where(small, delta - true, true)
    total = persons * per_group
    known = (error > 0) & (error**2 > rest) & (persons > 0)
    # The variance is that of one group's mean and of a mean of the others'.
    of_one = total * (groups - 1) / groups
    share = _largest_share(
        np.where(known, total, 1.0),
        np.where(known, rest, 0.0),
        np.where(known, error, 1.0),
        margin,
        person=np.sqrt(np.where(known, of_one, 1.0)),
    )
    needed = np.divide(1, share, out=np.full(persons.shape, np.nan), where=known)
    # Less than rounding above a whole number is that whole number.
    whole: Floats = np.maximum(np.ceil(needed - 1e-6), FEWEST_PERSONS)
    return whole


def largest_error(
    gap: Floats, delta: Floats, *, alpha: float, test_alpha: float | Floats, power: float = POWER
) -> Floats:
    """The largest standard error with which a gap of that size comes to a verdict with that power, be it that it is
    small or that it is there.

    >>> largest_error(np.array([0.0, 0.04]), np.full(2, 0.02), alpha=0.05, test_alpha=0.05).round(5)
    array([0.00683, 0.01428])
    """
    return np.maximum(*_errors(np.abs(gap), delta, alpha=alpha, test_alpha=test_alpha, power=power))


def _errors(
    gap: Floats, delta: Floats, *, alpha: float, test_alpha: float | Floats, power: float
) -> tuple[Floats, Floats]:
    """To show that it is small, and to show that it is there."""
    if_large = gap / (special.ndtri(1 - np.asarray(test_alpha) / 2) + special.ndtri(power))
    return _error_for_equivalence(gap, delta, alpha, power), if_large


def _error_for_equivalence(gap: Floats, delta: Floats, alpha: float, goal: float) -> Floats:
    """The largest standard error with which a gap of that size is shown to lie within ±δ with that power; 0 where it
    lies outside."""
    quantile = float(special.ndtri(1 - alpha))

    def power(error: Floats) -> Floats:
        return np.asarray(
            special.ndtr((delta - gap) / error - quantile) + special.ndtr((delta + gap) / error - quantile) - 1
        )

    low, high = np.full(gap.shape, 1e-9) * delta, delta.copy()
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        enough = power(middle) >= goal
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return np.where(gap < delta, low, 0.0)


def _largest_share(total: Floats, rest: Floats, error: Floats, margin: Floats, *, person: Floats) -> Floats:
    """The largest 1/n for which the standard error fits, with room for leaving out the person with most influence.

    Among n persons the one farthest out lies about 2.5 standard deviations (`person`) away, and moves the gap by that
    over n.
    """
    low, high = np.zeros_like(total), error**2 / total
    per_error = margin / error
    influence = FARTHEST * person
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        fits = per_error * np.sqrt(total * middle + rest) + influence * middle <= margin
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return np.maximum(low, np.finfo(np.float64).tiny)

"""One look at data that are still coming in: what is settled, what holds at any stop, what never will be settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from evenhand.stats.types import Bools, Floats

Outcome = Literal["equivalent", "different", "open"]


@dataclass(frozen=True)
class Look:
    """What one look says about each question."""

    equivalent: Bools
    different: Bools
    low: Floats
    high: Floats
    """The repeated interval: it holds the truth at this look and at all others at once. NaN where `undefined`."""
    undefined: Bools
    """Where nothing varies, or too little is known about what does: the question stays open, whatever the estimate."""

    @property
    def open(self) -> Bools:
        """What takes more data."""
        return ~(self.equivalent | self.different)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The same in words, question by question."""
        return tuple(
            "equivalent" if small else "different" if large else "open"
            for small, large in zip(self.equivalent.tolist(), self.different.tolist(), strict=True)
        )


def look(
    estimate: Floats,
    standard_error: Floats,
    *,
    degrees_of_freedom: Floats,
    delta: Floats,
    difference_level: float | Floats,
    equivalence_level: float | Floats,
    persons_vary: Bools,
    steady: Bools | None = None,
) -> Look:
    """Judge every question by the data so far, at the levels that this look may spend.

    Equivalent comes first: |estimate| + t(1 − `equivalence_level`)·SE ≤ δ, one-sided, and persons were seen to vary;
    where nobody reacts, nothing is known about those not asked. Then different: |estimate| > t(1 −
    `difference_level`/2)·SE, two-sided. Whatever is not `steady` (it hangs on one person or template) stays open, too.
    Without variance or without a degree of freedom everything is undefined and stays open: a gap that is the same for
    everybody is for a test by relabelling.

    >>> seen = look(
    ...     np.array([0.001, 0.030, 0.010, 0.0]),
    ...     np.array([0.005, 0.005, 0.010, 0.0]),
    ...     degrees_of_freedom=np.array([36.0, 36.0, 36.0, np.nan]),
    ...     delta=np.full(4, 0.02),
    ...     difference_level=0.0127,
    ...     equivalence_level=0.0132,
    ...     persons_vary=np.array([True, True, True, False]),
    ... )
    >>> seen.outcomes
    ('equivalent', 'different', 'open', 'open')
    >>> seen.low.round(3), seen.high.round(3)
    (array([-0.012,  0.017, -0.016,    nan]), array([0.014, 0.043, 0.036,   nan]))
    """
    defined = np.isfinite(estimate) & (standard_error > 0) & (degrees_of_freedom >= 1)
    df = np.where(defined, degrees_of_freedom, 1.0)
    error = np.where(defined, standard_error, np.nan)
    margin = special.stdtrit(df, 1 - np.asarray(difference_level) / 2) * error
    bound = np.abs(estimate) + special.stdtrit(df, 1 - np.asarray(equivalence_level)) * error
    decided = defined if steady is None else defined & steady
    equivalent = np.asarray(decided & persons_vary & (bound <= delta))
    return Look(
        equivalent=equivalent,
        different=np.asarray(decided & ~equivalent & (np.abs(estimate) > margin)),
        low=np.asarray(estimate - margin),
        high=np.asarray(estimate + margin),
        undefined=np.asarray(~defined),
    )


def hopeless(
    rest_variance: Floats, degrees_of_freedom: Floats, *, delta: Floats, equivalence_level: float | Floats
) -> Bools:
    """Where no number of names would show that a gap is small: templates and words (`rest_variance`) vary too much.

    At the level of the last look, t(1 − `equivalence_level`)·√`rest_variance` ≥ δ. What is unknown is not hopeless.

    >>> hopeless(
    ...     np.array([0.0, 0.00005, 0.0002]), np.full(3, 8.0), delta=np.full(3, 0.02), equivalence_level=0.0252
    ... )
    array([False, False,  True])
    """
    return np.asarray(_reach(rest_variance, degrees_of_freedom, 1 - np.asarray(equivalence_level)) >= delta)


def out_of_reach(
    estimate: Floats, rest_variance: Floats, degrees_of_freedom: Floats, *, difference_level: float | Floats
) -> Bools:
    """Where no number of names would show that a gap as large as this estimate is there, for the same reason.

    A question that is `hopeless` may still find a difference; names alone will not settle what is both.

    >>> out_of_reach(np.array([0.02, 0.05]), np.full(2, 0.0002), np.full(2, 8.0), difference_level=0.0229)
    array([ True, False])
    """
    reach = _reach(rest_variance, degrees_of_freedom, 1 - np.asarray(difference_level) / 2)
    return np.asarray(np.abs(estimate) <= reach)


def _reach(variance: Floats, degrees_of_freedom: Floats, probability: Floats) -> Floats:
    """How far the interval would extend if names did not vary; NaN where that is unknown or nothing else varies."""
    known = (variance > 0) & (degrees_of_freedom >= 1)
    quantile = special.stdtrit(np.where(known, degrees_of_freedom, 1.0), probability)
    return np.asarray(quantile * np.sqrt(np.where(known, variance, np.nan)))

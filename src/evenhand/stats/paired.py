"""The published test: a paired t-test over all differences, for every system at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.stats.types import ROUNDING, Bools, Floats


@dataclass(frozen=True)
class PairedTest:
    """One number per column of differences; NaN where undefined.

    `identical`: no difference exceeds rounding, so p is 1 and t has no value. `constant`: all differences are the same
    and not zero, so there is no variance to test against; p is 0 and t has no value.
    """

    n: int
    mean: Floats
    standard_error: Floats
    t: Floats
    p: Floats
    low: Floats
    high: Floats
    spread: Floats
    """Largest minus smallest difference (the paper's Δ-spread)."""
    largest: Floats
    """The largest difference, whatever its sign."""
    mean_positive: Floats
    mean_negative: Floats
    share_positive: Floats
    share_negative: Floats
    identical: Bools
    constant: Bools


def paired_test(differences: Floats, *, scale: Floats, level: float = 0.95) -> PairedTest:
    """Test whether the mean of each column is zero; `scale` is each column's range, to tell rounding from findings.

    >>> test = paired_test(np.array([[1.0], [2.0], [3.0], [-2.0]]), scale=np.ones(1))
    >>> round(float(test.t[0]), 4), round(float(test.p[0]), 4), float(test.spread[0]), float(test.mean_positive[0])
    (0.9258, 0.4228, 5.0, 2.0)
    """
    n = len(differences)
    if n < 2:
        raise ValueError("a paired test needs two differences")
    tolerance = ROUNDING * scale
    low, high = differences.min(axis=0), differences.max(axis=0)
    identical = np.maximum(np.abs(low), np.abs(high)) <= tolerance
    constant = (high - low <= tolerance) & ~identical
    flat = identical | constant
    mean = differences.mean(axis=0)
    # Differences that cancel exactly leave a mean of rounding, and a sign that means nothing.
    mean = np.where(np.abs(mean) <= tolerance, 0.0, mean)
    error = np.where(flat, 0.0, differences.std(axis=0, ddof=1) / np.sqrt(n))
    t = np.divide(mean, error, out=np.full_like(mean, np.nan), where=~flat)
    p = np.where(identical, 1.0, np.where(constant, 0.0, 2 * special.stdtr(n - 1, -np.abs(t))))
    margin = float(special.stdtrit(n - 1, (1 + level) / 2)) * error
    positive, negative = differences > tolerance, differences < -tolerance
    return PairedTest(
        n=n,
        mean=mean,
        standard_error=error,
        t=t,
        p=p,
        low=mean - margin,
        high=mean + margin,
        spread=np.where(flat, 0.0, high - low),
        largest=np.where(identical, 0.0, np.maximum(np.abs(low), np.abs(high))),
        mean_positive=_mean_where(differences, positive),
        mean_negative=_mean_where(differences, negative),
        share_positive=positive.mean(axis=0),
        share_negative=negative.mean(axis=0),
        identical=identical,
        constant=constant,
    )


def _mean_where(values: Floats, chosen: Bools) -> Floats:
    counts = chosen.sum(axis=0)
    totals = np.where(chosen, values, 0.0).sum(axis=0)
    means: Floats = np.divide(totals, counts, out=np.full(totals.shape, np.nan), where=counts > 0)
    return means

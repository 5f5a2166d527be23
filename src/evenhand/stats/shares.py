"""Intervals of shares and of ratios of shares, from a variance that generalises over persons, templates and words."""

from __future__ import annotations

import numpy as np
from scipy import special

from evenhand.stats.types import Floats


def share_interval(
    share: Floats, variance: Floats, degrees_of_freedom: Floats, *, level: float
) -> tuple[Floats, Floats]:
    """On the scale of log odds, so that it stays between 0 and 1; NaN where a share is 0 or 1, or varies in nothing.

    The log odds of a share s with the variance v vary by v / (s·(1 − s))².

    >>> low, high = share_interval(np.array([0.5]), np.array([0.0025]), np.array([1e9]), level=0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.403], [0.597])
    """
    inside = (share > 0) & (share < 1)
    inner = np.where(inside, share, 0.5)
    margin = _margin(variance / (inner * (1 - inner)) ** 2, degrees_of_freedom, level)
    margin = np.where(inside, margin, np.nan)
    odds = special.logit(inner)
    return special.expit(odds - margin), special.expit(odds + margin)


def ratio_interval(
    ratio: Floats, variance: Floats, degrees_of_freedom: Floats, *, level: float
) -> tuple[Floats, Floats]:
    """On the log scale: `variance` is that of the ratio's logarithm. NaN where a ratio is 0 or varies in nothing.

    >>> low, high = ratio_interval(np.array([0.8]), np.array([0.01]), np.array([1e9]), level=0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.658], [0.973])
    """
    margin = np.where(ratio > 0, _margin(variance, degrees_of_freedom, level), np.nan)
    return ratio * np.exp(-margin), ratio * np.exp(margin)


def _margin(variance: Floats, degrees_of_freedom: Floats, level: float) -> Floats:
    known = (variance > 0) & (degrees_of_freedom >= 1)
    df = np.where(known, degrees_of_freedom, 1.0)
    return np.where(known, special.stdtrit(df, (1 + level) / 2) * np.sqrt(np.where(known, variance, 0.0)), np.nan)

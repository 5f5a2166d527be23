"""What each of several looks at growing data may cost: levels that add up to one error rate, and intervals for ever."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from evenhand.stats.types import Floats

CLOSEST = 1e-4
"""Looks nearer to each other than this are refused: they see the same data, and take ever finer integration."""
FARTHEST = 9.0
"""Standard deviations beyond which nothing is left to integrate, nor a threshold to be found."""
FEWEST_NODES = 40
NODES_PER_DEVIATION = 1.5
"""Nodes of the quadrature for each standard deviation of what one wave adds."""


def spent_levels(alpha: float, shares: Sequence[float], *, two_sided: bool = True) -> tuple[float, ...]:
    """The level to test at, look by look, so that all looks together raise no more false alarms than `alpha`.

    `shares` says how much of all planned data each look has, from the first to 1; by share t, t·alpha may be spent. An
    estimate that grows by independent waves moves like Brownian motion, so the chance to cross the threshold of a look
    and none before is an integral over where it stood at the look before (Armitage, McPherson and Rowe 1969); each
    threshold is the one that spends what is due (Lan and DeMets 1983). One look costs all of `alpha`.

    >>> [round(level, 4) for level in spent_levels(0.05, (0.2, 0.4, 0.6, 0.8, 1.0))]
    [0.01, 0.0127, 0.0159, 0.0193, 0.0229]
    >>> spent_levels(0.05, (1.0,))
    (0.05,)
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, and is {alpha}")
    if not len(shares) or not math.isclose(shares[-1], 1.0):
        raise ValueError("shares must end with 1: the last look has all of the data")
    steps = np.diff(shares, prepend=0.0)
    if not (steps >= CLOSEST).all():
        raise ValueError(f"shares must grow by {CLOSEST} or more from look to look, beginning above 0")
    return _levels(float(alpha), tuple(float(share) for share in shares), two_sided)


@lru_cache(maxsize=256)
def _levels(alpha: float, shares: tuple[float, ...], two_sided: bool) -> tuple[float, ...]:
    if len(shares) == 1:
        return (alpha,)
    steps = np.diff(shares, prepend=0.0)
    levels = []
    # Where the motion may stand, having crossed no threshold yet, and how much weight each place has.
    places, weights = np.zeros(1), np.ones(1)
    for number, (share, step) in enumerate(zip(shares, steps, strict=True)):
        threshold = _threshold(places, weights, step=step, share=share, cost=alpha * step, two_sided=two_sided)
        levels.append((2 if two_sided else 1) * float(special.ndtr(-threshold / math.sqrt(share))))
        if number + 1 < len(shares):
            low = -threshold if two_sided else -FARTHEST * math.sqrt(share)
            finest = math.sqrt(min(step, steps[number + 1]))
            nodes = max(FEWEST_NODES, math.ceil(NODES_PER_DEVIATION * (threshold - low) / finest))
            there, length = _gauss_legendre(nodes, low, threshold)
            weights = length * (_density(there[:, None] - places[None, :], step) @ weights)
            places = there
    return tuple(levels)


def _threshold(places: Floats, weights: Floats, *, step: float, share: float, cost: float, two_sided: bool) -> float:
    """Where the motion must stand after this step to have crossed, if that may happen with probability `cost`."""
    deviation = math.sqrt(step)

    def logarithm_over_cost(threshold: float) -> float:
        crossed = special.ndtr((places - threshold) / deviation)
        if two_sided:
            crossed = crossed + special.ndtr((-places - threshold) / deviation)
        return math.log(max(float(weights @ crossed), 1e-300) / cost)

    farthest = FARTHEST * math.sqrt(share)
    return float(optimize.brentq(logarithm_over_cost, 0.0 if two_sided else -farthest, 3 * farthest, xtol=1e-13))


def _density(distance: Floats, variance: float) -> Floats:
    return np.asarray(np.exp(-(distance**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance))


def _gauss_legendre(nodes: int, low: float, high: float) -> tuple[Floats, Floats]:
    """Places from low to high, and the length that each stands for."""
    places, lengths = _on_unit_interval(nodes)
    return low + (high - low) * places, (high - low) * lengths


@lru_cache(maxsize=64)
def _on_unit_interval(nodes: int) -> tuple[Floats, Floats]:
    places, lengths = special.roots_legendre(nodes)
    return np.asarray((places + 1) / 2), np.asarray(lengths / 2)


def anytime_radius(variance: Floats, n: npt.ArrayLike, *, alpha: float, c2: float = 8.0) -> Floats:
    """How far the truth may lie from the mean of n blocks, at whatever n one stops and however often one looked.

    `variance` is that of the blocks, with divisor n. A mean ± this radius holds the truth at all n at once with
    probability 1 − alpha, for normal blocks exactly (Wang and Ramdas 2023, after Lai 1976). `c2` says where it is
    narrowest: small values favour few blocks. With too few blocks the radius is infinite. It is undefined (NaN) where
    the blocks do not vary: that says nothing about blocks not asked for.

    >>> anytime_radius(np.array([0.0009, 0.0009, 0.0]), np.array([5, 50, 50]), alpha=0.05).round(4)
    array([   inf, 0.0136,    nan])
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, and is {alpha}")
    if not c2 > 0:
        raise ValueError(f"c2 must be positive, and is {c2}")
    blocks = np.asarray(n, dtype=np.float64)
    if (blocks < 1).any():
        raise ValueError("a mean needs a block")
    logarithm = np.log(alpha**2 * c2 / (blocks + c2)) / blocks
    over = -np.expm1(logarithm) * (blocks + c2)
    under = np.exp(logarithm) * (blocks + c2) - c2
    factor = np.divide(over, under, out=np.full(blocks.shape, np.inf), where=under > 0)
    known = np.asarray(variance, dtype=np.float64)
    return np.asarray(np.sqrt(np.where(known > 0, known, np.nan) * factor))

"""A permutation test over persons: signs flip within pairs, labels trade places within strata."""

from __future__ import annotations

import math

import numpy as np

from evenhand.stats.types import ROUNDING, Floats, Ints

CHUNK = 2_000


def permutation_p(
    unit_means: Floats, weights: Floats, *, block: Ints, scale: Floats, rng: np.random.Generator, draws: int = 9_999
) -> Floats:
    """The share of relabellings whose estimate is at least as far from zero, the observed one included.

    `weights @ unit_means` is the estimate. Units of one block may trade labels; a block of −1 marks pairs.
    """
    observed = np.abs(weights @ unit_means) - ROUNDING * scale
    extreme = np.ones(unit_means.shape[1])
    for start in range(0, draws, CHUNK):
        relabelled = _relabel(weights, block, min(CHUNK, draws - start), rng)
        extreme += (np.abs(relabelled @ unit_means) >= observed).sum(axis=0)
    return extreme / (draws + 1)


def fewest_relabellings(first: int, everybody: int) -> float:
    """The smallest p that swapping labels can give: one way to deal them in so many, and its mirror image.

    With two persons a side there are six ways, and two of them give so large a gap:

    >>> round(fewest_relabellings(2, 4), 3)
    0.333
    """
    return min(1.0, 2 / math.comb(everybody, first))


def _relabel(weights: Floats, block: Ints, draws: int, rng: np.random.Generator) -> Floats:
    table = np.tile(weights, (draws, 1))
    for number in np.unique(block):
        members = np.flatnonzero(block == number)
        if number < 0:
            table[:, members] *= rng.choice([-1.0, 1.0], size=(draws, len(members)))
        else:
            table[:, members] = rng.permuted(table[:, members], axis=1)
    return table

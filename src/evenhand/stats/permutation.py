"""A permutation test over persons: signs flip within pairs, labels trade places within strata."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from evenhand.stats.types import ROUNDING, Floats, Ints

CHUNK = 2_000
MOST_HELD = 20_000_000
"""So many weights of relabellings are held at a time."""
BYTE = 8
MOST_HELD = 20_000_000
"""So many weights of relabellings are held at a time."""
BYTE = 8
MOST_SUMS = 200_000
"""So many different sums are kept while ways to deal labels are counted; beyond that, ways are drawn."""
SAME = 1e-10
DIGITS = 12
"""Sums that agree in so many digits are one."""


def permutation_p(
    unit_means: Floats, weights: Floats, *, block: Ints, scale: Floats, rng: np.random.Generator, draws: int = 9_999
) -> Floats:
    """The share of relabellings whose estimate is at least as far from zero, the observed one included.

    `weights @ unit_means` is the estimate. Units of one block may trade labels; a block of −1 marks pairs.
    """
    observed = np.abs(weights @ unit_means) - ROUNDING * scale
    extreme = np.ones(unit_means.shape[1])
    many = len(weights) * CHUNK > MOST_HELD
    if many and (block < 0).all():
        drawn = _signs_flipped(weights[:, None] * unit_means, draws, rng)
        extreme += (np.abs(drawn) >= observed).sum(axis=0)
        return extreme / (draws + 1)
    chunk = max(1, MOST_HELD // len(weights)) if many else CHUNK
    for start in range(0, draws, chunk):
        relabelled = _relabel(weights, block, min(chunk, draws - start), rng)
        extreme += (np.abs(relabelled @ unit_means) >= observed).sum(axis=0)
    return extreme / (draws + 1)


def _signs_flipped(values: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """So many sums of values with signs drawn at random, for very many values: (draws, columns).

    Eight values have 256 ways to take signs: their sums are calculated once, and a random byte picks one of them.
    """
    ways = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    padded = np.concatenate([values, np.zeros((-len(values) % BYTE, values.shape[1]))])
    sums = np.zeros((draws, values.shape[1]))
    for eight in padded.reshape(-1, BYTE, values.shape[1]):
        sums += (ways @ eight)[rng.integers(0, 256, size=draws, dtype=np.uint8)]
    return sums


def dealt_share(values: Floats, weights: Floats, block: Ints) -> float:
    """The exact share of relabellings whose estimate is at least as far from zero: `permutation_p` without drawing.

    Made for few different values: where everybody in a group is treated alike, ways to deal the labels are counted by
    how many trade places. Where there are too many different sums to count, 9,999 ways are drawn.

    Two persons of 1 and two of 0: of six ways, two give so large a gap. With three of 0 there are ten, and one does:

    >>> values, block = np.array([1.0, 1.0, 0.0, 0.0, 0.0]), np.zeros(5, dtype=np.int64)
    >>> round(dealt_share(values[:4], np.array([0.5, 0.5, -0.5, -0.5]), block[:4]), 3)
    0.333
    >>> round(dealt_share(values, np.array([1 / 2, 1 / 2, -1 / 3, -1 / 3, -1 / 3]), block), 3)
    0.1
    """
    size = float(np.abs(weights * values).sum())
    if size == 0:
        return 1.0
    counts, shares = (np.round(of, DIGITS).tolist() for of in (weights, values / size))
    return _dealt_share(tuple(sorted(zip(block.tolist(), counts, shares, strict=True))))


@lru_cache(maxsize=256)
def _dealt_share(units: tuple[tuple[int, float, float], ...]) -> float:
    """By (block, weight, value) of each unit: whoever of those treated alike is left out, it is the same question."""
    block = np.array([one for one, _, _ in units])
    weights, values = np.array([one[1] for one in units]), np.array([one[2] for one in units])
    sums, shares = np.zeros(1), np.ones(1)
    for number in np.unique(block):
        members = np.flatnonzero(block == number)
        dealt = _flipped if number < 0 else _traded
        more = dealt(values[members], weights[members])
        if more is None or len(sums) * len(more[0]) > MOST_SUMS:
            rng = np.random.default_rng(0)
            drawn = permutation_p(values[:, None], weights, block=block, scale=np.ones(1), rng=rng)
            return float(drawn[0])
        sums, shares = _merged(np.add.outer(sums, more[0]).ravel(), np.outer(shares, more[1]).ravel())
    observed = abs(float(weights @ values))
    return float(shares[np.abs(sums) >= observed - SAME].sum())


_Sums = tuple[Floats, Floats]
"""What relabellings come to, each once, and in which share of them."""


def _merged(sums: Floats, shares: Floats) -> _Sums:
    rounded, place = np.unique(np.round(sums, DIGITS), return_inverse=True)
    return rounded, np.bincount(place.reshape(-1), weights=shares).astype(np.float64)


def _flipped(values: Floats, weights: Floats) -> _Sums | None:
    """Either sign for each pair."""
    sums, shares = np.zeros(1), np.ones(1)
    for one in values * weights:
        if 2 * len(sums) > MOST_SUMS:
            return None
        sums, shares = _merged(np.append(sums + one, sums - one), np.append(shares, shares) / 2)
    return sums, shares


def _traded(values: Floats, weights: Floats) -> _Sums | None:
    """Weights dealt to values: class by class of equal values, how many of each weight they get."""
    kinds, left = np.unique(np.round(weights, DIGITS), return_counts=True)
    classes, sizes = np.unique(np.round(values, DIGITS), return_counts=True)
    # By how many of each weight are left to deal: the sums so far, and their shares.
    states: dict[tuple[int, ...], _Sums] = {tuple(left.tolist()): (np.zeros(1), np.ones(1))}
    for value, size in zip(classes.tolist(), sizes.tolist(), strict=True):
        after: dict[tuple[int, ...], list[_Sums]] = {}
        held = 0
        for there, (sums, shares) in states.items():
            total = math.comb(sum(there), size)
            for taken in _takings(there, size):
                held += len(sums)
                if held > MOST_SUMS:  # asked at once: of many kinds of weights there are endless takings
                    return None
                chance = math.prod(map(math.comb, there, taken)) / total
                rest = tuple(have - take for have, take in zip(there, taken, strict=True))
                after.setdefault(rest, []).append((sums + value * float(kinds @ taken), shares * chance))
        states = {
            rest: _merged(np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found]))
            for rest, found in after.items()
        }
    (dealt,) = states.values()
    return dealt


def _takings(there: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """How many of each kind can be taken so that they are `size` together."""
    if len(there) == 1:
        if size <= there[0]:
            yield (size,)
        return
    for take in range(max(0, size - sum(there[1:])), min(there[0], size) + 1):
        yield from ((take, *others) for others in _takings(there[1:], size - take))


def _relabel(weights: Floats, block: Ints, draws: int, rng: np.random.Generator) -> Floats:
    table = np.tile(weights, (draws, 1))
    for number in np.unique(block):
        members = np.flatnonzero(block == number)
        if number < 0:
            table[:, members] *= rng.choice([-1.0, 1.0], size=(draws, len(members)))
        else:
            table[:, members] = rng.permuted(table[:, members], axis=1)
    return table

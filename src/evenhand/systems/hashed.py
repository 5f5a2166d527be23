"""Randomness by name: numbers that depend on a seed and a text alone, never on the order or the batch they come in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from evenhand.systems.base import Array

SCHEME = "blake2b-52bit-1"
"""Goes into fingerprints; change it whenever the same seed and text would give another number."""

CELLS = 2.0**52


def uniform(purpose: str, seed: int, keys: Iterable[str]) -> Array:
    """One number strictly between 0 and 1 per key; other purposes and seeds give unrelated numbers.

    52 bits and half a step keep both ends out, in exact arithmetic: a normal quantile of the result is always finite.

    >>> uniform("demo", 0, ["a", "b"]).round(3)
    array([0.953, 0.892])
    """
    start = hashlib.blake2b(f"{purpose}\0{seed}\0".encode(), digest_size=8)
    digests = bytearray()
    for key in keys:
        state = start.copy()
        state.update(key.encode())
        digests += state.digest()
    cells: Array = (np.frombuffer(digests, dtype="<u8") >> np.uint64(12)).astype(np.float64)
    return (cells + 0.5) / CELLS


def normal(purpose: str, seed: int, keys: Iterable[str]) -> Array:
    """One standard normal number per key."""
    from scipy.special import ndtri

    quantiles: Array = ndtri(uniform(purpose, seed, keys))
    return quantiles

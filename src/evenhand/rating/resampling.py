"""Drawing again: persons and words with replacement, so that a rating can say how sure it is."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from evenhand.rating.table import Block, Sample
from evenhand.stats.types import Floats, Ints

AT_ONCE = 4_000_000
"""At most so many weights are held at a time."""


class Draws:
    """Some replicates: how often each person (or row) and each word was drawn."""

    def __init__(self, units: Ints, words: Ints) -> None:
        self._units, self._words = units, words

    def weights(self, sample: Sample) -> Floats:
        """How often each row counts: replicates × rows. A sentence counts as often as its person times its word."""
        weights: Floats = (self._units[:, sample.units] * self._words[:, sample.words]).astype(np.float64)
        return weights


def draws(block: Block, system: str, *, replicates: int, seed: int) -> Iterator[Draws]:
    """All replicates for one system, some at a time: persons are drawn within their class, words within their dataset
    and emotion.

    They depend on the seed and on what this system was asked, so that systems that were asked the same are drawn
    together, and no other system changes anything. Sentences that went there and back are drawn as they were before;
    other data have draws of their own, so that two data sets do not seem to vary together.
    """
    samples = list(block.of(system))
    units = np.unique(np.concatenate([sample.units for sample in samples]))
    words = np.unique(np.concatenate([sample.words for sample in samples]))
    drawn_units, drawn_words = (_Drawn(strata, apart(block, seed)) for strata in (block.unit_strata, block.word_strata))
    longest = max(len(sample.sentiment) for sample in samples)
    for some in portions(replicates, max(longest, len(block.unit_strata))):
        yield Draws(drawn_units.often(units, some), drawn_words.often(words, some))


def apart(block: Block, seed: int) -> list[int]:
    """The seed for one data and group."""
    return [seed, zlib.crc32("\x1f".join(block.setting[name] or "" for name in ("data", "group")).encode())]


def portions(number: int, width: int) -> Iterator[int]:
    """So many replicates, in parts that fit into the memory."""
    size = max(1, AT_ONCE // max(width, 1))
    for start in range(0, number, size):
        yield min(size, number - start)


class _Drawn:
    """Units drawn within their strata; each stratum has random numbers of its own."""

    def __init__(self, strata: Sequence[str], seed: Sequence[int]) -> None:
        self._strata = np.array(strata, dtype=object)
        self._rngs = {name: np.random.default_rng([*seed, zlib.crc32(name.encode())]) for name in set(strata)}

    def often(self, members: Ints, replicates: int) -> Ints:
        """How often each unit is drawn, as many draws in a stratum as it has members."""
        counts = np.zeros((replicates, len(self._strata)), dtype=np.int64)
        for name in np.unique(self._strata[members]):
            mine = members[self._strata[members] == name]
            shares = np.full(len(mine), 1 / len(mine))
            counts[:, mine] = self._rngs[name].multinomial(len(mine), shares, size=replicates)
        return counts

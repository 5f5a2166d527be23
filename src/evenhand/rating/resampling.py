"""Drawing again: persons and words with replacement, so that a rating can say how sure it is."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

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


def draws(block: Block, *, replicates: int, seed: int) -> Iterator[Draws]:
    """All replicates, some at a time. Persons are drawn within their class, the same ones for all systems and datasets;
    words within their dataset and emotion. Sentences that went there and back are drawn as they were before; other data
    have draws of their own, so that two data sets do not seem to vary together."""
    apart = "\x1f".join(block.setting[name] or "" for name in ("data", "group"))
    rng = np.random.default_rng([seed, zlib.crc32(apart.encode())])
    longest = max(len(sample.sentiment) for sample in block.samples)
    size = max(1, AT_ONCE // max(longest, len(block.unit_strata)))
    for start in range(0, replicates, size):
        some = min(size, replicates - start)
        yield Draws(_drawn(block.unit_strata, some, rng), _drawn(block.word_strata, some, rng))


def _drawn(strata: Ints, replicates: int, rng: np.random.Generator) -> Ints:
    """How often each unit is drawn, as many draws in a stratum as it has units."""
    counts = np.zeros((replicates, len(strata)), dtype=np.int64)
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        counts[:, members] = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), size=replicates)
    return counts

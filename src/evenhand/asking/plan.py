"""The batch plan: which sentences are asked together, decided before anything is known about earlier runs.

A system's numbers may depend on what shares a batch, so the batch, not the sentence, is what is cached and resumed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.corpora.coded import Strings


@dataclass(frozen=True)
class Batch:
    """Sentences that are asked together; `rows` are their places in the plan's texts."""

    texts: Strings
    rows: slice
    key: str

    def draw_key(self, number: int) -> str:
        """The key of its answers when asked for the nth time.

        The first time it is the batch's own, so that who asks more often later begins with what is there.
        """
        return self.key if number == 1 else key_of([self.key, f"draw {number}"])


@dataclass(frozen=True)
class Plan:
    """The distinct texts in order, and the batches that cut them up."""

    texts: Strings
    batches: tuple[Batch, ...]

    def places_of(self, questions: pl.Series) -> npt.NDArray[np.int64]:
        """The place in the plan of each of the questions that it was made for: they are sorted here as they are there.

        >>> make_plan(["b", "c", "a", "b"], 2).places_of(pl.Series(["b", "c", "a", "b"])).tolist()
        [1, 2, 0, 1]
        """
        places = questions.rank("dense").cast(pl.Int64).to_numpy() - 1
        if places.max(initial=-1) + 1 != len(self.texts):
            raise ValueError("a plan for other questions")
        return places

    @cached_property
    def key(self) -> str:
        """A hash of the whole plan."""
        return key_of(batch.key for batch in self.batches)


def make_plan(texts: Iterable[str] | pl.Series, batch_size: int) -> Plan:
    """Sort the distinct texts and cut them into batches.

    >>> [batch.texts for batch in make_plan(["b", "c", "a", "b"], 2).batches]
    [('a', 'b'), ('c',)]
    """
    # By their bytes, which is the order of their characters.
    distinct = Strings(Strings(texts).column.unique().sort())
    starts = range(0, len(distinct), batch_size)
    return Plan(distinct, tuple(_batch(distinct[start : start + batch_size], start) for start in starts))


def _batch(texts: Strings, start: int) -> Batch:
    return Batch(texts, slice(start, start + len(texts)), key_of(texts))


def key_of(texts: Iterable[str]) -> str:
    """Hash texts in their order; each is preceded by its length, so that no two lists of texts look the same.

    >>> key_of(["ab", "c"]) == key_of(["a", "bc"])
    False
    """
    content = hashlib.sha256()
    for text in texts:
        encoded = text.encode()
        content.update(len(encoded).to_bytes(8, "little"))
        content.update(encoded)
    return content.hexdigest()

"""What is asked: columns of a corpus as numbers, and texts that become Python strings only when somebody looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, SupportsIndex, overload

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.corpora.corpus import Corpus
from evenhand.corpora.once import once
from evenhand.numbering import placed, renumbered

FEW = 50_000
"""So many rows are numbered faster one by one."""
PART = "part of a whole"

Codes = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]


class Strings(Sequence[str]):
    """Many short texts, held as a column: a Python string of each would take five times the memory."""

    __slots__ = ("_column", "_places")

    def __init__(self, texts: Iterable[str] | pl.Series, places: npt.NDArray[np.integer[Any]] | None = None) -> None:
        """Those of `texts` that are at these places, or all; they are gathered where somebody looks."""
        self._column = texts if isinstance(texts, pl.Series) else pl.Series(list(texts), dtype=pl.String)
        self._places = places

    @property
    def column(self) -> pl.Series:
        """The texts as a column."""
        if self._places is not None:
            self._column, self._places = self._column.gather(pl.Series(self._places)), None
        return self._column

    def at(self, places: npt.NDArray[np.integer[Any]]) -> Strings:
        """Those at these places, in this order."""
        return Strings(self._column, places if self._places is None else self._places[places])

    def __len__(self) -> int:
        return len(self._column if self._places is None else self._places)

    @overload
    def __getitem__(self, place: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Strings: ...
    def __getitem__(self, place: SupportsIndex | slice) -> str | Strings:
        if isinstance(place, slice):
            return Strings(self.column[place])
        at = place.__index__()
        text: str = self._column[at if self._places is None else int(self._places[at])]
        return text

    def __iter__(self) -> Iterator[str]:
        return iter(self.column.to_list() if len(self) < FEW else self.column)

    def __add__(self, other: Strings) -> Strings:
        if not len(self) or not len(other):
            return self if len(self) else other
        return Strings(pl.concat([self.column, other.column]))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Strings):
            return self.column.equals(other.column)
        return isinstance(other, tuple) and len(other) == len(self) and all(map(str.__eq__, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as numbers in order of appearance, −1 where it is empty, and the label of each number."""

    numbers: Codes
    labels: Strings

    @classmethod
    def of(cls, column: pl.Series) -> Self:
        """Number a column."""
        if column.dtype != pl.String:
            column = column.cast(pl.String)
        if len(column) < FEW:
            values = column.to_list()
            known = [value for value in dict.fromkeys(values) if value is not None]
            return cls(placed(values, known).astype(np.int32), Strings(pl.Series(known, dtype=pl.String)))
        found = column.drop_nulls().unique(maintain_order=True)
        numbers = column.cast(pl.Enum(found)).to_physical().cast(pl.Int32).fill_null(-1)
        return cls(numbers.to_numpy(), Strings(found))

    def at(self, rows: Rows) -> Coded:
        """Some of the rows, numbered anew in order of appearance."""
        numbers, places = renumbered(self.numbers[rows], len(self.labels))
        return Coded(numbers.astype(np.int32), self.labels.at(places))


def coded(corpus: Corpus, column: str) -> Coded:
    """A column of texts as numbers; of a part of a corpus, from those of the whole."""

    def made() -> Coded:
        part = once(corpus, PART, lambda: None)
        return Coded.of(corpus.frame[column]) if part is None else coded(part[0], column).at(part[1])

    return once(corpus, ("coded", column), made)


def note_part(part: Corpus, whole: Corpus, rows: Rows) -> None:
    """Say that a corpus has these rows of another one, whose columns need not be numbered again."""
    once(part, PART, lambda: (whole, rows))

"""Who stands on which side of each unit, held as numbers: a million texts are units of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

from evenhand.corpora.coded import Codes, Strings

Both = tuple[tuple[str, ...], tuple[str, ...]]
"""The persons of a unit on the first side, and those on the second."""


class Members(Sequence[Both]):
    """The persons of each unit by side, made into names where somebody looks."""

    def __init__(self, names: Strings, who: Codes, sizes: npt.NDArray[np.int64]) -> None:
        """`who` has the persons unit by unit, the first side before the second; `sizes` how many are on each side."""
        self._names, self._who, self._sizes = names, who, sizes

    @property
    def number(self) -> int:
        """How many persons there are; a pair is two."""
        return len(self._who)

    @property
    def on_each_side(self) -> tuple[int, int]:
        """How many persons are on the first side, and how many on the second."""
        first, second = self._sizes.sum(axis=0).tolist()
        return first, second

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
        return np.concatenate([[0], self._sizes.sum(axis=1).cumsum()])

    def __len__(self) -> int:
        return len(self._sizes)

    @overload
    def __getitem__(self, unit: int) -> Both: ...
    @overload
    def __getitem__(self, unit: slice) -> Members: ...
    def __getitem__(self, unit: int | slice) -> Both | Members:
        if isinstance(unit, slice):
            units = np.arange(len(self))[unit]
            who = [self._who[self._ends[one] : self._ends[one + 1]] for one in units]
            return Members(self._names, np.concatenate([self._who[:0], *who]), self._sizes[units])
        unit = range(len(self))[unit]
        names = tuple(self._names.at(self._who[self._ends[unit] : self._ends[unit + 1]]))
        first = int(self._sizes[unit, 0])
        return names[:first], names[first:]

    def __iter__(self) -> Iterator[Both]:
        names = iter(self._names.at(self._who))
        for first, second in self._sizes.tolist():
            yield tuple(next(names) for _ in range(first)), tuple(next(names) for _ in range(second))

    def __add__(self, other: Members) -> Members:
        who = np.concatenate([self._who, other._who + len(self._names)])
        return Members(self._names + other._names, who, np.concatenate([self._sizes, other._sizes]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Members, tuple)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

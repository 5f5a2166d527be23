"""Parts of a comparison: the levels of a column such as the emotion, and how each level's gap differs from the rest's.

Persons stand in all parts. Words belong to one part each, so they vary within it; templates run through all parts, so
that what a template does to the gap everywhere cancels out of a difference between parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OverCells:
    """A number made of a unit's values in the cells, and how it comes about by template, by word."""

    counts: Floats
    """What each cell counts."""
    groupings: tuple[tuple[Floats, Floats], ...]
    """What each cell counts in each group's number (cells, groups), and the share of each group; the groups' numbers,
    each times its share, add up to the number or to a part of it."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The levels of one column of the cells."""

    column: str
    levels: tuple[str, ...]
    of_cell: Ints
    """The level of each cell, −1 for none: sentences without a value, and levels with a single word, are left out."""
    sampled: tuple[Ints, ...]
    """For each column that was sampled (templates, words), the group of each cell."""

    @cached_property
    def each(self) -> tuple[tuple[OverCells, OverCells], ...]:
        """The gap and the difference of each level."""
        return tuple((self.gap(level), self.difference(level)) for level in range(len(self.levels)))

    def gap(self, level: int) -> OverCells:
        """The mean over the cells of one level, which varies with the level's templates and words."""
        here = self.of_cell == level
        return OverCells(here / here.sum(), self._within(level, self.sampled, share=1.0))

    def difference(self, level: int) -> OverCells:
        """The mean over the cells of one level, less that over the cells of all others."""
        here, elsewhere = self.of_cell == level, (self.of_cell >= 0) & (self.of_cell != level)
        counts = here / here.sum() - elsewhere / elsewhere.sum()
        groupings: list[tuple[Floats, Floats]] = []
        for group in self.sampled:
            if self._is_crossed(group):
                groupings.append(self._through(group, counts))
                continue
            for other in range(len(self.levels)):
                groupings += self._within(other, [group], share=counts[self.of_cell == other].sum())
        return OverCells(counts, tuple(groupings))

    def _is_crossed(self, group: Ints) -> bool:
        """Whether each group holds cells of every level, as templates do and words do not."""
        there = self.of_cell >= 0
        pairs = np.unique(np.stack([group[there], self.of_cell[there]]), axis=1)
        return bool(pairs.shape[1] == len(np.unique(group[there])) * len(self.levels))

    def _within(self, level: int, sampled: Sequence[Ints], *, share: float) -> tuple[tuple[Floats, Floats], ...]:
        """The means of the groups within a level, times a share; nothing is to be seen where there is a single one."""
        members = [_members(np.where(self.of_cell == level, group, -1)) for group in sampled]
        return tuple(
            (share * one / one.sum(axis=0), one.sum(axis=0) / one.sum()) for one in members if one.shape[1] > 1
        )

    def _through(self, group: Ints, counts: Floats) -> tuple[Floats, Floats]:
        """The difference in each group that runs through all levels; each level counts from its own mean, so that a
        group with more cells of one level than of others does not differ for that reason."""
        there = self.of_cell >= 0
        members = _members(np.where(there, group, -1))
        weights = members.sum(axis=0) / there.sum()
        own = members * counts[:, None]
        for level in range(len(self.levels)):
            here = self.of_cell == level
            own[here] -= own[here].mean(axis=0)
        return counts[:, None] + own / weights, weights


def parts_of(
    column: str, labels: Sequence[str], *, labelled: npt.NDArray[np.bool_], of_cell: Ints, sampled: Sequence[Ints]
) -> Parts | None:
    """The levels of a column that can be told apart from the rest; None where there are not two of them.

    A level with a single word says nothing about how words vary in it; where no level has two of them, the words are
    the levels themselves and nothing is sampled within.
    """
    kept = labelled.copy()
    for group in sampled:
        numbers = np.array([len(np.unique(group[of_cell == level])) for level in range(len(labels))])
        if (numbers[kept] > 1).any():
            kept &= numbers > 1
    if kept.sum() < 2:
        return None
    renumbered = np.where(kept, np.cumsum(kept) - 1, -1)
    return Parts(
        column,
        tuple(label for label, keep in zip(labels, kept, strict=True) if keep),
        renumbered[of_cell],
        tuple(sampled),
    )


def _members(group: Ints) -> Floats:
    """Which cells belong to each group that is there: (cells, groups); −1 belongs to none."""
    numbers = np.unique(group[group >= 0])
    return np.asarray(group[:, None] == numbers[None, :], dtype=np.float64)

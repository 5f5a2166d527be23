"""One number per row, by source and group: what the whole Cartesian product of terms comes to, in closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.metrics.shares import share
from evenhand.stats.types import Floats, Ints

MOST_KEPT = 1 << 18
"""How many numbers are put in order at a time; the order of no more than that is kept."""


@dataclass(frozen=True, eq=False)
class Block:
    """Sources with the same number of rows: their distribution functions between neighbouring numbers."""

    sources: Ints
    steps: Floats
    """(sources, rows − 1): from each number to the next one of its source."""
    below: Floats
    """(sources, rows − 1, columns): the share of each column's numbers that lie below that step."""


class Cells:
    """Numbers with a source and a column (a group, or a background). Rows come sorted by source, then by column.

    A tuple takes one number from each column of a source. What a comparison gives on average over all tuples of a
    source needs no enumeration: with F the distribution functions of two columns, E|X − Y| = ∫ F(1−G) + G(1−F), and
    E[max − min] = ∫ 1 − ΠF − Π(1−F). Both are sums over the steps between the source's sorted numbers.
    """

    def __init__(self, numbers: Floats, source: Ints, column: Ints, *, shape: tuple[int, int]) -> None:
        self.numbers = numbers
        self.source = source
        self.column = column
        self.shape = shape

    @cached_property
    def sizes(self) -> Ints:
        """(sources, columns): how many rows there are; made when it is asked for, as columns may be many."""
        cell = self.source * self.shape[1] + self.column
        return np.bincount(cell, minlength=self.shape[0] * self.shape[1]).reshape(self.shape)

    @cached_property
    def first(self) -> Ints:
        """Where each source's and column's rows begin."""
        return (np.cumsum(self.sizes) - self.sizes.ravel()).reshape(self.sizes.shape)

    def of(self, source: int, column: int) -> Floats:
        """The numbers of one source and column."""
        begin = self.first[source, column]
        return self.numbers[begin : begin + self.sizes[source, column]]

    @property
    def blocks(self) -> Iterator[Block]:
        """All sources that have rows."""
        return iter(self._kept_blocks if len(self.numbers) <= MOST_KEPT else self._made_blocks())

    @cached_property
    def _kept_blocks(self) -> list[Block]:
        return list(self._made_blocks())

    def _made_blocks(self) -> Iterator[Block]:
        rows = self.sizes.sum(axis=1)
        for number in np.unique(rows).tolist():
            alike = np.flatnonzero(rows == number)
            at_once = max(1, MOST_KEPT // max(number, 1))
            for start in range(0, len(alike) if number else 0, at_once):
                yield self._block(alike[start : start + at_once], number)

    def _block(self, sources: Ints, rows: int) -> Block:
        places = self.first[sources, 0][:, None] + np.arange(rows)
        order = np.argsort(self.numbers[places], axis=1, kind="stable")
        places = np.take_along_axis(places, order, axis=1)
        numbers, column = self.numbers[places], self.column[places[:, :-1]]
        counted = np.cumsum(column[:, :, None] == np.arange(self.sizes.shape[1]), axis=1, dtype=np.float64)
        return Block(sources, np.diff(numbers, axis=1), counted / np.maximum(self.sizes[sources], 1)[:, None, :])

    def _pairs(self, of_block: Callable[[Block], Floats]) -> Floats:
        """(sources, columns, columns); 0 where a column is missing, which `sizes` tells."""
        sources, columns = self.sizes.shape
        filled = np.zeros((sources, columns, columns))
        for block in self.blocks:
            filled[block.sources] = of_block(block)
        return filled

    def absolute(self) -> Floats:
        """E|X − Y| for every source and two columns."""

        def of_block(block: Block) -> Floats:
            below_first = (block.below * block.steps[:, :, None]).transpose(0, 2, 1) @ (1 - block.below)
            return below_first + below_first.transpose(0, 2, 1)

        return self._pairs(of_block)

    def difference(self) -> Floats:
        """E[X − Y] for every source and two columns: the first index's mean less the second's."""
        means = self.means()
        return means[:, :, None] - means[:, None, :]

    def wasserstein(self) -> Floats:
        """The Wasserstein-1 distance of the two columns' sets for every source."""

        def of_block(block: Block) -> Floats:
            columns = self.sizes.shape[1]
            areas = np.zeros((len(block.sources), columns, columns))
            for column in range(columns - 1):
                apart = np.abs(block.below[:, :, column + 1 :] - block.below[:, :, column, None])
                areas[:, column, column + 1 :] = np.einsum("sr,src->sc", block.steps, apart)
            return areas + areas.transpose(0, 2, 1)

        return self._pairs(of_block)

    def shares(self) -> Floats:
        """(sources, columns, distinct numbers): how much of a column each of the numbers takes. For labels."""
        _, label = np.unique(self.numbers, return_inverse=True)
        width = int(label.max(initial=0)) + 1
        cell = self.source * self.sizes.shape[1] + self.column
        counted = np.bincount(cell * width + label, minlength=self.sizes.size * width)
        shares: Floats = counted.reshape(*self.sizes.shape, width) / np.maximum(self.sizes, 1)[:, :, None]
        return shares

    def different(self) -> Floats:
        """P(X ≠ Y) for every source and two columns."""
        shares = self.shares()
        return 1 - shares @ shares.transpose(0, 2, 1)

    def spread(self, columns: Ints) -> Floats:
        """E[max − min] over the tuples of these columns, per source."""
        found = np.zeros(self.sizes.shape[0])
        for block in self.blocks:
            below = block.below[:, :, columns]
            inside = 1 - below.prod(axis=2) - (1 - below).prod(axis=2)
            found[block.sources] = (block.steps * inside).sum(axis=1)
        return found

    def not_all_equal(self, columns: Ints) -> Floats:
        """P(not all the same) over the tuples of these columns, per source."""
        return np.asarray(1 - self.shares()[:, columns].prod(axis=1).sum(axis=1), dtype=np.float64)

    def means(self) -> Floats:
        """(sources, columns); NaN where a column is missing."""
        cell = self.source * self.sizes.shape[1] + self.column
        sums = np.bincount(cell, weights=self.numbers, minlength=self.sizes.size).reshape(self.sizes.shape)
        return share(sums, self.sizes)

    def variances(self) -> Floats:
        """(sources, columns), with ddof 0; NaN where a column is missing."""
        means = self.means()
        cell = self.source * self.sizes.shape[1] + self.column
        squares = (self.numbers - means[self.source, self.column]) ** 2
        sums = np.bincount(cell, weights=squares, minlength=self.sizes.size).reshape(self.sizes.shape)
        return share(sums, self.sizes)

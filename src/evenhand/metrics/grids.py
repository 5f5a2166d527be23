"""Many numbers on a grid: what resamples and deals need of millions of rows, whose own order is looked at once only.

A cell of the grid holds as many of the numbers as any other. By lot (or term) and group, it knows how many numbers lie
in it and the area that they add to the distribution function there. So the area between two functions is exact but for
cells in which they cross, and a share of pairs but for pairs within a cell, which count as ties. What is left is taken
out by the distance that the grid gives to what the rows themselves give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.metrics.orders import Order
from evenhand.metrics.shares import share
from evenhand.stats.types import Floats, Ints

MOST_ORDERED = 20_000
"""Up to so many rows, every number is looked at in every resample and deal."""
MOST_CELLS, FEWEST_CELLS = 256, 64
MOST_HELD = 1 << 23
"""How many numbers a table may hold, unless even the fewest cells need more."""


def cells_for(rows: int, columns: int) -> int:
    """How fine a grid may be whose table has so many rows (lots or terms) and columns (groups)."""
    return max(FEWEST_CELLS, min(MOST_CELLS, MOST_HELD // max(1, rows * columns)))


@dataclass(frozen=True, eq=False)
class Held:
    """What sets hold in each cell: (resamples, sets, cells)."""

    numbers: Floats
    areas: Floats | None
    """None where only the order of numbers counts."""

    def changed(self, change: Callable[[Floats], Floats]) -> Held:
        """The same change to both."""
        return Held(change(self.numbers), None if self.areas is None else change(self.areas))


class Grid:
    """Where ordered numbers lie, in cells that hold the same number of them; the same number is in one cell."""

    def __init__(self, order: Order, cells: int) -> None:
        numbers = order.numbers
        places = np.linspace(0, len(numbers), cells, endpoint=False).astype(np.int64)
        left = np.unique(numbers[places])
        self.right: Floats = np.append(left[1:], numbers[-1])
        self.widths: Floats = self.right - left
        begins = np.searchsorted(numbers, left, side="left")
        self.cell: Ints = np.repeat(np.arange(len(left)), np.diff(np.append(begins, len(numbers))))
        self._areas = self.right[self.cell] - numbers

    def __len__(self) -> int:
        return len(self.widths)

    def held(
        self, row: Ints, column: Ints, *, rows: int, columns: int, areas: bool, chosen: Ints | slice = slice(None)
    ) -> Held:
        """(rows, columns, cells) of the ordered numbers, or of the chosen places among them."""
        place = (row * columns + column) * len(self) + self.cell[chosen]

        def summed(weights: Floats | None) -> Floats:
            found = np.bincount(place, weights=weights, minlength=rows * columns * len(self))
            return found.reshape(rows, columns, len(self)).astype(np.float64)

        return Held(summed(None), summed(self._areas[chosen]) if areas else None)

    def distribution(self, held: Held) -> Floats:
        """The area under the distribution function of each set, by cell; NaN where a set is empty."""
        below = np.cumsum(held.numbers, axis=-1)
        total = below[..., -1:].copy()
        below -= held.numbers
        below *= self.widths
        if held.areas is None:
            raise ValueError("what sets hold has no areas")
        below += held.areas
        below *= share(np.ones_like(total), total)
        return below


def weighted(weights: Floats, held: Held) -> Held:
    """What resamples hold: (resamples, rows) weights in."""
    return held.changed(lambda of: (weights @ of.reshape(len(of), -1)).reshape(len(weights), *of.shape[1:]))


def wasserstein(grid: Grid, first: Held, second: Held) -> Floats:
    """(resamples, sets): the area between the distribution functions."""
    return np.asarray(np.abs(grid.distribution(first) - grid.distribution(second)).sum(axis=-1), dtype=np.float64)


def wasserstein_moved(grid: Grid, first: Held, second: Held, before: tuple[Held, Held]) -> Floats:
    """The area between what resampling made of the gap between the functions and what it was `before`."""
    plain = grid.distribution(before[0]) - grid.distribution(before[1])
    moved = grid.distribution(first) - grid.distribution(second) - plain
    return np.asarray(np.abs(moved).sum(axis=-1), dtype=np.float64)


def share_above(first: Held, second: Held) -> Floats:
    """(resamples, sets): the share of pairs in which the second is higher; pairs within a cell count half."""
    no_larger = np.cumsum(second.numbers, axis=-1)
    total = no_larger[..., -1]
    above = total[..., None] - no_larger + second.numbers / 2
    return share((first.numbers * above).sum(axis=-1), first.numbers.sum(axis=-1) * total)


def equality_gap(grid: Grid, first: Held, second: Held) -> Floats:
    """½ − the share of pairs in which the second is higher."""
    return 0.5 - share_above(first, second)


def wins(first: Floats, second: Floats) -> Floats:
    """(rows, rows): how many pairs of numbers, given by cell, have the second above the first, ties half."""
    above = second.sum(axis=1, keepdims=True) - np.cumsum(second, axis=1) + second / 2
    return np.asarray(first @ above.T, dtype=np.float64)

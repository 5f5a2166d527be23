"""Sets of numbers against each other: Wasserstein distances and shares of pairs won, for many weightings at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evenhand.metrics.shares import share
from evenhand.stats.types import Floats, Ints


class Order:
    """Numbers in ascending order, with the places where equal ones begin and end."""

    def __init__(self, numbers: Floats) -> None:
        self.places: Ints = np.argsort(numbers, kind="stable")
        self.numbers: Floats = numbers[self.places]

    @cached_property
    def upto(self) -> Ints:
        """How many numbers are no larger than each, by its place; all but the last."""
        return np.arange(1, len(self.numbers))

    def plainly_between(self, first: Part, second: Part) -> Floats:
        """The one distribution function less the other, where all numbers weigh the same; found once for all
        resamples."""
        asked = id(first), id(second)
        if asked not in self._plain:  # the parts are kept, so that their identity cannot be given to others
            self._plain[asked] = first, second, Weighing(self, np.ones((1, len(self.numbers)))).between(first, second)
        return self._plain[asked][2]

    @cached_property
    def _plain(self) -> dict[tuple[int, int], tuple[Part, Part, Floats]]:
        return {}

    @cached_property
    def steps(self) -> Floats:
        """From each number to the next; the last has none."""
        return np.diff(self.numbers)

    @cached_property
    def ties(self) -> tuple[Ints, Ints]:
        """For each number, how many are smaller, and how many are no larger."""
        fresh = np.flatnonzero(np.concatenate([[True], self.steps > 0]))
        sizes = np.diff(np.append(fresh, len(self.numbers)))
        return np.repeat(fresh, sizes), np.repeat(fresh + sizes, sizes)


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the ordered numbers, by their places: these, without some of them."""

    members: Ints
    less: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    _among: dict[int, tuple[Ints, Ints, Ints]] = field(default_factory=dict, init=False, repr=False)
    _ties: dict[int, tuple[Order, Ints, Ints]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def places(self) -> Ints:
        """The places that are left."""
        return np.setdiff1d(self.members, self.less, assume_unique=True) if len(self.less) else self.members

    def among_first(self, number: Ints) -> tuple[Ints, Ints]:
        """How many members, and how many of those to do without, are among the first so many; found once for an array,
        which is the same for all resamples."""
        if id(number) not in self._among:  # the array is kept, so that its identity cannot be given to another
            self._among[id(number)] = (
                number,
                np.searchsorted(self.members, number),
                np.searchsorted(self.less, number),
            )
        return self._among[id(number)][1:]

    def ties(self, order: Order) -> tuple[Ints, Ints]:
        """For each number that is left, how many of all are smaller, and how many are no larger."""
        known = self._ties.get(id(order))
        if known is None:
            smaller, no_larger = (ends[self.places] for ends in order.ties)
            known = self._ties[id(order)] = order, smaller, no_larger
        return known[1:]

    def __len__(self) -> int:
        return len(self.members) - len(self.less)


class Weighing:
    """Ordered numbers with weights (resamples, numbers); sums over a set are made once for all that ask."""

    def __init__(self, order: Order, weights: Floats) -> None:
        self.order, self.weights = order, weights
        self._sums: dict[int, tuple[Ints, Floats]] = {}
        self._apart: tuple[Part, Part, Floats] | None = None
        self._behind: tuple[Part, Floats] | None = None

    def wasserstein(self, first: Part, second: Part) -> Floats:
        """The area between the two distribution functions; NaN where a set is empty."""
        return np.asarray(np.abs(self.between(first, second)) @ self.order.steps, dtype=np.float64)

    def wasserstein_moved(self, first: Part, second: Part) -> Floats:
        """The area between what the weights make of the gap between the two functions and what it is without them."""
        moved = self.between(first, second) - self.order.plainly_between(first, second)
        return np.asarray(np.abs(moved, out=moved) @ self.order.steps, dtype=np.float64)

    def share_above(self, first: Part, second: Part) -> Floats:
        """How many of the pairs (one number of each set) have the second above the first, ties half; NaN if empty."""
        places = first.places
        smaller, no_larger = first.ties(self.order)
        total = self._total(second)
        above = total[:, None] - (self._among_first(second, smaller) + self._among_first(second, no_larger)) / 2
        return share((self.weights[:, places] * above).sum(axis=1), self._total(first) * total)

    def equality_gap(self, first: Part, second: Part) -> Floats:
        """½ − share_above: positive where the first set is scored higher than the second."""
        return 0.5 - self.share_above(first, second)

    def between(self, first: Part, second: Part) -> Floats:
        """The one distribution function less the other; kept for what is asked next, as the second by itself is."""
        if self._apart is None or self._apart[0] is not first or self._apart[1] is not second:
            if self._behind is None or self._behind[0] is not second:
                self._behind = second, self._distribution(second)
            self._apart = first, second, self._distribution(first) - self._behind[1]
        return self._apart[2]

    def _distribution(self, part: Part) -> Floats:
        """The share of the set's weight that is no larger than each number but the last."""
        one = share(np.ones(len(self.weights)), self._total(part))[:, None]
        if not len(part.less):  # few members are multiplied sooner than many places
            return (self._cumulative(part.members) * one).take(part.among_first(self.order.upto)[0], axis=1)
        below = self._among_first(part, self.order.upto)
        below *= one
        return below

    def _among_first(self, part: Part, number: Ints) -> Floats:
        """The set's weight among the first so many numbers."""
        members, less = part.among_first(number)
        sums = self._cumulative(part.members).take(members, axis=1)
        return sums - self._cumulative(part.less).take(less, axis=1) if len(part.less) else sums

    @cached_property
    def _counts(self) -> Floats | Ints:
        """The weights as whole numbers, which they are in a bootstrap and which add up four times as fast."""
        counts = self.weights.astype(np.int64)
        return counts if (counts == self.weights).all() else self.weights

    def _total(self, part: Part) -> Floats:
        own = self._cumulative(part.members)[:, -1]
        return own - self._cumulative(part.less)[:, -1] if len(part.less) else own

    def _cumulative(self, members: Ints) -> Floats:
        # The members are kept beside their sums, so that their identity cannot be given to other ones.
        if id(members) not in self._sums:
            added = np.zeros((len(self.weights), len(members) + 1), dtype=self._counts.dtype)
            np.cumsum(self._counts[:, members], axis=1, out=added[:, 1:])
            sums = added.astype(np.float64, copy=False)
            self._sums[id(members)] = members, sums
        return self._sums[id(members)][1]

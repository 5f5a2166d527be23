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

    @property
    def places(self) -> Ints:
        """The places that are left."""
        return np.setdiff1d(self.members, self.less, assume_unique=True) if len(self.less) else self.members

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
        return np.asarray(np.abs(self._between(first, second)) @ self.order.steps, dtype=np.float64)

    def wasserstein_moved(self, first: Part, second: Part) -> Floats:
        """The area between what the weights make of the gap between the two functions and what it is without them."""
        plain = Weighing(self.order, np.ones((1, self.weights.shape[1])))
        moved = self._between(first, second) - plain._between(first, second)
        return np.asarray(np.abs(moved, out=moved) @ self.order.steps, dtype=np.float64)

    def share_above(self, first: Part, second: Part) -> Floats:
        """How many of the pairs (one number of each set) have the second above the first, ties half; NaN if empty."""
        places = first.places
        smaller, no_larger = (ends[places] for ends in self.order.ties)
        total = self._total(second)
        above = total[:, None] - (self._among_first(second, smaller) + self._among_first(second, no_larger)) / 2
        return share((self.weights[:, places] * above).sum(axis=1), self._total(first) * total)

    def equality_gap(self, first: Part, second: Part) -> Floats:
        """½ − share_above: positive where the first set is scored higher than the second."""
        return 0.5 - self.share_above(first, second)

    def _between(self, first: Part, second: Part) -> Floats:
        """The one distribution function less the other; kept for what is asked next, as the second by itself is."""
        if self._apart is None or self._apart[0] is not first or self._apart[1] is not second:
            if self._behind is None or self._behind[0] is not second:
                self._behind = second, self._distribution(second)
            self._apart = first, second, self._distribution(first) - self._behind[1]
        return self._apart[2]

    def _distribution(self, part: Part) -> Floats:
        """The share of the set's weight that is no larger than each number but the last."""
        below = self._among_first(part, np.arange(1, len(self.order.numbers)))
        below *= share(np.ones(len(below)), self._total(part))[:, None]
        return below

    def _among_first(self, part: Part, number: Ints) -> Floats:
        """The set's weight among the first so many numbers."""
        sums = self._cumulative(part.members).take(np.searchsorted(part.members, number), axis=1)
        if not len(part.less):
            return sums
        return sums - self._cumulative(part.less).take(np.searchsorted(part.less, number), axis=1)

    def _total(self, part: Part) -> Floats:
        own = self._cumulative(part.members)[:, -1]
        return own - self._cumulative(part.less)[:, -1] if len(part.less) else own

    def _cumulative(self, members: Ints) -> Floats:
        # The members are kept beside their sums, so that their identity cannot be given to other ones.
        if id(members) not in self._sums:
            sums = np.zeros((len(self.weights), len(members) + 1))
            np.cumsum(self.weights[:, members], axis=1, out=sums[:, 1:])
            self._sums[id(members)] = members, sums
        return self._sums[id(members)][1]

"""Terms dealt to groups at random: who would be in which group if the groups were only labels on terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.metrics.undefined import Undefined
from evenhand.stats.dealing import ways
from evenhand.stats.types import Floats, Ints

NO_TERMS = "no terms are given, so they cannot be dealt to other groups"
ONE_TERM_EACH = "each group has one term, so dealing terms to other groups changes nothing but names"


@dataclass(frozen=True, eq=False)
class Deals:
    """Which group each term is dealt to; groups keep their numbers of terms."""

    dealt: Ints
    """(deals, terms): codes of groups."""
    groups: int
    exact: bool
    """Whether these are all the deals that there are, the true one among them."""

    def __len__(self) -> int:
        return len(self.dealt)

    def parts(self, at_once: int) -> Iterator[Floats]:
        """(some deals, groups, terms): 1 where the term is in the group; so many deals at a time."""
        for start in range(0, len(self), max(1, at_once)):
            yield self._members[start : start + max(1, at_once)]

    @cached_property
    def _members(self) -> Floats:
        return members_of(self.dealt, self.groups)


def members_of(dealt: Ints, groups: int) -> Floats:
    """(deals, groups, terms): 1 where the term is in the group."""
    return np.asarray(dealt[:, None, :] == np.arange(groups)[:, None], dtype=np.float64)


def deals_of(group: Ints, terms: Sequence[str], *, draws: int, seed: int) -> Deals:
    """Deal terms, whose groups are given, `draws` times; every way once where there are no more ways than that.

    >>> deals_of(np.array([0, 0, 1]), ["Ann", "Eve", "Bob"], draws=500, seed=0).dealt.tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    if not any(terms):
        raise Undefined(NO_TERMS)
    sizes = np.bincount(group)
    if (sizes <= 1).all():
        raise Undefined(ONE_TERM_EACH)
    if ways(sizes.tolist()) <= draws:
        return Deals(np.array(list(_every_way(sizes.tolist()))), len(sizes), exact=True)
    rng = np.random.default_rng(seed)
    return Deals(rng.permuted(np.tile(group, (draws, 1)), axis=1), len(sizes), exact=False)


def _every_way(left: list[int]) -> Iterator[list[int]]:
    """Every order of the groups' codes, each as often as it has terms."""
    if not any(left):
        yield []
    for code, number in enumerate(left):
        if number:
            rest = [*left[:code], number - 1, *left[code + 1 :]]
            yield from ([code, *others] for others in _every_way(rest))

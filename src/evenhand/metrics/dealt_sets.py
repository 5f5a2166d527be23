"""Sets of numbers, dealt: distances between groups for many deals of their terms at once.

Members are (deals, groups, terms): how much a term counts in a group. Rows of a term go where it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from evenhand.metrics import tuples
from evenhand.metrics.shares import share
from evenhand.stats.types import Floats, Ints

if TYPE_CHECKING:
    from evenhand.metrics.cells import Cells
    from evenhand.metrics.orders import Order

Held = Callable[[Floats], Floats]
"""From what (deals, groups, …) hold to what each compared group, or its background, holds."""
AT_ONCE = 1 << 19
"""How many numbers are held at a time."""
IN_CACHE = 1 << 17
"""And where they are gone through several times."""
TUPLES = 64
"""So many tuples of terms a source are looked at in each deal where no closed form is known."""


def wasserstein(order: Order, term: Ints, members: Floats, own: Held, behind: Held) -> Floats:
    """(deals, compared groups): the area between the distributions of a group and of its background."""
    below = np.cumsum(members[:, :, term], axis=2)
    apart = own(below)
    apart *= _one_over(apart[..., -1:])
    second = behind(below)
    apart -= second * _one_over(second[..., -1:])
    np.abs(apart, out=apart)
    return apart[..., :-1] @ order.steps


def _one_over(total: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    return share(np.ones_like(total), total)


def equality_gap(order: Order, term: Ints, members: Floats, own: Held, behind: Held) -> Floats:
    """(deals, compared groups): ½ − the share of pairs in which the background is higher, ties half."""
    terms = members.shape[2]
    won = wins(order.numbers, term, order.numbers, term, terms=terms)
    number = np.bincount(term, minlength=terms).astype(np.float64)
    return 0.5 - share_above(won, (number, number), own(members), behind(members))


def wins(first: Floats, first_term: Ints, second: Floats, second_term: Ints, *, terms: int) -> Floats:
    """(terms, terms): how many pairs of rows, one of each term, have the second above the first, ties half."""
    won = np.zeros((terms, terms))
    for code in range(terms):
        rows = np.sort(second[second_term == code])
        above = 2 * len(rows) - np.searchsorted(rows, first, "left") - np.searchsorted(rows, first, "right")
        won[:, code] = np.bincount(first_term, weights=above / 2, minlength=terms)
    return won


def share_above(won: Floats, numbers: tuple[Floats, Floats], own: Floats, behind: Floats) -> Floats:
    """(deals, groups): the share of pairs that the background wins, given wins and numbers of rows by term."""
    pairs = (own @ numbers[0]) * (behind @ numbers[1])
    # One product of matrices, not one for each deal.
    won_by_own = (own.reshape(-1, own.shape[2]) @ won).reshape(own.shape)
    return share((won_by_own * behind).sum(axis=2), pairs)


def wasserstein_in_sources(cells: Cells, members: Floats, first: Ints, second: Ints) -> Floats:
    """(deals, sources, pairs): distances of the groups' sets in each source; NaN where it lacks one of the two."""
    found = np.full((len(members), len(cells.sizes), len(first)), np.nan)
    for sources, steps, below in _distributions(cells, members):
        for pair, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            apart = below[:, other] - below[:, one]
            np.abs(apart, out=apart)
            found[:, sources, pair] = np.einsum("dsr,sr->ds", apart, steps)
    return found


def spread_in_sources(cells: Cells, members: Floats, columns: Ints) -> Floats:
    """(deals, sources): E[max − min] over the tuples with one term of each group; NaN where one is lacking."""
    found = np.full((len(members), len(cells.sizes)), np.nan)
    for sources, steps, below in _distributions(cells, members):
        of_groups = below[:, columns]
        inside = 1 - of_groups.prod(axis=1) - (1 - of_groups).prod(axis=1)
        found[:, sources] = np.einsum("dsr,sr->ds", inside, steps)
    return found


def not_all_equal_in_sources(cells: Cells, members: Floats, columns: Ints) -> Floats:
    """(deals, sources): P(not all the same) over the tuples with one term of each group."""
    _, label = np.unique(cells.numbers, return_inverse=True)
    compared = np.ascontiguousarray(members[:, columns])
    every = by_term(cells.source, cells.column, shape=cells.sizes.shape)
    labelled = [
        by_term(cells.source[label == one], cells.column[label == one], shape=cells.sizes.shape)
        for one in range(int(label.max(initial=-1)) + 1)
    ]
    found = np.empty((len(members), len(cells.sizes)))
    at_once = max(1, AT_ONCE // max(1, compared.shape[0] * compared.shape[1]))
    for start in range(0, found.shape[1], at_once):
        part = slice(start, start + at_once)
        rows = dealt_to(every[part], compared)
        same = sum(share(dealt_to(of_label[part], compared), rows).prod(axis=1) for of_label in labelled)
        found[:, part] = 1 - same
    return found


def by_term(source: Ints, term: Ints, *, shape: tuple[int, int], amounts: Floats | None = None) -> sparse.csr_array:
    """Amounts (or numbers of rows) by source and term: few of the many pairs have any."""
    given = np.ones(len(source)) if amounts is None else amounts
    return sparse.csr_array((given, (source, term)), shape=shape)


def dealt_to(of_terms: sparse.csr_array, members: Floats) -> Floats:
    """(deals, groups, sources): what each group has in each source, of amounts by source and term."""
    deals, groups, terms = members.shape
    held = of_terms @ members.reshape(deals * groups, terms).T
    return np.asarray(held.T.reshape(deals, groups, -1), dtype=np.float64)


def deviation_in_sources(cells: Cells, members: Floats, columns: Ints) -> Floats:
    """(deals, sources): the standard deviation over a sample of the tuples, the same places in every deal.

    It needs sources that hold one row of every term. No closed form is known for it, as there is for the others.
    """
    deals, terms = len(members), members.shape[2]
    numbers = cells.numbers.reshape(-1, terms)
    sizes = members[0, columns].sum(axis=1).astype(np.int64)
    number = int(min(sizes.astype(np.float64).prod(), TUPLES))
    places = tuples.chosen_places(sizes, number, np.random.default_rng(0))
    # The terms of each group, one after the other: where the k-th term of a group stands.
    ordered = np.argsort(-members[:, columns], axis=2, kind="stable")
    chosen = np.stack([ordered[:, group, places[:, group]] for group in range(len(columns))], axis=2)
    found = np.empty((deals, len(numbers)))
    for source, row in enumerate(numbers):
        found[:, source] = row[chosen].std(axis=2).mean(axis=1)
    return found


def _distributions(cells: Cells, members: Floats) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Some sources with the same number of rows at a time: the steps between their numbers, (sources, steps), and
    (deals, groups, sources, steps) shares that lie below each."""
    rows = cells.sizes.sum(axis=1)
    starts = np.cumsum(rows) - rows
    for number in np.unique(rows[rows > 0]).tolist():
        alike = np.flatnonzero(rows == number)
        at_once = max(1, IN_CACHE // (members.shape[0] * members.shape[1] * number))
        for start in range(0, len(alike), at_once):
            sources = alike[start : start + at_once]
            places = starts[sources][:, None] + np.arange(number)
            places = np.take_along_axis(places, np.argsort(cells.numbers[places], axis=1, kind="stable"), axis=1)
            counted = np.cumsum(members[:, :, cells.column[places]], axis=3)
            counted *= _one_over(counted[..., -1:])
            yield sources, np.diff(cells.numbers[places], axis=1), counted[..., :-1]

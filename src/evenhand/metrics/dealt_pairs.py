"""Pairs of terms within sources, for deals of the terms: sources that hold the same terms are one kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from evenhand.metrics.cells import Cells
from evenhand.stats.types import Floats, Ints

MOST_HELD = 1 << 22
"""How many numbers are held while pairs are compared."""


@dataclass(frozen=True, eq=False)
class HeldAlike:
    """Kinds of sources with the same number of terms."""

    terms: Ints
    """(kinds, terms): which terms they hold."""
    sizes: Floats
    """How many rows of each."""
    sums: Floats
    """(kinds, terms, terms): what pairs of rows come to together, on average over the kind's sources."""
    times: Floats
    """How many sources are of the kind."""

    def parts(self, numbers: int) -> Iterator[HeldAlike]:
        """Some kinds at a time, that hold no more than so many terms together (one kind at least)."""
        at_once = max(1, numbers // self.terms.shape[1])
        for start in range(0, len(self.terms), at_once):
            part = slice(start, start + at_once)
            yield HeldAlike(self.terms[part], self.sizes[part], self.sums[part], self.times[part])


def held_alike(
    cells: Cells, expected_pairs: Callable[[Cells], Floats], source_of: Ints | None = None
) -> list[HeldAlike] | None:
    """All kinds, by the number of terms that they hold.

    `source_of` gives each position's source, where cells stand by position: a source counts once, as the mean of its
    positions that have rows. None where these do not hold the same terms.
    """
    held = cells.sizes > 0
    number = held.sum(axis=1)
    place = np.cumsum(held, axis=1) - 1
    if source_of is not None and _uneven(cells.sizes, source_of):
        return None
    return [
        _alike(_only(cells, np.flatnonzero(number == terms), place, int(terms)), expected_pairs, source_of)
        for terms in np.unique(number)
        if terms
    ]


def _uneven(sizes: Ints, source_of: Ints) -> bool:
    """Whether a source has positions that hold different terms."""
    used = np.flatnonzero(sizes.any(axis=1))
    _, begins, source = np.unique(source_of[used], return_index=True, return_inverse=True)
    return bool((sizes[used] != sizes[used][begins][source.reshape(-1)]).any())


@dataclass(frozen=True, eq=False)
class _Some:
    """Sources with the same number of terms; each calls its own terms 0, 1, …"""

    sources: Ints
    terms: Ints
    cells: Cells


def _only(cells: Cells, sources: Ints, place: Ints, terms: int) -> _Some:
    new = np.full(len(cells.sizes), -1)
    new[sources] = np.arange(len(sources))
    rows = np.flatnonzero(new[cells.source] >= 0)
    source, column = cells.source[rows], cells.column[rows]
    local = Cells(cells.numbers[rows], new[source], place[source, column], shape=(len(sources), terms))
    own = np.nonzero(cells.sizes[sources])[1].reshape(len(sources), terms)
    return _Some(sources, own, local)


def _alike(some: _Some, expected_pairs: Callable[[Cells], Floats], source_of: Ints | None) -> HeldAlike:
    sizes = some.cells.sizes
    terms, width = some.terms, sizes.shape[1]
    sources = np.arange(len(sizes)) if source_of is None else source_of[some.sources]
    kinds, first, kind = np.unique(np.hstack([terms, sizes]), axis=0, return_index=True, return_inverse=True)
    kind = kind.reshape(-1)
    # Positions of a source share what it counts for.
    _, of_source, number = np.unique(sources, return_inverse=True, return_counts=True)
    weight = 1 / number[of_source.reshape(-1)]
    times = np.bincount(kind, weights=weight, minlength=len(kinds)).astype(np.float64)
    sums = np.zeros((len(kinds), width, width))
    for part in _parts(some.cells):
        np.add.at(sums, kind[part], expected_pairs(_sliced(some.cells, part)) * weight[part, None, None])
    sizes_of_kind = sizes[first].astype(np.float64)
    sums *= sizes_of_kind[:, :, None] * sizes_of_kind[:, None, :] / times[:, None, None]
    return HeldAlike(kinds[:, :width], sizes_of_kind, sums, times)


def _parts(cells: Cells) -> Iterator[slice]:
    """Some sources at a time: what comparing their pairs holds is as large as their rows times their terms."""
    widest = int(cells.sizes.sum(axis=1).max()) * cells.sizes.shape[1]
    at_once = max(1, MOST_HELD // widest)
    yield from (slice(start, start + at_once) for start in range(0, len(cells.sizes), at_once))


def _sliced(cells: Cells, part: slice) -> Cells:
    if part.start == 0 and part.stop >= len(cells.sizes):
        return cells
    rows = slice(*np.searchsorted(cells.source, [part.start, part.stop]).tolist())
    shape = len(cells.sizes[part]), cells.sizes.shape[1]
    return Cells(cells.numbers[rows], cells.source[rows] - part.start, cells.column[rows], shape=shape)

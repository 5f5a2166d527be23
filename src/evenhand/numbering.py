"""Labels as whole numbers, for arrays that are indexed by them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from itertools import count, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

UNKNOWN = -1
"""The number of a label that is not known."""

SPARSE = 8
"""Numbers that are no more than so many times as many as the rows are looked up in a table rather than sorted."""

Ints = npt.NDArray[np.int64]


def numbered(labels: Iterable[Hashable]) -> Ints:
    """The same number for the same label, in order of appearance; None is a label too.

    >>> numbered(["b", "a", "b", None]).tolist()
    [0, 1, 0, 2]
    """
    places: defaultdict[Hashable, int] = defaultdict(count().__next__)
    return np.fromiter(map(places.__getitem__, labels), dtype=np.int64)


def placed(labels: Iterable[Hashable], known: Iterable[Hashable]) -> Ints:
    """The place of each label among those that are known, each of which stands there once; −1 for others.

    >>> placed(["b", "a", None], ["a", "b"]).tolist()
    [1, 0, -1]
    """
    places = {label: place for place, label in enumerate(known)}
    return np.fromiter(map(places.get, labels, repeat(UNKNOWN)), dtype=np.int64)


def pairs_numbered(first: npt.NDArray[np.integer[Any]], second: npt.NDArray[np.integer[Any]]) -> tuple[Ints, Ints]:
    """Every pair of two numbers that occurs, in ascending order (2, pairs), and the number of each row's pair.

    >>> pairs, of_row = pairs_numbered(np.array([1, 0, 1]), np.array([2, 5, 2]))
    >>> pairs.tolist(), of_row.tolist()
    ([[0, 1], [5, 2]], [1, 0, 1])
    """
    width = int(second.max(initial=0)) + 1
    key = first.astype(np.int64) * width + second
    span = int(key.max(initial=0)) + 1
    if span > SPARSE * len(key):
        found, of_row = np.unique(key, return_inverse=True)
    else:
        found = np.flatnonzero(np.bincount(key, minlength=span))
        place = np.empty(span, dtype=np.int64)
        place[found] = np.arange(len(found))
        of_row = place[key]
    return np.stack([found // width, found % width]).astype(np.int64), of_row.reshape(-1).astype(np.int64)


def alike(*columns: npt.NDArray[np.integer[Any]]) -> Ints:
    """A number for each row, the same for rows that agree in all of these columns of numbers; in ascending order.

    >>> alike(np.array([1, 0, 1]), np.array([5, 5, 2])).tolist()
    [2, 0, 1]
    """
    which = columns[0].astype(np.int64)
    for column in columns[1:]:
        _, which = pairs_numbered(which, column)
    return which


def renumbered(numbers: npt.NDArray[np.integer[Any]], known: int) -> tuple[Ints, Ints]:
    """Numbers below `known`, or −1, in order of appearance; and what each of the new numbers was before.

    >>> new, old = renumbered(np.array([5, -1, 3, 5]), 6)
    >>> new.tolist(), old.tolist()
    ([0, -1, 1, 0], [5, 3])
    """
    first = first_rows(numbers, known)
    there = np.flatnonzero(first < len(numbers))
    order = there[np.argsort(first[there], kind="stable")]
    place = np.full(known + 1, UNKNOWN, dtype=np.int64)  # the last is that of −1
    place[order] = np.arange(len(order))
    return place[numbers], order


def first_rows(numbers: npt.NDArray[np.integer[Any]], known: int) -> Ints:
    """The first row with each number below `known`; as many as there are rows where no row has it.

    >>> first_rows(np.array([2, -1, 0, 2]), 3).tolist()
    [2, 4, 0]
    """
    first = np.full(known + 1, len(numbers), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return first[:known]

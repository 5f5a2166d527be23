"""Which sentences can be compared: the same sentence about persons of the same kind, in every group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from evenhand.contrasts import EVERYBODY, PAIRED
from evenhand.numbering import Ints, numbered
from evenhand.repairs.rows import Labels, Rows
from evenhand.systems.base import Array

Bools = npt.NDArray[np.bool_]

COMPLETE = 0.9
"""The share of the sentences that must be left when strata that lack a group are dropped."""


def of_kind(rows: Rows, kind: str) -> Bools:
    """Which rows are about persons of a kind."""
    return np.ones(len(rows), dtype=bool) if kind == EVERYBODY else rows.paired == (kind == PAIRED)


def balanced_weights(rows: Rows, attribute: str, kind: str) -> Array:
    """What each row counts so that all groups are seen in the same sentences, whatever their size.

    Groups meet in strata: a source, a kind of persons and a crossing of the other attributes. Each group counts one in
    each stratum that holds all groups; rows of other strata, and rows without a group, count nothing. Where that would
    leave less than nine tenths of the rows, strata are put together: first over the other attributes, then over kinds,
    then over sources.
    """
    labels = rows.groups[attribute]
    there = np.flatnonzero(_known(labels) & of_kind(rows, kind))
    weights = np.zeros(len(rows))
    group = numbered(labels[there])
    for parts in _strata(rows, attribute):
        stratum = crossed(np.zeros_like(group), *(numbered(part[there]) for part in parts))
        cell = crossed(stratum, group)
        complete = _groups_in(stratum, cell) == len(np.unique(group))
        if not parts or complete.sum() >= COMPLETE * len(there):
            weights[there[complete]] = 1 / np.bincount(cell)[cell][complete]
            break
    return weights


def crossed_groups(rows: Rows) -> Ints:
    """The crossing of all attributes and the kind of person, as a number for each row."""
    return crossed(rows.paired.astype(np.int64), *(numbered(labels) for labels in rows.groups.values()))


def crossed(first: Ints, *others: Ints) -> Ints:
    """One number for each combination of numbers.

    >>> crossed(np.array([0, 0, 1, 1]), np.array([7, 8, 7, 7])).tolist()
    [0, 1, 2, 2]
    """
    together = first
    for part in others:
        together = np.unique(together * (part.max(initial=0) + 1) + part, return_inverse=True)[1].reshape(-1)
    return together


def parted(number: Ints) -> list[Ints]:
    """The rows of each number, in the order of the numbers.

    >>> [rows.tolist() for rows in parted(np.array([1, 0, 1]))]
    [[1], [0, 2]]
    """
    order = np.argsort(number, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)


def _known(labels: Labels) -> Bools:
    return np.array([label is not None for label in labels], dtype=bool)


def _strata(rows: Rows, attribute: str) -> Iterator[list[Labels]]:
    """What parts the rows, from the finest to nothing at all."""
    others = [labels for other, labels in rows.groups.items() if other != attribute]
    source = [] if rows.sources is None else [rows.sources]
    paired = rows.paired.astype(object)
    yield [*source, paired, *others]
    yield [*source, paired]
    yield source
    yield []


def _groups_in(stratum: Ints, cell: Ints) -> Ints:
    """For each row, how many groups its stratum holds."""
    _, first = np.unique(cell, return_index=True)
    return np.bincount(stratum[first], minlength=stratum.max(initial=0) + 1)[stratum]

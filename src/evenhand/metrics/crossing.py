"""Whether every term fills every source; if so, the terms' means by source (template, word) for the generalising test.

The same rule as in an audit: terms that are missing from more than a tenth of the sources are left out, and named; if
then fewer than nine tenths of the sources hold every term, the design is not crossed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from evenhand.numbering import numbered, pairs_numbered
from evenhand.stats.components import GroupedMeans
from evenhand.stats.types import Floats, Ints

PRESENT = 0.9
"""Who stands in fewer than this share of the sources is left out."""
COMPLETE = 0.9
"""The share of the sources that must hold every term."""
SOURCE = "source"


@dataclass(frozen=True)
class Sampled:
    """What a corpus knows about its sources and terms beyond their names."""

    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By column to generalise over (template, word): each source's label there."""
    families: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By group and term: the family of terms that a system may treat as one."""


@dataclass(frozen=True)
class Crossed:
    """Terms × sources without a hole."""

    groupings: tuple[GroupedMeans, ...]
    columns: tuple[str, ...]
    """What the sources are grouped by."""
    group: Ints
    """Each term's group."""
    family: Ints | None
    sources: int
    left_out: tuple[str, ...]
    """Terms that are missing from many sources."""


@dataclass(frozen=True)
class TermCells:
    """Sentences as numbers: the value, the source, and the term with its group."""

    values: Floats
    source: Ints
    term: Ints
    group: Ints
    """Of each term."""
    terms: tuple[str, ...]
    sources: tuple[str, ...]


def crossed(cells: TermCells, groups: tuple[str, ...], sampled: Sampled | None) -> Crossed | None:
    """The terms and sources that make a whole table; None where there are not enough of them."""
    there, _ = pairs_numbered(cells.term, cells.source)
    sources = np.unique(cells.source)
    kept = np.bincount(there[0], minlength=len(cells.terms)) >= PRESENT * len(sources)
    if len(np.unique(cells.group[kept])) < len(groups):
        return None
    holds = np.bincount(there[1][kept[there[0]]], minlength=int(sources.max()) + 1)
    complete = np.flatnonzero(holds == kept.sum())
    if len(complete) < max(2, COMPLETE * len(sources)):
        return None
    table = _table(cells, np.flatnonzero(kept), complete)
    columns = _columns([cells.sources[place] for place in complete], sampled)
    group, terms = cells.group[kept], [term for term, here in zip(cells.terms, kept, strict=True) if here]
    return Crossed(
        groupings=tuple(_grouped(table, labels) for labels in columns.values()),
        columns=tuple(columns),
        group=group,
        family=_families([(groups[code], term) for code, term in zip(group, terms, strict=True)], sampled),
        sources=len(complete),
        left_out=tuple(term for term, here in zip(cells.terms, kept, strict=True) if not here),
    )


def _table(cells: TermCells, terms: Ints, sources: Ints) -> Floats:
    """(terms, sources): the mean where a source has several sentences with a term."""
    row = np.full(len(cells.terms), -1)
    row[terms] = np.arange(len(terms))
    column = np.full(int(cells.source.max()) + 1, -1)
    column[sources] = np.arange(len(sources))
    here = (row[cells.term] >= 0) & (column[cells.source] >= 0)
    place = row[cells.term[here]] * len(sources) + column[cells.source[here]]
    size = len(terms) * len(sources)
    sums = np.bincount(place, weights=cells.values[here], minlength=size)
    return np.asarray((sums / np.bincount(place, minlength=size)).reshape(len(terms), len(sources)), dtype=np.float64)


def _columns(sources: list[str], sampled: Sampled | None) -> dict[str, Ints]:
    """What to generalise over, as a number for each source; columns that part them in the same way count once."""
    known = {} if sampled is None else sampled.columns
    made: dict[tuple[int, ...], str] = {}
    for column, labels in known.items():
        numbers = numbered([labels.get(source, f"({source})") for source in sources])
        made.setdefault(tuple(numbers.tolist()), column)
    if not made:
        return {SOURCE: np.arange(len(sources))}
    return {column: np.array(numbers, dtype=np.int64) for numbers, column in made.items()}


def _grouped(table: Floats, labels: Ints) -> GroupedMeans:
    sizes = np.bincount(labels)
    begins = np.cumsum(sizes) - sizes
    sums = np.add.reduceat(table[:, np.argsort(labels, kind="stable")], begins, axis=1)
    return GroupedMeans((sums / sizes)[:, :, None], sizes / sizes.sum())


def _families(units: list[tuple[str, str]], sampled: Sampled | None) -> Ints | None:
    if sampled is None or not sampled.families:
        return None
    return np.array(numbered([sampled.families.get(unit, f"alone {unit}") for unit in units]), dtype=np.int64)

"""Groups as they are, not against each other: every sentence counts once, and every person is a unit of their own.

A contrast pairs persons and weighs strata alike, so that only the person differs. A rate that stands beside counts (so
many of so many sentences) cannot do that. A level has one row: the mean over the sentences of a group, minus that over
the sentences of another, if two are given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.contrasts.build import PRESENT
from evenhand.contrasts.contrast import AVERAGE, Contrast, Floats, Ints, codes
from evenhand.contrasts.declare import groups_of
from evenhand.contrasts.members import Members
from evenhand.contrasts.sentences import called
from evenhand.corpora import Corpus
from evenhand.corpora.coded import Codes, Strings
from evenhand.corpora.families import families_of
from evenhand.corpora.once import once
from evenhand.numbering import numbered
from evenhand.settings import CROSS


def level(corpus: Corpus, attribute: str, groups: Sequence[str], *, subset: str = "all") -> Contrast:
    """One group, or the first of two minus the second, with every sentence counting once.

    >>> from evenhand.corpora import eec
    >>> level(eec(), "gender", ["female"]).n_persons
    30
    """
    return once(corpus, ("level", attribute, *groups, subset), lambda: _level(corpus, attribute, groups, subset))


def _level(corpus: Corpus, attribute: str, groups: Sequence[str], subset: str) -> Contrast:
    labels, known = groups_of(corpus, attribute)
    inside = corpus.mask(subset).to_numpy()
    sides = [np.flatnonzero((labels == known.index(group)) & inside) for group in groups]
    row = np.concatenate(sides)
    side = np.repeat(np.arange(len(sides)), [len(rows) for rows in sides])
    frame = corpus.frame[row]
    source, sources = codes(frame["source"].to_list())
    unit = numbered(list(zip(side.tolist(), frame["person"], strict=True)))
    _, first_of_unit = np.unique(unit, return_index=True)
    kept = ~_stray(source, unit, len(sources))
    unit_number = np.where(kept, np.cumsum(kept) - 1, -1)[unit]
    first_of_unit = first_of_unit[kept]
    stratum, coefficients = _strata(corpus, attribute, frame[first_of_unit], side[first_of_unit])
    persons = frame["person"][first_of_unit].to_list()
    family = families_of(frame, within=side.tolist())
    cell = _cells(source, unit_number, len(sources), int(kept.sum()))
    columns = list(dict.fromkeys(["source", *corpus.groupings, *corpus.slots]))
    cells = frame.select(columns).unique("source", keep="first", maintain_order=True).filter(pl.Series(cell >= 0))
    counts = np.where(side == 0, 1.0, -1.0) / np.array([len(rows) for rows in sides])[side]
    part = np.full(len(corpus), -1, dtype=np.int64)
    part[row] = 0
    return Contrast(
        attribute=attribute,
        first=groups[0],
        second=groups[1] if len(groups) > 1 else "",
        subset=subset,
        matrix=sparse.csr_array((counts, (np.zeros_like(row), row)), shape=(1, len(corpus))),
        comparisons=pl.DataFrame({"source": [AVERAGE], "label": [AVERAGE]}),
        units=Strings(persons),
        members=Members(
            Strings(persons),
            np.arange(len(persons), dtype=np.int32),
            np.stack([side[first_of_unit] == 0, side[first_of_unit] > 0], axis=1).astype(np.int64),
        ),
        stratum=stratum,
        coefficients=coefficients,
        block=stratum,
        cells=cells,
        entries=_entries(unit_number, cell[source], row),
        groupings=corpus.groupings,
        n_sources=len(sources),
        left_out=tuple(dict.fromkeys(frame["person"].filter(pl.Series(~kept[unit])))),
        called=called(corpus, row),
        family=numbered([family.get(one, one) for one in zip(side[first_of_unit].tolist(), persons, strict=True)]),
        part=part,
    )


def _stray(source: Ints, unit: Ints, sources: int) -> npt.NDArray[np.bool_]:
    """Who is missing from so many sources that they would take those with them."""
    here = np.unique(np.stack([source, unit]), axis=1)
    stray = np.bincount(here[1]) < PRESENT * sources
    return np.zeros_like(stray) if stray.all() else stray


def _strata(corpus: Corpus, attribute: str, persons: pl.DataFrame, side: Ints) -> tuple[Ints, Floats]:
    """Persons who agree in everything that the corpus was designed by; a side as a whole where some are alone in that.

    How many there are of each kind is no accident, so that only how they differ within a kind makes a rate uncertain.
    """
    others = [name for name in corpus.attributes if name not in attribute.split(CROSS)]
    paired = persons["pair"].is_not_null() if "pair" in persons.columns else [False] * persons.height
    keys = list(zip(side.tolist(), paired, *(persons[name] for name in others), strict=True))
    stratum = numbered(keys)
    if np.bincount(stratum).min() < 2:
        stratum = numbered(side.tolist())
    sizes = np.bincount(stratum)
    side_of = np.array([side[stratum == number][0] for number in range(len(sizes))])
    return stratum, np.where(side_of == 0, 1.0, -1.0) * sizes / np.bincount(side)[side_of]


def _cells(source: Ints, unit: Ints, sources: int, units: int) -> Ints:
    """Each source's number among those that hold every unit; −1 for others."""
    seen = np.unique(np.stack([source, unit])[:, unit >= 0], axis=1)
    complete = np.bincount(seen[0], minlength=sources) == units
    return np.where(complete, np.cumsum(complete) - 1, -1)


def _entries(unit: Ints, cell: Ints, row: Ints) -> tuple[Codes, Codes, Codes, Floats]:
    """Several sentences about a person in one source count as their mean."""
    kept = (unit >= 0) & (cell >= 0)
    unit, cell, row = unit[kept], cell[kept], row[kept]
    _, which, times = np.unique(np.stack([unit, cell]), axis=1, return_inverse=True, return_counts=True)
    value = 1.0 / times[which.reshape(-1)]
    return unit.astype(np.int32), cell.astype(np.int32), row.astype(np.int32), value

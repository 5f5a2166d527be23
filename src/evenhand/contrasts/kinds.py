"""Who is compared: everybody, or one kind of persons; and the contrasts of two kinds joined into one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from scipy import sparse

from evenhand.contrasts.contrast import Contrast, Floats, Ints
from evenhand.corpora import Corpus
from evenhand.corpora.coded import Codes, coded
from evenhand.numbering import placed

EVERYBODY, PAIRED, UNPAIRED = "everybody", "paired", "unpaired"
"""All persons; those who correspond one to one (this woman, this man); and those who do not (names)."""


def kinds_of(corpus: Corpus, attribute: str) -> tuple[str, ...]:
    """Both kinds of persons where the attribute has both; else nobody is told apart."""
    if "pair" not in corpus.frame.columns:
        return (EVERYBODY,)
    paired = coded(corpus, "pair").numbers[coded(corpus, attribute).numbers >= 0] >= 0
    return (PAIRED, UNPAIRED) if paired.any() and not paired.all() else (EVERYBODY,)


def joined(one: Contrast, other: Contrast, shares: tuple[float, float]) -> Contrast:
    """The same two groups among two kinds of persons at once: the sum of both gaps, each times its share.

    What varies with templates and words varies in both at once, so that the variance is not the sum of two variances.
    """
    cells = one.cells
    if not cells["source"].equals(other.cells["source"]):
        cells = cells.filter(pl.col("source").is_in(other.cells["source"].to_list()))
    first, second = _on(one, cells, first_unit=0), _on(other, cells, first_unit=len(one.units))
    unit, cell, sentence = (np.concatenate([first[place], second[place]]) for place in range(3))
    return replace(
        one,
        subset="all",
        matrix=sparse.csr_array(sparse.vstack([one.matrix, other.matrix])),
        comparisons=pl.concat([one.comparisons, other.comparisons]),
        units=one.units + other.units,
        members=one.members + other.members,
        stratum=np.concatenate([one.stratum, other.stratum + len(one.coefficients)]),
        coefficients=np.concatenate([shares[0] * one.coefficients, shares[1] * other.coefficients]),
        block=np.concatenate([one.block, np.where(other.block < 0, -1, other.block + one.block.max() + 1)]),
        cells=cells,
        entries=(unit, cell, sentence, np.concatenate([first[3], second[3]])),
        left_out=tuple(dict.fromkeys(one.left_out + other.left_out)),
        called=one.called if one.called == other.called else "persons",
        family=_families(one, other),
        group=None if one.group is None or other.group is None else np.concatenate([one.group, other.group]),
        torn=one.torn or other.torn,
    )


def _families(one: Contrast, other: Contrast) -> Ints:
    """The families of both, those of the second numbered after those of the first."""
    first, second = (np.arange(len(part.units)) if part.family is None else part.family for part in (one, other))
    return np.concatenate([first, second + first.max(initial=-1) + 1])


def _on(part: Contrast, cells: pl.DataFrame, *, first_unit: int) -> tuple[Codes, Codes, Codes, Floats]:
    """A contrast's entries in the cells given, their units numbered from `first_unit`."""
    renumbered = placed(part.cells["source"], cells["source"]).astype(np.int32)
    unit, cell, sentence, value = part.entries
    kept = renumbered[cell] >= 0
    return unit[kept] + np.int32(first_unit), renumbered[cell][kept], sentence[kept], value[kept]

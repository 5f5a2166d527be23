"""Gaps for persons in general: how they are read from scores, among everybody or one kind of persons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse, special

from evenhand.contrasts import Contrast, Floats, Grouping, Ints, contrast
from evenhand.corpora import Corpus
from evenhand.corpora.corpus import Condition
from evenhand.errors import UsageError, did_you_mean
from evenhand.scoring import Scores
from evenhand.stats import Components, GroupedMeans, variance_components
from evenhand.systems.base import Array

EVERYBODY, PAIRED, UNPAIRED = "everybody", "paired", "unpaired"
KINDS: dict[str, dict[str, Condition]] = {PAIRED: {"pair": True}, UNPAIRED: {"pair": None}}
"""Persons that correspond one to one (this woman, this man), and those that do not (names)."""


@dataclass(frozen=True)
class Gap:
    """One gap for persons in general: first group minus second; arrays hold one number per reading of the variable."""

    first: str
    second: str
    operator: Array
    """What each sentence counts: `operator @ scores` is the gap."""
    estimate: Array
    variance: Array
    freedom: Array

    @property
    def p(self) -> Array:
        """Two-sided; where nothing varies, 0 for a gap and 1 for none; NaN where too little is left to tell."""
        certain = self.variance == 0
        deviation = np.sqrt(np.where(certain, 1.0, self.variance))
        tested = 2 * special.stdtr(np.where(certain, 1.0, self.freedom), -np.abs(self.estimate) / deviation)
        p: Array = np.where(certain, np.where(self.estimate == 0, 1.0, 0.0), tested)
        return np.where(~certain & (self.freedom < 1), np.nan, p)


@dataclass(frozen=True, eq=False)
class Strata:
    """Which units vary around a mean of their own, what each mean counts in a gap, and which units are pairs."""

    of_unit: Ints
    coefficients: Floats
    pairs: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two groups of an attribute, compared among some persons of a corpus."""

    contrast: Contrast

    @cached_property
    def operator(self) -> Array:
        """What each sentence counts in the estimate."""
        unit, _, sentence, value = self.contrast.entries
        counts = self.contrast.unit_weights[unit] * value / self.contrast.cells.height
        return np.bincount(sentence, weights=counts, minlength=self.contrast.shape[1]).astype(np.float64)

    @cached_property
    def groupings(self) -> list[Grouping]:
        """What was sampled besides the persons."""
        return self.contrast.sampled_groupings()

    def components(self, read: Scores, strata: Strata | None = None) -> Components:
        """The generalising estimate of each column, and its variance; in finer strata where those are told."""
        matrix, units = read.matrix, len(self.contrast.units)
        span = np.array([column.output.span for column in read.columns])
        finest = strata or Strata(self.contrast.stratum, self.contrast.coefficients, self.contrast.pairs)
        return variance_components(
            [
                GroupedMeans((one.operator @ matrix).reshape(units, -1, matrix.shape[1]), one.weights)
                for one in self.groupings
            ],
            stratum=finest.of_unit,
            coefficients=finest.coefficients,
            scale=np.maximum(span, np.abs(matrix).max(axis=0, initial=0.0)),
            pairs=finest.pairs,
        )

    def gap(self, read: Scores) -> Gap:
        """What the scores say."""
        made, parts = self.contrast, self.components(read)
        return Gap(made.first, made.second, self.operator, parts.estimate, parts.variance, parts.degrees_of_freedom)


_MADE: WeakKeyDictionary[Corpus, dict[tuple[str, ...], Comparison | str]] = WeakKeyDictionary()
"""Comparisons of a corpus that is still in use: every method asks for the same ones."""


def comparison(corpus: Corpus, attribute: str, groups: tuple[str, str], scope: str) -> Comparison | str:
    """The comparison of two groups among everybody (as published) or one kind of persons, or why there is none."""
    known = _MADE.setdefault(corpus, {})
    asked = attribute, *groups, scope
    if asked not in known:
        known[asked] = _compared(corpus, attribute, groups, scope)
    return known[asked]


def _compared(corpus: Corpus, attribute: str, groups: tuple[str, str], scope: str) -> Comparison | str:
    marked = replace(corpus, subsets={**corpus.subsets, **KINDS})
    try:
        made = contrast(marked, attribute, groups=groups, subset="all" if scope == EVERYBODY else scope)
    except UsageError as error:
        return str(error)
    return made.not_general or Comparison(made)


def comparisons(corpus: Corpus, attribute: str, scope: str) -> list[Comparison]:
    """All pairs of those groups that can all be compared with each other; none where there are not two."""
    groups = list(corpus.attributes[attribute])
    made = {pair: comparison(corpus, attribute, pair, scope) for pair in combinations(groups, 2)}
    while failed := [pair for pair, one in made.items() if isinstance(one, str)]:
        # Who fails most often goes first: a group of a single person fails with everybody.
        worst = max(groups, key=lambda group: sum(group in pair for pair in failed))
        groups.remove(worst)
        made = {pair: one for pair, one in made.items() if worst not in pair}
    return [one for one in made.values() if isinstance(one, Comparison)]


def attributes_in(corpus: Corpus, asked: Sequence[str] | None) -> tuple[str, ...]:
    """Those of the attributes asked for (all, unless told) that have two groups in this part of a corpus."""
    for attribute in asked or ():
        if attribute not in corpus.frame.columns:
            known = did_you_mean(attribute, corpus.attributes)
            raise UsageError(f"corpus {corpus.name!r} has no attribute {attribute!r}{known}")
    return tuple(one for one in (corpus.attributes if asked is None else asked) if one in corpus.attributes)


def kinds_of(corpus: Corpus, attribute: str) -> tuple[str, ...]:
    """Both kinds of persons where the attribute has both; else nobody is told apart."""
    if "pair" not in corpus.frame.columns:
        return (EVERYBODY,)
    paired = corpus.frame.filter(pl.col(attribute).is_not_null())["pair"].is_not_null()
    return (PAIRED, UNPAIRED) if paired.any() and not paired.all() else (EVERYBODY,)


def joined(one: Comparison, other: Comparison, shares: tuple[float, float]) -> Comparison:
    """The same two groups among two kinds of persons at once: the sum of both gaps, each times its share.

    What varies with templates and words varies in both at once, so that the variance is not the sum of two variances.
    """
    some, others = one.contrast, other.contrast
    cells = some.cells.filter(pl.col("source").is_in(others.cells["source"].to_list()))
    entries = [_on(part, cells) for part in (some, others)]
    entries[1] = (entries[1][0] + len(some.units), *entries[1][1:])
    both = [np.concatenate(part) for part in zip(*entries, strict=True)]
    return Comparison(
        replace(
            some,
            subset="all",
            matrix=sparse.csr_array(sparse.vstack([some.matrix, others.matrix])),
            comparisons=pl.concat([some.comparisons, others.comparisons]),
            units=some.units + others.units,
            members=some.members + others.members,
            stratum=np.concatenate([some.stratum, others.stratum + len(some.coefficients)]),
            coefficients=np.concatenate([shares[0] * some.coefficients, shares[1] * others.coefficients]),
            block=np.concatenate([some.block, np.where(others.block < 0, -1, others.block + some.block.max() + 1)]),
            cells=cells,
            entries=(both[0], both[1], both[2], both[3]),
            left_out=tuple(dict.fromkeys(some.left_out + others.left_out)),
            called="persons",
        )
    )


def _on(part: Contrast, cells: pl.DataFrame) -> tuple[Ints, Ints, Ints, Floats]:
    """A contrast's entries, their cells renumbered to those given."""
    place = {source: number for number, source in enumerate(cells["source"])}
    renumbered = np.array([place.get(source, -1) for source in part.cells["source"]], dtype=np.int64)
    unit, cell, sentence, value = part.entries
    kept = renumbered[cell] >= 0
    return unit[kept], renumbered[cell][kept], sentence[kept], value[kept]

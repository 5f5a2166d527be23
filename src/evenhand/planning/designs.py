"""Who would be asked about and in which sentences: as much of a design as the chances depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from evenhand.contrasts import Contrast, Floats, Ints
from evenhand.contrasts.contrast import codes
from evenhand.corpora import Corpus
from evenhand.corpora.asked_names import MATCHED, Names
from evenhand.corpora.names import POOL
from evenhand.corpora.pools import Cell, load_pool
from evenhand.stats.types import Bools


@dataclass(frozen=True)
class Drawn:
    """How names are drawn from a pool for a corpus, and all that there are, in their order."""

    races: Mapping[str, str]
    """What the pool calls the races of the corpus."""
    names: Names
    seed: int

    @classmethod
    def of(cls, corpus: Corpus, names: Names, seed: int) -> Self:
        """For a corpus that has some of these names."""
        pool = load_pool(POOL)
        known = {race: pool.race_called(race) for race in corpus.attributes.get("race", ())}
        races = {race: called for race, called in known.items() if called is not None}
        return cls(races or {race: race for race in pool.races}, names, seed)

    @cached_property
    def families(self) -> Mapping[Cell, tuple[str, ...]]:
        """For each race and gender, the family of each name, in the order in which they are asked about."""
        pool, races = load_pool(POOL), list(self.races.values())
        matched, strength = self.names.drawn == MATCHED, self.names.strength
        there = pool.matched(races=races, strength=strength) if matched else pool.cells(races=races, strength=strength)
        drawn = pool.draw(
            min(map(len, there.values())), races=races, strength=strength, matched=matched, seed=self.seed
        )
        return {cell: tuple(one.family for one in names) for cell, names in drawn.items()}

    @property
    def most(self) -> int:
        """How many names there are for each race and gender."""
        return min(map(len, self.families.values()))


@dataclass(frozen=True)
class Grouped:
    """A grouping of the sources, as templates or words: the group of each source."""

    column: str
    of_source: Ints

    @cached_property
    def weights(self) -> Floats:
        """The share of the sources in each group."""
        return np.bincount(self.of_source) / len(self.of_source)

    @cached_property
    def averaging(self) -> Floats:
        """What makes means of groups of what sources have: (groups, sources)."""
        there = self.of_source[None, :] == np.arange(len(self.weights))[:, None]
        return np.asarray(there / there.sum(axis=1, keepdims=True), dtype=np.float64)

    def only(self, kept: Bools) -> Grouped:
        """The same on some of the sources."""
        return Grouped(self.column, np.unique(self.of_source[kept], return_inverse=True)[1])


@dataclass(frozen=True)
class Design:
    """One comparison: its strata with the families of their names in order, and its sources by what groups them."""

    coefficients: Floats
    families: tuple[Ints, ...]
    """For each stratum, a number for the family of each name, the same in all strata; there may be more names than are
    asked about."""
    sources: int
    groupings: tuple[Grouped, ...]
    cells: int
    """How many names come in with each further one for each race and gender."""
    rest: Bools | None = None
    """Which strata are groups of the rest, where one group is compared with several."""
    groups: int = 2
    """How many groups are compared."""

    @classmethod
    def plain(
        cls, groupings: Sequence[Ints], *, names: int, coefficients: Sequence[float] = (0.5, 0.5, -0.5, -0.5)
    ) -> Self:
        """Two groups in two strata each, with names of no family; the first grouping is that of templates."""
        columns = ("template", "word", *(f"grouping {number}" for number in range(3, len(groupings) + 1)))
        return cls(
            np.array(coefficients),
            tuple(np.arange(names) + names * place for place in range(len(coefficients))),
            len(groupings[0]),
            tuple(Grouped(column, one) for column, one in zip(columns, groupings, strict=False)),
            len(coefficients),
        )

    @classmethod
    def of(cls, contrast: Contrast, corpus: Corpus, drawn: Drawn) -> Self:
        """As a comparison on a corpus has it that holds the first few of the names that are drawn."""
        cell_of = _cells(corpus, drawn)
        firsts = [int(np.flatnonzero(contrast.stratum == one)[0]) for one in range(len(contrast.coefficients))]
        people = [(left or right)[0] for left, right in (contrast.members[unit] for unit in firsts)]
        return cls(
            contrast.coefficients,
            _numbered([drawn.families[cell_of[person]] for person in people]),
            contrast.cells.height,
            tuple(Grouped(column, contrast.groups_of_cells(column)) for column in contrast.sampled_columns),
            len(set(cell_of.values())),
            contrast.in_rest,
            max(len(contrast.rest), 1) + 1,
        )

    @property
    def most(self) -> int:
        """How many names there are for each stratum."""
        return min(map(len, self.families))

    def calls(self, names: int) -> int:
        """What it takes to ask about so many names for each race and gender."""
        return self.cells * names * self.sources


def _numbered(families: Sequence[Sequence[str]]) -> tuple[Ints, ...]:
    """Numbers for families, the same in all strata."""
    numbers, _ = codes([family for listed in families for family in listed])
    return tuple(np.split(numbers, np.cumsum([len(listed) for listed in families])[:-1]))


def _cells(corpus: Corpus, drawn: Drawn) -> dict[str, Cell]:
    """The race and gender of each person, as the pool calls them."""
    pool = load_pool(POOL)
    rows = corpus.frame.select("person", "race", "gender").unique("person", maintain_order=True).drop_nulls()
    genders = {group: pool.called("gender", group) or group for group in corpus.attributes.get("gender", ())}
    return {
        person: Cell(drawn.races.get(race, race), genders.get(gender, gender))
        for person, race, gender in rows.iter_rows()
    }

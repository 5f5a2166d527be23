"""The names behind one comparison as persons with traits: how strong, common, old and long each of them is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.contrasts import Contrast, Floats, Ints
from evenhand.corpora import Corpus
from evenhand.corpora.known_names import called_by_name, known_names, share_in, share_of
from evenhand.corpora.names import POOL
from evenhand.corpora.pools import PoolName, load_pool
from evenhand.stats import GroupedMeans
from evenhand.stats.regression import KNOTS, clusters, curve
from evenhand.stats.types import Bools

BEARERS, BIRTH_YEAR, LENGTH, PIECES = "bearers", "birth_year", "length", "pieces"
MOSTLY_KNOWN = 0.5
"""Of the names that are compared, the pool must know at least this share for anything to be said."""
FEWEST_IN_STRATUM, FEWEST_IN_GROUP = 5, 10
"""Names that can be compared with names of the other group, by which a slope within groups can be told at all."""
ENOUGH_FOR_A_CURVE = 40
"""With so many names of each group, how common they are may count along a curve; with fewer, along a straight line."""


@dataclass(frozen=True, eq=False)
class NamesAsked:
    """The names of one contrast that a pool knows, stratum by stratum."""

    contrast: Contrast
    unit: Ints
    """The place of each among the units of the contrast."""
    names: tuple[PoolName, ...]
    unknown: tuple[str, ...]
    """Names that are compared, but that the pool does not list."""
    shares: Floats | None
    """The share of each name's bearers who are of the first group; None where the pool does not know the group."""

    @classmethod
    def of(cls, contrast: Contrast, corpus: Corpus) -> NamesAsked | None:
        """Those of a contrast; None where it is not about names, or about names that the pool mostly does not know."""
        known, called = known_names(corpus), called_by_name(corpus)
        single = ~contrast.pairs[contrast.stratum]
        asked = [number for number in np.flatnonzero(single) if contrast.units[number] in called]
        there = [number for number in asked if (one := known.get(contrast.units[number])) and one.birth_year]
        if contrast.interaction or not asked or len(there) < MOSTLY_KNOWN * len(asked):
            return None
        pool = load_pool(POOL)
        names = tuple(known[contrast.units[number]] for number in there)
        told = share_in(pool, contrast.first) is not None
        made = cls(
            contrast,
            np.array(there, dtype=np.int64),
            names,
            tuple(contrast.units[number] for number in sorted(set(asked) - set(there))),
            np.array([share_of(pool, one, contrast.first) for one in names]) if told else None,
        )
        return made.whole_blocks(fewest=2)

    def whole_blocks(self, *, fewest: int) -> NamesAsked | None:
        """Without the blocks (genders, say) in which a group has fewer names than this; None if none is left."""
        sizes = np.bincount(self._stratum, minlength=len(self.contrast.coefficients))
        thin = np.unique(self.contrast.stratum_blocks[(sizes < fewest) & ~self.contrast.pairs])
        kept = ~np.isin(self.contrast.block[self.unit], thin)
        return self.only(kept) if kept.any() else None

    def only(self, kept: Bools) -> NamesAsked:
        """Some of them."""
        if kept.all():
            return self
        return NamesAsked(
            self.contrast,
            self.unit[kept],
            tuple(name for name, keep in zip(self.names, kept, strict=True) if keep),
            self.unknown,
            None if self.shares is None else self.shares[kept],
        )

    @property
    def _stratum(self) -> Ints:
        """As the contrast numbers them."""
        return self.contrast.stratum[self.unit]

    @cached_property
    def stratum(self) -> Ints:
        """The stratum of each, numbered from 0 on."""
        return np.unique(self._stratum, return_inverse=True)[1].reshape(-1).astype(np.int64)

    @cached_property
    def coefficients(self) -> Floats:
        """What the mean of each stratum counts in the gap, so that each side counts 1."""
        own = self.contrast.coefficients[np.unique(self._stratum)]
        return np.asarray(own / own[own > 0].sum())

    @cached_property
    def block(self) -> Ints:
        """Those with one number are compared with each other."""
        return np.unique(self.contrast.block[self.unit], return_inverse=True)[1].reshape(-1).astype(np.int64)

    @cached_property
    def cluster(self) -> Ints:
        """Those with one number are of one family."""
        family = self.contrast.family
        return clusters(self.stratum, None if family is None else family[self.unit])

    @cached_property
    def first(self) -> Bools:
        """Who is of the first group."""
        return np.asarray(self.coefficients[self.stratum] > 0)

    @cached_property
    def weights(self) -> Floats:
        """What the mean of each name counts in the gap."""
        return np.asarray((self.coefficients / np.bincount(self.stratum))[self.stratum])

    @property
    def numbers(self) -> tuple[int, int]:
        """How many names are of the first group, and of the others."""
        return int(self.first.sum()), int((~self.first).sum())

    @cached_property
    def in_strata(self) -> Floats:
        """A column for each stratum."""
        return np.asarray(np.eye(len(self.coefficients))[self.stratum])

    @cached_property
    def in_blocks(self) -> Floats:
        """A column for each block."""
        return np.asarray(np.eye(self.block.max() + 1)[self.block])

    def traits(self, pieces: Mapping[str, int] | None = None) -> dict[str, Floats]:
        """What names are like: the logarithm (base 10) of the bearers, birth year, letters, and pieces where known."""
        found = {
            BEARERS: np.log10([one.bearers for one in self.names]),
            BIRTH_YEAR: np.array([float(one.birth_year or 0) for one in self.names]),
            LENGTH: np.array([float(one.length) for one in self.names]),
        }
        people = [self.contrast.units[number] for number in self.unit]
        if pieces is not None and all(person in pieces for person in people):
            found[PIECES] = np.array([float(pieces[person]) for person in people])
        return found

    def in_shared_range(self, pieces: Mapping[str, int] | None = None) -> Bools:
        """Who is within the range that all groups of their block share, of every trait.

        Whoever is rarer or older than every name of the other group cannot be compared with any of them.
        """
        kept = np.ones(len(self.names), dtype=bool)
        for values in self.traits(pieces).values():
            for block in range(self.block.max() + 1):
                here = self.block == block
                own = [values[here & (self.stratum == one)] for one in np.unique(self.stratum[here])]
                low, high = max(one.min() for one in own), min(one.max() for one in own)
                kept &= ~here | ((values >= low) & (values <= high))
        return kept

    def like_each_other(self, pieces: Mapping[str, int] | None = None) -> NamesAsked | None:
        """Those within the range that all groups share; None where they are too few."""
        kept = self.in_shared_range(pieces)
        if not kept.any():
            return None
        left = self.only(kept)
        blocks = self.contrast.block[left.unit]
        whole = [number for number in np.unique(blocks) if left._holds_all_groups(int(number))]
        if not whole:
            return None
        left = left.only(np.isin(blocks, whole))
        return left if min(left.numbers) >= FEWEST_IN_GROUP else None

    def _holds_all_groups(self, block: int) -> bool:
        """Whether each group has enough names left in a block."""
        wanted = np.flatnonzero(self.contrast.stratum_blocks == block)
        sizes = [int((self._stratum == one).sum()) for one in wanted]
        return min(sizes) >= FEWEST_IN_STRATUM

    def allowing_for(self, traits: Mapping[str, Floats]) -> Floats:
        """Columns for the traits, each around its mean; one that nobody varies in has none."""
        columns = []
        for trait, values in traits.items():
            if np.ptp(values) == 0:
                continue
            curved = trait == BEARERS and min(self.numbers) >= ENOUGH_FOR_A_CURVE
            column = curve(values, np.quantile(values, KNOTS)) if curved else values[:, None]
            columns.append(column - column.mean(axis=0))
        return np.hstack(columns) if columns else np.zeros((len(self.names), 0))

    def means(self, scores: Floats) -> list[GroupedMeans]:
        """Their mean scores by template and by word."""
        shape = len(self.contrast.units), -1, scores.shape[1]
        return [
            GroupedMeans((one.operator @ scores).reshape(shape)[self.unit], one.weights)
            for one in self.contrast.sampled_groupings
        ]

"""What a contrast is: published comparisons as a sparse matrix, and persons as a sample in strata."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.contrasts.members import Members
from evenhand.contrasts.parts import Parts, parts_of
from evenhand.corpora.coded import Codes, Strings
from evenhand.numbering import pairs_numbered, placed, renumbered

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

COMPLETE = 0.9
"""The share of the sources that must hold everybody for the general answer to speak about the same sentences."""

MOST_KINDS = 12
"""A column with more values than this does not sort the sentences into a few kinds."""

TEXTS = "texts"
"""What the persons are called where each stands in a text of its own: then the texts are the units, in one source."""

AVERAGE = "average"
"""The label of a comparison between the averages over unpaired persons."""


@dataclass(frozen=True)
class Grouping:
    """Persons' means by a column of the design: `(operator @ scores).reshape(units, groups, columns)`."""

    column: str
    labels: tuple[str, ...]
    unlabelled: npt.NDArray[np.bool_]
    """The groups that stand for a single source because the column is empty there."""
    weights: Floats
    """The share of the sources in each group."""
    operator: sparse.csr_array


@dataclass(frozen=True, eq=False)
class Contrast:
    """One declared comparison on one corpus, first group minus second."""

    attribute: str
    first: str
    second: str
    subset: str
    matrix: sparse.csr_array
    comparisons: pl.DataFrame
    """One row per row of `matrix`: its `source` and its `label`, the pair or `average`."""
    units: Strings
    """Persons, or pairs such as `she/he`."""
    members: Members
    """The persons of each unit, those of the first group and those of the second."""
    stratum: Ints
    """The stratum of each unit."""
    coefficients: Floats
    """What each stratum's mean counts in the estimate."""
    block: Ints
    """Units with one block number may trade their labels in a permutation; −1 marks a pair, whose sign may flip."""
    cells: pl.DataFrame
    """The sources that hold every unit, with the columns of the design."""
    entries: tuple[Codes, Codes, Codes, Floats]
    """Unit, cell, sentence and coefficient: how each unit's value in each cell is made from scores."""
    groupings: tuple[str, ...]
    n_sources: int
    """How many sources are compared, complete or not."""
    left_out: tuple[str, ...]
    """Persons whom the general answer does without: no match among the other group, or missing from many sources."""
    called: str
    """What its persons are, in a word: `names`, `terms`, `countries`, or `persons` where kinds are mixed or unknown."""
    interaction: bool = False
    family: Ints | None = None
    """Units with one number may react alike (spelling families of names); None: everybody on their own."""
    part: Ints | None = None
    """For each sentence, the stratum in which its person is compared with others; 0 for pairs, −1 for nobody."""
    rest: tuple[str, ...] = ()
    """The groups whose mean is the second side, each counting the same; empty where that is one group."""
    group: Ints | None = None
    """The group of each stratum: 0 the first, 1 and up those of the second side, −1 pairs."""
    torn: str | None = None
    """Why there is no general answer, where leaving people out empties a group."""

    @cached_property
    def in_rest(self) -> npt.NDArray[np.bool_] | None:
        """Which strata are groups of the rest; None where two groups are compared."""
        return self.group > 0 if self.rest and self.group is not None else None

    @property
    def per_group(self) -> float:
        """How many persons a group has, on average; a pair counts for each of its groups."""
        return self.n_persons / (max(len(self.rest), 1) + 1)

    @property
    def shape(self) -> tuple[int, int]:
        """(comparisons, sentences)."""
        rows, columns = self.matrix.shape
        return int(rows), int(columns)

    @cached_property
    def matched_sizes(self) -> Floats:
        """How many units each stratum would have if its two sides were of one size."""
        sizes, block_of = self.stratum_sizes.astype(np.float64), self.stratum_blocks
        for block in np.unique(block_of[block_of >= 0]):
            sizes[block_of == block] = sizes[block_of == block].mean()
        return sizes

    @cached_property
    def stratum_blocks(self) -> Ints:
        """The block of each stratum."""
        blocks = [self.block[self.stratum == stratum][0] for stratum in range(len(self.coefficients))]
        return np.array(blocks, dtype=np.int64)

    @cached_property
    def pairs(self) -> npt.NDArray[np.bool_]:
        """Which strata hold pairs."""
        return np.array([(self.block[self.stratum == stratum] < 0).any() for stratum in range(len(self.coefficients))])

    @cached_property
    def stratum_sizes(self) -> Ints:
        """How many units each stratum has."""
        return np.bincount(self.stratum, minlength=len(self.coefficients))

    @cached_property
    def relabellings_p(self) -> float:
        """The smallest p that swapping labels can give: where groups differ by a constant, chance gives that too.

        With two persons a side there are six ways to deal the labels, and two of them give so large a gap: 2/6. How
        the labels of a rest are dealt among its groups makes no difference.
        """
        ways = float((self.block < 0).sum()) * math.log(2)
        for block in np.unique(self.block[self.block >= 0]):
            there = self.block == block
            first = int((self.coefficients[self.stratum[there]] > 0).sum())
            ways += math.log(math.comb(int(there.sum()), first))
        return min(1.0, 2 * math.exp(-ways))

    def each_left_out(self, column: str, *, most: int) -> tuple[tuple[str, Contrast], ...]:
        """The same comparison without each group of a column in turn; none where there are more than `most`.

        With two groups, either is the other's only company: what is left would be one group, which says nothing.
        """
        labels = self.by(column).labels
        if not 3 <= len(labels) <= most:
            return ()
        if column not in self._left_out:
            self._left_out[column] = tuple((label, self._without_cells(column, label)) for label in labels)
        return self._left_out[column]

    @cached_property
    def _left_out(self) -> dict[str, tuple[tuple[str, Contrast], ...]]:
        return {}

    def _without_cells(self, column: str, label: str) -> Contrast:
        """The same comparison on the cells that do not have this label."""
        of_cell, labels = self._codes_of(column)
        kept = of_cell != labels.index(label)
        unit, cell, sentence, value = self.entries
        number = (np.cumsum(kept) - 1).astype(np.int32)
        there = kept[cell]
        left = replace(
            self,
            cells=self.cells.filter(pl.Series(kept)),
            entries=(unit[there], number[cell[there]], sentence[there], value[there]),
        )
        for known, (codes, labels) in self._coded.items():
            numbers, places = renumbered(codes[kept], len(labels))
            left._coded[known] = numbers, tuple(labels[place] for place in places)
        return left

    @property
    def unit_weights(self) -> Floats:
        """What each unit's mean counts in the estimate."""
        return (self.coefficients / self.stratum_sizes)[self.stratum]

    @cached_property
    def operator(self) -> Floats:
        """What each sentence counts in the estimate: `operator @ scores` is the gap for persons in general."""
        unit, _, sentence, value = self.entries
        counts = self.unit_weights[unit] * value / self.cells.height
        return np.bincount(sentence, weights=counts, minlength=self.shape[1]).astype(np.float64)

    @property
    def n_persons(self) -> int:
        """How many persons the generalising test rests on; a pair is two."""
        return self.members.number

    @property
    def not_general(self) -> str | None:
        """Why this contrast cannot speak for persons in general, or None if it can."""
        if self.called != TEXTS and self.cells.height < max(2, COMPLETE * self.n_sources):
            return f"only {self.cells.height} of {self.n_sources} sources hold all of the persons compared"
        if self.torn is not None:
            return self.torn
        if len(self.lonely) and self.in_rest is not None and self.in_rest[self.lonely].all():
            return (
                "half of the other groups or more have a single person or family, so it cannot be told how persons vary"
            )
        if len(self.lonely):
            alike = [self.units[place] for place in np.flatnonzero(self.stratum == self.lonely[0])]
            if len(alike) > 1:
                named = ", ".join(alike[:3]) + (f" and {len(alike) - 3} more" if len(alike) > 3 else "")
                return (
                    f"all persons of a group are of one family ({named}), which counts as one person, so it cannot be "
                    "told how persons vary"
                )
            return f"a group has a single person ({alike[0]}), so it cannot be told how persons vary"
        return None

    @cached_property
    def _stratum_families(self) -> Ints:
        """How many families each stratum has; persons without one are on their own."""
        if self.family is None:
            return self.stratum_sizes
        pairs, _ = pairs_numbered(self.stratum, self.family)
        return np.bincount(pairs[0], minlength=len(self.coefficients))

    @cached_property
    def lonely(self) -> Ints:
        """The strata of a single unit or family that leave it open how persons vary; of a rest, where half or
        more are single."""
        alone = self._stratum_families < 2
        rest = self.in_rest
        if rest is not None and 2 * alone[rest].sum() < rest.sum():
            alone = alone & ~rest
        return np.flatnonzero(alone)

    def by(self, column: str) -> Grouping:
        """Group the cells by a column; a null is a group of its own (each neutral sentence is its own word)."""
        group, labels = self._codes_of(column)
        sizes = np.bincount(group, minlength=len(labels))
        unlabelled = np.zeros(len(labels), dtype=bool)
        unlabelled[group[self.cells[column].is_null().to_numpy()]] = True
        unit, cell, sentence, value = self.entries
        rows = unit.astype(np.int64) * len(labels) + group[cell]
        operator = sparse.csr_array(
            (value / sizes[group[cell]], (rows, sentence)), shape=(len(self.units) * len(labels), self.shape[1])
        )
        return Grouping(column, labels, unlabelled, sizes / sizes.sum(), operator)

    def groups_of_cells(self, column: str) -> Ints:
        """The number of the group that each cell is in, by a column; a null is a group of its own."""
        return self._codes_of(column)[0]

    def unit_means(self, scores: Floats) -> Floats:
        """Every unit's mean over the cells: (units, columns)."""
        unit, _, sentence, value = self.entries
        shape = (len(self.units), self.shape[1])
        return np.asarray(sparse.csr_array((value / self.cells.height, (unit, sentence)), shape=shape) @ scores)

    def cell_values(self, scores: Floats) -> Floats:
        """Every unit's value in every cell: (units, cells, columns)."""
        unit, cell, sentence, value = self.entries
        units, cells = len(self.units), self.cells.height
        operator = sparse.csr_array(
            (value, (unit.astype(np.int64) * cells + cell, sentence)), shape=(units * cells, self.shape[1])
        )
        return np.asarray(operator @ scores).reshape(units, cells, -1)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The columns that sort the sentences into a few kinds, as the emotion does: no template, no word, no note."""
        return tuple(column for column in self.cells.columns if column != "source" and self._is_category(column))

    def _is_category(self, column: str) -> bool:
        kinds = self.cells[column].drop_nulls().n_unique()
        return column not in self.groupings and 2 <= kinds <= MOST_KINDS and kinds < self.cells.height

    @cached_property
    def parts(self) -> tuple[Parts, ...]:
        """The kinds that the sentences come in, by column; those without a value are in no part."""
        made = []
        for column in self.categories:
            of_cell, labels = self._codes_of(column)
            empty = set(of_cell[self.cells[column].is_null().to_numpy()])
            labelled = np.array([number not in empty for number in range(len(labels))])
            sampled = [self.groups_of_cells(other) for other in self.sampled_columns]
            made.append(parts_of(column, labels, labelled=labelled, of_cell=of_cell, sampled=sampled))
        return tuple(one for one in made if one is not None)

    @cached_property
    def sampled_columns(self) -> tuple[str, ...]:
        """The columns to generalise over: those of the corpus, or the sources themselves where it names none.

        Of columns that part the cells in the same way (templates and words, where each has one sentence), the first
        stands for all: the same variance must not be counted twice.
        """
        parted: dict[bytes, str] = {}
        for column in self.groupings or ("source",):
            parted.setdefault(self.groups_of_cells(column).tobytes(), column)
        return tuple(parted.values())

    @cached_property
    def sampled_groupings(self) -> tuple[Grouping, ...]:
        """The groupings to generalise over."""
        return tuple(self.by(column) for column in self.sampled_columns)

    def _codes_of(self, column: str) -> tuple[Ints, tuple[str, ...]]:
        """The number of each cell's group by a column, in order of appearance, and the groups."""
        if column not in self._coded:
            both = zip(self.cells[column].to_list(), self.cells["source"].to_list(), strict=True)
            self._coded[column] = codes([f"({source})" if value is None else str(value) for value, source in both])
        return self._coded[column]

    @cached_property
    def _coded(self) -> dict[str, tuple[Ints, tuple[str, ...]]]:
        return {}


def codes(values: Sequence[str | None]) -> tuple[Ints, tuple[str, ...]]:
    """Number the values in order of appearance; None is −1."""
    labels = tuple(label for label in dict.fromkeys(values) if label is not None)
    return placed(values, labels), labels

"""Corpus → comparisons: a declared contrast becomes sparse matrices, and `contrast.matrix @ scores` every difference.

A contrast answers two questions, so it carries two views of the same sentences:

* `matrix`, one row per comparison as published: within one source, each pair of corresponding noun phrases, and the
  average over names of the first group against the average over names of the second. No row crosses a source.
* `units`, the persons (or pairs of persons) as a sample: each belongs to a stratum with a coefficient, and the
  contrast's estimate is Σ coefficient · mean of the stratum's units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.corpora import Corpus
from evenhand.errors import UsageError, did_you_mean

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CROSS = "+"
"""Joins attributes into an intersection: `race+gender`."""

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
    units: tuple[str, ...]
    """Persons, or pairs such as `she/he`."""
    members: tuple[tuple[str, ...], ...]
    """The persons of each unit: one, or a pair's first and second."""
    stratum: Ints
    """The stratum of each unit."""
    coefficients: Floats
    """What each stratum's mean counts in the estimate."""
    block: Ints
    """Units with one block number may trade their labels in a permutation; −1 marks a pair, whose sign may flip."""
    cells: pl.DataFrame
    """The sources that hold every unit, with the columns of the design."""
    entries: tuple[Ints, Ints, Ints, Floats]
    """Unit, cell, sentence and coefficient: how each unit's value in each cell is made from scores."""
    groupings: tuple[str, ...]
    called: str
    """What its persons are, in a word: `names`, or `persons` where kinds are mixed or unknown."""
    interaction: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """(comparisons, sentences)."""
        rows, columns = self.matrix.shape
        return int(rows), int(columns)

    @cached_property
    def stratum_sizes(self) -> Ints:
        """How many units each stratum has."""
        return np.bincount(self.stratum, minlength=len(self.coefficients))

    @property
    def unit_weights(self) -> Floats:
        """What each unit's mean counts in the estimate."""
        return (self.coefficients / self.stratum_sizes)[self.stratum]

    @property
    def n_persons(self) -> int:
        """How many persons the generalising test rests on; a pair is two."""
        return int(len(self.units) + (self.block < 0).sum())

    @property
    def not_general(self) -> str | None:
        """Why this contrast cannot speak for persons in general, or None if it can."""
        if self.cells.height < 2:
            return "no two sources hold all of the persons compared, so persons and sentences cannot be told apart"
        lonely = np.flatnonzero(self.stratum_sizes < 2)
        if len(lonely):
            unit = self.units[int(np.flatnonzero(self.stratum == lonely[0])[0])]
            return f"a group has a single person ({unit}), so it cannot be told how persons vary"
        return None

    def by(self, column: str) -> Grouping:
        """Group the cells by a column; a null is a group of its own (each neutral sentence is its own word)."""
        values = [
            f"({source})" if value is None else str(value)
            for value, source in zip(self.cells[column], self.cells["source"], strict=True)
        ]
        group, labels = _codes(values)
        sizes = np.bincount(group, minlength=len(labels))
        unlabelled = np.zeros(len(labels), dtype=bool)
        unlabelled[group[self.cells[column].is_null().to_numpy()]] = True
        unit, cell, sentence, value = self.entries
        rows = unit * len(labels) + group[cell]
        operator = sparse.csr_array(
            (value / sizes[group[cell]], (rows, sentence)), shape=(len(self.units) * len(labels), self.shape[1])
        )
        return Grouping(column, labels, unlabelled, sizes / sizes.sum(), operator)

    def unit_means(self, scores: Floats) -> Floats:
        """Every unit's mean over the cells: (units, columns)."""
        unit, _, sentence, value = self.entries
        shape = (len(self.units), self.shape[1])
        return np.asarray(sparse.csr_array((value / self.cells.height, (unit, sentence)), shape=shape) @ scores)

    def sampled_groupings(self) -> list[Grouping]:
        """The groupings to generalise over: those of the corpus, or the sources themselves where it names none."""
        return [self.by(column) for column in self.groupings or ("source",)]


def contrasts(corpus: Corpus, attribute: str, *, subset: str = "all") -> list[Contrast]:
    """Every comparison that an attribute asks for: all pairs of its groups and, for two crossed attributes of two
    groups each, their interaction."""
    _, groups = _groups(corpus, attribute)
    present = _present(corpus, attribute, subset)
    pairs = [pair for pair in combinations(groups, 2) if set(pair) <= present]
    if not pairs:
        have = ", ".join(group for group in groups if group in present) or "none"
        raise UsageError(f"{attribute} on the subset {subset!r}: needs two groups, has {have}")
    made = [contrast(corpus, attribute, groups=pair, subset=subset) for pair in pairs]
    parts = attribute.split(CROSS)
    if len(parts) == 2 and all(len(corpus.attributes.get(part, ())) == 2 for part in parts) and len(pairs) == 6:
        made.append(interaction(corpus, parts[0], parts[1], subset=subset))
    return made


def contrast(corpus: Corpus, attribute: str, *, groups: tuple[str, str] | None = None, subset: str = "all") -> Contrast:
    """Compare two groups of an attribute, the first two unless told.

    >>> from evenhand.corpora import eec
    >>> contrast(eec(), "gender").shape, contrast(eec(), "race").shape
    ((1584, 8640), (144, 8640))
    """
    labels, known = _groups(corpus, attribute)
    first, second = groups or known[:2]
    for group in (first, second):
        if group not in known:
            raise UsageError(f"{attribute} has no group {group!r}{did_you_mean(group, known)}")
    side = np.select([labels == first, labels == second], [1, -1], default=0)
    side[~corpus.mask(subset).to_numpy()] = 0
    return _build(corpus, attribute, first, second, subset, side)


def interaction(corpus: Corpus, attribute: str, other: str, *, subset: str = "all") -> Contrast:
    """The gap in `attribute` among the first group of `other`, minus the same gap among the second."""
    first, second = corpus.attributes[attribute][:2]
    within = corpus.attributes[other][:2]
    inside = [f"{other}={group}" if subset == "all" else f"{subset},{other}={group}" for group in within]
    one, two = (contrast(corpus, attribute, subset=part) for part in inside)
    shared = one.comparisons.join(two.comparisons, on="source", how="semi")["source"].unique(maintain_order=True)
    average = _average_rows(one, shared) - _average_rows(two, shared)
    cells = one.cells.filter(pl.col("source").is_in(two.cells["source"].to_list()))
    unit, cell, sentence, value = (
        np.concatenate(part) for part in zip(*(_on(c, cells) for c in (one, two)), strict=True)
    )
    unit[-len(_on(two, cells)[0]) :] += len(one.units)
    return Contrast(
        attribute=f"{attribute}{CROSS}{other}",
        first=f"{first} − {second} ({within[0]})",
        second=f"{first} − {second} ({within[1]})",
        subset=subset,
        matrix=sparse.csr_array(average),
        comparisons=pl.DataFrame({"source": shared, "label": [AVERAGE] * len(shared)}),
        units=one.units + two.units,
        members=one.members + two.members,
        stratum=np.concatenate([one.stratum, two.stratum + len(one.coefficients)]),
        coefficients=np.concatenate([one.coefficients, -two.coefficients]),
        block=np.concatenate([one.block, np.where(two.block < 0, -1, two.block + one.block.max() + 1)]),
        cells=cells,
        entries=(unit, cell, sentence, value),
        groupings=one.groupings,
        called=one.called,
        interaction=True,
    )


def _average_rows(part: Contrast, sources: pl.Series) -> sparse.csr_array:
    """One row per source: the mean of that source's comparisons."""
    place = {source: number for number, source in enumerate(sources)}
    rows = np.array([place.get(source, -1) for source in part.comparisons["source"]], dtype=np.int64)
    kept = np.flatnonzero(rows >= 0)
    sizes = np.bincount(rows[kept], minlength=len(sources))
    mean = sparse.csr_array((1 / sizes[rows[kept]], (rows[kept], kept)), shape=(len(sources), len(rows)))
    return sparse.csr_array(mean @ part.matrix)


def _on(part: Contrast, cells: pl.DataFrame) -> tuple[Ints, Ints, Ints, Floats]:
    """A contrast's entries, their cells renumbered to those given."""
    place = {source: number for number, source in enumerate(cells["source"])}
    renumbered = np.array([place.get(source, -1) for source in part.cells["source"]], dtype=np.int64)
    unit, cell, sentence, value = part.entries
    kept = renumbered[cell] >= 0
    return unit[kept].copy(), renumbered[cell][kept], sentence[kept], value[kept]


def _groups(corpus: Corpus, attribute: str) -> tuple[npt.NDArray[np.object_], tuple[str, ...]]:
    """Each sentence's group (None where it has none) and the groups in order; crossed attributes join their names."""
    parts = attribute.split(CROSS)
    for part in parts:
        if part not in corpus.attributes:
            raise UsageError(f"corpus {corpus.name!r} has no attribute {part!r}{did_you_mean(part, corpus.attributes)}")
    if len(set(parts)) < len(parts):
        raise UsageError(f"{attribute!r} crosses an attribute with itself")
    labels = corpus.frame.select(pl.concat_str(parts, separator=" ")).to_series().to_numpy()
    present = set(labels)
    groups = [" ".join(combination) for combination in product(*(corpus.attributes[part] for part in parts))]
    return labels, tuple(group for group in groups if group in present)


def _present(corpus: Corpus, attribute: str, subset: str) -> set[str]:
    labels, _ = _groups(corpus, attribute)
    return {label for label in labels[corpus.mask(subset).to_numpy()] if label is not None}


@dataclass(frozen=True)
class _Sentences:
    """The sentences of a contrast as codes: where they stand, and who they are about."""

    row: Ints
    side: Ints
    source: Ints
    person: Ints
    pair: Ints
    """−1 where the person has no counterpart in the other group."""
    sources: tuple[str, ...]
    persons: tuple[str, ...]
    pairs: tuple[str, ...]


def _build(
    corpus: Corpus, attribute: str, first: str, second: str, subset: str, side: npt.NDArray[np.int64]
) -> Contrast:
    sentences = _coded(corpus, side)
    stratum_of_person = _strata(corpus, attribute, sentences)
    matrix, comparisons = _published(sentences, stratum_of_person, len(corpus))
    if comparisons.height < 2:
        raise UsageError(
            f"{attribute} ({first} against {second}) on the subset {subset!r}: "
            f"{comparisons.height} comparisons; needs two"
        )
    units = _units(sentences, stratum_of_person)
    cells, cell_of_source = _cells(corpus, sentences, units)
    return Contrast(
        attribute=attribute,
        first=first,
        second=second,
        subset=subset,
        matrix=matrix,
        comparisons=comparisons,
        units=units.labels,
        members=units.members,
        stratum=units.stratum,
        coefficients=units.coefficients,
        block=units.block,
        cells=cells,
        entries=_entries(sentences, units.of_sentence, cell_of_source),
        groupings=corpus.groupings,
        called="names" if _kinds(corpus, sentences) == {"name"} else "persons",
    )


def _kinds(corpus: Corpus, sentences: _Sentences) -> set[str | None]:
    return set(corpus.frame["kind"][sentences.row]) if "kind" in corpus.frame.columns else {None}


def _codes(values: Sequence[str | None]) -> tuple[Ints, tuple[str, ...]]:
    """Number the values in order of appearance; None is −1."""
    labels = tuple(dict.fromkeys(value for value in values if value is not None))
    place: dict[str | None, int] = {label: number for number, label in enumerate(labels)}
    return np.array([place.get(value, -1) for value in values], dtype=np.int64), labels


def _coded(corpus: Corpus, side: npt.NDArray[np.int64]) -> _Sentences:
    rows = np.flatnonzero(side)
    frame = corpus.frame[rows]
    pairs = frame["pair"] if "pair" in frame.columns else pl.Series([None] * frame.height, dtype=pl.String)
    source, sources = _codes(frame["source"].to_list())
    person, persons = _codes(frame["person"].to_list())
    pair, pair_names = _codes(pairs.to_list())
    # A pair counts only where both of its sides are asked about: noun phrases paired by gender are no pairs for race.
    both = np.zeros(len(pair_names), dtype=bool)
    for number in range(len(pair_names)):
        both[number] = len(set(side[rows][pair == number])) == 2
    pair = np.where((pair >= 0) & (both[pair] if len(both) else False), pair, -1)
    # Unpaired persons of one group only have nobody to be compared with.
    alone_sides = set(side[rows][pair < 0])
    if len(alone_sides) == 1:
        side = side.copy()
        side[rows[pair < 0]] = 0
        return _coded(corpus, side)
    return _Sentences(rows, side[rows], source, person, pair, sources, persons, pair_names)


def _strata(corpus: Corpus, attribute: str, sentences: _Sentences) -> Ints:
    """The stratum of each unpaired person: the crossing of the other attributes.

    An attribute is left out of the crossing where it would leave a stratum without two persons on each side.
    """
    others = [other for other in corpus.attributes if other not in attribute.split(CROSS)]
    frame = corpus.frame[sentences.row]
    alone = np.flatnonzero(sentences.pair < 0)
    _, where = np.unique(sentences.person[alone], return_index=True)
    members = alone[where]
    stratum = np.zeros(len(sentences.persons), dtype=np.int64)
    for chosen in _choices(others):
        keys = list(zip(*(frame[other].to_list() for other in chosen), strict=True)) if chosen else [()] * frame.height
        place = {key: number for number, key in enumerate(dict.fromkeys(keys[member] for member in members))}
        numbers = np.array([place[keys[member]] for member in members], dtype=np.int64)
        counts = np.array(
            [[np.sum((numbers == s) & (sentences.side[members] == x)) for x in (1, -1)] for s in place.values()]
        )
        if not chosen or (counts >= 2).all():
            stratum[sentences.person[members]] = numbers
            break
    return stratum


def _choices(others: list[str]) -> Iterator[tuple[str, ...]]:
    for size in range(len(others), -1, -1):
        yield from combinations(others, size)


def _published(sentences: _Sentences, stratum: Ints, width: int) -> tuple[sparse.csr_array, pl.DataFrame]:
    """The comparisons as published: pairs, then the averages over unpaired persons, source by source."""
    paired = sentences.pair >= 0
    n_pairs = len(sentences.pairs)
    # One row number per source and pair, the average last; rows that lack a side are dropped below.
    row = sentences.source * (n_pairs + 1) + np.where(paired, sentences.pair, n_pairs)
    part = np.where(paired, 0, stratum[sentences.person])
    weight = _stratum_weights(sentences, stratum)
    n_rows, n_parts = len(sentences.sources) * (n_pairs + 1), len(weight)
    first, second = (np.zeros((n_rows, n_parts)) for _ in range(2))
    np.add.at(first, (row[sentences.side > 0], part[sentences.side > 0]), 1)
    np.add.at(second, (row[sentences.side < 0], part[sentences.side < 0]), 1)
    usable = (first > 0) & (second > 0)
    is_pair_row = np.arange(n_rows) % (n_pairs + 1) < n_pairs
    shares = usable * np.where(is_pair_row[:, None], 1.0, weight[None, :])
    totals = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, totals, out=np.zeros_like(shares), where=totals > 0)
    counts = np.where(sentences.side > 0, first[row, part], second[row, part])
    value = sentences.side * shares[row, part] / counts
    kept = np.flatnonzero(totals[:, 0] > 0)
    renumbered = np.full(n_rows, -1)
    renumbered[kept] = np.arange(len(kept))
    used = value != 0
    matrix = sparse.csr_array((value[used], (renumbered[row[used]], sentences.row[used])), shape=(len(kept), width))
    names = (*sentences.pairs, AVERAGE)
    comparisons = pl.DataFrame(
        {
            "source": [sentences.sources[number // (n_pairs + 1)] for number in kept],
            "label": [names[number % (n_pairs + 1)] for number in kept],
        },
        schema={"source": pl.String, "label": pl.String},
    )
    return matrix, comparisons


def _stratum_weights(sentences: _Sentences, stratum: Ints) -> Floats:
    """Each stratum's share of the unpaired persons."""
    alone = np.unique(sentences.person[sentences.pair < 0])
    if not len(alone):
        return np.ones(1)
    sizes = np.bincount(stratum[alone])
    return np.asarray(sizes / sizes.sum(), dtype=np.float64)


@dataclass(frozen=True)
class _Units:
    labels: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]
    stratum: Ints
    coefficients: Floats
    block: Ints
    of_sentence: Ints


def _units(sentences: _Sentences, stratum_of_person: Ints) -> _Units:
    """Pairs as one stratum, then the two sides of each stratum of unpaired persons."""
    pairs = np.unique(sentences.pair[sentences.pair >= 0])
    alone = np.flatnonzero(sentences.pair < 0)
    _, where = np.unique(sentences.person[alone], return_index=True)
    person, side = sentences.person[alone[where]], sentences.side[alone[where]]
    # Even numbers are first groups, odd ones second.
    key = stratum_of_person[person] * 2 + (side < 0)
    order = np.lexsort((person, key))
    person, key = person[order], key[order]

    place = np.zeros(len(sentences.persons), dtype=np.int64)
    place[person] = len(pairs) + np.arange(len(person))
    of_sentence = np.where(sentences.pair >= 0, np.searchsorted(pairs, sentences.pair), place[sentences.person]).astype(
        np.int64
    )
    keys, names_stratum = np.unique(key, return_inverse=True)
    # As published, a source has one comparison per pair and one for all unpaired persons together.
    names_share = 1 / (len(pairs) + 1)
    weights = np.where(keys % 2 == 0, 1, -1) * _stratum_weights(sentences, stratum_of_person)[keys // 2] * names_share
    pairs_share = [1 - names_share if len(person) else 1.0] if len(pairs) else []
    return _Units(
        labels=tuple(sentences.pairs[number] for number in pairs) + tuple(sentences.persons[p] for p in person),
        members=(*(_both(sentences, number) for number in pairs), *((sentences.persons[p],) for p in person)),
        stratum=np.concatenate([np.zeros(len(pairs), dtype=np.int64), names_stratum + len(pairs_share)]),
        coefficients=np.concatenate([pairs_share, weights]),
        block=np.concatenate([np.full(len(pairs), -1, dtype=np.int64), key // 2]),
        of_sentence=of_sentence,
    )


def _both(sentences: _Sentences, pair: int) -> tuple[str, ...]:
    """A pair's person of the first group and of the second."""
    return tuple(
        sentences.persons[sentences.person[(sentences.pair == pair) & (sentences.side == side)][0]] for side in (1, -1)
    )


def _cells(corpus: Corpus, sentences: _Sentences, units: _Units) -> tuple[pl.DataFrame, Ints]:
    """The sources that hold every unit (a pair with both sides), and each source's number among them."""
    # Two flags per unit and side, so that half a pair does not count as one.
    sides = np.where(sentences.pair >= 0, (sentences.side < 0).astype(np.int64), 0)
    seen = np.unique(np.stack([sentences.source, units.of_sentence * 2 + sides]), axis=1)
    wanted = sum(len(members) for members in units.members)
    complete = np.bincount(seen[0], minlength=len(sentences.sources)) == wanted
    cell_of_source = np.where(complete, np.cumsum(complete) - 1, -1)
    columns = list(dict.fromkeys(["source", *corpus.groupings, *corpus.slots]))
    frame = corpus.frame[sentences.row].select(columns).unique("source", keep="first", maintain_order=True)
    return frame.filter(pl.Series(complete)), cell_of_source


def _entries(sentences: _Sentences, unit_of: Ints, cell_of_source: Ints) -> tuple[Ints, Ints, Ints, Floats]:
    cell = cell_of_source[sentences.source]
    kept = cell >= 0
    unit, cell, row = unit_of[kept], cell[kept], sentences.row[kept]
    sign = np.where(sentences.pair[kept] >= 0, sentences.side[kept], 1)
    # A person may stand in more than one sentence of a source: the value is then their mean.
    _, place, sizes = np.unique(np.stack([unit, cell, sign]), axis=1, return_inverse=True, return_counts=True)
    return unit, cell, row, sign / sizes[place.reshape(-1)]

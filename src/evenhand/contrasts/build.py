"""From sentences to a contrast: who is paired with whom, in which stratum, in which cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.contrasts.contrast import AVERAGE, Contrast, Floats, Ints, codes
from evenhand.corpora import Corpus
from evenhand.errors import UsageError

CROSS = "+"
"""Joins attributes into an intersection: `race+gender`."""


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


def build(
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


def _coded(corpus: Corpus, side: npt.NDArray[np.int64]) -> _Sentences:
    rows = np.flatnonzero(side)
    frame = corpus.frame[rows]
    pairs = frame["pair"] if "pair" in frame.columns else pl.Series([None] * frame.height, dtype=pl.String)
    source, sources = codes(frame["source"].to_list())
    person, persons = codes(frame["person"].to_list())
    pair, pair_names = codes(pairs.to_list())
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

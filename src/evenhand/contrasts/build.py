"""From sentences to a contrast: who is paired with whom, in which stratum, in which cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.contrasts.contrast import AVERAGE, Contrast, Floats, Ints
from evenhand.contrasts.members import Members
from evenhand.contrasts.sentences import Sentences, called, coded_sentences, counts_of
from evenhand.corpora import Corpus
from evenhand.corpora.coded import Coded, Codes, Strings, coded
from evenhand.corpora.families import NAME, families_of
from evenhand.errors import UsageError
from evenhand.numbering import alike, first_rows, numbered, pairs_numbered, renumbered
from evenhand.settings import CROSS

MOST_MATCHLESS = 0.2
"""At most this share of the persons may be left out for want of a match in their stratum."""

PRESENT = 0.9
"""Who stands in fewer than this share of the sources is left out of the general answer, which needs all in each."""


def build(
    corpus: Corpus,
    attribute: str,
    first: str,
    second: str,
    subset: str,
    group: npt.NDArray[np.int64],
    *,
    rest: tuple[str, ...] = (),
) -> Contrast:
    """The contrast between the sentences of group 0 and those of the groups 1 and up; −1 are none of these.

    Several groups on the second side are the `rest` that the first is compared with.
    """
    groups = max(len(rest), 1) + 1
    sentences = coded_sentences(corpus, group, groups)
    stratum_of_person, matchless = _strata(corpus, attribute, sentences)
    left_out: tuple[str, ...] = ()
    if matchless.any():
        group = group.copy()
        group[sentences.row[matchless[sentences.person]]] = -1
        left_out = tuple(sentences.persons.at(np.flatnonzero(matchless)))
        sentences = coded_sentences(corpus, group, groups)
        stratum_of_person, _ = _strata(corpus, attribute, sentences)
    matrix, comparisons = _published(sentences, stratum_of_person, len(corpus))
    if comparisons.height < 2:
        hint = f"; no two sources hold all {groups} groups: compare them in pairs" if rest else ""
        raise UsageError(
            f"{attribute} ({first} against {second}) on the subset {subset!r}: "
            f"{comparisons.height} comparisons; needs two{hint}"
        )
    stray = _stray(sentences)
    units = _units(sentences, stratum_of_person, stray)
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
        n_sources=len(sentences.sources),
        left_out=left_out + tuple(sentences.persons.at(np.flatnonzero(stray))),
        called=called(corpus, sentences.row),
        family=_families(corpus, sentences, units),
        part=_parts(sentences, stratum_of_person, len(corpus)),
        rest=rest,
        group=units.group,
        torn=_torn_apart(sentences, stratum_of_person, units),
    )


def _torn_apart(sentences: Sentences, stratum_of_person: Ints, units: _Units) -> str | None:
    """Why there is no general answer, where leaving people out empties a group."""
    alone = sentences.pair < 0
    wanted = np.unique(stratum_of_person[sentences.person[alone]] * sentences.groups + sentences.group[alone])
    if len(wanted) == (units.group >= 0).sum():
        return None
    if _in_several(sentences).any():
        return "people belong to several of the groups, but not to all of them"
    return "a group has nobody who is in nine tenths of the sources"


def _parts(sentences: Sentences, stratum: Ints, width: int) -> Ints:
    """Each sentence's stratum, for a comparison of single persons."""
    parts = np.full(width, -1, dtype=np.int64)
    parts[sentences.row] = np.where(sentences.pair >= 0, 0, stratum[sentences.person])
    return parts


def _families(corpus: Corpus, sentences: Sentences, units: _Units) -> Ints:
    """The family of each unit; who has a counterpart in the other groups is of no group."""
    group = np.where(sentences.pair >= 0, -1, sentences.group)
    found = _families_found(corpus, sentences, group, np.arange(len(sentences.row)))
    if not found:
        return numbered_apart(units.group[units.stratum], units.labels)
    who = zip(units.group[units.stratum].tolist(), units.labels, strict=True)
    return numbered([found.get(unit, unit) for unit in who])


def numbered_apart(group: Ints, labels: Strings) -> Ints:
    """The same number for units of one group and label, in order of appearance."""
    return renumbered(alike(group + 1, Coded.of(labels.column).numbers), len(labels))[0]


def _families_found(corpus: Corpus, sentences: Sentences, group: Ints, places: Ints) -> dict[tuple[int, str], str]:
    """The families among some of the sentences; whoever stands there again and again is looked at once."""
    if not {"family", "kind"} & set(corpus.frame.columns):
        return {}
    told = "family" if "family" in corpus.frame.columns else "kind"
    said = coded(corpus, told)
    if told == "kind" and NAME not in said.labels:
        return {}
    rows = sentences.row[places]
    key = alike(group[places] + 1, sentences.person[places], said.numbers[rows] + 1)
    first = np.sort(first_rows(key, int(key.max(initial=-1)) + 1))
    known = [*said.labels, None]  # the last is that of −1
    there = {
        "person": sentences.persons.at(sentences.person[places[first]]).column,
        told: pl.Series([known[number] for number in said.numbers[rows[first]].tolist()], dtype=pl.String),
    }
    return families_of(pl.DataFrame(there), within=group[places[first]].tolist())


def _strata(corpus: Corpus, attribute: str, sentences: Sentences) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """The stratum of each unpaired person, the crossing of the other attributes, and who has no match in theirs.

    Strata without two persons (two families) of each group are put together; if that is not enough, their persons are
    left out. Where that would be too many, the crossing does without an attribute.
    """
    alone = np.flatnonzero(sentences.pair < 0)
    person, members = _each_person(sentences, alone)
    group = sentences.group[members]
    found = _families_found(corpus, sentences, sentences.group, alone)
    if found:
        who = zip(group.tolist(), sentences.persons.at(person), strict=True)
        family = numbered([found.get(one, one) for one in who])
    else:
        family = np.arange(len(person), dtype=np.int64)
    stratum = np.zeros(len(sentences.persons), dtype=np.int64)
    matchless = np.zeros(len(sentences.persons), dtype=bool)
    others = [
        other
        for other in corpus.attributes
        if other not in attribute.split(CROSS) and _is_of_person(corpus, sentences, other)
    ]
    for chosen in _choices(others):
        there = [coded(corpus, other).numbers[sentences.row[members]] + 1 for other in chosen]
        number = renumbered(alike(np.zeros_like(members), *there), len(members))[0]
        thin = ~_two_a_group(number, group, family, sentences.groups)
        number[thin] = len(members)
        thin = ~_two_a_group(number, group, family, sentences.groups)
        if not chosen or thin.sum() <= MOST_MATCHLESS * len(thin):
            stratum[person] = np.unique(number, return_inverse=True)[1]
            matchless[person[thin]] = bool(chosen)
            break
    return stratum, matchless


def _each_person(sentences: Sentences, among: Ints) -> tuple[Ints, Ints]:
    """The persons in some of the sentences, and the first of these about each."""
    first = first_rows(sentences.person[among], len(sentences.persons))
    person = np.flatnonzero(first < len(among))
    return person, among[first[person]]


def _is_of_person(corpus: Corpus, sentences: Sentences, attribute: str) -> bool:
    """Whether an attribute has one value for each person, so that it can say where the person belongs."""
    pairs, _ = pairs_numbered(sentences.person, coded(corpus, attribute).numbers[sentences.row] + 1)
    return len(pairs[0]) == len(sentences.persons)


def _two_a_group(number: Ints, group: Ints, family: Ints, groups: int) -> npt.NDArray[np.bool_]:
    """For each person, whether their stratum has two families of each group; who has none is one of their own."""
    strata = number.max(initial=0) + 1
    first = first_rows(key := alike(number, group, family), int(key.max(initial=-1)) + 1)
    number_of, group_of = number[first], group[first]
    enough = [np.bincount(number_of[group_of == wanted], minlength=strata) >= 2 for wanted in range(groups)]
    return np.asarray(np.all(enough, axis=0)[number], dtype=np.bool_)


def _choices(others: list[str]) -> Iterator[tuple[str, ...]]:
    for size in range(len(others), -1, -1):
        yield from combinations(others, size)


def _published(sentences: Sentences, stratum: Ints, width: int) -> tuple[sparse.csr_array, pl.DataFrame]:
    """The comparisons as published: pairs, then the averages over unpaired persons, source by source."""
    paired = sentences.pair >= 0
    n_pairs = len(sentences.pairs)
    # One row number per source and pair, the average last; rows that lack a side are dropped below.
    row = sentences.source.astype(np.int64) * (n_pairs + 1) + np.where(paired, sentences.pair, n_pairs)
    part = np.where(paired, 0, stratum[sentences.person])
    weight = _stratum_weights(sentences, stratum)
    n_rows, n_parts = len(sentences.sources) * (n_pairs + 1), len(weight)
    # Persons weigh the same, whether a source has one sentence about them or several.
    which = alike(row, sentences.person, sentences.group)
    times = np.bincount(which)
    where = first_rows(which, len(times))
    place = (sentences.group[where] * n_rows + row[where]) * n_parts + part[where]
    there = np.bincount(place, minlength=sentences.groups * n_rows * n_parts).reshape(sentences.groups, n_rows, n_parts)
    usable = (there > 0).all(axis=0)
    is_pair_row = np.arange(n_rows) % (n_pairs + 1) < n_pairs
    shares = usable * np.where(is_pair_row[:, None], 1.0, weight[None, :])
    totals = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, totals, out=np.zeros_like(shares), where=totals > 0)
    persons_there = there[sentences.group, row, part]
    value = sentences.counts * shares[row, part] / persons_there / times[which]
    kept = np.flatnonzero(totals[:, 0] > 0)
    renumbered = np.full(n_rows, -1)
    renumbered[kept] = np.arange(len(kept))
    used = value != 0
    matrix = sparse.csr_array((value[used], (renumbered[row[used]], sentences.row[used])), shape=(len(kept), width))
    names = sentences.pairs + Strings([AVERAGE])
    sources = sentences.sources.at(kept // (n_pairs + 1))
    return matrix, pl.DataFrame({"source": sources.column, "label": names.at(kept % (n_pairs + 1)).column})


def _stratum_weights(sentences: Sentences, stratum: Ints) -> Floats:
    """Each stratum's share of the unpaired persons."""
    alone = np.unique(sentences.person[sentences.pair < 0])
    if not len(alone):
        return np.ones(1)
    sizes = np.bincount(stratum[alone])
    return np.asarray(sizes / sizes.sum(), dtype=np.float64)


@dataclass(frozen=True)
class _Units:
    labels: Strings
    members: Members
    stratum: Ints
    coefficients: Floats
    group: Ints
    """The group of each stratum; −1 for pairs."""
    block: Ints
    of_sentence: Ints


def _stray(sentences: Sentences) -> npt.NDArray[np.bool_]:
    """Who is missing from so many sources that they would take those with them, or has no group of their own."""
    here, _ = pairs_numbered(sentences.source, sentences.person)
    share = np.bincount(here[1], minlength=len(sentences.persons)) / len(sentences.sources)
    stray = share < PRESENT
    if not stray.any():
        return _in_several(sentences)
    # A pair goes as a whole.
    paired = sentences.pair >= 0
    goes = np.zeros(len(sentences.pairs) + 1, dtype=bool)  # the last is that of −1
    goes[sentences.pair[paired & stray[sentences.person]]] = True
    stray[sentences.person[paired & goes[sentences.pair]]] = True
    return _in_several(sentences) if stray.all() else stray | _in_several(sentences)


def _in_several(sentences: Sentences) -> npt.NDArray[np.bool_]:
    """Who stands in several groups but not in all, and is no counterpart of their own: a sample of none of them."""
    alone = sentences.pair < 0
    there, _ = pairs_numbered(sentences.person[alone], sentences.group[alone])
    return np.bincount(there[0], minlength=len(sentences.persons)) > 1


def _units(sentences: Sentences, stratum_of_person: Ints, stray: npt.NDArray[np.bool_]) -> _Units:
    """Pairs as one stratum, then the groups of each stratum of unpaired persons."""
    kept = ~stray[sentences.person]
    pairs = np.unique(sentences.pair[kept & (sentences.pair >= 0)])
    alone = np.flatnonzero(kept & (sentences.pair < 0))
    person, members = _each_person(sentences, alone)
    groups = sentences.groups
    key = stratum_of_person[person] * groups + sentences.group[members]
    order = np.lexsort((person, key))
    person, key = person[order], key[order]

    place = np.zeros(len(sentences.persons), dtype=np.int64)
    place[person] = len(pairs) + np.arange(len(person))
    unit = np.where(sentences.pair >= 0, np.searchsorted(pairs, sentences.pair), place[sentences.person])
    keys, names_stratum = np.unique(key, return_inverse=True)
    # As published, a source has one comparison per pair and one for all unpaired persons together.
    names_share = 1 / (len(pairs) + 1)
    weights = counts_of(keys % groups, groups) * _stratum_weights(sentences, stratum_of_person)[keys // groups]
    pairs_share = [1 - names_share if len(person) else 1.0] if len(pairs) else []
    return _Units(
        labels=sentences.pairs.at(pairs) + sentences.persons.at(person),
        members=_members(sentences, pairs, person, key % groups > 0),
        stratum=np.concatenate([np.zeros(len(pairs), dtype=np.int64), names_stratum + len(pairs_share)]),
        coefficients=np.concatenate([pairs_share, weights * names_share]),
        group=np.concatenate([np.full(len(pairs_share), -1, dtype=np.int64), keys % groups]),
        block=np.concatenate([np.full(len(pairs), -1, dtype=np.int64), key // groups]),
        of_sentence=np.where(kept, unit, -1).astype(np.int64),
    )


def _members(sentences: Sentences, pairs: Codes, alone: Ints, second: npt.NDArray[np.bool_]) -> Members:
    """The persons of each pair by side, then those who are alone, each on the first side or the `second`."""
    persons, paired = len(sentences.persons), sentences.pair >= 0
    side = sentences.pair[paired].astype(np.int64) * 2 + (sentences.group[paired] > 0)
    there = np.unique(side * persons + sentences.person[paired])
    there = there[np.isin(there // persons // 2, pairs)]
    of_pairs = np.bincount(there // persons, minlength=2 * len(sentences.pairs)).reshape(-1, 2)[pairs]
    of_alone = np.stack([~second, second], axis=1).astype(np.int64)
    who = np.concatenate([there % persons, alone])
    return Members(sentences.persons, who.astype(np.int32), np.concatenate([of_pairs, of_alone]))


def _cells(corpus: Corpus, sentences: Sentences, units: _Units) -> tuple[pl.DataFrame, Ints]:
    """The sources that hold every unit (a pair with all of its persons), and each source's number among them."""
    kept = units.of_sentence >= 0
    # Whoever stands in several groups must do so in each source.
    who = alike(units.of_sentence[kept], sentences.person[kept], sentences.group[kept])
    seen, _ = pairs_numbered(sentences.source[kept], who)
    complete = np.bincount(seen[0], minlength=len(sentences.sources)) == max(int(who.max(initial=-1)) + 1, 1)
    cell_of_source = np.where(complete, np.cumsum(complete) - 1, -1)
    columns = list(dict.fromkeys(["source", *corpus.groupings, *corpus.slots]))
    first = first_rows(sentences.source, len(sentences.sources))[complete]
    return corpus.frame.select(columns)[sentences.row[first]], cell_of_source


def _entries(sentences: Sentences, unit_of: Ints, cell_of_source: Ints) -> tuple[Codes, Codes, Codes, Floats]:
    cell = cell_of_source[sentences.source]
    kept = (cell >= 0) & (unit_of >= 0)
    unit, cell, row, person = unit_of[kept], cell[kept], sentences.row[kept], sentences.person[kept]
    paired = sentences.pair[kept] >= 0
    sign, group = np.where(paired, sentences.counts[kept], 1.0), np.where(paired, sentences.group[kept], 0)
    # Several sentences about a person, and several persons of one group of a pair, count as their mean.
    which = alike(unit, cell, group, person)
    sentences_there = np.bincount(which)
    first = first_rows(which, len(sentences_there))
    side = alike(unit, cell, group)
    persons_there = np.bincount(side[first])
    value = sign / sentences_there[which] / persons_there[side]
    return unit.astype(np.int32), cell.astype(np.int32), row.astype(np.int32), value

"""From sentences to a contrast: who is paired with whom, in which stratum, in which cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.contrasts.contrast import AVERAGE, TEXTS, Contrast, Floats, Ints, codes
from evenhand.corpora import Corpus
from evenhand.corpora.families import families_of
from evenhand.errors import UsageError
from evenhand.numbering import numbered
from evenhand.settings import CROSS

TEXT = "text"
"""The kind of persons who stand in one text of somebody's own each: the texts are the sample, and all else is alike."""

CALLED = {"name": "names", "surname": "names", "identity": "terms", "country": "countries", TEXT: TEXTS}
"""What the persons of a contrast are, in a word, where they are all of one kind."""

MOST_MATCHLESS = 0.2
"""At most this share of the persons may be left out for want of a match in their stratum."""

PRESENT = 0.9
"""Who stands in fewer than this share of the sources is left out of the general answer, which needs all in each."""


@dataclass(frozen=True)
class _Sentences:
    """The sentences of a contrast as codes: where they stand, and who they are about."""

    row: Ints
    group: Ints
    """0 is the first group; the others are the second side, which is their mean."""
    groups: int
    source: Ints
    person: Ints
    pair: Ints
    """−1 where the person has no counterpart in the other groups."""
    sources: tuple[str, ...]
    persons: tuple[str, ...]
    pairs: tuple[str, ...]

    @property
    def counts(self) -> Floats:
        """What each sentence's group counts: the other groups count the same, whatever their size."""
        return _counts(self.group, self.groups)


def _counts(group: Ints, groups: int) -> Floats:
    return np.where(group == 0, 1.0, -1 / max(groups - 1, 1))


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
    sentences = _coded(corpus, group, groups)
    stratum_of_person, matchless = _strata(corpus, attribute, sentences)
    left_out: tuple[str, ...] = ()
    if matchless.any():
        group = group.copy()
        group[sentences.row[matchless[sentences.person]]] = -1
        left_out = tuple(sentences.persons[number] for number in np.flatnonzero(matchless))
        sentences = _coded(corpus, group, groups)
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
        left_out=left_out + tuple(sentences.persons[number] for number in np.flatnonzero(stray)),
        called=called(corpus, sentences.row),
        family=_families(corpus, sentences, units),
        part=_parts(sentences, stratum_of_person, len(corpus)),
        rest=rest,
        group=units.group,
        torn=_torn_apart(sentences, stratum_of_person, units),
    )


def _torn_apart(sentences: _Sentences, stratum_of_person: Ints, units: _Units) -> str | None:
    """Why there is no general answer, where leaving people out empties a group."""
    alone = sentences.pair < 0
    wanted = np.unique(stratum_of_person[sentences.person[alone]] * sentences.groups + sentences.group[alone])
    if len(wanted) == (units.group >= 0).sum():
        return None
    if _in_several(sentences).any():
        return "people belong to several of the groups, but not to all of them"
    return "a group has nobody who is in nine tenths of the sources"


def _parts(sentences: _Sentences, stratum: Ints, width: int) -> Ints:
    """Each sentence's stratum, for a comparison of single persons."""
    parts = np.full(width, -1, dtype=np.int64)
    parts[sentences.row] = np.where(sentences.pair >= 0, 0, stratum[sentences.person])
    return parts


def _families(corpus: Corpus, sentences: _Sentences, units: _Units) -> Ints:
    """The family of each unit; who has a counterpart in the other groups is of no group."""
    group = np.where(sentences.pair >= 0, -1, sentences.group).tolist()
    found = families_of(corpus.frame[sentences.row], within=group)
    who = zip(units.group[units.stratum].tolist(), units.labels, strict=True)
    return numbered([found.get(unit, unit) for unit in who])


def called(corpus: Corpus, rows: Ints) -> str:
    """What the persons of these sentences are, in a word."""
    kinds = set(corpus.frame["kind"][rows].unique().to_list()) if "kind" in corpus.frame.columns else set()
    return CALLED.get(kinds.pop(), "persons") if len(kinds) == 1 else "persons"


def _coded(corpus: Corpus, group: npt.NDArray[np.int64], groups: int) -> _Sentences:
    rows = np.flatnonzero(group >= 0)
    frame, mine = corpus.frame[rows], group[rows]
    texts = called(corpus, rows) == TEXTS
    source, sources = codes([TEXTS] * frame.height if texts else frame["source"].to_list())
    person, persons = codes(frame["person"].to_list())
    named = frame["pair"].to_list() if "pair" in frame.columns else [None] * frame.height
    # A pair counts only where all of its groups are asked about: noun phrases paired by gender are no pairs for race.
    pair, pairs = codes(
        [name if on else None for name, on in zip(named, _in_all(codes(named)[0], mine, groups), strict=True)]
    )
    # Who stands in all groups ("the young neighbour", "the old neighbour") is their own counterpart.
    own = (pair < 0) & _in_all(person, mine, groups)
    labels = [
        persons[who] if mine else (pairs[number] if number >= 0 else None)
        for who, mine, number in zip(person, own, pair, strict=True)
    ]
    pair, pairs = codes(labels)
    # Where unpaired persons leave a group empty, the others have nobody to be compared with.
    if 0 < len(set(mine[pair < 0])) < groups:
        group = group.copy()
        group[rows[pair < 0]] = -1
        return _coded(corpus, group, groups)
    return _Sentences(rows, mine, groups, source, person, pair, sources, persons, pairs)


def _in_all(number: Ints, group: Ints, groups: int) -> npt.NDArray[np.bool_]:
    """For each sentence, whether its number (not −1) stands in all groups."""
    there = [set(number[(group == wanted) & (number >= 0)]) for wanted in range(groups)]
    return np.isin(number, list(set.intersection(*there)))


def _strata(corpus: Corpus, attribute: str, sentences: _Sentences) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """The stratum of each unpaired person, the crossing of the other attributes, and who has no match in theirs.

    Strata without two persons (two families) of each group are put together; if that is not enough, their persons are
    left out. Where that would be too many, the crossing does without an attribute.
    """
    frame = corpus.frame[sentences.row]
    alone = np.flatnonzero(sentences.pair < 0)
    _, where = np.unique(sentences.person[alone], return_index=True)
    members = alone[where]
    person, group = sentences.person[members], sentences.group[members]
    found = families_of(frame[alone], within=sentences.group[alone].tolist())
    who = [(mine, sentences.persons[number]) for mine, number in zip(group.tolist(), person.tolist(), strict=True)]
    family = np.array(numbered([found.get(one, one) for one in who]), dtype=np.int64)
    stratum = np.zeros(len(sentences.persons), dtype=np.int64)
    matchless = np.zeros(len(sentences.persons), dtype=bool)
    others = [
        other for other in corpus.attributes if other not in attribute.split(CROSS) and _is_of_person(frame, other)
    ]
    for chosen in _choices(others):
        keys = [tuple(row) for row in frame[members].select(chosen).iter_rows()] if chosen else [()] * len(members)
        number = numbered(keys)
        thin = ~_two_a_group(number, group, family, sentences.groups)
        number[thin] = len(keys)
        thin = ~_two_a_group(number, group, family, sentences.groups)
        if not chosen or thin.sum() <= MOST_MATCHLESS * len(thin):
            stratum[person] = np.unique(number, return_inverse=True)[1]
            matchless[person[thin]] = bool(chosen)
            break
    return stratum, matchless


def _is_of_person(frame: pl.DataFrame, attribute: str) -> bool:
    """Whether an attribute has one value for each person, so that it can say where the person belongs."""
    return frame.group_by("person").agg(pl.col(attribute).n_unique() == 1)[attribute].all()


def _two_a_group(number: Ints, group: Ints, family: Ints, groups: int) -> npt.NDArray[np.bool_]:
    """For each person, whether their stratum has two families of each group; who has none is one of their own."""
    strata = number.max(initial=0) + 1
    number_of, group_of, _ = np.unique(np.stack([number, group, family]), axis=1)
    enough = [np.bincount(number_of[group_of == wanted], minlength=strata) >= 2 for wanted in range(groups)]
    return np.asarray(np.all(enough, axis=0)[number], dtype=np.bool_)


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
    # Persons weigh the same, whether a source has one sentence about them or several.
    _, where, which, times = np.unique(
        np.stack([row, sentences.person, sentences.group]),
        axis=1,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    there = np.zeros((sentences.groups, n_rows, n_parts))
    np.add.at(there, (sentences.group[where], row[where], part[where]), 1)
    usable = (there > 0).all(axis=0)
    is_pair_row = np.arange(n_rows) % (n_pairs + 1) < n_pairs
    shares = usable * np.where(is_pair_row[:, None], 1.0, weight[None, :])
    totals = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, totals, out=np.zeros_like(shares), where=totals > 0)
    persons_there = there[sentences.group, row, part]
    value = sentences.counts * shares[row, part] / persons_there / times[which.reshape(-1)]
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
    members: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    stratum: Ints
    coefficients: Floats
    group: Ints
    """The group of each stratum; −1 for pairs."""
    block: Ints
    of_sentence: Ints


def _stray(sentences: _Sentences) -> npt.NDArray[np.bool_]:
    """Who is missing from so many sources that they would take those with them, or has no group of their own."""
    here = np.unique(np.stack([sentences.source, sentences.person]), axis=1)
    share = np.bincount(here[1], minlength=len(sentences.persons)) / len(sentences.sources)
    stray = share < PRESENT
    if not stray.any():
        return _in_several(sentences)
    # A pair goes as a whole.
    for pair in np.unique(sentences.pair[sentences.pair >= 0]):
        both = np.unique(sentences.person[sentences.pair == pair])
        stray[both] = stray[both].any()
    return _in_several(sentences) if stray.all() else stray | _in_several(sentences)


def _in_several(sentences: _Sentences) -> npt.NDArray[np.bool_]:
    """Who stands in several groups but not in all, and is no counterpart of their own: a sample of none of them."""
    alone = sentences.pair < 0
    there = np.unique(np.stack([sentences.person[alone], sentences.group[alone]]), axis=1)
    return np.bincount(there[0], minlength=len(sentences.persons)) > 1


def _units(sentences: _Sentences, stratum_of_person: Ints, stray: npt.NDArray[np.bool_]) -> _Units:
    """Pairs as one stratum, then the groups of each stratum of unpaired persons."""
    kept = ~stray[sentences.person]
    pairs = np.unique(sentences.pair[kept & (sentences.pair >= 0)])
    alone = np.flatnonzero(kept & (sentences.pair < 0))
    _, where = np.unique(sentences.person[alone], return_index=True)
    person, groups = sentences.person[alone[where]], sentences.groups
    key = stratum_of_person[person] * groups + sentences.group[alone[where]]
    order = np.lexsort((person, key))
    person, key = person[order], key[order]

    place = np.zeros(len(sentences.persons), dtype=np.int64)
    place[person] = len(pairs) + np.arange(len(person))
    unit = np.where(sentences.pair >= 0, np.searchsorted(pairs, sentences.pair), place[sentences.person])
    keys, names_stratum = np.unique(key, return_inverse=True)
    # As published, a source has one comparison per pair and one for all unpaired persons together.
    names_share = 1 / (len(pairs) + 1)
    weights = _counts(keys % groups, groups) * _stratum_weights(sentences, stratum_of_person)[keys // groups]
    pairs_share = [1 - names_share if len(person) else 1.0] if len(pairs) else []
    return _Units(
        labels=tuple(sentences.pairs[number] for number in pairs) + tuple(sentences.persons[p] for p in person),
        members=(
            *_both(sentences, pairs),
            *(
                ((name,), ()) if k % groups == 0 else ((), (name,))
                for name, k in zip((sentences.persons[p] for p in person), key, strict=True)
            ),
        ),
        stratum=np.concatenate([np.zeros(len(pairs), dtype=np.int64), names_stratum + len(pairs_share)]),
        coefficients=np.concatenate([pairs_share, weights * names_share]),
        group=np.concatenate([np.full(len(pairs_share), -1, dtype=np.int64), keys % groups]),
        block=np.concatenate([np.full(len(pairs), -1, dtype=np.int64), key // groups]),
        of_sentence=np.where(kept, unit, -1).astype(np.int64),
    )


def _both(sentences: _Sentences, pairs: Ints) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each pair's persons of the first group and of the second."""
    persons, paired = len(sentences.persons), sentences.pair >= 0
    side = sentences.pair[paired] * 2 + (sentences.group[paired] > 0)
    there = np.unique(side * persons + sentences.person[paired])
    ends = np.searchsorted(there, np.stack([pairs * 2, pairs * 2 + 1, pairs * 2 + 2]) * persons)
    names = [sentences.persons[person] for person in (there % persons).tolist()]
    for first, second, end in ends.T.tolist():
        yield tuple(names[first:second]), tuple(names[second:end])


def _cells(corpus: Corpus, sentences: _Sentences, units: _Units) -> tuple[pl.DataFrame, Ints]:
    """The sources that hold every unit (a pair with all of its persons), and each source's number among them."""
    kept = units.of_sentence >= 0
    # Whoever stands in several groups must do so in each source.
    who = (units.of_sentence * len(sentences.persons) + sentences.person) * sentences.groups + sentences.group
    seen = np.unique(np.stack([sentences.source[kept], who[kept]]), axis=1)
    complete = np.bincount(seen[0], minlength=len(sentences.sources)) == max(len(np.unique(who[kept])), 1)
    cell_of_source = np.where(complete, np.cumsum(complete) - 1, -1)
    columns = list(dict.fromkeys(["source", *corpus.groupings, *corpus.slots]))
    frame = corpus.frame[sentences.row].select(columns).unique("source", keep="first", maintain_order=True)
    frame = frame.head(len(sentences.sources))  # one for all texts, where these are the units
    return frame.filter(pl.Series(complete)), cell_of_source


def _entries(sentences: _Sentences, unit_of: Ints, cell_of_source: Ints) -> tuple[Ints, Ints, Ints, Floats]:
    cell = cell_of_source[sentences.source]
    kept = (cell >= 0) & (unit_of >= 0)
    unit, cell, row, person = unit_of[kept], cell[kept], sentences.row[kept], sentences.person[kept]
    paired = sentences.pair[kept] >= 0
    sign, group = np.where(paired, sentences.counts[kept], 1.0), np.where(paired, sentences.group[kept], 0)
    # Several sentences about a person, and several persons of one group of a pair, count as their mean.
    _, which, sentences_there = np.unique(
        np.stack([unit, cell, group, person]), axis=1, return_inverse=True, return_counts=True
    )
    persons = np.unique(np.stack([unit, cell, group, person]), axis=1)
    _, side, persons_there = np.unique(persons[:3], axis=1, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    return unit, cell, row, sign / sentences_there[which] / persons_there[side.reshape(-1)[which]]

"""The sentences of a contrast as numbers: where they stand, who they are about, and who corresponds to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.contrasts.contrast import TEXTS, Floats, Ints
from evenhand.corpora import Corpus
from evenhand.corpora.coded import Coded, Codes, Strings, coded
from evenhand.numbering import renumbered

TEXT = "text"
"""The kind of persons who stand in one text of somebody's own each: the texts are the sample, and all else is alike."""

CALLED = {"name": "names", "surname": "names", "identity": "terms", "country": "countries", TEXT: TEXTS}
"""What the persons of a contrast are, in a word, where they are all of one kind."""


@dataclass(frozen=True)
class Sentences:
    """The sentences of a contrast as codes: where they stand, and who they are about."""

    row: Ints
    group: Ints
    """0 is the first group; the others are the second side, which is their mean."""
    groups: int
    source: Codes
    person: Codes
    pair: Codes
    """−1 where the person has no counterpart in the other groups."""
    sources: Strings
    persons: Strings
    pairs: Strings

    @property
    def counts(self) -> Floats:
        """What each sentence's group counts: the other groups count the same, whatever their size."""
        return counts_of(self.group, self.groups)


def counts_of(group: Ints, groups: int) -> Floats:
    """What each group counts: the first one, and all others together minus one."""
    return np.where(group == 0, 1.0, -1 / max(groups - 1, 1))


def called(corpus: Corpus, rows: Ints) -> str:
    """What the persons of these sentences are, in a word."""
    if "kind" not in corpus.frame.columns:
        return "persons"
    kind = coded(corpus, "kind")
    kinds = np.unique(kind.numbers[rows])
    return CALLED.get(kind.labels[kinds[0]], "persons") if len(kinds) == 1 and kinds[0] >= 0 else "persons"


def coded_sentences(corpus: Corpus, group: npt.NDArray[np.int64], groups: int) -> Sentences:
    """The sentences of the groups 0 and up; −1 are none of these."""
    rows = np.flatnonzero(group >= 0)
    mine = group[rows]
    if called(corpus, rows) == TEXTS:
        source = Coded(np.zeros(len(rows), dtype=np.int32), Strings([TEXTS]))
    else:
        source = coded(corpus, "source").at(rows)
    person = coded(corpus, "person").at(rows)
    pair = _pairs(corpus, rows, person, mine, groups)
    # Where unpaired persons leave a group empty, the others have nobody to be compared with.
    if 0 < len(np.unique(mine[pair.numbers < 0])) < groups:
        group = group.copy()
        group[rows[pair.numbers < 0]] = -1
        return coded_sentences(corpus, group, groups)
    return Sentences(
        rows, mine, groups, source.numbers, person.numbers, pair.numbers, source.labels, person.labels, pair.labels
    )


def _pairs(corpus: Corpus, rows: Ints, person: Coded, group: Ints, groups: int) -> Coded:
    """Who corresponds to whom among these sentences."""
    nobody = np.full(len(rows), -1, dtype=np.int32)
    named = coded(corpus, "pair").at(rows) if "pair" in corpus.frame.columns else Coded(nobody, Strings([]))
    # A pair counts only where all of its groups are asked about: noun phrases paired by gender are no pairs for race.
    paired = _in_all(named.numbers, group, groups)
    # Who stands in all groups ("the young neighbour", "the old neighbour") is their own counterpart.
    own = ~paired & _in_all(person.numbers, group, groups)
    if not own.any():
        numbers, places = renumbered(np.where(paired, named.numbers, -1), len(named.labels))
        return Coded(numbers.astype(np.int32), named.labels.at(places))
    if not paired.any():
        numbers, places = renumbered(np.where(own, person.numbers, -1), len(person.labels))
        return Coded(numbers.astype(np.int32), person.labels.at(places))
    labels = [
        person.labels[who] if mine else (named.labels[number] if on else None)
        for who, mine, number, on in zip(person.numbers, own, named.numbers, paired, strict=True)
    ]
    return Coded.of(pl.Series(labels, dtype=pl.String))


def _in_all(number: npt.NDArray[np.integer[Any]], group: Ints, groups: int) -> npt.NDArray[np.bool_]:
    """For each sentence, whether its number (not −1) stands in all groups."""
    there = np.zeros((groups, int(number.max(initial=-1)) + 2), dtype=bool)
    there[group, number] = True
    there[:, -1] = False  # that is where −1 went
    found: npt.NDArray[np.bool_] = np.logical_and.reduce(there)[number]
    return found

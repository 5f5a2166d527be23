"""What a repair is fitted on and what it is judged on: persons, templates and words that it has not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from evenhand.asking import Scores, read_only
from evenhand.contrasts import Ints
from evenhand.corpora import Corpus
from evenhand.corpora.coded import Strings, note_part
from evenhand.errors import UsageError
from evenhand.settings import check_resamples

PERSONS = "person"
"""The split by persons; the others are named after the columns that were sampled (template, emotion_word)."""


@dataclass(frozen=True, eq=False)
class Split:
    """The sentences to fit on and those to judge on; they share no value of the column that is new."""

    new: str
    """The column that is new where it is judged."""
    repetition: int
    fit: Ints
    judge: Ints


def splits(corpus: Corpus, *, repetitions: int = 5, seed: int = 0) -> tuple[Split, ...]:
    """Halve persons, and each column that was sampled (the sources where none is named), again and again; each half is
    fitted on once and judged on once.

    Persons are halved within their groups and kinds, and those who correspond one to one stay together. Words are
    halved within their emotion, templates apart by whether they have a word; a sentence without a word is a word of its
    own. A column with fewer than four values cannot be halved into two samples and is left out.
    """
    check_resamples("the number of repetitions", repetitions, least=1)
    rng = np.random.default_rng(seed)
    made: list[Split] = []
    for new, (unit, stratum) in _columns(corpus).items():
        for repetition in range(repetitions):
            side = _halved(unit, stratum, rng)
            halves = np.flatnonzero(side == 0), np.flatnonzero(side == 1)
            made += [Split(new, repetition, *halves), Split(new, repetition, *halves[::-1])]
    if not made:
        raise UsageError(f"corpus {corpus.name!r} has too few persons, templates and words to hold some of them out")
    return tuple(made)


def part(scores: Scores, corpus: Corpus, rows: Ints) -> tuple[Scores, Corpus]:
    """Some sentences and their scores, with the attributes that still have two groups."""
    frame = corpus.frame[rows]
    left = {}
    for attribute, groups in corpus.attributes.items():
        present = tuple(group for group in groups if (frame[attribute] == group).any())
        if len(present) > 1:
            left[attribute] = present
    smaller = replace(
        corpus, frame=frame, attributes=left, drawn_from=corpus.drawn_from or corpus.digest, whole=corpus.asks
    )
    note_part(smaller, corpus, rows)
    return Scores(Strings(smaller.frame["id"]), read_only(scores.matrix[rows]), scores.columns, smaller.digest), smaller


def _columns(corpus: Corpus) -> dict[str, tuple[list[str], list[str]]]:
    """For each column that can be new: the unit that each sentence belongs to, and the stratum of that unit."""
    found = {PERSONS: (_persons(corpus), _groups_of_persons(corpus))}
    for column in corpus.groupings or ("source",):
        found[column] = _values(corpus.frame, column), _strata(corpus, column)
    return {column: both for column, both in found.items() if len(set(both[0])) >= 4}


def _persons(corpus: Corpus) -> list[str]:
    if "pair" not in corpus.frame.columns:
        return corpus.frame["person"].to_list()
    return [
        person if pair is None else f"\x00{pair}" for person, pair in corpus.frame.select("person", "pair").iter_rows()
    ]


def _groups_of_persons(corpus: Corpus) -> list[str]:
    """Persons of one crossing of groups are halved together; pairs are a stratum of their own."""
    groups = [pl.col(attribute).fill_null("\x00") for attribute in corpus.attributes]
    crossed = corpus.frame.select(pl.concat_str(groups, separator="\x00")).to_series()
    if "pair" not in corpus.frame.columns:
        return crossed.to_list()
    paired = corpus.frame["pair"].is_not_null()
    return ["\x00paired" if pair else group for pair, group in zip(paired, crossed, strict=True)]


def _values(frame: pl.DataFrame, column: str) -> list[str]:
    """The values; a sentence without one stands for itself, with all its persons."""
    both = zip(frame[column], frame["source"], strict=True)
    return [f"\x00{source}" if value is None else str(value) for value, source in both]


def _strata(corpus: Corpus, column: str) -> list[str]:
    """Where the column's values are halved apart from each other."""
    if column == "emotion" or "emotion" not in corpus.frame.columns:
        return [""] * len(corpus)
    emotion = corpus.frame["emotion"]
    return [str(value) for value in (emotion.is_null() if column == "template" else emotion)]


def _halved(unit: Sequence[str], stratum: Sequence[str], rng: np.random.Generator) -> Ints:
    """0 or 1 for each sentence: which half its unit fell into."""
    side: dict[str, int] = {}
    turn = int(rng.integers(2))
    strata = list(_by_stratum(unit, stratum))
    # In any order: odd strata take turns in which half gets one more.
    for place in rng.permutation(len(strata)):
        for member in rng.permutation(np.array(strata[place], dtype=object)):
            side[member] = turn
            turn = 1 - turn
    return np.array([side[one] for one in unit], dtype=np.int64)


def _by_stratum(unit: Sequence[str], stratum: Sequence[str]) -> Iterator[list[str]]:
    of_unit = dict(zip(unit, stratum, strict=True))
    for name in dict.fromkeys(of_unit.values()):
        yield [one for one, own in of_unit.items() if own == name]

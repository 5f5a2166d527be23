"""What a repair does to the scores otherwise: does it move sentences past each other?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.corpora import Corpus
from evenhand.repair.evidence import readings
from evenhand.repair.variables import Variable
from evenhand.scoring import Scores
from evenhand.stats import spearman
from evenhand.stats.correlation import is_flat
from evenhand.systems.base import Array

WORDS = "emotion_word"


def prices(scores: Scores, corpus: Corpus, afters: Sequence[Array], variable: Variable) -> dict[str, Array]:
    """By reading: the three rank correlations for each set of answers after, (answers, 3); NaN where undefined."""
    read, own = readings(scores, variable), list(variable.places)
    after = np.stack([variable.read(each[:, own]) for each in afters], axis=2)
    groups, words = _crossed(corpus), _word_means(corpus)
    return {
        column.output.name: _correlations(read.matrix[:, place], after[:, place], groups, words)
        for place, column in enumerate(read.columns)
    }


def _correlations(
    before: Array, after: Array, groups: Sequence[npt.NDArray[np.bool_]], words: sparse.csr_array | None
) -> Array:
    nothing = np.full(after.shape[1], np.nan)
    # A group that all scored the same beforehand has no order to lose.
    within = [spearman(after[mine], before[mine]) for mine in groups if not is_flat(before[mine])]
    order = nothing if words is None else spearman(words @ after, words @ before)
    return np.column_stack([spearman(after, before), np.min(within, axis=0) if within else nothing, order])


def _crossed(corpus: Corpus) -> list[npt.NDArray[np.bool_]]:
    """The sentences about each group of people: those who share all attributes, and the kind."""
    frame, paired = corpus.frame, pl.lit(value=False)
    if "pair" in frame.columns:
        paired = pl.col("pair").is_not_null()
    keys = frame.select(*corpus.attributes, paired.alias("\x00paired")).rows()
    place = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    group = np.array([place[key] for key in keys])
    return [group == one for one in range(len(place))]


def _word_means(corpus: Corpus) -> sparse.csr_array | None:
    """An operator that gives the mean by emotion word, or None where there are no words to order."""
    if WORDS not in corpus.frame.columns or corpus.frame[WORDS].drop_nulls().n_unique() < 3:
        return None
    words = corpus.frame[WORDS].to_list()
    place = {word: number for number, word in enumerate(dict.fromkeys(word for word in words if word is not None))}
    there = np.array([row for row, word in enumerate(words) if word is not None])
    word = np.array([place[words[row]] for row in there])
    return sparse.csr_array((1 / np.bincount(word)[word], (word, there)), shape=(len(place), len(words)))

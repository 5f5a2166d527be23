"""What a repair does to the scores otherwise: does it move sentences past each other, or all of them together?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.corpora.coded import coded
from evenhand.numbering import alike
from evenhand.repairs.evidence import readings
from evenhand.repairs.variables import Variable
from evenhand.stats import spearman
from evenhand.stats.correlation import is_flat
from evenhand.systems.base import Array

WORDS = "emotion_word"


def prices(scores: Scores, corpus: Corpus, afters: Sequence[Array], variable: Variable) -> dict[str, Array]:
    """By reading, for each set of answers after: three rank correlations and the spread that is kept, (answers, 4).

    NaN where undefined.
    """
    read, own = readings(scores, variable), list(variable.places)
    after = np.stack([variable.read(each[:, own]) for each in afters], axis=2)
    groups, words, sources = _crossed(corpus), _means_by(corpus, WORDS), _means_by(corpus, "source")
    return {
        column.output.name: np.column_stack(
            [
                _correlations(read.matrix[:, place], after[:, place], groups, words),
                _spread_kept(read.matrix[:, place], after[:, place], sources),
            ]
        )
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


def _spread_kept(before: Array, after: Array, sources: sparse.csr_array | None) -> Array:
    """How far sentences lie apart after, whoever they are about, as a share of how far they did before."""
    if sources is None or is_flat(sources @ before):
        return np.full(after.shape[1], np.nan)
    kept: Array = (sources @ after).std(axis=0) / (sources @ before).std()
    return kept


def _crossed(corpus: Corpus) -> list[npt.NDArray[np.bool_]]:
    """The sentences about each group of people: those who share all attributes, and the kind."""
    groups = [coded(corpus, attribute).numbers + 1 for attribute in corpus.attributes]
    if "pair" in corpus.frame.columns:
        groups.append((coded(corpus, "pair").numbers >= 0).astype(np.int32))
    group = alike(np.zeros(len(corpus), dtype=np.int32), *groups)
    return [group == one for one in range(group.max() + 1)]


def _means_by(corpus: Corpus, column: str) -> sparse.csr_array | None:
    """An operator that gives the mean by a column's values, or None where there are too few to compare."""
    if column not in corpus.frame.columns or len(coded(corpus, column).labels) < 3:
        return None
    own = coded(corpus, column).numbers
    there = np.flatnonzero(own >= 0)
    own = own[there]
    return sparse.csr_array((1 / np.bincount(own)[own], (own, there)), shape=(own.max() + 1, len(corpus)))

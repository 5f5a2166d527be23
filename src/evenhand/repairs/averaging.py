"""Counterfactual averaging: every sentence gets the mean over all versions of it, so that the person cannot matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.numbering import Ints, numbered
from evenhand.repairs.calibrator import Calibrator, FittedFor, calibrator
from evenhand.repairs.cells import crossed, crossed_groups, parted
from evenhand.repairs.rows import Rows
from evenhand.repairs.wrapping import Bools, Wrapped
from evenhand.systems.base import Array, BaseScorer
from evenhand.systems.through import Asked


@calibrator("averaging")
@dataclass(frozen=True, eq=False)
class Averaging(Calibrator):
    """The mean over a sentence's siblings: first within each group (the crossing of all attributes, and the kind of
    person), then over the groups, which count the same whatever their size.

    Siblings are the sentences of the same source. All of them get the same answer, so that no gap is left among them;
    what differs between sources stays. Nothing is fitted. A sentence without siblings (one that is not in the corpus)
    and one without a group keep their scores, and do not count in the means of others.
    """

    fitted_for: FittedFor

    @classmethod
    def fit(cls, scores: Scores, corpus: Corpus) -> Self:
        """Nothing is fitted; whose scores these are is kept."""
        return cls(FittedFor.of(scores, corpus))

    def corrected(self, columns: Array, rows: Rows) -> Array:
        """The means over those siblings that are there."""
        after = columns.copy()
        own = with_siblings(rows)
        if not len(own) or rows.sources is None:
            return after
        source = numbered(rows.sources[own])
        weights = group_weights(source, crossed_groups(rows)[own])
        for each in parted(source):
            after[own[each]] = _mean(columns[own[each]], weights[each])
        return after

    def content(self) -> dict[str, Any]:
        """Nothing was fitted."""
        return {}

    @classmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        """Read what `content` gave."""
        if content:
            raise ValueError("averaging fits nothing")
        return cls(fitted_for)


@dataclass(frozen=True)
class Versions:
    """The versions of a sentence, and what each counts in their mean."""

    texts: tuple[str, ...]
    weights: Array


class Averaged(Wrapped):
    """A system that is asked about all versions of a sentence in the corpus, and answers with their mean.

    A text that is not in the corpus, or that has no group there, is answered as it is. One that stands in several
    sources is answered as in the first.
    """

    def __init__(self, system: BaseScorer, corpus: Corpus) -> None:
        super().__init__(system, how=Averaging.method)
        self._corpus_digest = corpus.digest
        self._versions = versions_in(corpus)

    def questions(self, texts: Sequence[str]) -> Asked:
        """All versions for the first text of each source; the others of that source share the answers."""
        seen: set[int] = set()
        asked: list[tuple[str, ...]] = []
        for text in texts:
            versions = self._versions.get(text)
            asked.append((text,) if versions is None or id(versions) in seen else versions.texts)
            seen.add(id(versions))
        return asked

    def named(self, texts: Sequence[str]) -> Bools:
        """Those that have a group in the corpus."""
        return np.array([text in self._versions for text in texts], dtype=bool)

    def repaired(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        """The mean over the versions, once for each source."""
        means: dict[int, Array] = {}
        after = np.empty((len(texts), len(self.inner.outputs)))
        for row, (text, answer) in enumerate(zip(texts, answers, strict=True)):
            versions = self._versions.get(text)
            if versions is None:
                after[row] = answer[0]
                continue
            if id(versions) not in means:
                means[id(versions)] = _mean(answer, versions.weights)
            after[row] = means[id(versions)]
        return after

    def settings(self) -> dict[str, object]:
        """The versions come from the corpus."""
        return {**super().settings(), "corpus": self._corpus_digest}

    def remarks(self) -> tuple[str, ...]:
        """Also what the averaging costs."""
        if not self._versions:
            return super().remarks()
        mean = float(np.mean([len(versions.texts) for versions in self._versions.values()]))
        said = (
            f"counterfactual averaging asks {mean:.4g} questions about a sentence that comes by itself; about all "
            f"{len(self._versions):,} sentences of the corpus, which are each other's versions, one each"
        )
        return (*super().remarks(), said)


def with_siblings(rows: Rows) -> Ints:
    """The rows that have a group and a source."""
    if rows.sources is None:
        return np.empty(0, dtype=np.intp)
    sourced = np.array([source is not None for source in rows.sources], dtype=bool)
    return np.flatnonzero(rows.named & sourced)


def versions_in(corpus: Corpus) -> dict[str, Versions]:
    """For each text of a corpus that has a group, the versions of it; one object for all texts of a source."""
    rows = Rows.of(corpus)
    own = with_siblings(rows)
    found: dict[str, Versions] = {}
    if rows.sources is None or not len(own):
        return found
    source = numbered(rows.sources[own])
    weights = group_weights(source, crossed_groups(rows)[own])
    for each in parted(source):
        texts = list(rows.texts[own[each]])
        distinct = tuple(dict.fromkeys(texts))
        place = {text: number for number, text in enumerate(distinct)}
        counted = np.zeros(len(distinct))
        np.add.at(counted, [place[text] for text in texts], weights[each])
        versions = Versions(distinct, counted)
        for text in distinct:
            found.setdefault(text, versions)
    return found


def group_weights(source: Ints, group: Ints) -> Array:
    """What each row counts in the mean of its source: groups the same, rows of a group the same; a source adds to one.

    >>> group_weights(np.array([0, 0, 0, 1]), np.array([5, 5, 6, 5])).tolist()
    [0.25, 0.25, 0.5, 1.0]
    """
    cell = crossed(source, group)
    rows_there = np.bincount(cell)[cell]
    _, first = np.unique(cell, return_index=True)
    groups_there = np.bincount(source[first])[source]
    weights: Array = 1 / (rows_there * groups_there)
    return weights


def _mean(answers: Array, weights: Array) -> Array:
    # Rounding must not carry a mean beyond what was answered, which lies in the output's range.
    return np.clip(weights @ answers, answers.min(axis=0), answers.max(axis=0))

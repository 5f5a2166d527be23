"""From a verdict to its sentences: those behind a difference, and those behind a cell of person and template."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from evenhand.asking import Scores
from evenhand.comparing.answered import by_sentences
from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.contrasts import Contrast, Floats, contrasts
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.stats.types import Ints

MOST_IN_CELL = 200


@dataclass(frozen=True)
class Sentence:
    """A sentence with its person and its score; `weight` is what it counts in its difference."""

    text: str
    person: str
    score: float
    weight: float = 1.0


@dataclass(frozen=True)
class Difference:
    """One difference, without its sentences."""

    row: int
    source: str
    label: str
    """The pair of persons, or `average`."""
    difference: float


@dataclass(frozen=True)
class Behind:
    """One difference: the sentences of both sides, which differ in the person alone."""

    row: int
    source: str
    label: str
    """The pair of persons, or `average`."""
    first: tuple[Sentence, ...]
    second: tuple[Sentence, ...]
    difference: float


@dataclass(frozen=True)
class Beside:
    """A sentence of a cell, and the typical one of the same words: the one whose score lies in the middle."""

    own: Sentence
    typical: Sentence
    away: float
    """Its score less the median of all that differ from it in the person alone."""


class Evidence:
    """The sentences behind an audit that holds its scores."""

    def __init__(self, audit: Audit) -> None:
        if audit.scores is None or audit.corpus is None:
            raise UsageError("this audit was saved without its scores, so there are no sentences to show: audit again")
        self._parts = by_sentences(audit.scores, audit.corpus)
        self._made: dict[tuple[int, str, str, bool], list[Contrast]] = {}

    def differences(self, finding: Finding) -> Floats:
        """All differences of a finding, in the order of its comparisons."""
        contrast, answers = self._contrast(finding)
        found: Floats = contrast.matrix @ answers
        return found

    def between(self, finding: Finding, low: float | None, high: float | None) -> list[Difference]:
        """The differences from one number to another, the largest first: what a box is made of."""
        contrast, _ = self._contrast(finding)
        values = self.differences(finding)
        above = values >= (-np.inf if low is None else low)
        rows = np.flatnonzero(above & (values <= (np.inf if high is None else high)))
        rows = rows[np.argsort(-np.abs(values[rows]), kind="stable")]
        compared = contrast.comparisons[rows]
        labelled = zip(rows.tolist(), compared["source"], compared["label"], values[rows].tolist(), strict=True)
        return [Difference(row, str(source), str(label), value) for row, source, label, value in labelled]

    def behind(self, finding: Finding, row: int) -> Behind:
        """The sentences of one difference."""
        contrast, answers = self._contrast(finding)
        if not 0 <= row < contrast.shape[0]:
            raise UsageError(f"this gap has {contrast.shape[0]:,} differences, numbered from 0: there is no {row}")
        begin, end = contrast.matrix.indptr[row : row + 2]
        places, weights = contrast.matrix.indices[begin:end], contrast.matrix.data[begin:end]
        frame = self._of(finding.system)[1].frame
        source, label = contrast.comparisons["source"][row], contrast.comparisons["label"][row]
        sides = [
            tuple(
                _sentence(frame, int(place), answers, float(weight))
                for place, weight in zip(places, sign * weights, strict=True)
                if weight > 0
            )
            for sign in (1, -1)
        ]
        return Behind(row, str(source), str(label), sides[0], sides[1], float(weights @ answers[places]))

    def cell(self, system: str, output: str, person: str, template: str) -> list[Beside]:
        """A person's sentences in one template, those furthest from the typical score first."""
        scores, corpus = self._of(system)
        frame = corpus.frame
        if "template" not in frame.columns:
            raise UsageError("the sentences of this audit do not come in templates")
        chosen = (frame["person"] == person) & (frame["template"] == template)
        mine = np.flatnonzero(chosen.fill_null(False).to_numpy())
        if not len(mine):
            raise UsageError("no sentence of this audit has this person and this template")
        answers = _answers(scores, system, output)
        found = [self._beside(frame, int(place), answers) for place in mine]
        return sorted(found, key=lambda one: -abs(one.away))[:MOST_IN_CELL]

    def _beside(self, frame: pl.DataFrame, place: int, answers: Floats) -> Beside:
        together = self._in_source[id(frame)][frame["source"][place]]
        median = float(np.median(answers[together]))
        others = together[together != place]
        typical = int(others[np.argmin(np.abs(answers[others] - median))]) if len(others) else place
        own = _sentence(frame, place, answers)
        return Beside(own, _sentence(frame, typical, answers), own.score - median)

    @cached_property
    def _in_source(self) -> dict[int, dict[str, Ints]]:
        """For each table of sentences, the rows of each source."""
        return {id(corpus.frame): _grouped(corpus.frame["source"]) for _, corpus in self._parts}

    def _of(self, system: str) -> tuple[Scores, Corpus]:
        return self._parts[self._part(system)]

    def _part(self, system: str) -> int:
        for number, (scores, _) in enumerate(self._parts):
            if any(column.system == system for column in scores.columns):
                return number
        raise UsageError(f"this audit holds no scores of {system}")

    def _contrast(self, finding: Finding) -> tuple[Contrast, Floats]:
        part, pairs = self._part(finding.system), not finding.rest
        scores, corpus = self._parts[part]
        key = (part, finding.attribute, finding.subset, pairs)
        if key not in self._made:
            self._made[key] = contrasts(corpus, finding.attribute, subset=finding.subset, pairs=pairs)
        sides = (finding.first, finding.second, bool(finding.rest))
        for one in self._made[key]:
            if (one.first, one.second, bool(one.rest)) == sides:
                return one, _answers(scores, finding.system, finding.output)
        raise UsageError("the corpus beside this audit does not ask this question any more: audit again")


def _answers(scores: Scores, system: str, output: str) -> Floats:
    for place, column in enumerate(scores.columns):
        if (column.system, column.output.name) == (system, output):
            return scores.matrix[:, place]
    raise UsageError(f"this audit holds no scores of {system} ({output})")


def _sentence(frame: pl.DataFrame, place: int, answers: Floats, weight: float = 1.0) -> Sentence:
    return Sentence(str(frame["text"][place]), str(frame["person"][place]), float(answers[place]), weight)


def _grouped(sources: pl.Series) -> dict[str, Ints]:
    rows = pl.DataFrame({"source": sources}).with_row_index("row").group_by("source").agg(pl.col("row"))
    return {name: np.array(found, dtype=np.int64) for name, found in rows.iter_rows()}

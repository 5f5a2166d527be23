"""Judging repairs: before against after, on persons, templates and words that they were not fitted on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.comparing.settings import Settings
from evenhand.comparing.tested import Tested
from evenhand.contrasts import contrast
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.repair.calibrator import Calibrator
from evenhand.repair.evidence import EVERYBODY, KINDS, readings
from evenhand.repair.outcomes import Estimate, Outcome, Price, outcome
from evenhand.repair.rows import Rows
from evenhand.repair.splits import Split, part
from evenhand.repair.variables import variables
from evenhand.scoring import Column, Scores
from evenhand.stats import spearman
from evenhand.systems.base import Array

Fit = Callable[[Scores, Corpus], Calibrator]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A repair to be judged: one that is fitted on each part anew, or answers that depend on no part (`after`)."""

    method: str
    family: str
    """`fitted`, `exact` (equal by construction) or `published`."""
    fit: Fit | None = None
    after: Array | None = None

    def answers(self, scores: Scores, corpus: Corpus, rows: Rows, split: Split) -> Array:
        """What the system says about the whole corpus after a repair that saw one part of it."""
        if self.after is not None:
            return self.after
        if self.fit is None:
            raise ValueError(f"{self.method}: neither a fit nor answers")
        return self.fit(*part(scores, corpus, split.fit)).corrected(scores.matrix, rows)


@dataclass(frozen=True)
class Judgement:
    """What became of every gap under every method, and what it cost."""

    outcomes: tuple[Outcome, ...]
    prices: tuple[Price, ...]


def judge(
    scores: Scores,
    corpus: Corpus,
    candidates: Sequence[Candidate],
    splits: Sequence[Split],
    *,
    attributes: Sequence[str] | None = None,
    alpha: float = 0.05,
    advance: Callable[[int], None] = lambda _: None,
) -> Judgement:
    """Fit every candidate on one half of each split and judge it on the other.

    `scores` are those of one system. Estimates and variances of repetitions are averaged: repeating takes the luck of
    one division away, but the interval is no narrower for it than that of one held-out half. `advance` is told of each
    split that is done.
    """
    rows = Rows.of(corpus)
    seen = _Seen(scores, corpus, attributes or tuple(corpus.attributes), [one.method for one in candidates])
    for split in splits:
        answers = [one.answers(scores, corpus, rows, split) for one in candidates]
        seen.look(split, answers)
        advance(1)
    family = {one.method: one.family for one in candidates}
    return Judgement(
        tuple(replace(one, family=family[one.method]) for one in seen.outcomes(alpha)),
        tuple(replace(one, family=family[one.method]) for one in seen.prices()),
    )


@dataclass(frozen=True)
class _Question:
    """What is compared: two groups of one attribute, among some persons, in one reading, where something is new."""

    new: str
    attribute: str
    first: str
    second: str
    scope: str
    output: str


class _Seen:
    """What was seen in each split, by question and method."""

    def __init__(self, scores: Scores, corpus: Corpus, attributes: Sequence[str], methods: Sequence[str]) -> None:
        self._scores, self._corpus = scores, corpus
        self._attributes, self._methods = attributes, methods
        self._variables = variables([column.output for column in scores.columns])
        self._estimates: dict[tuple[_Question, str], list[tuple[Estimate, Estimate, float]]] = {}
        self._undefined: dict[_Question, str] = {}
        self._alone: dict[tuple[str, str], list[bool]] = {}
        self._prices: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}

    def look(self, split: Split, answers: Sequence[Array]) -> None:
        """Judge the answers of all methods on the held-out half."""
        before, corpus = part(self._scores, self._corpus, split.judge)
        held = [after[split.judge] for after in answers]
        for method, after in zip(self._methods, held, strict=True):
            self._alone.setdefault((split.new, method), []).append(bool((after == before.matrix).all()))
        for variable in self._variables:
            read = readings(before, variable)
            own = list(variable.places)
            afters = [variable.read(after[:, own]) for after in held]
            self._gaps(split, corpus, read, afters)
            self._cost(split, corpus, read, afters)

    def _gaps(self, split: Split, corpus: Corpus, read: Scores, afters: Sequence[Array]) -> None:
        # Before, after and their sum: the variance of the sum tells how before and after vary together.
        table = np.hstack([read.matrix, *afters, *(read.matrix + after for after in afters)])
        width = read.matrix.shape[1]
        columns = tuple(
            Column(f"{place}", replace(read.columns[place % width].output, of=None, value=None), None)
            for place in range(table.shape[1])
        )
        side_by_side = Scores(read.ids, table, columns, read.corpus_digest)
        for attribute, first, second, scope in _comparisons(corpus, self._attributes):
            questions = [_Question(split.new, attribute, first, second, scope, c.output.name) for c in read.columns]
            tested = _tested(corpus, side_by_side, attribute, (first, second), scope)
            if isinstance(tested, str):
                self._undefined.update(dict.fromkeys(questions, tested))
                continue
            for place, question in enumerate(questions):
                self._note(question, tested, place, width)

    def _note(self, question: _Question, tested: Sequence[Estimate], place: int, width: int) -> None:
        before = tested[place]
        for number, method in enumerate(self._methods):
            after = tested[place + (1 + number) * width]
            both = tested[place + (1 + number + len(self._methods)) * width]
            shared = (both.variance - before.variance - after.variance) / 2
            self._estimates.setdefault((question, method), []).append((before, after, shared))

    def _cost(self, split: Split, corpus: Corpus, read: Scores, afters: Sequence[Array]) -> None:
        groups = _crossed(corpus)
        words = _word_means(corpus)
        for place, column in enumerate(read.columns):
            before = read.matrix[:, place]
            for method, after in zip(self._methods, afters, strict=True):
                own = after[:, [place]]
                within = [float(spearman(own[mine], before[mine])[0]) for mine in groups]
                order = np.nan if words is None else float(spearman(words @ own, words @ before)[0])
                prices = float(spearman(own, before)[0]), min(within, default=np.nan), order
                self._prices.setdefault((split.new, column.output.name, method), []).append(prices)

    def outcomes(self, alpha: float) -> Iterator[Outcome]:
        """What became of each gap under each method."""
        asked = dict.fromkeys(question for question, _ in self._estimates) | dict.fromkeys(self._undefined)
        for question in asked:
            for method in self._methods:
                noted = self._estimates.get((question, method), [])
                made = outcome(noted, alpha=alpha, undefined=self._undefined.get(question))
                yield replace(
                    made,
                    method=method,
                    new=question.new,
                    attribute=question.attribute,
                    first=question.first,
                    second=question.second,
                    scope=question.scope,
                    output=question.output,
                    left_alone=float(np.mean(self._alone[question.new, method])),
                )

    def prices(self) -> Iterator[Price]:
        """What each method cost."""
        for (new, output, method), noted in self._prices.items():
            overall, within, order = (_mean([each[place] for each in noted]) for place in range(3))
            yield Price(method, "", output, new, overall, within, order, len(noted))


def _mean(values: Sequence[float]) -> float | None:
    """The mean; None where one is undefined."""
    mean = float(np.mean(values))
    return None if np.isnan(mean) else mean


def _comparisons(corpus: Corpus, attributes: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
    """All pairs of groups, among everybody and among each kind of persons that is there."""
    for attribute in attributes:
        has = corpus.frame.filter(pl.col(attribute).is_not_null()) if attribute in corpus.attributes else None
        if has is None:
            continue
        paired = has["pair"].is_not_null() if "pair" in has.columns else pl.Series([False])
        kinds = tuple(KINDS) if paired.any() and not paired.all() else ()
        for first, second in combinations(corpus.attributes[attribute], 2):
            for scope in (EVERYBODY, *kinds):
                yield attribute, first, second, scope


def _crossed(corpus: Corpus) -> list[npt.NDArray[np.bool_]]:
    """The sentences about each group of people: those who share all attributes, and the kind."""
    paired = [pl.col("pair").is_not_null()] if "pair" in corpus.frame.columns else []
    group = corpus.frame.select(pl.struct(*corpus.attributes, *paired).rank("dense")).to_series().to_numpy()
    return [group == one for one in np.unique(group)]


def _tested(
    corpus: Corpus, scores: Scores, attribute: str, groups: tuple[str, str], scope: str
) -> list[Estimate] | str:
    """The generalising estimate of each column, or why there is none."""
    marked = replace(corpus, subsets={**corpus.subsets, **KINDS})
    try:
        made = contrast(marked, attribute, groups=groups, subset="all" if scope == EVERYBODY else scope)
    except UsageError as error:
        return str(error)
    if made.not_general:
        return made.not_general
    parts = Tested(made, marked, scores, Settings()).components
    if parts is None:
        return "the design cannot speak for persons in general"
    return [
        Estimate(float(estimate), float(variance), None if np.isnan(freedom) else float(freedom))
        for estimate, variance, freedom in zip(parts.estimate, parts.variance, parts.degrees_of_freedom, strict=True)
    ]


def _word_means(corpus: Corpus) -> Array | None:
    """An operator that gives the mean by emotion word, or None where there are no words to order."""
    column = "emotion_word"
    if column not in corpus.frame.columns or corpus.frame[column].drop_nulls().n_unique() < 3:
        return None
    words = corpus.frame[column].to_list()
    known = {word: place for place, word in enumerate(dict.fromkeys(word for word in words if word is not None))}
    operator = np.zeros((len(known), len(words)))
    for row, word in enumerate(words):
        if word is not None:
            operator[known[word], row] = 1
    means: Array = operator / operator.sum(axis=1, keepdims=True)
    return means

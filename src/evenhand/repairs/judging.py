"""Judging repairs: before against after, on persons, templates and words that they were not fitted on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar

import numpy as np

from evenhand.asking import Scores
from evenhand.contrasts import Ints
from evenhand.corpora import Corpus
from evenhand.repairs.calibrator import Calibrator
from evenhand.repairs.evidence import attributes_in, questions_judged
from evenhand.repairs.held_out import Question, labels, looked_at, parts_at, questions, whole_gap, whole_parts
from evenhand.repairs.outcomes import Looked, Outcome, Price, outcome
from evenhand.repairs.parts import PartEstimate, PartOutcome, mean_parts, part_outcomes
from evenhand.repairs.prices import prices
from evenhand.repairs.rows import Rows
from evenhand.repairs.splits import Split, part
from evenhand.repairs.variables import Variable, variables
from evenhand.systems.base import Array

Fit = Callable[[Scores, Corpus], Calibrator]
_Key = tuple[str, Question, str, str]
_Seen = TypeVar("_Seen")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A repair to be judged: one that is fitted on each part anew, or answers that depend on no part (`after`)."""

    method: str
    family: str
    """`fitted`, `exact` (equal by construction) or `published`."""
    fit: Fit | None = None
    after: Array | None = None

    def __post_init__(self) -> None:
        if (self.fit is None) == (self.after is None):
            raise ValueError(f"{self.method}: either a fit or answers, not both and not neither")


@dataclass(frozen=True)
class Judgement:
    """What became of every gap under every method, and what it cost."""

    outcomes: tuple[Outcome, ...]
    prices: tuple[Price, ...]
    comparisons: int = 1
    """How many gaps the system may have, comparisons that an audit asks by reading: what each gap is corrected for."""


def judge(
    scores: Scores,
    corpus: Corpus,
    candidates: Sequence[Candidate],
    splits: Sequence[Split],
    *,
    attributes: Sequence[str] | None = None,
    alpha: float = 0.05,
    equivalence: float = 0.01,
    advance: Callable[[int], None] = lambda _: None,
) -> Judgement:
    """Fit every candidate on one half of each split and judge it on the other.

    `scores` are those of one system. In each repetition every sentence is held out once, so that the answers after a
    repair that did not see them are there for the whole corpus; gaps before and after are estimated from those, and
    averaged over the repetitions. Repeating takes the luck of one division away, and does not make intervals narrower.
    A gap is there if it is significant after correction for all comparisons and readings, whatever is to be
    repaired (Bonferroni). `equivalence` is the share of the range below which a gap in one part of the sentences does
    not count. `advance` is told of each split that is done.
    """
    judged = _Judged(scores, corpus, candidates, attributes_in(corpus, attributes))
    for repetition in _repetitions(splits):
        judged.look(repetition, advance)
    family, comparisons = {one.method: one.family for one in candidates}, questions_judged(scores, corpus)
    return Judgement(
        tuple(replace(one, family=family[one.method]) for one in judged.outcomes(alpha / comparisons, equivalence)),
        tuple(replace(one, family=family[one.method]) for one in judged.prices()),
        comparisons,
    )


def _repetitions(splits: Sequence[Split]) -> Iterator[list[Split]]:
    """The splits of one repetition, which hold out every sentence once between them."""
    found: dict[tuple[str, int], list[Split]] = {}
    for split in splits:
        found.setdefault((split.new, split.repetition), []).append(split)
    yield from found.values()


class _Judged:
    """What was seen in each repetition, by what is new, question, reading and method."""

    def __init__(
        self, scores: Scores, corpus: Corpus, candidates: Sequence[Candidate], attributes: Sequence[str]
    ) -> None:
        self._scores, self._corpus, self._candidates = scores, corpus, candidates
        self._methods = [one.method for one in candidates]
        self._variables = variables([column.output for column in scores.columns])
        self._questions = list(questions(corpus, attributes))
        self._repeated: dict[_Key, list[Looked]] = {}
        self._single: dict[_Key, list[Looked]] = {}
        self._parts: dict[_Key, list[list[PartEstimate]]] = {}
        self._alone: dict[tuple[str, str], list[bool]] = {}
        self._prices: dict[tuple[str, str, str], list[Array]] = {}

    def look(self, repetition: Sequence[Split], advance: Callable[[int], None]) -> None:
        """Fit on each part, and judge the answers about the rest."""
        new = repetition[0].new
        parts = {split.fit.tobytes(): part(self._scores, self._corpus, split.fit) for split in repetition}
        held_out = [np.full_like(self._scores.matrix, np.nan) for _ in self._candidates]
        fold = np.full(len(self._corpus), -1, dtype=np.int64)
        for number, split in enumerate(repetition):
            after = [self._answers(one, parts[split.fit.tobytes()])[split.judge] for one in self._candidates]
            # With two halves, what one fit is judged on is what the other was fitted on.
            same = parts.get(split.judge.tobytes())
            self._look_at_part(new, same or part(self._scores, self._corpus, split.judge), after)
            for whole, each in zip(held_out, after, strict=True):
                whole[split.judge] = each
            fold[split.judge] = number
            advance(1)
        if (fold < 0).any():
            raise ValueError(f"repetition {repetition[0].repetition} of {new!r} does not hold out every sentence")
        self._note(self._repeated, new, self._scores, self._corpus, held_out, fold)
        for variable, question in product(self._variables, self._questions):
            found = parts_at(self._scores, self._corpus, held_out, variable, question, fold)
            self._keep(self._parts, new, variable, question, found)

    def _answers(self, candidate: Candidate, fitted_on: tuple[Scores, Corpus]) -> Array:
        """What the system says about the whole corpus after a repair that saw one part of it."""
        if candidate.after is not None:
            return candidate.after
        assert candidate.fit is not None  # noqa: S101 - Candidate sees to it
        return candidate.fit(*fitted_on).corrected(self._scores.matrix, Rows.of(self._corpus))

    def _look_at_part(self, new: str, judged: tuple[Scores, Corpus], after: Sequence[Array]) -> None:
        scores, corpus = judged
        self._note(self._single, new, scores, corpus, after)
        for method, each in zip(self._methods, after, strict=True):
            self._alone.setdefault((new, method), []).append(bool((each == scores.matrix).all()))
        for variable in self._variables:
            for output, by_method in prices(scores, corpus, after, variable).items():
                for method, price in zip(self._methods, by_method, strict=True):
                    self._prices.setdefault((new, output, method), []).append(price)

    def _note(
        self,
        where: dict[_Key, list[Looked]],
        new: str,
        scores: Scores,
        corpus: Corpus,
        after: Sequence[Array],
        fold: Ints | None = None,
    ) -> None:
        for variable, question in product(self._variables, self._questions):
            self._keep(
                where, new, variable, question, looked_at(scores, corpus, after, variable, question, fold, new=new)
            )

    def _keep(
        self,
        where: dict[_Key, list[_Seen]],
        new: str,
        variable: Variable,
        question: Question,
        found: Sequence[Sequence[_Seen]] | None,
    ) -> None:
        """What was seen, by reading and method."""
        for output, by_method in zip(variable.readings, found or [], strict=found is not None):
            for method, seen in zip(self._methods, by_method, strict=True):
                where.setdefault((new, question, output.name, method), []).append(seen)

    def outcomes(self, alpha: float, equivalence: float) -> Iterator[Outcome]:
        """What became of each gap under each method."""
        for variable, question in product(self._variables, self._questions):
            found = whole_gap(self._scores, self._corpus, variable, question)
            first_label, second_label = labels(self._corpus, question)
            parts_before = whole_parts(self._scores, self._corpus, variable, question)
            for place, output in enumerate(variable.readings):
                before = found if isinstance(found, str) else found[place]
                for (new, method), alone in self._alone.items():
                    key = new, question, output.name, method
                    parts: tuple[PartOutcome, ...] = ()
                    if key in self._parts:
                        after, tolerance = mean_parts(self._parts[key]), equivalence * output.span
                        parts = part_outcomes(parts_before[place], after, tolerance=tolerance, alpha=alpha)
                    seen, halves = self._repeated.get(key, []), self._single.get(key, [])
                    yield replace(
                        outcome(before, seen, halves, alpha=alpha, parts=parts),
                        method=method,
                        new=new,
                        attribute=question.attribute,
                        first=question.first,
                        second=question.second,
                        scope=question.scope,
                        first_label=first_label,
                        second_label=second_label,
                        output=output.name,
                        left_alone=float(np.mean(alone)),
                    )

    def prices(self) -> Iterator[Price]:
        """What each method cost."""
        for (new, output, method), noted in self._prices.items():
            means = np.mean(noted, axis=0)
            overall, within, words, spread = (None if np.isnan(mean) else float(mean) for mean in means)
            yield Price(method, "", output, new, overall, within, words, spread, len(noted))

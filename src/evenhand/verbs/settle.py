"""Asking until it is settled: a system is asked about more and more names, until all of its questions are answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import polars as pl

from evenhand.asking import Scores
from evenhand.asking.settings import AskSettings
from evenhand.comparing import Compared, Settings, compare
from evenhand.comparing.ability import Ability, abilities
from evenhand.comparing.answered import side_by_side
from evenhand.comparing.findings import Finding
from evenhand.comparing.harm import judged_able
from evenhand.comparing.sequential import Question, Stopped, Waves, looked
from evenhand.contrasts import comparisons_asked
from evenhand.corpora import Corpus
from evenhand.corpora.names import first_names
from evenhand.errors import UsageError
from evenhand.results import Note
from evenhand.specs.resolving import Given, is_recorded
from evenhand.systems import BaseTagger
from evenhand.systems.through import Through
from evenhand.translation import RoundTrip
from evenhand.verbs.ask import Made, asked, names_of, remarks_of
from evenhand.verbs.pieces import all_pieces, unspelled

ORDER = "nth"


@dataclass(frozen=True, eq=False)
class Settled:
    """What was found about all systems, and what each was asked."""

    findings: tuple[Finding, ...]
    scores: Scores
    """A system that stopped early has NaN for what it was not asked."""
    corpus: Corpus
    """As far as the longest of them went."""
    abilities: tuple[Ability, ...]
    family: Mapping[str, Any]
    notes: tuple[Note, ...]


def settled(
    made: Sequence[Made],
    corpus: Corpus,
    how: AskSettings,
    *,
    waves: Waves,
    settings: Settings,
    whole: Corpus,
    questions: Mapping[str, Any],
    under_way: ExitStack,
) -> Settled:
    """Ask each system wave by wave until its questions are settled, the names or the budget run out.

    `corpus` holds all names of the last wave in the sentences that are used, `whole` in all sentences. `questions` are
    those of `compare`. What was asked is kept until `under_way` has ended well.
    """
    waves.check(settings)
    repeated = [name for name, times in Counter(_names(made)).items() if times > 1]
    if repeated:
        raise UsageError(f"two systems are called {repeated[0]!r}: name each system once")
    asking = _Asking(corpus, how, waves, settings, whole, questions, under_way)
    for one in made:
        asking.check_budget(one)
    runs = [asking.run(one) for one in made]
    longest = first_names(corpus, max(run.names for run in runs))
    return Settled(
        findings=tuple(finding for run in runs for finding in run.findings),
        scores=side_by_side([run.scores for run in runs], longest),
        corpus=longest,
        abilities=tuple(ability for run in runs for ability in run.abilities),
        family=_joined([run.compared for run in runs]),
        notes=(*remarks_of(made), *unspelled(made, longest)),
    )


@dataclass(frozen=True, eq=False)
class _Run:
    """One system as far as it was asked."""

    findings: tuple[Finding, ...]
    scores: Scores
    names: int
    abilities: tuple[Ability, ...]
    compared: Compared


@dataclass(frozen=True, eq=False)
class _Asking:
    corpus: Corpus
    how: AskSettings
    waves: Waves
    settings: Settings
    whole: Corpus
    questions: Mapping[str, Any]
    under_way: ExitStack

    def check_budget(self, one: Made) -> None:
        """Refuse a budget that the first wave of this system would exceed."""
        self.waves.check_budget(self._calls(one, self._first(self.corpus)))

    def run(self, one: Made) -> _Run:
        parts: list[Scores] = []
        questions: list[Question] = []
        ended: Stopped = "last wave"
        names = 0
        for number, upto in enumerate(self.waves.names):
            reached = first_names(self.corpus, upto)
            if self.waves.budget is not None and self._calls(one, reached) > self.waves.budget:
                ended = "budget"
                break
            parts.append(self._answers(one, _between(reached, names)))
            names = upto
            scores = Scores.stack(parts, tuple(reached.frame["id"]), reached.digest)
            outputs = len(scores.columns)
            look = self.waves.looks(self.settings, comparisons=comparisons_asked(reached) * outputs)[number]
            compared = compare(scores, reached, settings=look, pieces=all_pieces([one], reached), **self.questions)
            questions = looked(questions, compared.findings, look, upto, beyond=self.waves.beyond)
            if all(question.stopped for question in questions):
                break
        corpus = first_names(self.corpus, names)
        able = abilities(scores, corpus, alpha=self.settings.alpha, seed=self.settings.seed)
        at_once, first = self._calls(one, self.corpus), self._calls(one, self._first(self.corpus))
        path = {
            "calls": self._calls(one, corpus),
            "calls_at_once": at_once,
            "calls_fixed": round(at_once * self._calls(one, self._first(self.whole)) / first),
        }
        told = [question.told(**path, ended=ended, price=self.waves.price) for question in questions]
        return _Run(judged_able(told, able, scores=scores, corpus=corpus), scores, names, able, compared)

    def _first(self, corpus: Corpus) -> Corpus:
        """The names of the first wave."""
        return first_names(corpus, self.waves.names[0])

    def _calls(self, one: Made, corpus: Corpus) -> int:
        return questions_about(one, corpus) * self.how.draws

    def _answers(self, one: Made, wave: Corpus) -> Scores:
        return self.under_way.enter_context(asked([one], wave, self.how)).scores


def refuse_recorded(given: Sequence[Given]) -> None:
    """Predictions that were recorded cannot be asked about more names."""
    for one in given:
        if is_recorded(one):
            called = one.columns[0].system if isinstance(one, Scores) else one
            raise UsageError(
                f"{called}: predictions that were recorded cannot be asked until they settle; audit them as they are, "
                "or on sentences with more names (evenhand corpus export)"
            )


def questions_about(one: Made, corpus: Corpus) -> int:
    """How many questions it takes, all the way down, to have the answers about a corpus.

    A round trip counts as one question each, as nothing is translated to find out.
    """
    if isinstance(one, BaseTagger):
        return len(corpus)
    texts = corpus.frame["text"].unique(maintain_order=True).to_list()
    while isinstance(one, Through):
        if not isinstance(one, RoundTrip):
            texts = list(dict.fromkeys(chain.from_iterable(one.questions(texts))))
        one = one.inner
    return len(texts)


def _names(made: Sequence[Made]) -> list[str]:
    return [name for one in made for name in names_of([one])]


def _between(reached: Corpus, before: int) -> Corpus:
    """The names that a wave adds."""
    if not before:
        return reached
    frame = reached.frame.filter(pl.col(ORDER) > before)
    return replace(reached, frame=frame, drawn_from=reached.drawn_from or reached.digest)


def _joined(compared: Sequence[Compared]) -> dict[str, Any]:
    """What the p-values of all systems were corrected for."""
    families = [one.family for one in compared]
    return {
        "assessments": sum(family["assessments"] for family in families),
        "threshold": min(family["threshold"] for family in families),
        "generalising_threshold": min(family["generalising_threshold"] for family in families),
        "families": {system: one for family in families for system, one in family["families"].items()},
    }

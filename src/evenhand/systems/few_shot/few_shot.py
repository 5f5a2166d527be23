"""Who answers: a language model that is shown a few labelled examples; its scores are read from the labels' masses."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import EvenhandError, UsageError, did_you_mean, quoted
from evenhand.systems.base import Array, HighIs, Output
from evenhand.systems.few_shot import reading
from evenhand.systems.few_shot.asked import checked_ask, instead, own_questions
from evenhand.systems.few_shot.models import LabelModel
from evenhand.systems.few_shot.reader import LabelReader, asking
from evenhand.systems.few_shot.task import ALL, EMOTIONS, OWN, Task, packaged_task, read_task, task_names
from evenhand.systems.through import Asked, Through

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

EXPECTED, LIKELY, DISTRIBUTION = "expected", "likely", "distribution"
READINGS = (EXPECTED, LIKELY, DISTRIBUTION, ALL)
LEAST_INSIDE = 0.5
"""With less than this on the labels, on average, the model mostly means to say something else."""

log = logging.getLogger(__name__)


class FewShot(Through):
    """A few-shot classifier: a task put to a language model.

    `ask` is `own` (each sentence is asked the question that the corpus names in its column `emotion`; one without an
    emotion, all four, and their distributions are averaged), `emotions`, `all`, or one question. `read` is `expected`
    (the mean of the labels' values, weighted by probability), `likely` (the value of the most probable label),
    `distribution` (a probability for each label), or `all`. Probabilities are those within the labels; `remarks` says
    how much lay outside.
    """

    inner: LabelReader

    def __init__(
        self,
        model: LabelModel,
        corpus: Corpus | None = None,
        *,
        task: Task | str | Path | None = None,
        ask: str = OWN,
        read: str = EXPECTED,
    ) -> None:
        self._task = _task(task)
        self._model, self._corpus = model, corpus
        self._ask = checked_ask(ask, self._task)
        self._read = _checked_read(read, self._task)
        self._emotions = own_questions(corpus, self._task, model.name) if self._by_corpus else {}
        self._inside: dict[str, float] = {}
        self._warned = False
        inner = LabelReader(model, self._task)
        super().__init__(inner, name=model.name, outputs=self._outputs())

    @property
    def task(self) -> Task:
        """What the model is asked."""
        return self._task

    @property
    def labels(self) -> tuple[str, ...]:
        """What the model may answer."""
        return self._task.label_names

    @property
    def values(self) -> tuple[float, ...] | None:
        """What each label counts as; None where labels are names only."""
        return self._task.values

    @property
    def questions_asked(self) -> tuple[str, ...]:
        """The questions that a sentence may be asked."""
        if self._by_corpus or self._ask == EMOTIONS:
            return tuple(self._task.emotions)
        return tuple(self._task.questions) if self._ask in (OWN, ALL) else (self._ask,)

    @property
    def asks_by_corpus(self) -> bool:
        """Whether the corpus says what each sentence is asked for."""
        return self._by_corpus

    @property
    def _by_corpus(self) -> bool:
        return self._ask == OWN and bool(self._task.emotions)

    def reading(self, read: str) -> FewShot:
        """The same system, read otherwise."""
        return self._like(ask=self._ask, read=read)

    def asking(self, ask: str) -> FewShot:
        """The same system, asked otherwise."""
        return self._like(ask=ask, read=self._read)

    def with_corpus(self, corpus: Corpus) -> FewShot:
        """The same system, with another corpus that says what each sentence is asked for."""
        return self._like(ask=self._ask, read=self._read, corpus=corpus)

    def _like(self, *, ask: str, read: str, corpus: Corpus | None = None) -> FewShot:
        other = FewShot(self._model, corpus or self._corpus, task=self._task, ask=ask, read=read)
        other.name = self.name
        return other

    def settings(self) -> dict[str, object]:
        """What is asked and how it is read."""
        return {"ask": self._ask, "read": self._read}

    def tokenise(self, text: str) -> list[str] | None:
        """The pieces that the model reads a text in."""
        return self._model.tokenise(text)

    def questions(self, texts: Sequence[str]) -> Asked:
        """What the model is asked for each text."""
        if not self._by_corpus:
            return [[asking(question, text) for question in self.questions_asked] for text in texts]
        return [[asking(question, text) for question in self._own_questions(text)] for text in texts]

    def _own_questions(self, text: str) -> Sequence[str]:
        try:
            return self._emotions[text]
        except KeyError:
            raise UsageError(
                f"{self.name!r} asks each sentence for the emotion that the corpus gives it, and {quoted(text)} is no "
                f"sentence of the corpus; {instead(self._task)}"
            ) from None

    def read(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        """The labels' masses, read as the outputs declare."""
        self._take_note(texts, answers)
        if self._by_corpus:
            averaged = [reading.distribution_of(masses).mean(axis=0) for masses in answers]
            distributions = [np.array(averaged).reshape(len(texts), len(self.labels))]
        else:
            shape = (len(texts), len(self.questions_asked), len(self.labels))
            masses = np.array(answers).reshape(shape)
            distributions = [reading.distribution_of(masses[:, place]) for place in range(shape[1])]
        return np.column_stack([self._values_of(one) for one in distributions])

    def _values_of(self, distribution: Array) -> Array:
        """One question's distributions as its outputs: of shape (texts, outputs)."""
        worth = self._worth
        columns = {
            EXPECTED: reading.expected(distribution, worth)[:, None],
            LIKELY: reading.most_likely(distribution, worth)[:, None],
            DISTRIBUTION: distribution,
        }
        return np.hstack([columns[one] for one in self._readings])

    @property
    def _worth(self) -> tuple[float, ...]:
        """The labels' values; their places where they have none."""
        return self.values or tuple(range(len(self.labels)))

    @property
    def _readings(self) -> tuple[str, ...]:
        if self._read != ALL:
            return (self._read,)
        return READINGS[:-1] if self.values is not None else (LIKELY, DISTRIBUTION)

    def _outputs(self) -> tuple[Output, ...]:
        if self._by_corpus:
            return self._outputs_of(self._task.output, None)
        meant = {name: one.high_is for name, one in self._task.questions.items()}
        return tuple(one for name in self.questions_asked for one in self._outputs_of(name, meant[name]))

    def _outputs_of(self, name: str, high_is: HighIs | None) -> tuple[Output, ...]:
        values = self.values
        low, high = float(min(self._worth)), float(max(self._worth))
        likely = f"{name}.{LIKELY}"
        made = {
            EXPECTED: [Output(name, low, high, high_is=high_is)],
            LIKELY: [
                Output(likely, low, high, kind="ordinal", high_is=high_is)
                if values is not None
                else Output(likely, low, high, kind="class")
            ],
            DISTRIBUTION: [
                Output(f"{name}={label}", kind="probability", of=name, value=None if values is None else values[place])
                for place, label in enumerate(self.labels)
            ],
        }
        return tuple(one for kind in self._readings for one in made[kind])

    def _take_note(self, texts: Sequence[str], answers: Sequence[Array]) -> None:
        for text, asked, masses in zip(texts, self.questions(texts), answers, strict=True):
            for question, inside in zip(asked, masses.sum(axis=1), strict=True):
                if not inside > 0:
                    raise EvenhandError(
                        f"{self.name!r} gives none of the labels {', '.join(self.labels)} any probability in answer to "
                        f"the sentence {quoted(text)}, so there is no score to read; give it another task or prompt"
                    )
                self._inside[question] = float(inside)
        if self._inside and not self._warned and (mean := self._mean_inside()) < LEAST_INSIDE:
            log.warning("%s: %s", self.name, self._inside_in_words(mean))
            self._warned = True

    def _mean_inside(self) -> float:
        return sum(self._inside.values()) / len(self._inside)

    def remarks(self) -> tuple[str, ...]:
        """What a reader of the scores should know, in sentences; none before anything was asked."""
        return (self._inside_in_words(self._mean_inside()), *self._model.remarks()) if self._inside else ()

    def _inside_in_words(self, mean: float) -> str:
        least = min(self._inside, key=self._inside.__getitem__)
        question, _, text = least.partition("\t")
        first, last = self.labels[0], self.labels[-1]
        labels = f"{first} to {last}" if self.values is not None else ", ".join(self.labels)
        said = (
            f"the labels {labels} hold {_percent(mean)} of the model's probability on average (least "
            f"{_percent(self._inside[least])}, asked for {question} in the sentence {quoted(text)})"
        )
        if mean < LEAST_INSIDE:
            said += "; mostly it means to say something else, and what is read here is the rest"
        return said


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _task(task: Task | str | Path | None) -> Task:
    if isinstance(task, Task):
        return task
    if task is None or str(task) in task_names():
        return packaged_task() if task is None else packaged_task(str(task))
    return read_task(Path(task).expanduser())


def _checked_read(read: str, task: Task) -> str:
    if read not in READINGS:
        raise UsageError(f"read={read!r}: there is no such reading{did_you_mean(str(read), READINGS)}")
    if read == EXPECTED and task.values is None:
        raise UsageError(
            f"the labels of the task {task.name!r} have no values, so there is no expected label; "
            f"read={LIKELY} or read={DISTRIBUTION}, or give them values"
        )
    return read

"""Who answers: the inner system of a few-shot classifier, which says how much probability lies on each label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import BadAnswer, quoted
from evenhand.systems.base import Array, BaseScorer, Output, RunsOn, fingerprint_of
from evenhand.systems.few_shot.models import LabelModel, Questions

if TYPE_CHECKING:
    from evenhand.systems.few_shot.task import Task

SEPARATOR = "\t"
ROUNDING = 1e-5
"""By how much probabilities of labels may add up to more than one."""


class LabelReader(BaseScorer):
    """Asked `QUESTION<tab>TEXT`, it gives the probability of each label of the task.

    The probabilities are the model's own, over all that it could say: what they lack to one lies outside the labels.
    """

    def __init__(self, model: LabelModel, task: Task) -> None:
        self.model = model
        self.task = task
        self.name = model.name
        self.runs_on: RunsOn = model.runs_on
        self.outputs: tuple[Output, ...] = tuple(Output(label, kind="probability") for label in task.label_names)

    @property
    def fingerprint(self) -> str | None:
        """Of the model and of all that the prompts are made of; None where the model has none."""
        model = self.model.fingerprint
        return None if model is None else fingerprint_of(type(self), model=model, task=self.task.digest)

    @property
    def batch_size(self) -> int:
        """The model's own."""
        return self.model.batch_size

    @property
    def resume_key(self) -> str | None:
        """Tells whether an interrupted run may go on, where the model has no fingerprint but can say that much."""
        own = self.model.resume_key
        return None if own is None else f"{own} {self.task.digest}"

    @property
    def ahead(self) -> int:
        """The model's own."""
        return self.model.ahead

    def expect(self, coming: Sequence[tuple[Sequence[str], int]]) -> None:
        """Tell the model what it will be asked."""
        self.model.expect([questions for texts, _ in coming for questions, _ in self._parted(texts)])

    def score(self, texts: Sequence[str]) -> Array:
        """The labels' masses for each question and text."""
        masses = np.empty((len(texts), len(self.outputs)))
        for (prefix, endings, labels), rows in self._parted(texts):
            masses[rows] = self.model.masses(prefix, endings, labels)
        return self._checked(texts, masses)

    def _parted(self, texts: Sequence[str]) -> Iterator[tuple[Questions, list[int]]]:
        """What the model is asked, question by question, and the places of the texts."""
        rows: dict[str, list[int]] = {}
        endings: dict[str, list[str]] = {}
        for row, asked in enumerate(texts):
            question, text = parted(asked)
            rows.setdefault(question, []).append(row)
            endings.setdefault(question, []).append(self.task.ending(question, text))
        for question, places in rows.items():
            yield (self.task.prefix(question), tuple(endings[question]), self.task.label_names), places

    def _checked(self, texts: Iterable[str], masses: Array) -> Array:
        for text, total in zip(texts, masses.sum(axis=1), strict=True):
            if total > 1 + ROUNDING:
                question, sentence = parted(text)
                raise BadAnswer(
                    f"system {self.name!r}: the labels' probabilities add up to {total:.6g} when it is asked for "
                    f"{question} in the sentence {quoted(sentence)}; probabilities add up to 1 at most"
                )
        return np.minimum(masses, 1.0)


def asking(question: str, text: str) -> str:
    """A question about a text as the reader is asked it.

    >>> parted(asking("anger", "Oh!"))
    ('anger', 'Oh!')
    """
    return f"{question}{SEPARATOR}{text}"


def parted(asked: str) -> tuple[str, str]:
    """The question and the text."""
    question, _, text = asked.partition(SEPARATOR)
    return question, text

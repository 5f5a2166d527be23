"""Who answers: systems that ask another system, and make their answers of what it says."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from itertools import chain
from typing import TYPE_CHECKING, Self

import numpy as np

from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

Asked = Sequence[Sequence[str]]
"""For each text, what the inner system is asked."""


class Through(BaseScorer):
    """A system that asks its `inner` system one or more questions for each text, and reads the answers.

    A subclass says what is asked (`questions`) and what is made of it (`read`). Answers are cached as the inner system
    gave them: readings, repairs and prompts that share questions share their cost. What the inner system says of itself
    (its remarks, its tokeniser, whether it samples) holds for this one too.
    """

    def __init__(self, inner: BaseScorer, *, name: str, outputs: tuple[Output, ...]) -> None:
        self.inner = inner
        self.name = name
        self.outputs: tuple[Output, ...] = outputs
        self.samples: bool = inner.samples
        self.batch_size: int = inner.batch_size

    @abstractmethod
    def questions(self, texts: Sequence[str]) -> Asked:
        """What the inner system is asked for each text; at least one question each."""

    @abstractmethod
    def read(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        """The answer for each text, from the inner system's to its questions: each of shape (questions, outputs)."""

    def settings(self) -> dict[str, object]:
        """What the answers depend on besides the inner system; part of the fingerprint."""
        return {}

    @property
    def fingerprint(self) -> str | None:
        """Of this reading and of the inner system; None where that has none."""
        if self.inner.fingerprint is None:
            return None
        return fingerprint_of(type(self), inner=self.inner.fingerprint, **self.settings())

    @property
    def resume_key(self) -> str:
        """Tells whether an interrupted run may go on, as far as the inner system knows."""
        own = self.inner.fingerprint or self.inner.resume_key
        return hashlib.sha256(
            f"{type(self).__qualname__}\n{own}\n{sorted(self.settings().items())!r}".encode()
        ).hexdigest()

    def score(self, texts: Sequence[str]) -> Array:
        """Ask and read in one go, without a cache."""
        return self.draw(texts, 1)

    def draw(self, texts: Sequence[str], number: int) -> Array:
        """Like `score`, for the nth time."""
        asked = self.questions(texts)
        distinct = sorted(set(chain.from_iterable(asked)))
        size = self.inner.batch_size
        batches = [distinct[start : start + size] for start in range(0, len(distinct), size)]
        parts = []
        try:
            for place, batch in enumerate(batches):
                self.inner.expect([(one, number) for one in batches[place : place + 1 + self.inner.ahead]])
                parts.append(self._drawn(batch, number))
        finally:
            self.inner.expect(())
        answers = np.vstack(parts) if parts else np.empty((0, len(self.inner.outputs)))
        return self.read(texts, answers_to(asked, distinct, answers))

    def complete(self) -> None:
        """What the answers were for is done."""

    def tokenise(self, text: str) -> list[str] | None:
        """The pieces that the inner system reads a text in."""
        return self.inner.tokenise(text)

    def remarks(self) -> tuple[str, ...]:
        """What the inner system says of itself."""
        return self.inner.remarks()

    def with_corpus(self, corpus: Corpus) -> Self:
        """The same around the inner system, which is told of another corpus."""
        told = copy(self)
        told.inner = self.inner.with_corpus(corpus)
        return told

    def _drawn(self, texts: list[str], number: int) -> Array:
        answer = np.asarray(self.inner.draw(texts, number), dtype=np.float64)
        return answer.reshape(len(texts), len(self.inner.outputs))


def answers_to(asked: Asked, distinct: Sequence[str], answers: Array) -> list[Array]:
    """Deal the answers to distinct questions out to the texts that asked them."""
    place = {question: row for row, question in enumerate(distinct)}
    return [answers[[place[question] for question in questions]] for questions in asked]

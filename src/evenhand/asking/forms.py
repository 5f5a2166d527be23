"""What answers look like: numbers for texts, or tags for tokens; how each kind is asked for, checked and kept."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.asking.answers import checked, usable
from evenhand.asking.cache import Store
from evenhand.errors import BadAnswer
from evenhand.files.records import read_texts, text_record
from evenhand.systems.base import Array, BaseScorer, BaseSystem
from evenhand.systems.tagging import BaseTagger, Tagging, checked_answers

Answers = npt.NDArray[Any]
"""One answer per question: rows of numbers, or `Tagging` objects."""

SAME = 1e-6
"""Answers that differ by less than this share are the same: a GPU may round differently."""


class Form(ABC):
    """How one kind of system is asked. A question is a string, so that plans and caches need not know the kinds."""

    @property
    @abstractmethod
    def system(self) -> BaseSystem:
        """Who is asked."""

    @abstractmethod
    def empty(self, draws: int, questions: int) -> Answers:
        """Room for all answers: draws by questions."""

    @abstractmethod
    def draw(self, questions: list[str], number: int) -> object:
        """What the system says, for the nth time."""

    @property
    def ahead(self) -> int:
        """How many batches the system wants to know of before they are asked."""
        return 0

    def expect(self, coming: Sequence[tuple[Sequence[str], int]]) -> None:  # noqa: B027 - taggers have no use for it
        """Tell the system what it will be asked next, and for which time."""

    @abstractmethod
    def checked(self, questions: Sequence[str], said: object) -> Answers:
        """What it said as answers that can be used; else a `BadAnswer` that names the question."""

    @abstractmethod
    def kept(self, store: Store, key: str, questions: Sequence[str]) -> Answers | None:
        """The answers to these questions that earlier runs left; None if there are none that can be used."""

    @abstractmethod
    def keep(self, store: Store, key: str, answers: Answers) -> None:
        """Leave the answers for later runs."""

    @abstractmethod
    def same(self, one: Answers, other: Answers) -> bool:
        """Whether two lists of answers are the same but for rounding."""

    def shown(self, question: str) -> str:
        """A question as people read it."""
        return question


class Numbers(Form):
    """A scorer: rows of numbers, one for each output."""

    def __init__(self, system: BaseScorer) -> None:
        self._system = system

    @property
    def system(self) -> BaseScorer:
        """Who is asked."""
        return self._system

    def empty(self, draws: int, questions: int) -> Array:
        """All undefined, as nothing was said yet."""
        return np.full((draws, questions, len(self._system.outputs)), np.nan)

    def draw(self, questions: list[str], number: int) -> object:
        """A scorer is asked texts as they are."""
        return self._system.draw(questions, number)

    def expect(self, coming: Sequence[tuple[Sequence[str], int]]) -> None:
        """Some begin early."""
        self._system.expect(coming)

    @property
    def ahead(self) -> int:
        """As many batches as the scorer wants to know of."""
        return self._system.ahead

    def checked(self, questions: Sequence[str], said: object) -> Array:
        """Finite numbers within the outputs' ranges."""
        return checked(self._system, questions, said)

    def kept(self, store: Store, key: str, questions: Sequence[str]) -> Array | None:
        """Checked again: the system may have come to declare a narrower range since."""
        found = store.read(key, (len(questions), len(self._system.outputs)))
        return found if found is not None and usable(found, self._system.outputs) else None

    def keep(self, store: Store, key: str, answers: Answers) -> None:
        """As a matrix."""
        store.write(key, answers)

    def same(self, one: Answers, other: Answers) -> bool:
        """Equal but for rounding."""
        # A declared range may be far wider than the scores in it.
        margin = np.array([SAME * min(output.span, 1.0) for output in self._system.outputs])
        return bool((np.abs(one - other) <= margin + SAME * np.abs(one)).all())


class TokenTags(Form):
    """A tagger: a tag for each token. Its questions are lists of tokens, written as JSON."""

    def __init__(self, system: BaseTagger) -> None:
        self._system = system
        self._found: tuple[Store, dict[str, str]] | None = None

    @property
    def system(self) -> BaseTagger:
        """Who is asked."""
        return self._system

    def empty(self, draws: int, questions: int) -> Answers:
        """No answers yet."""
        return np.full((draws, questions), None, dtype=object)

    def draw(self, questions: list[str], number: int) -> object:
        """A tagger is asked lists of tokens."""
        return self._system.draw([tokens_asked(question) for question in questions], number)

    def checked(self, questions: Sequence[str], said: object) -> Answers:
        """A tag for each token of each sentence."""
        if not isinstance(said, Sequence):
            raise BadAnswer(f"{self._system.name!r} answered {type(said).__name__}, not a list of answers")
        asked = [tokens_asked(question) for question in questions]
        return _listed(checked_answers(said, asked, name=self._system.name))

    def kept(self, store: Store, key: str, questions: Sequence[str]) -> Answers | None:
        """What was kept, if it still fits the questions."""
        if self._found is None or self._found[0] is not store:
            self._found = store, {found: text for content in store.contents() for found, text in read_texts(content)}
        text = self._found[1].get(key)
        if text is None:
            return None
        try:
            return self.checked(questions, _taggings(text))
        except BadAnswer:
            return None

    def keep(self, store: Store, key: str, answers: Answers) -> None:
        """As JSON."""
        content = [[one.tags, one.probabilities] for one in answers]
        store.append(text_record(key, json.dumps(content, ensure_ascii=False, default=dict)))

    def same(self, one: Answers, other: Answers) -> bool:
        """The same tags, with the same probabilities but for rounding."""
        return all(_alike(mine, yours) for mine, yours in zip(one, other, strict=True))

    def shown(self, question: str) -> str:
        """The tokens with spaces between them."""
        return " ".join(tokens_asked(question))


def form_of(system: BaseSystem) -> Form:
    """How this system is asked."""
    if isinstance(system, BaseTagger):
        return TokenTags(system)
    assert isinstance(system, BaseScorer)  # noqa: S101 - there is no third kind
    return Numbers(system)


def question_of(tokens: Sequence[str]) -> str:
    """A list of tokens as a question."""
    return json.dumps(list(tokens), ensure_ascii=False)


def tokens_asked(question: str) -> list[str]:
    """The tokens of a question.

    >>> tokens_asked(question_of(["Peru", "won", "."]))
    ['Peru', 'won', '.']
    """
    tokens: list[str] = json.loads(question)
    return tokens


def _taggings(text: str) -> list[Tagging]:
    return [Tagging(tuple(tags), None if given is None else tuple(given)) for tags, given in json.loads(text)]


def _listed(answers: Sequence[Tagging]) -> Answers:
    listed = np.full(len(answers), None, dtype=object)
    listed[:] = answers
    return listed


def _alike(one: Tagging, other: Tagging) -> bool:
    if one.tags != other.tags or (one.probabilities is None) != (other.probabilities is None):
        return False
    pairs = zip(one.probabilities or (), other.probabilities or (), strict=True)
    return all(
        abs(mine.get(tag, 0.0) - yours.get(tag, 0.0)) <= SAME for mine, yours in pairs for tag in {*mine, *yours}
    )

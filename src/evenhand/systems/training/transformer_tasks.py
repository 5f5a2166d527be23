"""What a transformer can be trained for: giving a text a label, or each word of a sentence a tag."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from evenhand.errors import UsageError, did_you_mean
from evenhand.schemes import BILOU, OUTSIDE
from evenhand.systems.base import Array
from evenhand.systems.training.conll import TaggedSentences, read_tagged
from evenhand.systems.training.labelled import LabelledTexts, read_labelled
from evenhand.systems.training.transformer_card import LabelQuality, SpanQuality, TaskName, label_quality, span_quality
from evenhand.systems.transformers.chain import Chain

NOT_ASKED = -100
"""What cross-entropy passes over: word pieces that carry no tag."""

FEWEST = 20

log = logging.getLogger(__name__)

D = TypeVar("D", contravariant=True)


@dataclass(frozen=True)
class Example:
    """A text as the tokeniser gives it, and the numbers of its labels: one, or one for each word piece."""

    given: dict[str, list[int]]
    wanted: list[int]
    first_pieces: dict[int, int] = field(default_factory=dict)
    """Where each word is tagged: at the first of its pieces."""


class Task(Protocol[D]):
    """How data become examples, and what a model's numbers say about them."""

    name: TaskName
    kind: str
    labels: tuple[str, ...]
    chain: Chain | None
    """What a tagger with a chain has learned of the order of tags so far."""

    def examples(self, data: D, tokeniser: Any, limit: int | None) -> list[Example]:
        """The data as the model reads them."""
        ...

    def quality(self, data: D, examples: Sequence[Example], logits: Sequence[Array], how: str) -> Any:
        """How good the predictions are."""
        ...

    def score(self, quality: Any) -> float:
        """The one number by which epochs are compared."""
        ...


class Classify:
    """A label for each text."""

    name: TaskName = "classify"
    kind = "AutoModelForSequenceClassification"
    chain: Chain | None = None

    def __init__(self, lesson: LabelledTexts) -> None:
        if len(lesson) < FEWEST:
            raise UsageError(f"{lesson.source}: {len(lesson)} texts are too few to learn from; {FEWEST} is the least")
        if len(set(lesson.labels)) < 2:
            raise UsageError(
                f"{lesson.source}: all texts have the label {lesson.labels[0]!r}; there is nothing to learn"
            )
        self.labels = lesson.classes

    def examples(self, data: LabelledTexts, tokeniser: Any, limit: int | None) -> list[Example]:
        """Texts, cut where the model reads no further."""
        cut = {} if limit is None else {"truncation": True, "max_length": limit}
        given = tokeniser(list(data.texts), **cut)
        number = {label: place for place, label in enumerate(self.labels)}
        return [
            Example({key: given[key][row] for key in given}, [number[label]]) for row, label in enumerate(data.labels)
        ]

    def quality(
        self, data: LabelledTexts, examples: Sequence[Example], logits: Sequence[Array], how: str
    ) -> LabelQuality:
        """Of the likeliest labels."""
        predicted = [self.labels[int(np.argmax(row))] for row in logits]
        return label_quality(data.labels, predicted, self.labels, how)

    def score(self, quality: LabelQuality) -> float:
        """Macro-F1: a class that few texts have counts like the others."""
        return quality.macro_f1


class Tag:
    """A tag for each word, put on the first of its pieces."""

    name: TaskName = "tag"
    kind = "AutoModelForTokenClassification"
    chain: Chain | None = None

    def __init__(self, lesson: TaggedSentences) -> None:
        if len(lesson) < FEWEST:
            raise UsageError(
                f"{lesson.source}: {len(lesson)} sentences are too few to learn from; {FEWEST} is the least"
            )
        if not lesson.classes:
            raise UsageError(f"{lesson.source}: all tags are {OUTSIDE}; there is nothing to learn")
        self.labels = (OUTSIDE, *(f"{letter}-{label}" for label in lesson.classes for letter in BILOU.letters))
        self._classes = lesson.classes

    def examples(self, data: TaggedSentences, tokeniser: Any, limit: int | None) -> list[Example]:
        """Sentences, their words cut into pieces one by one."""
        if not tokeniser.is_fast:
            raise UsageError(
                "this tokeniser cannot tell which word a piece belongs to; give a base with tokenizer.json"
            )
        cut = {} if limit is None else {"truncation": True, "max_length": limit}
        given = tokeniser([list(words) for words in data.words], is_split_into_words=True, **cut)
        number = {tag: place for place, tag in enumerate(self.labels)}
        made = []
        for row, tags in enumerate(data.tags):
            wanted = [NOT_ASKED] * len(given["input_ids"][row])
            places = _first_pieces(given.word_ids(row))
            for word, piece in places.items():
                wanted[piece] = number[tags[word]]
            made.append(Example({key: given[key][row] for key in given}, wanted, places))
        lost = sum(len(tags) - len(one.first_pieces) for tags, one in zip(data.tags, made, strict=True))
        if lost:
            log.warning("%s: %d words are cut off or have no piece; they are taken as %s", data.source, lost, OUTSIDE)
        return made

    def quality(
        self, data: TaggedSentences, examples: Sequence[Example], logits: Sequence[Array], how: str
    ) -> SpanQuality:
        """Of the likeliest tags; with a chain, of the likeliest sequences."""
        predicted = []
        for tags, example, rows in zip(data.tags, examples, logits, strict=True):
            read = [OUTSIDE] * len(tags)
            words, pieces = list(example.first_pieces), list(example.first_pieces.values())
            if pieces:
                best = rows[pieces].argmax(axis=-1) if self.chain is None else self.chain.likeliest(rows[pieces])
                for word, number in zip(words, best.tolist(), strict=True):
                    read[word] = self.labels[number]
            predicted.append(read)
        return span_quality(data.tags, predicted, self._classes, how)

    def score(self, quality: SpanQuality) -> float:
        """F1 over spans; where it is undefined, nothing was found."""
        return quality.span_f1 or 0.0


def read_task(
    name: str,
    paths: Sequence[Path],
    *,
    classes: int | None = None,
    text_column: str | None = None,
    label_column: str | None = None,
    like: LabelledTexts | TaggedSentences | None = None,
) -> LabelledTexts | TaggedSentences:
    """The files of a task, and of further ones, which are `like` those that were trained on."""
    if name not in (Classify.name, Tag.name):
        raise UsageError(f"unknown task {name!r}{did_you_mean(name, (Classify.name, Tag.name))}")
    if name == Classify.name:
        known = cast(LabelledTexts | None, like)
        return read_labelled(paths, classes=classes, text_column=text_column, label_column=label_column, like=known)
    idle = {"classes": classes, "text_column": text_column, "label_column": label_column}
    for option, given in idle.items():
        if given is not None:
            raise UsageError(f"{option} is for the task {Classify.name!r}; tagged files have their own columns")
    return read_tagged(paths, like=cast(TaggedSentences | None, like))


def _first_pieces(words: Sequence[int | None]) -> dict[int, int]:
    """Word by word, the place of its first piece."""
    first: dict[int, int] = {}
    for piece, word in enumerate(words):
        if word is not None:
            first.setdefault(word, piece)
    return first

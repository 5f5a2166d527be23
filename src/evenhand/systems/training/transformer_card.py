"""The card beside a trained transformer: its task, its settings, what it was trained on, and how good it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from evenhand.schemes import BILOU
from evenhand.settings import MOST
from evenhand.systems.trained.card import Part, settings_of

CARD = "training.json"

TaskName = Literal["classify", "tag"]


class TransformerSettings(Part):
    """How a transformer is trained, and when that stops."""

    seed: int = Field(default=0, ge=0, lt=2**63)
    epochs: int = Field(default=10, ge=1, le=MOST)
    patience: int = Field(default=3, ge=1, le=MOST)
    """It stops when so many epochs have brought nothing better on the development file."""
    batch_size: int = Field(default=16, ge=1, le=MOST)
    learning_rate: float = Field(default=2e-5, gt=0, le=1)
    """The greatest; it rises to it and falls to zero again in straight lines."""
    warm_up: float = Field(default=0.06, ge=0, lt=1)
    """The share of the steps in which it rises."""
    weight_decay: float = Field(default=0.01, ge=0)
    crf: bool = False
    """Whether a tagger learns a chain over its tags, too."""


class LabelQuality(Part):
    """How well predicted labels go with the known ones.

    The F1 of a label that neither occurs nor is predicted is None; `macro_f1` is the mean of the others.
    """

    n: int
    accuracy: float
    macro_f1: float
    f1_by_label: dict[str, float | None]
    how: str


class SpanQuality(Part):
    """How well predicted spans go with the known ones; a span counts if its class and both its ends are right.

    `n` is the number of sentences, `accuracy` the share of words with the right tag. A value is None where it is
    undefined: precision where nothing is predicted, recall where there is nothing to find, F1 where both lack.
    """

    n: int
    spans: int
    accuracy: float
    precision: float | None
    recall: float | None
    span_f1: float | None
    f1_by_class: dict[str, float | None]
    how: str


class TransformerCard(Part):
    """What was trained, on what, with what, and how good it is."""

    format: Literal[1] = 1
    kind: Literal["transformer"] = "transformer"
    task: TaskName
    labels: tuple[str, ...]
    base: str
    base_sha256: str
    settings: TransformerSettings
    device: str
    data: str
    data_sha256: str
    n: int
    development: str
    development_sha256: str
    epochs: int
    best_epoch: int
    quality: LabelQuality | SpanQuality
    versions: dict[str, str]


def transformer_settings(**given: Any) -> TransformerSettings:
    """Settings, or one line about the first that cannot be.

    >>> transformer_settings(epochs=5).epochs
    5
    """
    return settings_of(TransformerSettings, given)


def label_quality(known: Sequence[str], predicted: Sequence[str], labels: Iterable[str], how: str) -> LabelQuality:
    """Accuracy and F1 of predicted labels.

    >>> quality = label_quality("aabb", "abbb", "abc", "by hand")
    >>> quality.accuracy, round(quality.macro_f1, 4), quality.f1_by_label["b"], quality.f1_by_label["c"]
    (0.75, 0.7333, 0.8, None)
    """
    f1 = {label: _f1([one == label for one in known], [one == label for one in predicted]) for label in labels}
    defined = [value for value in f1.values() if value is not None]
    right = sum(one == other for one, other in zip(known, predicted, strict=True))
    return LabelQuality(
        n=len(known), accuracy=right / len(known), macro_f1=sum(defined) / len(defined), f1_by_label=f1, how=how
    )


def span_quality(
    known: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], classes: Iterable[str], how: str
) -> SpanQuality:
    """Precision, recall and F1 of spans, all sentences together.

    >>> quality = span_quality([["U-LOC", "O"], ["U-PER", "O"]], [["U-LOC", "U-LOC"], ["O", "O"]], ["LOC"], "by hand")
    >>> quality.precision, quality.recall, quality.span_f1, quality.accuracy, round(quality.f1_by_class["LOC"], 4)
    (0.5, 0.5, 0.5, 0.5, 0.6667)
    """
    there = {(number, *span) for number, tags in enumerate(known) for span in BILOU.read(tags).spans}
    found = {(number, *span) for number, tags in enumerate(predicted) for span in BILOU.read(tags).spans}
    words = [pair for one, other in zip(known, predicted, strict=True) for pair in zip(one, other, strict=True)]

    def f1(label: str | None) -> float | None:
        wanted, given = ({span for span in spans if label in (None, span[3])} for spans in (there, found))
        return 2 * len(wanted & given) / (len(wanted) + len(given)) if wanted or given else None

    return SpanQuality(
        n=len(known),
        spans=len(there),
        accuracy=sum(one == other for one, other in words) / len(words),
        precision=len(there & found) / len(found) if found else None,
        recall=len(there & found) / len(there) if there else None,
        span_f1=f1(None),
        f1_by_class={label: f1(label) for label in classes},
        how=how,
    )


def _f1(known: Sequence[bool], predicted: Sequence[bool]) -> float | None:
    both = sum(one and other for one, other in zip(known, predicted, strict=True))
    marked = sum(known) + sum(predicted)
    return 2 * both / marked if marked else None

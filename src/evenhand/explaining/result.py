"""Where gaps come from: what was found, ready to be shown or saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import polars as pl

from evenhand.files.plain import rebuild
from evenhand.results import Result

Role = Literal["carries", "masks", "cannot tell"]
Interval = tuple[float, float]


@dataclass(frozen=True)
class Question:
    """A gap that is to be explained, first group minus second, in units of the output."""

    output: str
    span: float
    attribute: str
    first: str
    second: str
    first_label: str
    second_label: str
    gap: float | None
    interval: Interval | None
    """For people like these: other names, templates and words."""
    raw: float | None = None
    """The gap before scores are clipped to their range, which words share; None of what is not linear."""
    training_interval: Interval | None = None
    """Where the gap would lie had other texts of the same kind been learned from (95 %, to first order)."""
    undefined: str | None = None
    """Why there is no gap."""


@dataclass(frozen=True)
class WordShare:
    """What a word adds to a gap of a linear model: its weight times the difference of how often it is there."""

    output: str
    attribute: str
    first: str
    second: str
    word: str
    more_in: str
    """The group whose sentences have the word more often."""
    weight: float
    share: float
    """What it adds to the gap; the shares of all words add up to `raw`."""
    interval: Interval | None = None
    """Of the share, had other texts been learned from; corrected for the words that it is known of, those that add
    most, and only where the training texts are known."""
    texts: int | None = None
    """How many training texts have the word, where these are known."""
    mean: float | None = None
    """The mean score of those texts, on the output's scale."""


@dataclass(frozen=True)
class GroupEffect:
    """What a gap is without a group of training texts."""

    output: str
    attribute: str
    first: str
    second: str
    group: str
    texts: int
    left: float
    """The gap of the model that was trained again without them."""
    change: float
    """By how much the gap, before clipping, changed: that without the texts minus that with them."""
    interval: Interval | None
    """Of the change, with the texts of the group as a sample; corrected for all groups of the output, and all
    words that groups were picked from."""
    influence: float
    """The same change to first order, from the influences of the single texts."""
    role: Role
    """Whether the texts carry the gap (without them it shrinks) or mask it (it grows), as far as the interval shows."""
    pearson: float | None
    """How well a model without these texts predicts texts that it has not seen."""
    whole_pearson: float | None
    """The same texts, predicted by a model that learned from the group as well."""
    undefined: str | None = None


@dataclass(frozen=True)
class TextInfluence:
    """A training text, and by how much a gap changes without it, to first order."""

    output: str
    attribute: str
    first: str
    second: str
    text: str
    score: float
    predicted: float
    influence: float


@dataclass(frozen=True)
class Swap:
    """What a word does to the score in the place of the others that stand there."""

    output: str
    kind: str
    """`person`, or the column of the corpus that the word stands in."""
    word: str
    groups: tuple[str, ...]
    """The groups of a person, as people call them."""
    effect: float
    """The mean score with the word, minus that with each of the others in the same place."""
    interval: Interval | None
    """With templates and words (or templates and people) as samples; corrected for all words of the kind."""
    sentences: int
    undefined: str | None = None


@dataclass(frozen=True, eq=False)
class Explanation(Result):
    """Where the gaps of one system come from, as far as its words and its training texts tell."""

    kind: ClassVar[str] = "explanation"
    file: ClassVar[str] = "explanation.json"

    system: str
    questions: tuple[Question, ...]
    swaps: tuple[Swap, ...] = field(default=(), repr=False)
    words: tuple[WordShare, ...] = field(default=(), repr=False)
    groups: tuple[GroupEffect, ...] = field(default=(), repr=False)
    texts: tuple[TextInfluence, ...] = field(default=(), repr=False)
    trained_on: str | None = None
    """What the system learned from, where that was looked into."""

    def content(self) -> dict[str, Any]:
        """The gaps, and what was found about each."""
        parts = ("questions", "swaps", "words", "groups", "texts")
        return {
            "system": self.system,
            "trained_on": self.trained_on,
            **{part: [asdict(one) for one in getattr(self, part)] for part in parts},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from its plain values."""
        return cls(
            system=values["system"],
            trained_on=values["trained_on"],
            questions=tuple(rebuild(Question, one) for one in values["questions"]),
            swaps=tuple(rebuild(Swap, one) for one in values["swaps"]),
            words=tuple(rebuild(WordShare, one) for one in values["words"]),
            groups=tuple(rebuild(GroupEffect, one) for one in values["groups"]),
            texts=tuple(rebuild(TextInfluence, one) for one in values["texts"]),
            **cls.common(values),
        )

    def frame(self) -> pl.DataFrame:
        """One row per word whose swap was looked at."""
        return _frame(self.swaps)

    def tables(self) -> dict[str, pl.DataFrame]:
        """All tables, by their names; those of parts that there are not are left out."""
        parts = {"gaps": self.questions, "swaps": self.swaps, "words": self.words, "groups": self.groups,
                 "texts": self.texts}  # fmt: skip
        return {name: _frame(rows) for name, rows in parts.items() if rows}

    def about(self, question: Question, part: str) -> list[Any]:
        """The words, groups or texts that belong to a gap."""
        asked = _asked(question)
        return [one for one in getattr(self, part) if _asked(one) == asked]


def _asked(one: Any) -> tuple[str, str, str, str]:
    return one.output, one.attribute, one.first, one.second


def _frame(rows: tuple[Any, ...]) -> pl.DataFrame:
    return pl.DataFrame([_flat(asdict(one)) for one in rows], infer_schema_length=None)


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Intervals as two columns, groups as one text."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if name.endswith("interval"):
            low, high = value or (None, None)
            flat |= {name.replace("interval", "low"): low, name.replace("interval", "high"): high}
        else:
            flat[name] = "; ".join(value) if isinstance(value, tuple) else value
    return flat

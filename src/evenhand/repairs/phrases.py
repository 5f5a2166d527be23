"""What a system says to bare identities, phrase by phrase: what calibrations rest on, before anything is averaged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.files.plain import rebuild
from evenhand.repairs.references import COLUMN, IDENTITY
from evenhand.repairs.variables import Variable, variables
from evenhand.results import Result


@dataclass(frozen=True)
class PhraseAnswer:
    """What one system says to one phrase, asked one question."""

    system: str
    question: str
    """The output, or what the labels are of."""
    phrase: str
    role: str
    """identity, neutral or content-free."""
    attribute: str | None
    group: str | None
    labels: tuple[str, ...]
    """Empty where the system gives one number."""
    probabilities: tuple[float, ...]
    score: float | None
    """The number that it gives, or the expected label; None where labels are no numbers."""
    likeliest: str | None
    """The most probable label; None where there are none."""


@dataclass(frozen=True)
class PhrasePair:
    """Two phrases that differ in one attribute only: the first group's score less the second's."""

    system: str
    question: str
    attribute: str
    first_group: str
    second_group: str
    first: str
    second: str
    first_score: float
    second_score: float
    difference: float


@dataclass(frozen=True, eq=False, repr=False)
class Phrases(Result):
    """Answers to bare identities, phrase by phrase, and pair by pair."""

    kind: ClassVar[str] = "phrases"
    file: ClassVar[str] = "phrases.json"

    references: str
    answers: tuple[PhraseAnswer, ...]
    pairs: tuple[PhrasePair, ...]

    def content(self) -> dict[str, Any]:
        """Every answer, and every pair; which way the pairs of an attribute lean is counted."""
        return {
            "references": self.references,
            "answers": [asdict(one) for one in self.answers],
            "pairs": [asdict(one) for one in self.pairs],
            "leaning": [one.to_dict() for one in self.leaning],
        }

    @property
    def leaning(self) -> tuple[Leaning, ...]:
        """By system, question and attribute: how many pairs lean which way."""
        return tuple(_leaning(self.pairs))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from its plain values."""
        answers = tuple(rebuild(PhraseAnswer, one) for one in values["answers"])
        pairs = tuple(rebuild(PhrasePair, one) for one in values["pairs"])
        return cls(values["references"], answers, pairs, **cls.common(values))

    def frame(self) -> pl.DataFrame:
        """A row for each answer; probabilities as text, label by label."""
        rows = [
            {**asdict(one), "labels": ", ".join(one.labels), "probabilities": ", ".join(map(repr, one.probabilities))}
            for one in self.answers
        ]
        return pl.DataFrame(rows, infer_schema_length=None)


@dataclass(frozen=True)
class Leaning:
    """How many pairs of an attribute lean which way; where some lean either way, words differ and not only groups."""

    system: str
    question: str
    attribute: str
    first_group: str
    second_group: str
    first_higher: int
    second_higher: int
    same: int

    @property
    def both_ways(self) -> bool:
        """Whether some pairs lean one way and some the other."""
        return self.first_higher > 0 and self.second_higher > 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "both_ways": self.both_ways}


def _leaning(pairs: Sequence[PhrasePair]) -> Iterator[Leaning]:
    keys = dict.fromkeys((one.system, one.question, one.attribute, one.first_group, one.second_group) for one in pairs)
    for key in keys:
        gaps = [
            one.difference
            for one in pairs
            if (one.system, one.question, one.attribute, one.first_group, one.second_group) == key
        ]
        higher, lower = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
        yield Leaning(*key, higher, lower, len(gaps) - higher - lower)


def answers_to(scores: Scores, corpus: Corpus) -> tuple[PhraseAnswer, ...]:
    """The answers to each row of a reference corpus, by system and question."""
    found: list[PhraseAnswer] = []
    for system in dict.fromkeys(column.system for column in scores.columns):
        own = scores.of_system(system)
        for variable in variables([column.output for column in own.columns]):
            columns = own.matrix[:, list(variable.places)]
            read = variable.read(columns)
            for row, phrase in enumerate(corpus.frame.iter_rows(named=True)):
                attribute = next((name for name in corpus.attributes if phrase[name] is not None), None)
                found.append(
                    PhraseAnswer(
                        system, variable.name, phrase["text"], phrase[COLUMN], attribute,
                        None if attribute is None else phrase[attribute],
                        *_said(variable, columns[row].tolist(), read[row].tolist()),
                    )
                )  # fmt: skip
    return tuple(found)


def _said(
    variable: Variable, columns: list[float], read: list[float]
) -> tuple[tuple[str, ...], tuple[float, ...], float | None, str | None]:
    """Labels, their probabilities, the score and the likeliest label."""
    if not variable.is_distribution:
        return (), (), read[0], None
    labels = tuple(output.name.rpartition("=")[2] for output in variable.outputs)
    score = None if variable.values is None else read[0]
    return labels, tuple(columns), score, labels[columns.index(max(columns))]


def pairs_of(answers: Sequence[PhraseAnswer], corpus: Corpus) -> tuple[PhrasePair, ...]:
    """The nth phrase of one group with the nth of the other, where an attribute has two groups with as many phrases."""
    made: list[PhrasePair] = []
    for system, question in dict.fromkeys((one.system, one.question) for one in answers):
        for attribute, groups in corpus.attributes.items():
            by_group = [
                [
                    one
                    for one in answers
                    if (one.system, one.question, one.role) == (system, question, IDENTITY)
                    and (one.attribute, one.group) == (attribute, group)
                ]
                for group in groups
            ]
            if len(groups) != 2 or len(by_group[0]) != len(by_group[1]):
                continue
            made += [
                PhrasePair(
                    system, question, attribute, *groups, first.phrase, second.phrase, first.score, second.score,
                    first.score - second.score,
                )
                for first, second in zip(*by_group, strict=True)
                if first.score is not None and second.score is not None
            ]  # fmt: skip
    return tuple(made)

"""What two audits have in common: the sentences that both asked about, and the scores that both systems gave them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from evenhand.asking import Column, Scores
from evenhand.asking.scores import read_only
from evenhand.comparing.answered import in_common
from evenhand.comparing.audit import Audit
from evenhand.contrasts import CROSS
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.settings import crossed


@dataclass(frozen=True, eq=False)
class Run:
    """An audit with everything that a comparison needs, what it is called, and the columns that are compared."""

    name: str
    scores: Scores
    corpus: Corpus
    asked: tuple[str, ...]
    """The attributes that it has findings on."""
    measured: bool
    """Whether it has metrics."""

    @classmethod
    def of(cls, audit: Audit, name: str) -> Run:
        """Refuses audits that were saved without their scores."""
        if audit.scores is None or audit.corpus is None:
            raise UsageError(f"{name} was saved without scores and corpus, which a comparison needs: audit it again")
        asked = tuple(dict.fromkeys(finding.attribute for finding in audit.findings))
        scores, corpus = in_common(audit.scores, audit.corpus)
        return cls(name, scores, corpus, asked, audit.measurements is not None)

    def chosen(self, system: str | None) -> Run:
        """The columns of one system, or one column `system/output`."""
        if system is None:
            return self
        columns = self.scores.columns
        places = [place for place, column in enumerate(columns) if system in (column.system, column.name)]
        if not places:
            raise UsageError(f"{self.name} holds no system {system!r}; it holds {', '.join(self.systems)}")
        return replace(self, scores=self.scores.pick(places))

    @property
    def systems(self) -> tuple[str, ...]:
        """Each once, in order."""
        return tuple(dict.fromkeys(column.system for column in self.scores.columns))


@dataclass(frozen=True)
class Shared:
    """How many sentences are compared, and how many each run asked about."""

    sentences: int
    of_one: int
    of_other: int

    @property
    def all_of_both(self) -> bool:
        """Whether both runs asked about the same sentences."""
        return self.sentences == self.of_one == self.of_other


def shared_corpus(one: Run, other: Run) -> Corpus:
    """The sentences with the same id, text, source and person in both, by the attributes that both have."""
    if one.corpus.digest == other.corpus.digest:
        return one.corpus
    attributes = [name for name in one.corpus.attributes if name in other.corpus.attributes]
    same = ["id", "text", "source", "person", *attributes]
    frame = one.corpus.frame.join(other.corpus.frame.select(same), on=same, how="semi", nulls_equal=True)
    groups = {name: _present(frame, name, one.corpus.attributes[name]) for name in attributes}
    kept = {name: names for name, names in groups.items() if len(names) > 1}
    if frame.is_empty() or not kept:
        raise UsageError(
            f"{one.name} ({one.corpus.name}) and {other.name} ({other.corpus.name}) share no sentences that can be "
            "compared: run both systems on the same corpus, with the same names and seed"
        )
    return replace(one.corpus, frame=frame, attributes=kept, drawn_from=one.corpus.drawn_from or one.corpus.digest)


def _present(frame: pl.DataFrame, attribute: str, groups: Sequence[str]) -> tuple[str, ...]:
    there = set(frame[attribute])
    return tuple(group for group in groups if group in there)


def shared_attributes(one: Run, other: Run, corpus: Corpus, asked: Sequence[str] | None) -> list[str]:
    """The attributes to compare: those asked for, or all on which both runs have findings."""
    for attribute in asked or ():
        for part in crossed(attribute):
            for run in (one, other):
                if part not in run.corpus.attributes:
                    have = ", ".join(run.corpus.attributes)
                    raise UsageError(f"{run.name} has no attribute {part!r} to compare by; its corpus has {have}")
    wanted = list(asked) if asked else [name for name in one.asked if name in other.asked]
    found = [name for name in wanted if all(part in corpus.attributes for part in name.split(CROSS))]
    if not found:
        raise UsageError(
            f"{one.name} asked about {_listed(one.asked)}, {other.name} about {_listed(other.asked)}: on the sentences "
            f"that they share, {_listed(corpus.attributes)} can be compared; name the attribute"
        )
    return found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"


@dataclass(frozen=True, eq=False)
class Paired:
    """One system of each run, on the same sentences: as many columns in `one` as in `other`, in the same order.

    Where the ranges of two outputs differ, both are given as shares of their range: `shares`.
    """

    one: Scores
    other: Scores
    all_of_one: Scores
    """All outputs of the system as they are: the classes of a classifier belong together."""
    all_of_other: Scores
    one_called: str
    other_called: str
    shares: bool


def paired_scores(one: Run, other: Run, corpus: Corpus) -> list[Paired]:
    """The systems that are compared: the one of each run, or those of the same name where runs have several."""
    systems = _paired_systems(one, other)
    ids = corpus.frame["id"].to_list()
    sides = [replace(run, scores=run.scores.select(ids)) for run in (one, other)]
    return [_paired(sides[0], sides[1], names, corpus.digest) for names in systems]


def _paired_systems(one: Run, other: Run) -> list[tuple[str, str]]:
    if len(one.systems) == len(other.systems) == 1:
        return [(one.systems[0], other.systems[0])]
    same = [(name, name) for name in one.systems if name in other.systems]
    if not same:
        several = one if len(one.systems) > 1 else other
        raise UsageError(
            f"{several.name} holds {len(several.systems)} systems: choose one of {', '.join(several.systems)} "
            "(RUN#SYSTEM, or systems=(...) in Python)"
        )
    return same


def _paired(one: Run, other: Run, names: tuple[str, str], digest: str) -> Paired:
    scores = [run.scores.of_system(name) for run, name in zip((one, other), names, strict=True)]
    places = _paired_outputs(scores[0].columns, scores[1].columns)
    first, second = (
        replace(part.pick(list(chosen)), corpus_digest=digest)
        for part, chosen in zip(scores, zip(*places, strict=True), strict=True)
    )
    shares = [one.output.span for one in first.columns] != [one.output.span for one in second.columns]
    if shares:
        first, second = _as_shares(first), _as_shares(second)
    return Paired(first, second, scores[0], scores[1], *_called(one, other, first, second), shares)


def _paired_outputs(one: Sequence[Column], other: Sequence[Column]) -> list[tuple[int, int]]:
    """The places of the outputs of the same name; of single outputs, whatever their names."""
    if len(one) == len(other) == 1:
        return [(0, 0)]
    place = {column.output.name: number for number, column in enumerate(other)}
    found = [(n, place[column.output.name]) for n, column in enumerate(one) if column.output.name in place]
    if not found:
        outputs = [", ".join(column.output.name for column in side) for side in (one, other)]
        raise UsageError(
            f"{one[0].system} gives {outputs[0]}; {other[0].system} gives {outputs[1]}: choose one output of each "
            f"(RUN#{one[0].name}, or systems=(...) in Python)"
        )
    return found


def _as_shares(scores: Scores) -> Scores:
    """The same scores, measured by their ranges (or units)."""
    columns = [
        replace(
            one,
            output=replace(one.output, low=None, high=None, unit=1.0),
            draw_spread=None if one.draw_spread is None else one.draw_spread / one.output.span,
        )
        for one in scores.columns
    ]
    return Scores(scores.ids, read_only(scores.matrix / scores.spans), tuple(columns), scores.corpus_digest)


def _called(one: Run, other: Run, first: Scores, second: Scores) -> tuple[str, str]:
    """What tells the two apart: the system, the run, or the output."""
    both = [(run.name, scores.columns[0]) for run, scores in ((one, first), (other, second))]
    options = (
        [column.system for _, column in both],
        [f"{column.system} in {name}" for name, column in both],
        [f"{column.system} {column.output.name}" for _, column in both],
    )
    return next(((a, b) for a, b in options if a != b), ("the first", "the second"))

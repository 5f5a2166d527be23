"""Systems with a repair around them: who stands in a text, and what the calibrator makes of the system's answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from evenhand.corpora import Corpus
from evenhand.corpora.persons import Directory, Found
from evenhand.errors import UsageError
from evenhand.numbering import Ints
from evenhand.repairs.averaging import Averaged, Averaging
from evenhand.repairs.calibrator import Calibrator, FittedFor
from evenhand.repairs.neutral import Neutral, Neutralised
from evenhand.repairs.rows import Labels, Rows, labels_of
from evenhand.repairs.wrapping import Bools, Wrapped, distributed
from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of
from evenhand.systems.through import Asked


def repaired(system: BaseScorer, calibrator: Calibrator, corpus: Corpus | None = None) -> Wrapped:
    """The system with a calibrator around it, whichever way that one asks; refuses one that was fitted for another.

    Averaging and neutral substitution take the versions of a sentence from the corpus.
    """
    if not isinstance(calibrator, Averaging | Neutral):
        return Repaired(system, calibrator, corpus)
    if corpus is None:
        raise UsageError(f"{calibrator.method!r} takes the versions of a sentence from a corpus, and there is none")
    made = Averaged(system, corpus) if isinstance(calibrator, Averaging) else Neutralised(system, corpus)
    calibrator.fitted_for.refuse_another(made.inner.fingerprint, made.inner.outputs, system.name)
    return made


class Repaired(Wrapped):
    """A system whose answers a calibrator corrects.

    Who stands in a text is known for those of the corpus; in others they are looked up in the directory of the corpus
    that the calibrator was fitted on. Where nobody is found who has a group, or persons of several, the answer is kept
    to the last bit (but for contextual calibration, which knows no identities).
    """

    def __init__(self, system: BaseScorer, calibrator: Calibrator, corpus: Corpus | None = None) -> None:
        fitted_for = calibrator.fitted_for
        inner = system if _same(system.outputs, fitted_for.outputs) else distributed(system)
        fitted_for.refuse_another(inner.fingerprint, inner.outputs, system.name)
        super().__init__(system, how=calibrator.method, inner=inner)
        self.calibrator = calibrator
        self._who = Who(fitted_for, corpus)

    def questions(self, texts: Sequence[str]) -> Asked:
        """The text itself."""
        return [(text,) for text in texts]

    def named(self, texts: Sequence[str]) -> Bools:
        """Those in which somebody is found who has a group."""
        return self._who.rows(texts).named

    def repaired(self, texts: Sequence[str], answers: Sequence[Array]) -> Array:
        """The answers as the calibrator corrects them."""
        columns = np.array([answer[0] for answer in answers]).reshape(len(texts), len(self.inner.outputs))
        return self.calibrator.corrected(columns, self._who.rows(texts))

    def settings(self) -> dict[str, object]:
        """What was fitted, by which code, and who is known."""
        content = json.dumps([self.calibrator.fitted_for.to_json(), self.calibrator.content()], sort_keys=True)
        return {
            **super().settings(),
            "calibrator": hashlib.sha256(content.encode()).hexdigest(),
            "method": fingerprint_of(type(self.calibrator)),
            "corpus": self._who.digest,
        }


class Who:
    """Who stands in a text: as the corpus says, or as the directory finds."""

    def __init__(self, fitted_for: FittedFor, corpus: Corpus | None) -> None:
        self._directory: Directory | None = fitted_for.directory
        self._paired = frozenset(fitted_for.paired)
        self._attributes = tuple(fitted_for.attributes)
        self._known = None if corpus is None else Rows.of(corpus)
        self.digest = None if corpus is None else corpus.digest
        self._place: dict[str, int] = {}
        for row, text in enumerate([] if self._known is None else self._known.texts):
            self._place.setdefault(text, row)  # of one that stands there several times, the first counts

    def rows(self, texts: Sequence[str]) -> Rows:
        """The texts with their persons and groups."""
        found = self._found([text for text in texts if text not in self._place])
        looked_up = _looked_up(texts, found, self._attributes, self._paired)
        if self._known is None:
            return looked_up
        known = np.array([text in self._place for text in texts], dtype=bool)
        place = np.array([self._place.get(text, 0) for text in texts], dtype=np.intp)
        return _merged(self._known, looked_up, known, place)

    def _found(self, texts: Iterable[str]) -> dict[str, Found | None]:
        distinct = list(dict.fromkeys(texts))
        people = [None] * len(distinct) if self._directory is None else self._directory.people(distinct)
        return dict(zip(distinct, people, strict=True))


def _looked_up(
    texts: Sequence[str], found: dict[str, Found | None], attributes: Sequence[str], paired: frozenset[str]
) -> Rows:
    people = [found.get(text) for text in texts]
    return Rows(
        texts=labels_of(list(texts)),
        persons=labels_of([None if one is None or len(one.persons) != 1 else one.persons[0] for one in people]),
        groups={
            name: labels_of([None if one is None else one.groups.get(name) for one in people]) for name in attributes
        },
        paired=np.array([one is not None and paired.issuperset(one.persons) for one in people], dtype=bool),
    )


def _merged(corpus: Rows, others: Rows, known: Bools, place: Ints) -> Rows:
    """Rows of the corpus where a text is known, else those that were looked up."""

    def both(own: Labels | None, other: Labels | None) -> Labels:
        nothing = labels_of([None] * len(others))
        return np.where(known, nothing if own is None else own[place], nothing if other is None else other)

    return replace(
        others,
        persons=both(corpus.persons, others.persons),
        groups={
            name: both(corpus.groups.get(name), others.groups.get(name)) for name in {**others.groups, **corpus.groups}
        },
        paired=np.where(known, corpus.paired[place], others.paired),
        sources=both(corpus.sources, None),
        slots={name: both(labels, None) for name, labels in (corpus.slots or {}).items()},
        terms=both(corpus.terms, None),
    )


def _same(some: Sequence[Output], others: Sequence[Output]) -> bool:
    return [output.name for output in some] == [output.name for output in others]

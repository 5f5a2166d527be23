"""Trying a sentence: all its versions about other people, and what a system says of each."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from evenhand.asking import Scores
from evenhand.corpora import Corpus, eec
from evenhand.corpora.lexicon import known_labels
from evenhand.corpora.text import Perturber
from evenhand.corpora.text.perturber import attributes
from evenhand.corpora.text.versions import CHANGED, NOBODY
from evenhand.errors import UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import BaseScorer, Output
from evenhand.systems.installed import listed_systems
from evenhand.verbs.ask import ask

USUAL = ("vader", "textblob", "afinn", "nrc")
"""What may be tried where nobody said so: lexicons that answer at once, as far as they are installed."""
LONGEST = 2_000
"""Characters of a sentence."""
GENDERS = {"female": "women", "male": "men"}


@dataclass(frozen=True)
class Version:
    """The sentence about one group; `own` is the one that was typed."""

    group: str
    label: str
    text: str
    scores: tuple[float, ...]
    own: bool


@dataclass(frozen=True)
class Versions:
    """The sentence about all groups of an attribute, and how far apart the scores lie, output by output."""

    attribute: str
    versions: tuple[Version, ...]
    spreads: tuple[float, ...]


@dataclass(frozen=True)
class Tried:
    """What a system says of a sentence and its versions."""

    text: str
    system: str
    outputs: tuple[Output, ...]
    scores: tuple[float, ...]
    found: tuple[Versions, ...]
    not_found: tuple[tuple[str, str], ...]
    """Attributes of which there are no versions, each with why."""


class Trials:
    """The systems that may be tried, each made when it is first asked for."""

    def __init__(self, systems: Sequence[str] | None) -> None:
        self.systems = tuple(dict.fromkeys(systems)) if systems else usual_systems()
        self._made: dict[str, BaseScorer] = {}
        self._locks = {name: threading.Lock() for name in self.systems}
        self._folder = Path(tempfile.mkdtemp(prefix="evenhand-explorer-"))

    def close(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def made(self, name: str) -> BaseScorer:
        """A system that was allowed at the start; nothing else is ever made."""
        if name not in self._locks:
            raise UsageError(f"{name!r} was not allowed when the explorer was started; allowed: {self._allowed}")
        with self._locks[name]:
            if name not in self._made:
                made = resolve(name, eec())
                if isinstance(made, Scores):
                    raise UsageError(f"{name}: predictions that were recorded cannot answer for a new sentence")
                self._made[name] = made
            return self._made[name]

    def tried(self, text: str, system: str) -> Tried:
        """Score a sentence and all its versions."""
        text = " ".join(text.split())
        if not text:
            raise UsageError("type a sentence about somebody, such as: My sister feels angry.")
        if len(text) > LONGEST:
            raise UsageError(f"a sentence may have {LONGEST:,} characters; this one has {len(text):,}")
        made = self.made(system)
        versions, missing = _versions(text)
        texts = list(dict.fromkeys([text, *(one for about in versions.values() for _, one in about)]))
        with self._locks[system]:
            scores = ask(made, _asked(texts), cache=self._folder, progress=False)
        assert isinstance(scores, Scores)  # noqa: S101 - of scorers there are no tags
        rows = [tuple(map(float, row)) for row in scores.matrix]
        place = {one: number for number, one in enumerate(texts)}
        return Tried(
            text,
            system,
            tuple(column.output for column in scores.columns),
            rows[0],
            tuple(_with_scores(name, about, text, place, rows) for name, about in versions.items()),
            tuple(missing),
        )

    @property
    def _allowed(self) -> str:
        return ", ".join(self.systems) or "none"


def usual_systems() -> tuple[str, ...]:
    """The lexicons that are installed."""
    there = {one.typed for one in listed_systems() if one.installed}
    return tuple(name for name in USUAL if name in there)


@cache
def perturbers() -> dict[str, Perturber]:
    """One for each attribute; making them takes a moment."""
    return {attribute: Perturber(attribute) for attribute in attributes()}


@cache
def _label(attribute: str, group: str) -> str:
    if attribute == "gender":
        return GENDERS.get(group, group)
    if attribute == "race":
        return f"{group} names"  # it is names that are exchanged, and names that systems see
    return known_labels(attribute, [group]).get(attribute, {}).get(group, group)


def _versions(text: str) -> tuple[dict[str, list[tuple[str, str]]], list[tuple[str, str]]]:
    """By attribute, the groups and the text about each; and why other attributes have none."""
    found: dict[str, list[tuple[str, str]]] = {}
    missing = []
    for attribute, perturber in perturbers().items():
        analysis = perturber.analysis(text)
        if analysis.status != CHANGED:
            missing.append((attribute, analysis.reason or NOBODY))
            continue
        about = [(group, analysis.version(text, group).text) for group in perturber.groups]
        kept = [(group, one) for group, one in about if one != text or group == analysis.group]
        found[attribute] = kept if analysis.group else [("", text), *kept]
    return found, missing


def _with_scores(
    attribute: str,
    about: Sequence[tuple[str, str]],
    text: str,
    place: dict[str, int],
    rows: Sequence[tuple[float, ...]],
) -> Versions:
    versions = tuple(
        Version(group, _label(attribute, group) if group else "as typed", one, rows[place[one]], one == text)
        for group, one in about
    )
    spreads = tuple(max(column) - min(column) for column in zip(*(one.scores for one in versions), strict=True))
    return Versions(attribute, versions, spreads)


def _asked(texts: Sequence[str]) -> Corpus:
    places = [str(number) for number in range(len(texts))]
    frame = pl.DataFrame({"id": places, "text": list(texts), "source": ["typed"] * len(texts), "person": places})
    return Corpus(frame, "a sentence", {})

"""What the pictures are drawn from: differences by system, and persons by template, summed up to stay small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.asking import Scores
from evenhand.comparing.answered import by_sentences
from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.contrasts import Floats, contrasts
from evenhand.corpora import Corpus
from evenhand.corpora.labels import crossed

POINTS_IN_ALL = 24_000
MOST_POINTS, FEWEST_POINTS = 300, 15
MOST_PERSONS, MOST_TEMPLATES = 80, 40
WHISKER = 1.5
"""Whiskers reach to the last difference within so many interquartile ranges of the box."""


@dataclass(frozen=True)
class Spread:
    """A box plot: quartiles, whiskers, extremes, and some of the points behind them."""

    low: float
    whisker_low: float
    q1: float
    median: float
    q3: float
    whisker_high: float
    high: float
    points: tuple[float, ...]


@dataclass(frozen=True)
class HeatMap:
    """How far each person's score lies from the typical one in the same sentences: (persons, templates)."""

    persons: tuple[str, ...]
    groups: tuple[str, ...]
    templates: tuple[str, ...]
    values: Floats


class Details:
    """Differences and heat maps of a report's findings, computed from its saved scores."""

    def __init__(
        self, corpus: Corpus, scores: Scores, findings: Sequence[Finding], *, points: int | None = None
    ) -> None:
        """`points`: the most that a box shows; else as many as leave a page of all findings small."""
        self._corpus = corpus
        self._scores = scores
        self._column = {(c.system, c.output.name): place for place, c in enumerate(scores.columns)}
        few = int(np.clip(POINTS_IN_ALL // max(len(findings), 1), FEWEST_POINTS, MOST_POINTS))
        self._points = few if points is None else points

        @cache
        def differences(attribute: str, subset: str, pairs: bool) -> dict[tuple[str, str, bool], Floats]:
            made = contrasts(corpus, attribute, subset=subset, pairs=pairs)
            return {(one.first, one.second, bool(one.rest)): one.matrix @ scores.matrix for one in made}

        self._differences = differences

    def spread(self, finding: Finding) -> Spread:
        """The finding's differences as a box with some of its points."""
        column = self._column[finding.system, finding.output]
        made = self._differences(finding.attribute, finding.subset, not finding.rest)
        values = np.sort(made[finding.first, finding.second, bool(finding.rest)][:, column])
        q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
        reach = WHISKER * (q3 - q1)
        inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
        # Evenly spaced ranks keep the shape and both ends.
        ranks = np.linspace(0, len(values) - 1, min(self._points, len(values))).round().astype(int)
        return Spread(
            low=float(values[0]),
            whisker_low=float(inside[0]),
            q1=float(q1),
            median=float(median),
            q3=float(q3),
            whisker_high=float(inside[-1]),
            high=float(values[-1]),
            points=tuple(values[ranks].tolist()),
        )

    @cached_property
    def _heat(self) -> tuple[HeatMap, Floats] | None:
        """The axes of the heat maps, which all systems share, and the values: (persons, templates, columns)."""
        frame = self._corpus.frame
        if "template" not in frame.columns:
            return None
        persons = frame.select("person", *self._corpus.attributes).unique("person", keep="first", maintain_order=True)
        templates = frame["template"].unique(maintain_order=True).to_list()[:MOST_TEMPLATES]
        values = np.stack([self._by_person(frame["template"] == template) for template in templates], axis=1)
        strength = np.abs(np.nanmean(values, axis=1)).max(axis=1)
        kept = np.sort(np.argsort(-strength, kind="stable")[:MOST_PERSONS])
        # Groups together, in the order in which they first appear.
        groups = [self._group(row) for row in persons.iter_rows(named=True)]
        first_seen = {name: place for place, name in enumerate(dict.fromkeys(groups))}
        kept = np.array(sorted(kept, key=lambda person: first_seen[groups[person]]))
        axes = HeatMap(
            tuple(persons["person"][kept]), tuple(groups[one] for one in kept), tuple(templates), np.zeros((0, 0))
        )
        return axes, values[kept]

    def _group(self, person: Mapping[str, str | None]) -> str:
        """All groups of a person in one label, or by their code names where the corpus has no labels for all."""
        mine = {name: group for name in self._corpus.attributes if (group := person[name]) is not None}
        labels = [self._corpus.labels.get(name, {}).get(group) for name, group in mine.items()]
        return crossed([label for label in labels if label]) if labels and all(labels) else " ".join(mine.values())

    def _by_person(self, rows: pl.Series) -> Floats:
        """Each person's mean distance from the typical score, over some of the sentences: (persons, columns)."""
        frame = self._corpus.frame
        person = _numbers(frame["person"])
        chosen = np.flatnonzero(rows.fill_null(False).to_numpy())
        n_persons = int(person.max()) + 1
        totals = np.zeros((n_persons, len(self._scores.columns)))
        np.add.at(totals, person[chosen], self._from_everybody[chosen])
        counts = np.bincount(person[chosen], minlength=n_persons)[:, None]
        means: Floats = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
        return means

    @cached_property
    def _from_everybody(self) -> Floats:
        """Each score less the median of its source: one odd person then leaves all others at zero."""
        source = _numbers(self._corpus.frame["source"])
        order = np.argsort(source, kind="stable")
        away = np.empty_like(self._scores.matrix)
        for rows in np.split(order, np.cumsum(np.bincount(source))[:-1]):
            away[rows] = self._scores.matrix[rows] - np.median(self._scores.matrix[rows], axis=0)
        return away

    def heat_map(self, system: str, output: str) -> HeatMap | None:
        """Persons by template; None where the corpus has no templates. What no sentence shows is NaN."""
        if self._heat is None:
            return None
        axes, values = self._heat
        return replace(axes, values=values[:, :, self._column[system, output]])


def _numbers(column: pl.Series) -> npt.NDArray[np.int64]:
    """Number the values in order of appearance."""
    place = {value: number for number, value in enumerate(column.unique(maintain_order=True))}
    return np.array([place[value] for value in column], dtype=np.int64)


class Pictured(Protocol):
    """What pictures ask for."""

    def spread(self, finding: Finding) -> Spread:
        """The finding's differences as a box with some of its points."""
        ...

    def heat_map(self, system: str, output: str) -> HeatMap | None:
        """Persons by template."""
        ...


class _InWaves:
    """The same for systems that were asked about different sentences."""

    def __init__(self, audit: Audit, parts: Sequence[tuple[Scores, Corpus]]) -> None:
        self._of = {
            column.system: details
            for scores, corpus in parts
            for details in [Details(corpus, scores, audit.findings)]
            for column in scores.columns
        }

    def spread(self, finding: Finding) -> Spread:
        return self._of[finding.system].spread(finding)

    def heat_map(self, system: str, output: str) -> HeatMap | None:
        return self._of[system].heat_map(system, output)


_DETAILS: WeakKeyDictionary[Audit, Pictured] = WeakKeyDictionary()


def details_of(audit: Audit) -> Pictured | None:
    """What the pictures of an audit are drawn from, made once; None for an audit without its scores."""
    if audit.scores is None or audit.corpus is None:
        return None
    if audit not in _DETAILS:
        parts = by_sentences(audit.scores, audit.corpus)
        one = Details(audit.corpus, audit.scores, audit.findings) if len(parts) == 1 else None
        _DETAILS[audit] = one or _InWaves(audit, parts)
    return _DETAILS[audit]

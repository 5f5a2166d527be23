"""How much there is to repair: gaps for persons in general, and what weight a correction deserves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import special

from evenhand.comparing.settings import Settings
from evenhand.comparing.tested import Tested
from evenhand.contrasts import Contrast, contrast
from evenhand.corpora import Corpus
from evenhand.corpora.corpus import Condition
from evenhand.errors import UsageError
from evenhand.repair.variables import Variable
from evenhand.scoring import Column, Scores
from evenhand.stats import ROUNDING
from evenhand.stats.multiplicity import holm
from evenhand.systems.base import Array

ALPHA = 0.05
"""The level at which a gap counts as there: a fair system is left alone in 95 of 100 fits."""

EVERYBODY, PAIRED, UNPAIRED = "everybody", "paired", "unpaired"
KINDS: dict[str, dict[str, Condition]] = {PAIRED: {"pair": True}, UNPAIRED: {"pair": None}}
"""Persons that correspond one to one (this woman, this man), and those that do not (names)."""


@dataclass(frozen=True)
class Gap:
    """One gap for persons in general: first group minus second; arrays hold one number per reading of the variable."""

    first: str
    second: str
    operator: Array
    """What each sentence counts: `operator @ scores` is the gap."""
    estimate: Array
    variance: Array
    freedom: Array

    @property
    def p(self) -> Array:
        """Two-sided; where nothing varies, 0 for a gap and 1 for none; NaN where too little is left to tell."""
        certain = self.variance == 0
        deviation = np.sqrt(np.where(certain, 1.0, self.variance))
        tested = 2 * special.stdtr(np.where(certain, 1.0, self.freedom), -np.abs(self.estimate) / deviation)
        p: Array = np.where(certain, np.where(self.estimate == 0, 1.0, 0.0), tested)
        return np.where(~certain & (self.freedom < 1), np.nan, p)


@dataclass(frozen=True)
class Evidence:
    """What speaks for correcting one variable for one attribute, among persons of one kind."""

    kind: str
    gaps: tuple[Gap, ...]
    p: float | None
    """The smallest p after Holm's correction for all pairs of groups and readings; None where there is none."""
    tests: int = 1
    """How many kinds of persons speak for themselves: each is then asked at a level as many times smaller."""

    @property
    def weight(self) -> float:
        """How much of a correction is deserved, 0 to 1: nothing unless the gap is significant, else 1 − V/gap².

        The gap that is seen is the true one and chance: its square is too large by V on average, and a correction by
        all of it would over-correct as often as not.
        """
        if self.p is None or self.p >= ALPHA / self.tests:
            return 0.0
        squares = sum(float(gap.estimate @ gap.estimate) for gap in self.gaps)
        return max(0.0, 1 - sum(float(gap.variance.sum()) for gap in self.gaps) / squares)

    def layer(self, spread: Array) -> dict[str, Array]:
        """How far each group lies from the mean of the groups: numbers of the kind that the operators are fed with."""
        groups = list(dict.fromkeys(name for gap in self.gaps for name in (gap.first, gap.second)))
        far = {group: np.zeros(spread.shape[1]) for group in groups}
        for gap in self.gaps:
            difference = gap.operator @ spread / len(groups)
            far[gap.first] += difference
            far[gap.second] -= difference
        return far


def evidence(scores: Scores, corpus: Corpus, variable: Variable, attribute: str) -> tuple[Evidence, ...]:
    """What the scores say about the gaps between the groups of an attribute.

    Persons of all kinds speak together, each kind with the weight of its precision, unless the kinds differ
    significantly among themselves: then each speaks for itself. Where they find a gap together, a kind that also finds
    it alone is corrected by its own. `scores` are those of one system.
    """
    read = readings(scores, variable)
    groups = [group for group in corpus.attributes[attribute] if (corpus.frame[attribute] == group).any()]
    by_kind = {kind: _gaps(read, corpus, attribute, groups, kind) for kind in _kinds(corpus)}
    alone = [_evidence(kind, gaps) for kind, gaps in by_kind.items() if gaps]
    if len(alone) < 2:
        return tuple(replace(one, kind=EVERYBODY) for one in alone)
    if _differ(*(one.gaps for one in alone)):
        return tuple(replace(one, tests=len(alone)) for one in alone)
    together = _evidence(EVERYBODY, [_together(*pair) for pair in zip(*(one.gaps for one in alone), strict=True)])
    if not together.weight or not any(one.weight for one in alone):
        return (together,)
    return tuple(one if one.weight else replace(together, kind=one.kind) for one in alone)


def _evidence(kind: str, gaps: Sequence[Gap]) -> Evidence:
    return Evidence(kind, tuple(gaps), _smallest_p(gaps))


def readings(scores: Scores, variable: Variable) -> Scores:
    """The scores as the variable is judged by."""
    first = scores.columns[variable.places[0]]
    columns = tuple(Column(first.system, output, first.fingerprint) for output in variable.readings)
    matrix = variable.read(scores.matrix[:, list(variable.places)])
    return Scores(scores.ids, matrix, columns, scores.corpus_digest)


def gap_operator(made: Contrast) -> Array:
    """What each sentence counts in a contrast's estimate."""
    unit, _, sentence, value = made.entries
    counts = made.unit_weights[unit] * value / made.cells.height
    return np.bincount(sentence, weights=counts, minlength=made.shape[1]).astype(np.float64)


def _kinds(corpus: Corpus) -> tuple[str, ...]:
    """Both kinds of persons where there are both; else nobody is told apart."""
    if "pair" not in corpus.frame.columns:
        return (EVERYBODY,)
    paired = corpus.frame["pair"].is_not_null()
    return (PAIRED, UNPAIRED) if paired.any() and not paired.all() else (EVERYBODY,)


def _gaps(read: Scores, corpus: Corpus, attribute: str, groups: Sequence[str], kind: str) -> list[Gap]:
    """The gaps between all pairs of groups; none where the persons of this kind cannot speak for others."""
    marked = replace(corpus, subsets={**corpus.subsets, **KINDS})
    gaps = []
    for pair in combinations(groups, 2):
        try:
            made = contrast(marked, attribute, groups=pair, subset="all" if kind == EVERYBODY else kind)
        except UsageError:
            return []
        parts = Tested(made, marked, read, Settings()).components
        if parts is None:
            return []
        gaps.append(Gap(*pair, gap_operator(made), parts.estimate, parts.variance, parts.degrees_of_freedom))
    return gaps


def _differ(some: Sequence[Gap], others: Sequence[Gap]) -> bool:
    """Whether two kinds of persons show different gaps."""
    differences = [
        Gap(
            one.first,
            one.second,
            one.operator - other.operator,
            _difference(one.estimate, other.estimate),
            one.variance + other.variance,
            _freedom([one.variance, other.variance], [one.freedom, other.freedom]),
        )
        for one, other in zip(some, others, strict=True)
    ]
    p = _smallest_p(differences)
    return p is not None and p < ALPHA


def _difference(some: Array, others: Array) -> Array:
    """The difference; nothing where it is rounding."""
    difference = some - others
    return np.where(np.abs(difference) <= ROUNDING * (np.abs(some) + np.abs(others)), 0.0, difference)


def _together(one: Gap, other: Gap) -> Gap:
    """The gap of two kinds of persons, each weighted by its precision (over all readings)."""
    share = _share(float(one.variance.sum()), float(other.variance.sum()))
    parts = [share**2 * one.variance, (1 - share) ** 2 * other.variance]
    return Gap(
        one.first,
        one.second,
        share * one.operator + (1 - share) * other.operator,
        share * one.estimate + (1 - share) * other.estimate,
        parts[0] + parts[1],
        _freedom(parts, [one.freedom, other.freedom]),
    )


def _share(variance: float, other: float) -> float:
    if variance == 0 and other == 0:
        return 0.5
    return other / (variance + other)


def _freedom(parts: Sequence[Array], freedoms: Sequence[Array]) -> Array:
    """Satterthwaite's, over parts of a variance; those without variance have no say."""
    total = np.sum(parts, axis=0)
    squared = np.sum(
        [
            np.divide(part**2, df, out=np.zeros_like(part), where=(part > 0) & (df > 0))
            for part, df in zip(parts, freedoms, strict=True)
        ],
        axis=0,
    )
    freedom: Array = np.divide(total**2, squared, out=np.full_like(total, np.nan), where=squared > 0)
    return freedom


def _smallest_p(gaps: Sequence[Gap]) -> float | None:
    p: npt.NDArray[np.float64] = np.concatenate([gap.p for gap in gaps])
    if np.isnan(p).all():
        return None
    return float(holm(np.where(np.isnan(p), 1.0, p)).min())

"""Per-term corrections: what each person's own name or word adds, partially pooled within their group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import stats

from evenhand.contrasts import Contrast, Ints, contrasts
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.repair.calibrator import Calibrator, FittedFor, calibrator, numbers
from evenhand.repair.evidence import ALPHA
from evenhand.repair.layers import Layers, sum_of_shifts
from evenhand.repair.rows import Rows
from evenhand.repair.variables import Variable, variables
from evenhand.scoring import Scores
from evenhand.stats import ROUNDING
from evenhand.systems.base import Array


@dataclass(frozen=True)
class Own:
    """What persons add by themselves to one variable, and how much of that is more than chance."""

    variable: str
    far: Mapping[str, Array]
    """By person, how far they lie from the mean of all groups, on the scale on which corrections add up; for persons
    who correspond one to one, it is half of their own pair's gap."""
    share: Mapping[str, float]
    """By person, what of the differences within their group is more than chance, 0 to 1."""


@calibrator("terms")
@dataclass(frozen=True, eq=False)
class Terms(Calibrator):
    """Corrections by person, partially pooled: share · the person's own + (1 − share) · that of the groups.

    A person who was not seen gets the correction of the groups.
    """

    fitted_for: FittedFor
    groups: Layers
    own: tuple[Own, ...]

    @classmethod
    def fit(cls, scores: Scores, corpus: Corpus, *, attributes: Sequence[str] | None = None) -> Self:
        """Fit the layers of the groups, and each person's own part."""
        found = variables([column.output for column in scores.columns])
        own = [_own(scores, corpus, variable, attributes or tuple(corpus.attributes)) for variable in found]
        return cls(FittedFor.of(scores, corpus), Layers.fit(scores, corpus, attributes=attributes), tuple(own))

    def corrected(self, columns: Array, rows: Rows) -> Array:
        """The answers less each person's pooled correction."""
        after = columns.copy()
        for variable, own in zip(self.variables, self.own, strict=True):
            places = list(variable.places)
            of_groups = [layer for layer in self.groups.layers if layer.variable == variable.name]
            shift = sum_of_shifts(of_groups, rows, len(places))
            for person, far in own.far.items():
                share = own.share[person]
                if share:
                    where = rows.persons == person
                    shift[where] = (1 - share) * shift[where] - share * far
            after[:, places] = variable.moved(columns[:, places], shift)
        return after

    def content(self) -> dict[str, Any]:
        """The layers and the persons' own parts."""
        own = [
            {"variable": one.variable, "far": {p: far.tolist() for p, far in one.far.items()}, "share": dict(one.share)}
            for one in self.own
        ]
        return {**self.groups.content(), "own": own}

    @classmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        """Read what `content` gave."""
        own = tuple(
            Own(
                entry["variable"],
                {str(person): numbers(far) for person, far in entry["far"].items()},
                {str(person): float(share) for person, share in entry["share"].items()},
            )
            for entry in content["own"]
        )
        return cls(fitted_for, Layers.from_content(fitted_for, content), own)


def _own(scores: Scores, corpus: Corpus, variable: Variable, attributes: Sequence[str]) -> Own:
    columns = scores.matrix[:, list(variable.places)]
    far: dict[str, Array] = {}
    share: dict[str, float] = {}
    groups_of_persons: dict[frozenset[str], Array] = {}
    for made in (made for attribute in attributes for made in _contrasts(corpus, attribute)):
        means = made.unit_means(variable.spread_out(columns))
        for stratum, is_of_pairs in enumerate(made.pairs):
            members = np.flatnonzero(made.stratum == stratum)
            weight = _more_than_chance(made, variable.read(columns), members)
            persons = [_halves(made, int(unit)) if is_of_pairs else _whole(made, int(unit)) for unit in members]
            if not is_of_pairs:
                known = frozenset(person for unit in persons for person, _ in unit)
                groups_of_persons.setdefault(known, means[members].mean(axis=0))
            for unit, of_unit in zip(members, persons, strict=True):
                for person, part in of_unit:
                    # Names stand in the contrasts of several attributes, among the same people each time.
                    far.setdefault(person, part * means[unit])
                    share.setdefault(person, weight)
    if groups_of_persons:
        centre = np.mean(list(groups_of_persons.values()), axis=0)
        for person in frozenset().union(*groups_of_persons):
            far[person] = far[person] - centre
    return Own(variable.name, far, share)


def _contrasts(corpus: Corpus, attribute: str) -> list[Contrast]:
    try:
        made = contrasts(corpus, attribute)
    except UsageError:  # one group only is left in this part of the corpus
        return []
    return [one for one in made if not one.not_general]


def _halves(made: Contrast, unit: int) -> list[tuple[str, float]]:
    """The persons of a pair, and which part of its gap each is corrected by."""
    first, second = made.members[unit]
    return [*((person, 0.5) for person in first), *((person, -0.5) for person in second)]


def _whole(made: Contrast, unit: int) -> list[tuple[str, float]]:
    first, second = made.members[unit]
    return [(person, 1.0) for person in first or second]


def _more_than_chance(made: Contrast, read: Array, members: Ints) -> float:
    """Which share of the variance between these units is theirs and not chance; none unless that is significant.

    Chance is what a unit's mean would vary by with other templates or words: whichever is more.
    """
    means = made.unit_means(read)[members]
    between = float(means.var(axis=0, ddof=1).sum())
    chance, freedom = max(
        (_within(made, read, members, column) for column in made.sampled_columns), key=lambda found: found[0]
    )
    if between <= max(chance, (ROUNDING * float(np.abs(means).max())) ** 2):
        return 0.0
    if chance == 0:
        return 1.0
    p = float(stats.f.sf(between / chance, len(members) - 1, freedom))
    return 1 - chance / between if p < ALPHA else 0.0


def _within(made: Contrast, read: Array, members: Ints, column: str) -> tuple[float, float]:
    """The variance of a unit's mean over the groups of a column, from how units react to those groups apart from their
    own means, and its degrees of freedom; both are summed over the readings."""
    grouping = made.by(column)
    weights = grouping.weights
    if len(weights) < 2:
        return 0.0, 1.0
    means = (grouping.operator @ read).reshape(len(made.units), len(weights), -1)[members]
    residuals = means - np.einsum("ugk,g->uk", means, weights)[:, None, :]
    residuals = residuals - residuals.mean(axis=0)
    spread = float(np.einsum("g,ugk->", weights**2 / (1 - weights), residuals**2)) / (len(members) - 1)
    return spread, (len(members) - 1) * (1 / float(weights @ weights) - 1)

"""Is it the group, or that its names are rare? The gap by how strong, common, old and long names are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.asking import Column, Scores
from evenhand.comparing.decisions import Row, contrasts_behind, flattened
from evenhand.comparing.findings import Finding, Interval
from evenhand.comparing.general import scale_of
from evenhand.comparing.names_asked import BEARERS, BIRTH_YEAR, FEWEST_IN_GROUP, LENGTH, PIECES, NamesAsked
from evenhand.contrasts import Contrast, Floats, side_labels
from evenhand.corpora import Corpus
from evenhand.stats import Components, GroupedMeans
from evenhand.stats.regression import can_be_told_apart, inflation, regressed

POINTS = 0.1
"""Slopes on the share are per 10 points of it."""
PER = {
    BEARERS: ("ten times as many", 1.0),
    BIRTH_YEAR: ("10 years", 10.0),
    LENGTH: ("letter", 1.0),
    PIECES: ("piece", 1.0),
}
"""What the slope on each trait is per."""
LEAST_SPREAD = 0.02
"""Of the shares within groups, as a standard deviation: with less, a slope per 10 points is mere extrapolation."""
MOST_APART = 2.0
"""Groups whose means in a trait lie further apart than this many of its standard deviations within groups cannot be
told from the trait by any line that deserves trust."""
BLOCK = 64
"""How many columns of scores are looked at a time."""

ALL_ALIKE = "within each group all names are treated alike, which says little about others"
TOO_FEW = "too few names, templates or words are behind it to tell what others would do"
NOT_ALIKE = (
    "only {first} of {of_first} and {second} of {of_second} names are as common, as old and as long as some of the "
    f"other group, and it takes {FEWEST_IN_GROUP} of each"
)
TOO_FAR = "the groups lie {apart:.1f} standard deviations apart in {trait}, too far to tell the two from each other"
NOT_APART = "what names are like cannot be told from their group"
NOT_KNOWN = "the pool of names does not say who of a name's bearers is of this group"
NO_SPREAD = "within groups the shares hardly differ (standard deviation {spread:.1f} points)"
TRAITS = {BEARERS: "how common they are", BIRTH_YEAR: "how old they are", LENGTH: "how long they are", PIECES: "pieces"}


@dataclass(frozen=True)
class Effect:
    """A number with its interval for other names, templates and words; the interval is None where it is undefined."""

    value: float
    standard_error: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Trait:
    """One thing that names differ in, beside their group."""

    trait: str
    """`bearers`, `birth_year`, `length` or `pieces`."""
    first_mean: float
    """Of the first group's names; of bearers, the geometric mean."""
    second_mean: float
    apart: float | None
    """How far the means lie apart, in standard deviations within groups; of bearers, of their logarithm."""
    per: str
    slope: Effect | None
    """What a score changes by `per`, from names of the same group."""


@dataclass(frozen=True)
class Signal(Row):
    """How one gap goes with what names are like. Differences are first minus second in the output's own units.

    What is None has its reason in `undefined`, under the field's (dotted) name. Intervals are each at `level`, without
    correction; they hold for other names, templates and words.
    """

    system: str
    output: str
    attribute: str
    first: str
    second: str
    subset: str
    first_label: str
    second_label: str
    first_names: int
    """How many names of the first group the pool knows."""
    second_names: int
    unknown: tuple[str, ...]
    """Names that are compared, but that it does not know."""
    as_drawn: Effect
    """The gap between these names."""
    first_alike: int
    """How many of them are as common, as old and as long as some of the other group."""
    second_alike: int
    alike: Effect | None
    """The gap between those that are."""
    adjusted: Effect | None
    """The same gap for names that are equally common, old and long (and cut into as many pieces)."""
    explained: Effect | None
    """The difference between the two: what goes with those traits."""
    adjusted_for: tuple[str, ...]
    inflation: float | None
    """How many times larger the variance is for telling group and traits apart."""
    traits: tuple[Trait, ...]
    strength: Effect | None
    """What a score changes per 10 points of the share of bearers who are of the first group, over all names."""
    strength_within: Effect | None
    """The same, from names of the same group only."""
    strength_within_adjusted: Effect | None
    """The same, for names that are equally common, old and long."""
    level: float
    undefined: dict[str, str]

    def flat(self) -> dict[str, Any]:
        """One row of a table: effects in columns such as `adjusted_low`, traits in columns such as `bearers_apart`."""
        row = super().flat()
        for trait in row.pop("traits"):
            row |= flattened({f"{trait.pop('trait')}": trait})
        return row | {"unknown": ", ".join(self.unknown), "adjusted_for": ", ".join(self.adjusted_for)}


def signals(findings: Sequence[Finding], scores: Scores, corpus: Corpus, *, alpha: float) -> tuple[Signal, ...]:
    """For each finding that compares names which the pool knows, how the gap goes with what the names are like."""
    found: dict[tuple[str, ...], Signal] = {}
    for contrast in contrasts_behind(findings, corpus):
        asked = NamesAsked.of(contrast, corpus)
        if asked is None or contrast.not_general:
            continue
        for columns, pieces in _by_pieces(scores.columns, findings, contrast):
            for start in range(0, len(columns), BLOCK):
                for one in _Looked(asked, scores, corpus, columns[start : start + BLOCK], pieces, alpha).signals():
                    found[key_of(one)] = one
    return tuple(found[key] for finding in findings if (key := key_of(finding)) in found)


def key_of(one: Finding | Signal) -> tuple[str, ...]:
    """What a finding is about; the same for what is found about its names."""
    return one.system, one.output, one.attribute, one.first, one.second, one.subset


def _by_pieces(
    columns: Sequence[Column], findings: Sequence[Finding], contrast: Contrast
) -> list[tuple[list[int], Mapping[str, int] | None]]:
    """Columns of scores whose systems cut names in the same way, and how they do."""
    known = {
        (one.system, one.output): one.rests_on.pieces.by_person
        for one in findings
        if one.attribute == contrast.attribute and one.subset == contrast.subset and one.rests_on.pieces
    }
    together: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for place, column in enumerate(columns):
        pieces = known.get((column.system, column.output.name), {})
        together.setdefault(tuple(sorted(pieces.items())), []).append(place)
    return [(places, dict(pieces) or None) for pieces, places in together.items()]


@dataclass(frozen=True)
class _Fit:
    """Least squares of some names' means on a design."""

    asked: NamesAsked
    groupings: list[GroupedMeans]
    scale: Floats

    def __call__(self, design: Floats, counts: Floats) -> Components:
        return regressed(self.groupings, design, counts, cluster=self.asked.cluster, scale=self.scale)


class _Looked:
    """The names of one contrast and some columns of scores."""

    def __init__(
        self,
        asked: NamesAsked,
        scores: Scores,
        corpus: Corpus,
        places: Sequence[int],
        pieces: Mapping[str, int] | None,
        alpha: float,
    ) -> None:
        self._asked = asked
        self._columns = [scores.columns[place] for place in places]
        self._labels = side_labels(asked.contrast, corpus)
        self._pieces = pieces
        self._level = 1 - alpha
        self._undefined: dict[str, str] = {}
        self._matrix = scores.matrix[:, list(places)]
        self._scale = scale_of(self._matrix, np.array([column.output.span for column in self._columns]))

    def signals(self) -> list[Signal]:
        """One for each column."""
        asked, contrast = self._asked, self._asked.contrast
        traits = asked.traits(self._pieces)
        fit = self._fit(asked)
        estimates: dict[str, Components] = {"as_drawn": fit(asked.in_strata, asked.coefficients)}
        estimates |= self._by_share(fit, traits)
        slopes = self._slopes(fit, traits)
        like = asked.like_each_other(self._pieces)
        cost, allowed = None, tuple[str, ...]()
        if like is None:
            self._too_few_alike()
        else:
            found, cost, allowed = self._adjusted(like)
            estimates |= found
        numbers, alike = asked.numbers, like.numbers if like else self._alike_in_range()
        made = []
        for place, column in enumerate(self._columns):
            undefined = dict(self._undefined)
            effects = {name: self._effect(one, place, name, undefined) for name, one in estimates.items()}
            made.append(
                Signal(
                    system=column.system,
                    output=column.output.name,
                    attribute=contrast.attribute,
                    first=contrast.first,
                    second=contrast.second,
                    subset=contrast.subset,
                    first_label=self._labels[0],
                    second_label=self._labels[1],
                    first_names=numbers[0],
                    second_names=numbers[1],
                    unknown=asked.unknown,
                    as_drawn=effects["as_drawn"],
                    first_alike=alike[0],
                    second_alike=alike[1],
                    alike=effects.get("alike"),
                    adjusted=effects.get("adjusted"),
                    explained=effects.get("explained"),
                    adjusted_for=allowed,
                    inflation=cost,
                    traits=tuple(self._trait(name, traits[name], slopes, place, undefined) for name in traits),
                    strength=effects.get("strength"),
                    strength_within=effects.get("strength_within"),
                    strength_within_adjusted=effects.get("strength_within_adjusted"),
                    level=self._level,
                    undefined=undefined,
                )
            )
        return made

    def _fit(self, asked: NamesAsked) -> _Fit:
        return _Fit(asked, asked.means(self._matrix), self._scale)

    def _by_share(self, fit: _Fit, traits: Mapping[str, Floats]) -> dict[str, Components]:
        """The slopes on the share of bearers who are of the first group."""
        asked, shares = self._asked, self._asked.shares
        names = ("strength", "strength_within", "strength_within_adjusted")
        if shares is None:
            self._undefined |= dict.fromkeys(names, NOT_KNOWN)
            return {}
        others = asked.allowing_for(traits)
        designs = {
            "strength": asked.in_blocks,
            "strength_within": asked.in_strata,
            "strength_within_adjusted": np.hstack([asked.in_strata, others]),
        }
        spread = float(np.sqrt(np.mean((shares - _stratum_means(asked, shares)) ** 2)))
        found = {}
        for name, design in designs.items():
            if name != "strength" and spread < LEAST_SPREAD:
                self._undefined[name] = NO_SPREAD.format(spread=100 * spread)
            elif not can_be_told_apart(full := np.column_stack([design, shares])):
                self._undefined[name] = NOT_APART
            else:
                found[name] = fit(full, POINTS * _last(full))
        return found

    def _slopes(self, fit: _Fit, traits: Mapping[str, Floats]) -> dict[str, Components]:
        """Each trait's own slope, from names of the same stratum."""
        found = {}
        for name, values in traits.items():
            design = np.column_stack([self._asked.in_strata, values - values.mean()])
            if can_be_told_apart(design):
                found[name] = fit(design, PER[name][1] * _last(design))
            else:
                self._undefined[f"traits.{name}.slope"] = f"within groups all names are alike in {TRAITS[name]}"
        return found

    def _adjusted(self, like: NamesAsked) -> tuple[dict[str, Components], float | None, tuple[str, ...]]:
        """The gap between names that are like each other: as it is, allowing for their traits, and the difference."""
        traits = like.traits(self._pieces)
        columns = like.allowing_for(traits)
        fit, plain = self._fit(like), like.coefficients
        found = {"alike": fit(like.in_strata, plain)}
        apart = {name: _apart(like, values) for name, values in traits.items()}
        far = max(apart, key=lambda name: abs(apart[name] or 0.0))
        design = np.hstack([like.in_strata, columns])
        reason = None
        if abs(apart[far] or 0.0) > MOST_APART:
            reason = TOO_FAR.format(apart=abs(apart[far] or 0.0), trait=TRAITS[far])
        elif not can_be_told_apart(design):
            reason = NOT_APART
        if reason is not None:
            self._undefined |= dict.fromkeys(("adjusted", "explained"), reason)
            return found, None, ()
        counts = np.concatenate([plain, np.zeros(columns.shape[1])])
        found["adjusted"] = fit(design, counts)
        found["explained"] = fit(design, np.concatenate([np.zeros(len(plain)), like.weights @ columns]))
        cost = inflation(design, counts, plain=like.in_strata, plain_counts=plain)
        return found, cost, tuple(name for name, values in traits.items() if np.ptp(values) > 0)

    def _alike_in_range(self) -> tuple[int, int]:
        """How many names of each side are within the range that the groups share."""
        kept = self._asked.in_shared_range(self._pieces)
        return int((kept & self._asked.first).sum()), int((kept & ~self._asked.first).sum())

    def _too_few_alike(self) -> None:
        (first, second), (of_first, of_second) = self._alike_in_range(), self._asked.numbers
        reason = NOT_ALIKE.format(first=first, of_first=of_first, second=second, of_second=of_second)
        self._undefined |= dict.fromkeys(("alike", "adjusted", "explained"), reason)

    def _trait(
        self, name: str, values: Floats, slopes: Mapping[str, Components], place: int, undefined: dict[str, str]
    ) -> Trait:
        asked = self._asked
        first, second = (float(np.abs(asked.weights)[side] @ values[side]) for side in (asked.first, ~asked.first))
        if name == BEARERS:
            first, second = 10**first, 10**second
        slope = slopes.get(name)
        return Trait(
            trait=name,
            first_mean=first,
            second_mean=second,
            apart=_apart(asked, values),
            per=PER[name][0],
            slope=None if slope is None else self._effect(slope, place, f"traits.{name}.slope", undefined),
        )

    def _effect(self, parts: Components, place: int, name: str, undefined: dict[str, str]) -> Effect:
        value = float(parts.estimate[place])
        low, high = (float(end[place]) for end in parts.interval(self._level))
        if parts.variance[place] == 0:
            undefined[f"{name}.interval"] = ALL_ALIKE
            return Effect(value, None, None)
        if parts.too_thin[place]:
            undefined[f"{name}.interval"] = TOO_FEW
            return Effect(value, float(parts.standard_error[place]), None)
        return Effect(value, float(parts.standard_error[place]), (low, high))


def _last(design: Floats) -> Floats:
    """Counts the last column of a design and no other."""
    counts = np.zeros(design.shape[1])
    counts[-1] = 1.0
    return counts


def _stratum_means(asked: NamesAsked, values: Floats) -> Floats:
    """For each name, the mean of its stratum."""
    return np.asarray((np.bincount(asked.stratum, weights=values) / np.bincount(asked.stratum))[asked.stratum])


def _apart(asked: NamesAsked, values: Floats) -> float | None:
    """How far the groups' means lie apart, in standard deviations within strata; None where nobody varies in them."""
    within = values - _stratum_means(asked, values)
    freedom = len(values) - len(asked.coefficients)
    spread = float(np.sqrt((within**2).sum() / freedom)) if freedom > 0 else 0.0
    gap = float(asked.weights @ values)
    if spread <= 1e-9 * max(float(np.abs(values).max()), 1.0):
        return None if abs(gap) > 1e-9 else 0.0
    return gap / spread


@dataclass(frozen=True)
class NamePoint:
    """One name in one comparison: what it is like, and how far its mean score lies from the middle of the groups'."""

    name: str
    first: bool
    """Whether it is of the first group."""
    share: float | None
    """The share of its bearers who are of the first group; None where the pool does not know the group."""
    bearers: int
    birth_year: int
    length: int
    pieces: int | None
    difference: float


def name_points(
    findings: Sequence[Finding], scores: Scores, corpus: Corpus
) -> dict[tuple[str, ...], tuple[NamePoint, ...]]:
    """Name by name, for each finding that compares names which the pool knows, by `key_of` the finding."""
    made: dict[tuple[str, ...], tuple[NamePoint, ...]] = {}
    known = {key_of(finding): finding for finding in findings}
    for contrast in contrasts_behind(findings, corpus):
        asked = NamesAsked.of(contrast, corpus)
        if asked is None or contrast.not_general:
            continue
        means = contrast.unit_means(scores.matrix)[asked.unit]
        away = means - _middle(asked, means)
        for place, column in enumerate(scores.columns):
            sides = contrast.attribute, contrast.first, contrast.second, contrast.subset
            finding = known.get((column.system, column.output.name, *sides))
            if finding is not None:
                made[key_of(finding)] = _points(asked, away[:, place], finding)
    return made


def _middle(asked: NamesAsked, means: Floats) -> Floats:
    """For each name, half of what the two sides of its block score together."""
    middle = np.zeros_like(means)
    for block in range(asked.block.max() + 1):
        here = asked.block == block
        sides = []
        for side in (here & asked.first, here & ~asked.first):
            counts = np.abs(asked.weights) * side
            sides.append(counts @ means / counts.sum())
        middle[here] = (sides[0] + sides[1]) / 2
    return middle


def _points(asked: NamesAsked, away: Floats, finding: Finding) -> tuple[NamePoint, ...]:
    pieces = finding.rests_on.pieces.by_person if finding.rests_on.pieces else {}
    people = [asked.contrast.units[number] for number in asked.unit]
    return tuple(
        NamePoint(
            name=person,
            first=bool(asked.first[place]),
            share=None if asked.shares is None else float(asked.shares[place]),
            bearers=one.bearers,
            birth_year=one.birth_year or 0,
            length=one.length,
            pieces=pieces.get(person),
            difference=float(away[place]),
        )
        for place, (person, one) in enumerate(zip(people, asked.names, strict=True))
    )

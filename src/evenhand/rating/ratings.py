"""Rating systems: raw scores, orders and levels, by rejections or, where something confounds, by deconfounding."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from evenhand.errors import UsageError, did_you_mean
from evenhand.rating.deconfounding import Impact, adjust, impacts, worst_impact
from evenhand.rating.diagram import Diagram, rating_diagram
from evenhand.rating.orders import Uncertainty, complete_order, partial_order, uncertainty
from evenhand.rating.rejection import PairTest, RejectionSettings, compare_classes, pair_tests, preset, rejection_score
from evenhand.rating.resampling import draws
from evenhand.rating.table import Block, Sample, blocks, checked
from evenhand.stats.types import Floats

Method = Literal["rejection", "deconfounding"]
Weights = Callable[[Sample], Floats | None]
"""How often each row of a sample counts: replicates × rows."""
RULES: Mapping[str, Callable[[Iterable[int]], int]] = {"worst": max, "median": statistics.median_high}
"""How the levels of several ratings become one."""
REPLICATES = 1000
NOTHING_COMPARED = "no two classes have two rows or more, so nothing could be compared"


@dataclass(frozen=True)
class RatingSettings:
    """How systems are rated."""

    rejection: RejectionSettings = field(default_factory=RejectionSettings)
    preset: str | None = None
    """The name of the rejection settings, where they have one."""
    levels: int = 3
    supported_only: bool = False
    """Whether classes that never met an emotion are left out of the adjustment, instead of leaving it undefined."""
    overall: str = "worst"
    bootstrap: int = REPLICATES
    """How often persons and words are drawn again; 0: not at all."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.levels < 2:
            raise UsageError(f"a rating needs two levels or more, not {self.levels}")
        if self.overall not in RULES:
            raise UsageError(f"no rule {self.overall!r} for the overall level{did_you_mean(self.overall, RULES)}")
        if self.bootstrap < 0 or self.seed < 0:
            raise UsageError("the number of draws and the seed are whole numbers from 0")

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "preset": self.preset,
            "rejection": self.rejection.to_dict(),
            "levels": self.levels,
            "supported_only": self.supported_only,
            "overall": self.overall,
            "bootstrap": self.bootstrap,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Rating:
    """All systems on one group of datasets, by one attribute.

    `raw` is NaN where undefined and infinite where the paper prints X; in plain values both are None, with the reason
    in `undefined`. A system in `partial` is rated by the defined part of its impacts.
    """

    data: str | None
    group: str | None
    attribute: str
    via: str | None
    method: Method
    diagram: Diagram
    adjusted_for: tuple[str, ...]
    tests: tuple[PairTest, ...]
    impact: Mapping[str, Mapping[str, Mapping[str, Impact]]]
    """By system, dataset and emotion; empty where nothing confounds."""
    raw: Mapping[str, float]
    ratings: Mapping[str, int | None]
    largest_per_test: float
    """The rejection score of one comparison that is rejected at every level."""
    expected: float | None
    """The rejection score that a fair system with noise would get; None for impacts."""
    partial: tuple[str, ...]
    undefined: Mapping[str, str]
    uncertainty: Uncertainty | None

    @property
    def partial_order(self) -> tuple[tuple[str, float], ...]:
        """Systems from the lowest raw score to the highest."""
        return partial_order(self.raw)

    @property
    def setting(self) -> tuple[str | None, str | None, str, str | None]:
        """Which rating it is."""
        return self.data, self.group, self.attribute, self.via

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "data": self.data,
            "group": self.group,
            "attribute": self.attribute,
            "via": self.via,
            "method": self.method,
            "adjusted_for": list(self.adjusted_for),
            "tests": [test.to_dict() for test in self.tests],
            "raw": {system: _finite(score) for system, score in self.raw.items()},
            "impact": {
                system: {
                    dataset: {emotion: cell.to_dict() for emotion, cell in cells.items()}
                    for dataset, cells in by_dataset.items()
                }
                for system, by_dataset in self.impact.items()
            },
            "partial_order": [[system, _finite(score)] for system, score in self.partial_order],
            "ratings": dict(self.ratings),
            "expected": self.expected,
            "partial": list(self.partial),
            "undefined": dict(self.undefined),
            "uncertainty": None if self.uncertainty is None else self.uncertainty.to_dict(),
            "diagram": self.diagram.to_dict(),
        }


@dataclass(frozen=True)
class RatingReport:
    """Ratings of the same systems in several settings, and one level for each system over all of them."""

    results: tuple[Rating, ...]
    settings: RatingSettings

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems, in the order in which they first appear."""
        return tuple(dict.fromkeys(system for result in self.results for system in result.raw))

    @property
    def overall(self) -> dict[str, int | None]:
        """The level of each system by the rule in the settings; None where all are undefined.

        Over the ratings on texts as they are; those after a round trip are about the translator, too.
        """
        rule = RULES[self.settings.overall]
        counting = [result for result in self.results if result.via is None] or self.results
        found: dict[str, int | None] = {}
        for system in self.systems:
            levels = [level for result in counting if (level := result.ratings.get(system)) is not None]
            found[system] = rule(levels) if levels else None
        return found

    @staticmethod
    def join(reports: Sequence[RatingReport]) -> RatingReport:
        """Several reports made with the same settings as one."""
        if not reports:
            raise UsageError("no ratings to join")
        if any(report.settings != reports[0].settings for report in reports):
            raise UsageError("ratings made with different settings cannot stand in one report")
        return RatingReport(tuple(result for report in reports for result in report.results), reports[0].settings)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: an X and what is undefined are None, and say why."""
        return {
            "results": [result.to_dict() for result in self.results],
            "overall": self.overall,
            "settings": self.settings.to_dict(),
        }

    def to_json(self) -> str:
        """Stable JSON without NaN or Infinity."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)


def rate(
    frame: pl.DataFrame,
    *,
    attributes: Sequence[str],
    classes: Mapping[str, Sequence[str]] | None = None,
    confounders: Sequence[str] | None = None,
    levels: int = 3,
    preset: str | RejectionSettings = "stated",
    supported_only: bool = False,
    overall: str = "worst",
    bootstrap: int = REPLICATES,
    seed: int = 0,
) -> RatingReport:
    """Rate every system of a table with the columns `system, dataset, <attributes>, emotion, sentiment`.

    Without confounders the raw score is the weighted rejection score over all pairs of classes and all datasets; with
    them it is the largest deconfounding impact over datasets and emotions, adjusted for the back-door set of the
    diagram. `race+gender` is an attribute (or confounder) whose classes are those of both, crossed. `classes` limits an
    attribute to some of them. The columns `data`, `group` and `via` make ratings of their own; `person` and
    `emotion_word` are what the uncertainty is taken over (rows, where they are missing, which is too sure of itself).
    Lakkaraju et al. (2023).

    >>> frame = pl.DataFrame({
    ...     "system": ["fair"] * 8 + ["biased"] * 8, "dataset": "E1", "gender": ["male", "female"] * 8,
    ...     "sentiment": [0.1, 0.2, 0.2, 0.1] * 2 + [-1, 1] * 4,
    ... }, strict=False)
    >>> rate(frame, attributes=["gender"], bootstrap=0).overall
    {'fair': 1, 'biased': 2}
    """
    settings = _settings(
        preset, levels=levels, supported_only=supported_only, overall=overall, bootstrap=bootstrap, seed=seed
    )
    named = tuple(confounders or ())
    if not attributes:
        raise UsageError("name an attribute to rate by, say gender")
    table = checked(frame, attributes=attributes, confounders=named)
    results = []
    for attribute in dict.fromkeys(attributes):
        diagram = rating_diagram([attribute], confounders=named)
        adjusted_for = diagram.backdoor_set() or ()
        wanted = (classes or {}).get(attribute)
        for block in blocks(table, attribute=attribute, adjusted_for=adjusted_for, classes=wanted):
            results.append(_rated(block, diagram, adjusted_for, settings))
    return RatingReport(tuple(results), settings)


def _settings(chosen: str | RejectionSettings, **others: Any) -> RatingSettings:
    if isinstance(chosen, RejectionSettings):
        return RatingSettings(rejection=chosen, **others)
    return RatingSettings(rejection=preset(chosen), preset=chosen, **others)


def _rated(block: Block, diagram: Diagram, adjusted_for: tuple[str, ...], settings: RatingSettings) -> Rating:
    method: Method = "deconfounding" if adjusted_for else "rejection"
    found = impacts(block, supported_only=settings.supported_only) if adjusted_for else {}
    tests = () if adjusted_for else pair_tests(block, settings.rejection)
    raw = dict(zip(block.systems, _raw(block, settings, adjusting=bool(adjusted_for))[0].tolist(), strict=True))
    partial, undefined = _what_is_missing(raw, found)
    return Rating(
        **block.setting,
        attribute=block.attribute,
        method=method,
        diagram=diagram,
        adjusted_for=adjusted_for,
        tests=tests,
        impact=found,
        raw=raw,
        ratings=complete_order(raw, settings.levels),
        largest_per_test=sum(settings.rejection.weights),
        expected=None if adjusted_for else _expected(tests, settings, block),
        partial=partial,
        undefined=undefined,
        uncertainty=_uncertainty(block, settings, adjusting=bool(adjusted_for)) if settings.bootstrap else None,
    )


def _expected(tests: Sequence[PairTest], settings: RatingSettings, block: Block) -> float:
    """For the comparisons that were made, of one system: systems may have been asked about different datasets."""
    made = sum(test.degrees_of_freedom is not None for test in tests) / len(block.systems)
    return round(made * settings.rejection.expected, 10)


def _what_is_missing(
    raw: Mapping[str, float], found: Mapping[str, Mapping[str, Mapping[str, Impact]]]
) -> tuple[tuple[str, ...], dict[str, str]]:
    partial, undefined = [], {}
    for system, score in raw.items():
        cells = [
            (f"{dataset}, {emotion}", cell)
            for dataset, by_emotion in found.get(system, {}).items()
            for emotion, cell in by_emotion.items()
        ]
        missing = [f"{where}: {cell.undefined}" for where, cell in cells if cell.adjusted is None]
        if missing and not np.isnan(score):
            partial.append(system)
        divided = [f"{where}: {cell.undefined}" for where, cell in cells if cell.divided_by_zero]
        if np.isnan(score):
            undefined[system] = "; ".join(missing) or NOTHING_COMPARED
        elif np.isinf(score):
            undefined[system] = "; ".join(divided)
    return tuple(partial), undefined


def _each_row_once(sample: Sample) -> None:
    """The weights of a sample as it is: one replicate, in which each row counts once."""


def _raw(block: Block, settings: RatingSettings, *, adjusting: bool, weights: Weights = _each_row_once) -> Floats:
    """Raw scores, replicates × systems."""
    score = _largest_impact if adjusting else _rejections
    return np.stack([score(block, system, settings, weights) for system in block.systems], axis=1)


def _rejections(block: Block, system: str, settings: RatingSettings, weights: Weights) -> Floats:
    parts = [
        compare_classes(one, classes=len(block.classes), settings=settings.rejection, weights=weights(one))
        for one in block.of(system)
    ]
    score = rejection_score(np.concatenate([part.rejected for part in parts], axis=1), settings.rejection)
    nothing = np.concatenate([part.few for part in parts], axis=1).all(axis=1)
    return np.where(nothing, np.nan, score)


def _largest_impact(block: Block, system: str, settings: RatingSettings, weights: Weights) -> Floats:
    shape = {"strata": len(block.strata), "emotions": len(block.emotions)}
    parts = [
        adjust(one, **shape, supported_only=settings.supported_only, weights=weights(one)).impact
        for one in block.of(system)
    ]
    return worst_impact(np.concatenate(parts, axis=1))


def _uncertainty(block: Block, settings: RatingSettings, *, adjusting: bool) -> Uncertainty:
    raw = np.concatenate(
        [
            _raw(block, settings, adjusting=adjusting, weights=some.weights)
            for some in draws(block, replicates=settings.bootstrap, seed=settings.seed)
        ]
    )
    over = "rows" if not block.has_persons else "persons and words" if block.has_words else "persons"
    return uncertainty(raw, block.systems, levels=settings.levels, over=over, notes=_notes(block))


def _notes(block: Block) -> list[str]:
    if not block.has_persons:
        return ["no column names the persons, so rows were drawn: differences between persons are not allowed for"]
    alone = [name for name in block.classes if block.persons_a_class.get(name) == 1]
    if not alone:
        return []
    return [f"{', '.join(alone)}: one person only, so differences between persons are not allowed for"]


def _finite(score: float) -> float | None:
    return score if np.isfinite(score) else None

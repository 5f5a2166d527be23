"""Rating systems: raw scores, orders and levels, by rejections or, where something confounds, by deconfounding."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Literal, Self

import numpy as np
import polars as pl

from evenhand.files.plain import rebuild
from evenhand.rating.deconfounding import Adjusted, Impact, adjust, impacts, worst_impact
from evenhand.rating.deconfounding import largest_by_class as largest_impact_by_class
from evenhand.rating.diagram import Diagram, rating_diagram
from evenhand.rating.levels import NO_LEVEL, Scale, too_few
from evenhand.rating.orders import Uncertainty, complete_order, partial_order, uncertainty
from evenhand.rating.rejection import (
    Compared,
    PairTest,
    RejectionSettings,
    compare_classes,
    largest_by_class,
    pair_tests,
    rejection_score,
)
from evenhand.rating.relabelling import Labels, Relabelled, relabel
from evenhand.rating.resampling import draws
from evenhand.rating.table import Block, Sample, blocks
from evenhand.settings import MOST_LEVELS, check_choice, check_count, check_resamples, check_seed
from evenhand.stats.types import Floats, Ints

Method = Literal["rejection", "deconfounding"]
Weights = Callable[[Sample], Floats | None]
"""How often each row of a sample counts: replicates × rows."""
RULES: Mapping[str, Callable[[Iterable[int]], int]] = {"worst": max, "median": statistics.median_high}
"""How the levels of several ratings become one."""
REPLICATES = 1000
EARLIER = "saved by an earlier version, whose levels depended on the other systems: rate it again"
PART = ", "
"""Stands between the name of a group and which of its sentences a rating is about."""
UNBROKEN = "unbroken sentences"
"""Those that a round trip left whole."""
LABELLED = "sentences labelled by "
"""Those that people labelled, who go by this and their name."""
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
        check_count("the number of levels", self.levels, least=2, most=MOST_LEVELS)
        check_choice("rule for the overall level", self.overall, RULES)
        check_resamples("the number of draws", self.bootstrap)
        check_seed(self.seed)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "rejection": self.rejection.to_dict()}


@dataclass(frozen=True)
class Rating:
    """All systems on one group of datasets, by one attribute.

    `raw` is NaN where undefined and infinite where the paper prints X; in plain values both are None, with the reason
    in `undefined`. A system in `partial` is rated by the defined part of its impacts. Everything that is kept by system
    is about that system alone; `among_these` is where it stands among the systems at hand.
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
    """The level of each system on a fixed scale, the same in any company; None has its reason in `undefined` or
    `no_level`."""
    largest_per_test: float
    """The rejection score of one comparison that is rejected at every level."""
    expected: float | None
    """The rejection score that nothing but noise would get, the same for each sentence; None for impacts. What to
    expect of a system that follows the emotion, or whose answers vary from person to person, is another matter: see
    `expected_by_system`."""
    partial: tuple[str, ...]
    undefined: Mapping[str, str]
    uncertainty: Uncertainty | None
    among_these: Mapping[str, int | None] = field(default_factory=dict)
    """The paper's complete order: in which part of the distinct raw scores of these systems each one is."""
    expected_by_system: Mapping[str, Relabelled] = field(default_factory=dict)
    """What each system gets if its persons are dealt to the classes anew."""
    reference: Mapping[str, float | None] = field(default_factory=dict)
    """By system: the raw score, on its data, of a system that answers by the class alone; None where there is none."""
    share: Mapping[str, float | None] = field(default_factory=dict)
    """By system: how far its raw score is from 0 to the reference, from 0 to 1."""
    no_level: Mapping[str, str] = field(default_factory=dict)
    """Why a system with a raw score has no level."""

    @property
    def partial_order(self) -> tuple[tuple[str, float], ...]:
        """Systems from the lowest raw score to the highest."""
        return partial_order(self.raw)

    @property
    def setting(self) -> tuple[str | None, str | None, str, str | None]:
        """Which rating it is."""
        return self.data, self.group, self.attribute, self.via

    @property
    def part(self) -> str | None:
        """Which of a group's sentences it is about, where that is not all of them."""
        named = (self.group or "").partition(PART)[2]
        return named if named.startswith((UNBROKEN, LABELLED)) else None

    @property
    def whole_setting(self) -> tuple[str | None, str | None, str, str | None]:
        """The setting of the rating on all sentences of the group."""
        group = self.group if self.part is None else (self.group or "").partition(PART)[0]
        return self.data, group, self.attribute, self.via

    def about_others(self, system: str) -> bool:
        """Whether what it says of a system is also about other persons than those in the texts."""
        found = self.expected_by_system.get(system)
        return found is not None and found.about_others

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
            "largest_per_test": self.largest_per_test,
            "expected": self.expected,
            "partial": list(self.partial),
            "undefined": dict(self.undefined),
            "uncertainty": None if self.uncertainty is None else self.uncertainty.to_dict(),
            "among_these": dict(self.among_these),
            "expected_by_system": {system: found.to_dict() for system, found in self.expected_by_system.items()},
            "reference": dict(self.reference),
            "share": dict(self.share),
            "no_level": dict(self.no_level),
            "diagram": self.diagram.to_dict(),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values: what has a place in the order and no number is X.

        The levels that earlier versions saved were an order among the systems at hand, and are read as that.
        """
        if "among_these" not in values:
            earlier = dict.fromkeys(values["ratings"], EARLIER)
            no_levels = dict.fromkeys(values["ratings"])
            values = {**values, "among_these": values["ratings"], "ratings": no_levels, "no_level": earlier}
        placed = {system for system, _ in values["partial_order"]}
        raw = {
            system: score if score is not None else math.inf if system in placed else math.nan
            for system, score in values["raw"].items()
        }
        return rebuild(cls, {**values, "raw": raw})


def rate_table(
    table: pl.DataFrame,
    settings: RatingSettings,
    *,
    attributes: Sequence[str],
    confounders: Sequence[str] = (),
    classes: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Rating, ...]:
    """Every rating of a checked table: one for each attribute, data, group and language."""
    results = []
    for attribute in dict.fromkeys(attributes):
        diagram = rating_diagram([attribute], confounders=confounders)
        adjusted_for = diagram.backdoor_set() or ()
        wanted = (classes or {}).get(attribute)
        for block in blocks(table, attribute=attribute, adjusted_for=adjusted_for, classes=wanted):
            results.append(_rated(block, diagram, adjusted_for, settings))
    return tuple(results)


def _rated(block: Block, diagram: Diagram, adjusted_for: tuple[str, ...], settings: RatingSettings) -> Rating:
    method: Method = "deconfounding" if adjusted_for else "rejection"
    adjusting = bool(adjusted_for)
    found = impacts(block, supported_only=settings.supported_only) if adjusted_for else {}
    tests = () if adjusted_for else pair_tests(block, settings.rejection)
    raw = {system: float(_raw(block, system, settings, adjusting=adjusting)[0]) for system in block.systems}
    partial, undefined = _what_is_missing(raw, found)
    relabelled = {name: _relabelled(block, name, settings, adjusting=adjusting) for name in raw}
    reference = {name: _reference(block, name, settings, adjusting=adjusting) for name in raw}
    scales = {name: Scale(reference[name], relabelled[name].above) for name in raw}
    levels = {name: int(_levels(scales[name], raw[name], settings)) or None for name in raw}
    return Rating(
        **block.setting,
        attribute=block.attribute,
        method=method,
        diagram=diagram,
        adjusted_for=adjusted_for,
        tests=tests,
        impact=found,
        raw=raw,
        ratings=levels,
        largest_per_test=sum(settings.rejection.weights),
        expected=None if adjusted_for else _expected(tests, settings, block),
        partial=partial,
        undefined=undefined,
        uncertainty=_uncertainty(block, settings, scales, adjusting=adjusting) if settings.bootstrap else None,
        among_these=complete_order(raw, settings.levels),
        expected_by_system=relabelled,
        reference={name: _finite(score) for name, score in reference.items()},
        share={name: _finite(float(scales[name].shares(np.array(score)))) for name, score in raw.items()},
        no_level={name: NO_LEVEL for name, level in levels.items() if level is None and name not in undefined},
    )


def _levels(scale: Scale, raw: float | Floats, settings: RatingSettings) -> Ints:
    return scale.levels(np.asarray(raw, dtype=np.float64), settings.levels)


def _relabelled(block: Block, system: str, settings: RatingSettings, *, adjusting: bool) -> Relabelled:
    score = None if adjusting else partial(_rejections_relabelled, block, system, settings.rejection)
    return relabel(block, system, adjusting=adjusting, seed=settings.seed, score=score)


def _rejections_relabelled(block: Block, system: str, settings: RejectionSettings, labels: Labels) -> Floats:
    compare = partial(compare_classes, classes=len(block.classes), settings=settings)
    return _rejections([compare(one, relabelled=labels(one)) for one in block.of(system)], settings)


def _reference(block: Block, system: str, settings: RatingSettings, *, adjusting: bool) -> float:
    """The raw score of a system that answers by the class alone; of impacts, where this system's is the largest."""
    if adjusting:
        adjusted = [(one, _adjusted(one, block, settings)) for one in block.of(system)]
        own = np.concatenate([found.impact[0] for _, found in adjusted])
        largest = np.concatenate([largest_impact_by_class(one, found)[0] for one, found in adjusted])
        return float(largest[np.nanargmax(own)]) if not np.isnan(own).all() else np.nan
    number, how = len(block.classes), settings.rejection
    made = (compare_classes(one, classes=number, settings=how) for one in block.of(system))
    return sum(largest_by_class(compared, number, how) for compared in made)


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


def _raw(
    block: Block, system: str, settings: RatingSettings, *, adjusting: bool, weights: Weights = _each_row_once
) -> Floats:
    """One system's raw score in each replicate."""
    if adjusting:
        parts = [_adjusted(one, block, settings, weights(one)).impact for one in block.of(system)]
        return worst_impact(np.concatenate(parts, axis=1))
    classes, how = len(block.classes), settings.rejection
    return _rejections(
        [compare_classes(one, classes=classes, settings=how, weights=weights(one)) for one in block.of(system)], how
    )


def _adjusted(sample: Sample, block: Block, settings: RatingSettings, weights: Floats | None = None) -> Adjusted:
    shape = {"strata": len(block.strata), "emotions": len(block.emotions)}
    return adjust(sample, **shape, supported_only=settings.supported_only, weights=weights)


def _rejections(parts: Sequence[Compared], settings: RejectionSettings) -> Floats:
    score = rejection_score(np.concatenate([part.rejected for part in parts], axis=1), settings)
    nothing = np.concatenate([part.few for part in parts], axis=1).all(axis=1)
    return np.where(nothing, np.nan, score)


def _uncertainty(
    block: Block, settings: RatingSettings, scales: Mapping[str, Scale], *, adjusting: bool
) -> Uncertainty:
    over = "rows" if not block.has_persons else "persons and words" if block.has_words else "persons"
    drawn = {system: _drawn(block, system, settings, adjusting=adjusting) for system in block.systems}
    few = {system: too_few(block.units_a_class(system)) if block.has_persons else None for system in block.systems}
    return uncertainty(
        drawn,
        {system: _levels(scales[system], raw, settings) for system, raw in drawn.items()},
        number=settings.levels,
        over=over,
        few={system: reason for system, reason in few.items() if reason is not None},
        undecided=[system for system in block.systems if not scales[system].above],
        notes=_notes(block),
    )


def _drawn(block: Block, system: str, settings: RatingSettings, *, adjusting: bool) -> Floats:
    """One system's raw score in each draw of persons and words."""
    some = draws(block, system, replicates=settings.bootstrap, seed=settings.seed)
    return np.concatenate([_raw(block, system, settings, adjusting=adjusting, weights=one.weights) for one in some])


def _notes(block: Block) -> list[str]:
    if not block.has_persons:
        return ["no column names the persons, so rows were drawn: differences between persons are not allowed for"]
    counts = [block.units_a_class(system) for system in block.systems]
    alone = [name for name in block.classes if any(count.get(name) == 1 for count in counts)]
    if not alone:
        return []
    return [f"{', '.join(alone)}: one person only, so differences between persons are not allowed for"]


def _finite(score: float) -> float | None:
    return score if np.isfinite(score) else None

"""What was measured, by system and attribute, as a result; and what may be said about how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from evenhand.errors import UsageError
from evenhand.files.plain import rebuild
from evenhand.measuring.compared import MetricCorrelation, ModelDifference, metric_correlations
from evenhand.metrics import Measurements
from evenhand.metrics.failures import Behaviour
from evenhand.metrics.measurements import ALL, Measurement
from evenhand.metrics.measuring import check_measuring
from evenhand.metrics.rests_on import GapWithout
from evenhand.metrics.table import METRICS
from evenhand.metrics.testing import GroupTests
from evenhand.results import Note, Result
from evenhand.schemes import SCHEMES
from evenhand.settings import check_alpha, check_choice


@dataclass(frozen=True)
class MeasureSettings:
    """What is measured and how; see `metrics.measure`."""

    metrics: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    background: str | None = None
    weight: str = "sources"
    sample: int | None = None
    seed: int = 0
    bootstrap: int = 0
    level: float = 0.95
    relabellings: int = 500
    """Deals of the terms to groups of the same sizes, for what a metric comes to where groups mean nothing; 0: none."""
    alpha: float = 0.05
    scheme: str | None = None
    expectations: tuple[str, ...] = ()
    """Directional expectations such as `plain < very`, of the score or of the last class's probability."""

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        check_measuring(
            weight=self.weight,
            sample=self.sample,
            seed=self.seed,
            bootstrap=self.bootstrap,
            level=self.level,
            relabellings=self.relabellings,
        )
        if self.scheme is not None:
            check_choice("tagging scheme", self.scheme, SCHEMES)
        for metric in self.metrics or ():
            check_choice("metric", metric, METRICS)

    def measured(self) -> dict[str, Any]:
        """What `measure` takes."""
        names = ("groups", "background", "weight", "sample", "seed", "bootstrap", "level", "relabellings")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class Measured:
    """One system and one attribute: metrics, tests, and how often the answer changes with the person."""

    system: str
    attribute: str
    measurements: Measurements
    tests: GroupTests
    behaviours: tuple[Behaviour, ...]
    rows: int
    notes: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    """What groups are called where people read of them."""
    rests_on: tuple[GapWithout, ...] = ()
    """Gaps between a group and the others that lose half of their size without one term of the group."""

    @staticmethod
    def about_of(system: str, attribute: str) -> str:
        """What its notes are about."""
        return f"{system}, {attribute}"

    @property
    def about(self) -> str:
        """What its notes are about."""
        return self.about_of(self.system, self.attribute)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "system": self.system,
            "attribute": self.attribute,
            "rows": self.rows,
            "notes": list(self.notes),
            "labels": dict(self.labels),
            **self.measurements.to_dict(),
            "tests": self.tests.to_dict(),
            "behaviour": [behaviour.to_dict() for behaviour in self.behaviours],
            "rests_on": [asdict(one) for one in self.rests_on],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return cls(
            values["system"],
            values["attribute"],
            Measurements.from_dict(values),
            GroupTests.from_dict(values["tests"]),
            tuple(Behaviour.from_dict(behaviour) for behaviour in values["behaviour"]),
            values["rows"],
            tuple(values["notes"]),
            values.get("labels", {}),
            tuple(rebuild(GapWithout, one) for one in values.get("rests_on", ())),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Metrics(Result):
    """What was measured, by system and attribute."""

    kind: ClassVar[str] = "metrics"
    file: ClassVar[str] = "metrics.json"

    results: tuple[Measured, ...]
    settings: MeasureSettings
    left_out: tuple[str, ...] = ()
    """Systems or outputs that could not be measured, and why."""
    models: tuple[ModelDifference, ...] = ()
    """Where there are several systems: each against the first, metric by metric."""

    def content(self) -> dict[str, Any]:
        """The fields of a single result at the top, `{"results": [...]}` of several."""
        results = [result.to_dict() for result in self.results]
        whole: dict[str, Any] = results[0] if self.single else {"results": results}
        return {
            **whole,
            "left_out": list(self.left_out),
            "measured_with": asdict(self.settings),
            "models": [one.to_dict() for one in self.models],
            "correlations": [asdict(one) for one in self.correlations],
        }

    @cached_property
    def correlations(self) -> tuple[MetricCorrelation, ...]:
        """How far metrics order the systems and attributes alike, where there are several systems."""
        return metric_correlations(self.results)

    def to_dict(self) -> dict[str, Any]:
        """Like any result; the notes of a single one stand among those of the whole, and say what they are about."""
        values = super().to_dict()
        # A name here, where other kinds have an object: it was one before all results had the same provenance.
        if self.provenance.corpora:
            values["provenance"]["corpus"] = self.provenance.corpora[0].name
        own = [Note(self.results[0].about, text).to_dict() for text in self.results[0].notes] if self.single else []
        return values | {"notes": [*own, *values["notes"]]}

    def __getitem__(self, metric: str) -> Mapping[str, Measurement]:
        """By class, where there is one system and one attribute only: `metrics["cf_gap"]["positive"].value`."""
        if not self.single:
            raise UsageError(f"there are {len(self.results)} results; take one of them: results[0].measurements[...]")
        return self.results[0].measurements[metric]

    @property
    def single(self) -> bool:
        """Whether there is one system and one attribute only, whose fields then stand at the top of the JSON."""
        return len(self.results) == 1

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, folder: Path | None = None) -> Self:
        """Rebuild it from its plain values."""
        common = cls.common(values)
        if "results" in values:
            results = tuple(Measured.from_dict(result) for result in values["results"])
        else:
            about = Measured.about_of(values["system"], values["attribute"])
            own = [note.text for note in common["notes"] if note.about == about]
            common["notes"] = tuple(note for note in common["notes"] if note.about != about)
            results = (Measured.from_dict({**values, "notes": own}),)
        models = tuple(ModelDifference.from_dict(one) for one in values.get("models", ()))
        settings = rebuild(MeasureSettings, values["measured_with"])
        return cls(results, settings, tuple(values["left_out"]), models, **common)

    def frame(self) -> pl.DataFrame:
        """One row per system, attribute, metric, class and group; the group `all` holds the accumulated value."""
        rows = []
        for result in self.results:
            for name, label, found in result.measurements:
                lead = {"system": result.system, "attribute": result.attribute, "metric": name, "class": label}
                rows.append(lead | _row(ALL, found.value, found.interval, name, found.undefined) | _exchangeable(found))
                for group, value in found.by_group.items():
                    of_group = _row(group, value, (found.intervals_by_group or {}).get(group), name, None)
                    rows.append(lead | of_group | _exchangeable(None))
        return pl.DataFrame(rows, infer_schema_length=None)


def _row(
    group: str, value: float | None, interval: tuple[float, float] | None, name: str, undefined: str | None
) -> dict[str, Any]:
    low, high = interval or (None, None)
    ideal = METRICS[name].ideal
    return {"group": group, "value": value, "low": low, "high": high, "ideal": ideal, "undefined": undefined}


def _exchangeable(found: Measurement | None) -> dict[str, Any]:
    """What terms dealt at random come to; of the accumulated value only."""
    names = ("expected_if_exchangeable", "excess", "p", "not_exchangeable", "p_for_these_sources", "why_no_p")
    return {name: None if found is None else getattr(found, name) for name in names}

"""How metrics of two systems differ on the same rows: both are measured on the same resamples of the sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evenhand.errors import EvenhandError
from evenhand.metrics.design import Design
from evenhand.metrics.exchange import prepared_metric
from evenhand.metrics.measurements import ALL, Interval, Measurement
from evenhand.metrics.measuring import Resampling, measured_metric, moves
from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.table import chosen_metrics
from evenhand.stats.intervals import SHARE_DEFINED, resampled_interval, size_difference_interval
from evenhand.stats.types import ROUNDING, Floats

Change = Literal["closer", "further", "same", "cannot tell"]


@dataclass(frozen=True)
class MetricDifference:
    """One metric for one class, the second system's value minus the first's; None has its reason in `undefined`.

    `interval` comes from resamples of the sources that are the same for both systems, so that what is hard about a
    source for both cancels out. Metrics that are sizes (never negative, whole groups compared) grow with noise, and
    theirs leaves room for it: two systems of which one is only noisier are not told apart. It answers for the terms
    that were tested, for this metric alone.
    """

    metric: str
    label: str
    """The class, or `all`."""
    one: float | None
    other: float | None
    difference: float | None = None
    interval: Interval | None = None
    deviation: float | None = None
    """How much further from its ideal value the metric is in the second system; below zero: closer."""
    deviation_interval: Interval | None = None
    change: Change = "cannot tell"
    """Whether the second system is closer to the ideal value, judged by the interval of the deviation."""
    undefined: str | None = None


def metric_differences(
    one: Predictions,
    other: Predictions,
    metrics: Sequence[str | AnyMetric] | None = None,
    *,
    seed: int = 0,
    bootstrap: int = 500,
    level: float = 0.95,
) -> list[MetricDifference]:
    """The difference of each metric between two systems that were asked about the same rows.

    Metrics by class are compared for the classes that both have.

    >>> same = {"source": ["a", "a", "b", "b"], "group": ["f", "m", "f", "m"], "gold": ["+", "+", "-", "-"]}
    >>> one = Predictions.of(**same, probabilities={"+": [0.9, 0.5, 0.4, 0.2], "-": [0.1, 0.5, 0.6, 0.8]})
    >>> other = Predictions.of(**same, probabilities={"+": [0.9, 0.8, 0.3, 0.2], "-": [0.1, 0.2, 0.7, 0.8]})
    >>> found = metric_differences(one, other, ["cf_gap"], bootstrap=50)[0]
    >>> round(found.one, 3), round(found.other, 3), round(found.difference, 3)
    (0.3, 0.1, -0.2)
    """
    pair = _Pair(Design(one, seed=seed), Design(other, seed=seed), bootstrap, level)
    return [pair.difference(metric, *place) for metric in chosen_metrics(metrics) for place in pair.places(metric)]


@dataclass(frozen=True, eq=False)
class _Resampled:
    values: Floats
    moved: Floats | None
    """How far sizes moved; see `Outcome.moved`."""
    clusters: int


class _Pair:
    def __init__(self, one: Design, other: Design, bootstrap: int, level: float) -> None:
        if one.predictions.sources != other.predictions.sources or len(one.predictions) != len(other.predictions):
            raise EvenhandError("metrics are compared on the same rows only")
        self._designs = one, other
        self._once = Resampling(one, 0, level)
        self._resampling = Resampling(one, bootstrap, level)

    def places(self, metric: AnyMetric) -> Iterator[tuple[str, tuple[int, int]]]:
        """Each class that both have, and its number in both."""
        one, other = (design.predictions.classes for design in self._designs)
        if not (metric.per_class and one and other):
            yield ALL, (0, 0)
            return
        yield from ((label, (one.index(label), other.index(label))) for label in one if label in other)

    def difference(self, metric: AnyMetric, label: str, codes: tuple[int, int]) -> MetricDifference:
        sides = list(zip(self._designs, codes, strict=True))
        one, other = (measured_metric(metric, design, code, self._once) for design, code in sides)
        if one.value is None or other.value is None:
            return MetricDifference(metric.name, label, one.value, other.value, undefined=_why(one, other))
        interval: Interval | None = None
        deviations: Interval | None = None
        change: Change = "cannot tell"
        if self._resampling.resamples and not self._resampling.too_few:
            first, second = (self._resampled(metric, design, code) for design, code in sides)
            interval = self._interval(first, second, other.value - one.value)
            # Where zero is ideal, a size is how far it is from it; other metrics may lie on either side.
            deviations = interval
            if first.moved is None or metric.ideal != 0:
                apart = _deviation(metric, second.values) - _deviation(metric, first.values)
                deviations = self._percentiles(apart, min(first.clusters, second.clusters))
            change = _change(second.values - first.values, deviations)
        return MetricDifference(
            metric.name,
            label,
            one.value,
            other.value,
            difference=other.value - one.value,
            interval=interval,
            deviation=abs(other.value - metric.ideal) - abs(one.value - metric.ideal),
            deviation_interval=deviations,
            change=change,
            undefined=None if interval else self._no_interval(),
        )

    def _resampled(self, metric: AnyMetric, design: Design, code: int) -> _Resampled:
        prepared = prepared_metric(metric, design, code)
        outcomes = [prepared(weights) for weights in self._resampling.weights]
        informed = outcomes[0].informed
        clusters = self._resampling.clusters if informed is None else min(informed, self._resampling.clusters)
        return _Resampled(np.concatenate([one.value for one in outcomes]), moves(outcomes)[0], clusters)

    def _interval(self, first: _Resampled, second: _Resampled, difference: float) -> Interval | None:
        clusters = min(first.clusters, second.clusters)
        if first.moved is None or second.moved is None:
            return self._percentiles(second.values - first.values, clusters)
        if clusters < 2:
            return None
        values, moved = (first.values, second.values), (first.moved, second.moved)
        return size_difference_interval(difference, values, moved, level=self._resampling.level, clusters=clusters)

    def _percentiles(self, values: Floats, clusters: int) -> Interval | None:
        if clusters < 2:
            return None
        return resampled_interval(values, level=self._resampling.level, clusters=clusters)

    def _no_interval(self) -> str:
        if not self._resampling.resamples:
            return "no interval: no resamples were asked for"
        if self._resampling.too_few:
            return "no interval: there is one source only, which cannot be resampled"
        return f"no interval: fewer than {SHARE_DEFINED:.0%} of the resamples have a value in both"


def _deviation(metric: AnyMetric, values: Floats) -> Floats:
    return np.asarray(np.abs(values - metric.ideal), dtype=np.float64)


def _change(differences: Floats, deviations: Interval | None) -> Change:
    if deviations is None:
        return "cannot tell"
    if np.nanmax(np.abs(differences)) <= ROUNDING:
        return "same"
    return "closer" if deviations[1] < 0 else "further" if deviations[0] > 0 else "cannot tell"


def _why(one: Measurement, other: Measurement) -> str:
    """Why a metric cannot be compared: undefined in the first system, in the second, or in both."""
    if one.value is None and other.value is None:
        both = dict.fromkeys(found.undefined or "undefined" for found in (one, other))
        return "; ".join(both)
    which, found = ("first", one) if one.value is None else ("second", other)
    return f"undefined in the {which} system: {found.undefined}"

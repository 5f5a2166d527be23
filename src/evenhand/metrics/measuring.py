"""The verb of this room: predictions in, measurements out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from evenhand.metrics.counterfactual import counterfactual_metric
from evenhand.metrics.counts import Counts
from evenhand.metrics.design import Design, Prepared, Weight
from evenhand.metrics.groupwise import group_metric
from evenhand.metrics.measurements import ALL, Interval, Measurement, Measurements
from evenhand.metrics.metric import AnyMetric, OwnMetric
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.table import chosen_metrics
from evenhand.metrics.undefined import Undefined
from evenhand.settings import check_choice, check_count, check_level, check_seed
from evenhand.stats.types import Floats

AT_ONCE = 1 << 20
"""How many weights are held at a time while resampling."""
SHARE_DEFINED = 0.95
"""An interval is shown where at least this share of the resamples has a value."""


def check_measuring(*, weight: str, sample: int | None, seed: int, bootstrap: int, level: float) -> None:
    """Refuse what cannot be measured with; see `measure`."""
    check_choice("weight", weight, get_args(Weight))
    if sample is not None:
        check_count("the number of tuples drawn per source", sample, least=1)
    check_seed(seed)
    check_count("the number of resamples", bootstrap)
    check_level(level)


def measure(
    predictions: Predictions,
    metrics: Sequence[str | AnyMetric] | None = None,
    *,
    groups: Sequence[str] | None = None,
    background: str | None = None,
    counts: Counts | None = None,
    weight: Weight = "sources",
    sample: int | None = None,
    seed: int = 0,
    bootstrap: int = 0,
    level: float = 0.95,
) -> Measurements:
    """Measure predictions for one attribute with metrics of the table (names), or with metrics of one's own.

    `groups` are those to compare, in order: with two of them, signed metrics are first against second. `background`
    takes the place of each metric's own: `everyone`, `rest`, `unperturbed`, or one privileged group, which then is not
    compared. `counts` are used instead of those of the rows, for tasks whose matches are counted elsewhere (spans).
    Counterfactual metrics run over all tuples of terms; `sample` draws that many tuples a source instead. Each source
    weighs the same unless `weight` is "tuples". `bootstrap` resamples of the sources give percentile intervals.

    >>> predictions = Predictions.of(
    ...     source=["like", "like"], group=["female", "male"], term=["Anna", "Adam"],
    ...     gold=["positive", "positive"], probabilities={"negative": [0.1, 0.7], "positive": [0.9, 0.3]})
    >>> found = measure(predictions, ["cf_gap", "fpr_ratio"])
    >>> round(found["cf_gap"]["positive"].value, 3)
    0.6
    >>> found["fpr_ratio"]["positive"].undefined
    "every example has the gold class 'positive' (in female, male)"
    """
    check_measuring(weight=weight, sample=sample, seed=seed, bootstrap=bootstrap, level=level)
    design = Design(
        predictions, groups=groups, background=background, counts=counts, weight=weight, sample=sample, seed=seed
    )
    resampling = Resampling(design, bootstrap, level)
    classes = design.predictions.classes
    found = {
        metric.name: {
            label: measured_metric(metric, design, code, resampling)
            for code, label in (enumerate(classes) if metric.per_class and classes else [(0, ALL)])
        }
        for metric in chosen_metrics(metrics)
    }
    names = tuple(design.names[column] for column in design.groups)
    return Measurements(names, classes, found, dict(predictions.dropped))


def measured_metric(metric: AnyMetric, design: Design, code: int, resampling: Resampling) -> Measurement:
    """One metric for one class, with its intervals or the reason why it has none."""
    try:
        prepared = prepared_metric(metric, design, code)
        point = prepared(resampling.once)
    except Undefined as reason:
        names = [design.names[column] for column in design.groups]
        return Measurement(None, dict.fromkeys(names), undefined=str(reason))
    names = [design.names[column] for column in point.columns]
    by_group = _numbers(names, point.by_group)
    value = None if np.isnan(point.value[0]) else float(point.value[0])
    undefined = _reason(by_group, point.why) if value is None or None in by_group.values() else None
    intervals = resampling.intervals(prepared, names)
    return Measurement(
        value=value,
        by_group=by_group,
        interval=None if value is None else intervals.value,
        undefined=undefined or intervals.why_not,
        scores=None if point.scores is None else _numbers(names, point.scores),
        references=None if point.references is None else _numbers(names, point.references),
        intervals_by_group=intervals.by_group,
        error=point.error,
        sources=point.sources,
        lacking={name: number for name, number in zip(names, point.lacking, strict=False) if number},
    )


def prepared_metric(metric: AnyMetric, design: Design, code: int) -> Prepared:
    """A metric for one class, ready to be weighed."""
    if isinstance(metric, OwnMetric):
        return metric.compute(metric, design, code)
    return (counterfactual_metric if metric.counterfactual else group_metric)(metric, design, code)


def _numbers(names: Sequence[str], values: Floats) -> dict[str, float | None]:
    """The first resample's numbers by name."""
    return {name: None if np.isnan(number) else float(number) for name, number in zip(names, values[0], strict=True)}


def _reason(by_group: dict[str, float | None], why: Sequence[str | None]) -> str:
    """One line: each reason with the groups it holds for."""
    groups: dict[str, list[str]] = {}
    for (name, number), reason in zip(by_group.items(), why, strict=True):
        if number is None and reason is not None:
            groups.setdefault(reason, []).append(name)
    reasons = [f"{reason} (in {', '.join(names)})" for reason, names in groups.items()]
    return "; ".join(reasons) or "some groups are never in the same source"


class Resampling:
    """The bootstrap over sources: how often each is drawn, the same for every metric."""

    def __init__(self, design: Design, resamples: int, level: float) -> None:
        sources = design.shape[0]
        self.resamples, self.level = resamples, level
        self.too_few = sources < 2
        self.once = np.ones((1, sources))
        rng = np.random.default_rng(design.seed)
        self.draws = rng.multinomial(sources, np.full(sources, 1 / sources), size=resamples).astype(np.float64)
        self.at_once = max(1, AT_ONCE // len(design.predictions))

    def intervals(self, prepared: Prepared, names: Sequence[str]) -> _Intervals:
        """Percentile intervals of the value and of each group's number."""
        if not self.resamples:
            return _Intervals()
        if self.too_few:
            return _Intervals(why_not="no interval: there is one source only, which cannot be resampled")
        outcomes = [prepared(weights) for weights in self.weights]
        value = self.interval(np.concatenate([outcome.value for outcome in outcomes]))
        numbers = np.concatenate([outcome.by_group for outcome in outcomes])
        by_group = {name: self.interval(column) for name, column in zip(names, numbers.T, strict=True)}
        why_not = None if value else f"no interval: fewer than {SHARE_DEFINED:.0%} of the resamples have a value"
        return _Intervals(value, by_group, why_not)

    @cached_property
    def weights(self) -> list[Floats]:
        """All resamples, as many at a time as fit."""
        return [self.draws[start : start + self.at_once] for start in range(0, self.resamples, self.at_once)]

    def interval(self, values: Floats) -> Interval | None:
        """The percentile interval of resampled values; None where too few of them are defined."""
        defined = values[~np.isnan(values)]
        if len(defined) < SHARE_DEFINED * len(values):
            return None
        low, high = np.quantile(defined, [(1 - self.level) / 2, (1 + self.level) / 2])
        return float(low), float(high)


@dataclass(frozen=True)
class _Intervals:
    value: Interval | None = None
    by_group: dict[str, Interval | None] | None = None
    why_not: str | None = None

"""The verb of this room: predictions in, measurements out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

import numpy as np

from evenhand.metrics.counts import Counts
from evenhand.metrics.design import Design, Outcome, Prepared, Weight
from evenhand.metrics.exchange import Exchange, prepared_metric
from evenhand.metrics.measurements import ALL, Interval, Measurement, Measurements, TermWithout
from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.table import chosen_metrics
from evenhand.metrics.undefined import Undefined
from evenhand.metrics.working import Working, silent
from evenhand.settings import check_choice, check_count, check_level, check_relabellings, check_resamples, check_seed
from evenhand.stats.intervals import SHARE_DEFINED, resampled_interval, size_interval
from evenhand.stats.types import ROUNDING, Floats

AT_ONCE = 1 << 20
"""How many weights are held at a time while resampling lots."""
IN_CACHE = 1 << 17
"""And while resampling rows, which are gone through again and again."""
UNLIKELY = 0.05
"""What exceeds chance by so much is asked what it rests on."""
STEADY = "no interval: every resample of the sources gives the same value, which says nothing about other terms"


def check_measuring(
    *, weight: str, sample: int | None, seed: int, bootstrap: int, level: float, relabellings: int
) -> None:
    """Refuse what cannot be measured with; see `measure`."""
    check_choice("weight", weight, get_args(Weight))
    if sample is not None:
        check_count("the number of tuples drawn per source", sample, least=1)
    check_seed(seed)
    check_resamples("the number of resamples", bootstrap)
    check_relabellings(relabellings)
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
    relabellings: int = 0,
    counted_by_term: tuple[Predictions, Counts] | None = None,
    working: Working | None = None,
) -> Measurements:
    """Measure predictions for one attribute with metrics of the table (names), or with metrics of one's own.

    `groups` are those to compare, in order: with two of them, signed metrics are first against second. `background`
    takes the place of each metric's own: `everyone`, `rest`, `unperturbed`, or one privileged group, which then is not
    compared. `counts` are used instead of those of the rows, for tasks whose matches are counted elsewhere (spans).
    Counterfactual metrics run over all tuples of terms; `sample` draws that many tuples a source instead. Each source
    weighs the same unless `weight` is "tuples". `bootstrap` resamples of the sources give intervals of what the value
    would be with many more sources, for the terms tested. `relabellings` deals of the terms to groups of the same sizes
    give what each metric comes to where groups mean nothing; `counts` are dealt where they are given by term too, with
    the predictions by term that they belong to. `working` shows how far it is.

    >>> predictions = Predictions.of(
    ...     source=["like", "like"], group=["female", "male"], term=["Anna", "Adam"],
    ...     gold=["positive", "positive"], probabilities={"negative": [0.1, 0.7], "positive": [0.9, 0.3]})
    >>> found = measure(predictions, ["cf_gap", "fpr_ratio"])
    >>> round(found["cf_gap"]["positive"].value, 3)
    0.6
    >>> found["fpr_ratio"]["positive"].undefined
    "every example has the gold class 'positive' (in female, male)"
    """
    check_measuring(
        weight=weight, sample=sample, seed=seed, bootstrap=bootstrap, level=level, relabellings=relabellings
    )
    design = Design(
        predictions, groups=groups, background=background, counts=counts, weight=weight, sample=sample, seed=seed
    )
    resampling = Resampling(design, bootstrap, level)
    exchange = Exchange(design, draws=relabellings, counted=counted_by_term) if relabellings else None
    classes = design.predictions.classes
    chosen = chosen_metrics(metrics)
    found: dict[str, dict[str, Measurement]] = {metric.name: {} for metric in chosen}
    # Class by class, as metrics share what is made of a class; it is large and not needed for the next.
    with (working or silent)("metrics", len(chosen) * max(1, len(classes))) as advance:
        for code, label in enumerate(classes or (ALL,)):
            for metric in chosen:
                by_class = bool(metric.per_class and classes)
                if by_class or code == 0:
                    one = exchanged(measured_metric(metric, design, code, resampling), metric, code, exchange)
                    found[metric.name][label if by_class else ALL] = one
                advance()
            for held in (design, *(exchange.designs if exchange else ())):
                held.forget()
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
    intervals = resampling.intervals(prepared, point, names, metric.ideal)
    if value is not None and _steady(intervals.value, value, metric):
        intervals = replace(intervals, value=None, why_not=STEADY)
    return Measurement(
        value=value,
        by_group=by_group,
        interval=None if value is None else _within(intervals.value, metric),
        undefined=undefined or intervals.why_not,
        scores=None if point.scores is None else _numbers(names, point.scores),
        references=None if point.references is None else _numbers(names, point.references),
        intervals_by_group=intervals.by_group,
        error=point.error,
        sources=point.sources,
        lacking={name: number for name, number in zip(names, point.lacking, strict=False) if number},
    )


def exchanged(found: Measurement, metric: AnyMetric, code: int, exchange: Exchange | None) -> Measurement:
    """The same with what it comes to where terms are dealt to groups at random."""
    if exchange is None or found.value is None:
        return found
    dealt = exchange.of(metric, code, found.value)
    rests_on = None
    if dealt.expected is not None and dealt.p is not None and dealt.p < UNLIKELY:
        rests_on = exchange.rests_on(metric, code, found.value, dealt.expected)
    elif found.undefined == STEADY:
        rests_on = exchange.rests_on(metric, code, found.value, metric.ideal)
    return replace(
        found,
        undefined=found.undefined if rests_on is None or found.undefined != STEADY else resting(rests_on),
        expected_if_exchangeable=dealt.expected,
        range_if_exchangeable=dealt.interval,
        excess=None if dealt.expected is None else found.value - dealt.expected,
        p=dealt.p_general,
        p_for_these_sources=dealt.p,
        why_no_p=dealt.why_not_general,
        not_exchangeable=dealt.undefined,
        rests_on=rests_on,
    )


def resting(on: TermWithout) -> str:
    """Why there is no interval where every source says the same of one term."""
    return f"no interval: it rests on one term, {on.term}, and every resample of the sources gives the same value"


def _steady(interval: Interval | None, value: float, metric: AnyMetric) -> bool:
    """Whether an interval has no width though the value is not the ideal one: what is known is no more exact for it."""
    rounding = ROUNDING * max(1.0, abs(value))
    return interval is not None and interval[1] - interval[0] <= rounding and abs(value - metric.ideal) > rounding


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


def _within(interval: Interval | None, metric: AnyMetric) -> Interval | None:
    """No further down or up than the metric goes."""
    if interval is None:
        return None
    bottom, top = (end if bound is None else bound for end, bound in zip(interval, metric.range, strict=True))
    low, high = max(interval[0], min(bottom, interval[1])), min(interval[1], max(top, interval[0]))
    return low, high


class Resampling:
    """The bootstrap over sources: how often each is drawn, the same for every metric."""

    def __init__(self, design: Design, resamples: int, level: float) -> None:
        sources = design.resampled
        self.resamples, self.level = resamples, level
        self.clusters, self.too_few = sources, sources < 2
        self.once = design.once
        rng = np.random.default_rng(design.seed)
        self.draws = rng.multinomial(sources, np.full(sources, 1 / sources), size=resamples).astype(np.float64)
        self.at_once = max(1, (AT_ONCE if design.coarse else IN_CACHE) // design.held_by_resample)

    def intervals(self, prepared: Prepared, point: Outcome, names: Sequence[str], ideal: float) -> _Intervals:
        """Intervals of the value and of each group's number."""
        if not self.resamples:
            return _Intervals()
        if self.too_few:
            return _Intervals(why_not="no interval: there is one source only, which cannot be resampled")
        clusters = self.clusters if point.informed is None else min(point.informed, self.clusters)
        if clusters < 2:
            return _Intervals(why_not="no interval: one source only has a value, and it cannot be resampled")
        outcomes = [prepared(weights) for weights in self.weights]
        moved, moved_by_group = moves(outcomes)
        value = self.interval(
            np.concatenate([one.value for one in outcomes]),
            clusters,
            estimate=float(point.value[0]),
            moved=moved,
            step=0.0 if point.step is None else float(point.step[1][0]),
            ideal=ideal,
        )
        numbers = np.concatenate([one.by_group for one in outcomes])
        by_group = {
            name: self.interval(
                numbers[:, place],
                clusters,
                estimate=float(point.by_group[0, place]),
                moved=None if moved_by_group is None else moved_by_group[:, place],
                step=0.0 if point.step is None else float(point.step[0][0, place]),
                ideal=ideal,
            )
            for place, name in enumerate(names)
        }
        why_not = None if value else f"no interval: fewer than {SHARE_DEFINED:.0%} of the resamples have a value"
        return _Intervals(value, by_group, why_not)

    @cached_property
    def weights(self) -> list[Floats]:
        """All resamples, as many at a time as fit."""
        return [self.draws[start : start + self.at_once] for start in range(0, self.resamples, self.at_once)]

    def interval(
        self,
        values: Floats,
        clusters: int,
        *,
        estimate: float,
        moved: Floats | None = None,
        step: float = 0.0,
        ideal: float = 0.0,
    ) -> Interval | None:
        """The interval of resampled values, or of sizes that moved so far; None where too few of them are defined."""
        if moved is None:
            return resampled_interval(
                values, level=self.level, clusters=clusters, estimate=estimate, step=step, ideal=ideal
            )
        return size_interval(estimate, values, moved, level=self.level, clusters=clusters)


def moves(outcomes: Sequence[Outcome]) -> tuple[Floats | None, Floats | None]:
    """How far sizes moved in the resamples: the value, and each group's; None for what is no size."""
    found = [one.moved for one in outcomes if one.moved is not None]
    by_group = [part for part, _ in found if part is not None]
    if not found:
        return None, None
    return np.concatenate([value for _, value in found]), np.concatenate(by_group) if by_group else None


@dataclass(frozen=True)
class _Intervals:
    value: Interval | None = None
    by_group: dict[str, Interval | None] | None = None
    why_not: str | None = None

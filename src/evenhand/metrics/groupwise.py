"""Group metrics: a score of each group's rows, compared between groups or with a background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from evenhand.metrics import grids
from evenhand.metrics.accumulate import mean_of_pairs, over_groups, over_pairs, pair_places
from evenhand.metrics.comparisons import Among, Between, OfSets
from evenhand.metrics.counts import Counts
from evenhand.metrics.design import Design, Outcome, Prepared, Sides
from evenhand.metrics.grids import Grid, Held
from evenhand.metrics.metric import Metric
from evenhand.metrics.orders import Order, Part, Weighing
from evenhand.metrics.scores import Mean, Rate, Values
from evenhand.metrics.shares import share
from evenhand.stats.types import Floats

Scored = Callable[[Floats], tuple[Floats, Floats]]
"""Weights in; scores of the groups and of their backgrounds (or of themselves, where there are none) out."""


def group_metric(metric: Metric, design: Design, code: int) -> Prepared:
    """One group metric for one class."""
    phi, d, sides = metric.phi, metric.d, design.sides(metric)
    if isinstance(phi, Values):
        if not isinstance(d, OfSets):
            raise TypeError(f"{d.name} does not compare sets")
        return _of_sets(metric, phi, d, design, code, sides)
    if isinstance(d, OfSets):
        raise TypeError(f"{d.name} does not compare numbers")
    scores, informed = (_rates if isinstance(phi, Rate) else _means)(phi, design, code, sides)
    empty = phi.empty.format(design.class_name(code))
    plain = scores(design.once)
    step = _step(metric, d, sides, plain, _one_row(phi, design, code, sides), empty) if d.signed else None

    def outcome(weights: Floats) -> Outcome:
        own, behind = scores(weights)
        found = compared_scores(metric, d, sides, own, behind, empty)
        moved: tuple[Floats | None, Floats] | None = None
        if d.seminorm:
            apart = compared_scores(metric, d, sides, own - plain[0], behind - plain[1], empty)
            moved = None if isinstance(d, Among) else apart.by_group, apart.value
        return replace(found, moved=moved, informed=informed, step=step)

    return outcome


def _rates(phi: Rate | Mean, design: Design, code: int, sides: Sides) -> tuple[Scored, int]:
    if not isinstance(phi, Rate):
        raise TypeError(f"{phi.name} is not a share of counts")
    whole = phi.of(design.rate_counts(phi))[1]  # it may be undefined as a whole, and then at once
    informed = whole[:, sides.columns, code if phi.per_class else 0].any(axis=1)
    return lambda weights: rate_scores(phi, design.pooled(weights), code, sides), int(informed.sum())


def _one_row(phi: Rate | Mean, design: Design, code: int, sides: Sides) -> Floats:
    """What one row counts in each group's share; 0 in means of numbers, which have no smallest step."""
    if isinstance(phi, Mean):
        return np.zeros((1, len(sides.columns)))
    whole = phi.of(design.pooled(design.once).each(sides.own))[1]
    whole = whole[:, :, code if phi.per_class else 0]
    return np.divide(1.0, whole, out=np.zeros(whole.shape), where=whole > 0)


def _step(
    metric: Metric, d: Between | Among, sides: Sides, plain: tuple[Floats, Floats], row: Floats, empty: str
) -> tuple[Floats, Floats]:
    """By group and value: how far one row of each group moves them, put together as independent of each other."""
    before = compared_scores(metric, d, sides, *plain, empty)
    squares = [np.zeros_like(before.by_group), np.zeros_like(before.value)]
    for place in range(row.shape[1]):
        moved = plain[0].copy()
        moved[:, place] += row[:, place]
        after = compared_scores(metric, d, sides, moved, moved if sides.kind is None else plain[1], empty)
        squares[0] += np.nan_to_num(after.by_group - before.by_group) ** 2
        squares[1] += np.nan_to_num(after.value - before.value) ** 2
    return np.sqrt(squares[0]), np.sqrt(squares[1])


def rate_scores(phi: Rate, pooled: Counts, code: int, sides: Sides) -> tuple[Floats, Floats]:
    """Shares of counts (resamples, columns, classes): of the groups, and of their backgrounds (or of themselves)."""
    place = code if phi.per_class else 0
    own = share(*phi.of(pooled.each(sides.own)))[:, :, place]
    return own, own if sides.kind is None else share(*phi.of(pooled.each(sides.held_against)))[:, :, place]


def _means(phi: Rate | Mean, design: Design, code: int, sides: Sides) -> tuple[Scored, int]:
    if not isinstance(phi, Mean):
        raise TypeError(f"{phi.name} is not a mean")
    sums = design.source_sums(phi, code)
    informed = int(sums[1][:, sides.columns].any(axis=1).sum())
    part, whole = (design.by_lot(of) for of in sums)
    return lambda weights: mean_scores((weights @ part, weights @ whole), sides), informed


def mean_scores(sums: tuple[Floats, Floats], sides: Sides) -> tuple[Floats, Floats]:
    """Means from sums of amounts and of weights (resamples, columns), as `rate_scores`."""
    part, whole = sums
    own = share(sides.own(part), sides.own(whole))
    return own, own if sides.kind is None else share(sides.held_against(part), sides.held_against(whole))


def compared_scores(
    metric: Metric, d: Between | Among, sides: Sides, scores: Floats, references: Floats, empty: str
) -> Outcome:
    """Scores (resamples, groups) and those of their backgrounds, compared as the metric says."""
    groups = len(sides.columns)
    if isinstance(d, Among):
        first, second = pair_places(groups)
        by_group = mean_of_pairs(d.part.of(scores[:, first], scores[:, second]), groups) if d.part else scores
        why = _reasons(scores, None, by_group, empty=empty, undefined=empty)
        return Outcome(sides.columns, by_group, d.of(scores), scores=scores, why=why)
    shown: Floats | None = references
    if metric.shape == "PCM":
        first, second = pair_places(groups)
        by_group, value = over_pairs(metric, d.of(scores[:, first], scores[:, second]), groups)
        shown = scores[:, ::-1] if groups == 2 else None
    else:
        by_group = d.of(scores, references)
        value = over_groups(metric, by_group)
    why = _reasons(scores, shown, by_group, empty=empty, undefined=d.undefined)
    return Outcome(sides.columns, by_group, value, scores=scores, references=shown, why=why)


def _reasons(
    scores: Floats, references: Floats | None, by_group: Floats, *, empty: str, undefined: str
) -> tuple[str | None, ...]:
    """Why a group's number is undefined, from the first resample."""
    reasons: list[str | None] = []
    for place in range(scores.shape[1]):
        if np.isnan(scores[0, place]):
            reasons.append(empty)
        elif references is not None and np.isnan(references[0, place]):
            reasons.append(f"in what it is compared with, {empty}")
        else:
            reasons.append(undefined if np.isnan(by_group[0, place]) else None)
    return tuple(reasons)


def _of_sets(metric: Metric, phi: Values, d: OfSets, design: Design, code: int, sides: Sides) -> Prepared:
    order, source, column = design.order(phi, code)
    every = np.ones(len(column), dtype=np.bool_)
    both = sides.sets(column, own=every, behind=every)
    missing = [None if len(own) else f"it has no {phi.name}" for own, _ in both]
    if metric.shape == "PCM":
        pairs = [(both[i][0], both[j][0]) for i, j in zip(*pair_places(len(both)), strict=True)]
    else:
        alone = [None if len(background) else f"its background has no {phi.name}" for _, background in both]
        missing = [own or other for own, other in zip(missing, alone, strict=True)]
        pairs = both

    informed = len(np.unique(source[np.isin(column, sides.columns)]))

    lot = design.lot_of(source)

    def by_row(weights: Floats) -> tuple[Floats, Floats | None]:
        weighing = Weighing(order, weights[:, lot])
        compared, moved = [], []
        for first, second in pairs:
            compared.append(_two_sets(d, weighing, first, second))
            if d.moved is not None:
                moved.append(d.moved(weighing, first, second))
        return np.stack(compared, axis=1), np.stack(moved, axis=1) if moved else None

    on_grid = None
    if design.coarse and d.on_grid is not None:
        grid = design.grid(order)
        held = grid.held(
            lot, column, rows=design.resampled, columns=design.used_columns, areas=d.moved_on_grid is not None
        )
        on_grid = _on_grid(metric, d, sides, grid, held, by_row(design.once)[0])

    def outcome(weights: Floats) -> Outcome:
        compared, apart = by_row(weights) if on_grid is None or len(weights) == 1 else on_grid(weights)
        moved = None if apart is None else compared_sets(metric, apart, len(both))
        by_group, value = compared_sets(metric, compared, len(both))
        return Outcome(sides.columns, by_group, value, why=tuple(missing), moved=moved, informed=informed)

    return outcome


def _on_grid(
    metric: Metric, d: OfSets, sides: Sides, grid: Grid, held: Held, exact: Floats
) -> Callable[[Floats], tuple[Floats, Floats | None]]:
    """Comparisons for many weights, and how far they moved; `exact` are those of the rows themselves."""
    compare = d.on_grid
    if compare is None:
        raise TypeError(f"{d.name} is not found on a grid")

    def two(of: Held) -> tuple[Held, Held]:
        if metric.shape == "PCM":
            first, second = pair_places(len(sides.columns))
            return of.changed(lambda sums: sums[:, sides.columns[first]]), of.changed(
                lambda sums: sums[:, sides.columns[second]]
            )
        return of.changed(sides.own), of.changed(sides.held_against)

    before = two(held.changed(lambda sums: sums.sum(axis=0, keepdims=True)))
    off = exact - compare(grid, *before)

    def compared(weights: Floats) -> tuple[Floats, Floats | None]:
        now = two(grids.weighted(weights, held))
        moved = None if d.moved_on_grid is None else d.moved_on_grid(grid, *now, before)
        return compare(grid, *now) + off, moved

    return compared


def compared_sets(metric: Metric, compared: Floats, groups: int) -> tuple[Floats, Floats]:
    """By group and value, from comparisons (resamples, pairs or groups)."""
    return over_pairs(metric, compared, groups) if metric.shape == "PCM" else (compared, over_groups(metric, compared))


def _two_sets(d: OfSets, weighing: Weighing, first: Part, second: Part) -> Floats:
    """The comparison of two sets for each resample; NaN where one is empty."""
    if d.weighted is not None:
        return d.weighted(weighing, first, second)
    return np.array([_plainly(d, weighing.order, weights, first, second) for weights in weighing.weights])


def _plainly(d: OfSets, order: Order, weights: Floats, first: Part, second: Part) -> float:
    sets = [np.repeat(order.numbers[part.places], weights[part.places].astype(np.int64)) for part in (first, second)]
    return d.of(*sets) if all(map(len, sets)) else float("nan")

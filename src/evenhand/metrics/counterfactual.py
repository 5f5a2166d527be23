"""Counterfactual metrics: comparisons within each source, over all tuples of terms, averaged over sources."""

from __future__ import annotations

import numpy as np

from evenhand.metrics import tuples
from evenhand.metrics.accumulate import mean_of_pairs, over_groups, over_pairs, pair_places
from evenhand.metrics.cells import Cells
from evenhand.metrics.comparisons import Among, Between, OfSets
from evenhand.metrics.design import Design, Outcome, Prepared, Sides
from evenhand.metrics.metric import Metric
from evenhand.metrics.scores import Mean, Rate, Values
from evenhand.metrics.shares import share
from evenhand.metrics.undefined import Undefined
from evenhand.stats.types import Bools, Floats, Ints

NOT_TOGETHER = "no source has it together with what it is compared with"


def counterfactual_metric(metric: Metric, design: Design, code: int) -> Prepared:
    """One counterfactual metric for one class."""
    sides = design.sides(metric)
    groups = len(sides.columns)
    if isinstance(metric.phi, Values):
        cells = design.cells(metric.phi, code)
        scores = cells.means()
        values, errors = _of_rows(metric, cells, design, sides)
        parts = _parts(metric, cells, design, sides)
        weigh = _tuples_of_source(cells, design, sides) if metric.phi.each else np.ones(len(scores))
        if metric.phi.each and design.positions is not None:
            errors = design.positions.error_of_mean(errors, values[:, 0])
            scores, values = design.positions.mean(scores), design.positions.mean(values)
            parts = None if parts is None else design.positions.mean(parts)
            weigh = np.nan_to_num(design.positions.mean(np.where(weigh > 0, weigh, np.nan)))
    else:
        scores = _source_scores(metric.phi, design, code)
        values, errors, parts = _of_scores(metric, scores, sides), np.zeros(len(scores)), None
        weigh = np.ones(len(scores))
    nominal = isinstance(metric.phi, Values) and metric.phi.nominal
    scores = scores[:, sides.columns]
    present: Bools = ~np.isnan(scores)
    eligible = np.asarray(present.any(axis=1))
    if not eligible.any():
        raise Undefined("no source has an example of these groups")

    over_sources = [_OverSources(of, weigh, design) for of in (values, scores)]
    over_parts = None if parts is None else _OverSources(parts, weigh, design)
    error = _error_of_mean(errors, values, weigh)

    def outcome(weights: Floats) -> Outcome:
        compared, of_groups = (of(weights) for of in over_sources)
        if metric.shape == "MCM":
            by_group = of_groups if over_parts is None else mean_of_pairs(over_parts(weights), groups)
            value = compared[:, 0]
        elif metric.shape == "PCM":
            by_group, value = over_pairs(metric, compared, groups)
        else:
            by_group, value = compared, over_groups(metric, compared)
        return Outcome(
            sides.columns,
            by_group,
            value,
            scores=None if nominal else of_groups,
            why=(NOT_TOGETHER,) * groups,
            error=error if len(weights) == 1 else None,
            sources=int(eligible.sum()),
            lacking=tuple((~present[eligible]).sum(axis=0).tolist()),
            informed=int((~np.isnan(values)).any(axis=1).sum()),
        )

    return outcome


class _OverSources:
    """Weighted means of (sources, columns) over the sources where they are defined; each weighs so much by itself."""

    def __init__(self, values: Floats, weigh: Floats, design: Design) -> None:
        defined = ~np.isnan(values)
        weigh = weigh[:, None]
        self._sums = design.by_lot(np.where(defined, values, 0.0) * weigh)
        self._weights = design.by_lot(defined * weigh)

    def __call__(self, weights: Floats) -> Floats:
        return share(weights @ self._sums, weights @ self._weights)


def _error_of_mean(errors: Floats, values: Floats, weights: Floats) -> float | None:
    """The standard error of a mean over sources of which some are estimates."""
    if not errors.any():
        return None
    used = np.where(np.isnan(values[:, 0]), 0.0, weights)
    return float(np.sqrt(((errors * used) ** 2).sum()) / used.sum())


def compared_columns(metric: Metric, sides: Sides) -> tuple[Ints, Ints]:
    """The columns of each comparison: pairs of groups, or each group and its background."""
    if metric.shape == "PCM":
        first, second = pair_places(len(sides.columns))
        return sides.columns[first], sides.columns[second]
    return sides.columns, np.full(len(sides.columns), sides.reference)


def _source_scores(phi: Rate | Mean, design: Design, code: int) -> Floats:
    """φ of each source and column by itself; NaN where it is undefined."""
    if isinstance(phi, Mean):
        return share(*design.source_sums(phi, code))
    return share(*phi.of(design.rate_counts(phi)))[:, :, code if phi.per_class else 0]


def _of_scores(metric: Metric, scores: Floats, sides: Sides) -> Floats:
    """(sources, comparisons) of scores, one for each source and column."""
    if isinstance(metric.d, Among):
        return metric.d.of(scores[:, sides.columns])[:, None]
    if isinstance(metric.d, OfSets):
        raise TypeError(f"{metric.d.name} does not compare numbers")
    first, second = compared_columns(metric, sides)
    return metric.d.of(scores[:, first], scores[:, second])


def _of_rows(metric: Metric, cells: Cells, design: Design, sides: Sides) -> tuple[Floats, Floats]:
    """(sources, comparisons) of rows, NaN where a source cannot make one; and the errors of estimated sources."""
    if isinstance(metric.d, Among):
        values, errors = _all_groups(metric.d, cells, design, sides)
        complete = np.asarray((cells.sizes[:, sides.columns] > 0).all(axis=1))
        return np.where(complete, values, np.nan)[:, None], errors
    return _two_by_two(metric.d, cells, design, sides, *compared_columns(metric, sides)), np.zeros(len(cells.sizes))


def _parts(metric: Metric, cells: Cells, design: Design, sides: Sides) -> Floats | None:
    """For an MCM whose groups are shown by their comparisons with the others: (sources, pairs)."""
    if not isinstance(metric.d, Among) or metric.d.part is None:
        return None
    first, second = pair_places(len(sides.columns))
    return _two_by_two(metric.d.part, cells, design, sides, sides.columns[first], sides.columns[second])


def _two_by_two(d: Between | OfSets, cells: Cells, design: Design, sides: Sides, first: Ints, second: Ints) -> Floats:
    """(sources, comparisons), NaN where a source lacks one of the two columns."""
    if d.expected_pairs is not None and (design.sample is None or isinstance(d, OfSets)):
        values = d.expected_pairs(cells)[:, first, second]
    elif isinstance(d, OfSets):
        values = _sets(d, cells, first, second)
    elif design.sample is None:
        values = _pairs(d, cells, first, second)
    else:
        values = _sampled_pairs(d, cells, design, sides, first, second)
    both = (cells.sizes[:, first] > 0) & (cells.sizes[:, second] > 0)
    return np.where(both, values, np.nan)


def _all_groups(d: Among, cells: Cells, design: Design, sides: Sides) -> tuple[Floats, Floats]:
    exact = np.zeros(len(cells.sizes))
    if design.sample is not None:
        source, numbers = tuples.sampled(cells, sides.columns, size=design.sample, seed=design.seed)
        return _means_by_source(source, d.of(numbers), len(exact)), exact
    if d.expected_tuples is not None:
        return d.expected_tuples(cells, sides.columns), exact
    return tuples.expected(cells, sides.columns, d.of, seed=design.seed)


def _pairs(d: Between, cells: Cells, first: Ints, second: Ints) -> Floats:
    """By definition: every pair of terms, one by one."""
    means = [
        tuples.enumerated_mean(cells, np.array(columns), lambda numbers: d.of(numbers[:, 0], numbers[:, 1]))
        for columns in zip(first, second, strict=True)
    ]
    return np.stack(means, axis=1)


def _sets(d: OfSets, cells: Cells, first: Ints, second: Ints) -> Floats:
    """By definition: the two sets of every source, one by one."""
    values = np.full((len(cells.sizes), len(first)), np.nan)
    for pair, columns in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        for source in np.flatnonzero((cells.sizes[:, columns] > 0).all(axis=1)).tolist():
            values[source, pair] = d.of(*(cells.of(source, column) for column in columns))
    return values


def _sampled_pairs(d: Between, cells: Cells, design: Design, sides: Sides, first: Ints, second: Ints) -> Floats:
    columns = _columns_in_a_tuple(sides)
    source, numbers = tuples.sampled(cells, columns, size=design.sample or 1, seed=design.seed)
    place = {column: position for position, column in enumerate(columns.tolist())}
    means = [
        _means_by_source(source, d.of(numbers[:, place[one]], numbers[:, place[other]]), len(cells.sizes))
        for one, other in zip(first.tolist(), second.tolist(), strict=True)
    ]
    return np.stack(means, axis=1)


def _means_by_source(source: Ints, values: Floats, sources: int) -> Floats:
    return share(np.bincount(source, weights=values, minlength=sources), np.bincount(source, minlength=sources))


def _tuples_of_source(cells: Cells, design: Design, sides: Sides) -> Floats:
    """How much each source weighs: the same, or as much as it has (sampled) tuples."""
    if design.weight == "sources":
        return np.ones(len(cells.sizes))
    number = tuples.products(cells, _columns_in_a_tuple(sides))
    if design.sample is not None:
        number = np.minimum(number, design.sample)
    return number / max(float(number.max()), 1.0)


def _columns_in_a_tuple(sides: Sides) -> Ints:
    return sides.columns if sides.reference is None else np.append(sides.columns, sides.reference)

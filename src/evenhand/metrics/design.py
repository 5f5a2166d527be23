"""How predictions are laid out for measuring: columns, backgrounds, weights; and what comes of one metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.metrics.cells import Cells
from evenhand.metrics.counts import Counts, count
from evenhand.metrics.grids import MOST_ORDERED, Grid, cells_for
from evenhand.metrics.metric import BACKGROUNDS, EVERYONE, REST, UNPERTURBED, AnyMetric
from evenhand.metrics.orders import Order, Part
from evenhand.metrics.positions import positions_of
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.scores import Mean, Rate, Rows, Values, chosen_rows
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import UNKNOWN, placed
from evenhand.stats.intervals import MOST_RESAMPLED, lots
from evenhand.stats.types import Bools, Floats, Ints

Weight = Literal["sources", "tuples"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """One metric for one class: the first axis is the resample (the first and only one: all sources)."""

    columns: Ints
    """The groups that are compared."""
    by_group: Floats
    value: Floats
    scores: Floats | None = None
    """φ of each group."""
    references: Floats | None = None
    """φ of each group's background, or of the other group."""
    why: tuple[str | None, ...] = ()
    """For each group, why its number is undefined."""
    error: float | None = None
    """The standard error of the value where it rests on a sample of the product; None: exact."""
    sources: int | None = None
    lacking: tuple[int, ...] = ()
    """For counterfactual metrics: how many sources there are, and how many of them lack each group."""
    moved: tuple[Floats | None, Floats] | None = None
    """By group and value of metrics that are sizes: how far the resample lies from all sources, by the same metric."""
    informed: int | None = None
    """How many sources the value is made of; None: all."""
    step: tuple[Floats, Floats] | None = None
    """By group and value: how far one row that goes the other way moves them, for signed comparisons of shares."""


Prepared = Callable[[Floats], Outcome]
"""A metric for one class, ready to be weighed: (resamples, sources) weights in, their outcomes out."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Who is compared with whom: the groups T, and the background's kind and column."""

    columns: Ints
    kind: str | None = None
    reference: int | None = None

    def own(self, sums: Floats) -> Floats:
        """Each group's part of sums of shape (resamples, columns, …)."""
        return sums[:, self.columns]

    def held_against(self, sums: Floats) -> Floats:
        """Each group's background in the same sums."""
        own = sums[:, self.columns]
        if self.kind == EVERYONE:
            return np.broadcast_to(own.sum(axis=1, keepdims=True), own.shape)
        if self.kind == REST:
            return np.asarray(own.sum(axis=1, keepdims=True) - own, dtype=np.float64)
        return sums[:, np.full(len(self.columns), self.reference)]

    def sets(self, column: Ints, *, own: Bools, behind: Bools) -> list[tuple[Part, Part]]:
        """Each group's rows and those of its background, given columns and which rows count on either side."""
        everyone = np.flatnonzero(np.isin(column, self.columns) & behind)
        if self.kind == REST:
            backgrounds = [Part(everyone, np.flatnonzero((column == group) & behind)) for group in self.columns]
        elif self.kind == EVERYONE or self.kind is None:
            backgrounds = [Part(everyone)] * len(self.columns)
        else:
            backgrounds = [Part(np.flatnonzero((column == self.reference) & behind))] * len(self.columns)
        groups = [Part(np.flatnonzero((column == group) & own)) for group in self.columns]
        return list(zip(groups, backgrounds, strict=True))


class Design:
    """Predictions in a fixed order (sources by name, groups as asked for), with what several metrics share.

    Columns are the groups T, then a privileged group that is not among them, then the unperturbed sentences.
    """

    def __init__(
        self,
        predictions: Predictions,
        *,
        groups: Sequence[str] | None = None,
        background: str | None = None,
        counts: Counts | None = None,
        weight: Weight = "sources",
        sample: int | None = None,
        seed: int = 0,
    ) -> None:
        compared = tuple(predictions.groups if groups is None else groups)
        if background is not None and background not in (*BACKGROUNDS, *predictions.groups):
            hint = did_you_mean(background, (*BACKGROUNDS, *predictions.groups))
            raise UsageError(f"there is no background {background!r}{hint}")
        beside = () if background in (None, *BACKGROUNDS, *compared) else (str(background),)
        self.predictions, self.counts_given = _arranged(predictions, (*compared, *beside), counts)
        self.names = (*self.predictions.groups, UNPERTURBED)
        self.groups: Ints = np.arange(len(compared))
        self.ordered = groups is not None
        self.background = background
        self.weight, self.sample, self.seed = weight, sample, seed
        group = self.predictions.group
        self.column: Ints = np.where(group == UNKNOWN, len(self.predictions.groups), group)
        self.shape = (len(self.predictions.sources), len(self.names))
        self.lot = lots(self.shape[0], seed=seed, most=MOST_RESAMPLED)
        self.resampled = min(self.shape[0], MOST_RESAMPLED)
        self.once = np.ones((1, self.resampled))
        self._pooled: dict[int, tuple[Floats, Counts]] = {}
        self.positions = positions_of(self.predictions)
        self._cells: dict[tuple[object, Rows, int, bool], Cells] = {}
        self._orders: dict[int, tuple[Order, Ints, Ints]] = {}

    def sides(self, metric: AnyMetric) -> Sides:
        """Who is compared with whom in this metric."""
        if metric.background is None:
            self._check_groups(metric, self.groups)
            return Sides(self.groups)
        kind = self.background or metric.background
        if kind in (EVERYONE, REST):
            if metric.counterfactual:
                raise Undefined("the background of a counterfactual metric is the unperturbed sentence or one group")
            self._check_groups(metric, self.groups)
            return Sides(self.groups, kind)
        if kind not in self.names:
            raise Undefined(f"there is no group {kind!r}")
        reference = self.names.index(kind)
        if not (self.column == reference).any():
            raise Undefined("there is no unperturbed sentence to compare with (a row without a group)")
        columns = self.groups[self.groups != reference]
        if not len(columns):
            raise Undefined("there is no group beside the background")
        return Sides(columns, kind, reference)

    def _check_groups(self, metric: AnyMetric, columns: Ints) -> None:
        if metric.two_groups and not (self.ordered and len(columns) == 2):
            raise Undefined("it compares a first group with a second: name the two groups, in order")
        if len(columns) < 2:
            raise Undefined("there is one group only, and nothing to compare it with")

    @cached_property
    def counts(self) -> Counts:
        """By source, column and class."""
        return count(self.predictions) if self.counts_given is None else self.counts_given

    def pooled(self, weights: Floats) -> Counts:
        """The counts summed over weighted sources; kept for the next metrics that ask with the same weights."""
        if id(weights) not in self._pooled:  # the weights are kept, too, so that no others take their place
            self._pooled[id(weights)] = weights, self._counts_by_lot.weighted(weights)
        return self._pooled[id(weights)][1]

    @cached_property
    def _counts_by_lot(self) -> Counts:
        return self.counts.each(self.by_lot)

    def by_lot(self, of_sources: Floats) -> Floats:
        """Sums over the sources that are resampled together; what is given where every source is by itself."""
        if self.lot is None:
            return of_sources
        return np.asarray(np.add.reduceat(of_sources[self._by_lot], self._begins, axis=0), dtype=np.float64)

    def lot_of(self, source: Ints) -> Ints:
        """The lot of each of these sources."""
        return source if self.lot is None else self.lot[source]

    @cached_property
    def _by_lot(self) -> Ints:
        return np.argsort(self.lot_of(np.arange(self.shape[0])), kind="stable")

    @cached_property
    def _begins(self) -> Ints:
        sizes = np.bincount(self.lot_of(np.arange(self.shape[0])))
        return np.cumsum(sizes) - sizes

    def rate_counts(self, rate: Rate) -> Counts:
        """The counts, where the rate can be had from them."""
        counts = self.counts
        self.refuse_without_gold(rate)
        return counts

    def refuse_without_gold(self, rate: Rate) -> None:
        """Refuse a rate that needs gold classes where there are none."""
        if rate.needs_gold and self.counts_given is None and self.predictions.gold is None:
            raise Undefined("no gold classes are given")

    def class_name(self, code: int) -> str:
        """A class in quotation marks, for messages."""
        return repr(self.predictions.classes[code]) if self.predictions.classes else ""

    def cells(self, values: Values, code: int) -> Cells:
        """One number per row by source and column; computed once for the metrics that share it.

        Examples that are compared one by one stand by position where they are sequences.
        """
        key = (values.of, values.rows, code, values.each and self.positions is not None)
        if key not in self._cells:
            numbers = values.of(self.predictions, code)
            rows = chosen_rows(self.predictions, values.rows, code)
            if values.each and self.positions is not None:
                self._cells[key] = self.positions.cells(numbers, rows, self.column, columns=self.shape[1])
            else:
                source, column = self.predictions.source[rows], self.column[rows]
                self._cells[key] = Cells(numbers[rows], source, column, shape=self.shape)
        return self._cells[key]

    def source_sums(self, mean: Mean, code: int) -> tuple[Floats, Floats]:
        """Amounts and weights of a mean by source and column."""
        cell = self.predictions.source * self.shape[1] + self.column
        part, whole = self._sums(mean, code, cell, self.shape[0] * self.shape[1])
        return part.reshape(self.shape), whole.reshape(self.shape)

    def sums(self, mean: Mean, code: int) -> tuple[Floats, Floats]:
        """Amounts and weights of a mean by column, over all sources."""
        return self._sums(mean, code, self.column, self.shape[1])

    def _sums(self, mean: Mean, code: int, cell: Ints, size: int) -> tuple[Floats, Floats]:
        rows = chosen_rows(self.predictions, mean.rows, code)
        part, whole = (
            np.bincount(cell[rows], weights=amounts[rows], minlength=size).astype(np.float64)
            for amounts in mean.of(self.predictions, code)
        )
        return part, whole

    @property
    def coarse(self) -> bool:
        """Whether there are so many rows that resamples and deals look at a grid rather than at each of them."""
        return len(self.predictions) > MOST_ORDERED

    @cached_property
    def used_columns(self) -> int:
        """How many columns there are up to the last that has rows."""
        return int(self.column.max()) + 1

    @property
    def cells_of_grid(self) -> int:
        """How fine the grid of resamples is."""
        return cells_for(self.resampled, self.used_columns)

    def grid(self, order: Order) -> Grid:
        """The grid of ordered numbers."""
        return Grid(order, self.cells_of_grid)

    @property
    def held_by_resample(self) -> int:
        """How many numbers one resample takes."""
        whole = max(self.resampled, self.used_columns * self.cells_of_grid)
        return whole if self.coarse else len(self.predictions)

    def forget(self) -> None:
        """Let go of numbers and their order where they are large."""
        if self.coarse:
            self._cells.clear()
            self._orders.clear()

    def order(self, values: Values, code: int) -> tuple[Order, Ints, Ints]:
        """All numbers of all rows in ascending order, with their sources and columns."""
        cells = self.cells(values, code)
        if id(cells) not in self._orders:
            order = Order(cells.numbers)
            self._orders[id(cells)] = order, cells.source[order.places], cells.column[order.places]
        return self._orders[id(cells)]


def _arranged(
    predictions: Predictions, groups: tuple[str, ...], counts: Counts | None
) -> tuple[Predictions, Counts | None]:
    """Rows by source, group and term, so that the order of a file's rows changes nothing; counts to match."""
    if counts is not None and counts.tp.shape[:2] != (len(predictions.sources), len(predictions.groups)):
        raise EvenhandError(
            f"counts for {counts.tp.shape[0]} sources and {counts.tp.shape[1]} groups do not fit {predictions!r}"
        )
    kept = predictions.of_groups(groups)
    names = sorted(kept.sources)
    rank = placed(kept.sources, names)
    term = kept.spelled[1]
    column = np.where(kept.group == UNKNOWN, len(groups), kept.group)
    source = rank[kept.source]
    order = np.lexsort((term, column, source))
    arranged = kept.renamed_sources(tuple(names), source).select(order)
    if counts is None:
        return arranged, None
    sources, columns = placed(arranged.sources, predictions.sources), placed(groups, predictions.groups)
    return arranged, counts.each(lambda array: array[sources][:, columns]).with_empty_group()

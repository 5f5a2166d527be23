"""Metrics outside the three generalised shapes: they score a group and its background differently, or label sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse

from evenhand.metrics import grids
from evenhand.metrics.accumulate import over_groups
from evenhand.metrics.design import Design, Outcome, Prepared, Sides
from evenhand.metrics.metric import OwnMetric
from evenhand.metrics.orders import Order, Weighing
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.scores import NO_NEGATIVE, NO_POSITIVE, TPR, Values, probability
from evenhand.metrics.shares import share
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import UNKNOWN, pairs_numbered
from evenhand.stats.types import Bools, Floats, Ints

AT_ONCE = 1 << 20
"""How many numbers are held at a time."""
WITH_GOLD = Values("p(c)", probability, rows="with gold")


def bpsn_auc(metric: OwnMetric, design: Design, code: int) -> Prepared:
    """The background's positive examples against the group's negative ones: low where the group raises false alarms."""
    return _auc(metric, design, code, group_is_positive=False)


def bnsp_auc(metric: OwnMetric, design: Design, code: int) -> Prepared:
    """The group's positive examples against the background's negative ones: low where the group's are overlooked."""
    return _auc(metric, design, code, group_is_positive=True)


def _auc(metric: OwnMetric, design: Design, code: int, *, group_is_positive: bool) -> Prepared:
    gold_of_rows(design)
    sides = design.sides(metric)
    order, source, column = design.order(WITH_GOLD, code)
    gold = gold_of_rows(design)[order.places]
    in_group = (gold == code) == group_is_positive
    name = design.class_name(code)
    missing = (NO_POSITIVE if group_is_positive else NO_NEGATIVE).format(name)
    missing_behind = (NO_NEGATIVE if group_is_positive else NO_POSITIVE).format(name)

    both = sides.sets(column, own=in_group, behind=~in_group)
    why = tuple(f"in its background, {missing_behind}" if len(own) else missing for own, _ in both)

    lot = design.lot_of(source)

    def by_row(weights: Floats) -> Floats:
        weighing = Weighing(order, weights[:, lot])
        return np.stack([weighing.share_above(own, background) for own, background in both], axis=1)

    on_grid = _auc_on_grid(design, order, lot, column, in_group, sides, by_row) if design.coarse else by_row

    def outcome(weights: Floats) -> Outcome:
        above = by_row(weights) if len(weights) == 1 else on_grid(weights)
        by_group = 1 - above if group_is_positive else above
        return Outcome(sides.columns, by_group, over_groups(metric, by_group), why=why)

    return outcome


def _auc_on_grid(
    design: Design,
    order: Order,
    lot: Ints,
    column: Ints,
    in_group: Bools,
    sides: Sides,
    by_row: Callable[[Floats], Floats],
) -> Callable[[Floats], Floats]:
    """Shares of pairs for many weights."""
    grid = design.grid(order)
    places = np.flatnonzero(in_group), np.flatnonzero(~in_group)
    own, behind = (
        grid.held(
            lot[chosen],
            column[chosen],
            rows=design.resampled,
            columns=design.used_columns,
            areas=False,
            chosen=chosen,
        )
        for chosen in places
    )

    def above(weights: Floats) -> Floats:
        first, second = grids.weighted(weights, own), grids.weighted(weights, behind)
        return grids.share_above(first.changed(sides.own), second.changed(sides.held_against))

    off = by_row(design.once) - above(design.once)
    return lambda weights: above(weights) + off


def gold_of_rows(design: Design) -> Ints:
    """The gold classes of the rows that have one."""
    if design.predictions.gold is None:
        raise Undefined("no gold classes are given")
    return np.asarray(design.predictions.gold[design.predictions.gold != UNKNOWN], dtype=np.int64)


def with_gold(design: Design, code: int) -> tuple[Floats, Ints, Ints]:
    """p(c), the column and the gold class of every row that has one."""
    gold = gold_of_rows(design)
    cells = design.cells(WITH_GOLD, code)
    return cells.numbers, cells.column, gold


def pi(metric: OwnMetric, design: Design, code: int) -> Prepared:
    """Of a group's examples of class c that are taken for another, the share recognised with another group's term."""
    sides = design.sides(metric)
    counts = design.rate_counts(TPR)
    missed = counts.fn[:, sides.columns, code]
    found = counts.tp[:, sides.columns, code]
    recovered = of_the_others(share(found, found + missed))
    why = f"no example of the class {design.class_name(code)} is taken for another"

    defined = ~np.isnan(recovered)
    part, whole = (design.by_lot(np.where(defined, of, 0.0)) for of in (missed * recovered, missed))

    def outcome(weights: Floats) -> Outcome:
        by_group = share(weights @ part, weights @ whole)
        return Outcome(sides.columns, by_group, over_groups(metric, by_group), why=(why,) * len(sides.columns))

    return outcome


def recovered_share(missed: Floats, recovered: Floats, weights: Floats) -> Floats:
    """Of what is missed (…, sources, groups), the share that is recovered with other groups' terms."""
    defined = ~np.isnan(recovered)
    part = weights @ np.where(defined, missed * recovered, 0.0)
    return share(part, weights @ np.where(defined, missed, 0.0))


def pi_by_pair(predictions: Predictions) -> dict[tuple[str, str], dict[str, float | None]]:
    """Π as published, for each gold class and the class it is taken for: a share by group, None where there is no case.

    >>> bios = Predictions.of(
    ...     source=["a", "a"], group=["f", "m"], gold=["surgeon"] * 2, predicted=["nurse", "surgeon"])
    >>> pi_by_pair(bios)
    {('surgeon', 'nurse'): {'f': 1.0, 'm': None}}
    """
    if predictions.gold is None or predictions.predicted is None:
        raise Undefined("Π needs gold and predicted classes")
    shape = (len(predictions.sources), len(predictions.groups))
    cell = predictions.source * shape[1] + predictions.group

    def counted(rows: Bools) -> Floats:
        chosen = cell[rows & (predictions.group != UNKNOWN)]
        return np.bincount(chosen, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

    table = {}
    for gold, name in enumerate(predictions.classes):
        rows = predictions.gold == gold
        recovered = of_the_others(share(counted(rows & (predictions.predicted == gold)), counted(rows)))
        for code in np.unique(predictions.predicted[rows & (predictions.predicted != gold)]):
            missed = np.where(np.isnan(recovered), 0.0, counted(rows & (predictions.predicted == code)))
            shares = share((missed * np.nan_to_num(recovered)).sum(axis=0), missed.sum(axis=0))
            by_group = {
                group: None if np.isnan(value) else float(value)
                for group, value in zip(predictions.groups, shares, strict=True)
            }
            table[name, predictions.classes[code]] = by_group
    return table


def of_the_others(values: Floats) -> Floats:
    """For each source and group, the mean of the other groups' values; NaN where no other has one."""
    defined = ~np.isnan(values)
    known = np.where(defined, values, 0.0)
    number = defined.sum(axis=1, keepdims=True) - defined
    return share(known.sum(axis=1, keepdims=True) - known, number.astype(np.float64))


def label_distance(metric: OwnMetric, design: Design, code: int) -> Prepared:
    """Jaccard distance between the sources labelled c as they were and with a term put in; the mean over terms."""
    predicted = design.predictions.predicted
    if predicted is None:
        raise Undefined("no classes are predicted")
    if design.positions is not None:
        raise Undefined("it compares labels of whole sentences, not of tokens")
    sides = design.sides(metric)
    before = _Labelled(design, predicted == code, int(sides.reference or 0))
    after = [_Labelled(design, predicted == code, int(group)) for group in sides.columns]
    why = f"the class {design.class_name(code)} is never predicted, neither before nor after"

    def outcome(weights: Floats) -> Outcome:
        by_group = np.stack([before.jaccard(weights, terms) for terms in after], axis=1)
        return Outcome(sides.columns, by_group, over_groups(metric, by_group), why=(why,) * len(after))

    return outcome


class _Labelled:
    """Which sources a column has each term in, and whether they are then labelled positive.

    The unperturbed sentences count as one term. A term that a source holds twice counts as two.
    """

    def __init__(self, design: Design, positive: Bools, column: int) -> None:
        rows = np.flatnonzero(design.column == column)
        source = design.predictions.source[rows]
        term = np.zeros_like(rows) if column == len(design.names) - 1 else design.predictions.spelled[1][rows]
        _, pair = pairs_numbered(source, term)
        order = np.argsort(pair, kind="stable")
        begins = np.cumsum(np.bincount(pair)) - np.bincount(pair)
        time = np.empty_like(rows)
        time[order] = np.arange(len(rows)) - begins[pair[order]]
        self.source, self.positive, self.design = source, positive[rows].astype(np.float64), design
        terms, self.term = pairs_numbered(term, time)
        self.terms = terms.shape[1]

    def jaccard(self, weights: Floats, after: _Labelled) -> Floats:
        """The mean distance over all pairs of terms with a source labelled positive; NaN if there is none."""
        distances = [
            1 - share(common, both - neither)
            for term in range(self.terms)
            for both, neither, common in after.with_one(weights, *self._of_term(term))
        ]
        number = np.sum([(~np.isnan(one)).sum(axis=0) for one in distances], axis=0)
        return share(np.sum([np.nansum(one, axis=0) for one in distances], axis=0), number.astype(np.float64))

    def _of_term(self, term: int) -> tuple[Floats, Floats]:
        """By source: whether it has the term, and whether it is labelled positive with it."""
        chosen = self.term == term
        present, positive = np.zeros(self.design.shape[0]), np.zeros(self.design.shape[0])
        present[self.source[chosen]] = 1.0
        positive[self.source[chosen]] = self.positive[chosen]
        return present, positive

    def with_one(self, weights: Floats, present: Floats, positive: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
        """(some terms, resamples): weights of the sources with both terms, labelled positive with neither and both."""
        there, labelled = present[self.source], positive[self.source]
        amounts = there, (there - labelled) * (1 - self.positive), labelled * self.positive
        place = self.term, self.design.lot_of(self.source)
        shape = self.terms, self.design.resampled
        tables = [sparse.csr_array((of, place), shape=shape) for of in amounts]
        at_once = max(1, AT_ONCE // len(weights))
        for start in range(0, self.terms, at_once):
            both, neither, common = (np.asarray(table[start : start + at_once] @ weights.T) for table in tables)
            yield both, neither, common

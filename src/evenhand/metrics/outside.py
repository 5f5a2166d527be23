"""Metrics outside the three generalised shapes: they score a group and its background differently, or label sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.metrics.accumulate import over_groups
from evenhand.metrics.design import Design, Outcome, Prepared
from evenhand.metrics.metric import OwnMetric
from evenhand.metrics.orders import Weighing
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.scores import NO_NEGATIVE, NO_POSITIVE, TPR, Values, probability
from evenhand.metrics.shares import share
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import UNKNOWN
from evenhand.stats.types import Bools, Floats, Ints

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

    def outcome(weights: Floats) -> Outcome:
        weighing = Weighing(order, weights[:, source])
        above = np.stack([weighing.share_above(own, background) for own, background in both], axis=1)
        by_group = 1 - above if group_is_positive else above
        return Outcome(sides.columns, by_group, over_groups(metric, by_group), why=why)

    return outcome


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

    def outcome(weights: Floats) -> Outcome:
        by_group = recovered_share(missed, recovered, weights)
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
    before = _labelled(design, predicted == code, int(sides.reference or 0))
    after = [_labelled(design, predicted == code, int(group)) for group in sides.columns]
    why = f"the class {design.class_name(code)} is never predicted, neither before nor after"

    def outcome(weights: Floats) -> Outcome:
        by_group = np.stack([_jaccard(weights, before, terms) for terms in after], axis=1)
        return Outcome(sides.columns, by_group, over_groups(metric, by_group), why=(why,) * len(after))

    return outcome


def _labelled(design: Design, positive: Bools, column: int) -> tuple[Floats, Floats]:
    """Two tables (sources, terms): whether the source has the term, and whether it is then labelled positive.

    The unperturbed sentences count as one term. A term that a source holds twice counts as two.
    """
    rows = np.flatnonzero(design.column == column)
    source = design.predictions.source[rows]
    unperturbed = column == len(design.names) - 1
    key: Callable[[int], str] = lambda row: "" if unperturbed else design.predictions.terms[row]  # noqa: E731
    seen: dict[tuple[int, str], int] = {}
    terms: dict[tuple[str, int], int] = {}
    place: Ints = np.empty(len(rows), dtype=np.int64)
    for position, row in enumerate(rows.tolist()):
        here = (int(source[position]), key(row))
        seen[here] = seen.get(here, 0) + 1
        place[position] = terms.setdefault((here[1], seen[here]), len(terms))
    present, labelled = np.zeros((design.shape[0], len(terms))), np.zeros((design.shape[0], len(terms)))
    present[source, place] = 1.0
    labelled[source, place] = positive[rows]
    return present, labelled


def _jaccard(weights: Floats, before: tuple[Floats, Floats], after: tuple[Floats, Floats]) -> Floats:
    """The mean distance over all pairs of terms with a source labelled positive; NaN if there is none."""
    weighted = weights[:, :, None]
    both = (weighted * before[0]).transpose(0, 2, 1) @ after[0]
    neither = (weighted * (before[0] - before[1])).transpose(0, 2, 1) @ (after[0] - after[1])
    common = (weighted * before[1]).transpose(0, 2, 1) @ after[1]
    distances = 1 - share(common, both - neither)
    defined = ~np.isnan(distances)
    return share(np.where(defined, distances, 0.0).sum(axis=(1, 2)), defined.sum(axis=(1, 2)).astype(np.float64))

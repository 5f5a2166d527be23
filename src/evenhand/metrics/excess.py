"""Whether groups differ in what a metric is made of, for terms and sources like these: the other half of a metric's p.

Deals of the terms keep the sources as they are, and take terms of all groups to vary alike. So a gap that differs from
source to source by chance, and a group whose terms vary more than others', look like bias to them. The generalising
test allows for both. It is about means, so every metric is taken back to the numbers that it is a mean, a share or a
distance of: one for each term in each source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from scipy.stats import rankdata

from evenhand.metrics import comparisons, outside, scores
from evenhand.metrics.counts import Counts, count_cells
from evenhand.metrics.crossing import TermCells
from evenhand.metrics.design import Design, Sides
from evenhand.metrics.generalising import Generalising, chosen_cells, generalising
from evenhand.metrics.metric import AnyMetric, OwnMetric
from evenhand.metrics.predictions import BETWEEN, Predictions
from evenhand.metrics.scores import Mean, Rate, Values, chosen_rows
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import pairs_numbered
from evenhand.stats.types import Floats, Ints

Key = tuple[object, ...]
OF_ITS_OWN = "it has a function of its own, so it is not known what it is a mean of"
TWO_CLASSES = 2


class Excess:
    """The generalising test of what metrics are made of. `finest` holds each term as a group, `true` its group."""

    def __init__(self, design: Design, finest: Design, true: Ints) -> None:
        self.design, self.finest, self.true = design, finest, true
        self._known: dict[Key, float | str] = {}

    def p(self, metric: AnyMetric, code: int) -> float:
        """The smallest p of the groups and of the numbers that the metric is made of, corrected for how many."""
        found = []
        parts = list(self._made_of(metric, code))
        for key, cells in parts:
            columns = tuple(self._compared(self.design.sides(metric)).tolist())
            if (*key, columns) not in self._known:
                self._known[*key, columns] = self._tested(cells(), columns)
            p = self._known[*key, columns]
            if isinstance(p, str):
                raise Undefined(p)
            found.append(p)
        return min(1.0, len(found) * min(found))

    def _tested(self, cells: TermCells, columns: tuple[int, ...]) -> float | str:
        """p of the groups together, or why there is none."""
        try:
            tests = self._generalising(cells, columns)
        except Undefined as reason:
            return str(reason)
        known = [test.p for test in tests.by_group.values() if test.p is not None]
        if not known:
            return next(test.undefined for test in tests.by_group.values() if test.undefined)
        return min(1.0, (1 if len(columns) == TWO_CLASSES else len(known)) * min(known))

    def _generalising(self, cells: TermCells, columns: tuple[int, ...]) -> Generalising:
        place = np.full(int(self.true.max()) + 1, -1)
        place[list(columns)] = np.arange(len(columns))
        kept = chosen_cells(cells, np.asarray(place[cells.group[cells.term]] >= 0, dtype=np.bool_))
        grouped = TermCells(kept.values, kept.source, kept.term, place[kept.group], kept.terms, kept.sources)
        names = tuple(self.design.names[column] for column in columns)
        return generalising(grouped, names, self.design.predictions.sampled, independent=self._independent)

    @staticmethod
    def _compared(sides: Sides) -> Ints:
        """The groups that are compared, and the one that they are compared with."""
        return sides.columns if sides.reference is None else np.union1d(sides.columns, [sides.reference])

    @cached_property
    def _independent(self) -> bool:
        """Whether no source holds two groups."""
        pairs, _ = pairs_numbered(self._pairs[0], self.true[self._pairs[1]])
        return bool((np.bincount(pairs[0]) < 2).all())

    @property
    def _pairs(self) -> Ints:
        """(2, pairs): each source and term that stand together."""
        return self._placed[0]

    @cached_property
    def _placed(self) -> tuple[Ints, Ints]:
        """Those, and the pair of each row that mentions a term."""
        rows = self._mentioned
        return pairs_numbered(self.finest.predictions.source[rows], self.finest.column[rows])

    @cached_property
    def _mentioned(self) -> Ints:
        return np.flatnonzero(self.finest.column < len(self.true))

    def _made_of(self, metric: AnyMetric, code: int) -> Iterator[tuple[Key, Callable[[], TermCells]]]:
        """What a metric is made of, each with a key by which the next metric finds it again."""
        if isinstance(metric, OwnMetric):
            yield from self._own(metric, code)
        elif isinstance(metric.phi, Rate | Mean):
            yield self._share(metric.phi, code)
        elif metric.phi.nominal:
            classes = len(self.design.predictions.classes)
            for label in range(1 if classes == TWO_CLASSES else classes):
                yield self._share(scores.SHARE_PREDICTED, label)
        else:
            yield self._numbers(metric.phi, code, ranked=metric.d is comparisons.EQUALITY_GAP)

    def _own(self, metric: OwnMetric, code: int) -> Iterator[tuple[Key, Callable[[], TermCells]]]:
        if metric.compute in (outside.bpsn_auc, outside.bnsp_auc):
            for phi in (scores.PROBABILITIES_OF_CLASS, scores.PROBABILITIES_OF_OTHERS):
                yield self._numbers(phi, code, ranked=True)
        elif metric.compute is outside.pi:
            yield self._share(scores.TPR, code)
        else:
            raise Undefined(OF_ITS_OWN)

    def _numbers(self, phi: Values, code: int, *, ranked: bool) -> tuple[Key, Callable[[], TermCells]]:
        """One number a row; where only their order counts, its rank among all."""

        def cells() -> TermCells:
            predictions = self.finest.predictions
            rows = chosen_rows(predictions, phi.rows, code) & (self.finest.column < len(self.true))
            values = np.asarray(phi.of(predictions, code)[rows], dtype=np.float64)
            values = np.asarray(rankdata(values) / len(values) if ranked else values, dtype=np.float64)
            return self._cells(values, predictions.source[rows], self.finest.column[rows])

        return (phi.of, phi.rows, code if phi.per_class else None, ranked), cells

    def _share(self, phi: Rate | Mean, code: int) -> tuple[Key, Callable[[], TermCells]]:
        """A share of sums, as a mean over cells: how far each is from the share of all, in parts of what its group has.

        With φ the share of all, a group's share is φ plus the mean of (part − φ · whole) / (mean whole of the group).
        """

        def cells() -> TermCells:
            part, whole = self._sums(phi, code)
            source, term = self._pairs
            kept = (np.bincount(source, weights=whole > 0) > 0)[source]
            part, whole, source, term = part[kept], whole[kept], source[kept], term[kept]
            of_group = np.bincount(self.true[term], weights=whole, minlength=int(self.true.max()) + 1)
            number = np.bincount(self.true[term], minlength=len(of_group))
            if (of_group[np.unique(self.true)] <= 0).any():
                raise Undefined("a group has nothing to take its share of")
            away = part - part.sum() / whole.sum() * whole
            return self._cells(away / (of_group / np.maximum(number, 1))[self.true[term]], source, term)

        return (phi, code if phi.per_class else None), cells

    def _sums(self, phi: Rate | Mean, code: int) -> tuple[Floats, Floats]:
        """By pair: what is shared out, and of how much."""
        if isinstance(phi, Mean):
            predictions = self.finest.predictions
            chosen = chosen_rows(predictions, phi.rows, code)[self._mentioned]
            amounts = (of[self._mentioned][chosen] for of in phi.of(predictions, code))
            pairs, size = self._placed[1][chosen], self._pairs.shape[1]
            part, whole = (np.bincount(pairs, weights=of, minlength=size).astype(np.float64) for of in amounts)
            return part, whole
        self.finest.refuse_without_gold(phi)
        place = code if phi.per_class else 0
        part, whole = (sums[:, 0, place] for sums in phi.of(self._counts))
        return part, whole

    @cached_property
    def _counts(self) -> Counts:
        """By pair and class."""
        if self.finest.counts_given is not None:
            return self.finest.counts.each(lambda array: array[self._pairs[0], self._pairs[1]][:, None])
        mentioned = self.finest.predictions.select(self._mentioned)
        return count_cells(mentioned, self._placed[1], shape=(self._pairs.shape[1], 1))

    def _cells(self, values: Floats, source: Ints, term: Ints) -> TermCells:
        names: Predictions = self.finest.predictions
        return TermCells(values, source, term, self.true, self._terms, names.sources)

    @cached_property
    def _terms(self) -> tuple[str, ...]:
        return tuple(name.split(BETWEEN, 1)[1] for name in self.finest.predictions.groups)

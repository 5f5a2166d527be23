"""What a metric would be if groups were only labels: its value for many deals of the terms to groups of the same sizes.

A metric that adds up sizes is above zero for any system, however fair: chance puts the odd terms somewhere. Dealing the
terms anew shows how large that is here. Rows of a term stay together, and sources keep all their rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evenhand.metrics import outside
from evenhand.metrics.accumulate import over_groups, over_pairs
from evenhand.metrics.cells import Cells
from evenhand.metrics.comparisons import Among, OfSets
from evenhand.metrics.counterfactual import compared_columns, counterfactual_metric
from evenhand.metrics.counts import Counts
from evenhand.metrics.deals import Deals, deals_of, members_of
from evenhand.metrics.dealt_sets import share_above, wins
from evenhand.metrics.design import Design, Prepared, Sides
from evenhand.metrics.groupwise import compared_scores, compared_sets, group_metric, mean_scores, rate_scores
from evenhand.metrics.measurements import TermWithout
from evenhand.metrics.metric import UNPERTURBED, AnyMetric, Metric, OwnMetric
from evenhand.metrics.predictions import BETWEEN, Predictions
from evenhand.metrics.scores import TPR, Mean, Rate, Values
from evenhand.metrics.shares import share
from evenhand.metrics.undefined import Undefined
from evenhand.stats.types import ROUNDING, Floats, Ints

Way = tuple[int, Callable[[Floats], Floats]]
"""How many deals to take at a time, and what gives their values: members (deals, groups, terms) in, values out."""
AT_ONCE = 1 << 19
"""How many numbers are held at a time."""
SHARE_DEFINED = 0.95
"""What deals come to is shown where at least this share of them has a value."""
LEVEL = 0.95
HALF = 0.5
"""A metric rests on a term without which no more than this share of its excess is left."""
ALIKE = "every deal gives the same value, so terms dealt to other groups say nothing about it"
NOT_OF_GROUPS = "it compares terms with the unperturbed sentence, and that stays as it is whoever is in which group"
NOT_BY_TERM = "counts are given by group and not by term"


@dataclass(frozen=True)
class Exchangeable:
    """What a metric comes to where terms are dealt to groups at random. What is None has its reason in `undefined`."""

    expected: float | None = None
    interval: tuple[float, float] | None = None
    """What 95 % of the deals come to."""
    p: float | None = None
    """The share of deals that lie as far out as the value; the true deal counts as one of them."""
    undefined: str | None = None


class Exchange:
    """Deals of one attribute's terms, the same for every metric.

    `counted` are counts by term, as a group of its own each, for tasks whose matches are counted elsewhere.
    """

    def __init__(self, design: Design, *, draws: int, counted: tuple[Predictions, Counts] | None = None) -> None:
        self.design, self.draws = design, draws
        self._counted = counted

    def of(self, metric: AnyMetric, code: int, value: float) -> Exchangeable:
        """What the metric comes to for one class, beside its value."""
        try:
            values = self.values(metric, code)
        except Undefined as reason:
            return Exchangeable(undefined=str(reason))
        defined = values[~np.isnan(values)]
        if len(defined) < SHARE_DEFINED * len(values):
            return Exchangeable(undefined=f"fewer than {SHARE_DEFINED:.0%} of the deals have a value")
        tolerance = ROUNDING * max(1.0, float(np.abs(defined).max()))
        if np.ptp(np.append(defined, value)) <= tolerance:
            if abs(value - metric.ideal) <= tolerance:
                return Exchangeable(undefined=ALIKE)
            return Exchangeable(value, (value, value), 1.0)
        expected = float(defined.mean())
        low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        further = _further(metric, expected)
        as_far = int((further(defined) >= further(np.array([value]))[0] - tolerance).sum())
        # The true deal is one of those that chance could have made; where all are listed it is there already.
        own = 0 if self.deals.exact else 1
        return Exchangeable(expected, (float(low), float(high)), (as_far + own) / (len(defined) + own))

    def rests_on(self, metric: AnyMetric, code: int, value: float, expected: float) -> TermWithout | None:
        """The term without which at most half of the excess is left, and the value without it; None: there is none.

        Not for signed metrics, whose groups say more, nor where no two deals can be looked at together.
        """
        way = self._way(metric, self.design.sides(metric), code)
        sampled = isinstance(metric, Metric) and isinstance(metric.d, Among) and metric.d.expected_tuples is None
        if way is None or sampled or metric.signed:
            return None
        terms = len(self._units)
        without = np.repeat(members_of(self.true[None], self.deals.groups), terms, axis=0)
        without[np.arange(terms), :, np.arange(terms)] = 0.0
        at_once = max(1, way[0])
        values = np.concatenate([way[1](without[start : start + at_once]) for start in range(0, terms, at_once)])
        left = (values - expected) / (value - expected)
        if np.isnan(left).all() or np.nanmin(left) > HALF:
            return None
        least = int(np.nanargmin(left))
        group, term = self._units[least].split(BETWEEN, 1)
        return TermWithout(group, term, float(values[least]))

    def values(self, metric: AnyMetric, code: int) -> Floats:
        """The metric's value for every deal; NaN where it has none."""
        sides = self.design.sides(metric)
        if sides.kind == UNPERTURBED:
            raise Undefined(NOT_OF_GROUPS)
        way = self._way(metric, sides, code)
        if way is None:
            return self.one_by_one(metric, code)
        at_once, of_part = way
        return np.concatenate([of_part(members) for members in self.deals.parts(at_once)])

    @cached_property
    def deals(self) -> Deals:
        """The terms, dealt."""
        terms = [name.split(BETWEEN, 1)[1] for name in self._units]
        return deals_of(self.true, terms, draws=self.draws, seed=self.design.seed)

    @cached_property
    def true(self) -> Ints:
        """The group that each term is in."""
        return np.array([self.design.names.index(name.split(BETWEEN, 1)[0]) for name in self._units])

    @cached_property
    def _units(self) -> list[str]:
        """Each term as a group of its own, by group and name."""
        return [name for group in self.design.predictions.groups for name in self._terms.get(group, [])]

    @cached_property
    def _terms(self) -> dict[str, list[str]]:
        by_group: dict[str, list[str]] = {}
        for name in sorted(self._finer.groups):
            by_group.setdefault(name.split(BETWEEN, 1)[0], []).append(name)
        return by_group

    @cached_property
    def _finer(self) -> Predictions:
        return self.design.predictions.by_term() if self._counted is None else self._counted[0]

    @cached_property
    def finest(self) -> Design:
        """The same rows with each term as a group: all that deals are sums of."""
        counts = None if self._counted is None else self._counted[1]
        return Design(self._finer, groups=self._units, counts=counts, seed=self.design.seed)

    @property
    def counts(self) -> Counts:
        """By source, term and class."""
        if self.design.counts_given is not None and self._counted is None:
            raise Undefined(NOT_BY_TERM)
        return self.finest.counts.each(lambda array: array[:, : len(self._units)])

    def cells(self, phi: Values, code: int) -> Cells:
        """Numbers by source (or position) and term, without those of unperturbed sentences."""
        cells = self.finest.cells(phi, code)
        terms = len(self._units)
        kept = cells.column < terms
        shape = (len(cells.sizes), terms)
        return Cells(cells.numbers[kept], cells.source[kept], cells.column[kept], shape=shape)

    def _way(self, metric: AnyMetric, sides: Sides, code: int) -> Way | None:
        """How many deals at a time, and how their values are found together; None: one by one."""
        if isinstance(metric, OwnMetric):
            return self._own(metric, sides, code)
        if metric.counterfactual:
            return self._counterfactual(metric, sides, code)
        phi, d = metric.phi, metric.d
        if isinstance(d, OfSets):
            return self._sets(metric, d, sides, code) if isinstance(phi, Values) and d.dealt else None
        if isinstance(phi, Values):
            return None
        empty = phi.empty
        terms, groups = len(self._units), self.deals.groups
        if isinstance(phi, Rate):
            self.design.rate_counts(phi)
            by_term = self.counts.each(lambda array: array.sum(axis=0, keepdims=True))
            width = terms * groups + groups * by_term.tp.shape[-1] * 6
            return (
                AT_ONCE // width,
                lambda members: (
                    compared_scores(
                        metric,
                        d,
                        sides,
                        *rate_scores(phi, by_term.each(lambda array: members @ array), code, sides),
                        empty,
                    ).value
                ),
            )
        part, whole = (sums.sum(axis=0)[:terms] for sums in self.finest.source_sums(phi, code))
        return (
            AT_ONCE // (terms * groups),
            lambda members: (
                compared_scores(metric, d, sides, *mean_scores((members @ part, members @ whole), sides), empty).value
            ),
        )

    def _sets(self, metric: Metric, d: OfSets, sides: Sides, code: int) -> Way | None:
        if metric.shape == "PCM" or not isinstance(metric.phi, Values) or d.dealt is None:
            return None
        order, _, term = self.finest.order(metric.phi, code)
        if (term >= len(self._units)).any():
            return None
        dealt = d.dealt

        def of_part(members: Floats) -> Floats:
            compared = dealt(order, term, members, sides.own, sides.held_against)
            return compared_sets(metric, compared, len(sides.columns))[1]

        return AT_ONCE // (len(term) * self.deals.groups), of_part

    def _counterfactual(self, metric: Metric, sides: Sides, code: int) -> Way | None:
        if self.design.weight != "sources" or self.design.sample is not None:
            return None
        if isinstance(metric.phi, Mean):
            return self._source_means(metric, metric.phi, sides, code)
        if not isinstance(metric.phi, Values):
            return None
        cells = self.cells(metric.phi, code)
        by_position = metric.phi.each and self.finest.positions is not None
        if isinstance(metric.d, Among):
            return self._tuples(metric.d, cells, sides, by_position=by_position)
        if isinstance(metric.d, OfSets):
            return self._sets_in_sources(metric, metric.d, cells, sides)
        if metric.d.expected_pairs is None:
            return None
        return self._pairs(metric, metric.d.expected_pairs(cells), cells, sides, by_position=by_position)

    def _source_means(self, metric: Metric, phi: Mean, sides: Sides, code: int) -> Way | None:
        d = metric.d
        if isinstance(d, Among | OfSets):
            return None
        terms = len(self._units)
        part, whole = (sums[:, :terms] for sums in self.finest.source_sums(phi, code))
        first, second = compared_columns(metric, sides)

        def of_part(members: Floats) -> Floats:
            scores = share(members @ part.T, members @ whole.T)
            return _accumulated(metric, d.of(scores[:, first], scores[:, second]).transpose(0, 2, 1), sides)

        return AT_ONCE // (self.deals.groups * (terms + len(part))), of_part

    def _tuples(self, d: Among, cells: Cells, sides: Sides, *, by_position: bool) -> Way | None:
        if d.dealt_in_sources is None or (d.expected_tuples is None and not (cells.sizes == 1).all()):
            return None
        dealt, positions = d.dealt_in_sources, self.finest.positions

        def of_part(members: Floats) -> Floats:
            complete = (members[:, sides.columns] @ cells.sizes.T > 0).all(axis=1)
            values = np.where(complete, dealt(cells, members, sides.columns), np.nan)
            if by_position and positions is not None:
                values = positions.mean(values.T).T
            return np.asarray(_mean_of_defined(values), dtype=np.float64)

        longest = int(cells.sizes.sum(axis=1).max())
        return AT_ONCE // (8 * self.deals.groups * longest), of_part

    def _sets_in_sources(self, metric: Metric, d: OfSets, cells: Cells, sides: Sides) -> Way | None:
        if d.dealt_in_sources is None:
            return None
        dealt = d.dealt_in_sources
        first, second = compared_columns(metric, sides)

        def of_part(members: Floats) -> Floats:
            there = members @ cells.sizes.T > 0
            both = (there[:, first] & there[:, second]).transpose(0, 2, 1)
            return _accumulated(metric, np.where(both, dealt(cells, members, first, second), np.nan), sides)

        longest = int(cells.sizes.sum(axis=1).max())
        return AT_ONCE // (8 * self.deals.groups * longest), of_part

    def _pairs(self, metric: Metric, between: Floats, cells: Cells, sides: Sides, *, by_position: bool) -> Way | None:
        """From what two terms come to in each source, (sources, terms, terms).

        Sources that hold the same terms are taken together: a mean over their pairs is a mean over sources.
        """
        sizes, positions = cells.sizes.astype(np.float64), self.finest.positions
        if by_position and positions is not None:
            # A source counts once, as the mean of its positions that have rows; they must hold the same terms.
            used = np.flatnonzero(sizes.any(axis=1))
            _, begins, source, number = np.unique(
                positions.source[used], return_index=True, return_inverse=True, return_counts=True
            )
            if (sizes[used] != sizes[used][begins][source]).any():
                return None
            summed = np.zeros((len(begins), *between.shape[1:]))
            np.add.at(summed, source, between[used])
            between, sizes = summed / number[:, None, None], sizes[used][begins]
        alike, pattern = np.unique(sizes, axis=0, return_inverse=True)
        times_held = np.bincount(pattern.reshape(-1)).astype(np.float64)
        sums = np.stack([between[pattern.reshape(-1) == code].mean(axis=0) for code in range(len(alike))])
        sums *= alike[:, :, None] * alike[:, None, :]
        first, second = compared_columns(metric, sides)

        def of_part(members: Floats) -> Floats:
            compared = np.zeros((len(members), len(first)))
            weight = np.zeros_like(compared)
            for held, of_pairs, times in zip(alike, sums, times_held, strict=True):
                rows = members @ held
                pairs = rows[:, first] * rows[:, second]
                total = ((members @ of_pairs) @ members.transpose(0, 2, 1))[:, first, second]
                compared += times * np.nan_to_num(share(total, pairs))
                weight += times * (pairs > 0)
            return _value(metric, share(compared, weight), sides)

        return AT_ONCE // (3 * self.deals.groups * sizes.shape[1]), of_part

    def _own(self, metric: OwnMetric, sides: Sides, code: int) -> Way | None:
        if metric.compute in (outside.bpsn_auc, outside.bnsp_auc):
            return self._auc(metric, sides, code, group_is_positive=metric.compute is outside.bnsp_auc)
        if metric.compute is outside.pi:
            return self._pi(metric, sides, code)
        return None

    def _auc(self, metric: OwnMetric, sides: Sides, code: int, *, group_is_positive: bool) -> Way:
        numbers, term, gold = outside.with_gold(self.finest, code)
        kept = term < len(self._units)
        numbers, term, of_class = numbers[kept], term[kept], (gold[kept] == code) == group_is_positive
        terms = len(self._units)
        won = wins(numbers[of_class], term[of_class], numbers[~of_class], term[~of_class], terms=terms)
        rows = tuple(np.bincount(term[side], minlength=terms).astype(np.float64) for side in (of_class, ~of_class))

        def of_part(members: Floats) -> Floats:
            above = share_above(won, (rows[0], rows[1]), sides.own(members), sides.held_against(members))
            return over_groups(metric, 1 - above if group_is_positive else above)

        return AT_ONCE // (2 * terms * self.deals.groups), of_part

    def _pi(self, metric: OwnMetric, sides: Sides, code: int) -> Way:
        self.design.rate_counts(TPR)
        missed, found = self.counts.fn[:, :, code], self.counts.tp[:, :, code]

        def of_part(members: Floats) -> Floats:
            # (deals, sources, groups), with the sources of all deals one below the other
            dealt = [(members[:, sides.columns] @ counted.T).transpose(0, 2, 1) for counted in (missed, found)]
            shape = dealt[0].shape
            recovered = outside.of_the_others(share(dealt[1], dealt[0] + dealt[1]).reshape(-1, shape[2]))
            by_group = outside.recovered_share(dealt[0], recovered.reshape(shape), np.ones((1, shape[1])))
            return over_groups(metric, by_group[:, 0])

        return AT_ONCE // (4 * self.deals.groups * len(missed)), of_part

    def one_by_one(self, metric: AnyMetric, code: int) -> Floats:
        """By definition: the metric of the predictions with their terms in other groups, deal after deal."""
        return np.array([self._of_deal(metric, dealt, code) for dealt in self.deals.dealt])

    def _of_deal(self, metric: AnyMetric, dealt: Ints, code: int) -> float:
        design = self.design
        own = self.finest.predictions
        grouped = np.append(dealt, -1)[own.group]  # the last place is where the code of unperturbed sentences points to
        anew = replace(own, groups=design.predictions.groups, group=grouped)
        counts = None
        if design.counts_given is not None:
            members = np.eye(self.deals.groups)[dealt]
            counts = self.counts.each(lambda array: np.einsum("sut,ug->sgt", array, members))
        names = [design.names[column] for column in design.groups]
        other = Design(
            anew,
            groups=names if design.ordered or len(names) < len(design.predictions.groups) else None,
            background=design.background,
            counts=counts,
            weight=design.weight,
            sample=design.sample,
            seed=design.seed,
        )
        try:
            return float(prepared_metric(metric, other, code)(np.ones((1, other.shape[0]))).value[0])
        except Undefined:
            return float("nan")


def prepared_metric(metric: AnyMetric, design: Design, code: int) -> Prepared:
    """A metric for one class, ready to be weighed."""
    if isinstance(metric, OwnMetric):
        return metric.compute(metric, design, code)
    return (counterfactual_metric if metric.counterfactual else group_metric)(metric, design, code)


def _further(metric: AnyMetric, expected: float) -> Callable[[Floats], Floats]:
    """What counts as further out: on either side of what is expected where there are two, else away from the ideal."""
    if metric.signed:
        return lambda values: np.abs(values - expected)
    top = metric.range[1]
    return (lambda values: -values) if top is not None and metric.ideal == top else (lambda values: values)


def _accumulated(metric: Metric, compared: Floats, sides: Sides) -> Floats:
    """Values of (deals, sources, comparisons): first over sources, as the metric does."""
    return _value(metric, _mean_of_defined(compared), sides)


def _mean_of_defined(values: Floats) -> Floats:
    """Over the second axis."""
    defined = ~np.isnan(values)
    return share(np.where(defined, values, 0.0).sum(axis=1), defined.sum(axis=1))


def _value(metric: Metric, compared: Floats, sides: Sides) -> Floats:
    """Values of (deals, comparisons)."""
    if metric.shape == "PCM":
        return over_pairs(metric, compared, len(sides.columns))[1]
    return over_groups(metric, compared)

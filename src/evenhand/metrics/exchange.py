"""What a metric would be if groups were only labels: its value for many deals of the terms to groups of the same sizes.

A metric that adds up sizes is above zero for any system, however fair: chance puts the odd terms somewhere. Dealing the
terms anew shows how large that is here. Rows of a term stay together, and sources keep all their rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from evenhand.metrics import grids, outside
from evenhand.metrics.accumulate import over_groups, over_pairs
from evenhand.metrics.cells import Cells
from evenhand.metrics.comparisons import Among, OfSets
from evenhand.metrics.counterfactual import compared_columns, counterfactual_metric
from evenhand.metrics.counts import Counts, count_cells
from evenhand.metrics.deals import Deals, deals_of, members_of
from evenhand.metrics.dealt_pairs import HeldAlike, held_alike
from evenhand.metrics.dealt_sets import by_term, dealt_to, share_above, wins
from evenhand.metrics.design import Design, Prepared, Sides
from evenhand.metrics.excess import Excess
from evenhand.metrics.fewer import BUNDLES, MOST_ONE_BY_ONE, MOST_TERMS, bundled, some_rows
from evenhand.metrics.grids import MOST_ORDERED, Grid, cells_for
from evenhand.metrics.groupwise import compared_scores, compared_sets, group_metric, mean_scores, rate_scores
from evenhand.metrics.measurements import TermWithout
from evenhand.metrics.metric import UNPERTURBED, AnyMetric, Metric, OwnMetric
from evenhand.metrics.orders import Order
from evenhand.metrics.predictions import BETWEEN, Predictions
from evenhand.metrics.scores import TPR, Mean, Rate, Values
from evenhand.metrics.shares import share
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import placed
from evenhand.stats.types import ROUNDING, Floats, Ints

ExpectedPairs = Callable[[Cells], Floats]
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
    p_general: float | None = None
    """`p`, or that of the generalising test of what the metric is made of, whichever is larger."""
    why_not_general: str | None = None


class Exchange:
    """Deals of one attribute's terms, the same for every metric.

    `counted` are counts by term, as a group of its own each, for tasks whose matches are counted elsewhere.
    """

    def __init__(self, design: Design, *, draws: int, counted: tuple[Predictions, Counts] | None = None) -> None:
        self.design, self.draws = design, draws
        self._counted = counted
        self._parts: dict[int, Exchange] = {}

    def of(self, metric: AnyMetric, code: int, value: float) -> Exchangeable:
        """What the metric comes to for one class, beside its value."""
        try:
            some = self._some(metric, code)
            off = 0.0 if some is None else value - some.value(metric, code)
            values = self.values(metric, code) if some is None else some.values(metric, code) + off
        except Undefined as reason:
            return Exchangeable(undefined=str(reason))
        defined = values[~np.isnan(values)]
        if len(defined) < SHARE_DEFINED * len(values):
            return Exchangeable(undefined=f"fewer than {SHARE_DEFINED:.0%} of the deals have a value")
        tolerance = ROUNDING * max(1.0, float(np.abs(defined).max()))
        if np.ptp(np.append(defined, value)) <= tolerance:
            if abs(value - metric.ideal) <= tolerance:
                return Exchangeable(undefined=ALIKE)
            return Exchangeable(value, (value, value), 1.0, p_general=1.0)
        expected = float(defined.mean())
        low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        further = _further(metric, expected)
        as_far = int((further(defined) >= further(np.array([value]))[0] - tolerance).sum())
        # The true deal is one of those that chance could have made; where all are listed it is there already.
        own = 0 if self.deals.exact else 1
        p = (as_far + own) / (len(defined) + own)
        return self._in_general(metric, code, Exchangeable(expected, (float(low), float(high)), p))

    def _in_general(self, metric: AnyMetric, code: int, found: Exchangeable) -> Exchangeable:
        """With the p that other terms and sources have a part in, too."""
        if found.p is None:
            return found
        try:
            return replace(found, p_general=max(found.p, self.excess.p(metric, code)))
        except Undefined as reason:
            return replace(found, why_not_general=str(reason))

    def rests_on(self, metric: AnyMetric, code: int, value: float, expected: float) -> TermWithout | None:
        """The term without which at most half of the excess is left, and the value without it; None: there is none.

        Not for signed metrics, whose groups say more, nor where no terms, or no two deals at a time, can be looked at.
        """
        try:
            return self._resting(metric, code, value, expected)
        except Undefined:
            return None

    def _resting(self, metric: AnyMetric, code: int, value: float, expected: float) -> TermWithout | None:
        some = self._some(metric, code)
        if some is not None:
            off = value - some.value(metric, code)
            found = some.rests_on(metric, code, value - off, expected - off)
            return None if found is None else replace(found, without=found.without + off)
        way = self._way(metric, self.design.sides(metric), code)
        sampled = isinstance(metric, Metric) and isinstance(metric.d, Among) and metric.d.expected_tuples is None
        if way is None or sampled or metric.signed or self._bundled:
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

    def value(self, metric: AnyMetric, code: int) -> float:
        """The metric's value for the true deal."""
        return float(prepared_metric(metric, self.design, code)(self.design.once).value[0])

    def _some(self, metric: AnyMetric, code: int) -> Exchange | None:
        """Deals of the terms in a part of so many rows; None: all are looked at.

        What is compared within sources is a mean over them, so that some of the sources show what deals do to it: their
        value, less that of the true deal. Sums over all rows need no part of them.
        """
        if not self.design.coarse or not metric.counterfactual or self._counted is not None:
            return None
        sides = self.design.sides(metric)
        if sides.kind == UNPERTURBED:
            raise Undefined(NOT_OF_GROUPS)
        some = self._part_of(MOST_ORDERED)
        slow = some._way(metric, some.design.sides(metric), code) is None
        return self._part_of(MOST_ONE_BY_ONE) if slow else some

    @property
    def designs(self) -> list[Design]:
        """The designs of terms that have been made."""
        return [self.__dict__["finest"]] if "finest" in self.__dict__ else []

    def _part_of(self, rows: int) -> Exchange:
        if rows not in self._parts:
            design = self.design
            names = [design.names[column] for column in design.groups]
            some = Design(
                some_rows(design.predictions, rows, seed=design.seed),
                groups=names if design.ordered or len(names) < len(design.predictions.groups) else None,
                background=design.background,
                weight=design.weight,
                sample=design.sample,
                seed=design.seed,
            )
            self._parts[rows] = Exchange(some, draws=self.draws)
        return self._parts[rows]

    @cached_property
    def deals(self) -> Deals:
        """The terms, dealt."""
        terms = [name.split(BETWEEN, 1)[1] for name in self._units]
        return deals_of(self.true, terms, draws=self.draws, seed=self.design.seed)

    @cached_property
    def true(self) -> Ints:
        """The group that each term is in."""
        return self._groups_of(self._units)

    def _groups_of(self, units: list[str]) -> Ints:
        return placed((name.split(BETWEEN, 1)[0] for name in units), self.design.names)

    @cached_property
    def _units(self) -> list[str]:
        """Each term (or bundle of terms) as a group of its own, by group and name."""
        return self._by_group(self._finer)

    def _by_group(self, finer: Predictions) -> list[str]:
        by_group: dict[str, list[str]] = {}
        for name in sorted(finer.groups):
            by_group.setdefault(name.split(BETWEEN, 1)[0], []).append(name)
        return [name for group in self.design.predictions.groups for name in by_group.get(group, [])]

    @cached_property
    def _by_term(self) -> Predictions:
        return self.design.predictions.by_term() if self._counted is None else self._counted[0]

    @cached_property
    def _finer(self) -> Predictions:
        return bundled(self._by_term, most=BUNDLES, seed=self.design.seed) if self._bundled else self._by_term

    @property
    def _bundled(self) -> bool:
        """Whether there are so many terms that bundles of them are dealt."""
        return self._counted is None and len(self._by_term.groups) > MOST_TERMS

    @cached_property
    def finest(self) -> Design:
        """The same rows with each term as a group: all that deals are sums of."""
        counts = None if self._counted is None else self._counted[1]
        return Design(self._finer, groups=self._units, counts=counts, seed=self.design.seed)

    @cached_property
    def excess(self) -> Excess:
        """The generalising test of what metrics are made of."""
        if not self._bundled:
            return Excess(self.design, self.finest, self.true)
        units = self._by_group(self._by_term)
        finest = Design(self._by_term, groups=units, seed=self.design.seed)
        return Excess(self.design, finest, self._groups_of(units))

    @cached_property
    def counts(self) -> Counts:
        """By term and class, (1, terms, classes)."""
        terms = len(self._units)
        if self.finest.counts_given is not None:
            return self.finest.counts.each(lambda array: array[:, :terms].sum(axis=0, keepdims=True))
        if self.design.counts_given is not None:
            raise Undefined(NOT_BY_TERM)
        found = count_cells(self.finest.predictions, self.finest.column, shape=(1, self.finest.shape[1]))
        return found.each(lambda array: array[:, :terms])

    def cells(self, phi: Values, code: int) -> Cells:
        """Numbers by source (or position) and term, without those of unperturbed sentences."""
        cells = self.finest.cells(phi, code)
        terms = len(self._units)
        kept = cells.column < terms
        shape = (cells.shape[0], terms)
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
            by_term = self.counts
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
        part, whole = (sums[:terms] for sums in self.finest.sums(phi, code))
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
        terms = len(self._units)
        if self.design.coarse:
            return self._sets_on_grid(metric, d, order, term, sides)
        if (term >= terms).any():
            return None
        if d.dealt_wins:
            number = np.bincount(term, minlength=terms).astype(np.float64)
            won = wins(order.numbers, term, order.numbers, term, terms=terms)
            return AT_ONCE // (2 * terms * self.deals.groups), lambda members: self._won(metric, won, number, members)
        dealt = d.dealt

        def of_part(members: Floats) -> Floats:
            compared = dealt(order, term, members, sides.own, sides.held_against)
            return compared_sets(metric, compared, len(sides.columns))[1]

        return AT_ONCE // (len(term) * self.deals.groups), of_part

    def _won(self, metric: Metric, won: Floats, number: Floats, members: Floats) -> Floats:
        """From how many pairs of rows each term wins against each."""
        sides = self.design.sides(metric)
        compared = 0.5 - share_above(won, (number, number), sides.own(members), sides.held_against(members))
        return compared_sets(metric, compared, len(sides.columns))[1]

    def _sets_on_grid(self, metric: Metric, d: OfSets, order: Order, term: Ints, sides: Sides) -> Way | None:
        if d.on_grid is None:
            return None
        compare, terms = d.on_grid, len(self._units)
        chosen = np.flatnonzero(term < terms)
        grid = Grid(order, cells_for(terms, 1))
        once, areas = np.zeros_like(chosen), d.moved_on_grid is not None
        held = grid.held(term[chosen], once, rows=terms, columns=1, areas=areas, chosen=chosen)
        held = held.changed(lambda of: of[:, 0])

        def of_part(members: Floats) -> Floats:
            dealt = held.changed(lambda of: members @ of)
            compared = compare(grid, dealt.changed(sides.own), dealt.changed(sides.held_against))
            return compared_sets(metric, compared, len(sides.columns))[1]

        return AT_ONCE // (self.deals.groups * max(terms, 4 * len(grid))), of_part

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
        return self._pairs(metric, metric.d.expected_pairs, cells, sides, by_position=by_position)

    def _source_means(self, metric: Metric, phi: Mean, sides: Sides, code: int) -> Way | None:
        d = metric.d
        if isinstance(d, Among | OfSets):
            return None
        terms = len(self._units)
        part, whole = (sparse.csr_array(sums[:, :terms]) for sums in self.finest.source_sums(phi, code))
        first, second = compared_columns(metric, sides)

        def of_part(members: Floats) -> Floats:
            scores = share(dealt_to(part, members), dealt_to(whole, members))
            return _accumulated(metric, d.of(scores[:, first], scores[:, second]).transpose(0, 2, 1), sides)

        return AT_ONCE // (self.deals.groups * (terms + part.shape[0])), of_part

    def _tuples(self, d: Among, cells: Cells, sides: Sides, *, by_position: bool) -> Way | None:
        if d.dealt_in_sources is None or (d.expected_tuples is None and not (cells.sizes == 1).all()):
            return None
        dealt, positions = d.dealt_in_sources, self.finest.positions
        sizes = sparse.csr_array(cells.sizes)

        def of_part(members: Floats) -> Floats:
            complete = (dealt_to(sizes, members[:, sides.columns]) > 0).all(axis=1)
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
        sizes = sparse.csr_array(cells.sizes)

        def of_part(members: Floats) -> Floats:
            there = dealt_to(sizes, members) > 0
            both = (there[:, first] & there[:, second]).transpose(0, 2, 1)
            return _accumulated(metric, np.where(both, dealt(cells, members, first, second), np.nan), sides)

        longest = int(cells.sizes.sum(axis=1).max())
        return AT_ONCE // (8 * self.deals.groups * longest), of_part

    def _pairs(
        self, metric: Metric, expected_pairs: ExpectedPairs, cells: Cells, sides: Sides, *, by_position: bool
    ) -> Way | None:
        """From what two terms come to in each source. Sources that hold the same terms are taken together: a mean over
        their pairs is a mean over sources."""
        positions = self.finest.positions if by_position else None
        kinds = held_alike(cells, expected_pairs, None if positions is None else positions.source)
        if kinds is None:
            return None
        first, second = compared_columns(metric, sides)

        def of_part(members: Floats) -> Floats:
            compared = np.zeros((len(members), len(first)))
            weight = np.zeros_like(compared)
            for kind in kinds:
                for part in kind.parts(AT_ONCE // (len(members) * members.shape[1])):
                    _add_pairs(part, members, first, second, compared, weight)
            return _value(metric, share(compared, weight), sides)

        return AT_ONCE // (3 * self.deals.groups * cells.sizes.shape[1]), of_part

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
        if self.design.coarse:
            order = Order(numbers)
            grid = Grid(order, cells_for(terms, 2))
            side = np.asarray(~of_class[order.places], dtype=np.int64)
            held = grid.held(term[order.places], side, rows=terms, columns=2, areas=False).numbers
            won = grids.wins(held[:, 0], held[:, 1])
        else:
            won = wins(numbers[of_class], term[of_class], numbers[~of_class], term[~of_class], terms=terms)
        rows = tuple(np.bincount(term[side], minlength=terms).astype(np.float64) for side in (of_class, ~of_class))

        def of_part(members: Floats) -> Floats:
            above = share_above(won, (rows[0], rows[1]), sides.own(members), sides.held_against(members))
            return over_groups(metric, 1 - above if group_is_positive else above)

        return AT_ONCE // (2 * terms * self.deals.groups), of_part

    def _pi(self, metric: OwnMetric, sides: Sides, code: int) -> Way:
        self.design.rate_counts(TPR)
        missed, found = self._missed_and_found(code)

        def of_part(members: Floats) -> Floats:
            # (deals, sources, groups), with the sources of all deals one below the other
            dealt = [dealt_to(counted, members[:, sides.columns]).transpose(0, 2, 1) for counted in (missed, found)]
            shape = dealt[0].shape
            recovered = outside.of_the_others(share(dealt[1], dealt[0] + dealt[1]).reshape(-1, shape[2]))
            by_group = outside.recovered_share(dealt[0], recovered.reshape(shape), np.ones((1, shape[1])))
            return over_groups(metric, by_group[:, 0])

        return AT_ONCE // (4 * self.deals.groups * missed.shape[0]), of_part

    def _missed_and_found(self, code: int) -> tuple[sparse.csr_array, sparse.csr_array]:
        """By source and term: examples of the class that are taken for another, and those that are not."""
        terms = len(self._units)
        if self.finest.counts_given is not None:
            counts = self.finest.counts
            return sparse.csr_array(counts.fn[:, :terms, code]), sparse.csr_array(counts.tp[:, :terms, code])
        if self.design.counts_given is not None:
            raise Undefined(NOT_BY_TERM)
        predictions, column = self.finest.predictions, self.finest.column
        if predictions.predicted is None or predictions.gold is None:
            raise Undefined("pi needs gold and predicted classes")
        size = len(predictions.sources), terms
        here = (predictions.gold == code) & (column < terms)
        right = predictions.predicted == code
        missed, found = (
            by_term(predictions.source[rows], column[rows], shape=size) for rows in (here & ~right, here & right)
        )
        return missed, found

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
            if self.finest.counts_given is None:
                raise Undefined(NOT_BY_TERM)
            by_term = self.finest.counts.each(lambda array: array[:, : len(self._units)])
            counts = by_term.each(lambda array: np.einsum("sut,ug->sgt", array, members))
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
            return float(prepared_metric(metric, other, code)(other.once).value[0])
        except Undefined:
            return float("nan")


def _add_pairs(kind: HeldAlike, members: Floats, first: Ints, second: Ints, compared: Floats, weight: Floats) -> None:
    """Add what sources hold, each times as often as there are alike, to the comparisons of every deal."""
    here = members[:, :, kind.terms].transpose(2, 0, 1, 3)  # (kinds, deals, groups, terms)
    rows = here @ kind.sizes[:, None, :, None]
    held = (here.reshape(len(here), -1, here.shape[3]) @ kind.sums).reshape(here.shape)
    for place, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        pairs = (rows[:, :, one] * rows[:, :, other])[:, :, 0]
        total = np.einsum("pdt,pdt->pd", held[:, :, one], here[:, :, other])
        compared[:, place] += kind.times @ np.divide(total, pairs, out=np.zeros_like(total), where=pairs != 0)
        weight[:, place] += kind.times @ (pairs > 0)


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

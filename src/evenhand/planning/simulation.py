"""Systems with given spreads, asked about more and more names: what the generalising test would rest on.

Only sums are drawn: each name's mean, and of all the rest what the names of a wave have in common. That is exact for
normal spreads, and a hundred times faster than drawing every score. The true gap is zero throughout; another one only
moves the estimates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.contrasts import Floats, Ints
from evenhand.planning.designs import Design, Grouped
from evenhand.planning.spreads import Spreads
from evenhand.stats.components import FEWEST_TO_SUBTRACT, Part, persons_variance, satterthwaite
from evenhand.stats.types import Bools

MOST_LEVELS = 30
"""As in audits: of a grouping with more levels, none carries a verdict alone."""
FARTHEST_OUT = 3
"""How many families are left out at each end: one of those that move an estimate most carries a verdict, if any."""
TEMPLATE, WORD = 0, 1
"""The groupings that names react to, and that the gap differs by."""


@dataclass(frozen=True)
class Estimated:
    """Estimates with their standard errors and degrees of freedom, one for each simulated system."""

    estimate: Floats
    error: Floats
    df: Floats


@dataclass(frozen=True)
class Reached:
    """What so many names show of each system: with all of them, and without those that matter most, one by one."""

    names: int
    whole: Estimated
    rest: Floats
    """The variance that more names would not shrink."""
    without: tuple[Estimated, ...]
    """Without the family of each stratum that lies farthest up and down, and without each template."""


def expected_variances(design: Design, spreads: Spreads) -> tuple[float, float]:
    """Of the gap, with one name in each stratum: what names add, and what they do not (templates and words)."""
    every = np.full(design.sources, 1 / design.sources)
    per_name = spreads.names**2 + float(every @ _reactions(design, spreads) @ every)
    shared = _shared(design, spreads)
    rest = sum(_between(one, shared) for one in design.groupings)
    return float((design.coefficients**2).sum()) * per_name, rest


def _between(grouping: Grouped, shared: Floats) -> float:
    """What is expected of the variance of the gap between the groups of one grouping."""
    weights, of_groups = grouping.weights, grouping.averaging @ shared @ grouping.averaging.T
    if len(weights) < 2:
        return 0.0
    concentration = float(weights @ weights)
    spread = float(weights @ np.diag(of_groups) - weights @ of_groups @ weights)
    return concentration / (1 - concentration) * spread


def _reactions(design: Design, spreads: Spreads) -> Floats:
    """The covariance of a name's answers in the sources, beside what the name is worth everywhere."""
    return spreads.noise**2 * np.eye(design.sources) + spreads.name_template**2 * _alike(design, TEMPLATE)


def _shared(design: Design, spreads: Spreads) -> Floats:
    """The covariance of the gaps in the sources."""
    return spreads.template**2 * _alike(design, TEMPLATE) + spreads.word**2 * _alike(design, WORD)


def _alike(design: Design, place: int) -> Floats:
    """Which sources have the same template or word; where words are not known, each source has its own."""
    if place >= len(design.groupings):
        return np.eye(design.sources)
    of_source = design.groupings[place].of_source
    return np.asarray(of_source[:, None] == of_source[None, :], dtype=np.float64)


def reached(
    design: Design, spreads: Spreads, names: Sequence[int], *, systems: int, rng: np.random.Generator
) -> Iterator[Reached]:
    """Ask so many systems about growing numbers of names."""
    strata, most = len(design.coefficients), max(names)
    reactions = _reactions(design, spreads)
    every = np.full(design.sources, 1 / design.sources)
    of_mean = float(every @ reactions @ every)
    gaps = _drawn(_shared(design, spreads), (systems,), rng)
    own = rng.normal(0, spreads.names, size=(strata, most, systems))
    answers = rng.normal(0, np.sqrt(of_mean), size=(strata, most, systems))
    own += answers
    towards = reactions @ every / of_mean if of_mean else np.zeros(design.sources)
    total = np.zeros((strata, design.sources, systems))
    residual = [np.zeros((strata, systems)) for _ in design.groupings]
    before = 0
    for number in sorted(set(names)):
        added = number - before
        # What a wave's names do in each source, given what they do on average.
        block = np.sqrt(added) * _drawn(reactions, (strata, systems), rng)
        mean = answers[:, before:number].sum(axis=1)
        total += block + towards[None, :, None] * (mean - np.einsum("j,sjr->sr", every, block))[:, None]
        for place, one in enumerate(design.groupings):
            residual[place] += _residual(one, reactions, names=added, shape=(strata, systems), rng=rng)
        before = number
        by_source = total + own[:, :number].sum(axis=1)[:, None] - answers[:, :number].sum(axis=1)[:, None]
        yield _reached(design, number, own[:, :number], by_source / number, gaps, residual)


def _drawn(covariance: Floats, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Normal values of the sources with this covariance: (*shape[:-1], sources, systems)."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(root @ rng.normal(size=(*shape[:-1], len(root), shape[-1])))


def _residual(
    grouping: Grouped, reactions: Floats, *, names: int, shape: tuple[int, int], rng: np.random.Generator
) -> Floats:
    """What names add to Σ weight²/(1 − weight)·(own reaction to a group)², as scaled chi-squares."""
    weights = grouping.weights
    if len(weights) < 2:
        return np.zeros(shape)
    expected, freedom = _own_reactions(grouping, reactions)
    if not expected:
        return np.zeros(shape)
    return np.asarray(expected / freedom * rng.chisquare(freedom * names, size=shape))


def _own_reactions(grouping: Grouped, reactions: Floats) -> tuple[float, float]:
    """What one name is expected to add to that sum, and its degrees of freedom."""
    weights = grouping.weights
    of_groups = grouping.averaging @ reactions @ grouping.averaging.T
    centring = np.eye(len(weights)) - weights[None, :]
    apart = centring @ of_groups @ centring.T
    scaled = np.sqrt(np.outer(weights**2 / (1 - weights), weights**2 / (1 - weights))) * apart
    expected = float(np.trace(scaled))
    return expected, expected**2 / max(float((scaled**2).sum()), 1e-300)


def _reached(
    design: Design, names: int, means: Floats, by_source: Floats, gaps: Floats, residual: Sequence[Floats]
) -> Reached:
    weights = design.coefficients
    sizes = np.full(len(weights), names)
    centred = means - means.mean(axis=1, keepdims=True)
    people = _People.of(design, names, centred)
    gap_of = np.einsum("s,sjr->jr", weights, by_source) + gaps
    everything = np.ones(design.sources, dtype=bool)
    interactions = [_interaction(weights, people.numbers, sizes, one) for one in residual]
    between = _by_groupings(design, gap_of, interactions, everything)
    estimate = gap_of.mean(axis=0)
    whole, persons = _estimated(design, estimate, people.squares, people.numbers, sizes, between)
    without = [
        _estimated(design, estimate + moved, squares, numbers, left, between, strict=False)[0]
        for moved, squares, numbers, left in people.left_out(design, sizes)
    ]
    for one in design.groupings:
        if 3 <= len(one.weights) <= MOST_LEVELS:
            for group in range(len(one.weights)):
                kept = one.of_source != group
                part = _by_groupings(design, gap_of[kept], interactions, kept)
                moved = gap_of[kept].mean(axis=0)
                without.append(_estimated(design, moved, people.squares, people.numbers, sizes, part)[0])
    return Reached(names, whole, np.maximum(whole.error**2 - persons, 0.0), tuple(without))


def _interaction(coefficients: Floats, numbers: Ints, sizes: Ints, residual: Floats) -> Floats:
    """What names' own reactions put into the variance between groups; they lie around the mean of their stratum."""
    factor = coefficients**2 * numbers / np.maximum(numbers - 1, 1) / sizes**2 * (sizes - 1) / sizes
    return np.asarray(np.einsum("s,sr->r", factor, residual))


def _by_groupings(design: Design, gap_of: Floats, interactions: Sequence[Floats], kept: Bools) -> list[Part]:
    """What templates and words add to the variance, with their degrees of freedom, as the generalising test has it."""
    found: list[Part] = []
    for grouping, interaction in zip(design.groupings, interactions, strict=True):
        left = grouping if kept.all() else grouping.only(kept)
        weights = left.weights
        if len(weights) < 2:
            continue
        gaps = left.averaging @ gap_of
        concentration = float(weights @ weights)
        between = concentration * (weights @ (gaps - weights @ gaps) ** 2) / (1 - concentration)
        less = between
        if len(weights) >= FEWEST_TO_SUBTRACT:
            less = np.maximum(between - interaction * len(grouping.weights) / len(weights), 0.0)
        found.append(Part(less, 1 / concentration - 1, seen=between))
    return found


def _estimated(
    design: Design,
    estimate: Floats,
    squares: Floats,
    numbers: Ints,
    sizes: Ints,
    between: list[Part],
    *,
    strict: bool = True,
) -> tuple[Estimated, Floats]:
    """The estimate with its error, and the names' part of the variance."""
    by_stratum, parts, _ = persons_variance(
        squares,
        numbers,
        sizes=sizes,
        coefficients=design.coefficients,
        pairs=np.zeros(len(numbers), dtype=bool),
        rest=design.rest,
        strict=strict,
    )
    every = [*parts, *between]
    variance = np.sum([part.variance for part in every], axis=0)
    return Estimated(estimate, np.sqrt(variance), satterthwaite(every, variance)), by_stratum.sum(axis=0)


@dataclass(frozen=True)
class _People:
    """Each stratum's families: their summed distances from its mean, and how many names each has there."""

    sums: tuple[Floats, ...]
    members: tuple[Ints, ...]
    families: tuple[Ints, ...]
    """The number of each family, which is the same in every stratum."""
    squares: Floats
    numbers: Ints

    @classmethod
    def of(cls, design: Design, names: int, centred: Floats) -> _People:
        sums, members, families = [], [], []
        for stratum, family in enumerate(design.families):
            of_name = family[:names]
            if len(set(of_name.tolist())) == 1:
                of_name = np.arange(names)  # a stratum of one family says nothing of families
            known, number = np.unique(of_name, return_inverse=True)
            order = np.argsort(number, kind="stable")
            starts = np.flatnonzero(np.diff(number[order], prepend=-1))
            sums.append(np.add.reduceat(centred[stratum][order], starts, axis=0))
            members.append(np.bincount(number))
            families.append(known)
        squares = np.stack([(one**2).sum(axis=0) for one in sums])
        numbers = np.array([len(one) for one in members])
        return cls(tuple(sums), tuple(members), tuple(families), squares, numbers)

    def left_out(self, design: Design, sizes: Ints) -> Iterator[tuple[Floats, Floats, Ints, Ints]]:
        """Without one of the families that move the estimate most, up and down, wherever it has names: by how much the
        estimate moves, and what is left: squares, families and names."""
        if self.numbers.min() < 3:
            return
        moved = np.zeros((max(int(one.max()) for one in self.families) + 1, self.squares.shape[1]))
        shifts = []
        for stratum, (sums, members, known) in enumerate(zip(self.sums, self.members, self.families, strict=True)):
            shifts.append(-sums / (sizes[stratum] - members)[:, None])
            moved[known] += design.coefficients[stratum] * shifts[-1]
        order = np.argsort(moved, axis=0) if len(moved) <= 2 * FARTHEST_OUT else _ends(moved)
        for chosen in order:
            yield self._without(chosen, moved, shifts, sizes)

    def _without(
        self, chosen: Ints, moved: Floats, shifts: Sequence[Floats], sizes: Ints
    ) -> tuple[Floats, Floats, Ints, Ints]:
        """Without one family of each system."""
        there = np.arange(len(chosen))
        squares, numbers, left = self.squares.copy(), self.numbers.copy(), sizes.copy()
        for stratum, known in enumerate(self.families):
            place = np.full(len(moved), -1)
            place[known] = np.arange(len(known))
            local = place[chosen]
            present = local >= 0
            if not present.any():
                continue
            members, sums = self.members[stratum], self.sums[stratum]
            size = np.where(present, members[local], 0)
            gone = np.where(present, sums[local, there], 0.0)
            shift = np.where(present, shifts[stratum][local, there], 0.0)
            # Those who are left lie around a mean that has moved.
            weighted = members @ sums - size * gone
            around = squares[stratum] - gone**2 - 2 * shift * weighted
            around += shift**2 * (float((members**2).sum()) - size**2)
            # Sizes are the same for all systems; where another number is left, the variance of the mean is put right.
            one_less = sizes[stratum] - 1
            factor = np.where(present, 1.0, _kept(int(self.numbers[stratum]), int(sizes[stratum])))
            squares[stratum] = (
                np.maximum(around, 0.0) * factor * np.where(present, (one_less / (sizes[stratum] - size)) ** 2, 1.0)
            )
            numbers[stratum] -= 1
            left[stratum] = one_less
        return moved[chosen, there], squares, numbers, left


def _kept(families: int, size: int) -> float:
    """What undoes, for a stratum that is still whole, that it is counted as one without a family and a name."""
    return families / (families - 1) * (families - 2) / (families - 1) * ((size - 1) / size) ** 2


def _ends(moved: Floats) -> Ints:
    """The families that move each system's estimate most, down and up."""
    # By rows of a copy, which lie together in memory: three times as fast as by columns.
    parted = np.argpartition(np.ascontiguousarray(moved.T), (FARTHEST_OUT - 1, len(moved) - FARTHEST_OUT), axis=1).T
    return np.concatenate([parted[:FARTHEST_OUT], parted[-FARTHEST_OUT:]])

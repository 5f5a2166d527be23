"""Least squares over persons, with standard errors that hold for other persons, templates and words too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.stats.components import FEWEST_TO_SUBTRACT, Components, GroupedMeans, Part, satterthwaite
from evenhand.stats.types import ROUNDING, Floats, Ints

KNOTS = (0.05, 0.35, 0.65, 0.95)
"""Where a curve may bend, as quantiles of what it runs along (Harrell, Regression Modeling Strategies, 2015)."""


def regressed(
    groupings: Sequence[GroupedMeans], design: Floats, counts: Floats, *, cluster: Ints, scale: Floats
) -> Components:
    """Estimate `counts` · β of the least squares of the units' means on `design`, and how it would vary.

    The estimate is Σ w·y with w = X(X'X)⁻¹·counts, whatever y is: so the persons' part of its variance comes from the
    residuals, cluster by cluster, with the correction for leverage of Bell and McCaffrey (2002; "CR2") and its degrees
    of freedom; where the design is the groups alone and nobody has company in a cluster, this is Σ c²·var/n. A
    grouping of the cells adds the variance of the same estimate between its groups, less what the persons' own
    reactions to those groups put into it, as in `variance_components`. Degrees of freedom follow Satterthwaite.

    The slope of 1, 3, 2 on 0, 1, 2 is one half:

    >>> design = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> means = GroupedMeans(np.array([1.0, 3.0, 2.0]).reshape(3, 1, 1), np.ones(1))
    >>> line = regressed([means], design, np.array([0.0, 1.0]), cluster=np.arange(3), scale=np.ones(1))
    >>> line.estimate.round(9).tolist()
    [0.5]
    """
    unit_means = groupings[0].unit_means
    by_person = _ByPerson(design, counts, cluster)
    estimate = by_person.weights @ unit_means
    persons = by_person.variance(unit_means)
    parts = [Part(persons, by_person.degrees_of_freedom)]
    drawn_anew = [persons]
    for grouping in groupings:
        between, less_persons, freedom = _between_groups(grouping, by_person)
        drawn_anew.append(between)
        if len(grouping.weights) > 1:
            parts.append(Part(less_persons, freedom, seen=between))
    variance = np.sum([part.variance for part in parts], axis=0)
    flat = np.sqrt(variance) <= ROUNDING * scale * max(1.0, float(np.abs(by_person.weights).sum()))
    df = satterthwaite(parts, np.where(flat, 0.0, variance))
    kept = np.where(flat, 0.0, persons)
    return Components(
        estimate=np.where(flat & (np.abs(estimate) <= ROUNDING * scale), 0.0, estimate),
        variance=np.where(flat, 0.0, variance),
        degrees_of_freedom=df,
        persons=kept,
        persons_if_matched=kept,
        pairs=np.zeros_like(kept),
        pooled=False,
        unit_means=unit_means,
        unit_weights=np.repeat(by_person.weights[:, None], unit_means.shape[1], axis=1),
        drawn_anew=np.array(drawn_anew),
    )


def inflation(design: Floats, counts: Floats, *, plain: Floats, plain_counts: Floats) -> float:
    """How many times larger the variance of an estimate is than that of the same one from a plainer design, if all
    units vary alike: what it costs to allow for the rest of the design.

    >>> group, other = np.repeat([1.0, 0.0], 2), np.array([1.0, 0.0, 1.0, 0.0])
    >>> plain = np.stack([group, 1 - group], axis=1)
    >>> difference = np.array([1.0, -1.0])
    >>> full = np.column_stack([plain, other])
    >>> inflation(full, np.append(difference, 0.0), plain=plain, plain_counts=difference)
    1.0
    """
    one, other = _weights(design, counts), _weights(plain, plain_counts)
    return round(float(one @ one) / float(other @ other), 9)


def can_be_told_apart(design: Floats) -> bool:
    """Whether no column of a design follows from the others, and units are left to see how persons vary by."""
    units, columns = design.shape
    return bool(units > columns and np.linalg.matrix_rank(_scaled(design)) == columns)


def curve(values: Floats, knots: Floats) -> Floats:
    """The columns of a curve along values: straight beyond the first and the last knot, smooth between them; with three
    knots or fewer distinct ones it is a straight line.

    >>> curve(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 3.0])).shape
    (4, 3)
    """
    bends = np.unique(knots)
    if len(bends) < len(KNOTS):
        return np.asarray(values[:, None], dtype=np.float64)
    last, before = bends[-1], bends[-2]

    def cubed(at: float) -> Floats:
        return np.asarray(np.maximum(values - at, 0.0) ** 3)

    unit = (last - bends[0]) ** 2
    bent = [
        (
            cubed(knot)
            - cubed(before) * (last - knot) / (last - before)
            + cubed(last) * (before - knot) / (last - before)
        )
        / unit
        for knot in bends[:-2]
    ]
    return np.column_stack([values, *bent])


def clusters(stratum: Ints, family: Ints | None) -> Ints:
    """The cluster of each unit: its family within its stratum; everybody on their own where a stratum is one family."""
    alone = np.arange(len(stratum))
    if family is None:
        return alone
    mine = family.copy()
    for one in np.unique(stratum):
        members = stratum == one
        if len(np.unique(family[members])) < 2:
            mine[members] = family.max() + 1 + alone[members]
    return np.unique(np.stack([stratum, mine]), axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _scaled(design: Floats) -> Floats:
    """Columns of length one, so that units of measurement do not matter."""
    return np.asarray(design / np.maximum(np.linalg.norm(design, axis=0), np.finfo(float).tiny))


def _weights(design: Floats, counts: Floats) -> Floats:
    """What each unit's mean counts in the estimate."""
    inverse = np.linalg.pinv(design)
    return np.asarray(counts @ inverse)


class _ByPerson:
    """An estimate as a sum over units, and the variance that other persons would give it (Bell and McCaffrey)."""

    def __init__(self, design: Floats, counts: Floats, cluster: Ints) -> None:
        self.weights = _weights(design, counts)
        # An orthonormal basis of what the design can express: residuals are y less its projection on it.
        left, sizes, _ = np.linalg.svd(_scaled(design), full_matrices=False)
        self._basis = left[:, sizes > ROUNDING * sizes.max()]
        self._cluster = np.unique(cluster, return_inverse=True)[1].reshape(-1)
        self._adjusted = self._adjusted_weights()

    def _adjusted_weights(self) -> Floats:
        """The weights over the square root of what leverage leaves of a cluster's residuals."""
        adjusted = np.zeros_like(self.weights)
        sizes = np.bincount(self._cluster)
        leverage = (self._basis**2).sum(axis=1)
        left = 1 - leverage
        usable = left > ROUNDING
        alone = sizes[self._cluster] == 1
        adjusted[alone & usable] = self.weights[alone & usable] / np.sqrt(left[alone & usable])
        for number in np.flatnonzero(sizes > 1):
            members = self._cluster == number
            mine = self._basis[members]
            values, vectors = np.linalg.eigh(np.eye(len(mine)) - mine @ mine.T)
            roots = np.where(values > ROUNDING, 1 / np.sqrt(np.maximum(values, ROUNDING)), 0.0)
            adjusted[members] = vectors @ (roots * (vectors.T @ self.weights[members]))
        return adjusted

    def variance(self, values: Floats) -> Floats:
        """Of the estimate from each column of values (units, columns)."""
        residuals = values - self._basis @ (self._basis.T @ values)
        sums = np.zeros((self._cluster.max() + 1, values.shape[1]))
        np.add.at(sums, self._cluster, self._adjusted[:, None] * residuals)
        return np.asarray((sums**2).sum(axis=0))

    @property
    def degrees_of_freedom(self) -> float:
        """Those of the variance, if all units varied alike and on their own."""
        number = self._cluster.max() + 1
        own = np.bincount(self._cluster, weights=self._adjusted**2, minlength=number)
        shared = np.zeros((number, self._basis.shape[1]))
        np.add.at(shared, self._cluster, self._adjusted[:, None] * self._basis)
        lengths = (shared**2).sum(axis=1)
        trace = own.sum() - lengths.sum()
        squared = (own**2).sum() - 2 * (own * lengths).sum() + ((shared.T @ shared) ** 2).sum()
        return float(trace**2 / squared) if squared > 0 else np.nan


def _between_groups(grouping: GroupedMeans, by_person: _ByPerson) -> tuple[Floats, Floats, float]:
    """The variance of the estimate between groups, the same less what persons put into it, and its freedom."""
    weights, means = grouping.weights, grouping.means
    units, groups, columns = means.shape
    if groups < 2:
        return np.zeros(columns), np.zeros(columns), np.nan
    concentration = float(weights @ weights)
    estimates = np.einsum("u,ugk->gk", by_person.weights, means)
    between = concentration * (weights @ (estimates - weights @ estimates) ** 2) / (1 - concentration)
    freedom = 1 / concentration - 1
    if groups < FEWEST_TO_SUBTRACT:
        return between, between, freedom
    own = means - grouping.unit_means[:, None, :]
    of_groups = by_person.variance(own.reshape(units, groups * columns)).reshape(groups, columns)
    interaction = (weights**2 / (1 - weights)) @ of_groups
    return between, np.maximum(between - interaction, 0.0), freedom

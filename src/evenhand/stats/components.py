"""The generalising test: persons, templates and words as samples, by variance components with strata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.stats.types import ROUNDING, Bools, Floats, Ints

FEWEST_FOR_OWN_VARIANCE = 5


@dataclass(frozen=True)
class GroupedMeans:
    """Every unit's mean in every group of one grouping of the cells: `means` is (units, groups, columns)."""

    means: Floats
    weights: Floats
    """The share of the cells in each group."""


@dataclass(frozen=True)
class Components:
    """The estimate and where its variance comes from; one number per column."""

    estimate: Floats
    variance: Floats
    degrees_of_freedom: Floats
    """NaN where the variance is zero."""
    persons: Floats
    """The persons' part of the variance: what more persons would shrink."""
    persons_if_matched: Floats
    """The same, had each stratum's two sides the same number of persons."""
    pooled: bool
    """Whether the strata share one variance between persons, because some have too few to show their own."""
    unit_means: Floats
    """Every unit's mean over all cells: (units, columns)."""

    @property
    def standard_error(self) -> Floats:
        """The square root of the variance."""
        return np.sqrt(self.variance)

    @property
    def too_thin(self) -> Bools:
        """Where less than one degree of freedom is left: then nothing can be said with any confidence."""
        return np.asarray((self.variance > 0) & (self.degrees_of_freedom < 1), dtype=np.bool_)

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The interval of that level; without variance it is the estimate itself, NaN if too thin."""
        certain = self.variance == 0
        df = np.where(certain, 1.0, self.degrees_of_freedom)
        margin = np.where(certain, 0.0, special.stdtrit(df, (1 + level) / 2) * self.standard_error)
        margin = np.where(self.too_thin, np.nan, margin)
        return self.estimate - margin, self.estimate + margin

    def p(self) -> Floats:
        """Two-sided; without variance, 1 for an estimate of zero and 0 for any other; NaN if too thin."""
        return two_sided_p(self.estimate, self.variance, self.degrees_of_freedom)


def two_sided_p(estimate: Floats, variance: Floats, degrees_of_freedom: Floats) -> Floats:
    """Of estimates with these variances; without variance, 1 for zero and 0 for any other; NaN below one degree of
    freedom."""
    certain = variance == 0
    t = np.divide(estimate, np.sqrt(variance), out=np.zeros_like(estimate), where=~certain)
    tested = 2 * special.stdtr(np.where(certain, 1.0, degrees_of_freedom), -np.abs(t))
    p = np.where(certain, np.where(estimate == 0, 1.0, 0.0), tested)
    return np.where(~certain & (degrees_of_freedom < 1), np.nan, p)


def variance_components(
    groupings: Sequence[GroupedMeans],
    *,
    stratum: Ints,
    coefficients: Floats,
    scale: Floats,
    pairs: Bools | None = None,
    matched_sizes: Floats | None = None,
) -> Components:
    """Estimate Σ coefficient · stratum mean, and how it would vary with other persons, templates and words.

    The persons' part is Σ c²·var/n over the strata. A grouping of the cells adds the variance of the gap between its
    groups, less what the persons' own reactions to those groups (person × group) put into it already. Degrees of
    freedom follow Satterthwaite. A grouping with one group adds nothing: there is nothing to see it vary by. Where a
    stratum has fewer than five units, those of one kind (`pairs` or not) share one variance: two or three values say
    too little about how persons vary, and separate variances would raise false alarms.
    """
    sizes = np.bincount(stratum, minlength=len(coefficients))
    if (sizes < 2).any():
        raise ValueError("every stratum needs two units")
    averaging = _averaging(stratum, sizes)
    unit_means = np.einsum("ugk,g->uk", groupings[0].means, groupings[0].weights)
    estimate = (coefficients @ averaging) @ unit_means
    centred = unit_means - (averaging @ unit_means)[stratum]
    squares = sizes[:, None] * (averaging @ centred**2)
    kinds, pooled = _kinds_of_variance(sizes, np.zeros(len(sizes), dtype=bool) if pairs is None else pairs)
    spread, freedom = np.zeros_like(squares), np.zeros(len(sizes))
    for kind in np.unique(kinds):
        freedom[kinds == kind] = (sizes[kinds == kind] - 1).sum()
        spread[kinds == kind] = squares[kinds == kind].sum(axis=0) / freedom[kinds == kind][0]
    by_stratum = coefficients[:, None] ** 2 * spread / sizes[:, None]
    parts = [(by_stratum[kinds == kind].sum(axis=0), freedom[kinds == kind][0]) for kind in np.unique(kinds)]
    persons = by_stratum.sum(axis=0)
    matched = sizes.astype(np.float64) if matched_sizes is None else matched_sizes
    for grouping in groupings:
        if len(grouping.weights) > 1:
            parts.append(_between_groups(grouping, unit_means, estimate, stratum, coefficients))
    variance = np.sum([part for part, _ in parts], axis=0)
    flat = np.sqrt(variance) <= ROUNDING * scale
    squared = np.sum([part**2 / df for part, df in parts], axis=0)
    df = np.divide(variance**2, squared, out=np.full_like(variance, np.nan), where=~flat & (squared > 0))
    return Components(
        estimate=np.where(flat & (np.abs(estimate) <= ROUNDING * scale), 0.0, estimate),
        variance=np.where(flat, 0.0, variance),
        degrees_of_freedom=df,
        persons=np.where(flat, 0.0, persons),
        persons_if_matched=np.where(flat, 0.0, (by_stratum * (sizes / matched)[:, None]).sum(axis=0)),
        pooled=pooled,
        unit_means=unit_means,
    )


def _between_groups(
    grouping: GroupedMeans, unit_means: Floats, estimate: Floats, stratum: Ints, coefficients: Floats
) -> tuple[Floats, float]:
    weights = grouping.weights
    sizes = np.bincount(stratum, minlength=len(coefficients))
    averaging = _averaging(stratum, sizes)
    concentration = float(weights @ weights)
    stratum_by_group = np.einsum("su,ugk->sgk", averaging, grouping.means)
    gaps = np.einsum("s,sgk->gk", coefficients, stratum_by_group)
    between = concentration * (weights @ (gaps - estimate) ** 2) / (1 - concentration)
    stratum_means = averaging @ unit_means
    expected = stratum_by_group - stratum_means[:, None, :]
    residuals = grouping.means - unit_means[:, None, :] - expected[stratum]
    per_unit = np.einsum("g,ugk->uk", weights**2 / (1 - weights), residuals**2)
    own = (averaging @ per_unit) / (sizes - 1)[:, None]
    interaction = np.sum(coefficients[:, None] ** 2 * own, axis=0)
    return np.maximum(between - interaction, 0.0), 1 / concentration - 1


def _kinds_of_variance(sizes: Ints, pairs: Bools) -> tuple[Ints, bool]:
    """Which strata share a variance between persons: each its own, or all of a kind where some are small."""
    kinds = np.arange(len(sizes))
    pooled = False
    for kind in (True, False):
        of_kind = np.flatnonzero(pairs == kind)
        if len(of_kind) > 1 and sizes[of_kind].min() < FEWEST_FOR_OWN_VARIANCE:
            kinds[of_kind] = of_kind[0]
            pooled = True
    return kinds, pooled


def _averaging(stratum: Ints, sizes: Ints) -> Floats:
    """The matrix that turns units into stratum means."""
    return np.asarray((stratum[None, :] == np.arange(len(sizes))[:, None]) / sizes[:, None], dtype=np.float64)

"""The generalising test: persons, templates and words as samples, by variance components with strata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.stats.types import ROUNDING, Floats, Ints


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
    unit_means: Floats
    """Every unit's mean over all cells: (units, columns)."""

    @property
    def standard_error(self) -> Floats:
        """The square root of the variance."""
        return np.sqrt(self.variance)

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The interval of that level around the estimate; without variance it is the estimate itself."""
        certain = self.variance == 0
        df = np.where(certain, 1.0, self.degrees_of_freedom)
        margin = np.where(certain, 0.0, special.stdtrit(df, (1 + level) / 2) * self.standard_error)
        return self.estimate - margin, self.estimate + margin

    def p(self) -> Floats:
        """Two-sided; without variance, 1 for an estimate of zero and 0 for any other."""
        certain = self.variance == 0
        t = np.divide(self.estimate, self.standard_error, out=np.zeros_like(self.estimate), where=~certain)
        tested = 2 * special.stdtr(np.where(certain, 1.0, self.degrees_of_freedom), -np.abs(t))
        return np.where(certain, np.where(self.estimate == 0, 1.0, 0.0), tested)


def variance_components(
    groupings: Sequence[GroupedMeans], *, stratum: Ints, coefficients: Floats, scale: Floats
) -> Components:
    """Estimate Σ coefficient · stratum mean, and how it would vary with other persons, templates and words.

    The persons' part is Σ c²·var/n over the strata. A grouping of the cells adds the variance of the gap between its
    groups, less what the persons' own reactions to those groups (person × group) put into it already. Degrees of
    freedom follow Satterthwaite. A grouping with one group adds nothing: there is nothing to see it vary by.
    """
    sizes = np.bincount(stratum, minlength=len(coefficients))
    if (sizes < 2).any():
        raise ValueError("every stratum needs two units")
    averaging = _averaging(stratum, sizes)
    unit_means = np.einsum("ugk,g->uk", groupings[0].means, groupings[0].weights)
    estimate = (coefficients @ averaging) @ unit_means
    centred = unit_means - (averaging @ unit_means)[stratum]
    by_stratum = (averaging @ centred**2) / (sizes - 1)[:, None]
    parts = [(part, size - 1.0) for part, size in zip(coefficients[:, None] ** 2 * by_stratum, sizes, strict=True)]
    persons = np.sum([part for part, _ in parts], axis=0)
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


def _averaging(stratum: Ints, sizes: Ints) -> Floats:
    """The matrix that turns units into stratum means."""
    return np.asarray((stratum[None, :] == np.arange(len(sizes))[:, None]) / sizes[:, None], dtype=np.float64)

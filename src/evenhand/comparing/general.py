"""The gap for persons in general: the generalising test of one contrast, on any columns of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.contrasts import Contrast, Floats, Ints, OverCells
from evenhand.stats import Components, GroupedMeans, variance_components
from evenhand.stats.permutation import dealt_share
from evenhand.stats.types import Bools


@dataclass(frozen=True, eq=False)
class Strata:
    """Which units vary around a mean of their own, what each mean counts in a gap, and which units are pairs."""

    of_unit: Ints
    coefficients: Floats
    pairs: Bools
    rest: Bools | None = None
    """Which are groups of a rest; None where two groups are compared."""


def scale_of(numbers: Floats, span: Floats) -> Floats:
    """What rounding is measured by, for each column: its span, or the numbers themselves where those are larger."""
    ends = numbers.min(axis=0, initial=0.0), numbers.max(axis=0, initial=0.0)
    scale: Floats = np.maximum(span, np.maximum(-ends[0], ends[1]))
    return scale


def general_gap(contrast: Contrast, numbers: Floats, *, scale: Floats, strata: Strata | None = None) -> Components:
    """The estimate of each column and what it varies by; of two groups, in finer strata where those are given."""
    shape = len(contrast.units), -1, numbers.shape[1]
    finest = strata or Strata(contrast.stratum, contrast.coefficients, contrast.pairs, contrast.in_rest)
    return variance_components(
        [GroupedMeans((one.operator @ numbers).reshape(shape), one.weights) for one in contrast.sampled_groupings],
        stratum=finest.of_unit,
        coefficients=finest.coefficients,
        scale=scale,
        pairs=finest.pairs,
        matched_sizes=contrast.matched_sizes if strata is None else None,
        family=contrast.family,
        # Parted further (by the halves that repairs were fitted on), there are many small strata: to take the larger
        # variance in each of them would count too much.
        larger=strata is None,
        rest=finest.rest,
    )


def gap_over_cells(
    contrast: Contrast, values: Floats, over: OverCells, *, scale: Floats, strata: Strata | None = None
) -> Components:
    """The same for a number made of the units' `values` in the cells: the gap in one part, or how it differs there."""
    finest = strata or Strata(contrast.stratum, contrast.coefficients, contrast.pairs, contrast.in_rest)
    return variance_components(
        [GroupedMeans(_summed(values, matrix), weights) for matrix, weights in over.groupings],
        stratum=finest.of_unit,
        coefficients=finest.coefficients,
        scale=scale,
        pairs=finest.pairs,
        family=contrast.family,
        unit_means=_summed(values, over.counts[:, None])[:, 0],
        rest=finest.rest,
    )


def _summed(values: Floats, counts: Floats) -> Floats:
    """(units, cells, columns) times (cells, groups): (units, groups, columns)."""
    return np.asarray(counts.T @ values)


def general_p(parts: Components, contrast: Contrast, block: Ints | None = None) -> Floats:
    """Two-sided; where the persons of a group are all treated alike, the share of ways to deal the labels that give as
    large a gap. `block` is that of the units that are left, where some are left out."""
    p = parts.p()
    alike = np.flatnonzero((parts.variance == 0) & (parts.estimate != 0))
    if not len(alike):
        return p
    if contrast.interaction:
        p[alike] = contrast.relabellings_p
        return p
    for column in alike.tolist():
        p[column] = dealt_share(
            parts.unit_means[:, column], parts.unit_weights[:, column], contrast.block if block is None else block
        )
    return p

"""A gap once a nuisance that differs between the groups is allowed for."""

from __future__ import annotations

import numpy as np

from evenhand.stats.types import Floats, Ints

NEGLIGIBLE = 1e-9
"""Means of equal whole numbers may differ by rounding; less than this share of them is none."""


def adjusted_gap(unit_means: Floats, nuisance: Floats, *, stratum: Ints, coefficients: Floats) -> Floats:
    """The gap less what the nuisance explains, its slope taken from units of one stratum.

    NaN where no stratum varies in the nuisance although the groups differ in it: the two cannot be told apart.

    Two strata of three; scores rise by 2 per unit of the nuisance and the true gap is 1:

    >>> nuisance = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 2.0])
    >>> scores = 2 * nuisance + np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    >>> stratum, coefficients = np.array([0, 0, 0, 1, 1, 1]), np.array([1.0, -1.0])
    >>> adjusted_gap(scores[:, None], nuisance, stratum=stratum, coefficients=coefficients).round(9).tolist()
    [1.0]
    """
    sizes = np.bincount(stratum, minlength=len(coefficients))
    averaging = (stratum[None, :] == np.arange(len(sizes))[:, None]) / sizes[:, None]
    gap = coefficients @ averaging @ unit_means
    shift = float(coefficients @ averaging @ nuisance)
    centred = nuisance - (averaging @ nuisance)[stratum]
    variation = float(centred @ centred)
    size = float(np.abs(nuisance).max(initial=0.0))
    if abs(shift) <= NEGLIGIBLE * size:
        return np.asarray(gap)
    if variation <= (NEGLIGIBLE * size) ** 2 * len(nuisance):
        return np.full(gap.shape, np.nan)
    return np.asarray(gap - (centred @ unit_means) / variation * shift)

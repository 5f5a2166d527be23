"""What a change does on average, over cells in crossed groups (templates and words, say), with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.stats.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Effects:
    """Means over the cells, one per column, and how they would vary with other groups of cells."""

    estimate: Floats
    variance: Floats
    degrees_of_freedom: Floats
    """NaN where no grouping has two groups (then the variance is NaN, too) and where nothing varies."""

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The interval of that level; the estimate itself where nothing varies, NaN where it cannot be told."""
        certain = self.variance == 0
        t = special.stdtrit(np.where(certain, 1.0, self.degrees_of_freedom), (1 + level) / 2)
        margin = np.where(certain, 0.0, t * np.sqrt(self.variance))
        return self.estimate - margin, self.estimate + margin


def crossed_effects(cells: Floats, groupings: Sequence[Ints]) -> Effects:
    """The mean of each column of `cells` (cells, columns), with templates and words as samples.

    Each grouping of the cells adds the variance of its groups' means: of G groups with the shares w of the cells and
    the means m, Σ w² (m − mean)² · G/(G − 1). Degrees of freedom follow Satterthwaite. What two groupings share is
    counted twice, so that the interval errs to the wide side. A grouping with one group says nothing.

    >>> found = crossed_effects(np.array([[1.0], [3.0]]), [np.array([0, 1])])
    >>> float(found.estimate[0]), float(found.variance[0]), float(found.degrees_of_freedom[0])
    (2.0, 1.0, 1.0)
    """
    estimate = cells.mean(axis=0)
    total, squares = np.zeros_like(estimate), np.zeros_like(estimate)
    told = False
    for codes in groupings:
        sizes = np.bincount(codes).astype(np.float64)
        groups = len(sizes)
        if groups < 2:
            continue
        told = True
        sums = np.zeros((groups, cells.shape[1]))
        np.add.at(sums, codes, cells)
        apart = (sums / sizes[:, None] - estimate) * (sizes / sizes.sum())[:, None]
        part = (apart**2).sum(axis=0) * groups / (groups - 1)
        total, squares = total + part, squares + part**2 / (groups - 1)
    if not told:
        total = np.full_like(estimate, np.nan)
    # What differs by rounding only does not vary.
    total = np.where(total <= (1e-12 * np.maximum(np.abs(estimate), 1e-3)) ** 2, 0.0, total)
    df = np.divide(total**2, squares, out=np.full_like(estimate, np.nan), where=(squares > 0) & (total > 0))
    return Effects(estimate, total, df)

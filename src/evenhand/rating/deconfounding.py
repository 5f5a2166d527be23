"""The deconfounding impact estimate: how far the mean sentiment moves once the confounders are adjusted for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evenhand.corpora.causal import Unmet
from evenhand.rating.table import Block, Sample
from evenhand.stats.types import ROUNDING, Bools, Floats

DIVIDED_BY_ZERO = "X: the observed mean is 0 and the adjusted one is not"


@dataclass(frozen=True)
class Impact:
    """The mean sentiment given one emotion, E[Y | x], what it would be if the emotion were set, E[Y | do(x)], and how
    far the second is from the first, in per cent of it. What is None has its reason in `undefined`."""

    observed: float | None
    adjusted: float | None
    impact: float | None
    undefined: str | None

    @property
    def divided_by_zero(self) -> bool:
        """Whether the impact is what the paper prints as X, worse than any number."""
        return self.undefined == DIVIDED_BY_ZERO

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Adjusted:
    """One sample, replicates × emotions: NaN where undefined, an impact of infinity where the paper prints X."""

    observed: Floats
    adjusted: Floats
    impact: Floats
    unmet: Bools
    """Replicates × emotions × strata: classes that occur, but never with this emotion."""
    pull: Floats
    """Replicates × emotions × strata: by how much the adjustment gives each class more weight than it has observed."""


def adjust(
    sample: Sample, *, strata: int, emotions: int, weights: Floats | None = None, supported_only: bool = False
) -> Adjusted:
    """Back-door adjustment (equation 1): Σ_z P(z) E[Y | x, z], for each emotion x.

    A class z that never occurs with x leaves the sum undefined; with `supported_only` it is taken over the others,
    whose shares are then made to add up to 1.
    """
    counted = np.ones((1, len(sample.sentiment))) if weights is None else weights
    cells = (len(counted), emotions, strata)
    number, total = np.zeros(cells), np.zeros(cells)
    for x in range(emotions):
        for z in range(strata):
            chosen = (sample.emotions == x) & (sample.strata == z)
            number[:, x, z] = counted[:, chosen].sum(axis=1)
            total[:, x, z] = counted[:, chosen] @ sample.sentiment[chosen]
    means = _ratio(total, number)
    share = _ratio(number.sum(axis=1), number.sum(axis=(1, 2))[:, None])[:, None, :]
    observed = _ratio(total.sum(axis=2), number.sum(axis=2))
    unmet = (number == 0) & (share > 0)
    weighed = np.where(number > 0, share * np.nan_to_num(means), 0.0).sum(axis=2)
    supported = np.where(number > 0, share, 0.0).sum(axis=2)
    adjusted = _ratio(weighed, supported) if supported_only else np.where(unmet.any(axis=2), np.nan, weighed)
    # An emotion that does not occur at all has no mean.
    adjusted = np.where(np.isnan(observed), np.nan, adjusted)
    given = _ratio(number, number.sum(axis=2)[..., None])
    pull = np.where(number > 0, _ratio(share, supported[..., None]) if supported_only else share, 0.0) - given
    return Adjusted(observed, adjusted, _impact(observed, adjusted, _tolerance(sample)), unmet, pull)


def largest_by_class(sample: Sample, adjusted: Adjusted) -> Floats:
    """The impacts of a system with the same mean that answers by the class alone, for each emotion.

    It gives its highest answer to classes that the adjustment gives more weight and its lowest to the others, within
    the range of this system's answers; no system in that range could have more. NaN where undefined, infinite for X.
    """
    half = np.ptp(sample.sentiment) / 2
    moved = np.where(np.isnan(adjusted.adjusted), np.nan, half * np.abs(adjusted.pull).sum(axis=2))
    return _impact(adjusted.observed, adjusted.observed + moved, _tolerance(sample))


def _tolerance(sample: Sample) -> float:
    """Differences below this are rounding."""
    return float(ROUNDING * (np.abs(sample.sentiment).max(initial=0.0) or 1.0))


def _ratio(above: Floats, below: Floats) -> Floats:
    above, below = np.broadcast_arrays(above, below)
    ratio: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
    return ratio


def _impact(observed: Floats, adjusted: Floats, tolerance: float) -> Floats:
    """100 · |do − obs| / |obs|; 0 where both are 0, infinite where only the observed mean is."""
    moved = np.abs(adjusted - observed)
    moved = np.where(moved <= tolerance, 0.0, moved)
    zero = np.abs(observed) <= tolerance
    relative = np.divide(100 * moved, np.abs(observed), out=np.zeros_like(moved), where=~zero)
    impact: Floats = np.where(zero & (moved > 0), np.inf, np.where(np.isnan(moved), np.nan, relative))
    return impact


def impacts(block: Block, *, supported_only: bool = False) -> dict[str, dict[str, dict[str, Impact]]]:
    """By system, dataset and emotion."""
    found: dict[str, dict[str, dict[str, Impact]]] = {system: {} for system in block.systems}
    for sample in block.samples:
        arrays = adjust(sample, strata=len(block.strata), emotions=len(block.emotions), supported_only=supported_only)
        found[sample.system][sample.dataset] = {
            emotion: _cell(arrays, place, block)
            for place, emotion in enumerate(block.emotions)
            if not np.isnan(arrays.observed[0, place])
        }
    return found


def _cell(arrays: Adjusted, place: int, block: Block) -> Impact:
    observed, adjusted = float(arrays.observed[0, place]), float(arrays.adjusted[0, place])
    impact = float(arrays.impact[0, place])
    if np.isnan(adjusted):
        never = [block.strata[code] for code in np.flatnonzero(arrays.unmet[0, place])]
        return Impact(observed, None, None, "; ".join(str(Unmet(name, block.emotions[place])) for name in never))
    if np.isinf(impact):
        return Impact(observed, adjusted, None, DIVIDED_BY_ZERO)
    return Impact(observed, adjusted, impact, None)


def worst_impact(impact: Floats) -> Floats:
    """The largest impact of each replicate over datasets and emotions, of those defined; from replicates × cells."""
    defined = ~np.isnan(impact)
    largest: Floats = np.where(defined, impact, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(defined.any(axis=1), largest, np.nan)

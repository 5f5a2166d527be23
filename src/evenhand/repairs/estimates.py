"""A gap with what it varies by: the numbers that repairs are judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import special

from evenhand.comparing.general import general_p
from evenhand.contrasts import Contrast
from evenhand.files.plain import rebuild
from evenhand.stats import Components, two_sided_p


@dataclass(frozen=True)
class Estimate:
    """A gap for persons in general: first group minus second."""

    value: float
    variance: float
    freedom: float | None
    """None where nothing varies."""
    chance: float = 0.0
    """Where nothing varies: the share of swapped labels that give as large a gap, if that is not small."""

    def margin(self, alpha: float) -> float:
        """Half the width of the interval; infinite with less than one degree of freedom, or where it may be chance."""
        if self.variance == 0 or self.freedom is None:
            return 0.0 if self.chance < alpha else float("inf")
        if self.freedom < 1:
            return float("inf")
        return float(special.stdtrit(self.freedom, 1 - alpha / 2) * np.sqrt(self.variance))

    def interval(self, alpha: float) -> tuple[float, float]:
        """The generalising interval."""
        return self.value - self.margin(alpha), self.value + self.margin(alpha)

    def ends(self, alpha: float) -> tuple[float, float] | None:
        """The generalising interval, where it has ends."""
        return self.interval(alpha) if np.isfinite(self.margin(alpha)) else None

    def to_dict(self, alpha: float) -> dict[str, Any]:
        """Plain values, with the interval at that level; None where it has no end."""
        gap = {"gap": self.value, "interval": self.ends(alpha)}
        return {**gap, "variance": self.variance, "freedom": self.freedom, "chance": self.chance}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return rebuild(cls, {**values, "value": values["gap"]})

    def is_there(self, alpha: float) -> bool:
        """Whether the interval leaves zero out."""
        return abs(self.value) > self.margin(alpha)

    @property
    def p(self) -> float:
        """Two-sided; NaN with less than one degree of freedom."""
        freedom = np.nan if self.freedom is None else self.freedom
        p = float(two_sided_p(np.array(self.value), np.array(self.variance), np.array(freedom)))
        return p if self.variance > 0 else max(p, self.chance)


def estimates_of(parts: Components, contrast: Contrast) -> list[Estimate]:
    """One for each column."""
    chance = np.where((parts.variance == 0) & (parts.estimate != 0), general_p(parts, contrast), 0.0)
    return [
        Estimate(float(estimate), float(variance), None if np.isnan(freedom) else float(freedom), float(share))
        for estimate, variance, freedom, share in zip(
            parts.estimate, parts.variance, parts.degrees_of_freedom, chance, strict=True
        )
    ]


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of estimates, with the mean of their variances; it may be chance if one of them may."""
    freedoms = [one.freedom for one in estimates if one.freedom is not None]
    return Estimate(
        float(np.mean([one.value for one in estimates])),
        float(np.mean([one.variance for one in estimates])),
        float(np.mean(freedoms)) if freedoms else None,
        max(one.chance for one in estimates),
    )

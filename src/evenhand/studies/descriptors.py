"""Studies of many systems: whether those that are made of the same parts have larger gaps than the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.comparing.findings import Interval
from evenhand.stats import CORRECTIONS, ROUNDING

FEWEST = 2
"""Systems on each side, to say how much they vary."""


@dataclass(frozen=True)
class DescriptorGap:
    """The systems with one property beside those without, by the mean size of their gaps (as shares of the range).

    Systems were not given their parts at random: a difference may come from anything else they have in common.
    """

    attribute: str
    descriptor: str
    value: str
    systems: int
    others: int
    mean_gap: float
    """First minus second: their gaps with their signs."""
    mean_size: float
    """The mean of |gap|."""
    mean_size_others: float | None
    difference: float | None
    interval: Interval | None
    p_adjusted: float | None
    undefined: str | None


def descriptor_gaps(
    gaps: Mapping[str, Mapping[str, Sequence[float]]],
    about: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    alpha: float,
) -> tuple[DescriptorGap, ...]:
    """Compare by every value of every descriptor. `gaps`: by attribute and system, those of its dimensions."""
    found: list[DescriptorGap] = []
    for attribute, by_system in gaps.items():
        mine = []
        for name in dict.fromkeys(name for values in about.values() for name in values):
            described = [system for system in by_system if name in about.get(system, {})]
            for value in sorted({value for system in described for value in about[system][name]}):
                mine.append(_compared(attribute, name, value, described, by_system, about, alpha))
        found += _adjusted(mine)
    return tuple(found)


def _compared(
    attribute: str,
    name: str,
    value: str,
    described: Sequence[str],
    gaps: Mapping[str, Sequence[float]],
    about: Mapping[str, Mapping[str, Sequence[str]]],
    alpha: float,
) -> DescriptorGap:
    having = [system for system in described if value in about[system][name]]
    others = [system for system in described if value not in about[system][name]]
    # A system's dimensions are not independent of each other: each system counts once.
    sizes, other_sizes = ([float(np.mean(np.abs(gaps[one]))) for one in side] for side in (having, others))
    difference, interval, p, why = None, None, None, None
    if min(len(having), len(others)) < FEWEST:
        why = f"{FEWEST} systems on each side are the least"
    elif max(np.ptp(sizes), np.ptp(other_sizes)) <= ROUNDING:
        why = "the sizes of the gaps do not vary"
    else:
        difference = float(np.mean(sizes) - np.mean(other_sizes))
        interval, p = _welch(sizes, other_sizes, level=1 - alpha)
    return DescriptorGap(
        attribute=attribute,
        descriptor=name,
        value=value,
        systems=len(having),
        others=len(others),
        mean_gap=float(np.mean([np.mean(gaps[system]) for system in having])),
        mean_size=float(np.mean(sizes)),
        mean_size_others=float(np.mean(other_sizes)) if other_sizes else None,
        difference=difference,
        interval=interval,
        p_adjusted=p,
        undefined=why,
    )


def _welch(sizes: Sequence[float], others: Sequence[float], *, level: float) -> tuple[Interval, float]:
    """Welch's interval for the difference of two means, and its p; one side may be all alike."""
    from scipy import special

    difference = float(np.mean(sizes) - np.mean(others))
    shares = np.array([np.var(side, ddof=1) / len(side) for side in (sizes, others)])
    error = float(np.sqrt(shares.sum()))
    df = float(shares.sum() ** 2 / (shares**2 / [len(sizes) - 1, len(others) - 1]).sum())
    margin = float(special.stdtrit(df, (1 + level) / 2)) * error
    p = 2 * float(special.stdtr(df, -abs(difference) / error))
    return (difference - margin, difference + margin), p


def _adjusted(found: Sequence[DescriptorGap]) -> list[DescriptorGap]:
    raw = np.array([1.0 if one.p_adjusted is None else one.p_adjusted for one in found])
    adjusted = CORRECTIONS["holm"](raw)
    return [
        one if one.p_adjusted is None else replace(one, p_adjusted=float(p))
        for one, p in zip(found, adjusted, strict=True)
    ]

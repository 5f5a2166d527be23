"""Whether a verdict hangs on one person or one template: each is left out in turn, and the verdict taken anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.comparing.findings import Verdict, Withheld
from evenhand.comparing.general import general_gap, general_p
from evenhand.contrasts import Contrast, Floats, Ints
from evenhand.numbering import pairs_numbered
from evenhand.stats import ROUNDING, Components, GroupedMeans, variance_components
from evenhand.stats.types import Bools

MOST_LEVELS = 30
"""Of a grouping with more levels than this (words, single sources), none carries a verdict alone."""

FEW = 64
"""Of more units that are all treated alike, chance gives such a gap in fewer than one of 10^18 ways: p is 0."""
AT_A_TIME = 50_000
"""So many units, each of which is left out by itself, are judged together."""
CANCELS = 1e-6
"""A unit that has all but this share of the squares is left out by calculating anew: a difference would be rounding."""

Judge = Callable[[Components, Floats], tuple[list[Verdict], Floats]]
"""From the gaps and their p: the verdicts of all columns, and the bounds of their gaps; also of several units' columns
side by side."""


@dataclass(frozen=True)
class _Without:
    """What is left without one unit, or without each of several: their columns stand side by side, unit by unit."""

    kind: str
    labels: Sequence[str]
    parts: Components
    p: Floats


DECIDED: tuple[Verdict, ...] = ("higher", "lower", "equivalent")
"""Verdicts that may hang on somebody: the others claim nothing."""


@dataclass(frozen=True)
class Steadiness:
    """What is left of each column's verdict when any one unit is left out."""

    withheld: tuple[Withheld | None, ...]
    """The unit that matters most, where the verdict hangs on one."""
    bound: Floats
    """The smallest tolerance within which the gap is shown to lie whoever is left out."""


def steadiness(
    contrast: Contrast, numbers: Floats, *, scale: Floats, judge: Judge, verdicts: Sequence[Verdict], bound: Floats
) -> Steadiness:
    """Leave out each family of persons and each template in turn; `judge` gives verdicts and bounds without them."""
    found: list[Withheld | None] = [None] * len(verdicts)
    whole = contrast.operator @ numbers
    most = [0.0] * len(verdicts)
    for without in _each_left_out(contrast, numbers, scale):
        again, bounds = judge(without.parts, without.p)
        bound = np.maximum(bound, bounds.reshape(-1, len(verdicts)).max(axis=0))
        for place, verdict in enumerate(again):
            unit, column = divmod(place, len(verdicts))
            if verdicts[column] not in DECIDED or _stands(verdicts[column], verdict):
                continue
            estimate = float(without.parts.estimate[place])
            moved = _against(verdicts[column], float(whole[column]), estimate)
            if moved > most[column]:
                most[column] = moved
                found[column] = Withheld(verdicts[column], without.kind, without.labels[unit], estimate, verdict)
    return Steadiness(tuple(found), bound)


def _stands(verdict: Verdict, without: Verdict) -> bool:
    """The same, or shown small where nothing is left without the only person who reacts."""
    return verdict == without or (verdict == "equivalent" and without == "no reaction seen")


def _against(verdict: Verdict, gap: float, without: float) -> float:
    """How far a gap moves against its verdict; one that moves the other way does not hang on who was left out."""
    return abs(without) - abs(gap) if verdict == "equivalent" else (gap - without) * (1 if gap > 0 else -1)


def _each_left_out(contrast: Contrast, numbers: Floats, scale: Floats) -> Iterator[_Without]:
    yield from _persons_left_out(contrast, numbers, scale)
    for column in contrast.sampled_columns:
        for label, part in contrast.each_left_out(column, most=MOST_LEVELS):
            parts = general_gap(part, numbers, scale=scale)
            yield _Without(column, (label,), parts, general_p(parts, part))


def _persons_left_out(contrast: Contrast, numbers: Floats, scale: Floats) -> Iterator[_Without]:
    """One family of persons at a time; not where too few would be left to tell how persons vary."""
    shape = len(contrast.units), -1, numbers.shape[1]
    groupings = [((one.operator @ numbers).reshape(shape), one.weights) for one in contrast.sampled_groupings]
    family = np.arange(len(contrast.units)) if contrast.family is None else contrast.family
    anew = np.unique(family)
    if len(anew) == len(family) and _is_one_sample(contrast, groupings):
        at_once = _SquaresWithout.of(groupings[0][0][:, 0], contrast.coefficients[0], scale)
        yield from at_once.each(contrast.units)
        anew = at_once.anew
    for number in anew:
        kept = family != number
        left = _strata_left(contrast, kept, family)
        if left is None:
            continue
        parts = variance_components(
            [GroupedMeans(means[kept], weights) for means, weights in groupings],
            stratum=left.of_unit,
            coefficients=left.coefficients,
            scale=scale,
            pairs=left.pairs,
            family=family[kept],
            rest=left.rest,
            strict=False,
        )
        p = general_p(parts, contrast, contrast.block[kept])
        yield _Without("person", (_together(contrast, np.flatnonzero(~kept).tolist()),), parts, p)


def _is_one_sample(contrast: Contrast, groupings: Sequence[tuple[Floats, Floats]]) -> bool:
    """Whether units that are no families are draws of one population, and vary by themselves alone, as texts do."""
    one = len(contrast.coefficients) == 1 and contrast.in_rest is None
    return one and len(contrast.units) > 2 and all(len(weights) == 1 for _, weights in groupings)


@dataclass(frozen=True, eq=False)
class _SquaresWithout:
    """One sample without each of its units: from the sum and the squares of all, less what the unit adds to them.

    A million texts are left out in turn as fast as a few.
    """

    means: Floats
    """(units, columns)."""
    estimate: Floats
    variance: Floats
    anew: Ints
    """The units of which this cannot tell: nearly all variation is theirs, or nothing varies without them."""

    @classmethod
    def of(cls, means: Floats, coefficient: float, scale: Floats) -> _SquaresWithout:
        """Of the units' means."""
        n = len(means)
        away = means - means.mean(axis=0)
        whole = (away**2).sum(axis=0)
        squares = np.maximum(whole - away**2 * (n / (n - 1)), 0.0)
        estimate = coefficient * (means.mean(axis=0) - away / (n - 1))
        variance = coefficient**2 * squares / ((n - 1) * (n - 2))
        flat = np.sqrt(variance) <= ROUNDING * scale
        none = flat & (np.abs(estimate) <= ROUNDING * scale)
        alone = (squares < CANCELS * whole) | (flat & ~none & (n <= FEW))
        estimate[none], variance[flat] = 0.0, 0.0
        return cls(means, estimate, variance, np.flatnonzero(alone.any(axis=1)))

    def each(self, labels: Sequence[str]) -> Iterator[_Without]:
        """Each unit that this can tell of, many at a time."""
        n = len(self.means)
        told = np.setdiff1d(np.arange(n), self.anew)
        for start in range(0, len(told), AT_A_TIME):
            units = told[start : start + AT_A_TIME]
            estimate, variance = self.estimate[units].ravel(), self.variance[units].ravel()
            nothing = np.zeros_like(estimate)
            parts = Components(
                estimate=estimate,
                variance=variance,
                degrees_of_freedom=np.where(variance == 0, np.nan, n - 2.0),
                persons=variance,
                persons_if_matched=variance,
                pairs=nothing,
                pooled=False,
                unit_means=np.empty((0, len(estimate))),
                unit_weights=np.empty((0, len(estimate))),
                drawn_anew=variance[None],
            )
            yield _Without("person", [labels[unit] for unit in units.tolist()], parts, parts.p())


@dataclass(frozen=True)
class _Left:
    """The strata of those who are left."""

    of_unit: Ints
    coefficients: Floats
    pairs: Bools
    rest: Bools | None


def _strata_left(contrast: Contrast, kept: Bools, family: Ints) -> _Left | None:
    """None where a stratum has fewer than two families left. A rest does without a group of which nobody is left."""
    stratum, rest, coefficients = contrast.stratum[kept], contrast.in_rest, contrast.coefficients
    families = pairs_numbered(stratum, family[kept])[0][0]
    sizes = np.bincount(families, minlength=len(coefficients))
    if rest is None or not rest.any():
        return None if sizes.min() < 2 else _Left(stratum, coefficients, contrast.pairs, rest)
    if sizes[~rest].min() < 2 or sizes[rest].max() < 2:
        return None
    there, coefficients = sizes > 0, coefficients.copy()
    for block in np.unique(contrast.stratum_blocks[~there]):
        of_block = rest & (contrast.stratum_blocks == block)
        if not (of_block & there).any():
            return None
        coefficients[of_block & there] *= of_block.sum() / (of_block & there).sum()
    return _Left((np.cumsum(there) - 1)[stratum], coefficients[there], contrast.pairs[there], rest[there])


def _together(contrast: Contrast, units: list[int]) -> str:
    return ", ".join(contrast.units[unit] for unit in units)

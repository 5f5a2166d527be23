"""The weighted rejection score: how many pairs of classes differ, at which levels, each level with its weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from scipy import special

from evenhand.errors import UsageError
from evenhand.rating.table import Block, Sample
from evenhand.settings import check_between, check_choice, check_least
from evenhand.stats.types import ROUNDING, Bools, Floats, Ints

DegreesOfFreedom = Literal["pooled", "welch", "smaller"]
DECIMALS = 10
"""Sums of weights are rounded here: 1 + 0.8 + 0.6 and three times 0.8 are the same score."""


@dataclass(frozen=True)
class RejectionSettings:
    """How two classes are compared and what a rejection counts."""

    alphas: tuple[float, ...] = (0.05, 0.30, 0.40)
    """The levels; with two sides, each is split between them."""
    weights: tuple[float, ...] = (1.0, 0.8, 0.6)
    added_error: float = 0.0
    """Added to every standard error; it makes t finite where nothing varies."""
    degrees_of_freedom: DegreesOfFreedom = "pooled"
    """n₁ + n₂ − 2, Welch's approximation, or the smaller class's n − 1."""
    sides: Literal[1, 2] = 2
    """One: only a first class above the second counts."""

    def __post_init__(self) -> None:
        if len(self.alphas) != len(self.weights) or not self.alphas:
            raise UsageError(f"{len(self.alphas)} levels and {len(self.weights)} weights; each level needs its weight")
        for alpha in self.alphas:
            check_between("a level", alpha, 0.0, 1.0)
        for weight in self.weights:
            check_least("a weight", weight)
        check_least("what is added to the standard error", self.added_error)
        if self.sides not in (1, 2):
            raise UsageError(f"a test has one side or two, not {self.sides!r}")
        check_choice("degrees of freedom", self.degrees_of_freedom, get_args(DegreesOfFreedom))

    @property
    def expected(self) -> float:
        """What one comparison adds to the score of a fair system with noise: each level times its weight.

        >>> round(PRESETS["stated"].expected, 10), round(PRESETS["published"].expected, 10)
        (0.53, 0.25)
        """
        return sum(alpha * weight for alpha, weight in zip(self.alphas, self.weights, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        numbers = {"alphas": self.alphas, "weights": self.weights}
        return {**asdict(self), **{name: [float(one) for one in given] for name, given in numbers.items()}}


PRESETS: Mapping[str, RejectionSettings] = {
    "stated": RejectionSettings(),
    # What the paper's numbers follow, though its text says otherwise.
    "published": RejectionSettings(alphas=(0.025, 0.15, 0.20), weights=(1.0, 0.7, 0.6), added_error=0.0001),
}
"""Lakkaraju et al. (2023), as their text has it and as their tables were computed."""


def preset(name: str) -> RejectionSettings:
    """Settings by name."""
    check_choice("preset", name, PRESETS)
    return PRESETS[name]


def with_levels(
    settings: RejectionSettings, confidence: Sequence[float] | None, weights: Sequence[float] | None
) -> RejectionSettings:
    """Settings with other levels of confidence, in per cent, and other weights.

    >>> with_levels(PRESETS["stated"], (90, 50), (1, 0.5)).alphas
    (0.1, 0.5)
    """
    if confidence is None and weights is None:
        return settings
    for level in confidence or ():
        if not 0 < level < 100:
            raise UsageError(f"a confidence level lies between 0 and 100 per cent, not at {level:g}")
    alphas = settings.alphas if confidence is None else tuple(round(1 - level / 100, 12) for level in confidence)
    chosen = settings.weights if weights is None else tuple(float(weight) for weight in weights)
    if len(alphas) != len(chosen):
        raise UsageError(f"{len(alphas)} confidence levels and {len(chosen)} weights; each level needs its weight")
    if len(set(alphas)) < len(alphas):
        raise UsageError("a confidence level is named twice; each has one weight")
    if not any(chosen):
        raise UsageError("all weights are 0, so that no rejection would count")
    return replace(settings, alphas=alphas, weights=chosen)


@dataclass(frozen=True)
class PairTest:
    """One comparison of two classes. `t` is absolute, as the paper prints it (signed in a test with one side);
    `difference` is first minus second. What is None has its reason in `undefined`."""

    system: str
    dataset: str
    pair: tuple[str, str]
    difference: float | None
    t: float | None
    degrees_of_freedom: float | None
    rejected: tuple[bool, ...]
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"pair": list(self.pair), "rejected": list(self.rejected)}


@dataclass(frozen=True)
class Compared:
    """All pairs of classes of one sample, replicates × pairs; NaN where undefined."""

    difference: Floats
    t: Floats
    degrees_of_freedom: Floats
    rejected: Bools
    """Replicates × pairs × levels."""
    flat: Bools
    """Whether neither class varies and nothing is added to the standard error, so that t has no value."""
    few: Bools
    """Whether a class has fewer than two rows."""


def pairs_of(classes: int) -> list[tuple[int, int]]:
    """All pairs, in order."""
    return list(combinations(range(classes), 2))


def compare_classes(
    sample: Sample,
    *,
    classes: int,
    settings: RejectionSettings,
    weights: Floats | None = None,
    relabelled: Ints | None = None,
) -> Compared:
    """Compare every two classes; `weights` (replicates × rows) say how often each row counts, once without.
    `relabelled` (replicates × rows) puts rows into other classes than their own."""
    values = sample.sentiment
    counted = np.ones((1, len(values))) if weights is None else weights
    codes = sample.classes[None, :] if relabelled is None else relabelled
    number, mean, variance = _moments(values, codes, classes, counted)
    # Differences below rounding are none.
    tolerance = ROUNDING * (np.abs(values).max(initial=0.0) or 1.0)
    variance = np.where(variance <= tolerance**2, 0.0, variance)
    first, second = (np.array(side, dtype=np.int64) for side in zip(*pairs_of(classes), strict=True))
    difference = mean[:, first] - mean[:, second]
    difference = np.where(np.abs(difference) <= tolerance, 0.0, difference)
    parts = [variance[:, side] / np.maximum(number[:, side], 1) for side in (first, second)]
    error = np.sqrt(parts[0] + parts[1]) + settings.added_error
    few = np.minimum(number[:, first], number[:, second]) < 2
    flat = (error == 0) & ~few
    t = np.divide(difference, error, out=np.full_like(error, np.nan), where=(error > 0) & ~few)
    t = np.abs(t) if settings.sides == 2 else t
    freedom = _freedom(number[:, first], number[:, second], parts, settings)
    critical = special.stdtrit(np.maximum(freedom, 1)[..., None], 1 - np.array(settings.alphas) / settings.sides)
    differs = difference > 0 if settings.sides == 1 else difference != 0
    rejected = np.where(flat[..., None], differs[..., None], np.nan_to_num(t, nan=0.0)[..., None] > critical)
    return Compared(difference, t, freedom, rejected & ~few[..., None], flat, few)


def _moments(values: Floats, codes: Ints, classes: int, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Count, mean and variance (n − 1) of each class: replicates × classes."""
    replicates = max(len(weights), len(codes))
    shape = (replicates, classes)
    number, mean, variance = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    for place in range(classes):
        chosen = (codes == place).any(axis=0)
        mine, often = values[chosen], weights[:, chosen] * (codes[:, chosen] == place)
        count = often.sum(axis=1)
        centre = np.divide(often @ mine, count, out=np.full(replicates, np.nan), where=count > 0)
        # Twice through the values: a class that never varies must come out as exactly that.
        squares = (often * (mine - centre[:, None]) ** 2).sum(axis=1)
        number[:, place], mean[:, place] = count, centre
        variance[:, place] = np.divide(squares, count - 1, out=np.zeros(replicates), where=count > 1)
    return number, mean, variance


def _freedom(first: Floats, second: Floats, parts: list[Floats], settings: RejectionSettings) -> Floats:
    if settings.degrees_of_freedom == "pooled":
        return first + second - 2
    if settings.degrees_of_freedom == "smaller":
        smaller: Floats = np.minimum(first, second) - 1
        return smaller
    below = parts[0] ** 2 / np.maximum(first - 1, 1) + parts[1] ** 2 / np.maximum(second - 1, 1)
    welch: Floats = np.divide((parts[0] + parts[1]) ** 2, below, out=first + second - 2, where=below > 0)
    return welch


def pair_tests(block: Block, settings: RejectionSettings) -> tuple[PairTest, ...]:
    """Every comparison of a block: systems and datasets in order, then pairs of classes."""
    return tuple(test for sample in block.samples for test in _tests_of(sample, block, settings))


def _tests_of(sample: Sample, block: Block, settings: RejectionSettings) -> list[PairTest]:
    found = compare_classes(sample, classes=len(block.classes), settings=settings)
    tests = []
    for place, (first, second) in enumerate(pairs_of(len(block.classes))):
        pair = block.classes[first], block.classes[second]
        few = bool(found.few[0, place])
        tests.append(
            PairTest(
                sample.system,
                sample.dataset,
                pair,
                None if few else float(found.difference[0, place]),
                _or_none(found.t[0, place]),
                None if few else float(found.degrees_of_freedom[0, place]),
                tuple(bool(one) for one in found.rejected[0, place]),
                _why(sample, found, place, block, (first, second)),
            )
        )
    return tests


def _why(sample: Sample, found: Compared, place: int, block: Block, pair: tuple[int, int]) -> str | None:
    if found.few[0, place]:
        short = next(code for code in pair if np.count_nonzero(sample.classes == code) < 2)
        return f"fewer than two rows have {block.attribute} = {block.classes[short]}"
    if not found.flat[0, place]:
        return None
    return (
        "constant: neither class varies, and they differ" if found.difference[0, place] else "identical: no variation"
    )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def largest_by_class(compared: Compared, classes: int, settings: RejectionSettings) -> float:
    """The score on one dataset of a system that answers by the class alone, with two answers: as the paper's S_b.

    Of n classes, it can set half against the other half, which is n²/4 pairs; no such system has more.
    """
    alike = ~compared.few[0]
    there = {code for pair, made in zip(pairs_of(classes), alike, strict=True) if made for code in pair}
    return sum(settings.weights) * (len(there) ** 2 // 4)


def rejection_score(rejected: Bools, settings: RejectionSettings) -> Floats:
    """The score of each replicate, from its rejections by pair and level: replicates × pairs × levels."""
    score: Floats = np.round(rejected.sum(axis=1) @ np.array(settings.weights), DECIMALS)
    return score

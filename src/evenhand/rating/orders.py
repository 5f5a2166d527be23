"""From raw scores to orders among the systems at hand, and how sure scores and levels are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from evenhand.settings import MOST_LEVELS, check_count
from evenhand.stats.types import Floats, Ints

LEVEL_1 = "its classes differ by no more than chance, which drawing persons again cannot show"
"""Why nothing is known of the levels of a system that has level 1 with a score above 0."""
DIGITS = 9
"""Scores that agree in so many digits are one score."""


@dataclass(frozen=True)
class Uncertainty:
    """What drawing persons and words again did to a rating."""

    replicates: int
    over: str
    """What was drawn again: `persons and words`, `persons`, or `rows` where a table names no persons."""
    levels: Mapping[str, tuple[float | None, ...]]
    """By system: the share of replicates in which it got level 1, 2, …; None, each of them, where that is not known."""
    intervals: Mapping[str, tuple[float | None, float | None]]
    """By system: where the middle 95 % of its raw scores lie; None at an end that is X."""
    tied: tuple[tuple[str, str], ...] | None
    """Pairs of systems that cannot be told apart: neither has the lower score in 97.5 % of the replicates. None where
    that is not known of any two; the notes say why, and of whom."""
    not_known: Mapping[str, str] = field(default_factory=dict)
    """By system: why it is not known how often it gets which level."""
    notes: tuple[str, ...] = ()
    draws: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """By system: an array with the raw score of each replicate; NaN where undefined, infinite for X. Not saved."""

    def shares(self, system: str) -> tuple[float, ...]:
        """The shares of one system; none where they are not known."""
        return tuple(share for share in self.levels[system] if share is not None)

    @property
    def any_shares(self) -> bool:
        """Whether they are known of any system."""
        return any(self.shares(system) for system in self.levels)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        values = asdict(replace(self, draws={}))
        del values["draws"]
        return values


def partial_order(raw: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """Systems from the lowest raw score to the highest; X (infinity) comes last, what is undefined (NaN) has no place.

    >>> partial_order({"S_b": 23.0, "S_t": 0.0, "S_g": float("inf"), "S_d": 0.0, "S_r": float("nan")})
    (('S_t', 0.0), ('S_d', 0.0), ('S_b', 23.0), ('S_g', inf))
    """
    return tuple(sorted(((name, score) for name, score in raw.items() if not np.isnan(score)), key=lambda one: one[1]))


def complete_order(raw: Mapping[str, float], levels: int) -> dict[str, int | None]:
    """Where each system stands among these, from 1 (least biased) to `levels`; None where its raw score is undefined.

    These are the levels of the paper: the distinct scores, sorted, are split into so many parts of nearly equal size,
    the larger parts first. Where there is one score only, it is level 1 if it is zero, else the highest. They depend on
    which systems are at hand; a rating's own levels do not.

    >>> complete_order({"S_t": 0.0, "S_d": 0.0, "S_g": 0.6, "S_r": 1.9, "S_b": 23.0}, 3)
    {'S_t': 1, 'S_d': 1, 'S_g': 1, 'S_r': 2, 'S_b': 3}
    >>> complete_order({"vader": 0.6}, 3), complete_order({"vader": 0.0}, 3)
    ({'vader': 3}, {'vader': 1})
    """
    check_count("the number of levels", levels, least=2, most=MOST_LEVELS)
    found = _levels(np.array(list(raw.values()), dtype=np.float64), levels)
    return {name: int(level) or None for name, level in zip(raw, found, strict=True)}


def _levels(scores: Floats, levels: int) -> Ints:
    """A level for each score; 0 for NaN."""
    rounded = np.array([float(f"{score:.{DIGITS}g}") for score in scores])
    distinct = np.unique(rounded[~np.isnan(rounded)])
    if len(distinct) == 1:
        parts = [distinct] if distinct[0] == 0 else [*([distinct[:0]] * (levels - 1)), distinct]
    else:
        parts = np.array_split(distinct, levels)
    ends = np.cumsum([len(part) for part in parts])
    place = np.searchsorted(distinct, rounded)
    level = np.searchsorted(ends, place, side="right") + 1
    return np.where(np.isnan(rounded), 0, level)


def uncertainty(
    draws: Mapping[str, Floats],
    levels: Mapping[str, Ints],
    *,
    number: int,
    over: str,
    few: Mapping[str, str],
    undecided: Sequence[str],
    notes: Sequence[str] = (),
) -> Uncertainty:
    """From the raw scores and levels (0: none) of all replicates, by system; `number` is how many levels there are.

    `few` are systems whose persons are too few to be drawn again, and why; `undecided` are those whose level would not
    change with their score.
    """
    not_known = {name: LEVEL_1 for name in undecided if np.any(draws[name] != 0)} | dict(few)
    shares = {
        system: tuple(None if system in not_known else float(np.mean(found == one)) for one in range(1, number + 1))
        for system, found in levels.items()
    }
    known = [system for system in draws if system not in few]
    tied = tuple(pair for pair in combinations(known, 2) if not _told_apart(draws[pair[0]], draws[pair[1]]))
    intervals = {system: _interval(scores) for system, scores in draws.items()}
    undefined = [name for name, scores in draws.items() if np.isnan(scores).any()]
    whose = "" if len(few) == len(draws) else f" of {', '.join(few)}"
    more = [f"levels in draws and ties{whose} are not known: {next(iter(few.values()))}"] if few else []
    more += [f"in some draws the raw score of {', '.join(undefined)} is undefined"] if undefined else []
    return Uncertainty(
        replicates=len(next(iter(draws.values()))),
        over=over,
        levels=shares,
        intervals=intervals,
        tied=None if few and len(known) < 2 else tied,
        not_known=not_known,
        notes=(*notes, *more),
        draws=dict(draws),
    )


def _told_apart(one: Floats, other: Floats, level: float = 0.95) -> bool:
    sure = 1 - (1 - level) / 2
    return max(float(np.mean(one < other)), float(np.mean(one > other))) >= sure


def _interval(scores: Floats, level: float = 0.95) -> tuple[float | None, float | None]:
    """Ends that occurred: between a number and X there is nothing to interpolate."""
    defined = scores[~np.isnan(scores)]
    if not len(defined):
        return None, None
    tail = (1 - level) / 2
    ends = np.quantile(defined, [tail, 1 - tail], method="inverted_cdf")
    low, high = (None if np.isinf(end) else float(end) for end in ends)
    return low, high

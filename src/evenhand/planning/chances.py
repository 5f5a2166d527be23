"""The chance of each verdict: at one look, and in waves that are paid for, on systems that are simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.comparing.sequential import FEWEST_TO_GIVE_UP
from evenhand.comparing.settings import LookSettings
from evenhand.contrasts import Ints
from evenhand.planning.simulation import Estimated, Reached
from evenhand.stats.power import largest_error
from evenhand.stats.types import Bools

NODES = 4_000
GIVEN_UP_AFTER = 2
"""Looks in a row that say that names alone will not settle it."""


@dataclass(frozen=True)
class Level:
    """What a look may spend on a difference (two-sided, corrected for all comparisons) and on equivalence."""

    different: float
    small: float

    @classmethod
    def of(cls, look: LookSettings, comparisons: int) -> Level:
        """The levels of one of several looks."""
        return cls(look.alpha / comparisons, look.one_sided_alpha)


@dataclass(frozen=True)
class Judged:
    """The verdict on each system; what hangs on one name or template is neither."""

    equivalent: Bools
    different: Bools

    @property
    def open(self) -> Bools:
        """Cannot tell."""
        return ~(self.equivalent | self.different)


@dataclass(frozen=True)
class InWaves:
    """How systems came out that were asked in waves."""

    equivalent: float
    different: float
    given_up: float
    """The share that stopped because names alone will not settle it; they are open."""
    last: Ints
    """For each system, the number of the wave at which it stopped."""

    @property
    def open(self) -> float:
        """Asked to the end, or given up."""
        return max(0.0, 1 - self.equivalent - self.different)


class Judge:
    """Takes verdicts as audits do, for one tolerance and one level."""

    def __init__(self, level: Level, *, delta: float, steady: bool = True) -> None:
        self._level = level
        self._delta = delta
        self._steady = steady
        # Quantiles of t by 1/df, once for all: there are a hundred thousand of them to look up.
        self._inverse = np.linspace(1e-9, 1.0, NODES)
        self._wide, self._narrow = (
            special.stdtrit(1 / self._inverse, 1 - tail) for tail in (level.different / 2, level.small)
        )

    def verdicts(self, reached: Reached, gap: float) -> Judged:
        """On every system, were this the true gap."""
        whole, moved = self._plain(reached.whole, gap), reached.whole.estimate + gap
        holds = np.ones(len(moved), dtype=bool)
        for part in reached.without if self._steady else ():
            again, left = self._plain(part, gap), part.estimate + gap
            hangs = whole.equivalent & ~again.equivalent & (np.abs(left) > np.abs(moved))
            same = again.different & (np.sign(left) == np.sign(moved))
            hangs |= whole.different & ~same & ((moved - left) * np.sign(moved) > 0)
            holds &= ~hangs
        return Judged(whole.equivalent & holds, whole.different & holds)

    def _plain(self, found: Estimated, gap: float) -> Judged:
        defined = (found.error > 0) & (found.df >= 1)
        inverse = 1 / np.where(defined, found.df, 1.0)
        error, estimate = np.where(defined, found.error, np.inf), np.abs(found.estimate + gap)
        wide, narrow = (np.interp(inverse, self._inverse, one) for one in (self._wide, self._narrow))
        equivalent = estimate + narrow * error <= self._delta
        return Judged(equivalent, ~equivalent & (estimate > wide * error))

    def gives_up(self, reached: Reached, gap: float) -> Bools:
        """Where more names would show neither that the gap is small nor that it is there, as audits see it."""
        estimate = reached.whole.estimate + gap
        delta = np.full(estimate.shape, self._delta)
        level = {"alpha": self._level.small, "test_alpha": self._level.different}
        if_zero = largest_error(np.zeros(1), delta[:1], **level)[0] ** 2 <= reached.rest
        found: Bools = if_zero.copy()
        if found.any():
            found[if_zero] = largest_error(estimate[if_zero], delta[if_zero], **level) ** 2 <= reached.rest[if_zero]
        return found


def in_waves(looks: Sequence[Reached], judges: Sequence[Judge], gap: float, *, given_up: bool = True) -> InWaves:
    """Ask wave by wave until each system is settled, given up or at its last look."""
    systems = len(looks[0].whole.estimate)
    equivalent, different, gave_up = (np.zeros(systems, dtype=bool) for _ in range(3))
    in_a_row, last = np.zeros(systems, dtype=np.int64), np.full(systems, len(looks) - 1)
    going = np.ones(systems, dtype=bool)
    for number, (look, judge) in enumerate(zip(looks, judges, strict=True)):
        judged = judge.verdicts(look, gap)
        equivalent |= going & judged.equivalent
        different |= going & judged.different
        stops = going & ~judged.open
        if given_up and look.names >= FEWEST_TO_GIVE_UP:
            in_a_row = np.where(going & judged.open & judge.gives_up(look, gap), in_a_row + 1, 0)
            gave_up |= going & (in_a_row >= GIVEN_UP_AFTER)
            stops |= gave_up & going
        last[stops] = number
        going &= ~stops
    return InWaves(float(equivalent.mean()), float(different.mean()), float(gave_up.mean()), last)


def shares(judged: Judged) -> Mapping[str, float]:
    """Of the systems, how many came out how."""
    equivalent, different = float(judged.equivalent.mean()), float(judged.different.mean())
    return {"equivalent": equivalent, "different": different, "open": max(0.0, 1 - equivalent - different)}

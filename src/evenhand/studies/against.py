"""Studies of many systems: a system beside the baseline that sees words alone and was taught on the same data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from evenhand.findings import Finding, Interval

BASELINE = "SVM-Unigrams"

Effect = Literal["accentuates", "mitigates", "reverses", "adds", "no clear change"]
EFFECTS: tuple[Effect, ...] = ("accentuates", "mitigates", "reverses", "adds", "no clear change")


@dataclass(frozen=True)
class Against:
    """What a system does to the gap of the baseline, on these very persons and in general."""

    baseline_gap: float
    change: float
    """The system's gap less the baseline's."""
    interval: Interval
    general_interval: Interval | None
    effect: Effect
    general_effect: Effect | None
    """None where the generalising test is undefined."""


@dataclass(frozen=True)
class Change:
    """How two systems' gaps differ, by both tests; 0 where they are not shown to, None where undefined."""

    published: float
    interval: Interval
    general: float | None
    general_interval: Interval | None


def find_baseline(wanted: str | None, systems: Iterable[str]) -> str | None:
    """The system that is meant, whatever its case and hyphens; the usual one if none is named, and None without it."""
    spelled = {_plain(system): system for system in systems}
    return spelled.get(_plain(wanted or BASELINE))


def against(system: Finding, baseline: Finding, change: Change) -> Against:
    """Judge a gap by the baseline's; `change` is what the difference of the two systems' scores shows."""
    general: Effect | None = None
    ours, theirs = system.generalising, baseline.generalising
    if change.general is not None and ours.estimate is not None and theirs.estimate is not None:
        general = effect(
            _shown(ours.estimate, ours.significant), _shown(theirs.estimate, theirs.significant), change.general
        )
    gap, baseline_gap = (_shown(one.mean_difference, one.significant) for one in (system, baseline))
    return Against(
        baseline_gap=baseline.mean_difference,
        change=system.mean_difference - baseline.mean_difference,
        interval=change.interval,
        general_interval=change.general_interval,
        effect=effect(gap, baseline_gap, change.published),
        general_effect=general,
    )


def effect(system: float, baseline: float, change: float) -> Effect:
    """What a system does to the baseline's gap; a gap (or change) that is not shown to be any is 0.

    >>> effect(0.03, 0.01, 0.02), effect(0.0, 0.01, -0.01), effect(-0.02, 0.01, -0.03), effect(0.02, 0.0, 0.02)
    ('accentuates', 'mitigates', 'reverses', 'adds')
    >>> effect(0.011, 0.01, 0.0)
    'no clear change'
    """
    if change == 0:
        return "no clear change"
    if baseline == 0:
        return "adds" if system != 0 else "no clear change"
    if (change > 0) == (baseline > 0):
        return "accentuates"
    return "reverses" if system != 0 and (system > 0) != (baseline > 0) else "mitigates"


def _shown(gap: float, significant: bool | None) -> float:
    return gap if significant else 0.0


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()

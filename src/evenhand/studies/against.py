"""Studies of many systems: a system beside the baseline that sees words alone and was taught on the same data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from evenhand.comparing.findings import Finding, Interval
from evenhand.errors import UsageError, did_you_mean

BASELINE = "SVM-Unigrams"

Effect = Literal["accentuates", "mitigates", "reverses", "adds", "no clear change"]
EFFECTS: tuple[Effect, ...] = ("accentuates", "mitigates", "reverses", "adds", "no clear change")


@dataclass(frozen=True)
class Against:
    """What a system does to the gap of the baseline, on these very persons and in general."""

    baseline_gap: float
    change: float
    """The system's gap less the baseline's; 0 where it is rounding."""
    interval: Interval
    general_interval: Interval | None
    effect: Effect
    general_effect: Effect | None
    """None where the generalising test is undefined."""


@dataclass(frozen=True)
class Change:
    """How two systems' gaps differ, by both tests; 0 where they are not shown to, None where undefined."""

    mean: float
    """On these persons, whether it is shown or not."""
    published: float
    interval: Interval
    general: float | None
    general_interval: Interval | None


def find_baseline(wanted: str | None, systems: Iterable[str]) -> str | None:
    """The system that is meant, whatever its case and hyphens; the usual one if none is named, and None without it."""
    spelled = {_plain(system): system for system in systems}
    found = spelled.get(_plain(BASELINE if wanted is None else wanted))
    if found is None and wanted is not None:
        raise UsageError(f"no system {wanted!r} to hold the others against{did_you_mean(wanted, spelled.values())}")
    return found


def is_usual(baseline: str) -> bool:
    """Whether it is the baseline of the task, which everybody may be told of by name.

    >>> is_usual("svm unigrams"), is_usual("team-03")
    (True, False)
    """
    return _plain(baseline) == _plain(BASELINE)


def against(system: Finding, baseline: Finding, change: Change) -> Against:
    """Judge a gap by the baseline's; `change` is what the difference of the two systems' scores shows."""
    general: Effect | None = None
    ours, theirs = system.generalising, baseline.generalising
    if change.general is not None and ours.estimate is not None and theirs.estimate is not None:
        known = _shown(theirs.estimate, theirs.significant)
        general = effect(ours.estimate, known, change.general, shown=bool(ours.significant))
    known = _shown(baseline.mean_difference, baseline.significant)
    return Against(
        baseline_gap=baseline.mean_difference,
        change=change.mean,
        interval=change.interval,
        general_interval=change.general_interval,
        effect=effect(system.mean_difference, known, change.published, shown=system.significant),
        general_effect=general,
    )


def effect(system: float, baseline: float, change: float, *, shown: bool = True) -> Effect:
    """What a system does to the baseline's gap; `shown` says whether its own gap is. What is not shown else is 0.

    >>> effect(0.03, 0.01, 0.02), effect(0.001, 0.01, -0.009), effect(-0.02, 0.01, -0.03), effect(0.02, 0.0, 0.02)
    ('accentuates', 'mitigates', 'reverses', 'adds')
    >>> effect(0.011, 0.01, 0.0)
    'no clear change'

    A gap that may be none mitigates only if it is the smaller one:

    >>> effect(-0.001, 0.01, -0.011, shown=False), effect(-0.05, 0.01, -0.06, shown=False)
    ('mitigates', 'no clear change')
    """
    if change == 0:
        return "no clear change"
    if baseline == 0:
        return "adds" if shown and system != 0 else "no clear change"
    if (change > 0) == (baseline > 0):
        return "accentuates"
    if shown and (system > 0) != (baseline > 0) and system != 0:
        return "reverses"
    return "mitigates" if abs(system) < abs(baseline) else "no clear change"


def _shown(gap: float, significant: bool | None) -> float:
    return gap if significant else 0.0


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()

"""What would settle a question that nobody can decide yet: how many more there would have to be, and at what cost."""

from __future__ import annotations

import math

from evenhand.comparing.findings import Finding, Power, Sequential
from evenhand.report.audit.naming import people

MOST_TO_ASK_FOR = 5_000
"""More names than this per group are not to be had."""


def settling(finding: Finding, what: str = "gap") -> str:
    """What would decide where nobody can tell yet, of a gap or of a difference between two."""
    if finding.verdict != "cannot tell" or finding.generalising.interval is None or finding.withheld is not None:
        return ""
    if finding.power.persons_needed is None:
        reason = finding.undefined.get("power.persons_needed", "").replace("persons", people(finding))
        return reason[:1].upper() + reason[1:]
    return _more_needed(finding.power, finding.power.persons_needed, what=what, path=finding.sequential)


def _more_needed(power: Power, needed: int, *, what: str, path: Sequential | None) -> str:
    """How many more there would have to be, if what is asked about is zero and if it is as estimated."""
    called = "people" if power.vary == "persons" else power.vary
    more = math.ceil(needed - power.vary_per_group)
    if more <= 0:
        return ""
    if more > MOST_TO_ASK_FOR:
        return f"This corpus is far too small to decide at this tolerance, and so is any list of {called}"
    alone = f", if you look at the {called} alone" if power.alone else ""
    few = f"{power.vary_per_group:,.0f} {called} per group are too few"
    if path is not None and path.stopped == "last wave":
        return _planned_anew(power, needed, few, path)
    small = "This corpus is too small" if path is None else few
    text = (
        f"{small} to decide: if the {what} is zero, about {more:,} more {called} per group{_calls(power, path, more)} "
        f"would decide four times in five{alone}"
    )
    if power.needed_at_gap is None:
        return f"{text}; if it is as large as it looks, no number would at this tolerance"
    at_gap = math.ceil(power.needed_at_gap - power.vary_per_group)
    if at_gap <= 0:
        return text
    more_at_gap = f"{at_gap:,} more{_calls(power, path, at_gap)}" if at_gap <= MOST_TO_ASK_FOR else "far more"
    return f"{text}; if it is as large as it looks, {more_at_gap}"


def _planned_anew(power: Power, needed: float, few: str, path: Sequential) -> str:
    """Where the looks of a plan have spent its level: how large another audit would have to be."""
    text = (
        f"{few} to decide. Another audit, of about {math.ceil(needed):,} {power.vary} per group"
        f"{_calls(power, path, math.ceil(needed), '')}, would decide four times in five if the gap is zero"
    )
    at_gap = power.needed_at_gap
    if at_gap is None:
        return f"{text}; if it is as large as it looks, no number would at this tolerance"
    if at_gap <= needed:
        return text
    many = f"{math.ceil(at_gap):,}" if at_gap <= MOST_TO_ASK_FOR else "far more"
    return f"{text}; if it is as large as it looks, it takes {many}"


def _calls(power: Power, path: Sequential | None, more: int, word: str = "more ") -> str:
    """What so many more would take, where it was asked in waves: every name stands in the same sentences."""
    if path is None or not power.vary_per_group:
        return ""
    calls = math.ceil(path.calls * more / power.vary_per_group)
    return f" ({calls:,} {word}calls{money(calls, path, ', at a cost of ')})"


def money(calls: int, path: Sequential, lead: str = "") -> str:
    """What calls cost, where it is known."""
    return "" if path.price is None else f"{lead}{calls * path.price:,.2f}"

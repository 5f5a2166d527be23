"""Metrics for reading in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.text import Text

from evenhand.measuring import Measured, Metrics
from evenhand.metrics.measurements import Measurement
from evenhand.report.audit.amounts import number
from evenhand.report.common.console import Column, print_table
from evenhand.report.metrics.models import COLUMNS as MODELS
from evenhand.report.metrics.models import lines
from evenhand.report.metrics.words import (
    group_label,
    in_words,
    lead,
    metric,
    metric_rests_on,
    shown,
    shown_chance,
    shown_error,
    shown_expected,
    shown_interval,
    why_no_interval,
)

COLUMNS = (
    Column("metric"),
    Column("class"),
    Column("value", right=True),
    Column("fair system", right=True),
    Column("p", right=True),
    Column("interval", right=True),
    Column("ideal", right=True),
    Column("furthest from it", wraps=True),
)


def print_measurements(report: Metrics, console: Console) -> None:
    """What each result says in words, then its table of metrics."""
    for result in report.results:
        console.print(Text(f"{lead(result)}: {in_words(result)}"))
    console.print()
    for result in report.results:
        rows = [_row(result, name, label, found) for name, label, found in result.measurements if _known(found)]
        print_table(console, COLUMNS, rows, title=lead(result), leads=2)
        for line in _captions(result):
            console.print(Text(line, style="dim"))
        console.print()
    for title, found, more, said in lines(report.models):
        if found:
            print_table(console, MODELS, [one.cells for one in found], title=title, leads=2)
        else:
            console.print(Text(title, style="bold"))
        console.print(Text(f"{f'{more:,} more: --json or --out. ' if more else ''}{said}"))
        console.print()
    _print_left_out(report, console)


def print_summary(report: Metrics, console: Console) -> None:
    """What the metrics say in words; `evenhand measure` prints them all."""
    console.print()
    console.print(Text("Metrics, with the labels of the corpus as gold", style="bold"))
    for result in report.results:
        console.print(Text(f"• {lead(result)}: {in_words(result)}"))
    _print_left_out(report, console)


def _print_left_out(report: Metrics, console: Console) -> None:
    for line in report.left_out:
        console.print(Text(f"left out: {line}"), soft_wrap=True)


def _row(result: Measured, name: str, label: str, found: Measurement) -> tuple[str, ...]:
    furthest = _furthest(result, name, found.by_group)
    rests_on = metric_rests_on(found)
    said = ", ".join(part for part in (furthest, rests_on) if part)
    chance = shown_expected(found), shown_chance(found)
    return name, label, shown(found), *chance, shown_interval(found), f"{metric(name).ideal:g}", said


def _known(found: Measurement) -> bool:
    return found.value is not None or any(value is not None for value in found.by_group.values())


def _captions(result: Measured) -> Iterator[str]:
    """What was sampled, and why what is missing from the table is undefined, or has no interval."""
    sampled = [f"{name} {shown_error(found)}" for name, _, found in result.measurements if found.error is not None]
    if sampled:
        yield f"sampled from all combinations of terms, with standard errors: {', '.join(sampled)}"
    undefined: dict[str, dict[str, None]] = {}
    steady: dict[str, dict[str, None]] = {}
    for name, _, found in result.measurements:
        if not _known(found):
            undefined.setdefault(found.undefined or "", {})[name] = None
        elif why_no_interval(found):
            steady.setdefault(why_no_interval(found), {})[name] = None
    for lead_in, reasons in (("undefined", undefined), ("no interval", steady)):
        if reasons:
            yield f"{lead_in}: " + "; ".join(f"{', '.join(names)}: {why}" for why, names in reasons.items())


def _furthest(result: Measured, name: str, by_group: Mapping[str, float | None]) -> str:
    known = {group: value for group, value in by_group.items() if value is not None}
    # Where all groups are compared at once, a group's part is its score and not a deviation.
    if not known or metric(name).shape == "MCM":
        return ""
    group = max(known, key=lambda one: abs(known[one] - metric(name).ideal))
    if known[group] == metric(name).ideal:
        return ""
    return f"{group_label(result, group)} {number(known[group])}"

"""Metrics for reading in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evenhand.measuring import Measured, Metrics
from evenhand.report.measured.words import in_words, lead, metric, shown, shown_error, shown_interval
from evenhand.report.words import number

COLUMNS: dict[str, Literal["left", "right"]] = {
    "metric": "left",
    "class": "left",
    "value": "right",
    "interval": "right",
    "ideal": "right",
    "furthest from it": "left",
}


def print_measurements(report: Metrics, console: Console) -> None:
    """A table of metrics for each result, and what it says in words."""
    for result in report.results:
        console.print(_table(result))
        console.print(Text(in_words(result)))
        console.print()
    for line in report.left_out:
        console.print(Text(f"left out: {line}"), soft_wrap=True)


def print_summary(report: Metrics, console: Console) -> None:
    """What the metrics say in words; `evenhand measure` prints them all."""
    console.print("Metrics (gold labels are those of the corpus):")
    for result in report.results:
        console.print(Text(f"{lead(result)}: {in_words(result)}"))
    for line in report.left_out:
        console.print(Text(f"left out: {line}"), soft_wrap=True)


def _table(result: Measured) -> Table:
    table = Table(title=lead(result), title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for name, side in COLUMNS.items():
        table.add_column(name, justify=side, no_wrap=name != "metric")
    previous = ""
    undefined: dict[str, list[str]] = {}
    sampled: list[str] = []
    for name, label, found in result.measurements:
        if found.value is None and not any(value is not None for value in found.by_group.values()):
            undefined.setdefault(found.undefined or "", []).append(name)
            continue
        table.add_row(
            "" if name == previous else name, label, shown(found), shown_interval(found), f"{metric(name).ideal:g}",
            _furthest(name, found.by_group),
        )  # fmt: skip
        previous = name
        sampled += [f"{name} {shown_error(found)}"] if found.error is not None else []
    captions = [f"sampled from the product of terms, with a standard error: {', '.join(sampled)}"] if sampled else []
    if undefined:
        reasons = "; ".join(f"{', '.join(dict.fromkeys(names))}: {why}" for why, names in undefined.items())
        captions.append(f"undefined: {reasons}")
    table.caption = "\n".join(captions) or None
    table.caption_justify = "left"
    return table


def _furthest(name: str, by_group: Mapping[str, float | None]) -> str:
    known = {group: value for group, value in by_group.items() if value is not None}
    # Where all groups are compared at once, a group's part is its score and no deviation.
    if not known or metric(name).shape == "MCM":
        return ""
    group = max(known, key=lambda one: abs(known[one] - metric(name).ideal))
    return "" if known[group] == metric(name).ideal else f"{group} {number(known[group])}"

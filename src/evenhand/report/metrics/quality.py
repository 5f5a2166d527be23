"""Quality by group, for reading in a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from evenhand.metrics.quality import Estimate, Quality
from evenhand.report.audit.amounts import number
from evenhand.report.common.console import Column, print_table


def print_quality(quality: Quality, by: str, console: Console) -> None:
    """A row per group, and one per difference between groups."""
    names = list(quality.overall.measures)
    columns = [Column(by), Column("rows", right=True), *(Column(name, right=True) for name in names)]
    groups = {"all": quality.overall, **quality.by_group}
    rows = [(name, f"{group.rows:,}", *_cells(group.measures, names)) for name, group in groups.items()]
    rows += [(f"{one.first} − {one.second}", "", *_cells(one.measures, names)) for one in quality.differences]
    print_table(console, columns, rows, title=f"Quality by {by}")
    if quality.resamples:
        console.print(f"In brackets: {quality.level:.0%} intervals from {quality.resamples:,} resamples.", style="dim")
    if quality.left_out:
        console.print(f"{quality.left_out:,} rows without a group were left out.", style="dim")


def _cells(measures: Mapping[str, Estimate], names: list[str]) -> list[str]:
    return [_cell(measures[name]) for name in names]


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return "undefined"
    ends = "" if estimate.interval is None else f" ({number(estimate.interval[0])} to {number(estimate.interval[1])})"
    return f"{number(estimate.value)}{ends}"

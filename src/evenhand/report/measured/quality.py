"""Quality by group, for reading in a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from evenhand.metrics.quality import Estimate, Quality
from evenhand.report.words import number


def print_quality(quality: Quality, by: str, console: Console) -> None:
    """A row per group, and one per difference between groups."""
    table = Table(title=f"Quality by {by}", title_justify="left", box=None, pad_edge=False)
    names = list(quality.overall.measures)
    for heading in (by, "rows", *names):
        table.add_column(heading, justify="left" if heading == by else "right")
    for name, group in {"all": quality.overall, **quality.by_group}.items():
        table.add_row(name, f"{group.rows:,}", *_cells(group.measures, names))
    for difference in quality.differences:
        table.add_row(f"{difference.first} − {difference.second}", "", *_cells(difference.measures, names))
    console.print(table)
    if quality.resamples:
        console.print(f"Intervals of {quality.level:.0%} from {quality.resamples:,} resamples.", style="dim")
    if quality.left_out:
        console.print(f"{quality.left_out:,} rows without a group were left out.", style="dim")


def _cells(measures: Mapping[str, Estimate], names: list[str]) -> list[str]:
    return [_cell(measures[name]) for name in names]


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return "undefined"
    ends = "" if estimate.interval is None else f" ({number(estimate.interval[0])} to {number(estimate.interval[1])})"
    return f"{number(estimate.value)}{ends}"

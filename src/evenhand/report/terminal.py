"""A report in the terminal: a table to read at a glance, then one sentence per finding, and what else to know."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evenhand.comparing.audit import Audit
from evenhand.findings import Finding
from evenhand.report.ability import ability_in_words
from evenhand.report.words import (
    groups_in_words,
    in_words,
    labels,
    number,
    several_comparisons,
    short_comparison,
    short_p,
    short_verdict,
)

COLOURS = {"higher": "bold red", "lower": "bold red", "equivalent": "green", "cannot tell": "yellow"}
ABILITY_COLOURS = {True: "bold red", False: "green", None: "yellow"}
READING = (
    "Gap: first group minus second ({groups}), in the output's own units. On these: the published paired test, for "
    "these very persons; p is adjusted. In general: the {level} interval for persons, templates and words like these; "
    "the verdict comes from it, after correction for many questions. No significant difference does not mean fair."
)


NARROW = 72
LONGEST_NAME, SHORTEST_NAME = 26, 7
NARROWEST_COMPARISON = 10
P_HEADING, P_WIDTH = "p, on these", len("< 0.001")
"""The heading takes two lines where names need its room."""
BETWEEN = 2
"""Spaces between columns."""


def print_report(report: Audit, console: Console) -> None:
    """Print the table and the sentences; where there is no room for a table, the sentences alone."""
    if console.width >= NARROW:
        console.print(_table(report, console.width))
    console.print()
    console.print(Text(_reading(report), style="dim"))
    console.print()
    for finding in report.findings:
        console.print(Text("• ", style=COLOURS[finding.verdict]) + Text(in_words(finding)))
    if report.abilities:
        _heading("Is the system able at all?", console)
        for ability in report.abilities:
            style = ABILITY_COLOURS[ability.weak]
            # What warns is coloured throughout: it says that all of the above may mean nothing.
            said = Text(ability_in_words(ability), style=style if ability.weak else "")
            console.print(Text("• ", style=style) + said)
    if report.notes:
        _heading("Notes", console)
        for note in report.notes:
            console.print(Text(f"• {note}"))


def _heading(text: str, console: Console) -> None:
    console.print()
    console.print(Text(text, style="bold"))


def _table(report: Audit, width: int) -> Table:
    names = labels(report.findings)
    several = several_comparisons(report.findings)
    rows = [_row(finding, several) for finding in report.findings]
    room = _room_for_names(rows, width)
    wanted = min(max(map(len, names.values()), default=0), LONGEST_NAME)
    heading = P_HEADING if wanted + len(P_HEADING) - P_WIDTH <= room else P_HEADING.replace("on ", "on\n")
    most = min(max(room, SHORTEST_NAME), LONGEST_NAME)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("system", no_wrap=True)
    # What is compared stays readable: nothing else in the row says it.
    table.add_column("comparison", overflow="fold", min_width=NARROWEST_COMPARISON)
    table.add_column("gap", justify="right", no_wrap=True)
    table.add_column(heading, no_wrap=True)
    table.add_column("in general", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    previous = None
    for finding, row in zip(report.findings, rows, strict=True):
        name = names[finding.system, finding.output]
        table.add_row(Text("" if name == previous else shortened(name, most)), *row)
        previous = name
    return table


def _room_for_names(rows: Sequence[tuple[str | Text, ...]], width: int) -> int:
    """What the columns that cannot give way leave for the systems' names, which can."""
    if not rows:
        return width
    _, gaps, _, intervals, verdicts = zip(*rows, strict=True)
    taken = sum(max(len(cell) for cell in column) for column in (gaps, intervals, verdicts))
    return width - taken - P_WIDTH - NARROWEST_COMPARISON - BETWEEN * len(rows[0])


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """A name cut in the middle, where it is long.

    >>> shortened("file:predictions/of/the/third/model.csv")
    'file:predicti…rd/model.csv'
    """
    if len(name) <= most:
        return name
    kept = most - 1
    return f"{name[: kept - kept // 2]}…{name[-(kept // 2) :]}"


def _reading(report: Audit) -> str:
    groups = groups_in_words(report.findings)
    return READING.format(groups=groups, level=f"{100 * (1 - report.provenance.settings['alpha']):g} %")


def _row(finding: Finding, several: set[str]) -> tuple[str | Text, ...]:
    scale = finding.span
    interval = finding.generalising.interval
    between = "undefined" if interval is None else " to ".join(number(end, span=scale) for end in interval)
    return (
        Text(short_comparison(finding, several)),
        number(finding.mean_difference, span=scale),
        short_p(finding),
        between,
        Text(short_verdict(finding), style=COLOURS[finding.verdict]),
    )

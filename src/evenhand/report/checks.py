"""Published figures beside one's own, for reading in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from evenhand.printing.screen import Cell
from evenhand.published.checks import Check, Outcome
from evenhand.published.eec_prose import SUBMISSIONS
from evenhand.report.common.console import Column, print_table

COLUMNS = (
    Column("claim", wraps=True),
    Column("where", wraps=True),
    Column("printed", wraps=True),
    Column("here", wraps=True),
    Column("outcome"),
)
STYLES: dict[Outcome, str] = {"reproduced": "green", "differs": "bold red", "needs data": "dim"}


def print_checks(checks: Sequence[Check], console: Console, *, everything: bool = False) -> None:
    """A line for each claim, what is known to be wrong with those that differ, and what is needed for the others.

    Without `everything`, cells of tables only if they were checked, and those that another line counts only if they
    differ.
    """
    shown = [check for check in checks if everything or _worth_a_line(check)]
    print_table(console, COLUMNS, [_row(check) for check in shown])
    counted = Counter(check.outcome for check in checks)
    console.print(", ".join(f"{counted[outcome]} {outcome}" for outcome in STYLES))
    for place, number in Counter(check.taken_from for check in checks if check.taken_from).items():
        console.print(Text(f"{number} claims are held against {place}"), style="dim", soft_wrap=True)
    for erratum in sorted({erratum for check in shown for erratum in check.errata}):
        console.print(Text(erratum), style="dim", soft_wrap=True)
    for needs, number in Counter(check.needs for check in checks if check.needs).items():
        console.print(Text(f"{number} claims need {needs}"), style="dim", soft_wrap=True)


def _row(check: Check) -> tuple[Cell, ...]:
    ids = " ".join(erratum.partition(":")[0] for erratum in check.errata)
    outcome = Text(f"{check.outcome} {ids}".rstrip(), style=STYLES[check.outcome])
    return check.claim, check.where, check.printed, check.here or "–", outcome


def _worth_a_line(check: Check) -> bool:
    return check.needs != SUBMISSIONS and not (check.counted and check.outcome != "differs")

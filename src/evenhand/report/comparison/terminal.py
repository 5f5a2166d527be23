"""A comparison in the terminal: a table to read at a glance, then one sentence per question."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evenhand.comparing.comparison import Comparison
from evenhand.comparing.differences import GapDifference
from evenhand.printing.screen import Cell
from evenhand.report.audit.naming import people_of
from evenhand.report.audit.standing import look
from evenhand.report.audit.terminal import COLOURS
from evenhand.report.audit.terms import terms_of
from evenhand.report.common.console import Column, print_table
from evenhand.report.comparison.words import (
    levels_in_words,
    metrics_in_words,
    questions,
    short_verdict,
    shown,
    shown_interval,
    told,
)

READING = (
    "Difference: the second system's gap minus the first's, sentence by sentence, so that whatever both do to the same "
    "{people} cancels out. The interval is for {people}, templates and words like these, and is the one that the "
    "verdict was taken from ({levels}). A smaller gap does not mean “fair”."
)


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the table and the sentences."""
    console.print(Text(_title(comparison), style="bold"), soft_wrap=True)
    console.print()
    rows = [_row(gap, asked) for gap, asked in zip(comparison.gaps, questions(comparison), strict=True)]
    print_table(console, _columns(comparison), rows)
    if rows:
        console.print()
    for seen, _, sentence in told(comparison.gaps):
        console.print(Text("• ", style=COLOURS[seen]) + Text(sentence))
    for measured in comparison.metrics:
        console.print(Text(f"• {metrics_in_words(measured)}"))
    for note in comparison.notes:
        console.print(Text(f"Note: {note}"))
    console.print()
    console.print(Text(_reading(comparison), style="dim"))


def _title(comparison: Comparison) -> str:
    return f"{comparison.other} against {comparison.one}, on {comparison.shared.sentences:,} shared sentences"


def _reading(comparison: Comparison) -> str:
    return READING.format(
        levels=levels_in_words(comparison),
        people=people_of(gap.one for gap in comparison.gaps) if comparison.gaps else "people",
    )


def _columns(comparison: Comparison) -> list[Column]:
    terms = terms_of([gap.one for gap in comparison.gaps])
    numbers = [Column(terms.heading(text), right=True) for text in ("first", "second", "difference", "interval")]
    return [Column("gap", wraps=True), *numbers, Column("verdict")]


def _row(gap: GapDifference, asked: str) -> tuple[Cell, ...]:
    return (
        asked,
        *(shown(gap, finding.generalising.estimate) for finding in (gap.one, gap.other, gap.difference)),
        shown_interval(gap, gap.difference),
        Text(short_verdict(gap), style=COLOURS[look(gap.difference)]),
    )

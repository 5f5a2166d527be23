"""A comparison in the terminal: a table to read at a glance, then one sentence per question."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evenhand.comparing.comparison import Comparison
from evenhand.comparing.differences import GapDifference
from evenhand.report.audit.terminal import COLOURS
from evenhand.report.comparison.words import in_words, metrics_in_words, questions, short_verdict, shown, shown_interval

READING = (
    "Difference: the second system's gap minus the first's, sentence by sentence, so that what both do alike to a name "
    "cancels out. Its {level} interval is for names, templates and words like these; verdicts are corrected for "
    "{questions} questions. A smaller gap does not mean fair."
)
HEADINGS = ("gap", "first", "second", "difference", "interval", "verdict")
NARROWEST, BETWEEN = 12, 2


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the table, where it fits, and the sentences."""
    console.print(Text(_title(comparison), style="bold"), soft_wrap=True)
    console.print()
    table = _table(comparison)
    # Asked about its least width, a table answers with the console's; what its columns need is known.
    if sum((column.min_width or 0) + BETWEEN for column in table.columns) - BETWEEN <= console.width:
        console.print(table)
        console.print()
    for gap in comparison.gaps:
        console.print(Text("• ", style=COLOURS[gap.difference.verdict]) + Text(in_words(gap)))
    for measured in comparison.metrics:
        console.print(Text(f"• {metrics_in_words(measured)}"))
    for note in comparison.notes:
        console.print(Text(f"Note: {note}"))
    console.print()
    console.print(Text(_reading(comparison), style="dim"))


def _title(comparison: Comparison) -> str:
    return f"{comparison.other} against {comparison.one}, on {comparison.shared.sentences:,} shared sentences"


def _reading(comparison: Comparison) -> str:
    settings, details = comparison.provenance.settings, comparison.provenance.details
    return READING.format(level=f"{100 * (1 - settings['alpha']):g} %", questions=details["assessments"])


def _table(comparison: Comparison) -> Table:
    rows = [_row(gap, asked) for gap, asked in zip(comparison.gaps, questions(comparison), strict=True)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    # Questions may take several lines; numbers and verdicts never do.
    table.add_column(HEADINGS[0], overflow="fold", min_width=NARROWEST)
    for place, heading in enumerate(HEADINGS[1:], start=1):
        widest = max(len(heading), *(len(row[place]) for row in rows))
        right = heading != HEADINGS[-1]
        table.add_column(heading, justify="right" if right else "left", no_wrap=True, min_width=widest)
    for row in rows:
        table.add_row(*row)
    return table


def _row(gap: GapDifference, asked: str) -> tuple[str | Text, ...]:
    return (
        Text(asked),
        *(shown(gap, finding.generalising.estimate) for finding in (gap.one, gap.other, gap.difference)),
        shown_interval(gap, gap.difference),
        Text(short_verdict(gap), style=COLOURS[gap.difference.verdict]),
    )

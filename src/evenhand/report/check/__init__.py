"""Gates, rendered: a table, a page with every limit, and a table as CSV."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evenhand.files.tables import table_bytes
from evenhand.gating.result import Check, Item
from evenhand.printing.screen import Cell
from evenhand.report.audit.figures import figure_files
from evenhand.report.check.figures import static_figures
from evenhand.report.check.words import (
    HEADINGS,
    in_order,
    listing,
    pairs,
    reading,
    row,
    sentence,
    several_outputs,
    title,
    worst,
)
from evenhand.report.common.console import Column, print_table
from evenhand.report.common.plain import Section, plain_page
from evenhand.results import Renderer
from evenhand.results.rendering import Files

LEAD = "Do gaps stay within their limits?"


def show(check: Check, console: Console) -> None:
    """What keeps the gate shut first."""
    good = "bold green" if _all_earned(check) else "bold"
    console.print(Text(title(check), style=good if check.passed else "bold red"))
    console.print()
    items, outputs = in_order(check.items), several_outputs(check.items)
    sides = pairs(check.items)
    rows: list[tuple[Cell, ...]] = []
    for item in items:
        *cells, outcome, reason = row(item, outputs=outputs, short=sides)
        rows.append((*cells, Text(outcome, style=colour(item)), reason))
    columns = [Column(heading, wraps=heading in ("limit on", "why")) for heading in HEADINGS]
    if not any(cells[-1] for cells in rows):
        columns, rows = columns[:-1], [cells[:-1] for cells in rows]
    print_table(console, columns, rows)
    console.print()
    first = "; ".join(f"{attribute}: {pair}" for attribute, pair in sides.items())
    console.print(Text(f"{reading(check)}{f' {first}.' if first else ''}", style="dim"))
    for note in check.notes:
        console.print(Text(f"Note: {note}", style="dim"))


def colour(item: Item) -> str:
    """Green is for systems that are shown to do their job."""
    if item.outcome == "fails":
        return "bold red"
    if item.outcome == "cannot tell":
        return "yellow"
    return "green" if item.does_its_job else "bold"


def _all_earned(check: Check) -> bool:
    return all(item.outcome == "passes" and item.does_its_job for item in check.items)


def to_html(check: Check) -> str:
    """The same on one page, with all limits and the sentences that differ most."""
    items = in_order(check.items)
    shut = [item for item in items if item.blocks]
    sections = [
        Section("In short", title(check), items=[sentence(item) for item in shut]),
        Section("Limits", "Every limit", listings=[listing(items)], remarks=[reading(check)]),
        *(
            Section(f"Sentences {place}", f"Sentences that differ most: {sentence(item)}", items=worst(item))
            for place, item in enumerate((item for item in shut if item.worst), start=1)
        ),
    ]
    return plain_page(check, title=title(check), lead=LEAD, sections=sections)


def text(check: Check) -> str:
    """The outcome, and what keeps the gate shut."""
    return "\n".join([title(check), *(sentence(item) for item in in_order(check.blocking))])


def _table(check: Check) -> Files:
    return {"check.csv": table_bytes(check.frame())}


RENDERER = Renderer(
    page_file="check.html",
    page=to_html,
    show=show,
    summary=title,
    text=text,
    beside=_table,
    figures=lambda check: figure_files(static_figures(check)),
)

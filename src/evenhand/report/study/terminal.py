"""A study for reading in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from evenhand.report.study.tables import UNDEFINED, cells
from evenhand.report.study.words import best_in_words, in_words, problem_in_words, summary, table_title
from evenhand.studies import Study, Table

MOST_PROBLEMS = 20
WIDE = 1_000
"""Wider than any table, to see how wide one is."""
LEGEND = (
    "subm.: submissions by the published test, then by other corrections; Δ > 0, Δ < 0: means of positive and of "
    "negative differences; general: by the test for persons in general; equiv.: those shown equivalent."
)


def print_study(study: Study, console: Console) -> None:
    """The tables on all sentences, what they say in words, and files that need a look."""
    for table in study.full():
        _print(table, study.general_tables[table.name], console)
    console.print(LEGEND, style="dim")
    for one in summary(study.statements):
        best = best_in_words(study.statements, one.attribute) if one.dimension is None else ""
        words = f"{one.attribute}: {in_words(one, study.tables[one.attribute])} {best}".rstrip()
        console.print(Text(words), soft_wrap=False)
    for problem in study.problems[:MOST_PROBLEMS]:
        console.print(Text(problem_in_words(problem)), soft_wrap=True)
    if len(study.problems) > MOST_PROBLEMS:
        console.print(f"… and {len(study.problems) - MOST_PROBLEMS} more")


def _print(table: Table, general: Table, console: Console) -> None:
    """A table, or where the terminal is too narrow for one, a line for each row: no number is ever cut."""
    rows = _rows(table, general)
    names = ["dimension", "group", "subm.", "Δ > 0", "Δ < 0", *table.corrections, "general", "equiv."]
    made = RichTable(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for place, heading in enumerate(names):
        made.add_column(heading, justify="left" if place < 2 else "right", no_wrap=True)
    for row in rows:
        made.add_row(*map(Text, row))
    console.print(Text(table_title(table), style="italic"))
    if console.measure(made, options=console.options.update(width=WIDE)).maximum <= console.width:
        console.print(made)
        return
    for dimension, group, *numbers in rows:
        counts = ", ".join(f"{name} {number}" for name, number in zip(names[2:], numbers, strict=True))
        console.print(Text(f"{f'{dimension}, ' if dimension else '  '}{group}: {counts}"))


def _rows(table: Table, general: Table) -> list[tuple[str, ...]]:
    groups = [(dimension, group) for dimension, rows in table.rows.items() for group in rows]
    made = []
    for (dimension, group), row in zip(groups, cells(table), strict=True):
        same = general.rows[dimension].get(group)
        counts = (same.submissions, same.equivalent) if same else (0, 0)
        made.append((*("–" if text == UNDEFINED else text for text in row), *map(str, counts)))
    return made

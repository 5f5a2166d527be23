"""A study for reading in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evenhand.report.audit.decisions import HEADING
from evenhand.report.common.console import Column, print_table
from evenhand.report.study import decisions
from evenhand.report.study.tables import UNDEFINED, cells
from evenhand.report.study.words import at_first, best_in_words, beyond, problems_in_words, summary, table_title
from evenhand.studies import Study, Table

MOST_PROBLEMS = 20
LEGEND = (
    "subm.: submissions by the published test, then by other corrections; Δ > 0, Δ < 0: means of positive and of "
    "negative differences; like these: by the test for people like these, corrected for all assessments "
    "of the study (a gap that is equivalent, or hangs on one person or template, is not counted as one); equiv.: those "
    "shown to be equivalent. The sentences above count the verdicts of each submission by itself."
)


def print_study(study: Study, console: Console) -> None:
    """What was found in words, the tables on all sentences, and files that need a look."""
    for one in summary(study.statements):
        console.print(Text(f"{one.attribute}: {at_first(one, study.tables[one.attribute])}"))
    console.print()
    for table in study.full():
        _print(table, study.general_tables[table.name], console)
    console.print(LEGEND, style="dim")
    for one in summary(study.statements):
        best = best_in_words(study.statements, one.attribute) if one.dimension is None else ""
        words = f"{one.attribute}: {beyond(one)} {best}".rstrip()
        console.print(Text(words), soft_wrap=False)
    if study.decisions:
        _print_decisions(study, console)
    problems = problems_in_words(study.problems)
    for words in problems[:MOST_PROBLEMS]:
        console.print(Text(words), soft_wrap=True)
    if len(problems) > MOST_PROBLEMS:
        console.print(f"… and {len(problems) - MOST_PROBLEMS} more, which the page (--out) and --json list")


def _print_decisions(study: Study, console: Console) -> None:
    columns = [Column(name, right=place > 2) for place, name in enumerate(decisions.HEADINGS)]
    print_table(console, columns, decisions.summary_rows(study, short=True), title=HEADING, leads=3)
    console.print(decisions.reading(study), style="dim")
    for words in decisions.in_words(study):
        console.print(Text(words), soft_wrap=False)


def _print(table: Table, general: Table, console: Console) -> None:
    names = ("subm.", "Δ > 0", "Δ < 0", *table.corrections, "like these", "equiv.")
    columns = [Column("dimension"), Column("group"), *(Column(name, right=True) for name in names)]
    print_table(console, columns, _rows(table, general), title=table_title(table), leads=2)


def _rows(table: Table, general: Table) -> list[tuple[str, ...]]:
    groups = [(dimension, group) for dimension, rows in table.rows.items() for group in rows]
    made = []
    for (dimension, group), (_, *row) in zip(groups, cells(table), strict=True):
        same = general.rows[dimension].get(group)
        counts = (same.submissions, same.equivalent) if same else (0, 0)
        made.append((dimension, *("–" if text == UNDEFINED else text for text in row), *map(str, counts)))
    return made

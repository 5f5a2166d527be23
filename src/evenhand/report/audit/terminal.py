"""An audit in the terminal: a table to read at a glance, a few sentences per finding, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.printing.screen import Cell
from evenhand.report.audit import path, signals
from evenhand.report.audit.ability import ability_in_words
from evenhand.report.audit.amounts import amount, short_p
from evenhand.report.audit.decisions import HEADING, print_decisions
from evenhand.report.audit.levels import corrected_for
from evenhand.report.audit.many import Table, tables_of, told_all
from evenhand.report.audit.naming import (
    groups_in_words,
    labels,
    others_like_these,
    outputs_in_words,
    people_of,
    short_comparisons,
)
from evenhand.report.audit.next_steps import DIFFERENT, WEAK, next_steps
from evenhand.report.audit.standing import ON_AVERAGE, TOO_WEAK, UNKNOWN, look
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.verdicts import STAR, interval_shown, these_alone, verdict_shown
from evenhand.report.common.console import Column, print_table
from evenhand.report.common.steps import print_steps

COLOURS = {
    "higher": "bold red",
    "lower": "bold red",
    "equivalent": "green",
    "no reaction seen": "cyan",
    "cannot tell": "yellow",
    UNKNOWN: "bold",
    ON_AVERAGE: "yellow",
    TOO_WEAK: "yellow",
}
"""By look. What says that there is no gap is green only of a system that does its job."""
STEP_COLOURS = {
    **COLOURS,
    DIFFERENT: COLOURS["higher"],
    WEAK: COLOURS[TOO_WEAK],
    "equivalent": COLOURS[UNKNOWN],  # what to do is no verdict, and not green
}
ABILITY_COLOURS = {True: "bold red", False: "green", None: "yellow"}
READING = (
    "Gap: {difference} ({groups}), {own_units}. The interval and the verdict are for "
    "{like_these}. {corrected}{condition} p: the published paired test, "
    "adjusted, which speaks only for the {people} tested. Neither “cannot tell” nor a large p means “fair”."
)
READING_OF_MANY = (
    "Gap: {difference}, {own_units}; all other groups count the same. The interval and the verdict are for "
    "{like_these}. {corrected}{condition} “Cannot tell” does not mean “fair”. The published test "
    "and all other numbers: --json or --out."
)
PAIRS = " Groups two by two: --pairs."


def print_report(report: Audit, console: Console) -> None:
    """Print the table, the sentences and the next steps."""
    scored = outputs_in_words(report.findings)
    if scored:
        console.print(Text(scored))
    print_findings(report.findings, console)
    console.print()
    console.print(Text(_reading(report), style="dim"))
    if starred := these_alone(report.findings):
        console.print(Text(starred, style="dim"))
    console.print()
    for one in told_all(report.findings):
        _bullet(one.text, console, style=COLOURS[one.look])
    if path.in_waves(report.findings):
        _heading(path.HEADING, console)
        path.print_path(report, console)
    if signals.told(report):
        _heading(signals.HEADING, console)
        signals.print_signals(report, console)
    if report.decisions:
        _heading(HEADING, console)
        print_decisions(report, console)
    if report.abilities:
        _heading("Does the system do its job?", console)
        for ability in report.abilities:
            style = ABILITY_COLOURS[ability.weak]
            # What warns is coloured throughout: it says that all of the above may mean nothing.
            _bullet(Text(ability_in_words(ability), style=style if ability.weak else ""), console, style=style)
    if report.notes:
        _heading("Notes", console)
        for note in report.notes:
            _bullet(str(note), console)
    print_steps(next_steps(report), console, STEP_COLOURS)


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """A table of pairs; then, of each attribute with more groups, one of each against the others."""
    names, tables = labels(findings), tables_of(findings)
    for number, table in enumerate(tables):
        if number:
            console.print()
        _print_table(table, names, console)
    if not tables:
        console.print("No group makes a difference to any score.")


def _print_table(table: Table, names: Mapping[tuple[str, str], str], console: Console) -> None:
    findings = table.findings
    rows = [
        (names[finding.system, finding.output], comparison, *_cells(finding))
        for finding, comparison in zip(findings, short_comparisons(findings), strict=True)
    ]
    # Labels of groups are long, and many: a single system and the published p need no columns of their own.
    many, alone = bool(findings[0].rest), bool(table.title) and len(names) == 1
    shown = slice(1 if alone else 0, -1 if many else None)
    title = f"{next(iter(names.values()))}: {table.title}" if alone else table.title
    columns = _columns(findings, "group" if many else "comparison")[shown]
    print_table(console, columns, [row[shown] for row in rows], title=title, leads=1 if alone else 2)


def _only_rest(report: Audit) -> bool:
    return all(finding.rest for finding in report.findings)


def _columns(findings: Sequence[Finding], comparison: str) -> Sequence[Column]:
    terms = terms_of(findings)
    return (
        Column("system"),
        Column(comparison, wraps=True),
        Column(terms.heading("gap"), right=True),
        Column(terms.heading("interval"), right=True),
        Column("verdict"),
        Column(f"p, {people_of(findings)} tested"),
    )


def _cells(finding: Finding) -> tuple[Cell, ...]:
    return (
        amount(finding.mean_difference, finding),
        interval_shown(finding, STAR),
        Text(verdict_shown(finding, STAR), style=COLOURS[look(finding)]),
        short_p(finding),
    )


def _reading(report: Audit) -> str:
    terms = terms_of(report.findings)
    difference = terms.of_many if _only_rest(report) else terms.difference
    reading = (READING_OF_MANY if _only_rest(report) else READING).format(
        difference=difference[:1].lower() + difference[1:],
        own_units=terms.own_units,
        groups=groups_in_words(report.findings),
        people=people_of(report.findings),
        like_these=others_like_these(report.findings),
        corrected=corrected_for(report),
        condition=_condition(report),
    )
    in_pairs = any(finding.rest for finding in report.findings) and not report.provenance.settings.get("pairs")
    return reading + (PAIRS if in_pairs else "")


def _condition(report: Audit) -> str:
    """No table says “equivalent” without the condition that it comes with."""
    if not any(finding.verdict == "equivalent" for finding in report.findings):
        return ""
    people = people_of(report.findings)
    return f" “Equivalent” holds for {people} that react as those tested do; below is what others could do."


def _bullet(text: str | Text, console: Console, *, style: str = "") -> None:
    console.print(Text("• ", style=style) + (text if isinstance(text, Text) else Text(text)))


def _heading(text: str, console: Console) -> None:
    console.print()
    console.print(Text(text, style="bold"))

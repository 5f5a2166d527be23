"""An audit on one screen of a terminal: the table, the worst of what was found, and a next step."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding, SentencePair
from evenhand.printing.screen import Screen
from evenhand.report.audit import decisions, path
from evenhand.report.audit.amounts import amount
from evenhand.report.audit.headline import headline, most_telling
from evenhand.report.audit.naming import groups_in_words, others_like_these, outputs_in_words, people_of
from evenhand.report.audit.next_steps import next_steps
from evenhand.report.audit.standing import look
from evenhand.report.audit.terminal import COLOURS, STEP_COLOURS, print_findings
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.verdicts import these_alone
from evenhand.report.common.brief import ROOM, drawn_lines, more_than, print_lines, rows
from evenhand.report.common.steps import print_step

MOST_ROWS, MOST_LINES = 8, 13
"""Of more findings, or of those that take more lines, the first screen has the most telling ones."""
LONGEST = 200
"""Pairs of sentences that are longer than this are no example that fits a line."""


def print_brief(report: Audit, console: Screen) -> None:
    """Table first, then what else a screen holds: the legend, what to do next, and the worst of what was found."""
    steps = next_steps(report)
    telling = most_telling(report.findings)
    shown = _that_fit(telling, report, console)

    def step(screen: Screen) -> None:
        for one in steps[:1]:
            print_step(one, screen, STEP_COLOURS.get(one.verdict, ""))

    table = _drawn_table(shown, report, console)
    decided, legend, step_lines, worst = (
        drawn_lines(console, draw)
        for draw in (
            lambda screen: _print_decided(telling, report, screen),
            lambda screen: screen.print(Text(_legend(shown, report), style="dim")),
            step,
            lambda screen: _print_worst(telling[0], screen),
        )
    )
    kept, room = [table], ROOM - rows(table, console) - 1
    for part in (decided, legend, step_lines, worst):
        if part and rows(part, console) < room:
            kept.append(part)
            room -= rows(part, console) + 1
    in_order = [part for part in (table, worst, decided, legend, step_lines) if part in kept]
    print_lines([line for part in in_order for line in (*part, "")][:-1], console)
    console.print(Text(more_than(steps), style="dim"))


def _that_fit(telling: Sequence[Finding], report: Audit, console: Screen) -> Sequence[Finding]:
    """All findings as they are ordered, or as many of the most telling ones as leave room for what they mean."""
    for number in range(min(MOST_ROWS, len(telling)), 1, -1):
        shown = report.findings if number == len(telling) else telling[:number]
        if rows(_drawn_table(shown, report, console), console) <= MOST_LINES:
            return shown
    return telling[:1]


def _drawn_table(shown: Sequence[Finding], report: Audit, console: Screen) -> list[str]:
    return drawn_lines(console, lambda screen: _print_table(shown, report, screen))


def _print_table(shown: Sequence[Finding], report: Audit, console: Screen) -> None:
    scored = outputs_in_words(report.findings)
    if scored:
        console.print(Text(scored))
    print_findings(shown, console)
    more = len(report.findings) - len(shown)
    if more:
        console.print(Text(f"… and {more:,} more finding{'s' if more > 1 else ''}", style="dim"))


def _print_worst(finding: Finding, console: Screen) -> None:
    """The finding in one line, and the two sentences that it shows in most."""
    console.print(Text(headline(finding), style=COLOURS[look(finding)]))
    for pair in finding.rests_on.sentences[:1]:
        if max(len(pair.first_text), len(pair.second_text)) <= LONGEST:
            for line in _pair(pair, finding):
                console.print(Text(line))


def _print_decided(telling: Sequence[Finding], report: Audit, console: Screen) -> None:
    """What was asked with a threshold, of the finding that matters most of those that have an answer."""
    found = {
        id(finding): decisions.in_words(decision, finding) for decision, finding in decisions.with_findings(report)
    }
    for finding in [one for one in telling if id(one) in found][:1]:
        console.print(Text(decisions.HEADING, style="bold"))
        console.print(Text(found[id(finding)]))


def _pair(pair: SentencePair, finding: Finding) -> list[str]:
    scored = (
        (amount(pair.first_score, finding), pair.first_text),
        (amount(pair.second_score, finding), pair.second_text),
    )
    width = max(len(score) for score, _ in scored)
    return [f"  {score:>{width}}  {text}" for score, text in scored]


def _legend(shown: Sequence[Finding], report: Audit) -> str:
    people, alike = people_of(shown), others_like_these(shown)
    terms = terms_of(shown)
    gap = (
        "each group minus the others"
        if all(one.rest for one in shown)
        else f"first minus second ({groups_in_words(shown)})"
    )
    said = [f"Gap: {gap}, {terms.own_units}.", f"Interval and verdict: for {alike}."]
    if any(one.verdict == "equivalent" for one in shown):
        said.append(f"“Equivalent” holds for {people} that react as those tested do.")
    said.append("“Cannot tell” does not mean “fair”.")
    if path.in_waves(report.findings):
        said.insert(0, path.in_short(report))
    if starred := these_alone(shown):
        said.append(starred)
    return " ".join(said)

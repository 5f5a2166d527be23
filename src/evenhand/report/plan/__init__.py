"""Plans, rendered: the terminal, the page with its picture, and a table of all chances."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evenhand.files.tables import table_bytes
from evenhand.planning.result import Plan
from evenhand.report.audit.figures import figure_files
from evenhand.report.common.plain import Section, plain_page
from evenhand.report.plan.drawing import described, panels
from evenhand.report.plan.figures import static_figures
from evenhand.report.plan.words import (
    SPREADS_READING,
    about,
    listing,
    remarks,
    sentences,
    spreads_listing,
    summary,
    title,
)
from evenhand.results import Renderer
from evenhand.results.rendering import Files

LEAD = "How many names, sentences and calls would settle it, and how likely is each verdict?"


def show(plan: Plan, console: Console) -> None:
    """The answer, the table, what varies, and how to read it."""
    console.print(Text(title(plan), style="bold"))
    for sentence in sentences(plan):
        console.print(Text(f"• {sentence}"))
    console.print()
    for note in plan.notes:
        console.print(Text(f"Note: {note}"))
    if _drawn(plan):
        listing(plan).print_on(console)
        spreads_listing(plan).print_on(console)
    for remark in remarks(plan) if _drawn(plan) else []:
        console.print(Text(remark, style="dim"))


def to_html(plan: Plan) -> str:
    """The same on one page, with the chance of each verdict by names as a picture."""
    short = Section("In short", "In short", items=sentences(plan))
    if not _drawn(plan):
        return plain_page(plan, title=title(plan), lead=LEAD, sections=[short])
    drawn = [one for one in plan.questions if one.at_once]
    many = len(drawn) > 1
    sections = [
        short,
        Section("Chances", "Names, calls and chances", listings=[listing(plan)], remarks=remarks(plan)),
        *(
            Section(
                "Picture" if not many else f"Picture {number}",
                f"Asked at once: {about(one, plan)}",
                drawings={described(one): panels(one, plan)},
            )
            for number, one in enumerate(drawn, start=1)
        ),
        Section("Spreads", "What varies", listings=[spreads_listing(plan)], remarks=[SPREADS_READING]),
    ]
    return plain_page(plan, title=title(plan), lead=LEAD, sections=sections)


def text(plan: Plan) -> str:
    """The answer for each question."""
    return "\n".join(sentences(plan))


def _drawn(plan: Plan) -> bool:
    return any(one.at_once for one in plan.questions)


def _table(plan: Plan) -> Files:
    return {"plan.csv": table_bytes(plan.frame())}


RENDERER = Renderer(
    page_file="plan.html",
    page=to_html,
    show=show,
    summary=summary,
    text=text,
    beside=_table,
    figures=lambda plan: figure_files(static_figures(plan)),
)

"""Repairs, rendered: the page, the terminal, tables and figures."""

from __future__ import annotations

from pathlib import Path

from evenhand.files.tables import table_bytes
from evenhand.files.whole import Content
from evenhand.repairs.result import Repair
from evenhand.report.audit.figures import figure_files
from evenhand.report.repair.advice import headline, use_command
from evenhand.report.repair.figures import static_figures
from evenhand.report.repair.page import to_html
from evenhand.report.repair.published import evaluation_frame, words_frame
from evenhand.report.repair.tables import parts_frame
from evenhand.report.repair.terminal import print_repair
from evenhand.results import Renderer
from evenhand.results.rendering import Files


def tables(repair: Repair) -> Files:
    """Every outcome, by part too, and the paper's own evaluation where there is one."""
    made: dict[str, Content] = {"outcomes.csv": table_bytes(repair.frame())}
    by_part = parts_frame(repair)
    if not by_part.is_empty():
        made["parts.csv"] = table_bytes(by_part)
    if repair.published is not None:
        made["published.csv"] = table_bytes(evaluation_frame(repair.published))
        if repair.published.words:
            made["words.csv"] = table_bytes(words_frame(repair.published))
    return made


def text(repair: Repair) -> str:
    """What is advised, and a line for each gap."""
    found = headline(repair)
    return "\n".join([found.lead, *found.lines, *found.others])


def usage(repair: Repair, folder: Path) -> str | None:
    """How the advised method is used, once it is saved."""
    command = use_command(repair, folder)
    return None if command is None else f"use it: {command}"


RENDERER = Renderer(
    page_file="repair.html",
    page=to_html,
    show=print_repair,
    summary=lambda repair: headline(repair).lead,
    text=text,
    usage=usage,
    beside=tables,
    figures=lambda repair: figure_files(static_figures(repair)),
    figures_are_saved=True,
)

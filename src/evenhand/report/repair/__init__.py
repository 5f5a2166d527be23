"""Repairs, shown and saved: a page, tables and figures."""

from __future__ import annotations

from pathlib import Path

from evenhand.files import write_together
from evenhand.repairs.result import Repair
from evenhand.report.figures import write_figures
from evenhand.report.repair.figures import static_figures
from evenhand.report.repair.page import to_html
from evenhand.report.repair.published import evaluation_frame, words_frame
from evenhand.report.repair.tables import outcomes_frame
from evenhand.scoring.progress import Advance, Start
from evenhand.tables import write_table

__all__ = ["outcomes_frame", "save_repair", "to_html"]

PAGE_FILE, JSON_FILE, TABLE_FILE = "repair.html", "repair.json", "outcomes.csv"
PUBLISHED_FILE, WORDS_FILE = "published.csv", "words.csv"


def _without_bars(name: str, total: int, known: int) -> Advance:
    return lambda count: None


def save_repair(repair: Repair, folder: Path, *, figures: bool = True, start: Start = _without_bars) -> None:
    """Write the page, the JSON, the tables and the figures; `start` begins a progress bar.

    The calibrators are expected to lie in `calibrators` within the folder: the page says how to use them.
    """
    page = to_html(repair, folder).encode()
    write_together({folder / PAGE_FILE: page, folder / JSON_FILE: f"{repair.to_json()}\n".encode()})
    write_table(outcomes_frame(repair), folder / TABLE_FILE)
    if repair.published is not None:
        write_table(evaluation_frame(repair.published), folder / PUBLISHED_FILE)
        if repair.published.words:
            write_table(words_frame(repair.published), folder / WORDS_FILE)
    if figures:
        specs = static_figures(repair)
        advance = start("figures", len(specs), 0)
        for name, spec in specs.items():
            write_figures({name: spec}, folder / "figures")
            advance(1)

"""Results that are a few tables and sentences: the same tables in the terminal and on one plain page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from evenhand.report.common.console import Column, print_table
from evenhand.report.common.provenance import facts
from evenhand.report.page.shell import render, trusted
from evenhand.results import Result

MOST_ROWS = 12
"""A longer table is folded away, below what is said of it."""
PROSE = 30
"""What is longer than a number with its interval is prose, which may go on in the next line."""


@dataclass(frozen=True)
class Listing:
    """A table of texts; from the column `numbers_from` on, cells are numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    numbers_from: int | None = None

    def is_number(self, column: int) -> bool:
        """Whether a column holds numbers, which stand to the right."""
        return self.numbers_from is not None and column >= self.numbers_from

    def print_on(self, console: Console) -> None:
        """Show it in a terminal, with a line of space behind it."""
        print_table(console, [self._column(place) for place in range(len(self.headings))], self.rows, title=self.title)
        console.print()

    def _column(self, place: int) -> Column:
        prose = max((len(row[place]) for row in self.rows), default=0) > PROSE
        return Column(self.headings[place], right=self.is_number(place), wraps=prose)


@dataclass(frozen=True)
class Section:
    """A part of a page: paragraphs, tables, drawings by what they show, a list, and remarks at its end."""

    short: str
    title: str
    texts: Sequence[str] = ()
    listings: Sequence[Listing] = ()
    drawings: Mapping[str, str] | None = None
    items: Sequence[str] = ()
    remarks: Sequence[str] = ()
    opened: bool | None = None
    """Whether it stands open; else the first two do."""


def plain_page(result: Result, *, title: str, lead: str, sections: Sequence[Section]) -> str:
    """One file that needs nothing else, with the notes and the provenance of the result at its end."""
    shown = [_shown(section) for section in sections]
    return render(
        "plain.html.j2",
        title=title,
        lead=lead,
        sections=[*shown, {"id": "provenance", "short": "Provenance"}],
        shown=shown,
        notes=[str(note) for note in result.notes],
        facts=facts(result.provenance),
        provenance={"command": None, **result.provenance.to_dict()},
    )


def _shown(section: Section) -> dict[str, Any]:
    return {
        "id": section.short.lower().replace(" ", "-"),
        "short": section.short,
        "title": section.title,
        "texts": section.texts,
        "listings": section.listings,
        "drawings": [(what, trusted(svg)) for what, svg in (section.drawings or {}).items()],
        "items": section.items,
        "remarks": section.remarks,
        "opened": section.opened,
        "most": MOST_ROWS,
    }

"""Tables in the terminal that never cut what they show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from evenhand.printing import visible
from evenhand.printing.screen import Cell, shown

BETWEEN, TIGHT = 2, 1
"""Spaces between columns, and where room is short."""
INDENT = 2
NARROWEST_PROSE = 12
"""A column of prose that has less room than this is hard to read."""


@dataclass(frozen=True)
class Column:
    """A column of a table in the terminal."""

    heading: str
    right: bool = False
    wraps: bool = False
    """Whether its cells are prose, which may go on in the next line. Numbers, names and verdicts may not."""


def print_table(
    console: Console,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    *,
    title: str = "",
    leads: int = 1,
) -> None:
    """Print rows as a table where it fits, and else each row as a block of its own. No cell is ever cut.

    The first `leads` columns say what a row is about: they head its block, and all but the last of them are left empty
    where the table would repeat them.
    """
    if title:
        console.print(shown(Text(title, style="bold")))
    columns = [replace(column, heading=visible(column.heading)) for column in columns]
    texts = [[shown(cell) for cell in row] for row in rows]
    if not texts:
        return
    for between in (BETWEEN, TIGHT):
        widths = _fitting(columns, texts, console.width - between * (len(columns) - 1))
        if widths is not None:
            console.print(_table(columns, _without_repeats(texts, leads - 1), widths, between=between))
            return
    for text in _blocks(columns, texts, width=console.width, leads=leads):
        console.print(text)


def _fitting(columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int) -> list[int] | None:
    """How wide each column is; None where they don't fit. Only prose and headings give way, and only between words."""
    least = [_least(column, [row[place] for row in rows]) for place, column in enumerate(columns)]
    most = [_most(column, [row[place] for row in rows]) for place, column in enumerate(columns)]
    room = width - sum(least)
    if room < 0:
        return None
    return [_shared(place, least, most, room) for place in range(len(columns))]


def _shared(place: int, least: Sequence[int], most: Sequence[int], room: int) -> int:
    """A column's least width and its share of the room that is left."""
    wanted = sum(most) - sum(least)
    mine = most[place] - least[place]
    return least[place] + (mine if wanted <= room else mine * room // wanted)


def _most(column: Column, cells: Sequence[Text]) -> int:
    return max([cell_len(column.heading), *(_width(cell) for cell in cells)])


def _least(column: Column, cells: Sequence[Text]) -> int:
    heading = _longest_word(column.heading)
    if not column.wraps:
        return max([heading, *(_width(cell) for cell in cells)])
    words = max([heading, *(_longest_word(cell.plain) for cell in cells)])
    return max(words, min(NARROWEST_PROSE, _most(column, cells)))


def _width(cell: Text) -> int:
    return max(map(cell_len, cell.plain.splitlines()), default=0)


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def _table(columns: Sequence[Column], rows: Sequence[Sequence[Text]], widths: Sequence[int], *, between: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, between, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        table.add_column(Text(column.heading), justify="right" if column.right else "left", width=width)
    for row in rows:
        table.add_row(*row)
    return table


def _without_repeats(rows: Sequence[list[Text]], leads: int) -> list[list[Text]]:
    """The leading cells of a row are left empty where they say the same as those of the row above."""
    shown = list(rows[:1])
    for above, row in pairwise(rows):
        same = 0
        while same < leads and row[same].plain == above[same].plain:
            same += 1
        shown.append([Text("")] * same + row[same:])
    return shown


def _blocks(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], *, width: int, leads: int
) -> Iterator[Text | Padding]:
    """Each row as a line that says what it is about, and its cells below, `heading value`, filled into lines."""
    for row in rows:
        yield Text(", ".join(cell.plain for cell in row[:leads] if cell.plain), style="bold")
        cells = zip(columns[leads:], row[leads:], strict=True)
        items = [_named(column, cell) for column, cell in cells if cell.plain]
        yield from (Padding(line, (0, 0, 0, INDENT)) for line in _filled(items, width - INDENT))


def _named(column: Column, cell: Text) -> Text:
    return Text.assemble((f"{column.heading} ", "dim"), cell) if column.heading else cell


def _filled(items: Sequence[Text], width: int) -> list[Text]:
    """Items side by side as far as a line holds them; only one that is longer than a line goes on in the next."""
    lines: list[Text] = []
    for item in items:
        if lines and _width(lines[-1]) + BETWEEN + _width(item) <= width:
            lines[-1] = lines[-1] + Text(" " * BETWEEN) + item
        else:
            lines.append(item)
    return lines

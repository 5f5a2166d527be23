"""Logs as a chatbot wrote them: lines of unequal length, lines that only end a conversation, headers in between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evenhand.errors import EvenhandError
from evenhand.files.tables import SEPARATORS, TableFile, likely_separator

OPENING, CLOSING = r"[\[【(“«]|\uFFFD|ã€.|„Ä.|¡¾", r"[\]】)”»]|\uFFFD|ã€.|„Ä.|¡¿"
"""Brackets, also those that were read in another encoding than they were written in (Windows, Mac, GBK)."""
MARKER = rf"(?:(?:{OPENING})\s*)*{{text}}(?:\s*(?:{CLOSING}))*"
"""An end of a conversation, with the brackets around it."""
LINE, NUMBER = "\0line", "\0number"
"""The columns that say on which line a row begins, and in which conversation of the file it is."""


@dataclass(frozen=True)
class RawLog:
    """The rows of a raw log under its header; `NUMBER` counts the conversations that end markers part."""

    path: Path
    frame: pl.DataFrame


def read_raw(path: Path, *, separator: str | None, ends: str) -> RawLog:
    """Read a raw log, in which `ends` stands where a conversation ends, in a line of its own or behind what was said.

    Lines may have fewer cells than the header. A line without any separator goes on with what was said before. Headers
    that are repeated, and the empty cells that a spreadsheet put behind each line, are left out.
    """
    marker = re.compile(MARKER.format(text=re.escape(ends)), re.IGNORECASE)
    file = TableFile(path)
    if not file.content.strip():
        raise EvenhandError(f"{path} is empty")
    lines = file.content.decode("utf-8", errors="replace").lstrip("\r\n").splitlines()
    between = separator or likely_separator(lines[0].rstrip(","), SEPARATORS.get(file.ending, ","))
    if between not in lines[0]:
        raise EvenhandError(f"{path}: no separator in its first line; say which it is, as in --separator '|'")
    padded = between != "," and lines[0].endswith(",,")
    header = [cell.strip() for cell in _cut(lines[0], padded=padded).split(between)]
    while header and not header[-1]:
        header.pop()
    _check_header(path, header)
    rows: list[list[str | None]] = []
    number = ended = 0
    for line, text in enumerate(lines[1:], start=2):
        left = marker.sub(" ", text)
        cells = [cell.strip() or None for cell in _cut(left, padded=padded).split(between)]
        if cells[: len(header)] != [name or None for name in header] and any(cells):
            if len(cells) == 1 and rows:
                _go_on(rows[-1], str(cells[0]))
            else:
                rows.append([*_fitted(cells, len(header), path, line), str(line), str(number)])
        if marker.search(text):
            number, ended = number + 1, ended + 1
    if not ended:
        raise EvenhandError(f"{path}: {ends!r} ends no conversation in it; say what does, as in --ends 'Good bye'")
    frame = pl.DataFrame(rows, schema=dict.fromkeys([*header, LINE, NUMBER], pl.String), orient="row")
    return RawLog(path, frame.with_columns(pl.col(LINE).cast(pl.Int64)))


def _check_header(path: Path, header: Sequence[str]) -> None:
    for name in header:
        if header.count(name) > 1:
            raise EvenhandError(f"{path}, line 1: {header.count(name)} columns are called {name!r}")


def _cut(line: str, *, padded: bool) -> str:
    """A line without the commas that a spreadsheet put behind it."""
    return line.rstrip(",\r") if padded else line.rstrip("\r")


def _go_on(row: list[str | None], text: str) -> None:
    """Put a line behind the last thing that was said."""
    place = max((place for place, cell in enumerate(row[:-2]) if cell), default=0)
    row[place] = f"{row[place] or ''} {text}".strip()


def _fitted(cells: Sequence[str | None], width: int, path: Path, line: int) -> list[str | None]:
    """As many cells as the header has; those that are missing are empty."""
    if any(cells[width:]):
        raise EvenhandError(f"{path}, line {line}: {len(cells)} cells where the header has {width}")
    return [*cells[:width], *[None] * (width - len(cells))]

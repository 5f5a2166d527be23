"""The rows of a table, one at a time, so that a file may be larger than memory; each is checked as it is read."""

from __future__ import annotations

import csv
import mmap
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from evenhand.errors import EvenhandError, UsageError, did_you_mean, one_line
from evenhand.files.columns import flat, not_flat
from evenhand.files.opened import HOW_TO_ALLOW, in_words, most_bytes, plain_file
from evenhand.files.parquet import look_at
from evenhand.files.structured import json_values
from evenhand.files.tables import BYTE_ORDER_MARK, SEPARATORS, known_ending, likely_separator
from evenhand.printing.streams import unheard

LARGEST_CELL = 100_000_000
"""Bytes of a cell, and of a line."""
Cell = str | int | float | bool | None


class Row(NamedTuple):
    """One row, and where it stands, for people."""

    where: str
    cells: dict[str, Cell]


def rows_of(path: Path, *, needed: tuple[str, ...], also: tuple[str, ...] = ()) -> Iterator[Row]:
    """The rows of a CSV, TSV, JSON-lines or Parquet file: the columns needed, and others where there are such.

    Cells are texts, numbers, or true and false.
    """
    ending = known_ending(path)
    with plain_file(path) as file:
        if not file.peek(1):
            raise EvenhandError(f"{path} is empty")
        if ending == ".parquet":
            yield from _parquet(path, file, needed, also)
        elif ending == ".jsonl":
            yield from _json_lines(path, file, needed, also)
        else:
            yield from _separated(path, file, SEPARATORS[ending], needed, also)


def count_rows(path: Path) -> int:
    """About how many rows a file has, for a progress bar; 0 where nobody knows."""
    try:
        with plain_file(path) as file:
            if path.suffix.lower() == ".parquet":
                return look_at(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), path).rows
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except (EvenhandError, ValueError):  # it is told when the rows are read
        return 0


def _chosen(columns: list[str], path: Path, needed: tuple[str, ...], also: tuple[str, ...]) -> list[str]:
    """The columns to be read, if all that are needed are there, and none of them twice."""
    for name in columns:
        if columns.count(name) > 1:
            raise EvenhandError(f"{path}, line 1: {columns.count(name)} columns are called {name!r}")
    for name in needed:
        if name not in columns:
            raise UsageError(
                f"{path}: no column {name!r}{did_you_mean(name, columns)}; it has {one_line(', '.join(columns))}"
            )
    return [*needed, *(name for name in also if name in columns and name not in needed)]


def _lines(path: Path, file: BufferedReader) -> Iterator[str]:
    """The lines of a text file, decoded, with their ends."""
    number = 0
    while content := file.readline(LARGEST_CELL + 1):
        number += 1
        if len(content) > LARGEST_CELL:
            raise EvenhandError(f"{path}, line {number}: longer than {in_words(LARGEST_CELL)}; is this a table?")
        try:
            yield (content.removeprefix(BYTE_ORDER_MARK) if number == 1 else content).decode()
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            raise EvenhandError(f"{path}, line {number}: not UTF-8 (byte {byte:#04x}); save it as UTF-8") from error


def _separated(
    path: Path, file: BufferedReader, usual: str, needed: tuple[str, ...], also: tuple[str, ...]
) -> Iterator[Row]:
    csv.field_size_limit(LARGEST_CELL)
    lines = _lines(path, file)
    first = next((line for line in lines if line.strip("\r\n")), "")
    reader = csv.reader(_again(first, lines), delimiter=likely_separator(first, usual), strict=True)
    begins = 1
    try:
        columns = [name.strip() for name in next(reader, [])]
        chosen = [(name, columns.index(name)) for name in _chosen(columns, path, needed, also)]
        begins = reader.line_num + 1
        for cells in reader:
            if cells:
                if len(cells) != len(columns):
                    raise EvenhandError(
                        f"{path}, line {begins}: {len(cells)} cells where the header has {len(columns)}"
                    )
                yield Row(f"{path}, line {begins}", {name: cells[place] for name, place in chosen})
            begins = reader.line_num + 1
    except csv.Error as error:
        raise EvenhandError(f"{path}, line {begins}: quotation marks do not match ({error})") from error


def _again(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


def _json_lines(path: Path, file: BufferedReader, needed: tuple[str, ...], also: tuple[str, ...]) -> Iterator[Row]:
    for line, text in enumerate(_lines(path, file), start=1):
        if not text.strip():
            continue
        where = f"{path}, line {line}"
        row = json_values(text, where)
        if not isinstance(row, dict):
            raise EvenhandError(f"{where}: a JSON object is needed, not {one_line(text, 60)}")
        for name in needed:
            if name not in row:
                raise UsageError(f"{where}: no column {name!r}{did_you_mean(name, list(row))}")
        cells = {name: row[name] for name in (*needed, *also) if name in row}
        for name, cell in cells.items():
            if isinstance(cell, list | dict):
                held = "a list" if isinstance(cell, list) else "a mapping"
                raise EvenhandError(f"{where}: column {name!r} holds {held}, not a text or a number")
        yield Row(where, cells)


def _parquet(path: Path, file: BufferedReader, needed: tuple[str, ...], also: tuple[str, ...]) -> Iterator[Row]:
    """Row group by row group, as these are unpacked as a whole."""
    said = look_at(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), path)
    most, largest = most_bytes(), max((group.bytes for group in said.groups), default=0)
    if largest > most:
        raise EvenhandError(
            f"{path}: a group of its rows unpacks to about {in_words(largest)}, and {in_words(most)} are read at most; "
            f"{HOW_TO_ALLOW}"
        )
    schema = _unpacked(path, pl.scan_parquet(path).collect_schema)
    chosen = _chosen(schema.names(), path, needed, also)
    for name in chosen:
        if (held := not_flat(schema[name])) is not None:
            raise EvenhandError(f"{path}: column {name!r} holds {held}, not texts or numbers")
    start = 0
    for group in said.groups:
        wanted = pl.scan_parquet(path).slice(start, group.rows).select(chosen)
        frame = _unpacked(path, wanted.collect)
        for number, cells in enumerate(frame.select(map(flat, frame)).iter_rows(named=True), start=start + 1):
            yield Row(f"{path}, row {number}", cells)
        start += group.rows


def _unpacked(path: Path, read: Any) -> Any:
    try:
        with unheard():
            return read()
    except (Exception, pl.exceptions.PanicException) as error:
        raise EvenhandError(f"{path} cannot be read: {one_line(error)}") from error

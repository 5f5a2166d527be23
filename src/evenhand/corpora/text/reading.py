"""What is asked: the rows of a file of texts, one at a time, so that a file may be larger than memory."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from evenhand.errors import EvenhandError, UsageError, did_you_mean, one_line
from evenhand.files.tables import ENDINGS, SEPARATORS

ROWS_AT_A_TIME = 20_000
LARGEST_CELL = 100_000_000


class Row(NamedTuple):
    """One row, and where it stands, for people."""

    where: str
    cells: dict[str, Any]


def rows_of(path: Path, *, needed: tuple[str, ...]) -> Iterator[Row]:
    """The rows of a CSV, TSV, JSON-lines or Parquet file that has the columns needed."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{path}: unknown ending {ending!r}; known: {', '.join(ENDINGS)}")
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    if path.stat().st_size == 0:
        raise EvenhandError(f"{path} is empty")
    try:
        if ending == ".parquet":
            yield from _parquet(path, needed)
        elif ending == ".jsonl":
            yield from _json_lines(path, needed)
        else:
            yield from _separated(path, SEPARATORS[ending], needed)
    except UnicodeDecodeError as error:
        raise EvenhandError(
            f"{path}: not UTF-8 (byte {error.object[error.start]:#04x}); save it as UTF-8 text"
        ) from error
    except OSError as error:
        raise EvenhandError(f"{path} cannot be read: {error.strerror or error}") from error


def count_rows(path: Path) -> int:
    """About how many rows a file has, for the progress bar."""
    if path.suffix.lower() == ".parquet":
        try:
            return int(pl.scan_parquet(path).select(pl.len()).collect().item())
        except (pl.exceptions.PolarsError, OSError):
            return 0
    try:
        with path.open("rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return 0


def _check(columns: list[str], path: Path, needed: tuple[str, ...]) -> None:
    for name in columns:
        if columns.count(name) > 1:
            raise EvenhandError(f"{path}, line 1: {columns.count(name)} columns are called {name!r}")
    for name in needed:
        if name not in columns:
            raise UsageError(
                f"{path}: no column {name!r}{did_you_mean(name, columns)}; it has {one_line(', '.join(columns))}"
            )


def _separated(path: Path, separator: str, needed: tuple[str, ...]) -> Iterator[Row]:
    csv.field_size_limit(LARGEST_CELL)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator, strict=True)
        try:
            columns = next(reader, [])
            _check(columns, path, needed)
            begins = reader.line_num + 1
            for cells in reader:
                if cells and len(cells) != len(columns):
                    raise EvenhandError(
                        f"{path}, line {begins}: {len(cells)} cells where the header has {len(columns)}"
                    )
                if cells:
                    yield Row(f"{path}, line {begins}", dict(zip(columns, cells, strict=True)))
                begins = reader.line_num + 1
        except csv.Error as error:
            raise EvenhandError(f"{path}, line {reader.line_num}: not a table of text ({error})") from error


def _json_lines(path: Path, needed: tuple[str, ...]) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as file:
        for line, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                cells = json.loads(text)
            except ValueError as error:
                raise EvenhandError(f"{path}, line {line}: not JSON ({one_line(error)})") from error
            if not isinstance(cells, dict):
                raise EvenhandError(f"{path}, line {line}: a JSON object is needed, not {one_line(text, 60)}")
            for name in needed:
                if name not in cells:
                    raise UsageError(f"{path}, line {line}: no column {name!r}{did_you_mean(name, list(cells))}")
            yield Row(f"{path}, line {line}", cells)


def _parquet(path: Path, needed: tuple[str, ...]) -> Iterator[Row]:
    try:
        lazy = pl.scan_parquet(path)
        _check(lazy.collect_schema().names(), path, needed)
        start = 0
        while (part := lazy.slice(start, ROWS_AT_A_TIME).collect()).height:
            for number, cells in enumerate(part.iter_rows(named=True), start=start + 1):
                yield Row(f"{path}, row {number}", cells)
            start += part.height
    except pl.exceptions.PolarsError as error:
        raise EvenhandError(f"{path} cannot be read: {one_line(error)}") from error

"""Tables on disk: CSV, TSV, JSON lines and Parquet by ending, read with errors that name file and line."""

from __future__ import annotations

import csv
import io
import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NoReturn

import polars as pl

from evenhand.errors import EvenhandError, UsageError, one_line, so_many
from evenhand.files.columns import TableColumn, flat, not_flat
from evenhand.files.opened import HOW_TO_ALLOW, most_bytes, read_bytes
from evenhand.files.parquet import CELL, metadata_of, unpacked
from evenhand.files.structured import json_values
from evenhand.files.whole import write_whole
from evenhand.printing.streams import unheard

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
OTHER_SEPARATORS = ",;|\t"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
ENDINGS = (*SEPARATORS, ".jsonl", ".parquet")
LONGEST_HEADER = 1_000_000

log = logging.getLogger(__name__)


def read_table(path: Path) -> pl.DataFrame:
    """Read a table. Cells of CSV and TSV stay text, empty ones are null; JSON lines and Parquet keep their types."""
    return TableFile(path).frame


def write_table(frame: pl.DataFrame, path: Path, *, overwrite: bool = True) -> None:
    """Write a table in the format of its ending, whole or not at all.

    Unless it may be overwritten, a file with other content is refused: somebody may have edited it.
    """
    # Through memory: polars has errors of its own for a disk that is full.
    content = table_bytes(frame, known_ending(path))
    if not overwrite and path.is_file() and path.read_bytes() != content:
        raise UsageError(
            f"{path} holds something else, which somebody may have edited: name another file, or allow it to be "
            "overwritten (overwrite, --overwrite)"
        )
    write_whole(path, content)


def table_bytes(frame: pl.DataFrame, ending: str = ".csv") -> bytes:
    """A table as the content of a file with this ending."""
    content = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(content)
    elif ending == ".jsonl":
        frame.write_ndjson(content)
    else:
        _with_lists_as_text(frame).write_csv(content, separator=SEPARATORS[ending])
    return content.getvalue()


def _with_lists_as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists, which CSV has no cells for, as JSON."""
    lists = [column for column, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    return frame.with_columns(
        pl.Series(name, [None if row is None else json.dumps(row, ensure_ascii=False) for row in frame[name].to_list()])
        for name in lists
    )


def known_ending(path: Path) -> str:
    """The ending of a table's name, which says its format."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{path}: unknown ending {ending!r}; known: {', '.join(ENDINGS)}")
    return ending


def likely_separator(header: str, usual: str) -> str:
    """What stands between the cells of a header: the usual, or else what parts it into the most.

    Files that come out of spreadsheets and logs are called .csv whatever stands between their cells.
    """
    return usual if usual in header else max((usual, *OTHER_SEPARATORS), key=header.count)


@dataclass(frozen=True)
class TableFile:
    """A file that is read fast as a whole, and slowly once more only to say on which line something is wrong."""

    path: Path
    plain_quotes: bool = False
    """Whether quotation marks in tab-separated files are characters like others, as shared tasks have it."""
    any_encoding: bool = False
    """Whether a file that is not UTF-8 is read as Latin-1, and a note made, rather than refused."""
    cell_separator: str | None = None
    """What stands between the cells of a text file, where the user says it; else its ending or its header does."""
    known: tuple[str, ...] = ()
    """Columns that are found in any case. A name that ends in an underscore is how several begin."""

    @property
    def ending(self) -> str:
        """Which format it is in."""
        return known_ending(self.path)

    @property
    def separator(self) -> str:
        """What stands between cells; empty for formats without such a thing."""
        usual = SEPARATORS.get(self.ending, "")
        return self.cell_separator or (usual and likely_separator(self._first_line, usual))

    @cached_property
    def _raw(self) -> bytes:
        known_ending(self.path)
        return read_bytes(self.path)

    @cached_property
    def content(self) -> bytes:
        """The file's bytes, without a byte-order mark."""
        content = self._raw.removeprefix(BYTE_ORDER_MARK)
        return content.decode("latin-1").encode() if self._is_latin else content

    @property
    def _first_line(self) -> str:
        """The header of a text file."""
        return self.content.lstrip(b"\r\n").partition(b"\n")[0].decode(errors="replace").rstrip("\r")

    @cached_property
    def _is_latin(self) -> bool:
        if not self.any_encoding or self.ending == ".parquet":
            return False
        try:
            self._raw.decode()
        except UnicodeDecodeError:
            return True
        return False

    @cached_property
    def oddities(self) -> tuple[str, ...]:
        """What is unusual about the bytes of a text file, though it can be read."""
        if self.ending == ".parquet":
            return ()
        found = {
            "it begins with a byte-order mark": self._raw.startswith(BYTE_ORDER_MARK),
            "its lines end as on Windows": self._raw[: self._raw.find(b"\n") + 1].endswith(b"\r\n"),
            "it is not UTF-8 and was read as Latin-1": self._is_latin,
        }
        return tuple(what for what, there in found.items() if there)

    @cached_property
    def metadata(self) -> dict[str, str]:
        """What a Parquet file says about itself; empty for other formats."""
        return metadata_of(self.content, self.path) if self.ending == ".parquet" else {}

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All rows in which something stands, and the columns whose cells are texts, numbers, or true and false.

        Columns are named without space around them, and as they are known; see `unread` for all others.
        """
        there = self.whole
        for name, what in self.unread.items():
            log.info("%s: column %r holds %s and is left out", self.path, name, what)
        if len(self.unread) == there.width:
            raise EvenhandError(f"{self.path} has no column of texts or numbers{self._said_of_unread}")
        return there.select(flat(there[name]) for name in there.columns if name not in self.unread)

    @cached_property
    def unread(self) -> dict[str, str]:
        """The columns whose cells are no texts or numbers, and what they hold instead."""
        held = {name: what for name, dtype in self.whole.schema.items() if (what := not_flat(dtype)) is not None}
        called = self._called(self._as_spelled.columns)
        return held | {called.get(name, name): what for name, what in self._nested.items()}

    @property
    def has(self) -> str:
        """Its columns, for messages about one that is lacking."""
        return ", ".join(self.frame.columns) + self._said_of_unread

    @property
    def _said_of_unread(self) -> str:
        return "".join(f"; column {name!r} holds {what}" for name, what in self.unread.items())

    @cached_property
    def whole(self) -> pl.DataFrame:
        """All rows and all columns, as they are but for the columns' names."""
        return self._as_spelled.rename(self._called(self._as_spelled.columns))

    @cached_property
    def _as_spelled(self) -> pl.DataFrame:
        frame = unpacked(self.content, self.path) if self.ending == ".parquet" else self._parsed()
        if frame.is_empty():
            raise EvenhandError(f"{self.path} has no {'rows' if frame.width else 'columns'}")
        return frame

    @cached_property
    def _nested(self) -> dict[str, str]:
        """The columns of JSON lines with lists or mappings in some of their cells, which polars may turn into texts."""
        return self._check_objects() if self.ending == ".jsonl" else {}

    def _parsed(self) -> pl.DataFrame:
        self._check_text()
        if self.ending == ".jsonl":
            _ = self._nested
        else:
            self._check_header()
            self._check_cells(self.content.count(self.separator.encode()) + self.content.count(b"\n") + 1)
        try:
            with unheard():
                frame = self._by_polars()
        except (Exception, pl.exceptions.PanicException) as error:
            self._check_widths()
            self._unreadable(error)
        if self.ending in SEPARATORS:
            frame = self._of_named(frame.filter(~pl.all_horizontal(pl.all().is_null() | (pl.all() == ""))))
        # A line with too few cells reads as nulls at its end, so only then is the slow look worth it.
        if frame.width and frame[frame.columns[-1]].has_nulls():
            self._check_widths()
        return frame

    def _of_named(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Without the empty columns that a spreadsheet puts behind a table; a single one may hold the rows' numbers."""
        names = self.header
        nameless = [column for column, name in zip(frame.columns, names, strict=False) if not name.strip()]
        if len(nameless) < 2:
            return frame
        filled = frame.select(pl.any_horizontal((pl.col(name) != "").fill_null(False) for name in nameless)).to_series()
        if filled.any():
            line = self._lines(frame.height)[int(filled.arg_true()[0])]
            raise EvenhandError(f"{self.path}, line {line}: a cell in a column that has no name")
        return frame.drop(nameless)

    def _by_polars(self) -> pl.DataFrame:
        if self.ending == ".jsonl":
            return pl.read_ndjson(io.BytesIO(self.content), infer_schema_length=None)
        return pl.read_csv(
            io.BytesIO(self.content),
            separator=self.separator,
            quote_char=None if self._quotes_are_plain else '"',
            infer_schema=False,
        )

    def _called(self, columns: Sequence[str]) -> dict[str, str]:
        """By each column as the file spells it, what it is called here."""
        plain = {column: column.strip() for column in columns}
        spelled = {name.lower(): column for column, name in reversed(plain.items())}
        for name in self.known:
            if name.endswith("_"):
                mine = [column for column in plain if plain[column].lower().startswith(name.lower())]
                plain |= {column: name + plain[column][len(name) :] for column in mine}
            elif (
                name.lower() in spelled
                and name not in plain.values()
                and plain[spelled[name.lower()]] not in self.known
            ):
                plain[spelled[name.lower()]] = name
        return plain if len(set(plain.values())) == len(plain) else {}

    @cached_property
    def _quotes_are_plain(self) -> bool:
        """Quotation marks are characters of tweets, unless somebody saved the file with all its cells in quotes."""
        names = self._first_line.split(self.separator)
        in_quotes = all(len(name) > 1 and name[0] == name[-1] == '"' for name in names)
        return self.plain_quotes and self.separator == "\t" and not in_quotes

    def where(self, row: int) -> str:
        """The place of a row, for people: the file and the line (Parquet: the row)."""
        if self.ending == ".parquet":
            return f"{self.path}, row {row + 1}"
        line = next((line for place, line in enumerate(self._row_lines()) if place == row), None)
        return f"{self.path}, row {row + 1}" if line is None else f"{self.path}, line {line}"

    def column(self, name: str) -> TableColumn:
        """A column, to be read as texts, labels or numbers."""
        self.refuse_unread(name)
        return TableColumn(self.frame[name], str(self.path), self.where)

    def refuse_unread(self, *names: str) -> None:
        """Refuse the file if a column that is needed is one of those that are left out: it is there, and of no use."""
        for name in names:
            if name in self.unread:
                raise EvenhandError(f"{self.path}: column {name!r} holds {self.unread[name]}, not texts or numbers")

    def lines(self) -> list[int]:
        """The line on which each row begins (Parquet: its number)."""
        return self._lines(self.whole.height)

    def _lines(self, rows: int) -> list[int]:
        found = list(range(1, rows + 1)) if self.ending == ".parquet" else list(self._row_lines())
        if len(found) != rows:
            raise EvenhandError(
                f"{self.path}: {so_many(rows, 'row')} on {so_many(len(found), 'line')}; look for a carriage return"
            )
        return found

    def _row_lines(self) -> Iterator[int]:
        records = self._json_lines() if self.ending == ".jsonl" else self._records(first=1)
        return (line for line, _ in records)

    def _check_text(self) -> None:
        if not self.content.strip():
            raise EvenhandError(f"{self.path} is empty")
        try:
            self.content.decode()
        except UnicodeDecodeError as error:
            line = self.content.count(b"\n", 0, error.start) + 1
            byte = self.content[error.start]
            raise EvenhandError(
                f"{self.path}, line {line}: not UTF-8 (byte {byte:#04x} at position {error.start}); save it as UTF-8"
            ) from error

    @cached_property
    def header(self) -> list[str]:
        """The names of a text file's columns, as they stand."""
        simple = self._quotes_are_plain or '"' not in self._first_line
        return self._first_line.split(self.separator) if simple else next(self._records())[1]

    def _check_header(self) -> None:
        """Polars would rename the second of two columns, and it would be read as another output."""
        for name, times in Counter(self.header).items():
            if times > 1 and name.strip():
                raise EvenhandError(f"{self.path}, line 1: {times} columns are called {name!r}")

    def _check_cells(self, cells: int) -> None:
        """A cell takes more memory than the comma that stands for it."""
        if cells * CELL > most_bytes():
            raise EvenhandError(f"{self.path} has {cells:,} cells, which do not fit in memory; {HOW_TO_ALLOW}")

    def _check_widths(self) -> None:
        if self.ending in SEPARATORS:
            width = len(next(self._records())[1])
            for line, cells in self._records(first=1):
                if len(cells) != width:
                    raise EvenhandError(f"{self.path}, line {line}: {len(cells)} cells where the header has {width}")

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The objects of JSON lines, each with its line."""
        self._check_text()
        for line, text in self._json_lines():
            where = f"{self.path}, line {line}"
            row = json_values(text, where)
            if not isinstance(row, dict):
                raise EvenhandError(f"{where}: a JSON object is needed, not {one_line(text, 60)}")
            yield line, row

    def _check_objects(self) -> dict[str, str]:
        rows, columns = 0, set[str]()
        nested: dict[str, str] = {}
        for line, row in self.objects():
            rows, columns = rows + 1, columns | row.keys() if row.keys() - columns else columns
            for name, cell in row.items():
                if isinstance(cell, list | dict) and name not in nested:
                    nested[name] = f"{'lists' if isinstance(cell, list) else 'mappings'} (line {line})"
        self._check_cells(rows * len(columns))
        return nested

    def _json_lines(self) -> Iterator[tuple[int, str]]:
        for line, text in enumerate(self.content.decode().split("\n"), start=1):
            if text.strip():
                yield line, text

    def _records(self, *, first: int = 0) -> Iterator[tuple[int, list[str]]]:
        """The cells of each record from the first one asked for, and the line on which it begins; no blank ones."""
        lines = io.StringIO(self.content.decode(), newline="")
        quoting: Literal[0, 3] = csv.QUOTE_NONE if self._quotes_are_plain else csv.QUOTE_MINIMAL
        reader = csv.reader(lines, delimiter=self.separator, strict=True, quoting=quoting)
        begins, record = 1, 0
        try:
            for cells in reader:
                if any(cells):
                    if record >= first:
                        yield begins, cells
                    record += 1
                begins = reader.line_num + 1
        except csv.Error as error:
            raise EvenhandError(f"{self.path}, line {begins}: quotation marks do not match ({error})") from error

    def _unreadable(self, error: Exception) -> NoReturn:
        raise EvenhandError(f"{self.path} cannot be read: {one_line(error)}") from error

"""Tables on disk: CSV, TSV, JSON lines and Parquet by ending, read with errors that name file and line."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NoReturn

import polars as pl

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.files.columns import TableColumn
from evenhand.files.plain import refuse_constant
from evenhand.files.whole import write_whole

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
ENDINGS = (*SEPARATORS, ".jsonl", ".parquet")


def read_table(path: Path) -> pl.DataFrame:
    """Read a table. Cells of CSV and TSV stay text, empty ones are null; JSON lines and Parquet keep their types."""
    return TableFile(path).frame


def write_table(frame: pl.DataFrame, path: Path, *, overwrite: bool = True) -> None:
    """Write a table in the format of its ending, whole or not at all.

    Unless it may be overwritten, a file with other content is refused: somebody may have edited it.
    """
    # Through memory: polars has errors of its own for a disk that is full.
    content = table_bytes(frame, _known_ending(path))
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


def _known_ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{path}: unknown ending {ending!r}; known: {', '.join(ENDINGS)}")
    return ending


def likely_separator(path: Path, among: str = ",;|\t") -> str | None:
    """The separator that parts a text file's header into the most cells; None where its ending says it all.

    For files that come out of spreadsheets and logs, which are called .csv whatever stands between their cells.
    """
    if path.suffix.lower() not in SEPARATORS or not path.is_file():
        return None
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            header = file.readline()
    except OSError:
        return None  # whoever reads the file will say why it cannot be read
    most = max(among, key=header.count)
    return most if header.count(most) else None


@dataclass(frozen=True)
class TableFile:
    """A file that is read fast as a whole, and slowly once more only to say on which line something is wrong."""

    path: Path
    plain_quotes: bool = False
    """Whether quotation marks in tab-separated files are characters like others, as shared tasks have it."""
    any_encoding: bool = False
    """Whether a file that is not UTF-8 is read as Latin-1, and a note made, rather than refused."""
    cell_separator: str | None = None
    """What stands between the cells of a text file where it is not what its ending says."""

    @property
    def ending(self) -> str:
        """Which format it is in."""
        return _known_ending(self.path)

    @property
    def separator(self) -> str:
        """What stands between cells; empty for formats without such a thing."""
        return self.cell_separator or SEPARATORS.get(self.ending, "")

    @cached_property
    def _raw(self) -> bytes:
        _known_ending(self.path)
        try:
            return self.path.read_bytes()
        except FileNotFoundError as error:
            raise UsageError(f"no such file: {self.path}") from error
        except OSError as error:
            raise EvenhandError(f"{self.path} cannot be read: {error.strerror or error}") from error

    @cached_property
    def content(self) -> bytes:
        """The file's bytes, without a byte-order mark."""
        content = self._raw.removeprefix(BYTE_ORDER_MARK)
        return content.decode("latin-1").encode() if self._is_latin else content

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
        if self.ending != ".parquet":
            return {}
        try:
            return pl.read_parquet_metadata(io.BytesIO(self.content))
        except (pl.exceptions.PolarsError, OSError) as error:
            self._unreadable(error)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All rows."""
        if self.ending != ".parquet":
            self._check_text()
        if self.ending in SEPARATORS:
            self._check_header()
        try:
            if self.ending == ".parquet":
                frame = pl.read_parquet(io.BytesIO(self.content))
            elif self.ending == ".jsonl":
                frame = pl.read_ndjson(io.BytesIO(self.content), infer_schema_length=None)
            else:
                frame = pl.read_csv(
                    io.BytesIO(self.content),
                    separator=self.separator,
                    quote_char=None if self._quotes_are_plain else '"',
                    infer_schema=False,
                )
        except (pl.exceptions.PolarsError, OSError) as error:
            self._check_lines()
            self._unreadable(error)
        # A line with too few cells reads as nulls at its end, so only then is the slow look worth it.
        if frame.width and frame[frame.columns[-1]].has_nulls():
            self._check_lines()
        if frame.is_empty():
            raise EvenhandError(f"{self.path} has no rows")
        return frame

    @property
    def _quotes_are_plain(self) -> bool:
        return self.plain_quotes and self.separator == "\t"

    def where(self, row: int) -> str:
        """The place of a row, for people: the file and the line (Parquet: the row)."""
        if self.ending == ".parquet":
            return f"{self.path}, row {row + 1}"
        line = next(line for place, line in enumerate(self._row_lines()) if place == row)
        return f"{self.path}, line {line}"

    def column(self, name: str) -> TableColumn:
        """A column, to be read as texts, labels or numbers."""
        return TableColumn(self.frame[name], str(self.path), self.where)

    def lines(self) -> list[int]:
        """The line on which each row begins (Parquet: its number)."""
        return list(range(1, self.frame.height + 1)) if self.ending == ".parquet" else list(self._row_lines())

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

    def _check_header(self) -> None:
        """Polars would rename the second of two columns, and it would be read as another output."""
        first_line = self.content[: self.content.find(b"\n") + 1]
        simple = first_line and (self._quotes_are_plain or b'"' not in first_line)
        names = first_line.decode().strip("\r\n").split(self.separator) if simple else next(self._records())[1]
        for name, times in Counter(names).items():
            if times > 1:
                raise EvenhandError(f"{self.path}, line 1: {times} columns are called {name!r}")

    def _check_lines(self) -> None:
        if self.ending == ".jsonl":
            for line, text in self._json_lines():
                self._check_object(line, text)
        elif self.ending in SEPARATORS:
            width = len(next(self._records())[1])
            for line, cells in self._records(first=1):
                if cells and len(cells) != width:
                    raise EvenhandError(f"{self.path}, line {line}: {len(cells)} cells where the header has {width}")

    def _check_object(self, line: int, text: str) -> None:
        try:
            row = json.loads(text, parse_constant=refuse_constant)
        except ValueError as error:
            raise EvenhandError(f"{self.path}, line {line}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise EvenhandError(f"{self.path}, line {line}: a JSON object is needed, not {one_line(text, 60)}")

    def _json_lines(self) -> Iterator[tuple[int, str]]:
        for line, text in enumerate(self.content.decode().split("\n"), start=1):
            if text.strip():
                yield line, text

    def _records(self, *, first: int = 0) -> Iterator[tuple[int, list[str]]]:
        """The cells of each record from the first one asked for, and the line on which it begins."""
        lines = io.StringIO(self.content.decode(), newline="")
        quoting: Literal[0, 3] = csv.QUOTE_NONE if self._quotes_are_plain else csv.QUOTE_MINIMAL
        reader = csv.reader(lines, delimiter=self.separator, strict=True, quoting=quoting)
        begins, record = 1, 0
        try:
            for cells in reader:
                if record >= first:
                    yield begins, cells
                begins, record = reader.line_num + 1, record + 1
        except csv.Error as error:
            raise EvenhandError(f"{self.path}, line {begins}: quotation marks do not match ({error})") from error

    def _unreadable(self, error: Exception) -> NoReturn:
        raise EvenhandError(f"{self.path} cannot be read: {one_line(error)}") from error

"""Parquet files, looked at before they are unpacked: how many cells and bytes they come to, page by page.

A few bytes can stand for a billion rows, and the library that reads them ends the process where memory does. The footer
alone may lie about sizes, so that the headers of all pages are added up, too. The layout is that of the
specification (parquet.thrift, in the compact protocol of Apache Thrift).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import EvenhandError, one_line
from evenhand.files.opened import HOW_TO_ALLOW, in_words, most_bytes
from evenhand.printing.streams import unheard

MAGIC = b"PAR1"
CELL = 16
"""Bytes of memory that a text takes at least."""
WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8}
"""Bytes of memory for a cell of each physical type that has a width: truths, whole and other numbers."""
DEEPEST = 64
Fields = dict[int, Any]
Content = bytes | mmap


def unpacked(content: bytes, path: Path) -> pl.DataFrame:
    """The table in a Parquet file, if it fits in memory."""
    said = look_at(content, path)
    most = most_bytes()
    if said.bytes > most:
        raise EvenhandError(
            f"{path} unpacks to {said.rows:,} rows in {said.columns:,} columns, about {in_words(said.bytes)}, and "
            f"{in_words(most)} are read at most; {HOW_TO_ALLOW}"
        )
    try:
        with unheard():
            frame = pl.read_parquet(io.BytesIO(content))
        texts = [column for column, dtype in frame.schema.items() if dtype in (pl.String, pl.Binary)]
        # Equal texts are kept once in the file, and many times in lists of them.
        sizes = frame.select(_size(column, frame.schema[column]) for column in texts).row(0) if texts else ()
    except (Exception, pl.exceptions.PanicException) as error:
        raise EvenhandError(f"{path} cannot be read: {one_line(error)}") from error
    if sum(size or 0 for size in sizes) > most:
        column = max(zip(sizes, texts, strict=True), key=lambda one: one[0] or 0)[1]
        raise EvenhandError(
            f"{path}: the texts of column {column!r} take more than {in_words(most)} in memory; {HOW_TO_ALLOW}"
        )
    return frame


def metadata_of(content: bytes, path: Path) -> dict[str, str]:
    """What was written down beside the rows."""
    look_at(content, path)
    try:
        with unheard():
            return pl.read_parquet_metadata(io.BytesIO(content))
    except (Exception, pl.exceptions.PanicException) as error:
        raise EvenhandError(f"{path} cannot be read: {one_line(error)}") from error


@dataclass(frozen=True)
class Extent:
    """How large a table is once it is unpacked."""

    rows: int
    columns: int
    bytes: int
    groups: tuple[Extent, ...] = ()
    """The parts that are unpacked as a whole."""


def look_at(content: Content, path: Path) -> Extent:
    """The extent of a table, from its footer and from the header of each page; refuses what does not fit together."""
    try:
        return _extent(content)
    except (
        struct.error,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
        RecursionError,
        OverflowError,
        AttributeError,
    ) as error:
        raise EvenhandError(f"{path} is not a Parquet file, or a damaged one") from error


def _size(column: str, dtype: pl.DataType) -> pl.Expr:
    cells = pl.col(column)
    return (cells.str.len_bytes() if dtype == pl.String else cells.bin.size()).cast(pl.UInt64).sum()


def _extent(content: Content) -> Extent:
    if len(content) < 12 or content[:4] != MAGIC or content[-4:] != MAGIC:
        raise ValueError("no Parquet file")
    (size,) = struct.unpack("<I", content[-8:-4])
    begins = len(content) - 8 - size
    if begins < len(MAGIC):
        raise ValueError("a footer that is larger than the file")
    footer = _Thrift(content, begins, len(content) - 8).fields()
    widths = _widths(footer[2])
    groups: list[Extent] = []
    for group in footer.get(4, []):
        rows = _count(group[3])
        if len(group[1]) != len(widths):
            raise ValueError("a row group that lacks columns")
        size = sum(_chunk(content, chunk[3], rows, width) for chunk, width in zip(group[1], widths, strict=True))
        groups.append(Extent(rows, len(widths), size))
    there = Extent(sum(one.rows for one in groups), len(widths), sum(one.bytes for one in groups), tuple(groups))
    if there.rows != _count(footer[3]):
        raise ValueError("rows that do not add up")
    return there


def _widths(schema: list[Fields]) -> list[int]:
    """Bytes of a cell of each column, in order; what is nested too deep is refused."""
    widths: list[int] = []
    open_: list[int] = []
    for element in schema:
        while open_ and open_[-1] == 0:
            open_.pop()
        if open_:
            open_[-1] -= 1
        children = _count(element.get(5, 0))
        if children:
            open_.append(children)
        elif open_:
            widths.append(max(WIDTHS.get(element.get(1, -1), CELL), _count(element.get(2, 0))))
        if len(open_) > DEEPEST:
            raise ValueError("nested too deep")
    if any(open_):
        raise ValueError("a schema that is cut short")
    return widths


def _chunk(content: Content, about: Fields, rows: int, width: int) -> int:
    """Bytes that the cells of one column of a row group take once they are unpacked."""
    values, packed = _count(about[5]), _count(about[7])
    begins = _count(about.get(11) or about[9])
    begins = min(begins, _count(about[9]))
    if begins + packed > len(content):
        raise ValueError("a column that reaches beyond the end")
    there, size = 0, 0
    for header in _pages(content, begins, begins + packed):
        size += _count(header[2])
        data = header.get(5) or header.get(8)
        there += _count(data[1]) if data else 0
    if there != values:
        raise ValueError("values that do not add up")
    return max(rows, values) * width + max(size, _count(about[6]))


def _pages(content: Content, begins: int, ends: int) -> Iterator[Fields]:
    """The headers of the pages that lie between two places."""
    while begins < ends:
        reader = _Thrift(content, begins, ends)
        header = reader.fields()
        yield header
        begins = reader.place + _count(header[3])
    if begins != ends:
        raise ValueError("pages that do not fill their column")


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("not a count")
    return value


class _Thrift:
    """A structure in Thrift's compact protocol, as its fields by number."""

    def __init__(self, content: Content, place: int, ends: int) -> None:
        self._content, self.place, self._ends = content, place, ends

    def fields(self, depth: int = 0) -> Fields:
        if depth > DEEPEST:
            raise ValueError("nested too deep")
        found: Fields = {}
        number = 0
        while byte := self._byte():
            number = number + (byte >> 4) if byte >> 4 else self._signed()
            found[number] = self._value(byte & 15, depth, within=False)
        return found

    def _value(self, kind: int, depth: int, *, within: bool) -> Any:
        if kind in (1, 2):
            return self._byte() == 1 if within else kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._number())
        if kind in (9, 10):
            return self._list(depth)
        if kind == 12:
            return self.fields(depth + 1)
        raise ValueError(f"unknown kind of value {kind}")

    def _list(self, depth: int) -> list[Any]:
        byte = self._byte()
        size = byte >> 4 if byte >> 4 < 15 else self._number()
        if size > self._ends - self.place:
            raise ValueError("a list that reaches beyond the end")
        if depth > DEEPEST:
            raise ValueError("nested too deep")
        return [self._value(byte & 15, depth + 1, within=True) for _ in range(size)]

    def _byte(self) -> int:
        if self.place >= self._ends:
            raise IndexError("beyond the end")
        byte = self._content[self.place]
        self.place += 1
        return byte

    def _number(self) -> int:
        found, shift = 0, 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found
            if shift > 63:
                raise ValueError("a number that is too long")

    def _signed(self) -> int:
        number = self._number()
        return (number >> 1) ^ -(number & 1)

    def _bytes(self, size: int) -> bytes:
        if size > self._ends - self.place:
            raise IndexError("beyond the end")
        begins, self.place = self.place, self.place + size
        return self._content[begins : self.place]

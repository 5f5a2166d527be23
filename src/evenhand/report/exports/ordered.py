"""A PDF with its parts in one order: the converter writes fonts in an order that changes from call to call."""

from __future__ import annotations

import re
from collections.abc import Mapping

TABLE = re.compile(
    rb"\bxref\n0 (\d+)\n((?:\d{10} \d{5} [nf]\s*\n?)+)trailer\n(.*?)startxref\n(\d+)\s*%%EOF\s*\Z", re.DOTALL
)
REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
NAMED = re.compile(rb"(?:[ \t]*/fo\d+ \d+ 0 R\n)+")
"""Fonts by the names that the page has for them."""
STREAM = b"\nstream\n"
START = re.compile(rb"(\d+) 0 obj\s")


def ordered(pdf: bytes) -> bytes:
    """The same document: parts numbered and written in the order in which one leads to the next.

    One that is not put together as it is expected comes back as it is.
    """
    table = TABLE.search(pdf)
    if table is None:
        return pdf
    offsets = sorted(int(line[:10]) for line in table[2].splitlines() if line.rstrip().endswith(b"n"))
    ends = [*offsets[1:], table.start()]
    parts: dict[int, tuple[bytes, bytes]] = {}
    for start, end in zip(offsets, ends, strict=True):
        found = START.match(pdf, start)
        if found is None:
            return pdf
        head, mark, rest = pdf[found.end() : end].partition(STREAM)
        parts[int(found[1])] = (NAMED.sub(_sorted, head), mark + rest)
    numbers = _numbers(parts, table[3])
    return _written(pdf[: offsets[0]], parts, numbers, table[3]) if len(numbers) == len(parts) else pdf


def _sorted(found: re.Match[bytes]) -> bytes:
    return b"".join(sorted(found[0].splitlines(keepends=True)))


def _numbers(parts: Mapping[int, tuple[bytes, bytes]], trailer: bytes) -> dict[int, int]:
    """New numbers by old ones, from the trailer on."""
    numbers: dict[int, int] = {}
    waiting = _references(trailer)
    while waiting:
        part = waiting.pop(0)
        if part in parts and part not in numbers:
            numbers[part] = len(numbers) + 1
            waiting = [*_references(parts[part][0]), *waiting]
    return numbers


def _references(text: bytes) -> list[int]:
    return [int(number) for number in REFERENCE.findall(text)]


def _written(
    begin: bytes, parts: Mapping[int, tuple[bytes, bytes]], numbers: Mapping[int, int], trailer: bytes
) -> bytes:
    def renumbered(text: bytes) -> bytes:
        return REFERENCE.sub(lambda found: b"%d 0 R" % numbers[int(found[1])], text)

    written, places = begin, []
    for old, new in numbers.items():
        places.append(len(written))
        head, rest = parts[old]
        written += b"%d 0 obj\n%s%s" % (new, renumbered(head), rest)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    first = b"0000000000 65535 f \n"
    end = b"xref\n0 %d\n%s%strailer\n%sstartxref\n%d\n%%%%EOF" % (
        len(places) + 1, first, rows, renumbered(trailer), len(written),
    )  # fmt: skip
    return written + end

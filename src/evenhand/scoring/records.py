"""Answered batches as bytes that notice when they were damaged.

A record is `magic · sha256 of what follows · batch key · rows · columns · float64 values`, little-endian throughout.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

import numpy as np

from evenhand.systems.base import Array

MAGIC = b"evenhnd1"
HEAD = struct.Struct("<8s32s")
START = struct.Struct("<32sQQ")


def to_record(key: str, values: Array) -> bytes:
    """The record of one batch."""
    body = START.pack(bytes.fromhex(key), *values.shape) + values.astype("<f8").tobytes()
    return HEAD.pack(MAGIC, hashlib.sha256(body).digest()) + body


def from_records(content: bytes) -> Iterator[tuple[str, Array]]:
    """All whole records in these bytes, with their keys; what is damaged, cut off or something else is passed over."""
    at = content.find(MAGIC)
    while at >= 0:
        end = _end(content, at)
        if end is not None:
            yield _batch(content, at + HEAD.size, end)
        at = content.find(MAGIC, at + 1 if end is None else end)


def _end(content: bytes, at: int) -> int | None:
    """Where the record that begins here ends; None if it is not whole."""
    body = at + HEAD.size
    if body + START.size > len(content):
        return None
    _, rows, columns = START.unpack_from(content, body)
    end: int = body + START.size + 8 * rows * columns
    if end > len(content) or content[at:body] != HEAD.pack(MAGIC, hashlib.sha256(content[body:end]).digest()):
        return None
    return end


def _batch(content: bytes, body: int, end: int) -> tuple[str, Array]:
    key, rows, columns = START.unpack_from(content, body)
    values = np.frombuffer(content[body + START.size : end], dtype="<f8")
    return key.hex(), values.astype(np.float64).reshape(rows, columns)

"""Translations as bytes that notice when they were damaged.

A record is `magic · sha256 of what follows · key of the text · length · translation in UTF-8`, little-endian.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

MAGIC = b"evenhtr1"
HEAD = struct.Struct("<8s32s")
START = struct.Struct("<32sQ")


def to_record(key: str, said: str) -> bytes:
    """The record of one translation."""
    content = said.encode()
    body = START.pack(bytes.fromhex(key), len(content)) + content
    return HEAD.pack(MAGIC, hashlib.sha256(body).digest()) + body


def from_records(content: bytes) -> Iterator[tuple[str, str]]:
    """Key and translation of all whole records; what is damaged, cut off or something else is passed over.

    >>> list(from_records(to_record("00" * 32, "Siente triste.") + b"evenhtr1 cut off"))[0][1]
    'Siente triste.'
    """
    at = content.find(MAGIC)
    while at >= 0:
        body = at + HEAD.size
        end = _end(content, at, body)
        if end is not None:
            key, _ = START.unpack_from(content, body)
            yield key.hex(), content[body + START.size : end].decode()
        at = content.find(MAGIC, at + 1 if end is None else end)


def _end(content: bytes, at: int, body: int) -> int | None:
    """Where the record that begins here ends; None if it is not whole."""
    if body + START.size > len(content):
        return None
    end: int = body + START.size + START.unpack_from(content, body)[1]
    if end > len(content) or content[at:body] != HEAD.pack(MAGIC, hashlib.sha256(content[body:end]).digest()):
        return None
    return end

"""Records: answers as bytes that notice when they were damaged, whatever lies around them.

A record is `magic · sha256 of what follows · key · size · payload`, little-endian throughout. The payload is a matrix
(size: rows and columns; float64 values) or a text (size: its length; UTF-8). Keys are SHA-256 digests in hexadecimal.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

HEAD = struct.Struct("<8s32s")
KEY = struct.Struct("<32s")


class Kind(NamedTuple):
    """A kind of payload: the first bytes of its records, how its size is written, and bytes per unit of size."""

    magic: bytes
    size: struct.Struct
    unit: int


MATRIX = Kind(b"evenhnd1", struct.Struct("<QQ"), 8)
TEXT = Kind(b"evenhtr1", struct.Struct("<Q"), 1)


def matrix_record(key: str, values: Matrix) -> bytes:
    """The record of a matrix."""
    return _record(MATRIX, key, values.shape, values.astype("<f8").tobytes())


def text_record(key: str, text: str) -> bytes:
    """The record of a text."""
    payload = text.encode()
    return _record(TEXT, key, (len(payload),), payload)


def read_matrices(content: bytes) -> Iterator[tuple[str, Matrix]]:
    """Key and values of all whole records of matrices; what is damaged, cut off or something else is passed over."""
    for key, shape, payload in _whole(content, MATRIX):
        yield key, np.frombuffer(payload, dtype="<f8").astype(np.float64).reshape(shape)


def read_texts(content: bytes) -> Iterator[tuple[str, str]]:
    """Key and text of all whole records of texts; what is damaged, cut off or something else is passed over.

    >>> list(read_texts(text_record("00" * 32, "Siente triste.") + b"evenhtr1 cut off"))[0][1]
    'Siente triste.'
    """
    for key, _, payload in _whole(content, TEXT):
        yield key, payload.decode()


def _record(kind: Kind, key: str, size: tuple[int, ...], payload: bytes) -> bytes:
    body = KEY.pack(bytes.fromhex(key)) + kind.size.pack(*size) + payload
    return HEAD.pack(kind.magic, hashlib.sha256(body).digest()) + body


def _whole(content: bytes, kind: Kind) -> Iterator[tuple[str, tuple[int, ...], bytes]]:
    """Key, size and payload of the whole records of one kind."""
    at = content.find(kind.magic)
    while at >= 0:
        end = _end(content, at, kind)
        if end is not None:
            place = at + HEAD.size + KEY.size
            (key,) = KEY.unpack_from(content, at + HEAD.size)
            yield key.hex(), kind.size.unpack_from(content, place), content[place + kind.size.size : end]
        at = content.find(kind.magic, at + 1 if end is None else end)


def _end(content: bytes, at: int, kind: Kind) -> int | None:
    """Where the record that begins here ends; None if it is not whole."""
    body = at + HEAD.size
    start = body + KEY.size + kind.size.size
    if start > len(content):
        return None
    end: int = start + kind.unit * math.prod(kind.size.unpack_from(content, body + KEY.size))
    if end > len(content) or content[at:body] != HEAD.pack(kind.magic, hashlib.sha256(content[body:end]).digest()):
        return None
    return end

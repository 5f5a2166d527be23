"""What two processes say to each other: messages of JSON and bytes, with their lengths before them. No pickle.

Only the standard library is imported: the child reads its first message before it knows where packages lie.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from typing import Any

LENGTHS = struct.Struct("<QQ")
LARGEST = 2**32
"""Bytes; a message that announces more is none."""

DEAF = 113
"""The exit code of a child whose line to its parent was closed by the code that it runs."""


class Broken(Exception):
    """What came is not a message, or there is nobody to say more."""


def send(handle: int, message: Mapping[str, Any], payload: bytes = b"") -> None:
    """Write one message, whole."""
    text = json.dumps(message).encode()
    _write(handle, LENGTHS.pack(len(text), len(payload)) + text)
    _write(handle, payload)


def receive(handle: int) -> tuple[dict[str, Any], bytes]:
    """Read one message; `Broken` at the end of the line, or if it is no message."""
    head = _read(handle, LENGTHS.size)
    of_text, of_payload = LENGTHS.unpack(head)
    if max(of_text, of_payload) > LARGEST:
        raise Broken("too long")
    text, payload = _read(handle, of_text), _read(handle, of_payload)
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Broken("no JSON") from error
    if not isinstance(message, dict):
        raise Broken("no object")
    return message, payload


def _write(handle: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]


def _read(handle: int, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        try:
            part = os.read(handle, min(size - len(content), 2**20))
        except OSError as error:
            raise Broken("closed") from error
        if not part:
            raise Broken("ended")
        content += part
    return bytes(content)

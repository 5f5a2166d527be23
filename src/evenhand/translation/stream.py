"""Texts in Apertium's stream format, each in a frame of its own.

Given as plain lines, one text would be read as the continuation of another that has no full stop, and a line feed
within a text would be taken for its end. So each text is written as Apertium's own deformatter would write it alone,
and ends with a zero byte, at which every program of the pipeline starts afresh.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

FRAME = b"\0"
SENTENCE_END = ".[]"
"""Ends each text, as Apertium's rules look for the end of a sentence; taken off again afterwards."""

SPECIAL = re.compile(r"[\[\]{}^$/\\@<>]")
# Blanks, control characters, and "~", by which the last program of the pipeline wakes up.
BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f~]+")
TOKEN = re.compile(r"\\(?P<escaped>.)|\[(?P<blank>(?:[^\]\\]|\\.)*)\]", re.DOTALL)


def to_frame(text: str) -> bytes:
    r"""A text as a frame. What looks like markup is escaped, and blanks are wrapped so that they stay as they are.

    >>> to_frame("She [2] said:\n^no$")
    b'She \\[2\\] said:[\n]\\^no\\$.[]\x00'
    """
    # A zero byte cannot stand in a frame, and a text has no use for one.
    readable = text.replace("\0", " ")
    written = "".join(_blank(part) if odd else SPECIAL.sub(r"\\\g<0>", part) for odd, part in _parts(readable))
    return (written + SENTENCE_END).encode() + FRAME


def from_frames(content: bytes) -> list[str]:
    r"""The texts of all whole frames; what follows the last zero byte was cut off, and is left out.

    >>> from_frames(b"Ella \\[2\\] dijo:[\n]\\^no\\$.[]\x00Se")
    ['Ella [2] dijo:\n^no$']
    """
    *frames, _ = content.split(FRAME)
    return [_from_frame(frame.decode()) for frame in frames]


def _from_frame(frame: str) -> str:
    # An abbreviation ("Mr") may have swallowed the full stop.
    body = frame.removesuffix(SENTENCE_END) if frame.endswith(SENTENCE_END) else frame.removesuffix("[]")
    return TOKEN.sub(lambda match: match["escaped"] or match["blank"] or "", body)


def _blank(blanks: str) -> str:
    return blanks if blanks == " " else f"[{blanks}]"


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces, with whether each is a blank."""
    end = 0
    for match in BLANKS.finditer(text):
        yield False, text[end : match.start()]
        yield True, match[0]
        end = match.end()
    yield False, text[end:]

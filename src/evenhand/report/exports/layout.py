"""Texts on paper: how wide they are, and where their lines end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from evenhand.report.common.markdown import printable

HOME, WIDTHS = "evenhand.report.exports", "widths.json"
MISSING = "□"
"""Stands for signs that the font does not have."""
ELLIPSIS = "…"


def drawable(value: object) -> str:
    """Anything as one line of signs that the font has.

    >>> drawable("Zoë\\n東"), drawable("\\x00")
    ('Zoë □', '□')
    """
    return "".join(sign if sign in _widths("normal") else MISSING for sign in printable(value))


def width(text: str, size: float, weight: str = "normal") -> float:
    """How wide a line is, in points.

    >>> round(width("women", 10), 1), width("", 10)
    (32.2, 0.0)
    """
    known = _widths(weight)
    return sum((known.get(sign, 1000) for sign in text), 0) * size / 1000


def wrapped(value: object, room: float, *, size: float, weight: str = "normal", most: int | None = None) -> list[str]:
    """A text in lines that fit; words that do not are broken. Where there are too many lines, the last one is cut."""
    lines: list[str] = []
    for word in _pieces(drawable(value), room, size, weight):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size, weight) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    if most is None or len(lines) <= most:
        return lines
    return [*lines[: most - 1], cut(f"{lines[most - 1]} {lines[most]}", room, size=size, weight=weight)] if most else []


def cut(text: str, room: float, *, size: float, weight: str = "normal") -> str:
    """A line that fits, with an ellipsis where something is missing."""
    text = drawable(text)
    if width(text, size, weight) <= room:
        return text
    while text and width(text + ELLIPSIS, size, weight) > room:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS


def _pieces(text: str, room: float, size: float, weight: str) -> Iterator[str]:
    """Words; of those that are wider than a line, as much as a line holds at a time."""
    for word in text.split(" "):
        rest = word
        while width(rest, size, weight) > room and len(rest) > 1:
            fits = next(
                end for end in range(len(rest) - 1, 0, -1) if end == 1 or width(rest[:end], size, weight) <= room
            )
            yield rest[:fits]
            rest = rest[fits:]
        yield rest


@cache
def _widths(weight: str) -> dict[str, int]:
    """In thousandths of the size, by sign; of Liberation Sans, which the converter to PDF brings along."""
    groups = json.loads((files(HOME) / WIDTHS).read_text("utf-8"))[weight]
    return {sign: int(wide) for wide, signs in groups.items() for sign in signs}

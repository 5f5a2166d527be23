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
    if _fitting(text, room, size, weight) == len(text):
        return text
    return text[: _fitting(text, room, size, weight, beside=ELLIPSIS)].rstrip() + ELLIPSIS


def _pieces(text: str, room: float, size: float, weight: str) -> Iterator[str]:
    """Words; of those that are wider than a line, as much as a line holds at a time."""
    for word in text.split(" "):
        start = 0
        while True:
            end = start + max(1, _fitting(word, room, size, weight, start=start))
            yield word[start:end]
            if end >= len(word):
                break
            start = end


def _fitting(text: str, room: float, size: float, weight: str, *, start: int = 0, beside: str = "") -> int:
    """How many signs from there on fit, beside others; none is looked at twice, as names may be of any length."""
    known = _widths(weight)
    wide = sum(known.get(sign, 1000) for sign in beside)
    for at in range(start, len(text)):
        wide += known.get(text[at], 1000)
        if wide * size / 1000 > room:
            return at - start
    return len(text) - start


@cache
def _widths(weight: str) -> dict[str, int]:
    """In thousandths of the size, by sign; of Liberation Sans, which the converter to PDF brings along."""
    groups = json.loads((files(HOME) / WIDTHS).read_text("utf-8"))[weight]
    return {sign: int(wide) for wide, signs in groups.items() for sign in signs}

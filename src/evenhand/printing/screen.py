"""The terminal as rich sees it. Imported on first use: rich costs as much as scoring a small corpus."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from evenhand.visible import ACTING, visible

Cell = str | Text


class Screen(Console):
    """A terminal on which names stay names: no markup, no emoji codes, and nothing that acts.

    What is printed is one line, however many its names would make of it; tables and the like have lines of their own.
    """

    def __init__(self, *, file: IO[str], width: int | None = None) -> None:
        super().__init__(file=file, width=width, markup=False, emoji=False)

    def print(self, *objects: Any, **how: Any) -> None:
        """As ever, with what would act spelled out, so that it takes the room that it needs."""
        super().print(*(shown(one) if isinstance(one, str | Text) else one for one in objects), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Whatever else is drawn; a sign for a sign, as there is no more room."""
        for segment in super().render(renderable, options):
            acts = not segment.control and ACTING.search(segment.text)
            yield Segment(visible(segment.text, keep="\n", spell=_unknown), segment.style) if acts else segment


def shown(cell: Cell) -> Text:
    """A text with what would act in it spelled out; a style goes on over what it covered.

    >>> shown("a\\nb\\x1b").plain
    'a\\\\nb\\\\x1b'
    """
    if isinstance(cell, str):
        return Text(visible(cell))
    return _spelled(cell) if ACTING.search(cell.plain) and not isinstance(cell, Lines) else cell


class Lines(Text):
    """A cell of several lines, and no other ends of lines."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(map(visible, lines)))


def _spelled(cell: Text) -> Text:
    """Between the places where its styles change, a text is spelled out piece by piece."""
    ends = sorted({0, len(cell.plain), *(end for span in cell.spans for end in (span.start, span.end))})
    pieces = cell.divide(ends[1:-1])
    made = Text(style=cell.style, justify=cell.justify, overflow=cell.overflow, no_wrap=cell.no_wrap)
    for piece in pieces:
        text = visible(piece.plain)
        made.append_text(Text(text, spans=[span._replace(start=0, end=len(text)) for span in piece.spans]))
    return made


def _unknown(sign: str) -> str:
    return "\N{REPLACEMENT CHARACTER}"

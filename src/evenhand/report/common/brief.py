"""What fits one screen of a terminal: the beginning of what there is to say, and how to read the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.text import Text

from evenhand.printing.screen import Screen
from evenhand.report.common.steps import Step, print_step

SCREEN = 24
"""Lines of the smallest terminal that people use."""
ROOM = SCREEN - 2
"""What is left of it by the prompt, and by the line that says where things were saved."""


def print_brief(console: Screen, draw: Callable[[Screen], None], steps: Sequence[Step] = ()) -> None:
    """What is drawn, as far as a screen holds it with the first step below."""
    step = drawn_lines(console, lambda screen: _first_step(steps, screen))
    lines = drawn_lines(console, draw)
    room = ROOM - rows(step, console) - 1
    if rows(lines, console) <= room + 1:
        print_lines([*lines, *step], console)
        say_more = len(steps) > 1
    else:
        print_lines([*_beginning(lines, room, console), *step], console)
        say_more = True
    if say_more:
        console.print(Text(more_than(steps), style="dim"))


def more_than(steps: Sequence[Step]) -> str:
    """How to read what a screen does not hold."""
    others = len(steps) - 1
    more = f", and {others} more next step{'s' if others > 1 else ''}" if others > 0 else ""
    return f"Everything that was found{more}: --full"


def drawn_lines(console: Screen, draw: Callable[[Screen], None]) -> list[str]:
    """The lines that would be printed, colours and all."""
    with console.capture() as captured:
        draw(console)
    return captured.get().splitlines()


def rows(lines: Sequence[str], console: Screen) -> int:
    """How many lines of the terminal they take; commands are longer than one, and not wrapped."""
    return sum(max(math.ceil(cell_len(Text.from_ansi(line).plain) / console.width), 1) for line in lines)


def print_lines(lines: Sequence[str], console: Screen) -> None:
    """Lines that were captured: what would act in them is spelled out already, and their colours are ours."""
    console.file.write("".join(f"{line}\n" for line in lines))


def _beginning(lines: Sequence[str], room: int, console: Screen) -> list[str]:
    """As many lines as there is room for, to the end of a paragraph where one ends late enough."""
    kept: list[str] = []
    for line in lines:
        if rows([*kept, line], console) > room:
            break
        kept.append(line)
    blank = [place for place, line in enumerate(kept) if not line.strip()]
    if not blank or blank[-1] < room // 2:
        return kept
    # A line that stands alone is the heading of what there is no room for.
    alone = len(blank) > 1 and blank[-1] - blank[-2] == 2 and not kept[blank[-1] - 1].rstrip().endswith(".")
    return kept[: blank[-2] if alone else blank[-1]]


def _first_step(steps: Sequence[Step], console: Screen) -> None:
    for step in steps[:1]:
        console.print()
        print_step(step, console)

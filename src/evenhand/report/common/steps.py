"""What to do next, as commands that run: in the terminal and on every page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

HEADING = "What you can do next"


@dataclass(frozen=True)
class Step:
    """What a verdict calls for, and the commands that do it, in order."""

    verdict: str
    text: str
    commands: tuple[str, ...]


def print_steps(steps: Sequence[Step], console: Console, colours: Mapping[str, str] | None = None) -> None:
    """The steps below a heading of their own; `colours` by the verdict that calls for one."""
    if not steps:
        return
    console.print()
    console.print(Text(HEADING, style="bold"))
    for step in steps:
        print_step(step, console, (colours or {}).get(step.verdict, ""))


def print_step(step: Step, console: Console, style: str = "") -> None:
    """What a verdict calls for, and the commands below it."""
    console.print(Text("• ", style=style) + Text(f"{step.verdict[:1].upper()}{step.verdict[1:]}. {step.text}:"))
    for command in step.commands:
        # Not wrapped: a command that is cut into lines cannot be copied.
        console.print(Text(f"    {command}"), soft_wrap=True)

"""Answers to the paper's questions, for reading in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from evenhand.rating.questions import Answer
from evenhand.report.ratings.words import QUESTIONS, in_short, in_words

MOST = 12


def print_answers(answers: Sequence[Answer], console: Console) -> None:
    """Each question with its answers."""
    for name, text in QUESTIONS.items():
        mine = [answer for answer in answers if answer.question == name]
        if not mine:
            continue
        console.print()
        console.print(Text(f"{text} {in_short(name, mine)}", style="bold"))
        shown = mine if len(mine) <= MOST else [answer for answer in mine if _told_apart(answer)]
        for answer in shown:
            console.print(Text(f"  {in_words(answer)}"))
        if len(shown) < len(mine):
            console.print(Text(f"  ({len(mine) - len(shown)} more; --json and --out have them all)", style="dim"))


def _told_apart(answer: Answer) -> bool:
    return answer.interval is not None and (answer.interval[0] > 0 or answer.interval[1] < 0)

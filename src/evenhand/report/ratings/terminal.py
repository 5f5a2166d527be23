"""Answers to the paper's questions, for reading in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from evenhand.rating.questions import Answer
from evenhand.report.ratings.words import NEEDS, QUESTIONS, in_short, in_words

MOST = 12


def print_answers(answers: Sequence[Answer], notes: Sequence[str], console: Console) -> None:
    """Each question with its answers, or what it would need; then what was left out."""
    for name, text in QUESTIONS.items():
        mine = [answer for answer in answers if answer.question == name]
        console.print()
        console.print(Text(f"{text} {in_short(mine) if mine else NEEDS[name]}", style="bold"))
        shown = mine if len(mine) <= MOST else [answer for answer in mine if _worth_showing(answer)]
        for answer in shown:
            console.print(Text(f"  {in_words(answer)}"))
        if len(shown) < len(mine):
            console.print(Text(f"  ({len(mine) - len(shown)} more; --json and --out have them all)", style="dim"))
    if notes:
        console.print()
    for note in notes:
        console.print(Text(f"{note}."))


def _worth_showing(answer: Answer) -> bool:
    return answer.change is None or (answer.interval is not None and (answer.interval[0] > 0 or answer.interval[1] < 0))

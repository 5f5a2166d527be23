"""What became of the texts of a file, rendered in the terminal."""

from __future__ import annotations

from collections import Counter

from rich.text import Text

from evenhand.corpora.text.validity import Validity
from evenhand.corpora.text.versions import CHANGED, SKIPPED, UNCHANGED, UNSURE
from evenhand.printing import console_of

MOST_REASONS = 6
SHOWN = 2
SAID = {
    CHANGED: "changed",
    UNCHANGED: "unchanged: nobody to change",
    SKIPPED: "skipped: left alone, and why",
    UNSURE: "unsure: for a person to decide",
}


def show_validity(found: Validity, width: int | None = None) -> None:
    """Counts by status, with reasons and examples."""
    console = console_of(width)
    console.print(Text(f"{found.texts:,} texts, {found.attribute}: {', '.join(found.groups)}", style="bold"))
    for status, said in SAID.items():
        if not found.by_status[status]:
            continue
        console.print(Text(f"{found.by_status[status]:>9,}  {said}"))
        for reason, times in found.reasons.get(status, Counter[str]()).most_common(MOST_REASONS):
            console.print(Text(f"           {times:,} × {reason}", style="dim"))
        for one in found.examples.get(status, ())[:SHOWN]:
            console.print(Text(f"           “{_line(one['original'])}”", style="dim"))
            if one["text"] != one["original"]:
                console.print(Text(f"         → “{_line(one['text'])}”", style="dim"))
    if found.mixed:
        console.print(
            Text(
                f"{found.mixed:,} texts are about people of both genders: everybody in them swaps, so couples stay "
                "as they are (--couples skip leaves them alone). Their group is that of the person mentioned first."
            )
        )
    if found.edited:
        console.print(Text(f"{found.edited:,} versions are in the words of whoever edited them."))


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 110 else line[:109] + "…"

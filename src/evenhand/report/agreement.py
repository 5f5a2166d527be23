"""How far annotators agree, for reading in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from evenhand.annotating import Sheets

READING = (
    "Agreement: of all pairs of labels that two annotators gave to one text, how many are equal. Krippendorff's alpha: "
    "1 is full agreement, 0 what chance would give; ordinal counts −1 beside 1 as worse than 0 beside 1. Labels that "
    "hardly vary give a high percentage and a low alpha."
)


def print_sheets(found: Sheets, console: Console) -> None:
    """A row per annotator, the agreement of all and of each two, and what is still missing."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("annotator", overflow="fold")
    for heading in ("labelled", "missing", "negative", "neutral", "positive"):
        table.add_column(heading, justify="right")
    for one in found.annotators:
        numbers = (one.labelled, one.missing, one.negative, one.neutral, one.positive)
        table.add_row(Text(one.name), *(f"{number:,}" for number in numbers))
    console.print(table)
    console.print()
    for line in lines(found):
        console.print(Text(line), soft_wrap=True)
    console.print()
    console.print(Text(READING, style="dim"))


def lines(found: Sheets) -> list[str]:
    """The agreement in words."""
    names = [annotator.name for annotator in found.annotators]
    overall, nominal = found.agreement, found.nominal
    said = [
        f"{found.texts:,} texts, {overall.units:,} of them labelled by two or more, {found.unlabelled:,} by nobody; "
        f"ties to be drawn: {found.ties:,}",
        f"agreement: {_percent(overall.percent)} of pairs; {_percent(overall.unanimous)} of texts unanimous",
    ]
    if overall.alpha is None or nominal.alpha is None:
        said.append(f"Krippendorff's alpha: undefined ({overall.undefined})")
    else:
        said.append(f"Krippendorff's alpha: {overall.alpha:.3f} (ordinal), {nominal.alpha:.3f} (nominal)")
    if len(names) > 2:
        pairs = (f"{names[a]} and {names[b]} {_percent(value)}" for (a, b), value in overall.pairs.items())
        said.append(f"by pairs: {'; '.join(pairs)}")
    return said


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.1f} %"

"""Saved results, one line each."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from evenhand.results.listed import SavedResult, SavedResults

SHOWN = 4
"""So many systems are named; of more, the number is said."""


def print_runs(saved: SavedResults, folder: Path, console: Console) -> None:
    """A line for each result; lines are never cut."""
    if not saved.found:
        nothing = f"no saved results below {folder}; `evenhand audit vader --out RUN` saves one"
        console.print(Text(nothing), soft_wrap=True)
    for one in saved.found:
        console.print(_line(one), soft_wrap=True)
    if not saved.complete:
        console.print(Text(f"not all folders below {folder} were looked into: name one further down"), soft_wrap=True)


def _line(one: SavedResult) -> Text:
    lead = Text(one.folder, style="bold") + Text(f"  {one.kind}  ")
    if one.problem is not None:
        return lead + Text(f"cannot be read: {one.problem}", style="red")
    on = f" on {', '.join(one.corpora)}" if one.corpora else ""
    return lead + Text(f"{_systems(one.systems)}{on}: {one.summary}")


def _systems(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= SHOWN else f"{len(names)} systems"

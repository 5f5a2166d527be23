"""A result on stdout, as JSON or for reading; on stderr, where it lies and what can be done with it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from evenhand.results import Result


def show(result: Result, *, as_json: bool, folder: Path | None = None) -> None:
    """JSON and nothing else, or what people read; then how to use what lies in the folder."""
    if as_json:
        typer.echo(result.to_json())
    else:
        result.show()
    usage = None if folder is None else result.usage(folder)
    if usage is not None:
        typer.echo(usage, err=True)


def saved_in(folder: Path, page: str) -> None:
    """Where a result was saved, and the command that shows it again."""
    again = shlex.join(["evenhand", "report", str(folder)])
    typer.echo(f"saved in {folder}: open {folder / page}, or `{again}`", err=True)

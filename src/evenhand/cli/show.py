"""A result on stdout, as JSON or for reading."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from evenhand.results import Result


def show(result: Result, *, as_json: bool) -> None:
    """JSON and nothing else, or what people read."""
    if as_json:
        typer.echo(result.to_json())
    else:
        result.show()


def saved_in(folder: Path, page: str) -> None:
    """Where a result lies, and the command that shows it again; on stderr, as stdout is for the result alone."""
    again = shlex.join(["evenhand", "report", str(folder)])
    typer.echo(f"saved in {folder}: open {folder / page}, or `{again}`", err=True)

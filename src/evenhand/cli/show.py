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


def show_saved(result: Result, out: Path | None, *, as_json: bool) -> None:
    """The same; before it, where the result was saved, if it was, and the command that shows it again."""
    from evenhand.results.rendering import page_file_of

    if out is not None:
        again = shlex.join(["evenhand", "report", str(out)])
        typer.echo(f"saved in {out}: open {out / page_file_of(result.kind)}, or `{again}`", err=True)
    show(result, as_json=as_json, folder=out)

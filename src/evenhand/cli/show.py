"""A result on stdout, as JSON or for reading."""

from __future__ import annotations

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

"""`evenhand report`: show a saved audit again, without scoring."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `evenhand audit --out DIR` wrote.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")] = False,
) -> None:
    """Show a saved audit again, without scoring."""
    from evenhand.cli.show import show
    from evenhand.report import Report

    show(Report.load(folder), as_json=as_json)

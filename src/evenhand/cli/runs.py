"""`evenhand runs`: what was saved, one line each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import AsJson


def runs(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to look, with all folders below.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """List saved results below a folder: kind, systems, corpus and what was found."""
    from evenhand.report.common.console import console_of
    from evenhand.report.runs import print_runs
    from evenhand.verbs.saved import find_results

    found = find_results(folder)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print_runs(found, folder, console_of())

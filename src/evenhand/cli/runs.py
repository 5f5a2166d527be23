"""`evenhand runs`: what was saved, one line each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import AsJson
from evenhand.files.json_text import json_text
from evenhand.printing import tell_json


def runs(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to look, with all folders below.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """List saved results below a folder: kind, systems, corpus and what was found."""
    from evenhand.printing import console_of
    from evenhand.report.runs import print_runs
    from evenhand.verbs.saved import find_results

    found = find_results(folder)
    if as_json:
        tell_json(json_text(found.to_dict()))
    else:
        print_runs(found, folder, console_of())

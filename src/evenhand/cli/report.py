"""`evenhand report`: show a saved result again, without asking anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import AsJson, Thresholds


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What a command with --out DIR wrote.")],
    threshold: Thresholds = None,
    as_json: AsJson = False,
    html: Annotated[bool, typer.Option("--html", help="Write the page again.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Write DIR/figures: PNG and SVG.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Write the tables: CSV, Markdown, LaTeX.")] = False,
) -> None:
    """Show a saved result of any kind again; or write its page, figures and tables."""
    from evenhand.cli.show import show
    from evenhand.verbs.saved import decided, load_result

    loaded = load_result(folder)
    if threshold:
        loaded = decided(loaded, threshold)
    home = folder.parent if folder.is_file() else folder
    written = loaded.export(home, page=html, tables=tables, figures=figures)
    for path in written:
        typer.echo(str(path), err=as_json)
    if as_json or not written:
        show(loaded, as_json=as_json, folder=home)

"""`evenhand report`: show a saved audit again, without scoring."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `evenhand audit --out DIR` wrote.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Write DIR/report.html again.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Write DIR/figures: PNG and SVG.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Write DIR/tables: CSV, Markdown and LaTeX.")] = False,
) -> None:
    """Show a saved audit again, without scoring; or write its page, figures and tables."""
    from evenhand.cli.show import show
    from evenhand.report import Report

    loaded = Report.load(folder)
    written: list[Path] = []
    if html:
        written.append(loaded.save_page(folder))
    if tables:
        from evenhand.report.exports import write_tables

        written += write_tables(loaded, folder / "tables")
    if figures:
        from evenhand.report.exports import write_pictures

        written += write_pictures(loaded, folder / "figures")
    for path in written:
        typer.echo(str(path), err=as_json)
    if as_json or not written:
        show(loaded, as_json=as_json)

"""`evenhand phrases`: what systems say to bare identities, phrase by phrase."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import AsJson, Overwrite, asks_systems, repeating, shows_results, takes_statement

if TYPE_CHECKING:
    from evenhand.asking.settings import AskOptions
    from evenhand.cli.show import Shown
    from evenhand.results import Statement


@shows_results
@takes_statement
@asks_systems
def phrases(
    systems: Annotated[list[str], typer.Argument(metavar="SYSTEM...", help="As for `evenhand audit`.")],
    references: Annotated[
        str, typer.Option(help="pairs, phrases (as published), identity, or a .yaml file of the same form.")
    ] = "pairs",
    out: Annotated[Path | None, typer.Option(help="Folder for phrases.html, .json, .csv and the figures.")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    *,
    how: AskOptions,
    statement: Statement,
    shown: Shown,
) -> None:
    """Ask SYSTEM about bare identities (A woman, A boy), phrase by phrase and pair by pair."""
    from evenhand.cli.show import found_by, show_saved
    from evenhand.verbs.phrases import phrases as run

    found = found_by(
        run,
        systems,
        references,
        out=out,
        overwrite=overwrite,
        command=repeating(sys.argv),
        statement=statement,
        **how,
    )
    show_saved(found, out, shown, as_json=as_json)

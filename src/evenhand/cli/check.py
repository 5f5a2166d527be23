"""`evenhand check`: a gate; whether gaps stay within the limits that a file of settings sets."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import AsJson, Cache, Overwrite, repeating, shows_results

if TYPE_CHECKING:
    from evenhand.cli.show import Shown
    from evenhand.gating import Check

FAILS = 1


@shows_results
def check(
    config: Annotated[
        Path | None,
        typer.Option(help="The settings. Default: evenhand.toml or [tool.evenhand] in pyproject.toml, here or above."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="A saved audit or check: gaps may not be larger than there."),
    ] = None,
    cannot_tell: Annotated[
        str | None, typer.Option(metavar="fail|pass", help="What it means where an interval is too wide to tell.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="Write Markdown for a pull request.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for check.html, check.json and the audits.")] = None,
    overwrite: Overwrite = False,
    cache: Cache = None,
    as_json: AsJson = False,
    *,
    shown: Shown,
) -> None:
    """Check that gaps stay within their limits. Exit code 0: it passes; 1: it fails; 2: it cannot be run as it is."""
    from evenhand.cli.show import show_saved
    from evenhand.gating.config import find_config, read_config
    from evenhand.printing import say
    from evenhand.verbs.check import check as run

    here = Path.cwd()
    path = find_config(here) if config is None else config
    folder = path.absolute().parent
    # A folder that was typed is one from here; those in the file are from where that lies.
    held = None if baseline is None else os.path.relpath(baseline, folder)
    changed = {"baseline": held, "cannot_tell": cannot_tell}
    settings = read_config(path, {name: value for name, value in changed.items() if value is not None})
    if folder != here:
        say(f"{path}: files are looked for in its folder")
    # Files, functions and child processes of systems are those beside the settings, wherever this was typed.
    with contextlib.chdir(folder):
        found = run(
            settings,
            out=None if out is None else here / out,
            overwrite=overwrite,
            command=repeating(sys.argv),
            cache=None if cache is None else here / cache,
        )
    _write(found, junit, markdown)
    show_saved(found, out, shown, as_json=as_json)
    if not found.passed:
        raise typer.Exit(FAILS)


def _write(found: Check, junit: Path | None, markdown: Path | None) -> None:
    from evenhand.verbs.export import export

    for path, form in ((junit, "junit"), (markdown, "pull-request")):
        if path is not None:
            export(found, form, out=path, overwrite=True)

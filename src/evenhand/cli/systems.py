"""`evenhand systems`: what is installed, what is missing, and the command that installs it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

from evenhand.cli.options import AsJson

if TYPE_CHECKING:
    from evenhand.systems.installed import Listed


def systems(
    as_json: AsJson = False,
) -> None:
    """List the systems that are installed, those that are missing, and all ways to name one."""
    from evenhand.specs.resolving import FORMS
    from evenhand.systems.installed import listed_systems

    found = listed_systems()
    if as_json:
        content = {"systems": [_plain(one) for one in found], "forms": FORMS}
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    from evenhand.report.common.console import Column, console_of, print_table

    console = console_of()
    for title, rows in {
        "Installed": [(one.typed, _summary(one)) for one in found if one.installed],
        "Missing": [(one.typed, f"{one.summary}\n{one.install}") for one in found if one.missing],
        "Broken": [(one.typed, one.problem or "") for one in found if one.problem],
        "Ways to name a system": list(FORMS.items()),
    }.items():
        if rows:
            print_table(console, [Column(title), Column("", wraps=True)], rows)
            console.print()


def _plain(one: Listed) -> dict[str, Any]:
    return {
        "name": one.typed.partition(":")[0],
        "typed": one.typed,
        "summary": one.summary,
        "installed": one.installed,
        "extra": one.extra,
        "missing": list(one.missing),
        "install": one.install,
        "plugin": one.plugin,
        "problem": one.problem,
    }


def _summary(one: Listed) -> str:
    return f"{one.summary} (from {one.plugin})" if one.plugin else one.summary

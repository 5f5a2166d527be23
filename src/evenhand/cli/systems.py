"""`evenhand systems`: what can be asked, what is missing, and the command that would install it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from evenhand.systems.installed import Listed


def systems(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")] = False,
) -> None:
    """List the systems: installed, missing, and what else may be typed."""
    from evenhand.specs import FORMS
    from evenhand.systems.installed import listed_systems

    found = listed_systems()
    if as_json:
        content = {"systems": [_plain(one) for one in found], "forms": FORMS}
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console()
    for title, rows in {
        "Installed": [(one.typed, _summary(one)) for one in found if one.installed],
        "Missing": [(one.typed, f"{one.summary}\n{one.install}") for one in found if one.missing],
        "Broken": [(one.typed, one.problem or "") for one in found if one.problem],
        "What may be typed": list(FORMS.items()),
    }.items():
        if rows:
            console.print(_table(title, rows))
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


def _table(title: str, rows: list[tuple[str, str]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    table.add_column(title, no_wrap=True, min_width=28)
    table.add_column("")
    for typed, meaning in rows:
        table.add_row(Text(typed), Text(meaning))
    return table

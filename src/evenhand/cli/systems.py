"""`evenhand systems`: what is installed, what is missing, and the command that installs it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evenhand.cli.options import AsJson
from evenhand.printing import tell_json

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
        tell_json(json.dumps(content, indent=2, ensure_ascii=False))
        return
    from evenhand.printing import console_of
    from evenhand.printing.screen import Cell, Lines
    from evenhand.report.common.console import Column, print_table

    console = console_of()
    tables: dict[str, list[tuple[Cell, Cell]]] = {
        "Installed": [(one.typed, _summary(one)) for one in found if one.installed],
        "Missing": [(one.typed, Lines(one.summary, one.install or "")) for one in found if one.missing],
        "Broken": [(one.typed, one.problem or "") for one in found if one.problem],
        "Ways to name a system": [(form, meaning) for form, meaning in FORMS.items()],
    }
    for title, rows in tables.items():
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

"""The pages that put audits side by side: two compared, or one model through its versions."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from evenhand.errors import EvenhandError, UsageError
from evenhand.report.explorer import views
from evenhand.web.answers import html
from evenhand.web.explorer import Explorer, Read
from evenhand.web.following import runs
from evenhand.web.given import Ids, Optional, Served
from evenhand.web.index import Wanted

routes = APIRouter()
Systems = tuple[str | None, str | None]


@routes.get("/compare")
def compare(
    explorer: Served, id: Ids = [], one: Optional = None, other: Optional = None,  # noqa: B006 - FastAPI copies it
    one_system: Optional = None, other_system: Optional = None,
) -> HTMLResponse:  # fmt: skip
    """Two audits, or what to choose from."""
    chosen = [each for each in (one, other) if each] or list(id)
    systems = (one_system or None, other_system or None)
    audits, _ = explorer.index.listed(Wanted(kind="audit"), most=1_000)
    shown: dict[str, Any] = {
        "audits": [one for one in audits if one.problem is None],
        "chosen": [*chosen, "", ""][:2],
        "systems": systems,
        "outputs": ([], []),
        "found": None,
        "problem": None,
        "asks": False,
    }
    try:
        if len(chosen) > 2:
            raise UsageError(f"two results can be compared, not {len(chosen)}; to see more side by side, follow them")
        sides = [explorer.read(one) for one in chosen]
        shown["outputs"] = [_systems_of(one) for one in sides] + [[]] * (2 - len(sides))
        return html("compare", **shown | (_compared(explorer, sides, systems) if len(sides) == 2 else {}))
    except EvenhandError as error:
        return html("compare", **shown | {"problem": str(error)})


def _compared(explorer: Explorer, sides: list[Read], systems: Systems) -> dict[str, Any]:
    """What the page says of two that were chosen, or that it has to be asked which of their systems are meant."""
    chosen, outputs = [one.entry.id for one in sides], [_systems_of(one) for one in sides]
    open_ = any(len(names) > 1 and system is None for names, system in zip(outputs, systems, strict=True))
    if open_ and (chosen[0] == chosen[1] or set(outputs[0]) != set(outputs[1])):
        return {"asks": True}
    found = explorer.compared(sides[0], sides[1], systems)
    asked = {"one": chosen[0], "other": chosen[1], "one_system": systems[0], "other_system": systems[1]}
    given = {name: value for name, value in asked.items() if value}
    return {"found": views.compared(found), "json": "/api/compare?" + urlencode(given)}


def _systems_of(read: Read) -> list[str]:
    """The systems of an audit, as `compare` takes them: with the output where a system has several."""
    outputs: dict[str, list[str]] = {}
    for finding in read.audit.findings:
        known = outputs.setdefault(finding.system, [])
        if finding.output not in known:
            known.append(finding.output)
    return [
        system if len(known) == 1 else f"{system}/{output}" for system, known in outputs.items() for output in known
    ]


@routes.get("/follow")
def follow(explorer: Served, system: Optional = None, id: Ids = []) -> HTMLResponse:  # noqa: B006
    """The audits of a system, or those that are named, in the order of their dates."""
    found = runs(explorer.index, system or None, id) if system or id else []
    asked = [("system", system)] if system else [("id", one) for one in id]
    charts = views.followed(
        [
            (run.called, {"day": run.day, "place": run.entry.place, "href": f"/results/{run.entry.id}"}, run.gaps)
            for run in found
        ]
    )
    for chart in charts:
        chart["svg"] = "/api/follow.svg?" + urlencode([*asked, ("comparison", chart["comparison"])])
    return html(
        "follow",
        system=system or "",
        systems=explorer.index.followed(),
        charts=[chart for chart in charts if len(chart["rows"]) > 1],
        single=[chart for chart in charts if len(chart["rows"]) == 1],
        asked=bool(asked),
        runs=len(found),
    )

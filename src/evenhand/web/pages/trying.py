"""The page on which a sentence is tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse

from evenhand.errors import EvenhandError
from evenhand.report.explorer import views
from evenhand.report.explorer.marks import marked
from evenhand.systems import Output
from evenhand.web.answers import html
from evenhand.web.explorer import Explorer
from evenhand.web.given import Asked, Optional, Served
from evenhand.web.trying import Tried, Versions

routes = APIRouter()
EXAMPLES = (
    "My sister feels angry.",
    "Mohammed is a gay man.",
    "The old woman told her boss that Tia was late.",
)


@routes.get("/try")
def try_page(explorer: Served, text: Asked = "", system: Optional = None) -> HTMLResponse:
    """Before a sentence is sent."""
    return html("try", **_shown(explorer, text, system or "", None, None))


@routes.post("/try")
def try_it(explorer: Served, text: Annotated[str, Form()] = "", system: Annotated[str, Form()] = "") -> HTMLResponse:
    """The scores of all its versions."""
    try:
        found = explorer.trials.tried(text, system)
    except EvenhandError as error:
        return html("try", status=422, **_shown(explorer, text, system, None, str(error)))
    return html("try", **_shown(explorer, text, system, found, None))


def _shown(explorer: Explorer, text: str, system: str, found: Tried | None, problem: str | None) -> dict[str, Any]:
    return {
        "systems": explorer.trials.systems,
        "text": text,
        "system": system,
        "found": None if found is None else _found(found),
        "problem": problem,
        "examples": EXAMPLES,
    }


def _found(found: Tried) -> dict[str, Any]:
    return {
        "text": found.text,
        "outputs": [one.name for one in found.outputs],
        "scores": _scores(found.scores, found.outputs),
        "attributes": [_attribute(about, found) for about in found.found],
        "missing": [(name.replace("_", " "), why) for name, why in found.not_found],
    }


def _attribute(about: Versions, found: Tried) -> dict[str, Any]:
    spreads = zip(about.spreads, found.outputs, strict=True)
    return {
        "name": about.attribute.replace("_", " "),
        "largest": max((spread / one.span for spread, one in spreads), default=0),
        "spreads": _scores(about.spreads, found.outputs),
        "versions": [
            {
                "label": one.label,
                "own": one.own,
                "parts": [(one.text, False)] if one.own else marked(one.text, found.text),
                "scores": _scores(one.scores, found.outputs),
            }
            for one in about.versions
        ],
    }


def _scores(values: Sequence[float], outputs: Sequence[Output]) -> list[str]:
    return [views.score_of(value, one.span) for value, one in zip(values, outputs, strict=True)]

"""The sentences behind a box, a dot or a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from evenhand.comparing.findings import Finding
from evenhand.report.audit.naming import comparison_name, who
from evenhand.report.explorer import views
from evenhand.report.explorer.marks import marked
from evenhand.web.answers import html
from evenhand.web.evidence import Behind, Beside, Sentence
from evenhand.web.given import Asked, First, Id, Limit, Number, Row, Served
from evenhand.web.pages.results import column_of, lead_of

routes = APIRouter()
MOST = 10
"""Differences in a list."""
ENDS = {"low": "from", "high": "up to"}


@routes.get("/results/{id}/differences")
def differences(
    explorer: Served, id: Id, finding: Number, first: First = 0, low: Limit = None, high: Limit = None
) -> HTMLResponse:
    """Those of a gap, or of a part of its box."""
    read = explorer.read(id)
    asked = read.finding(finding)
    found = read.evidence.between(asked, low, high)
    limits = {name: value for name, value in (("low", low), ("high", high)) if value is not None}
    base = f"/results/{id}/differences?" + urlencode({"finding": finding, **limits})
    return html(
        "differences",
        **lead_of(read),
        about=_about(asked),
        rows=[
            _difference(id, finding, read.evidence.behind(asked, one.row), asked) for one in found[first : first + MOST]
        ],
        count=len(found),
        first=first,
        limits=[
            f"{'from' if name == 'low' else 'up to'} {views.score(value, asked)}" for name, value in limits.items()
        ],
        more=[
            (called, f"{base}&first={place}")
            for called, place in (("Larger ones", first - MOST), ("Smaller ones", first + MOST))
            if 0 <= place < len(found)
        ],
    )


@routes.get("/results/{id}/differences/{row}")
def difference(explorer: Served, id: Id, row: Row, finding: Number) -> HTMLResponse:
    """One of them."""
    read = explorer.read(id)
    asked = read.finding(finding)
    behind = read.evidence.behind(asked, row)
    return html("difference", **lead_of(read), about=_about(asked), **_difference(id, finding, behind, asked))


@routes.get("/results/{id}/cell")
def cell(explorer: Served, id: Id, column: Number, person: Asked, template: Asked) -> HTMLResponse:
    """A person's sentences in one template, each beside the typical one."""
    read = explorer.read(id)
    system, output = column_of(read, column)
    asked = next(one for one in read.audit.findings if (one.system, one.output) == (system, output))
    rows = [_beside(one, asked) for one in read.evidence.cell(system, output, person, template)]
    return html("cell", **lead_of(read), person=person, called=template, about=_about(asked), rows=rows)


def _about(finding: Finding) -> dict[str, str]:
    return {
        "system": who(finding),
        "comparison": comparison_name(finding),
        "first": finding.first_label,
        "second": finding.second_label,
        "gap": views.score(finding.mean_difference, finding),
    }


def _beside(one: Beside, finding: Finding) -> dict[str, Any]:
    return {
        "own": marked(one.own.text, one.typical.text),
        "typical": marked(one.typical.text, one.own.text),
        "own_score": views.score(one.own.score, finding),
        "typical_score": views.score(one.typical.score, finding),
        "away": views.score(one.away, finding),
    }


def _difference(id_: str, number: int, behind: Behind, finding: Finding) -> dict[str, Any]:
    return {
        "first_side": _side(behind.first, behind.second, finding),
        "second_side": _side(behind.second, behind.first, finding),
        "label": behind.label,
        "difference": views.score(behind.difference, finding),
        "href": f"/results/{id_}/differences/{behind.row}?finding={number}",
    }


def _side(mine: Sequence[Sentence], others: Sequence[Sentence], finding: Finding) -> list[dict[str, Any]]:
    other = others[0].text if others else ""
    return [
        {"parts": marked(one.text, other), "score": views.score(one.score, finding), "person": one.person}
        for one in _odd_first(mine)
    ]


def _odd_first(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences whose scores lie furthest from the middle come first: they are what a difference rests on."""
    middle = float(np.median([one.score for one in sentences])) if sentences else 0.0
    return sorted(sentences, key=lambda one: -abs(one.score - middle))

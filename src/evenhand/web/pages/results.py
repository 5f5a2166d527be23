"""The page of a result: audits and studies have their own, all others show their text and their table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from evenhand.comparing.audit import Audit
from evenhand.errors import UsageError
from evenhand.report.audit.naming import labels
from evenhand.report.explorer import audit_view, leaderboard
from evenhand.report.explorer.views import page
from evenhand.report.study.words import table_title
from evenhand.results.rendering import renderer_of
from evenhand.studies import Study
from evenhand.web.answers import file
from evenhand.web.explorer import Explorer, Read
from evenhand.web.following import day_of
from evenhand.web.given import Id, Number, Optional, Served
from evenhand.web.pages.listing import corpora_of, systems_of

routes = APIRouter()
PLAIN_ROWS = 200
"""Rows of a table that a page shows; the others are in the file."""


@dataclass(frozen=True)
class Chosen:
    """What somebody chose on the page of a result."""

    column: int
    everything: bool
    dimension: str | None
    table: str | None
    sort: leaderboard.Sort


@routes.get("/results/{id}")
def result(
    explorer: Served, id: Id, column: Number = 0, everything: bool = False, dimension: Optional = None,
    table: Optional = None, sort: leaderboard.Sort = "quality",
) -> HTMLResponse:  # fmt: skip
    """Made once for each choice."""
    read, chosen = explorer.read(id), Chosen(column, everything, dimension, table, sort)
    return HTMLResponse(explorer.pages.get((id, read.stamp, chosen), lambda: _made(explorer, read, chosen)))


@routes.get("/results/{id}/page")
def whole(explorer: Served, id: Id) -> Response:
    """The report as one file."""
    read = explorer.read(id)
    with explorer.plain_messages():
        return file(read.result.to_html().encode(), f"{read.result.kind}.html", "text/html; charset=utf-8")


def lead_of(read: Read) -> dict[str, Any]:
    """What every page about a result begins with."""
    entry = read.entry
    return {
        "id": entry.id,
        "kind": entry.kind,
        "place": entry.place,
        "day": day_of(entry),
        "systems": systems_of(entry),
        "corpora": corpora_of(entry),
        "headline": entry.headline,
        "look": entry.look,
        "version": entry.version,
    }


def column_of(read: Read, column: int) -> tuple[str, str]:
    """A system and its output, by number."""
    names = list(labels(read.audit.findings))
    if column >= len(names):
        raise UsageError(f"this audit is of {len(names)} outputs, numbered from 0: there is no {column}")
    return names[column]


def _made(explorer: Explorer, read: Read, chosen: Chosen) -> bytes:
    lead = {**lead_of(read), "tables": list(explorer.tables(read)), "figures": list(explorer.figures(read))}
    with explorer.plain_messages():
        if isinstance(read.result, Audit):
            return _audit(read, chosen.column, chosen.everything, lead).encode()
        if isinstance(read.result, Study):
            return _study(read, read.result, chosen, lead).encode()
        return _plain(read, lead).encode()


def _audit(read: Read, column: int, everything: bool, lead: dict[str, Any]) -> str:
    audit = read.audit
    column_of(read, column)
    told = audit_view.told(audit)
    has_scores = audit.scores is not None and audit.corpus is not None
    return page(
        "audit",
        **lead,
        told=told[: audit_view.MOST_TOLD],
        told_more=told[audit_view.MOST_TOLD :],
        gaps=audit_view.gaps(audit, everything=everything),
        one=audit_view.system(audit, column, _behinds(read, column, has_scores=has_scores)),
        has_scores=has_scores,
        columns=list(labels(audit.findings).values()),
        column=column,
        everything=everything,
        notes=[str(note) for note in audit.notes],
    )


def _behinds(read: Read, column: int, *, has_scores: bool) -> audit_view.Behinds:
    """Where the sentences behind boxes, dots and cells are."""
    base = f"/results/{read.entry.id}"

    def to_box(finding: int, **limits: float) -> str:
        return f"{base}/differences?" + urlencode({"finding": finding, **limits})

    def to_point(finding: int, row: int) -> str:
        return f"{base}/differences/{row}?finding={finding}"

    def to_cell(person: str, template: str) -> str:
        return f"{base}/cell?" + urlencode({"column": column, "person": person, "template": template})

    differences = read.evidence.differences if has_scores else lambda finding: np.zeros(0)
    return audit_view.Behinds(differences, to_box, to_point, to_cell)


def _study(read: Read, study: Study, chosen: Chosen, lead: dict[str, Any]) -> str:
    dimension, table = chosen.dimension or study.dimensions[0], chosen.table or next(iter(study.tables))
    asked = urlencode({"dimension": dimension, "table": table, "sort": chosen.sort})
    return page(
        "study",
        **lead,
        text=renderer_of(study).text(study).split("\n"),
        board=leaderboard.shown(study, dimension, table, chosen.sort, everything=chosen.everything),
        dimensions=study.dimensions,
        dimension=dimension,
        comparisons={name: table_title(one) for name, one in study.tables.items()},
        table=table,
        sort=chosen.sort,
        all_of_them=f"/results/{read.entry.id}?{asked}&everything=true#board",
        csv=f"/api/results/{read.entry.id}/leaderboard.csv?{asked}",
    )


def _plain(read: Read, lead: dict[str, Any]) -> str:
    renderer = renderer_of(read.result)
    frame = read.result.frame()
    rows = [["" if value is None else _cell(value) for value in row] for row in frame.head(PLAIN_ROWS).iter_rows()]
    return page(
        "plain",
        **lead,
        text=[line for line in renderer.text(read.result).split("\n") if line.strip()],
        headings=frame.columns,
        numeric=[dtype.is_numeric() for dtype in frame.dtypes],
        rows=rows,
        left_out=max(frame.height - PLAIN_ROWS, 0),
        notes=[str(note) for note in read.result.notes],
    )


def _cell(value: object) -> str:
    return f"{value:.4g}".replace("-", "−") if isinstance(value, float) else str(value)

"""Saved results: the list, each of them, its tables and charts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import Response

from evenhand.report.explorer.headline import gaps_of
from evenhand.results.rendering import renderer_of
from evenhand.web import models
from evenhand.web.answers import CHART, CSV, SVG, TABLE, file
from evenhand.web.explorer import NotThere
from evenhand.web.given import Asked, First, Id, Most, Optional, Served
from evenhand.web.index import Entry, Sort, Wanted

routes = APIRouter()
Name = Annotated[str, Path(max_length=200)]


@routes.get("/results")
def results(
    explorer: Served, text: Asked = "", kind: Optional = None, system: Optional = None, corpus: Optional = None,
    sort: Sort = "newest", first: First = 0, most: Most = 100,
) -> models.Results:  # fmt: skip
    """The saved results below the folder."""
    explorer.index.refresh_soon()
    found, count = explorer.index.listed(Wanted(text, kind, system, corpus, sort), first=first, most=most)
    return models.Results(
        results=[_saved(one) for one in found],
        count=count,
        still_to_read=explorer.index.left,
        complete=explorer.index.complete,
    )


@routes.get("/results/{id}")
def result(explorer: Served, id: Id) -> models.ResultDetails:
    """A result with its gaps, and the names of its tables and charts."""
    read = explorer.read(id)
    return models.ResultDetails(
        result=_saved(read.entry),
        text=renderer_of(read.result).text(read.result),
        gaps=[
            models.Gap(
                finding=number, system=gap.system, output=gap.output, comparison=gap.comparison, gap=gap.gap,
                low=gap.low, high=gap.high, verdict=gap.verdict,
            )
            for number, gap in enumerate(gaps_of(read.result))
        ],
        tables=list(explorer.tables(read)),
        figures=list(explorer.figures(read)),
    )  # fmt: skip


@routes.get("/results/{id}/tables/{name}", response_class=Response, responses=TABLE)
def table(explorer: Served, id: Id, name: Name) -> Response:
    """A table of a result as CSV."""
    tables = explorer.tables(explorer.read(id))
    if name not in tables:
        raise NotThere("this result has no such table")
    return file(explorer.drawn(tables[name]), f"{name}.csv", CSV)


@routes.get("/results/{id}/figures/{name}", response_class=Response, responses=CHART)
def figure(explorer: Served, id: Id, name: Name) -> Response:
    """A chart of a result as SVG."""
    figures = explorer.figures(explorer.read(id))
    if name not in figures:
        raise NotThere("this result has no such chart")
    return file(explorer.drawn(figures[name]), f"{name}.svg", SVG)


def _saved(entry: Entry) -> models.SavedResult:
    """An entry of the index as the API has it."""
    return models.SavedResult(
        id=entry.id, place=entry.place, kind=entry.kind, systems=entry.systems, corpora=entry.corpora,
        headline=entry.headline, problem=entry.problem, date=entry.dated, model_version=entry.version,
        modified=entry.modified,
    )  # fmt: skip

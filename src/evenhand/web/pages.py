"""The explorer's pages: what was asked for, handed to the room that renders."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from evenhand.comparing.audit import Audit
from evenhand.corpora.catalogue import corpus_names
from evenhand.errors import EvenhandError
from evenhand.report.explorer import leaderboard, views
from evenhand.report.explorer.marks import marked
from evenhand.report.explorer.views import page
from evenhand.studies import Study
from evenhand.systems.base import HighIs
from evenhand.web import models
from evenhand.web.api import Asked, First, Id, Ids, Number, Optional, behind_box, corpus_info, file, job_info, received
from evenhand.web.explorer import Explorer, Read
from evenhand.web.following import runs
from evenhand.web.index import Sort, Wanted
from evenhand.web.shown import (
    about,
    api_in_words,
    audit_page,
    column_of,
    comparison,
    difference_of,
    lead_of,
    listed,
    number_of,
    plain_page,
    study_page,
    trial,
    upload_form,
    when,
)

A_PAGE = 100
"""Results in a list."""
EVIDENCE = 40
"""Differences in a list."""
SORTS = {
    "newest": "newest first",
    "oldest": "oldest first",
    "kind": "kind",
    "system": "system",
    "corpus": "corpus",
    "place": "folder",
}


def pages_of(explorer: Explorer) -> APIRouter:
    """All of them, for one explorer."""
    pages = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

    @pages.get("/")
    def home(
        text: Asked = "", kind: Optional = None, system: Optional = None, corpus: Optional = None,
        sort: Sort = "newest", first: First = 0,
    ) -> HTMLResponse:  # fmt: skip
        explorer.index.refresh_soon()
        wanted = Wanted(text, kind or None, system or None, corpus or None, sort)
        found, count = explorer.index.listed(wanted, first=first, most=A_PAGE)
        chosen = {"text": text, "kind": kind or "", "system": system or "", "corpus": corpus or "", "sort": sort}
        shown = {name: value for name, value in chosen.items() if value and value != "newest"}
        return html(
            "results",
            rows=[listed(one) for one in found],
            count=count,
            first=first,
            more=[
                (called, "/?" + urlencode({**shown, "first": place}))
                for called, place in (("Earlier in the list", first - A_PAGE), ("Further down", first + A_PAGE))
                if 0 <= place < count or (place < 0 < first)
            ],
            chosen=chosen,
            kinds=explorer.index.known("kind"),
            corpora=explorer.index.known("corpora"),
            sorts=SORTS,
            filtered=bool(shown.keys() - {"sort"}),
            left=explorer.index.left,
            complete=explorer.index.complete,
            folder=explorer.folder.name or str(explorer.folder),
            can_try=bool(explorer.trials.systems),
        )

    @pages.get("/results/{id}")
    def result(
        id: Id, column: Number = 0, everything: bool = False, dimension: Optional = None, table: Optional = None,
        sort: leaderboard.Sort = "quality",
    ) -> HTMLResponse:  # fmt: skip
        read = explorer.read(id)
        key = (id, read.stamp, column, everything, dimension, table, sort)
        return HTMLResponse(explorer.pages.get(key, lambda: made(read, column, everything, dimension, table, sort)))

    def made(
        read: Read, column: int, everything: bool, dimension: str | None, table: str | None, sort: leaderboard.Sort
    ) -> bytes:
        lead = {**lead_of(read), "tables": list(explorer.tables(read)), "figures": list(explorer.figures(read))}
        with explorer.plain_messages():
            if isinstance(read.result, Audit):
                return audit_page(read, column, everything, lead).encode()
            if isinstance(read.result, Study):
                return study_page(read, read.result, dimension, table, sort, lead).encode()
            return plain_page(read, lead).encode()

    @pages.get("/results/{id}/page")
    def whole(id: Id) -> Response:
        read = explorer.read(id)
        with explorer.plain_messages():
            return file(read.result.to_html().encode(), f"{read.result.kind}.html", "text/html; charset=utf-8")

    @pages.get("/results/{id}/differences")
    def differences(
        id: Id, finding: Number, first: First = 0,
        low: Annotated[float | None, Query()] = None, high: Annotated[float | None, Query()] = None,
    ) -> HTMLResponse:  # fmt: skip
        read = explorer.read(id)
        asked = read.finding(finding)
        found = behind_box(read, asked, low, high)
        rows = []
        for one in found[first : first + EVIDENCE]:
            behind = read.evidence.behind(asked, one.row)
            rows.append(difference_of(id, finding, behind, asked))
        limits = {name: value for name, value in (("low", low), ("high", high)) if value is not None}
        base = f"/results/{id}/differences?" + urlencode({"finding": finding, **limits})
        return html(
            "differences",
            **lead_of(read),
            about=about(asked),
            rows=rows,
            count=len(found),
            first=first,
            limits=[
                f"{'from' if name == 'low' else 'up to'} {views.score(value, asked)}" for name, value in limits.items()
            ],
            more=[
                (called, f"{base}&first={place}")
                for called, place in (("Larger ones", first - EVIDENCE), ("Smaller ones", first + EVIDENCE))
                if 0 <= place < len(found)
            ],
        )

    @pages.get("/results/{id}/differences/{row}")
    def difference(id: Id, row: int, finding: Number) -> HTMLResponse:
        read = explorer.read(id)
        asked = read.finding(finding)
        behind = read.evidence.behind(asked, row)
        return html("difference", **lead_of(read), about=about(asked), **difference_of(id, finding, behind, asked))

    @pages.get("/results/{id}/cell")
    def cell(id: Id, column: Number, person: Asked, template: Asked) -> HTMLResponse:
        read = explorer.read(id)
        system, output = column_of(read, column)
        asked = next(one for one in read.audit.findings if (one.system, one.output) == (system, output))
        rows = []
        for one in read.evidence.cell(system, output, person, template):
            rows.append(
                {
                    "own": marked(one.own.text, one.typical.text),
                    "typical": marked(one.typical.text, one.own.text),
                    "own_score": views.score(one.own.score, asked),
                    "typical_score": views.score(one.typical.score, asked),
                    "away": views.score(one.away, asked),
                }
            )
        return html("cell", **lead_of(read), person=person, called=template, about=about(asked), rows=rows)

    @pages.get("/try")
    def try_page(text: Asked = "", system: Optional = None) -> HTMLResponse:
        return html("try", **trial(explorer, text, system or "", None, None))

    @pages.post("/try")
    def try_it(text: Annotated[str, Form()] = "", system: Annotated[str, Form()] = "") -> HTMLResponse:
        try:
            found = explorer.trials.tried(text, system)
        except EvenhandError as error:
            return html("try", status=422, **trial(explorer, text, system, None, str(error)))
        return html("try", **trial(explorer, text, system, found, None))

    @pages.get("/compare")
    def compare(
        id: Ids = [], one: Optional = None, other: Optional = None,  # noqa: B006 - FastAPI copies it
        one_system: Optional = None, other_system: Optional = None,
    ) -> HTMLResponse:  # fmt: skip
        chosen = [each for each in (one, other) if each] or list(id)
        return html("compare", **comparison(explorer, chosen, (one_system or None, other_system or None)))

    @pages.get("/follow")
    def follow(system: Optional = None, id: Ids = []) -> HTMLResponse:  # noqa: B006
        found = runs(explorer.index, system or None, id) if system or id else []
        charts = views.followed(
            [
                (
                    run.called,
                    {"day": run.day, "place": run.entry.place, "href": f"/results/{run.entry.id}"},
                    run.gaps,
                )
                for run in found
            ]
        )
        asked = [("system", system)] if system else [("id", one) for one in id]
        for chart in charts:
            chart["svg"] = "/api/follow.svg?" + urlencode([*asked, ("comparison", chart["comparison"])])
        return html(
            "follow",
            system=system or "",
            systems=explorer.index.followed(),
            charts=charts,
            asked=bool(system or id),
            runs=len(found),
        )

    @pages.get("/upload")
    def upload_page() -> HTMLResponse:
        return html("upload", **upload_form(explorer, None))

    @pages.post("/upload")
    def upload(
        file: UploadFile, name: Annotated[str, Form()] = "", corpus: Annotated[str, Form()] = "eec",
        low: Annotated[str, Form()] = "", high: Annotated[str, Form()] = "", high_is: Annotated[str, Form()] = "",
    ) -> Response:  # fmt: skip
        try:
            means: HighIs | None = high_is if high_is in ("good", "bad", "neither") else None  # type: ignore[assignment]
            form = models.UploadForm(name=name, corpus=corpus, low=number_of(low), high=number_of(high), high_is=means)
            job = received(explorer, file, form)
        except EvenhandError as error:
            return html("upload", status=422, **upload_form(explorer, str(error)))
        return RedirectResponse(f"/jobs/{job.id}", status_code=303)

    @pages.get("/jobs")
    def jobs() -> HTMLResponse:
        return html(
            "jobs", jobs=[{**job_info(job).model_dump(), "when": when(job.begun)} for job in explorer.jobs.all()]
        )

    @pages.get("/jobs/{id}")
    def job(id: Id) -> HTMLResponse:
        found = explorer.jobs.get(id)
        if found.state == "done":
            explorer.index.refresh(now=explorer.index.get(str(job_info(found).result)) is None)
        return html("job", job=job_info(found), over=found.over, when=when(found.begun))

    @pages.get("/corpora")
    def corpora() -> HTMLResponse:
        return html("corpora", corpora=[corpus_info(name) for name in corpus_names()])

    @pages.get("/api")
    def api(request: Request) -> HTMLResponse:
        return html("api", **api_in_words(request.app.openapi()))

    return pages


def html(name: str, *, status: int = 200, **shown: Any) -> HTMLResponse:
    """A page as an answer."""
    return HTMLResponse(page(name, **shown), status_code=status)

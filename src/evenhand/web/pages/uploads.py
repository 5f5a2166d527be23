"""The pages on which predictions are sent, and those of the jobs that audit them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from evenhand.corpora.catalogue import corpus_names
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.base import HighIs
from evenhand.web import models
from evenhand.web.answers import html
from evenhand.web.explorer import Explorer
from evenhand.web.given import Id, Served
from evenhand.web.jobs import ENDINGS
from evenhand.web.uploads import corpus_info, job_info, received

routes = APIRouter()


@routes.get("/corpora")
def corpora() -> HTMLResponse:
    """What may be scored elsewhere."""
    return html("corpora", corpora=[corpus_info(name) for name in corpus_names()])


@routes.get("/upload")
def upload_page(explorer: Served) -> HTMLResponse:
    """Before something is sent."""
    return html("upload", **_form(explorer, None))


@routes.post("/upload")
def upload(
    explorer: Served, file: UploadFile, name: Annotated[str, Form()] = "", corpus: Annotated[str, Form()] = "eec",
    low: Annotated[str, Form()] = "", high: Annotated[str, Form()] = "", high_is: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """The page of its job, or what is wrong with it."""
    try:
        means: HighIs | None = high_is if high_is in ("good", "bad", "neither") else None  # type: ignore[assignment]
        form = models.UploadForm(name=name, corpus=corpus, low=_number(low), high=_number(high), high_is=means)
        job = received(explorer, file, form)
    except EvenhandError as error:
        return html("upload", status=422, **_form(explorer, str(error)))
    return RedirectResponse(f"/jobs/{job.id}", status_code=303)


@routes.get("/jobs")
def jobs(explorer: Served) -> HTMLResponse:
    """All that was sent."""
    return html("jobs", jobs=[{**job_info(job).model_dump(), "when": _when(job.begun)} for job in explorer.jobs.all()])


@routes.get("/jobs/{id}")
def job(explorer: Served, id: Id) -> HTMLResponse:
    """How far one is."""
    found = explorer.jobs.get(id)
    if found.state == "done":
        explorer.index.refresh(now=explorer.index.get(str(job_info(found).result)) is None)
    return html("job", job=job_info(found), over=found.over, when=_when(found.begun))


def _form(explorer: Explorer, problem: str | None) -> dict[str, Any]:
    return {
        "corpora": corpus_names(),
        "endings": ",".join(ENDINGS),
        "most": f"{explorer.most_upload / 1e6:g} MB",
        "problem": problem,
    }


def _number(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError as error:
        raise UsageError("the ends of the range are numbers, such as -1 and 1") from error
    if value != value or value in (float("inf"), float("-inf")):
        raise UsageError("the ends of the range are numbers, such as -1 and 1")
    return value


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")

"""Corpora to be scored elsewhere, the predictions that come back, and the jobs that audit them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Path, UploadFile
from fastapi.responses import Response

from evenhand.corpora.catalogue import corpus_names
from evenhand.systems.base import HighIs
from evenhand.web import models
from evenhand.web.answers import CSV, TABLE, file
from evenhand.web.given import Id, Served
from evenhand.web.uploads import corpus_info, job_info, received

routes = APIRouter()


@routes.get("/corpora")
def corpora() -> list[models.CorpusInfo]:
    """The corpora that come with Evenhand."""
    return [corpus_info(name) for name in corpus_names()]


@routes.get("/corpora/{name}", response_class=Response, responses=TABLE)
def corpus(explorer: Served, name: Annotated[str, Path(max_length=100)]) -> Response:
    """A corpus as CSV, to be scored elsewhere; the columns `id` or `text` bring the scores back to it."""
    return file(explorer.corpus_table(name), f"{name}.csv", CSV)


@routes.post("/uploads", status_code=202)
def upload(
    explorer: Served, file: UploadFile, name: Annotated[str, Form()], corpus: Annotated[str, Form()] = "eec",
    low: Annotated[float | None, Form()] = None, high: Annotated[float | None, Form()] = None,
    high_is: Annotated[HighIs | None, Form()] = None,
) -> models.JobInfo:  # fmt: skip
    """Send predictions (csv, tsv, jsonl or parquet) and have them audited; the job says how far that is."""
    form = models.UploadForm(name=name, corpus=corpus, low=low, high=high, high_is=high_is)
    return job_info(received(explorer, file, form))


@routes.get("/jobs")
def jobs(explorer: Served) -> list[models.JobInfo]:
    """What was begun here, the latest first."""
    return [job_info(job) for job in explorer.jobs.all()]


@routes.get("/jobs/{id}")
def job(explorer: Served, id: Id) -> models.JobInfo:
    """How far something is."""
    return job_info(explorer.jobs.get(id))

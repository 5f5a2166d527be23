"""Predictions that somebody sends: looked at before they are kept, and handed to the worker."""

from __future__ import annotations

import shutil
from pathlib import Path

from fastapi import UploadFile

from evenhand.comparing.audit import Audit
from evenhand.corpora.catalogue import corpus_names, packaged_recipe
from evenhand.errors import UsageError
from evenhand.settings import check_range
from evenhand.web import models
from evenhand.web.explorer import Explorer
from evenhand.web.index import id_of
from evenhand.web.jobs import ENDINGS, Job, Upload


def received(explorer: Explorer, sent: UploadFile, form: models.UploadForm) -> Job:
    """Take what somebody sent, and begin its audit."""
    explorer.jobs.refuse_more()
    shown = (sent.filename or "the file")[-200:]
    ending = Path(shown).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"send a file that ends in {', '.join(ENDINGS)}")
    name = form.name.strip()
    _check(form, name)
    if not sent.size:
        raise UsageError("the file is empty")
    if sent.size > explorer.most_upload:
        raise UsageError(f"the file is too large: at most {explorer.most_upload:,} bytes may be sent")

    def write(path: Path) -> None:
        with path.open("wb") as target:
            shutil.copyfileobj(sent.file, target)

    upload = Upload(shown, ending, name, form.corpus, form.low, form.high, form.high_is)
    return explorer.jobs.enter(upload, write)


def _check(form: models.UploadForm, name: str) -> None:
    if form.corpus not in corpus_names():
        raise UsageError(f"there is no corpus {form.corpus!r}; known: {', '.join(corpus_names())}")
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise UsageError("give the system a name of up to 100 characters")
    if (form.low is None) != (form.high is None):
        raise UsageError("give both ends of the range of the scores, or neither (then it is 0 to 1)")
    if form.low is not None and form.high is not None:
        check_range(form.low, form.high, "the range of the scores")


def job_info(job: Job) -> models.JobInfo:
    """A job with the id of what it found."""
    result = None if job.result is None else id_of(job.result, Audit)
    return models.JobInfo(
        id=job.id, title=job.title, state=job.state, stage=job.stage, message=job.message, result=result,
        begun=job.begun, ended=job.ended,
    )  # fmt: skip


def corpus_info(name: str) -> models.CorpusInfo:
    """A corpus of the catalogue, as its recipe has it: to count its sentences, all would have to be made."""
    recipe = packaged_recipe(name)
    return models.CorpusInfo(
        name=name,
        title=recipe.title or name,
        attributes=list(recipe.attributes),
        for_taggers=all(template.tags is not None for _, template in recipe.numbered()),
    )

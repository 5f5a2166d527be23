"""The explorer's API: what its pages show, as JSON, CSV and SVG."""

from __future__ import annotations

import shutil
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query, UploadFile
from fastapi.responses import Response

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.corpora.catalogue import corpus_names, packaged_recipe
from evenhand.errors import UsageError
from evenhand.files.tables import table_bytes
from evenhand.report.audit.figures import svg_bytes
from evenhand.report.comparison.words import questions
from evenhand.report.explorer import leaderboard
from evenhand.report.explorer.headline import gaps_of
from evenhand.report.explorer.views import followed_chart
from evenhand.results.rendering import renderer_of
from evenhand.settings import LARGEST, check_range
from evenhand.studies import Study
from evenhand.systems.base import HighIs
from evenhand.web import evidence, models, trying
from evenhand.web.explorer import Explorer, NotThere, Read
from evenhand.web.following import runs
from evenhand.web.index import Entry, Sort, Wanted, id_of
from evenhand.web.jobs import ENDINGS, Job, Upload
from evenhand.web.trying import Tried

Id = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The id of a result.")]
Asked = Annotated[str, Query(max_length=500)]
Optional = Annotated[str | None, Query(max_length=500)]
First = Annotated[int, Query(ge=0, le=1_000_000)]
Most = Annotated[int, Query(ge=1, le=1_000)]
Number = Annotated[int, Query(ge=0, le=1_000_000)]
Ids = Annotated[list[Annotated[str, Query(pattern=r"^[0-9a-f]{16}$")]], Query(max_length=100)]
CSV, SVG = "text/csv; charset=utf-8", "image/svg+xml"
PROBLEMS: dict[int | str, dict[str, Any]] = {
    404: {"model": models.Problem},
    422: {"model": models.Problem, "description": "What was asked for cannot be done as it was asked."},
}


def file(content: bytes, name: str, kind: str, *, shown: bool = False) -> Response:
    """A file to be saved under a name of ours."""
    how = "inline" if shown else "attachment"
    safe = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_.") else "-" for sign in name)[:100]
    return Response(content, media_type=kind, headers={"content-disposition": f'{how}; filename="{safe}"'})


def saved(entry: Entry) -> models.SavedResult:
    """An entry of the index as the API has it."""
    return models.SavedResult(
        id=entry.id, place=entry.place, kind=entry.kind, systems=entry.systems, corpora=entry.corpora,
        headline=entry.headline, problem=entry.problem, date=entry.dated, model_version=entry.version,
        modified=entry.modified,
    )  # fmt: skip


def study_of(read: Read) -> Study:
    """The study in a result."""
    if not isinstance(read.result, Study):
        raise UsageError(f"leaderboards are made of studies; this result is of the kind {read.result.kind}")
    return read.result


def job_info(job: Job) -> models.JobInfo:
    """A job with the id of what it found."""
    result = None if job.result is None else id_of(job.result, Audit)
    return models.JobInfo(
        id=job.id, title=job.title, state=job.state, stage=job.stage, message=job.message, result=result,
        begun=job.begun, ended=job.ended,
    )  # fmt: skip


def received(explorer: Explorer, sent: UploadFile, form: models.UploadForm) -> Job:
    """Take what somebody sent, and begin its audit."""
    explorer.jobs.refuse_more()
    shown = (sent.filename or "the file")[-200:]
    ending = FilePath(shown).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"send a file that ends in {', '.join(ENDINGS)}")
    if form.corpus not in corpus_names():
        raise UsageError(f"there is no corpus {form.corpus!r}; known: {', '.join(corpus_names())}")
    name = form.name.strip()
    if not 1 <= len(name) <= 100 or not name.isprintable():
        raise UsageError("give the system a name of up to 100 characters")
    if (form.low is None) != (form.high is None):
        raise UsageError("give both ends of the range of the scores, or neither (then it is 0 to 1)")
    if form.low is not None and form.high is not None:
        check_range(form.low, form.high, "the range of the scores")
    if not sent.size:
        raise UsageError("the file is empty")
    if sent.size > explorer.most_upload:
        raise UsageError(f"the file is too large: at most {explorer.most_upload:,} bytes may be sent")

    def write(path: FilePath) -> None:
        with path.open("wb") as target:
            shutil.copyfileobj(sent.file, target)

    upload = Upload(shown, ending, name, form.corpus, form.low, form.high, form.high_is)
    return explorer.jobs.enter(upload, write)


def api_of(explorer: Explorer) -> APIRouter:
    """All of it, for one explorer."""
    api = APIRouter(prefix="/api", responses=PROBLEMS)

    def listed(found: evidence.Sentence) -> models.Sentence:
        return models.Sentence(text=found.text, person=found.person, score=found.score)

    @api.get("/results")
    def results(
        text: Asked = "", kind: Optional = None, system: Optional = None, corpus: Optional = None,
        sort: Sort = "newest", first: First = 0, most: Most = 100,
    ) -> models.Results:  # fmt: skip
        """The saved results below the folder."""
        explorer.index.refresh_soon()
        found, count = explorer.index.listed(Wanted(text, kind, system, corpus, sort), first=first, most=most)
        return models.Results(
            results=[saved(one) for one in found],
            count=count,
            still_to_read=explorer.index.left,
            complete=explorer.index.complete,
        )

    @api.get("/results/{id}")
    def result(id: Id) -> models.ResultDetails:
        """A result with its gaps, and the names of its tables and charts."""
        read = explorer.read(id)
        return models.ResultDetails(
            result=saved(read.entry),
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

    @api.get("/results/{id}/tables/{name}", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
    def table(id: Id, name: Annotated[str, Path(max_length=200)]) -> Response:
        """A table of a result as CSV."""
        tables = explorer.tables(explorer.read(id))
        if name not in tables:
            raise NotThere("this result has no such table")
        return file(explorer.drawn(tables[name]), f"{name}.csv", CSV)

    @api.get("/results/{id}/figures/{name}", response_class=Response, responses={200: {"content": {SVG: {}}}})
    def figure(id: Id, name: Annotated[str, Path(max_length=200)]) -> Response:
        """A chart of a result as SVG."""
        figures = explorer.figures(explorer.read(id))
        if name not in figures:
            raise NotThere("this result has no such chart")
        return file(explorer.drawn(figures[name]), f"{name}.svg", SVG)

    @api.get("/results/{id}/differences")
    def differences(
        id: Id, finding: Number, first: First = 0, most: Most = 100,
        low: Annotated[float | None, Query(ge=-LARGEST, le=LARGEST)] = None,
        high: Annotated[float | None, Query(ge=-LARGEST, le=LARGEST)] = None,
    ) -> models.Differences:  # fmt: skip
        """The differences behind a gap, or those from `low` to `high`: what a box is made of."""
        read = explorer.read(id)
        found = behind_box(read, read.finding(finding), low, high)
        return models.Differences(differences=found[first : first + most], count=len(found))

    @api.get("/results/{id}/differences/{row}")
    def difference(id: Id, row: Annotated[int, Path(ge=0, le=100_000_000)], finding: Number) -> models.BehindDifference:
        """The sentences behind one difference."""
        read = explorer.read(id)
        behind = read.evidence.behind(read.finding(finding), row)
        return models.BehindDifference(
            row=row,
            label=behind.label,
            first=[listed(one) for one in behind.first],
            second=[listed(one) for one in behind.second],
            difference=behind.difference,
        )

    @api.get("/results/{id}/cell")
    def cell(id: Id, system: Asked, output: Asked, person: Asked, template: Asked) -> list[models.BesideTypical]:
        """A person's sentences in one template, each beside the typical one."""
        found = explorer.read(id).evidence.cell(system, output, person, template)
        return [models.BesideTypical(own=listed(one.own), typical=listed(one.typical), away=one.away) for one in found]

    @api.get("/results/{id}/leaderboard")
    def board(
        id: Id, dimension: Asked, table: Asked, sort: leaderboard.Sort = "quality"
    ) -> list[models.LeaderboardPlace]:
        """The systems of a study, quality beside bias."""
        found = leaderboard.standings(study_of(explorer.read(id)), dimension, table, sort)
        return [
            models.LeaderboardPlace(
                system=one.system, spearman=one.spearman, spearman_interval=one.spearman_interval,
                quality_places=one.quality, gap=one.gap, gap_interval=one.gap_interval, bias_places=one.bias,
                verdict=one.verdict,
            )
            for one in found
        ]  # fmt: skip

    @api.get("/results/{id}/leaderboard.csv", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
    def board_table(id: Id, dimension: Asked, table: Asked, sort: leaderboard.Sort = "quality") -> Response:
        """The same as CSV."""
        found = leaderboard.frame(study_of(explorer.read(id)), dimension, table, sort)
        return file(table_bytes(found), "leaderboard.csv", CSV)

    @api.get("/compare")
    def compared(
        one: Annotated[str, Query(pattern=r"^[0-9a-f]{16}$")], other: Annotated[str, Query(pattern=r"^[0-9a-f]{16}$")],
        one_system: Optional = None, other_system: Optional = None,
    ) -> models.ComparisonInfo:  # fmt: skip
        """Two audits side by side, paired by person and sentence."""
        found = explorer.compared(explorer.read(one), explorer.read(other), (one_system or None, other_system or None))
        verdicts = [gap.difference.verdict for gap in found.gaps]
        return models.ComparisonInfo(
            one=found.one,
            other=found.other,
            text=renderer_of(found).text(found),
            gaps=[
                models.ComparedGap(
                    question=question, one=_side(gap.one), other=_side(gap.other), difference=_side(gap.difference),
                    verdict=verdict,
                )
                for question, gap, verdict in zip(questions(found), found.gaps, verdicts, strict=True)
            ],
        )  # fmt: skip

    @api.get("/follow")
    def follow(system: Optional = None, id: Ids = []) -> list[models.Run]:  # noqa: B006 - FastAPI copies it
        """The gaps of one system in all its audits, or of the audits that are named, in the order of their dates."""
        return [
            models.Run(
                result=run.entry.id, called=run.called, system=gap.system, comparison=gap.comparison, gap=gap.gap,
                low=gap.low, high=gap.high, verdict=gap.verdict,
            )
            for run in runs(explorer.index, system or None, id)
            for gap in run.gaps
        ]  # fmt: skip

    @api.get("/follow.svg", response_class=Response, responses={200: {"content": {SVG: {}}}})
    def follow_chart(comparison: Asked, system: Optional = None, id: Ids = []) -> Response:  # noqa: B006
        """One comparison of them as a chart."""
        rows = [
            (run.called, gap)
            for run in runs(explorer.index, system or None, id)
            for gap in run.gaps
            if gap.comparison == comparison
        ]
        if not rows:
            raise NotThere("none of these audits asks that")
        return file(explorer.drawn(lambda: svg_bytes(followed_chart(rows, comparison, 1.0))), "follow.svg", SVG)

    @api.get("/systems")
    def systems() -> list[models.System]:
        """The systems that may be tried."""
        return [models.System(name=name) for name in explorer.trials.systems]

    @api.post("/try")
    def try_it(asked: models.Trial) -> models.TrialResult:
        """Score a sentence and all its versions about other people."""
        return tried(explorer.trials.tried(asked.text, asked.system))

    @api.get("/corpora")
    def corpora() -> list[models.CorpusInfo]:
        """The corpora that come with Evenhand."""
        return [corpus_info(name) for name in corpus_names()]

    @api.get("/corpora/{name}", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
    def corpus(name: Annotated[str, Path(max_length=100)]) -> Response:
        """A corpus as CSV, to be scored elsewhere; the columns `id` or `text` bring the scores back to it."""
        return file(explorer.corpus_table(name), f"{name}.csv", CSV)

    @api.post("/uploads", status_code=202)
    def upload(
        file: UploadFile, name: Annotated[str, Form()], corpus: Annotated[str, Form()] = "eec",
        low: Annotated[float | None, Form()] = None, high: Annotated[float | None, Form()] = None,
        high_is: Annotated[HighIs | None, Form()] = None,
    ) -> models.JobInfo:  # fmt: skip
        """Send predictions (csv, tsv, jsonl or parquet) and have them audited; the job says how far that is."""
        form = models.UploadForm(name=name, corpus=corpus, low=low, high=high, high_is=high_is)
        return job_info(received(explorer, file, form))

    @api.get("/jobs")
    def jobs() -> list[models.JobInfo]:
        """What was begun here, the latest first."""
        return [job_info(job) for job in explorer.jobs.all()]

    @api.get("/jobs/{id}")
    def job(id: Id) -> models.JobInfo:
        """How far something is."""
        return job_info(explorer.jobs.get(id))

    return api


def behind_box(read: Read, finding: Finding, low: float | None, high: float | None) -> list[models.Difference]:
    """The differences of a gap from one number to another, the largest first."""
    values = read.evidence.differences(finding)
    sources, labels = read.evidence.sources(finding)
    kept = [
        row
        for row, value in enumerate(values.tolist())
        if (low is None or value >= low) and (high is None or value <= high)
    ]
    kept.sort(key=lambda row: -abs(values[row]))
    return [
        models.Difference(row=row, source=str(sources[row]), label=str(labels[row]), difference=float(values[row]))
        for row in kept
    ]


def tried(found: Tried) -> models.TrialResult:
    """What was tried as the API has it."""
    return models.TrialResult(
        text=found.text,
        system=found.system,
        outputs=[models.OutputInfo(name=one.name, low=one.low, high=one.high) for one in found.outputs],
        scores=found.scores,
        attributes=[_attribute(one) for one in found.found],
        without_versions=dict(found.not_found),
    )


def corpus_info(name: str) -> models.CorpusInfo:
    """A corpus of the catalogue, as its recipe has it: to count its sentences, all would have to be made."""
    recipe = packaged_recipe(name)
    return models.CorpusInfo(
        name=name,
        title=recipe.title or name,
        attributes=list(recipe.attributes),
        for_taggers=all(template.tags is not None for _, template in recipe.numbered()),
    )


def _attribute(about: trying.Versions) -> models.TriedAttribute:
    versions = [
        models.TriedVersion(group=one.group, label=one.label, text=one.text, scores=one.scores, as_typed=one.own)
        for one in about.versions
    ]
    return models.TriedAttribute(attribute=about.attribute, versions=versions, spreads=about.spreads)


def _side(finding: Finding) -> models.ComparedSide:
    low, high = finding.generalising.shown_interval or (None, None)
    return models.ComparedSide(gap=finding.generalising.estimate, low=low, high=high)

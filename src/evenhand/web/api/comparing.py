"""Audits side by side: two compared, or one model through its versions."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from evenhand.comparing.findings import Finding
from evenhand.report.audit.figures import svg_bytes
from evenhand.report.comparison.words import questions
from evenhand.report.explorer.views import followed_chart
from evenhand.results.rendering import renderer_of
from evenhand.web import models
from evenhand.web.answers import CHART, SVG, file
from evenhand.web.explorer import NotThere
from evenhand.web.following import runs
from evenhand.web.given import Asked, AskedId, Ids, Optional, Served

routes = APIRouter()


@routes.get("/compare")
def compared(
    explorer: Served, one: AskedId, other: AskedId, one_system: Optional = None, other_system: Optional = None
) -> models.ComparisonInfo:
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


@routes.get("/follow")
def follow(explorer: Served, system: Optional = None, id: Ids = []) -> list[models.Run]:  # noqa: B006 - FastAPI copies it
    """The gaps of one system in all its audits, or of the audits that are named, in the order of their dates."""
    return [
        models.Run(
            result=run.entry.id, called=run.called, system=gap.system, comparison=gap.comparison, gap=gap.gap,
            low=gap.low, high=gap.high, verdict=gap.verdict,
        )
        for run in runs(explorer.index, system or None, id)
        for gap in run.gaps
    ]  # fmt: skip


@routes.get("/follow.svg", response_class=Response, responses=CHART)
def follow_chart(explorer: Served, comparison: Asked, system: Optional = None, id: Ids = []) -> Response:  # noqa: B006
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


def _side(finding: Finding) -> models.ComparedSide:
    low, high = finding.generalising.shown_interval or (None, None)
    return models.ComparedSide(gap=finding.generalising.estimate, low=low, high=high)

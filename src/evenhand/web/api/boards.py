"""The leaderboards of studies."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from evenhand.errors import UsageError
from evenhand.files.tables import table_bytes
from evenhand.report.explorer import leaderboard
from evenhand.studies import Study
from evenhand.web import models
from evenhand.web.answers import CSV, TABLE, file
from evenhand.web.explorer import Read
from evenhand.web.given import Asked, Id, Served

routes = APIRouter()


@routes.get("/results/{id}/leaderboard")
def board(
    explorer: Served, id: Id, dimension: Asked, table: Asked, sort: leaderboard.Sort = "quality"
) -> list[models.LeaderboardPlace]:
    """The systems of a study, quality beside bias."""
    found = leaderboard.standings(_study_of(explorer.read(id)), dimension, table, sort)
    return [
        models.LeaderboardPlace(
            system=one.system, spearman=one.spearman, spearman_interval=one.spearman_interval,
            quality_places=one.quality, gap=one.gap, gap_interval=one.gap_interval, bias_places=one.bias,
            verdict=one.verdict,
        )
        for one in found
    ]  # fmt: skip


@routes.get("/results/{id}/leaderboard.csv", response_class=Response, responses=TABLE)
def board_table(
    explorer: Served, id: Id, dimension: Asked, table: Asked, sort: leaderboard.Sort = "quality"
) -> Response:
    """The same as CSV."""
    found = leaderboard.frame(_study_of(explorer.read(id)), dimension, table, sort)
    return file(table_bytes(found), "leaderboard.csv", CSV)


def _study_of(read: Read) -> Study:
    """The study in a result."""
    if not isinstance(read.result, Study):
        raise UsageError(f"leaderboards are made of studies; this result is of the kind {read.result.kind}")
    return read.result

"""The sentences behind a gap."""

from __future__ import annotations

from fastapi import APIRouter

from evenhand.web import models
from evenhand.web.evidence import Sentence
from evenhand.web.given import Asked, First, Id, Limit, Most, Number, Row, Served

routes = APIRouter()


@routes.get("/results/{id}/differences")
def differences(
    explorer: Served, id: Id, finding: Number, first: First = 0, most: Most = 100, low: Limit = None,
    high: Limit = None,
) -> models.Differences:  # fmt: skip
    """The differences behind a gap, or those from `low` to `high`: what a box is made of."""
    read = explorer.read(id)
    found = read.evidence.between(read.finding(finding), low, high)
    shown = [
        models.Difference(row=one.row, source=one.source, label=one.label, difference=one.difference)
        for one in found[first : first + most]
    ]
    return models.Differences(differences=shown, count=len(found))


@routes.get("/results/{id}/differences/{row}")
def difference(explorer: Served, id: Id, row: Row, finding: Number) -> models.BehindDifference:
    """The sentences behind one difference."""
    read = explorer.read(id)
    behind = read.evidence.behind(read.finding(finding), row)
    return models.BehindDifference(
        row=row,
        label=behind.label,
        first=[_listed(one) for one in behind.first],
        second=[_listed(one) for one in behind.second],
        difference=behind.difference,
    )


@routes.get("/results/{id}/cell")
def cell(
    explorer: Served, id: Id, system: Asked, output: Asked, person: Asked, template: Asked
) -> list[models.BesideTypical]:
    """A person's sentences in one template, each beside the typical one."""
    found = explorer.read(id).evidence.cell(system, output, person, template)
    return [models.BesideTypical(own=_listed(one.own), typical=_listed(one.typical), away=one.away) for one in found]


def _listed(found: Sentence) -> models.Sentence:
    return models.Sentence(text=found.text, person=found.person, score=found.score)

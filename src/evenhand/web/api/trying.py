"""A sentence and its versions, scored."""

from __future__ import annotations

from fastapi import APIRouter

from evenhand.web import models
from evenhand.web.given import Served
from evenhand.web.trying import Versions

routes = APIRouter()


@routes.get("/systems")
def systems(explorer: Served) -> list[models.System]:
    """The systems that may be tried."""
    return [models.System(name=name) for name in explorer.trials.systems]


@routes.post("/try")
def try_it(explorer: Served, asked: models.Trial) -> models.TrialResult:
    """Score a sentence and all its versions about other people."""
    found = explorer.trials.tried(asked.text, asked.system)
    return models.TrialResult(
        text=found.text,
        system=found.system,
        outputs=[models.OutputInfo(name=one.name, low=one.low, high=one.high) for one in found.outputs],
        scores=found.scores,
        attributes=[_attribute(one) for one in found.found],
        without_versions=dict(found.not_found),
    )


def _attribute(about: Versions) -> models.TriedAttribute:
    versions = [
        models.TriedVersion(group=one.group, label=one.label, text=one.text, scores=one.scores, as_typed=one.own)
        for one in about.versions
    ]
    return models.TriedAttribute(attribute=about.attribute, versions=versions, spreads=about.spreads)

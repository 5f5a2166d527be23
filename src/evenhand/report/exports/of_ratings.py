"""Ratings as an account: raw scores and levels in every setting."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evenhand.rating import Rating, Ratings
from evenhand.report.exports.account import (
    ELSEWHERE,
    Account,
    Evaluation,
    Facts,
    Request,
    Row,
    Sentence,
    Table,
    common_deviations,
    corpora_in_words,
    sentence,
)
from evenhand.report.ratings.words import level_text, overall_text, score_text, tested_on, where

HEADINGS = ("setting", "raw score", "95 % of draws", "level")
READING = (
    "Raw score: the higher, the more the answers depend on the person. Level 1: the groups differ by no more than "
    "chance. The highest: the score is close to that of a system that goes by the group alone. No other system plays a "
    "part.",
    "A level never means “fair”.",
)


def of_ratings(request: Request, ratings: Ratings) -> Account:
    """What every format says of ratings."""
    systems = request.chosen(ratings.systems)
    table = Table(HEADINGS, "lrrr", tuple(_rows(ratings, systems)))
    about = ", ".join(dict.fromkeys(tested_on(result) for result in ratings.results))
    overall = [
        Sentence(
            system,
            f"{system}: level {overall_text(ratings, system)} of {ratings.settings.levels} overall, the "
            f"{ratings.settings.overall} of its levels.",
        )
        for system in systems
    ]
    settings = [Sentence(None, f"{where(result)}: {tested_on(result)}.") for result in ratings.results]
    return Account(
        request=request,
        title=f"Ratings of {', '.join(systems)}",
        question="How much do the answers depend on who a text is about, by causal ratings?",
        task="text-classification",
        corpus=("causal-rating", about),
        systems=systems,
        main=table,
        every=table,
        reading=READING,
        words=tuple(overall),
        in_full=(*overall, *settings),
        warnings=(),
        limits=(f"Tested on: {about}. Other groups and texts were not tested.", ELSEWHERE),
        plan=_plan(ratings),
        deviations=(*common_deviations(ratings), *_deviations(ratings, systems)),
        evaluations=tuple(
            Evaluation(system, "causal_rating", f"raw score, {where(result)}", raw, {"level": result.ratings[system]})
            for result in ratings.results
            for system, raw in result.raw.items()
            if system in systems and math.isfinite(raw)
        ),
    )


def _rows(ratings: Ratings, systems: tuple[str, ...]) -> Iterator[Row]:
    for result in ratings.results:
        for system in result.raw:
            if system in systems:
                yield Row(system, _cells(result, system))


def _cells(result: Rating, system: str) -> tuple[str, ...]:
    between = "" if result.uncertainty is None else _ends(result.uncertainty.intervals[system])
    return where(result), score_text(result.raw[system]), between, level_text(result.ratings[system])


def _ends(interval: tuple[float | None, float | None]) -> str:
    return " to ".join("X" if end is None else score_text(end) for end in interval)


def _plan(ratings: Ratings) -> Facts:
    how, about = ratings.settings, ratings.provenance
    details = [(name.replace("_", " ").capitalize(), str(value)) for name, value in about.details.items() if value]
    return (
        ("Corpora", "; ".join(corpora_in_words(about)) or "a table of what others have scored"),
        ("Tests", f"preset {how.preset}" if how.preset else "settings of its own"),
        ("Levels", f"{how.levels}, overall the {how.overall}"),
        ("Draws", f"{how.bootstrap:,}"),
        ("Seed", f"{how.seed}"),
        *(detail for detail in details if detail[0] != "Seed"),
    )


def _deviations(ratings: Ratings, systems: tuple[str, ...]) -> Iterator[str]:
    for result in ratings.results:
        for system, reason in {**result.undefined, **result.no_level}.items():
            if system in systems:
                yield f"{system}, {where(result)}: {sentence(reason)}"
        for system in result.partial:
            if system in systems:
                yield f"{system}, {where(result)}: rated by the part of its impacts that is defined."
        for note in result.uncertainty.notes if result.uncertainty is not None else ():
            yield f"{where(result)}: {sentence(note)}"

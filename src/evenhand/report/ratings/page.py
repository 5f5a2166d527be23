"""Ratings as a page, and a label for each system that a buyer can read."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.rating import Rating, RatingReport
from evenhand.rating.questions import Answer
from evenhand.report.page.shell import render
from evenhand.report.rating import score_text
from evenhand.report.ratings.diagrams import drawing
from evenhand.report.ratings.words import QUESTIONS, in_short, in_words, where

SECTIONS = {
    "orders": "Orders",
    "ratings": "Ratings",
    "questions": "Questions",
    "diagrams": "Diagrams",
    "drift": "Round trip",
    "reading": "How to read",
}
METHODS = {"rejection": "weighted rejection score", "deconfounding": "largest deconfounding impact, %"}


def to_html(report: RatingReport, answers: Sequence[Answer], values: Mapping[str, Any]) -> str:
    """The page of all systems."""
    sections = {name: short for name, short in SECTIONS.items() if name != "drift" or values.get("drift")}
    if not answers:
        del sections["questions"]
    return render(
        "ratings.html.j2",
        title=f"Ratings of {len(report.systems)} {'system' if len(report.systems) == 1 else 'systems'}",
        sections=[{"id": name, "short": short} for name, short in sections.items()],
        systems=report.systems,
        overall=[(system, level or "undefined") for system, level in report.overall.items()],
        rule=report.settings.overall,
        levels=report.settings.levels,
        preset=report.settings.preset,
        orders=[_order(result) for result in report.results],
        ratings=[_rating(result, report.settings.levels) for result in report.results],
        questions=_questions(answers),
        diagrams=_diagrams(report),
        drift=[(name, _drift(found)) for name, found in values.get("drift", {}).items()],
        provenance={"command": None, **values.get("provenance", {}), **_packages()},
    )


def label_page(report: RatingReport, system: str, answers: Sequence[Answer], values: Mapping[str, Any]) -> str:
    """One page for one system: its level, what that rests on, how sure it is, and what it cannot say."""
    mine = [result for result in report.results if system in result.raw]
    return render(
        "label.html.j2",
        title=system,
        sections=(),
        level=report.overall[system],
        levels=report.settings.levels,
        rule=report.settings.overall,
        systems=len(report.systems),
        rows=[_label_row(result, system, report.settings.levels) for result in mine],
        trips=[in_words(one) for one in answers if one.system == system and one.question == "round trip"],
        provenance={"command": None, **values.get("provenance", {}), **_packages()},
    )


def _packages() -> dict[str, Any]:
    return {"packages": {"evenhand": importlib.metadata.version("evenhand")}}


def _order(result: Rating) -> dict[str, str]:
    order = result.partial_order
    return {
        "where": where(result),
        "partial": ", ".join(f"{name}: {score_text(score)}" for name, score in order),
        "complete": ", ".join(f"{name}: {result.ratings[name] or 'undefined'}" for name, _ in order),
    }


def _rating(result: Rating, levels: int) -> dict[str, Any]:
    order = [name for name, _ in result.partial_order]
    names = [*order, *(name for name in result.raw if name not in order)]
    return {
        "where": where(result),
        "method": METHODS[result.method],
        "expected": None if result.expected is None else score_text(result.expected),
        "adjusted_for": " and ".join(result.adjusted_for),
        "rows": [_row(result, name, levels) for name in names],
        "notes": [*(f"{name}: {why}" for name, why in result.undefined.items()), *_notes(result)],
    }


def _notes(result: Rating) -> list[str]:
    notes = list(result.uncertainty.notes) if result.uncertainty is not None else []
    if result.partial:
        notes.append(f"rated by the defined part only: {', '.join(result.partial)}")
    return notes


def _row(result: Rating, name: str, levels: int) -> dict[str, Any]:
    found = result.uncertainty
    low, high = (None, None) if found is None else found.intervals[name]
    shares = found.levels[name] if found is not None else ()
    tied = [other for pair in (found.tied if found else ()) if name in pair for other in pair if other != name]
    return {
        "system": name,
        "raw": score_text(result.raw[name]),
        "interval": "" if found is None else f"{_end(low)} to {_end(high)}",
        "level": result.ratings[name] or "undefined",
        "shares": [f"{100 * share:.0f}" for share in shares],
        "tied": ", ".join(tied),
        "levels": levels,
    }


def _end(value: float | None) -> str:
    return "X" if value is None else score_text(value)


def _label_row(result: Rating, system: str, levels: int) -> dict[str, Any]:
    row = _row(result, system, levels)
    row["where"] = where(result)
    row["method"] = METHODS[result.method]
    row["expected"] = None if result.expected is None else score_text(result.expected)
    row["why"] = result.undefined.get(system, "")
    return row


def _questions(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    found = []
    for name, text in QUESTIONS.items():
        mine = [answer for answer in answers if answer.question == name]
        if mine:
            found.append({"text": text, "short": in_short(name, mine), "answers": [in_words(one) for one in mine]})
    return found


def _diagrams(report: RatingReport) -> list[dict[str, Any]]:
    seen: dict[str, dict[str, Any]] = {}
    for result in report.results:
        adjusted = f", adjusted for {' and '.join(result.adjusted_for)}" if result.adjusted_for else ""
        title = f"{'' if result.data == 'SD' else 'conversations, '}by {result.attribute}{adjusted}"
        seen.setdefault(title, drawing(result.diagram))
    return [{"title": title, **made} for title, made in seen.items()]


def _drift(found: Mapping[str, Any]) -> str:
    overall = found["overall"]
    names = ("changed", "lost", "crossed", "empty")
    counted = ", ".join(f"{overall[name]:,} {name}" for name in names if name in overall)
    return f"{overall['sentences']:,} sentences: {counted}"

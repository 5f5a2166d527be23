"""Ratings as a page, and a label for each system that a buyer can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evenhand.rating import Rating, Ratings, RatingSettings
from evenhand.rating.questions import Answer
from evenhand.report.common.provenance import facts, stated
from evenhand.report.page.shell import render
from evenhand.report.ratings.diagrams import drawing
from evenhand.report.ratings.supplement import impact_tables, on_page, side_by_side, t_tables
from evenhand.report.ratings.words import (
    EXPECTED,
    LEVELS,
    UNDEFINED,
    among_text,
    change_text,
    expected_text,
    in_short,
    in_words,
    is_unbroken,
    order_text,
    p_text,
    questions_of,
    relabelled_in_words,
    score_text,
    tested_on,
    through,
    where,
)

SECTIONS = {
    "orders": "Orders",
    "ratings": "Ratings",
    "questions": "Questions",
    "tables": "Tables",
    "diagrams": "Diagrams",
    "drift": "Round trip",
    "reading": "How to read",
    "provenance": "Provenance",
}
REFERENCES = "a system that ignores people (level 1), and one that goes by the group alone (level {levels})"
"""What fixes the scale, whatever else was rated."""
METHODS = {"rejection": "weighted rejection score", "deconfounding": "largest deconfounding impact, %"}


def to_html(report: Ratings) -> str:
    """The page of all systems."""
    questions = questions_of(report)
    tables, impacts = ([on_page(table) for table in found] for found in (t_tables(report), impact_tables(report)))
    beside = side_by_side(report)
    there = {"questions": questions, "drift": report.drifts, "tables": tables or impacts}
    return render(
        "ratings.html.j2",
        title=f"Ratings of {len(report.systems)} {'system' if len(report.systems) == 1 else 'systems'}",
        sections=[{"id": name, "short": short} for name, short in SECTIONS.items() if there.get(name, True)],
        systems=report.systems,
        overall=[(system, level or "undefined") for system, level in report.overall.items()],
        only_these=[system for system, others in report.overall_about_others.items() if others is False],
        rule=report.settings.overall,
        levels=report.settings.levels,
        reading={"level": LEVELS.format(levels=report.settings.levels), "expected": EXPECTED},
        matrix=[_matrix_row(result, report.systems) for result in report.results],
        orders=[_order(result) for result in report.results],
        beside=None if beside is None else on_page(beside),
        tests=tables,
        impacts=impacts,
        confidence=[f"{100 * (1 - alpha):g}" for alpha in report.settings.rejection.alphas],
        ratings=[_rating(result, report.settings.levels) for result in report.results],
        questions=[
            {"text": one.text, "short": one.short, "answers": [in_words(answer) for answer in one.answers]}
            for one in questions
        ],
        glossary=_glossary(report),
        notes=report.notes,
        diagrams=_diagrams(report),
        drift=[(name, _drift(found)) for name, found in report.drifts.items()],
        facts=facts(report.provenance),
        provenance={"command": None, **report.provenance.to_dict()},
    )


def label_page(report: Ratings, system: str) -> str:
    """One page for one system: its level, what that rests on, how sure it is, and what it cannot say."""
    mine = [result for result in report.results if system in result.raw]
    plain = report.counting(system)
    trips = [one for one in report.answers if one.system == system and one.question == "round trip"]
    return render(
        "label.html.j2",
        title=system,
        sections=(),
        about=_about(report, system),
        level=report.overall[system],
        levels=report.settings.levels,
        rule=report.settings.overall,
        only_these=report.overall_about_others[system] is False,
        few=sorted({tested_on(one) for one in plain if not one.about_others(system)}),
        decisive=[tested_on(one) for one in plain if one.ratings[system] == report.overall[system]],
        differences=[_label_row(one, system, report.settings) for one in plain if one.method == "rejection"],
        impacts=[_label_row(one, system, report.settings) for one in plain if one.method == "deconfounding"],
        chance=f"{100 * min(report.settings.rejection.alphas):g}",
        trips=_trips_by_language(trips, mine),
        notes=[note.text for note in report.notes if note.about == system],
        provenance=report.provenance,
    )


def _about(report: Ratings, system: str) -> list[tuple[str, str]]:
    """What a buyer should know before the first number: which output, which version, when, against what."""
    outputs = [one.output for one in report.provenance.systems if one.system == system]
    return [
        *([("Output", ", ".join(outputs))] if outputs else []),
        *stated(report.provenance.statement),
        ("Measured against", REFERENCES.format(levels=report.settings.levels)),
    ]


def _matrix_row(result: Rating, systems: Sequence[str]) -> dict[str, Any]:
    cells = [
        {"level": result.ratings.get(name), "raw": score_text(result.raw[name]) if name in result.raw else ""}
        for name in systems
    ]
    return {"where": where(result), "cells": cells}


def _order(result: Rating) -> dict[str, str]:
    order = result.partial_order
    return {
        "where": where(result),
        "partial": ", ".join(f"{name}: {score_text(score)}" for name, score in order) or UNDEFINED,
        "levels": order_text(result),
        "complete": among_text(result),
    }


def _rating(result: Rating, levels: int) -> dict[str, Any]:
    order = [name for name, _ in result.partial_order]
    names = [*order, *(name for name in result.raw if name not in order)]
    return {
        "where": where(result),
        "translated": result.via is not None,
        "method": METHODS[result.method],
        "relabelled": relabelled_in_words(result),
        "has_expected": result.method == "rejection",
        "has_shares": result.uncertainty is not None and result.uncertainty.any_shares,
        "has_ties": result.uncertainty is not None and bool(result.uncertainty.tied),
        "adjusted_for": " and ".join(result.adjusted_for),
        "rows": [_row(result, name, levels) for name in names],
        "notes": [
            *(f"{name}: {why}" for name, why in result.undefined.items()),
            *(f"{name} has no level: {why}" for name, why in result.no_level.items()),
            *_notes(result),
        ],
    }


def _notes(result: Rating) -> list[str]:
    notes = list(result.uncertainty.notes) if result.uncertainty is not None else []
    if result.partial:
        notes.append(f"rated by the defined part only: {', '.join(result.partial)}")
    return notes


def _row(result: Rating, name: str, levels: int) -> dict[str, Any]:
    found = result.uncertainty
    low, high = (None, None) if found is None else found.intervals[name]
    shares = found.shares(name) if found is not None else ()
    relabelled = result.expected_by_system.get(name)
    pairs = (found.tied if found is not None else None) or ()
    tied = [other for pair in pairs if name in pair for other in pair if other != name]
    return {
        "system": name,
        "raw": score_text(result.raw[name]),
        "interval": "" if found is None else f"{_end(low)} to {_end(high)}",
        "level": result.ratings[name] or "undefined",
        "expected": expected_text(relabelled),
        "p": p_text(relabelled),
        "shares": [f"{100 * share:.0f}" for share in shares],
        "not_known": "" if found is None else found.not_known.get(name, ""),
        "tied": ", ".join(tied),
        "levels": levels,
    }


def _end(value: float | None) -> str:
    return "X" if value is None else score_text(value)


def _label_row(result: Rating, system: str, settings: RatingSettings) -> dict[str, Any]:
    row = _row(result, system, settings.levels)
    strictest = int(np.argmin(settings.rejection.alphas))
    made = [test for test in result.tests if test.system == system and test.degrees_of_freedom is not None]
    return {
        **row,
        "tested_on": tested_on(result),
        "differ": f"{sum(test.rejected[strictest] for test in made)} of {len(made)}",
        "partial": system in result.partial,
        "untold": _few(row["tied"]),
        "why": result.undefined.get(system) or result.no_level.get(system, ""),
    }


def _few(names: str, most: int = 2) -> str:
    """
    >>> _few("vader, svr"), _few("vader, svr, random")
    ('vader, svr', '3 others')
    """
    number = len(names.split(", "))
    return names if number <= most else f"{number} others"


def _trips_by_language(answers: Sequence[Answer], mine: Sequence[Rating]) -> list[dict[str, Any]]:
    """What each round trip changed."""
    found = []
    for via in dict.fromkeys(one.via for one in answers):
        some = [one for one in answers if one.via == via]
        found.append({"through": through(via), "told": in_short(some), "rows": _trips(some, mine)})
    return found


def _trips(answers: Sequence[Answer], mine: Sequence[Rating]) -> list[dict[str, str]]:
    """What the round trip changed, a row for each of the data, with and without the sentences that it broke."""
    raw = {(one.setting, system): score for one in mine for system, score in one.raw.items()}
    unbroken = {(one.data, tested_on(one)): one for one in answers if is_unbroken(one)}
    rows = []
    for one in (one for one in answers if not is_unbroken(one)):
        whole = unbroken.get((one.data, tested_on(one)))
        setting = (one.data, one.group, one.attribute)
        rows.append(
            {
                "tested_on": tested_on(one),
                "before": score_text(raw[(*setting, None), one.system]),
                "after": score_text(raw[(*setting, one.via), one.system]),
                "change": change_text(one),
                "unbroken": "" if whole is None else change_text(whole),
            }
        )
    return rows


def _glossary(report: Ratings) -> list[tuple[str, str]]:
    """What the short names of the data stand for."""
    whole = [one for one in report.results if one.group and one.part is None]
    plain = {f"{one.data}, {one.group}": one for one in whole}
    return [(name, tested_on(one).rpartition(", compared by")[0]) for name, one in plain.items()]


def _diagrams(report: Ratings) -> list[dict[str, Any]]:
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

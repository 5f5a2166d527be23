"""What gaps do to the decisions of a study's submissions: tables for all forms, and the words beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.comparing.decisions import Decision
from evenhand.report.audit.decisions import (
    ABOVE,
    HEADING,
    REACHES,
    UNDEFINED,
    cells_of,
    percent,
    ratio,
    threshold_of,
)
from evenhand.report.audit.decisions import headings as numbers
from evenhand.report.study.words import counted, sides
from evenhand.studies import Examined, Study
from evenhand.studies.decisions import Downstream

HEADINGS = ("comparison", "dimension", "threshold", "subm.", "flips, %", "impact ratio", "below 4/5")
READING = (
    "Selected: {rules}. A decision flips where the person alone changes it. Flips: the share of pairs of sentences of "
    "which only one is selected, in the middle submission / where it is largest. Impact ratio: the first group's "
    "selection rate divided by the second's, least / middle / largest. Below 4/5: submissions that select one group "
    "less than four fifths as often as the other; often a reason to look closer, and never a proof. Whether to be "
    "selected is good is for you to say."
)


def reading(study: Study) -> str:
    """What the columns mean."""
    rules = {one.rule for one in study.decisions}
    said = [text for rule, text in (("number", REACHES), ("median", ABOVE)) if rule in rules]
    return READING.format(rules="; with the median, ".join(said))


def summary_rows(study: Study, *, short: bool = False) -> list[tuple[str, ...]]:
    """A row for each comparison, dimension and threshold, over all submissions; `short`: with the attribute's name."""
    called = {
        (table.attribute, table.first, table.second): table.name if short else sides(table) for table in study.full()
    }
    return [_summed(one, called[one.attribute, one.first, one.second]) for one in study.downstream]


def _summed(one: Downstream, compared: str) -> tuple[str, ...]:
    return (
        compared,
        one.dimension,
        "median" if one.threshold is None else f"{one.threshold:g}".replace("-", "−"),
        f"{one.submissions:,}",
        f"{percent(one.median_flips)} / {percent(one.largest_flips)}",
        " / ".join(ratio(value) for value in (one.lowest_ratio, one.median_ratio, one.highest_ratio))
        if one.ratios
        else UNDEFINED,
        f"{one.below_four_fifths:,}",
    )


def in_words(study: Study) -> list[str]:
    """A sentence for each comparison and threshold: how many submissions flip decisions, and who flips most."""
    by_question: dict[tuple[object, ...], list[Downstream]] = {}
    for one in study.downstream:
        by_question.setdefault((one.attribute, one.first, one.second, one.rule, one.threshold), []).append(one)
    return [_told(members) for members in by_question.values()]


def _told(members: Sequence[Downstream]) -> str:
    most = max(members, key=lambda one: one.largest_flips)
    cut = "their own median" if most.threshold is None else f"{most.threshold:g}".replace("-", "−")
    flipping, everybody = sum(one.with_flips for one in members), sum(one.submissions for one in members)
    lead = f"{most.attribute}, at {cut}"
    if not flipping:
        return f"{lead}: no decision of {counted(everybody)} flips with the person."
    said = f"{lead}: decisions of {flipping:,} of {counted(everybody)} flip with the person"
    if most.largest_flips:
        pairs = f"{percent(most.largest_flips)} % of pairs"
        said += f", most often those of {most.largest_flips_of} for {most.dimension} ({pairs})"
    below = sum(one.below_four_fifths for one in members)
    selects = "selects" if below == 1 else "select"
    fifths = f" {below:,} {selects} one group less than four fifths as often as the other." if below else ""
    return f"{said}.{fifths}"


def submission_rows(study: Study) -> list[dict[str, Any]]:
    """The numbers of every submission, the best first within a dimension."""
    by_key: dict[tuple[str, str], list[Decision]] = {}
    for made in study.decisions:
        by_key.setdefault((made.system, made.output), []).append(made)
    return [
        {"system": one.system, "dimension": one.dimension, "cells": cells}
        for dimension in study.dimensions
        for one in study.of(dimension)
        for cells in _cells(study, by_key.get((one.system, one.dimension), ()))
    ]


def own_rows(study: Study, one: Examined) -> list[tuple[str, ...]]:
    """The numbers of one submission."""
    return _cells(study, study.decisions_of(one))


def _cells(study: Study, decisions: Sequence[Decision]) -> list[tuple[str, ...]]:
    called = {(table.attribute, table.first, table.second): sides(table) for table in study.full()}
    return [
        (called[made.attribute, made.first, made.second], threshold_of(made), *cells_of(made)) for made in decisions
    ]


def shown(study: Study) -> dict[str, Any] | None:
    """What the page shows; None without thresholds."""
    if not study.decisions:
        return None
    return {
        "heading": HEADING,
        "reading": reading(study),
        "sentences": in_words(study),
        "headings": HEADINGS,
        "rows": summary_rows(study),
        "numbers": ("comparison", "threshold", *numbers()),
        "submissions": submission_rows(study),
    }

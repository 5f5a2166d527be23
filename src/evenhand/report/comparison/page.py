"""A comparison as one page."""

from __future__ import annotations

from typing import Any

from evenhand.comparing.comparison import Comparison
from evenhand.comparing.differences import GapDifference
from evenhand.comparing.metric_differences import MeasuredDifference
from evenhand.metrics.differences import MetricDifference
from evenhand.report.audit.amounts import number, shown_p
from evenhand.report.audit.figures import COLOURS
from evenhand.report.audit.standing import css, look
from evenhand.report.audit.units import Unit, delta_of
from evenhand.report.common.provenance import facts
from evenhand.report.comparison.figures import gap_rows, gaps_chart, metric_rows, metrics_chart, series_of, unit_between
from evenhand.report.comparison.words import (
    levels_in_words,
    metrics_in_words,
    questions,
    short_verdict,
    told,
    with_interval,
)
from evenhand.report.metrics.words import metric
from evenhand.report.page.shell import render

SECTIONS = {
    "short": "In short",
    "gaps": "Gaps",
    "metrics": "Metrics",
    "reading": "How to read",
    "provenance": "Provenance",
}


def to_html(comparison: Comparison) -> str:
    """One file that needs nothing else."""
    return render("comparison.html.j2", scripts=["comparison.js"], data=_drawn(comparison), **_shown(comparison))


def _shown(comparison: Comparison) -> dict[str, Any]:
    unit = unit_between(comparison)
    return {
        "title": f"{comparison.other} against {comparison.one}",
        "sections": [
            {"id": name, "short": short} for name, short in SECTIONS.items() if name != "metrics" or comparison.metrics
        ],
        "one": comparison.one,
        "other": comparison.other,
        "shared": f"{comparison.shared.sentences:,}",
        "sentences": [{"look": css(seen), "tag": tag, "text": text} for seen, tag, text in told(comparison.gaps)],
        "metric_sentences": [metrics_in_words(measured) for measured in comparison.metrics],
        "notes": [str(note) for note in comparison.notes],
        "rows": [_row(gap, asked, unit) for gap, asked in zip(comparison.gaps, questions(comparison), strict=True)],
        "parts": [_part(measured) for measured in comparison.metrics],
        "levels": levels_in_words(comparison),
        "delta": f"{delta_of([gap.one for gap in comparison.gaps], unit):g} {unit.drawn}",
        "in_units": unit.note,
        "questions": comparison.provenance.details["assessments"],
        "facts": facts(comparison.provenance),
        "provenance": {"command": None, **comparison.provenance.to_dict()},
    }


def _row(gap: GapDifference, question: str, unit: Unit) -> dict[str, Any]:
    p = gap.difference.generalising.p_adjusted
    return {
        "question": question,
        "look": css(look(gap.difference)),
        "verdict_text": short_verdict(gap),
        "cells": [with_interval(finding, unit) for finding in (gap.one, gap.other, gap.difference)],
        "p": "undefined" if p is None else shown_p(p),
    }


def _part(measured: MeasuredDifference) -> dict[str, Any]:
    defined = [found for found in measured.differences if found.difference is not None]
    undefined: dict[str, list[str]] = {}
    for found in measured.differences:
        if found.difference is None:
            undefined.setdefault(found.undefined or "undefined", []).append(found.metric)
    return {
        "title": f"{measured.other_called} − {measured.one_called}, by {measured.attribute.replace('_', ' ')}",
        "rows": [_metric_row(found) for found in defined],
        "undefined": [f"{', '.join(dict.fromkeys(names))}: {why}" for why, names in undefined.items()],
    }


def _metric_row(found: MetricDifference) -> dict[str, Any]:
    described = metric(found.metric)
    interval = found.interval
    return {
        "name": found.metric,
        "definition": described.definition,
        "label": found.label,
        "numbers": [number(value) for value in (found.one, found.other, found.difference) if value is not None],
        "interval": f"undefined ({found.undefined})" if interval is None else " to ".join(map(number, interval)),
        "ideal": f"{described.ideal:g}",
        "change": found.change,
    }


def _drawn(comparison: Comparison) -> dict[str, Any]:
    unit, series = unit_between(comparison), series_of(comparison)
    delta = delta_of([gap.one for gap in comparison.gaps], unit)
    return {
        "specs": {
            theme: {
                "gaps": gaps_chart([], series=series, delta=delta, unit=unit, theme=theme),
                "metrics": metrics_chart([], theme=theme),
            }
            for theme in COLOURS
        },
        "gaps": gap_rows(comparison),
        "metrics": [metric_rows(measured) for measured in comparison.metrics],
    }

"""A study as one page: what is shown at once, and what its script draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evenhand.files.file_names import file_names
from evenhand.report.audit.amounts import number, shown_p
from evenhand.report.audit.figures import COLOURS
from evenhand.report.audit.standing import css, look
from evenhand.report.audit.verdicts import short_verdict
from evenhand.report.common.provenance import facts
from evenhand.report.page.shell import render
from evenhand.report.study import decisions
from evenhand.report.study.figures import box_rows, point_rows, ranked_boxes, spread_by_quality, study_details
from evenhand.report.study.tables import cells, headings
from evenhand.report.study.words import (
    GENERAL,
    PUBLISHED,
    at_first,
    beyond,
    counted,
    group_name,
    sides,
    summary,
    table_title,
)
from evenhand.studies import Examined, Study, Table
from evenhand.studies.against import EFFECTS, is_usual
from evenhand.studies.tables import published_group

SECTIONS = {
    "short": "In short",
    "figures": "Figures",
    "tables": "Tables",
    "general": "In general",
    "decisions": "Decisions",
    "submissions": "Submissions",
    "made-of": "Made of",
    "files": "Files",
    "reading": "How to read",
    "provenance": "Provenance",
}
SUBMISSIONS = "submissions"
COLUMNS = ("system", "dimension", "rank", "Spearman")
TEXTS = ("system", "dimension", "those tested", "others like them")


def to_html(study: Study) -> str:
    """One file that needs nothing else."""
    return render("study.html.j2", scripts=["study.js"], data=_drawn(study), **_shown(study))


def pages_of(study: Study) -> dict[tuple[str, str], str]:
    """By system and dimension: where the submission's own page lies, from the study's.

    A name is other people's text and no path.
    """
    systems = file_names(one.system for one in study.submissions)
    dimensions = file_names(study.dimensions)
    return {
        (one.system, one.dimension): f"{SUBMISSIONS}/{systems[one.system]}/{dimensions[one.dimension]}.html"
        for one in study.submissions
    }


def _shown(study: Study) -> dict[str, Any]:
    pages, (corpus, _) = pages_of(study), study.drawn_from
    left_out = [problem for problem in study.problems if problem.left_out]
    sections = dict(SECTIONS)
    if not study.descriptors and study.baseline is None:
        del sections["made-of"]
    if not study.problems:
        del sections["files"]
    if not study.decisions:
        del sections["decisions"]
    return {
        "title": f"A study of {counted(len(study.submissions))}",
        "systems": len({one.system for one in study.submissions}),
        "dimensions": study.dimensions,
        "sentences": f"{len(corpus):,}",
        "corpus": corpus.about.title or corpus.name,
        "sections": [{"id": name, "short": short} for name, short in sections.items()],
        "short": [_paragraph(study, one) for one in summary(study.statements)],
        "by_dimension": [_paragraph(study, one) for one in study.statements if one.dimension is not None],
        "published": [_table(table) for table in study.tables.values()],
        "in_general": [_table(table) for table in study.general_tables.values()],
        "how": {"published": PUBLISHED, "general": GENERAL},
        "decisions": decisions.shown(study),
        "headings": [{"text": text, "numeric": text not in TEXTS} for text in _headings(study)],
        "rows": [_row(study, one, pages) for dimension in study.dimensions for one in study.of(dimension)],
        "descriptors": [_descriptor(one) for one in study.descriptors],
        "baseline": study.baseline,
        "usual_baseline": study.baseline is not None and is_usual(study.baseline),
        "effects": _effects(study),
        "left_out": left_out,
        "noted": [problem for problem in study.problems if not problem.left_out],
        "has_ranks": study.has_ranks,
        "limits": corpus.about.limits,
        "assessments": f"{study.assessments:,}",
        "threshold": f"{study.threshold:.3g}",
        "settings": study.settings,
        "delta_percent": f"{100 * study.settings.equivalence:g}",
        "provenance": study.provenance,
        "facts": facts(study.provenance),
    }


def _paragraph(study: Study, one: Any) -> dict[str, str]:
    table = study.tables[one.attribute]
    lead = f"{table.attribute} ({sides(table)})"
    return {
        "lead": lead if one.dimension is None else f"{one.dimension}, {lead}",
        "text": at_first(one, table),
        "more": beyond(one),
    }


def _table(table: Table) -> dict[str, Any]:
    rows = [{"first": bool(row[0]), "texts": row} for row in cells(table)]
    reasons = sorted(set(table.not_there.values()))
    return {
        "name": table.name,
        "title": table_title(table),
        "headings": headings(table),
        "rows": rows,
        "open": table.subset == "all",
        "not_there": "; ".join(reasons),
    }


def _headings(study: Study) -> list[str]:
    found = list(COLUMNS)
    for table in study.full():
        found += [f"{table.name}: gap", "Δ-spread", "those tested", "others like them"]
    return found


def _row(study: Study, one: Examined, pages: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    quality = one.quality
    shown: list[dict[str, Any]] = [
        {"value": "" if quality.rank is None else quality.rank, "text": "–" if quality.rank is None else quality.rank},
        _number(quality.spearman),
    ]
    for table in study.full():
        finding = one.findings[table.name]
        group = published_group(finding)
        shown += [
            _number(finding.mean_difference),
            _number(finding.delta_spread),
            {
                "text": "not significant" if group == "not_significant" else group_name(table, group),
                "kind": group.replace("_", "-"),
            },
            {"text": short_verdict(finding), "kind": css(look(finding))},
        ]
    return {"system": one.system, "dimension": one.dimension, "page": pages[one.system, one.dimension], "cells": shown}


def _number(value: float | None) -> dict[str, Any]:
    return {"value": "" if value is None else value, "text": "undefined" if value is None else number(value)}


def _descriptor(one: Any) -> dict[str, str]:
    ends = "undefined" if one.interval is None else " to ".join(number(100 * end, span=10) for end in one.interval)
    others = "undefined" if one.mean_size_others is None else number(100 * one.mean_size_others, span=10)
    return {
        "attribute": one.attribute,
        "descriptor": one.descriptor,
        "value": one.value,
        "systems": f"{one.systems} / {one.others}",
        "gap": number(100 * one.mean_gap, span=10),
        "size": number(100 * one.mean_size, span=10),
        "others": others,
        "difference": "undefined" if one.difference is None else number(100 * one.difference, span=10),
        "interval": ends,
        "p": one.undefined if one.p_adjusted is None else shown_p(one.p_adjusted),
    }


def _effects(study: Study) -> list[dict[str, Any]]:
    """How many submissions do what to the baseline's gap, for those tested and for others like them."""
    found = []
    for table in study.full():
        beside = [one.against[table.name] for one in study.submissions if table.name in one.against]
        if not beside:
            continue
        here, general = Counter(one.effect for one in beside), Counter(one.general_effect for one in beside)
        counts = [(effect, here[effect], general[effect]) for effect in EFFECTS]
        found.append({"title": f"{table.attribute}: {sides(table)}", "counts": counts})
    return found


def _drawn(study: Study) -> dict[str, Any]:
    details = study_details(study)
    tables = study.full()
    return {
        "specs": {
            theme: {
                **{f"boxes {table.name}": ranked_boxes([], table, theme=theme) for table in tables},
                **{f"spread {table.name}": spread_by_quality([], table, theme=theme) for table in tables},
            }
            for theme in COLOURS
        },
        "dimensions": list(study.dimensions),
        "ranked": study.has_ranks,
        "tables": [
            {
                "name": table.name,
                "title": f"{table.attribute}: {sides(table)}",
                "boxes": {dimension: box_rows(study, table, dimension, details) for dimension in study.dimensions},
                "points": {dimension: point_rows(study, table, dimension) for dimension in study.dimensions},
            }
            for table in tables
        ],
    }

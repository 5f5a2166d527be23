"""What the explorer's pages show, gathered from results; how it looks is the report's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import numpy as np

from evenhand.comparing.findings import Finding
from evenhand.corpora.catalogue import corpus_names
from evenhand.errors import EvenhandError, UsageError
from evenhand.report.audit.words import comparison_name, labels, who
from evenhand.report.explorer import audit_view, leaderboard, views
from evenhand.report.explorer.marks import marked
from evenhand.report.explorer.views import page
from evenhand.report.study.words import table_title
from evenhand.results.rendering import renderer_of
from evenhand.studies import Study
from evenhand.web.evidence import Behind, Sentence
from evenhand.web.explorer import Explorer, Read
from evenhand.web.following import day_of
from evenhand.web.index import Entry, Wanted
from evenhand.web.jobs import ENDINGS
from evenhand.web.trying import Tried

PLAIN_ROWS = 200
"""Rows of a table that a page shows; the others are in the file."""
EXAMPLES = (
    "My sister feels angry.",
    "Mohammed is a gay man.",
    "The old woman told her boss that Tia was late.",
)


def listed(one: Entry) -> dict[str, Any]:
    return {"entry": one, "day": day_of(one), "systems": _systems(one.systems), "corpora": ", ".join(one.corpora)}


def _systems(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} systems"


def lead_of(read: Read) -> dict[str, Any]:
    entry = read.entry
    return {
        "id": entry.id,
        "kind": entry.kind,
        "place": entry.place,
        "day": day_of(entry),
        "systems": _systems(entry.systems),
        "corpora": ", ".join(entry.corpora),
        "headline": entry.headline,
        "look": entry.look,
        "version": entry.version,
    }


def audit_page(read: Read, column: int, everything: bool, lead: dict[str, Any]) -> str:
    audit, id_ = read.audit, read.entry.id
    column_of(read, column)

    def to_box(finding: int, **limits: float) -> str:
        return f"/results/{id_}/differences?" + urlencode({"finding": finding, **limits})

    def to_point(finding: int, row: int) -> str:
        return f"/results/{id_}/differences/{row}?finding={finding}"

    def to_cell(person: str, template: str) -> str:
        return f"/results/{id_}/cell?" + urlencode({"column": column, "person": person, "template": template})

    has_scores = audit.scores is not None and audit.corpus is not None
    behinds = audit_view.Behinds(
        read.evidence.differences if has_scores else lambda finding: np.zeros(0),
        to_box, to_point, to_cell,
    )  # fmt: skip
    told = audit_view.told(audit)
    return page(
        "audit",
        **lead,
        told=told[: audit_view.MOST_TOLD],
        told_more=told[audit_view.MOST_TOLD :],
        gaps=audit_view.gaps(audit, everything=everything),
        one=audit_view.system(audit, column, behinds),
        has_scores=has_scores,
        columns=list(labels(audit.findings).values()),
        column=column,
        everything=everything,
        notes=[str(note) for note in audit.notes],
    )


def study_page(
    read: Read, study: Study, dimension: str | None, table: str | None, sort: leaderboard.Sort, lead: dict[str, Any]
) -> str:
    dimension, table = dimension or study.dimensions[0], table or next(iter(study.tables))
    asked = urlencode({"dimension": dimension, "table": table, "sort": sort})
    return page(
        "study",
        **lead,
        text=renderer_of(study).text(study).split("\n"),
        board=leaderboard.shown(study, dimension, table, sort),
        dimensions=study.dimensions,
        dimension=dimension,
        comparisons={name: table_title(one) for name, one in study.tables.items()},
        table=table,
        sort=sort,
        csv=f"/api/results/{read.entry.id}/leaderboard.csv?{asked}",
    )


def plain_page(read: Read, lead: dict[str, Any]) -> str:
    renderer = renderer_of(read.result)
    frame = read.result.frame()
    rows = [["" if value is None else _cell(value) for value in row] for row in frame.head(PLAIN_ROWS).iter_rows()]
    return page(
        "plain",
        **lead,
        text=[line for line in renderer.text(read.result).split("\n") if line.strip()],
        headings=frame.columns,
        numeric=[dtype.is_numeric() for dtype in frame.dtypes],
        rows=rows,
        left_out=max(frame.height - PLAIN_ROWS, 0),
        notes=[str(note) for note in read.result.notes],
    )


def _cell(value: object) -> str:
    return f"{value:.4g}".replace("-", "−") if isinstance(value, float) else str(value)


def column_of(read: Read, column: int) -> tuple[str, str]:
    names = list(labels(read.audit.findings))
    if column >= len(names):
        raise UsageError(f"this audit is of {len(names)} outputs, numbered from 0: there is no {column}")
    return names[column]


def about(finding: Finding) -> dict[str, str]:
    return {
        "system": who(finding),
        "comparison": comparison_name(finding),
        "first": finding.first_label,
        "second": finding.second_label,
        "gap": views.score(finding.mean_difference, finding),
    }


def difference_of(id_: str, number: int, behind: Behind, finding: Finding) -> dict[str, Any]:
    first, second = behind.first, behind.second
    sides = []
    for mine, others in ((first, second), (second, first)):
        other = others[0].text if others else ""
        sides.append(
            [
                {"parts": marked(one.text, other), "score": views.score(one.score, finding), "person": one.person}
                for one in odd_first(mine)
            ]
        )
    return {
        "first_side": sides[0],
        "second_side": sides[1],
        "label": behind.label,
        "difference": views.score(behind.difference, finding),
        "href": f"/results/{id_}/differences/{behind.row}?finding={number}",
    }


def odd_first(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences whose scores lie furthest from the middle come first: they are what a difference rests on."""
    middle = float(np.median([one.score for one in sentences])) if sentences else 0.0
    return sorted(sentences, key=lambda one: -abs(one.score - middle))


def trial(explorer: Explorer, text: str, system: str, found: Tried | None, problem: str | None) -> dict[str, Any]:
    shown = None
    if found is not None:
        shown = {
            "text": found.text,
            "outputs": [one.name for one in found.outputs],
            "scores": [views.score_of(value, one.span) for value, one in zip(found.scores, found.outputs, strict=True)],
            "attributes": [
                {
                    "name": about.attribute.replace("_", " "),
                    "largest": max(
                        (spread / one.span for spread, one in zip(about.spreads, found.outputs, strict=True)), default=0
                    ),
                    "spreads": [
                        views.score_of(value, one.span) for value, one in zip(about.spreads, found.outputs, strict=True)
                    ],
                    "versions": [
                        {
                            "label": one.label,
                            "own": one.own,
                            "parts": [(one.text, False)] if one.own else marked(one.text, found.text),
                            "scores": [
                                views.score_of(value, output.span)
                                for value, output in zip(one.scores, found.outputs, strict=True)
                            ],
                        }
                        for one in about.versions
                    ],
                }
                for about in found.found
            ],
            "missing": [(name.replace("_", " "), why) for name, why in found.not_found],
        }
    return {
        "systems": explorer.trials.systems,
        "text": text,
        "system": system,
        "found": shown,
        "problem": problem,
        "examples": EXAMPLES,
    }


def comparison(explorer: Explorer, chosen: list[str], systems: tuple[str | None, str | None]) -> dict[str, Any]:
    audits, _ = explorer.index.listed(Wanted(kind="audit"), most=1_000)
    shown: dict[str, Any] = {
        "audits": [one for one in audits if one.problem is None],
        "chosen": chosen + [""] * (2 - len(chosen)),
        "systems": systems,
        "outputs": ([], []),
        "found": None,
        "problem": None,
        "asks": False,
    }
    if not chosen:
        return shown
    try:
        if len(chosen) > 2:
            raise UsageError(f"two results can be compared, not {len(chosen)}; to see more side by side, follow them")
        sides = [explorer.read(one) for one in chosen]
        shown["outputs"] = tuple(list(labels_of(one)) for one in (sides * 2)[:2])
        if len(sides) == 1:
            shown["chosen"] = [chosen[0], ""]
            return shown
        open_ = [len(names) > 1 and system is None for names, system in zip(shown["outputs"], systems, strict=True)]
        if any(open_) and set(shown["outputs"][0]) != set(shown["outputs"][1]):
            shown["asks"] = True
            return shown
        if chosen[0] == chosen[1] and any(open_):
            shown["asks"] = True
            return shown
        found = explorer.compared(sides[0], sides[1], systems)
        asked = {"one": chosen[0], "other": chosen[1], "one_system": systems[0], "other_system": systems[1]}
        shown["found"] = views.compared(found)
        shown["json"] = "/api/compare?" + urlencode({name: value for name, value in asked.items() if value})
    except EvenhandError as error:
        shown["problem"] = str(error)
    return shown


def labels_of(read: Read) -> list[str]:
    """The systems of an audit, as `compare` takes them."""
    return list(dict.fromkeys(finding.system for finding in read.audit.findings))


def upload_form(explorer: Explorer, problem: str | None) -> dict[str, Any]:
    return {
        "corpora": corpus_names(),
        "endings": ",".join(ENDINGS),
        "most": f"{explorer.most_upload / 1e6:g} MB",
        "problem": problem,
    }


def number_of(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError as error:
        raise UsageError("the ends of the range are numbers, such as -1 and 1") from error
    if value != value or value in (float("inf"), float("-inf")):
        raise UsageError("the ends of the range are numbers, such as -1 and 1")
    return value


def when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def api_in_words(schema: dict[str, Any]) -> dict[str, Any]:
    """The API in words, from its own description."""
    calls = []
    for path, methods in schema["paths"].items():
        for method, about in methods.items():
            body = about.get("requestBody", {}).get("content", {})
            calls.append(
                {
                    "method": method.upper(),
                    "path": path,
                    "summary": about.get("description", about.get("summary", "")),
                    "parameters": [
                        {
                            "name": one["name"],
                            "place": one["in"],
                            "required": one.get("required", False),
                            "about": one.get("description", ""),
                        }
                        for one in about.get("parameters", [])
                    ],
                    "body": ", ".join(body),
                    "gives": ", ".join(
                        kind
                        for code, one in about["responses"].items()
                        if code[0] == "2"
                        for kind in one.get("content", {})
                    ),
                }
            )
    return {"calls": calls, "version": schema["info"]["version"]}

"""From a report to its page: what the template shows at once, and what the script draws on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.comparing.ability import FAINT
from evenhand.comparing.findings import Finding, SentencePair
from evenhand.report.audit import ability, figures
from evenhand.report.audit.details import Details, details_of
from evenhand.report.audit.next_steps import next_steps
from evenhand.report.audit.words import (
    comparison_name,
    groups_in_words,
    in_words,
    labels,
    number,
    people_of,
    several_comparisons,
    short_comparison,
    short_p,
    short_verdict,
    shown_p,
)
from evenhand.report.common.provenance import facts
from evenhand.report.page.shell import render

if TYPE_CHECKING:
    from evenhand.comparing.audit import Audit

MOST_SENTENCES = 40
SECTIONS = {
    "verdicts": "Verdicts",
    "all": "All findings",
    "gaps": "Gaps",
    "differences": "Differences",
    "ability": "Does it do its job?",
    "system": "One system",
    "reading": "How to read",
    "limits": "Limits",
    "provenance": "Provenance",
}


def to_html(report: Audit) -> str:
    """One file that needs nothing else."""
    return render("report.html.j2", scripts=["report.js"], data=_drawn_on_demand(report), **_shown_at_once(report))


def _shown_at_once(report: Audit) -> dict[str, Any]:
    names = labels(report.findings)
    place = {key: number for number, key in enumerate(names)}
    corpus, (used,), settings = report.corpus, report.provenance.corpora, report.provenance.settings
    title = "Audit of " + (", ".join(names.values()) if len(names) <= 6 else f"{len(names)} systems")
    called, level = people_of(report.findings), f"{100 * (1 - settings['alpha']):g}"
    sentences = [{"verdict": finding.verdict, "text": in_words(finding)} for finding in report.findings]
    verdicts: Counter[str] = Counter(finding.verdict for finding in report.findings)
    return {
        "title": title,
        "corpus": {
            "sentences": f"{used.sentences:,}",
            "title": corpus.about.title if corpus is not None and corpus.about.title else used.name,
        },
        "systems": list(names.values()),
        "counted": _counted(report.findings),
        "sampled": any(finding.draws > 1 for finding in report.findings),
        "findings": report.findings,
        "sections": [
            {"id": name, "short": short}
            for name, short in SECTIONS.items()
            if name != "ability" or report.abilities or report.notes
        ],
        "abilities": ability.shown_at_once(report.abilities, names),
        "crowded": len(report.abilities) > MOST_SENTENCES,
        "remarks": [(note.about or "note", note.text) for note in report.notes],
        "tally": [(verdict, verdicts[verdict]) for verdict in figures.VERDICTS if verdicts[verdict]],
        "sentences": sentences if len(sentences) <= MOST_SENTENCES else [],
        "headings": [{"text": text, "numeric": i >= 3} for i, text in enumerate(_headings(level, called))],
        "people": called,
        "level_percent": level,
        "steps": next_steps(report),
        "rows": [_row(finding, names, place, several_comparisons(report.findings)) for finding in report.findings],
        "groups": groups_in_words(report.findings),
        "delta_percent": f"{100 * settings['equivalence']:g}",
        "alpha_percent": f"{100 * settings['alpha']:g}",
        "faint": f"{FAINT:g}",
        "thinned": any(finding.n > 300 for finding in report.findings) or len(report.findings) > 80,
        "limits": corpus.about.limits if corpus is not None else (),
        "provenance": {"command": None, **report.provenance.to_dict()},
        "facts": facts(report.provenance),
    }


def _headings(level: str, called: str) -> tuple[str, ...]:
    """Effect sizes and intervals first, p-values last."""
    tests = (f"p, {called} tested", f"p, {called} like these")
    return ("system", "comparison", "verdict", "gap", f"{level} % interval, from", "to", "effect size", *tests)


def _counted(findings: Sequence[Finding]) -> str:
    systems = len({finding.system for finding in findings})
    outputs = len({(finding.system, finding.output) for finding in findings})
    shown = f"{systems} system" + ("" if systems == 1 else "s")
    return shown if outputs == systems else f"{shown} with {outputs} outputs"


def _row(
    finding: Finding, names: dict[tuple[str, str], str], place: dict[tuple[str, str], int], several: set[str]
) -> dict[str, Any]:
    key = (finding.system, finding.output)
    low, high = finding.generalising.interval or (None, None)
    general = finding.generalising.p_adjusted
    return {
        "label": names[key],
        "column": place[key],
        "comparison": short_comparison(finding, several),
        "cells": [
            _cell(finding.mean_difference, finding.span),
            _cell(low, finding.span),
            _cell(high, finding.span),
            _cell(finding.effect_size, 1.0),
            {"value": finding.p_adjusted, "text": short_p(finding)},
            {
                "value": "" if general is None else general,
                "text": "undefined" if general is None else shown_p(general),
            },
        ],
        "verdict": finding.verdict,
        "verdict_text": short_verdict(finding),
    }


def _cell(value: float | None, span: float) -> dict[str, Any]:
    return {"value": "" if value is None else value, "text": "undefined" if value is None else number(value, span=span)}


def _drawn_on_demand(report: Audit) -> dict[str, Any]:
    names = labels(report.findings)
    place = {key: number for number, key in enumerate(names)}
    details = details_of(report)
    heat_maps = {key: None if details is None else details.heat_map(*key) for key in names}
    some = next((heat_map for heat_map in heat_maps.values() if heat_map is not None), None)
    return {
        "specs": {theme: _specs(theme, report) for theme in figures.COLOURS},
        "comparisons": [
            _comparison(name, members, names, place, details)
            for name, members in figures.by_comparison(report.findings).items()
        ],
        "words": ability.drawn_on_demand(report.abilities),
        "persons": [] if some is None else list(zip(some.persons, some.groups, strict=True)),
        "templates": [] if some is None else list(some.templates),
        "systems": [
            {
                "label": label,
                "findings": [
                    _finding(finding) for finding in report.findings if (finding.system, finding.output) == key
                ],
                "heat": None if (heat_map := heat_maps[key]) is None else _heat(heat_map.values, _span(report, key)),
            }
            for key, label in names.items()
        ],
    }


def _specs(theme: str, report: Audit) -> dict[str, figures.Spec]:
    delta = 100 * report.provenance.settings["equivalence"]
    return {
        "forest": figures.forest([], delta=delta, theme=theme),
        "boxes": figures.boxes([], theme=theme),
        "heat": figures.heat([], theme=theme),
        "words": ability.word_chart([], theme=theme),
    }


def _comparison(
    name: str,
    members: Sequence[Finding],
    names: dict[tuple[str, str], str],
    place: dict[tuple[str, str], int],
    details: Details | None,
) -> dict[str, Any]:
    boxes = None
    if details is not None:
        boxes = []
        for finding in members:
            key = (finding.system, finding.output)
            row = figures.box_row(finding, details.spread(finding), names[key])
            # The names of the numbers are the same for all: only the numbers are kept.
            boxes.append([place[key], *list(row.values())[1:]])
    return {
        "name": name,
        "forest": [figures.forest_row(finding, names[finding.system, finding.output]) for finding in members],
        "boxes": boxes,
    }


def _span(report: Audit, key: tuple[str, str]) -> float:
    return next(finding.span for finding in report.findings if (finding.system, finding.output) == key)


def _heat(values: Any, span: float) -> dict[str, Any]:
    # Thousandths of a per cent of the range, as whole numbers; what no sentence shows stays empty.
    thousandths = (1e5 * values / span).round()
    return {"values": [[None if np.isnan(cell) else int(cell) for cell in row] for row in thousandths]}


def _finding(finding: Finding) -> dict[str, Any]:
    evidence, percent = finding.rests_on, 100 / finding.span
    without = None
    if evidence.without is not None and evidence.person is not None:
        without = number(evidence.without, span=finding.span)
    return {
        "comparison": comparison_name(finding),
        "first": finding.first_label,
        "second": finding.second_label,
        "verdict": finding.verdict,
        "words": in_words(finding),
        "person": evidence.person,
        "without": without,
        "alone": evidence.alone,
        "persons": [[share.label, share.share * percent] for share in evidence.persons],
        "templates": [[share.label, share.share * percent] for share in evidence.templates],
        "words_shares": [[share.label, share.share * percent] for share in evidence.words],
        "parts": [[part.label, part.gap * percent] for part in evidence.parts],
        "sentences": [_pair(pair, finding.span) for pair in evidence.sentences],
        "pieces": _pieces(finding),
    }


def _pair(pair: SentencePair, span: float) -> dict[str, Any]:
    first, second = differing(pair.first_text, pair.second_text)
    return {
        "first": first,
        "second": second,
        "first_score": number(pair.first_score, span=span),
        "second_score": number(pair.second_score, span=span),
        "difference": number(pair.difference, span=span),
    }


def differing(first: str, second: str) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    """Both sentences as (before, what differs, after), cut at words.

    >>> differing("I saw my mom here.", "I saw my dad here.")
    (('I saw my ', 'mom', ' here.'), ('I saw my ', 'dad', ' here.'))
    """
    one, two = first.split(" "), second.split(" ")
    start = 0
    while start < min(len(one), len(two)) and one[start] == two[start]:
        start += 1
    end = 0
    while end < min(len(one), len(two)) - start and one[-1 - end] == two[-1 - end]:
        end += 1
    return _cut(one, start, end), _cut(two, start, end)


def _cut(words: list[str], start: int, end: int) -> tuple[str, str, str]:
    stop = len(words) - end
    before = " ".join(words[:start]) + (" " if start and words[start:stop] else "")
    after = (" " if end and words[start:stop] else "") + " ".join(words[stop:])
    return before, " ".join(words[start:stop]), after


def _pieces(finding: Finding) -> str | None:
    pieces = finding.rests_on.pieces
    if pieces is None:
        return None
    adjusted = finding.undefined.get("rests_on.pieces.adjusted_gap")
    if pieces.adjusted_gap is not None:
        adjusted = f"adjusted for that, the gap is {number(pieces.adjusted_gap, span=finding.span)}"
    return (
        f"The tokeniser splits {finding.first_label} into {pieces.first_mean:.2f} pieces on average, "
        f"{finding.second_label} into {pieces.second_mean:.2f}; {adjusted}."
    )

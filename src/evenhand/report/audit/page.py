"""From a report to its page: what the template shows at once, and what the script draws on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.comparing.ability import FAINT
from evenhand.comparing.findings import Finding, SentencePair
from evenhand.report.audit import ability, decisions, figures, path, signal_figures, signals
from evenhand.report.audit.amounts import amount, measured, number, short_p, shown_p
from evenhand.report.audit.details import HeatMap, Pictured, details_of
from evenhand.report.audit.headline import headline, most_telling
from evenhand.report.audit.levels import corrected_for
from evenhand.report.audit.many import Told, shown_order, told_all
from evenhand.report.audit.naming import (
    comparison_name,
    groups_in_words,
    labels,
    others_like_these,
    outputs_in_words,
    people_of,
    short_comparisons,
)
from evenhand.report.audit.next_steps import next_steps
from evenhand.report.audit.standing import GREEN_IS_EARNED, css, look
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.units import Unit, delta_of, unit_of
from evenhand.report.audit.verdicts import STAR, for_these, short_verdict, these_alone, verdict_shown
from evenhand.report.audit.words import in_words
from evenhand.report.common.provenance import facts
from evenhand.report.page.shell import render

if TYPE_CHECKING:
    from evenhand.comparing.audit import Audit

MOST_SENTENCES = 40
FIRST = 6
"""Sentences on the first screen; of more, the others are folded away."""
SECTIONS = {
    "verdicts": "Verdicts",
    "all": "All findings",
    "gaps": "Gaps",
    "differences": "Differences",
    "path": "How it was settled",
    "names": "Group or rare names",
    "decisions": "Decisions",
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
    called = people_of(report.findings)
    sentences, terms, unit = told_all(report.findings), terms_of(report.findings), unit_of(report.findings)
    ordered = shown_order(report.findings)
    verdicts: Counter[str] = Counter(look(finding) for finding in report.findings)
    return {
        "title": title,
        "terms": terms,
        "unit": unit,
        "scored": outputs_in_words(report.findings),
        "question": terms.question.format(people=called),
        "corpus": {
            "sentences": f"{used.sentences:,}",
            "title": corpus.about.title if corpus is not None and corpus.about.title else used.name,
        },
        "systems": list(names.values()),
        "counted": _counted(report.findings),
        "sampled": any(finding.draws > 1 for finding in report.findings),
        "findings": report.findings,
        "sections": [{"id": name, "short": short} for name, short in SECTIONS.items() if _has(report, name)],
        "path": path.shown_at_once(report),
        "signals": signals.shown_at_once(
            report, drawn=[chart["name"] for chart in signal_figures.drawn_on_page(report)]
        ),
        "decisions": decisions.shown_at_once(report),
        "abilities": ability.shown_at_once(report.abilities, names),
        "crowded": len(report.abilities) > MOST_SENTENCES,
        "remarks": [(note.about or "note", note.text) for note in report.notes],
        "tally": [(verdict, css(verdict), verdicts[verdict]) for verdict in figures.VERDICTS if verdicts[verdict]],
        "earned": GREEN_IS_EARNED,
        **_answers(sentences if len(sentences) <= MOST_SENTENCES else []),
        "told_first": names[_key_of_most_telling(report)],
        "headings": [{"text": text, "numeric": i >= 3} for i, text in enumerate(_headings(called, unit))],
        "people": called,
        "like_these": others_like_these(report.findings),
        "starred": these_alone(report.findings),
        "corrected": corrected_for(report),
        "steps": next_steps(report),
        "rows": [
            _row(finding, comparison, names, place, unit)
            for finding, comparison in zip(ordered, short_comparisons(ordered), strict=True)
        ],
        "groups": groups_in_words(report.findings),
        "delta": f"{delta_of(report.findings, unit):g} {unit.drawn}",
        "delta_percent": f"{100 * settings['equivalence']:g}",
        "alpha_percent": f"{100 * settings['alpha']:g}",
        "faint": f"{FAINT:g}",
        "thinned": any(finding.n > 300 for finding in report.findings) or len(report.findings) > 80,
        "limits": corpus.about.limits if corpus is not None else (),
        "provenance": {"command": None, **report.provenance.to_dict()},
        "facts": facts(report.provenance),
    }


def _answer(told: Told) -> dict[str, Any]:
    """One sentence; the rest of what there is to say, and the sentences that show it, are folded below."""
    finding = told.finding
    short = told.text.partition(": ")[2].partition(". ")[0] if finding is None else ""
    return {
        "class": css(told.look),
        "tag": told.tag or told.verdict,
        "short": headline(finding) if finding is not None else f"{told.text.partition(':')[0]}: {short.rstrip('.')}.",
        "text": told.text,
        "pairs": [] if finding is None else [_pair(pair, finding) for pair in finding.rests_on.sentences],
        "sides": None if finding is None else (finding.first_label, finding.second_label),
    }


def _answers(told: Sequence[Told]) -> dict[str, Any]:
    """The most telling ones, as many as a screen holds; the others are counted, and folded away."""
    ranks = {id(one): place for place, one in enumerate(most_telling([one.finding for one in told if one.finding]))}
    ordered = sorted(told, key=lambda one: ranks.get(id(one.finding), len(ranks)))
    shown = ordered if len(ordered) <= FIRST + 1 else ordered[:FIRST]
    more = ordered[len(shown) :]
    counted = Counter(one.verdict for one in more)
    return {
        "answers": [_answer(one) for one in shown],
        "more_answers": [_answer(one) for one in more],
        "more_counted": ", ".join(f"{number} {verdict}" for verdict, number in counted.most_common()),
    }


def _key_of_most_telling(report: Audit) -> tuple[str, str]:
    first = most_telling(report.findings)[0]
    return first.system, first.output


def _has(report: Audit, section: str) -> bool:
    """Whether there is anything to show in a section that not all reports have."""
    optional = {
        "ability": report.abilities or report.notes,
        "decisions": report.decisions,
        "path": path.in_waves(report.findings),
        "names": report.signals,
    }
    return bool(optional.get(section, True))


def _headings(called: str, unit: Unit) -> tuple[str, ...]:
    """Effect sizes and intervals first, p-values last."""
    tests = (f"p, {called} tested", f"p, {called} like these")
    gap, start = f"gap, {unit.short}" if unit.of_range else "gap", "interval, from"
    return ("system", "comparison", "verdict", gap, start, "to", "effect size", *tests)


def _counted(findings: Sequence[Finding]) -> str:
    systems = len({finding.system for finding in findings})
    outputs = len({(finding.system, finding.output) for finding in findings})
    shown = f"{systems} system" + ("" if systems == 1 else "s")
    return shown if outputs == systems else f"{shown} with {outputs} outputs"


def _row(
    finding: Finding, comparison: str, names: dict[tuple[str, str], str], place: dict[tuple[str, str], int], unit: Unit
) -> dict[str, Any]:
    key = (finding.system, finding.output)
    these = for_these(finding)
    interval = finding.interval if these else finding.generalising.shown_interval or (None, None)
    marks = ("", *(STAR if these else "",) * 2)
    gaps = zip((finding.mean_difference, *interval), marks, strict=True)
    general = finding.generalising.p_adjusted
    return {
        "label": names[key],
        "column": place[key],
        "comparison": comparison,
        "cells": [
            *(_cell(value, None if value is None else unit.amount(value, finding) + mark) for value, mark in gaps),
            _cell(finding.effect_size, None if finding.effect_size is None else number(finding.effect_size)),
            {"value": finding.p_adjusted, "text": short_p(finding)},
            _cell(general, None if general is None else shown_p(general)),
        ],
        "look": css(look(finding)),
        "verdict_text": unit.verdict(verdict_shown(finding, STAR)),
    }


def _cell(value: float | None, text: str | None) -> dict[str, Any]:
    return {"value": "" if value is None else value, "text": text or "undefined"}


def _drawn_on_demand(report: Audit) -> dict[str, Any]:
    names = labels(report.findings)
    details, terms, unit = details_of(report), terms_of(report.findings), unit_of(report.findings)
    charts = figures.charts_of(report.findings, names)
    heat_maps = {key: None if details is None else details.heat_map(*key) for key in names}
    some = next((heat_map for heat_map in heat_maps.values() if heat_map is not None), None)
    return {
        "specs": {theme: _specs(theme, report, charts, unit) for theme in figures.COLOURS},
        "terms": {
            "share": unit.short,
            "answer": terms.answer,
            "heat_title": terms.heat_title,
            "heat": terms.heat.format(people=people_of(report.findings), unit=unit.note.partition(",")[0]),
        },
        "comparisons": [_comparison(name, members, details, unit) for name, members in _telling_first(charts, report)],
        "paths": [{"name": name, "rows": rows} for name, rows in path.charts(report).items()],
        "signals": signal_figures.drawn_on_page(report),
        "flips": [{"name": name, "rows": rows} for name, rows in decisions.flip_charts(report).items()],
        "words": ability.drawn_on_demand(report.abilities),
        "persons": [] if some is None else list(zip(some.persons, some.groups, strict=True)),
        "templates": [] if some is None else list(some.templates),
        "first": list(names).index(_key_of_most_telling(report)),
        "systems": [
            {
                "label": label,
                "findings": [
                    _finding(finding, unit)
                    for finding in shown_order(report.findings)
                    if (finding.system, finding.output) == key
                ],
                "heat": _heat(heat_maps[key], unit.per(_span(report, key))),
            }
            for key, label in names.items()
        ],
    }


def _specs(theme: str, report: Audit, charts: dict[str, figures.Members], unit: Unit) -> dict[str, figures.Spec]:
    delta = delta_of(report.findings, unit)
    gaps = [figures.forest_row(finding, row, unit) for members in charts.values() for row, finding in members]
    return {
        "forest": figures.forest([], delta=delta, unit=unit, reach=figures.forests_reach(gaps, delta), theme=theme),
        "boxes": figures.boxes([], unit=unit, theme=theme),
        "heat": figures.heat([], unit=unit, theme=theme),
        "words": ability.word_chart([], theme=theme),
        "flips": decisions.flip_chart([], theme=theme),
        "path": path.path_chart([], delta=delta, unit=unit, theme=theme),
        "share": signal_figures.share_chart([], unit=unit, theme=theme),
        "bearers": signal_figures.bearers_chart([], unit=unit, theme=theme),
    }


def _telling_first(charts: dict[str, figures.Members], report: Audit) -> list[tuple[str, figures.Members]]:
    """The charts in the order of the most that each has to tell."""
    ranks = {id(finding): place for place, finding in enumerate(most_telling(report.findings))}
    return sorted(charts.items(), key=lambda chart: min(ranks[id(finding)] for _, finding in chart[1]))


def _comparison(name: str, members: figures.Members, details: Pictured | None, unit: Unit) -> dict[str, Any]:
    boxes = None
    if details is not None:
        # The names of the numbers are the same for all, and a row is called what it is in the forest.
        rows = [figures.box_row(finding, details.spread(finding), row, unit) for row, finding in members]
        boxes = [list(row.values())[1:] for row in rows]
    forest = [figures.forest_row(finding, row, unit) for row, finding in members]
    return {"name": name, "forest": forest, "boxes": boxes}


def _span(report: Audit, key: tuple[str, str]) -> float:
    return next(finding.span for finding in report.findings if (finding.system, finding.output) == key)


def _heat(heat_map: HeatMap | None, per: float) -> dict[str, Any] | None:
    if heat_map is None:
        return None
    # Hundred-thousandths of the unit, as whole numbers; what no sentence shows stays empty.
    whole = (1e5 * per * heat_map.values).round()
    return {"values": [[None if np.isnan(cell) else int(cell) for cell in row] for row in whole]}


def _finding(finding: Finding, unit: Unit) -> dict[str, Any]:
    evidence, per = finding.rests_on, unit.of(finding)
    without = None
    if evidence.without is not None and evidence.person is not None:
        without = measured(evidence.without, finding)
    return {
        "comparison": comparison_name(finding),
        "first": finding.first_label,
        "second": finding.second_label,
        "verdict": short_verdict(finding),
        "look": css(look(finding)),
        "words": in_words(finding),
        "person": evidence.person,
        "without": without,
        "alone": evidence.alone,
        "persons": [[share.label, share.share * per] for share in evidence.persons],
        "templates": [[share.label, share.share * per] for share in evidence.templates],
        "words_shares": [[share.label, share.share * per] for share in evidence.words],
        "parts": [[part.label, part.gap * per] for part in evidence.parts],
        "sentences": [_pair(pair, finding) for pair in evidence.sentences],
        "pieces": _pieces(finding),
    }


def _pair(pair: SentencePair, finding: Finding) -> dict[str, Any]:
    first, second = differing(pair.first_text, pair.second_text)
    return {
        "first": first,
        "second": second,
        "first_score": amount(pair.first_score, finding),
        "second_score": amount(pair.second_score, finding),
        "difference": amount(pair.difference, finding),
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
        adjusted = f"adjusted for that, the gap is {measured(pieces.adjusted_gap, finding)}"
    return (
        f"The tokeniser splits {finding.first_label} into {pieces.first_mean:.2f} pieces on average, "
        f"{finding.second_label} into {pieces.second_mean:.2f}; {adjusted}."
    )

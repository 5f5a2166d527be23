"""A repair as one page: what is shown at once, and what its script draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.repairs.paired_means import PairedMeans
from evenhand.repairs.result import WITHIN_AT_LEAST, Repair
from evenhand.report.audit.amounts import level_percent, number
from evenhand.report.audit.figures import COLOURS, Spec
from evenhand.report.common.provenance import facts
from evenhand.report.page.shell import render
from evenhand.report.repair.advice import glances, headline, outcomes_by_gap, repaired_spec
from evenhand.report.repair.figures import (
    Question,
    gap_chart,
    gap_rows,
    part_rows,
    price_chart,
    price_figure_rows,
    questions,
)
from evenhand.report.repair.harm import does_not_do_its_job
from evenhand.report.repair.page_rows import (
    glance_cells,
    gold_cells,
    layer_cells,
    outcome_rows,
    price_cells,
    split_prices,
)
from evenhand.report.repair.published import by_chart, chart_title, paired_tables, word_tables
from evenhand.report.repair.published_figures import bars
from evenhand.report.repair.tables import part_tables, price_rows
from evenhand.report.repair.words import (
    FAMILIES,
    FAMILY_MEANINGS,
    METHODS,
    VERDICT_MEANINGS,
    family_of,
    gold_in_words,
    methods_of,
    outputs_of,
    scope_name,
)

SECTIONS = {
    "short": "In short",
    "gaps": "Before and after",
    "price": "The cost",
    "weights": "The weights",
    "paper": "As the paper does",
    "left-out": "Left out",
    "reading": "How to read",
    "provenance": "Provenance",
}
KINDS = {"advised": "lower", "no method will do": "higher"}
"""The colour of a headline; that there is nothing to repair has none of its own."""
HERE = "FOLDER"
"""Stands for the folder of the page, which may be moved."""
COUNTED = ("closed", "reduced", "not reduced", "reversed", "introduced", "opened a part")
TEXTS = ("new", "method", "verdict", "sign turned")
NUMBERS = ("before", "after", "left by a single fit", "gone")
HEADINGS = ("new", "method", *NUMBERS, "verdict", "sign turned", "left alone", "spread")


def to_html(repair: Repair) -> str:
    """One file that needs nothing else."""
    return render("repair.html.j2", scripts=["repair.js"], data=_drawn(repair), **_shown(repair))


def _shown(repair: Repair) -> dict[str, Any]:
    found, asked = headline(repair), questions(repair)
    prices = price_rows(repair)
    return {
        "title": f"Repair of {repair.system}",
        "sentences": f"{repair.sentences:,}",
        "sections": [{"id": name, "short": short} for name, short in _sections(repair).items()],
        "headline": found,
        "repaired": repaired_spec(repair, HERE),
        "first_method": methods_of(repair)[0],
        "kind": "cannot-tell" if does_not_do_its_job(repair) else KINDS.get(found.kind, "cannot-tell"),
        "visible": _visible(repair),
        "counted": COUNTED,
        "glances": [glance_cells(one) for one in glances(repair)],
        "outputs": outputs_of(repair),
        "comparisons": list(dict.fromkeys(one.comparison for one in asked)),
        "headings": [{"text": text, "numeric": text not in TEXTS} for text in HEADINGS],
        "rows": [row for place, one in enumerate(asked) for row in outcome_rows(repair, one, place)],
        "by_part": [table for outcomes in outcomes_by_gap(repair) for table in part_tables(outcomes)],
        "prices": [price_cells(one) for one in prices],
        "undefined": any(None in (one.overall, one.within, one.words) for one in prices),
        "has_order": any(one.order_before is not None for one in prices),
        "splits_prices": split_prices(repair),
        "gold": [gold_cells(one) for method in methods_of(repair) for one in repair.gold if one.method == method],
        "gold_note": gold_in_words(repair),
        "within_at_least": number(WITHIN_AT_LEAST, span=10),
        "layers": [layer_cells(one) for one in repair.layers],
        "paper": _paper_tables(repair),
        "readings": [] if repair.published is None else list(_paper_groups(repair)),
        "left_out": list(repair.left_out.items()),
        "remarks": [note.text for note in repair.notes],
        "methods": [(method, METHODS.get(method, "")) for method in methods_of(repair)],
        "families": [(FAMILIES[name], FAMILY_MEANINGS[name]) for name in FAMILIES if _there(repair, name)],
        "verdicts": VERDICT_MEANINGS,
        "level": level_percent(repair.level),
        "asked": repair.judgement.comparisons,
        "provenance": repair.provenance,
        "facts": facts(repair.provenance),
    }


def _sections(repair: Repair) -> dict[str, str]:
    absent = {
        "weights": not repair.layers,
        "paper": repair.published is None,
        "left-out": not (repair.left_out or repair.notes),
    }
    return {name: short for name, short in SECTIONS.items() if not absent.get(name)}


def _there(repair: Repair, family: str) -> bool:
    return any(family_of(repair, method) == family for method in repair.methods)


def _visible(repair: Repair) -> str:
    some = repair.outcomes(method=repair.methods[0], scope=None)
    visible = sum(one.reduction is not None for one in some)
    return (
        f"{visible} of {len(some)} gaps were visible before, counted by output, pair of groups, kind of people and "
        "held-out part. An empty cell means none. Left alone: the share of fits that changed no score at all."
    )


def _paper_groups(repair: Repair) -> dict[str, list[list[PairedMeans]]]:
    """By output and reading: the charts of the paper's questions."""
    grouped: dict[str, list[list[PairedMeans]]] = {}
    if repair.published is not None:
        for tests in by_chart(repair.published.tests):
            grouped.setdefault(f"{tests[0].output} ({tests[0].reading})", []).append(tests)
    return grouped


def _paper_tables(repair: Repair) -> dict[str, Any]:
    found = repair.published
    return {
        "tests": [] if found is None else paired_tables(found),
        "words": [] if found is None else word_tables(found),
    }


def _drawn(repair: Repair) -> dict[str, Any]:
    groups, asked = _paper_groups(repair), questions(repair)
    return {
        "specs": {theme: _specs(groups, theme) for theme in COLOURS},
        "questions": [
            {
                "output": one.output,
                "comparison": one.comparison,
                "scope": scope_name(one.scope),
                "rows": gap_rows(repair, one),
                "parts": part_rows(repair, one),
            }
            for one in asked
        ],
        "first": _most_visible(asked),
        "prices": {output: price_figure_rows(repair, output) for output in outputs_of(repair)},
        "paper": {name: [chart_title(tests) for tests in members] for name, members in groups.items()},
    }


def _most_visible(asked: list[Question]) -> int:
    """What the page begins with: where gaps were visible most often, and the earliest of those."""
    visible = [sum(one.reduction is not None for one in question.outcomes) for question in asked]
    return visible.index(max(visible))


def _specs(groups: Mapping[str, list[list[PairedMeans]]], theme: str) -> dict[str, Spec]:
    paper = {f"paper {chart_title(tests)}": bars(tests, theme=theme) for some in groups.values() for tests in some}
    return {"gaps": gap_chart([], theme=theme), "price": price_chart([], theme=theme), **paper}

"""A repair's charts: gaps before and after on what is held out, and the price in rank correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.contrasts import EVERYBODY
from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.parts import PartOutcome
from evenhand.repairs.result import FITTED, PUBLISHED, Repair
from evenhand.report.audit.figures import COLOURS, SCHEMA, Row, Spec, base_chart
from evenhand.report.repair import published_figures
from evenhand.report.repair.tables import price_rows
from evenhand.report.repair.words import (
    FAMILIES,
    comparison,
    family_name,
    gone,
    methods_of,
    outputs_of,
    scope_name,
    split_name,
    verdict,
)

BEFORE = "before"
STEP = 27
"""Pixels a method: room for before and after, one above the other."""
APART = 5
PANEL_WIDTH = 520
PURPLE = {"light": "#7e22ce", "dark": "#c084fc"}
PRICES = {"within": "within groups", "overall": "of all sentences", "words": "of the emotion words"}
SHAPES = ("circle", "square", "diamond", "triangle-up")


@dataclass(frozen=True)
class Question:
    """What one chart and one choice on the page is about: two groups, in one output, among some persons."""

    output: str
    comparison: str
    scope: str
    outcomes: tuple[Outcome, ...]


def questions(repair: Repair) -> list[Question]:
    """All that was asked, everybody before kinds of persons; groups are called the same among all of them."""
    grouped: dict[tuple[str, str, str], list[Outcome]] = {}
    called: dict[tuple[str, str, str], str] = {}
    for one in repair.judgement.outcomes:
        name = called.setdefault((one.attribute, one.first, one.second), comparison(one))
        grouped.setdefault((one.output, name, one.scope), []).append(one)
    return [Question(*key, tuple(outcomes)) for key, outcomes in grouped.items()]


def in_order(repair: Repair, question: Question) -> list[Outcome]:
    """By split, and within it the advised method first."""
    place = {method: number for number, method in enumerate(methods_of(repair))}
    splits = list(dict.fromkeys(one.new for one in question.outcomes))
    return sorted(question.outcomes, key=lambda one: (splits.index(one.new), place[one.method]))


def gap_rows(repair: Repair, question: Question) -> list[Row]:
    """A row for each split and method; what is undefined is left empty."""
    return [_gap_row(one, repair.level) for one in in_order(repair, question)]


def _gap_row(one: Outcome, alpha: float) -> Row:
    row = one.row(alpha)
    return {
        "method": one.method,
        "family": f"after, {family_name(one.family)}",
        "new": split_name(one.new),
        **{f"{when}{end}": row[f"{when}{end}"] for when in ("before", "after") for end in ("", "_low", "_high")},
        "gone": gone(one),
        "verdict": verdict(one),
    }


def part_rows(repair: Repair, question: Question) -> list[Row]:
    """A row for each split and part of the method that comes first: the average, then each kind of sentence."""
    method = methods_of(repair)[0]
    return [
        row
        for one in in_order(repair, question)
        if one.method == method
        for row in (
            _gap_row(one, repair.level) | {"method": "on average"},
            *(_part_row(one, part, repair.level) for part in one.parts),
        )
    ]


def _part_row(one: Outcome, part: PartOutcome, alpha: float) -> Row:
    row: Row = {"method": part.level, "family": f"after, {family_name(one.family)}", "new": split_name(one.new)}
    for when, gap in (("before", part.before), ("after", part.after)):
        low, high = gap.ends(alpha) or (None, None)
        row |= {when: gap.value, f"{when}_low": low, f"{when}_high": high}
    return {**row, "gone": "", "verdict": part.verdict}


def gap_chart(rows: Sequence[Row], *, theme: str = "light", width: int = PANEL_WIDTH) -> Spec:
    """Gaps with their generalising intervals: before in grey, after below it in the colour of the method's family."""
    tooltip = [
        {"field": "method"},
        {"field": "new", "title": "judged on"},
        {"field": "before", "format": ".4f"},
        {"field": "before_low", "format": ".4f", "title": "before, from"},
        {"field": "before_high", "format": ".4f", "title": "to"},
        {"field": "after", "format": ".4f"},
        {"field": "after_low", "format": ".4f", "title": "after, from"},
        {"field": "after_high", "format": ".4f", "title": "to"},
        {"field": "gone", "title": "of the gap is gone"},
        {"field": "verdict"},
    ]
    y = {"field": "method", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 150, "grid": True}}
    order = list(dict.fromkeys(row["new"] for row in rows))
    label = {"title": None, "labelAnchor": "start", "labelFontSize": 13, "labelFontWeight": 600}
    if theme == "dark":
        label["labelColor"] = "#f5f5f4"

    def layers(when: str, offset: int, colour: Spec, shape: Spec) -> list[Spec]:
        x = {"type": "quantitative", "title": "gap, in the output's own units", "axis": {"tickCount": 6}}
        interval = {"x": {"field": f"{when}_low", **x}, "x2": {"field": f"{when}_high"}}
        mark = {"yOffset": offset}
        return [
            {
                "mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.8, **mark},
                "encoding": {"y": y, **interval, "color": colour, "tooltip": tooltip},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, **mark},
                "encoding": {"y": y, "x": {"field": when, **x}, "color": colour, "shape": shape, "tooltip": tooltip},
            },
        ]

    before = {"datum": BEFORE, "type": "nominal"}
    after = {"field": "family", "type": "nominal"}
    return {
        "$schema": SCHEMA,
        "description": "Dots with intervals: the gap before and after each method, on what each method had not seen.",
        "data": {"values": list(rows)},
        "columns": 1,
        "facet": {"field": "new", "type": "nominal", "sort": order, "header": label},
        "spec": {
            "width": width,
            "height": {"step": STEP},
            "layer": [
                {"mark": {"type": "rule", "color": "#888", "strokeDash": [4, 3]}, "encoding": {"x": {"datum": 0}}},
                *layers("before", -APART, before | _colours(theme), before | _shapes()),
                *layers("after", APART, after | _colours(theme), after | _shapes()),
            ],
        },
    }


def price_figure_rows(repair: Repair, output: str) -> list[Row]:
    """The rank correlations of each method, for one output; the lowest of the splits."""
    return [
        {"method": row.method, "of": name, "correlation": getattr(row, field)}
        for row in price_rows(repair)
        if row.output == output
        for field, name in PRICES.items()
    ]


def price_chart(rows: Sequence[Row], *, theme: str = "light") -> Spec:
    """Rank correlation of the scores before with those after, by method; 1 means no cost at all."""
    first, second, _, grey = COLOURS[theme]
    names = list(PRICES.values())
    legend = {"orient": "top", "title": None}
    return base_chart(
        "Dot plot: rank correlation of the scores before with those after each method; 1 means no cost at all.",
        data={"values": list(rows)},
        height={"step": 22},
        layer=[
            {"mark": {"type": "rule", "color": "#888", "strokeDash": [4, 3]}, "encoding": {"x": {"datum": 1}}},
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.9},
                "encoding": {
                    "y": {"field": "method", "type": "nominal", "sort": None, "title": None, "axis": {"grid": True}},
                    "x": {
                        "field": "correlation",
                        "type": "quantitative",
                        "title": "rank correlation of before with after",
                        "scale": {"zero": False},
                        "axis": {"tickCount": 6},
                    },
                    "color": {
                        "field": "of",
                        "scale": {"domain": names, "range": [second, grey, first]},
                        "legend": legend,
                    },
                    "shape": {"field": "of", "scale": {"domain": names, "range": list(SHAPES[1:])}, "legend": legend},
                    "tooltip": [
                        {"field": "method"},
                        {"field": "of", "title": "order"},
                        {"field": "correlation", "format": ".4f"},
                    ],
                },
            },
        ],
    )


def static_figures(repair: Repair) -> dict[str, Spec]:
    """Every figure of a repair, by the name of its file."""
    several = len(outputs_of(repair)) > 1
    figures: dict[str, Spec] = {}
    for one in questions(repair):
        parts = [*([one.output] if several else []), one.comparison]
        parts += [] if one.scope == EVERYBODY else [scope_name(one.scope)]
        title = {"text": ", ".join(parts), "anchor": "start"}
        figures["-".join(["gaps", *parts])] = gap_chart(gap_rows(repair, one)) | {"title": title}
    for output in outputs_of(repair):
        name = f"price-{output}" if several else "price"
        figures[name] = price_chart(price_figure_rows(repair, output)) | {"title": f"The cost, {output}"}
    if repair.published is not None:
        figures |= published_figures.static_figures(repair.published)
    return figures


def _colours(theme: str) -> Spec:
    # Not green: equal by construction, or no longer visible, does not make a system fair.
    orange, blue, _, grey = COLOURS[theme]
    of_family = {FITTED: blue, PUBLISHED: orange}
    colours = [grey, *(of_family.get(family, PURPLE[theme]) for family in FAMILIES)]
    return {"scale": {"domain": _legend(), "range": colours}, "legend": {"orient": "top", "title": None}}


def _shapes() -> Spec:
    return {"scale": {"domain": _legend(), "range": list(SHAPES)}, "legend": {"orient": "top", "title": None}}


def _legend() -> list[str]:
    return [BEFORE, *(f"after, {name}" for name in FAMILIES.values())]

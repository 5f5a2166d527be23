"""A study's charts: the published box plots of all systems by rank, and Δ-spread against quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.report.audit.details import Details
from evenhand.report.audit.figures import COLOURS, POINTS, SCHEMA, Row, Spec, base_chart, box_row
from evenhand.report.audit.units import OWN
from evenhand.report.study.words import group_name, sides
from evenhand.studies import Study, Table
from evenhand.studies.tables import GROUPS, published_group

SHAPES = ("diamond", "triangle-up", "triangle-down")
ALL_POINTS = 1_584
"""Of each system in static figures: all comparisons by gender of the published corpus."""
FEW = 20
WIDEST, NARROWEST = 30, 16
"""Pixels a system in static figures, when there are few and when there are many."""


def study_details(study: Study, *, points: int | None = None) -> Details:
    """What the box plots are drawn from; without `points`, each has its part of what a page can hold."""
    drawn = [one.findings[table.name] for table in study.full() for one in study.submissions]
    return Details(*study.drawn_from, drawn, points=points)


def box_rows(study: Study, table: Table, dimension: str, details: Details) -> list[Row]:
    """A dimension's systems, the best first: the differences of each, in the scores' own units."""
    rows = []
    for one in study.of(dimension):
        finding = one.findings[table.name]
        row = box_row(finding, details.spread(finding), one.system, OWN)
        row["group"] = group_name(table, published_group(finding))
        row["rank"] = one.quality.rank
        rows.append(row)
    return rows


def point_rows(study: Study, table: Table, dimension: str | None = None) -> list[Row]:
    """Δ-spread and quality of each submission that has a rank."""
    return [
        {
            "system": one.system,
            "dimension": one.dimension,
            "quality": one.quality.spearman,
            "spread": one.findings[table.name].delta_spread,
            "group": group_name(table, published_group(one.findings[table.name])),
        }
        for one in study.submissions
        if one.quality.spearman is not None and dimension in (None, one.dimension)
    ]


def ranked_boxes(rows: Sequence[Row], table: Table, *, theme: str = "light") -> Spec:
    """Each system's differences: box, whiskers at 1.5 interquartile ranges, and points coloured by its group."""
    ink = "#333" if theme == "light" else "#eee"
    axis = {"labelAngle": -60, "labelLimit": 130}
    x = {"field": "system", "type": "nominal", "sort": None, "title": None, "axis": axis}
    size = 14 if len(rows) <= FEW else 7
    median = {"type": "tick", "thickness": 2.5, "color": ink, "orient": "horizontal", "size": 1.4 * size}
    tooltip = [{"field": "system"}, {"field": "rank"}, {"field": "group"}]
    tooltip += [{"field": name, "format": ".4f"} for name in ("low", "q1", "median", "q3", "high")]

    def span(start: str, end: str) -> Spec:
        y = {"field": start, "type": "quantitative", "title": f"Δ = {sides(table)}"}
        return {"x": x, "y": y, "y2": {"field": end}, "tooltip": tooltip}

    return base_chart(
        f"Box plots of the differences {sides(table)} for each system, by rank.",
        height=300,
        data={"values": list(rows)},
        layer=[
            {
                "transform": POINTS,
                "mark": {"type": "circle", "size": 8, "opacity": 0.55},
                "encoding": {
                    "x": x,
                    "xOffset": {"field": "jitter", "type": "quantitative", "scale": {"domain": [-0.3, 1.3]}},
                    "y": {"field": "point", "type": "quantitative"},
                    "color": _colour(table, theme),
                },
            },
            {"mark": {"type": "rule", "color": ink}, "encoding": span("whisker_low", "whisker_high")},
            {
                "mark": {"type": "bar", "size": size, "color": "#999", "opacity": 0.55},
                "encoding": span("q1", "q3"),
            },
            {
                "mark": median,
                "encoding": {"x": x, "y": {"field": "median", "type": "quantitative"}, "tooltip": tooltip},
            },
            {"mark": {"type": "rule", "color": "#888", "strokeDash": [3, 3]}, "encoding": {"y": {"datum": 0}}},
        ],
    )


def spread_by_quality(rows: Sequence[Row], table: Table, *, theme: str = "light") -> Spec:
    """Do systems that do their task better react less to the person?"""
    return base_chart(
        f"Scatter plot: Δ-spread of {sides(table)} against Spearman's correlation with gold.",
        height=240,
        data={"values": list(rows)},
        **_points(table, theme),
    )


def static_figures(study: Study) -> dict[str, Spec]:
    """Every figure of a study, by the name of its file."""
    details = study_details(study, points=ALL_POINTS)
    figures: dict[str, Spec] = {}
    for table in study.full():
        for dimension in study.dimensions:
            rows = box_rows(study, table, dimension, details)
            title = f"{dimension}, {table.attribute}: {sides(table)}"
            step = WIDEST if len(rows) <= FEW else NARROWEST
            figures[f"differences-{table.name}-{dimension}"] = ranked_boxes(rows, table) | {
                "title": f"{title} ({'by rank' if study.has_ranks else 'by name'})",
                "width": max(320, step * len(rows)),
                "autosize": "pad",
            }
        if study.has_ranks:
            figures[f"spread-by-quality-{table.name}"] = {
                "$schema": SCHEMA,
                "title": f"Δ-spread against quality, {table.attribute}: {sides(table)}",
                "data": {"values": point_rows(study, table)},
                "columns": 3,
                "facet": {"field": "dimension", "type": "nominal", "sort": list(study.dimensions), "title": None},
                "spec": {"width": 220, "height": 200, **_points(table, "light")},
            }
    return figures


def _points(table: Table, theme: str) -> dict[str, Any]:
    names = [group_name(table, group) for group in GROUPS]
    return {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.85},
        "encoding": {
            "x": {
                "field": "quality",
                "type": "quantitative",
                "title": "quality (Spearman with gold)",
                "scale": {"zero": False},
            },
            "y": {"field": "spread", "type": "quantitative", "title": "Δ-spread"},
            "color": _colour(table, theme),
            "shape": {
                "field": "group",
                "scale": {"domain": names, "range": list(SHAPES)},
                "legend": {"orient": "top", "title": None, "labelLimit": 320},
            },
            "tooltip": [
                {"field": "system"},
                {"field": "dimension"},
                {"field": "quality", "format": ".3f"},
                {"field": "spread", "format": ".4f", "title": "Δ-spread"},
                {"field": "group"},
            ],
        },
    }


def _colour(table: Table, theme: str) -> Mapping[str, Any]:
    # Not green: that a difference is not significant does not make a system fair.
    first, second, _, grey = COLOURS[theme]
    return {
        "field": "group",
        "scale": {"domain": [group_name(table, group) for group in GROUPS], "range": [grey, first, second]},
        "legend": {"orient": "top", "title": None, "labelLimit": 320},
    }

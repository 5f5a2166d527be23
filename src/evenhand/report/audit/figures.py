"""Charts as Vega-Lite: the same specifications serve the page and the PNG and SVG files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from evenhand.comparing.findings import Finding
from evenhand.files.file_names import file_names
from evenhand.files.whole import Content
from evenhand.printing import visible
from evenhand.report.audit.details import HeatMap, Pictured, Spread
from evenhand.report.audit.many import shown_order
from evenhand.report.audit.naming import comparison_name, several_comparisons, short_comparisons
from evenhand.report.audit.standing import ON_AVERAGE, TOO_WEAK, UNKNOWN, look
from evenhand.report.audit.units import OF_RANGE, Unit, delta_of, unit_of
from evenhand.results.rendering import Files

Spec = dict[str, Any]
Row = dict[str, Any]
Reach = tuple[float, float]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
VERDICTS = ("higher", "lower", "equivalent", "no reaction seen", "cannot tell", UNKNOWN, ON_AVERAGE, TOO_WEAK)
"""As they look; see `standing`."""
COLOURS = {"light": ("#b45309", "#1d4ed8", "#15803d", "#6b7280"), "dark": ("#fbbf24", "#60a5fa", "#4ade80", "#a3a3a3")}
NO_REACTION = {"light": "#0e7490", "dark": "#22d3ee"}
NOT_EARNED = {"light": ("#44403c", "#7e22ce", "#a8a29e"), "dark": ("#e7e5e4", "#c084fc", "#78716c")}
"""Equivalent, where it is not known whether the system does its job; on average only; and where it does not."""
DIVERGING = {"light": ("#1d4ed8", "#f5f5f4", "#b45309"), "dark": ("#60a5fa", "#292524", "#fbbf24")}
SHAPES = ("triangle-up", "triangle-down", "circle", "square", "diamond", "circle", "triangle-right", "cross")
LEGEND = {"orient": "top", "title": None, "columns": 4, "labelLimit": 240}
STATIC_WIDTH = 640
POINTS: list[dict[str, Any]] = [
    {"flatten": ["points"], "as": ["point"]},
    {"window": [{"op": "row_number", "as": "place"}]},
    # Steps of the golden ratio scatter evenly, and the same way each time.
    {"calculate": "(datum.place * 0.6180339887) % 1", "as": "jitter"},
]
ROW_STEP = 26
NUMBERED = re.compile(r'(?:(?<=id=")|(?<=url\(#))(?:gradient_|clip)\d+')
"""Names of gradients and clips in a drawing."""


def forest_row(finding: Finding, label: str, unit: Unit = OF_RANGE) -> Row:
    """A finding with both intervals."""
    per = unit.of(finding)
    low, high = finding.generalising.shown_interval or (None, None)
    return {
        "system": label,
        "gap": finding.mean_difference * per,
        "these_low": finding.interval[0] * per,
        "these_high": finding.interval[1] * per,
        "general_low": None if low is None else low * per,
        "general_high": None if high is None else high * per,
        "verdict": look(finding),
    }


def box_row(finding: Finding, spread: Spread, label: str, unit: Unit) -> Row:
    """The box of a finding's differences."""
    per = unit.of(finding)
    names = ("low", "whisker_low", "q1", "median", "q3", "whisker_high", "high")
    box = {name: getattr(spread, name) * per for name in names}
    return {"system": label, "verdict": look(finding), **box, "points": [p * per for p in spread.points]}


def heat_rows(heat_map: HeatMap, per: float) -> list[Row]:
    """One row per person and template; each value is multiplied by `per`."""
    return [
        {
            "person": person,
            "group": heat_map.groups[i],
            "template": template,
            "value": None if np.isnan(heat_map.values[i, j]) else per * float(heat_map.values[i, j]),
        }
        for i, person in enumerate(heat_map.persons)
        for j, template in enumerate(heat_map.templates)
    ]


def forest(
    rows: Sequence[Row], *, delta: float, unit: Unit = OF_RANGE, reach: Reach | None = None, theme: str = "light"
) -> Spec:
    """Gaps with both intervals: thin for the people tested, thick for people like these; the band is ±delta."""
    y = {"field": "system", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 280}}
    axis = f"gap, {unit.drawn}"
    found = {row["verdict"] for row in rows}
    # A page brings its rows later, and names what is there itself; an empty legend could not be drawn.
    legend = LEGEND | ({"values": [verdict for verdict in VERDICTS if verdict in found]} if found else {})
    colour = _verdict_colour(theme) | {"legend": legend}
    tooltip = [
        {"field": "system"},
        {"field": "gap", "format": ".3~r", "title": axis},
        {"field": "these_low", "format": ".3~r", "title": "those tested, from"},
        {"field": "these_high", "format": ".3~r", "title": "to"},
        {"field": "general_low", "format": ".3~r", "title": "others like them, from"},
        {"field": "general_high", "format": ".3~r", "title": "to"},
        {"field": "verdict"},
    ]
    return base_chart(
        "Forest plot: each system's gap with its interval for the people tested and for people like these.",
        layer=[
            {
                "data": {"values": [{"from": -delta, "to": delta}]},
                "mark": {"type": "rect", "opacity": 0.12, "color": "#16a34a"},
                "encoding": {
                    "x": {"field": "from", "type": "quantitative", "scale": _reaching(reach)},
                    "x2": {"field": "to"},
                },
            },
            {"mark": {"type": "rule", "color": "#888"}, "encoding": {"x": {"datum": 0}}},
            {
                "mark": {"type": "rule", "strokeWidth": 5, "opacity": 0.75, "strokeCap": "round"},
                "encoding": {
                    "y": y,
                    "x": {
                        "field": "general_low",
                        "type": "quantitative",
                        "title": axis,
                        "axis": {"tickCount": 8},
                    },
                    "x2": {"field": "general_high"},
                    "color": colour,
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "color": "#333" if theme == "light" else "#eee"},
                "encoding": {
                    "y": y,
                    "x": {"field": "these_low", "type": "quantitative"},
                    "x2": {"field": "these_high"},
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {
                    "y": y,
                    "x": {"field": "gap", "type": "quantitative"},
                    "color": colour,
                    "shape": {
                        "field": "verdict",
                        "scale": {"domain": VERDICTS, "range": SHAPES},
                        "legend": legend,
                    },
                    "tooltip": tooltip,
                },
            },
        ],
        data={"values": list(rows)},
        height={"step": ROW_STEP},
    )


def boxes(rows: Sequence[Row], *, unit: Unit, reach: Reach | None = None, theme: str = "light") -> Spec:
    """The differences themselves: quartiles, whiskers at 1.5 interquartile ranges, and points."""
    y = {"field": "system", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 280}}
    ink = "#333" if theme == "light" else "#eee"
    tooltip = [{"field": "system"}, *({"field": n, "format": ".3~r"} for n in ("low", "q1", "median", "q3", "high"))]

    def span(start: str, end: str) -> Spec:
        x = {
            "field": start,
            "type": "quantitative",
            "title": f"difference, {unit.drawn}",
            "axis": {"tickCount": 8},
            "scale": _reaching(reach),
        }
        return {"y": y, "x": x, "x2": {"field": end}, "tooltip": tooltip}

    return base_chart(
        "Box plots: each system's differences.",
        layer=[
            {
                "transform": POINTS,
                "mark": {"type": "circle", "size": 9, "opacity": 0.45},
                "encoding": {
                    "y": y,
                    "yOffset": {"field": "jitter", "type": "quantitative", "scale": {"domain": [-0.3, 1.3]}},
                    "x": {"field": "point", "type": "quantitative"},
                    "color": _verdict_colour(theme),
                },
            },
            {"mark": {"type": "rule", "color": ink}, "encoding": span("whisker_low", "whisker_high")},
            {"mark": {"type": "bar", "size": 9, "color": "#999", "opacity": 0.6}, "encoding": span("q1", "q3")},
            {
                "mark": {"type": "tick", "thickness": 2.5, "size": 14, "color": ink},
                "encoding": {"y": y, "x": {"field": "median", "type": "quantitative"}, "tooltip": tooltip},
            },
            {"mark": {"type": "rule", "color": "#888", "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}}},
        ],
        data={"values": list(rows)},
        height={"step": ROW_STEP},
    )


def heat(rows: Sequence[Row], *, unit: Unit, theme: str = "light") -> Spec:
    """Person × template: who is scored above (orange) or below (blue) the typical person in the same sentences."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    reach = max((abs(row["value"]) for row in rows if row["value"] is not None), default=0) or 1
    order = [row["person"] for group in groups for row in rows if row["group"] == group]
    return base_chart(
        "Heat map of each person's mean difference from the typical score in each template.",
        data={"values": list(rows)},
        mark={"type": "rect"},
        height={"step": 13},
        encoding={
            "y": {"field": "person", "type": "nominal", "sort": list(dict.fromkeys(order)), "title": None},
            "x": {
                "field": "template",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {"labelAngle": -35, "labelLimit": 230, "orient": "top"},
            },
            "color": {
                "field": "value",
                "type": "quantitative",
                "title": unit.short,
                "scale": {"range": DIVERGING[theme], "interpolate": "lab", "domain": [-reach, 0, reach]},
            },
            "tooltip": [
                {"field": "person"},
                {"field": "group"},
                {"field": "template"},
                {"field": "value", "format": ".3~r", "title": f"difference from the median, {unit.drawn}"},
            ],
        },
    )


def reach_of(rows: Iterable[Row], *names: str, delta: float = 0.0) -> Reach:
    """From where to where charts reach that share a scale."""
    known = [row[name] for row in rows for name in names if row[name] is not None]
    return min([-delta, *known]), max([delta, *known])


def forests_reach(rows: Iterable[Row], delta: float) -> Reach:
    """The same of gaps with their intervals; what is too small to matter is always seen."""
    return reach_of(rows, "gap", "these_low", "these_high", "general_low", "general_high", delta=1.5 * delta)


def _reaching(reach: Reach | None) -> Spec:
    return {} if reach is None else {"domain": list(reach)}


Members = list[tuple[str, Finding]]
"""The rows of a chart: what each is called, and its finding."""


def charts_of(findings: Sequence[Finding], labels: Mapping[tuple[str, str], str]) -> dict[str, Members]:
    """The findings that share a chart: systems in one comparison, or many comparisons of a single system.

    Groups that are compared with the rest share one for each system.
    """
    alone = len(labels) == 1
    several = several_comparisons(findings)
    charts: dict[str, Members] = {}
    findings = shown_order(findings)
    for finding, comparison in zip(findings, short_comparisons(findings), strict=True):
        if finding.rest:
            row = comparison.removeprefix(f"{finding.attribute}: ").removesuffix(" − the others")
            name = f"{finding.attribute}, each group against the others"
            charts.setdefault(name if alone else f"{name}: {labels[finding.system, finding.output]}", []).append(
                (row, finding)
            )
        elif alone and finding.attribute in several:
            row = comparison.removeprefix(f"{finding.attribute}: ")
            charts.setdefault(finding.attribute, []).append((row, finding))
        else:
            row = labels[finding.system, finding.output]
            charts.setdefault(comparison_name(finding), []).append((row, finding))
    return charts


def static_figures(
    findings: Sequence[Finding], details: Pictured, labels: Mapping[tuple[str, str], str]
) -> dict[str, Spec]:
    """Every figure of a report, by the name of its file."""
    figures: dict[str, Spec] = {}
    unit, charts = unit_of(findings), charts_of(findings, labels)
    delta = delta_of(findings, unit)
    gaps = {name: [forest_row(one, row, unit) for row, one in members] for name, members in charts.items()}
    reach = forests_reach(chain.from_iterable(gaps.values()), delta)
    for name, members in charts.items():
        figures[f"forest-{name}"] = _titled(forest(gaps[name], delta=delta, unit=unit, reach=reach), name)
        spreads = [box_row(finding, details.spread(finding), row, unit) for row, finding in members]
        figures[f"differences-{name}"] = _titled(boxes(spreads, unit=unit), name)
    spans = {(finding.system, finding.output): finding.span for finding in findings}
    for (system, output), span in spans.items():
        heat_map = details.heat_map(system, output)
        if heat_map is not None:
            title = labels[system, output]
            # Slanted labels reach beyond the chart, which only padding allows for.
            figures[f"persons-{title}"] = _titled(heat(heat_rows(heat_map, unit.per(span)), unit=unit), title) | {
                "autosize": "pad"
            }
    return figures


def figure_files(figures: Mapping[str, Spec], folder: str = "figures") -> Files:
    """Each figure as PNG and SVG, by its path; drawn when it is written, as a cloud of points takes megabytes."""
    files: dict[str, Content] = {}
    for name, stem in file_names(figures).items():
        files[f"{folder}/{stem}.svg"] = partial(svg_bytes, figures[name])
        files[f"{folder}/{stem}.png"] = partial(png_bytes, figures[name])
    return files


def png_bytes(spec: Spec) -> bytes:
    """A figure as PNG, twice as fine as on a page."""
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(drawable(spec), scale=2))


def drawable(value: Any) -> Any:
    """A figure whose texts can be drawn: a control character in a name ends the process that would draw it.

    >>> drawable({"title": ["a\x1b", 1]})
    {'title': ['a\\\\x1b', 1]}
    """
    if isinstance(value, str):
        return visible(value, keep="\n\t")
    if isinstance(value, Mapping):
        return {drawable(name): drawable(one) for name, one in value.items()}
    return [drawable(one) for one in value] if isinstance(value, list | tuple) else value


def svg_bytes(spec: Spec) -> bytes:
    """A figure as SVG, the same each time: Vega numbers gradients and clips on through all that a process draws."""
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(drawable(spec))
    numbers: dict[str, int] = {}
    for name in NUMBERED.findall(drawn):
        numbers.setdefault(name, len(numbers))
    return NUMBERED.sub(lambda found: f"part_{numbers[found[0]]}", drawn).encode()


def base_chart(description: str, **parts: Any) -> Spec:
    """A chart with what all have in common."""
    # Only the width follows the page; heights follow the number of rows.
    autosize = {"type": "fit-x", "contains": "padding"}
    return {"$schema": SCHEMA, "description": description, "width": STATIC_WIDTH, "autosize": autosize, **parts}


def _titled(spec: Spec, title: str) -> Spec:
    return spec | {"title": title}


def _verdict_colour(theme: str) -> Spec:
    colours = (*COLOURS[theme][:3], NO_REACTION[theme], COLOURS[theme][3], *NOT_EARNED[theme])
    return {
        "field": "verdict",
        "scale": {"domain": VERDICTS, "range": colours},
        "legend": None,
    }

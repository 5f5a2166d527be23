"""Is it the group, or that its names are rare? The charts: name by name, by share and by bearers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from evenhand.comparing.answered import by_sentences
from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.comparing.signals import Effect, NamePoint, Signal, key_of, name_points
from evenhand.report.audit.figures import COLOURS, Row, Spec, base_chart
from evenhand.report.audit.naming import labels
from evenhand.report.audit.signals import asked, comparison_names, is_shown, is_silent, share_called
from evenhand.report.audit.units import Unit, unit_of

MOST_DRAWN = 12
"""So many comparisons are drawn on the page."""
MOST_POINTS = 400
"""Of one comparison: with more, the page would grow and nobody could tell them apart."""

_CHARTS: WeakKeyDictionary[Audit, list[dict[str, Any]]] = WeakKeyDictionary()


def charts(report: Audit) -> list[dict[str, Any]]:
    """Name by name, by share and by bearers, for each comparison in which any name makes a difference; made once."""
    if report not in _CHARTS:
        _CHARTS[report] = _charts(report)
    return _CHARTS[report]


def drawn_on_page(report: Audit) -> list[dict[str, Any]]:
    """The charts of the comparisons that the page has room for."""
    return charts(report)[:MOST_DRAWN]


def figures_of(report: Audit) -> dict[str, Spec]:
    """Two figures for each comparison, by the name of their files."""
    unit, made = unit_of(report.findings), dict[str, Spec]()
    for chart in charts(report):
        title = chart["name"]
        if chart["share"]:
            drawn = share_chart(chart["share"], unit=unit, called=chart["called"])
            made[f"share-{title}"] = drawn | {"title": title}
        made[f"bearers-{title}"] = bearers_chart(chart["bearers"], unit=unit) | {"title": title}
    return made


def share_chart(drawn: Sequence[Row], *, unit: Unit, called: str | None = None, theme: str = "light") -> Spec:
    """Each name's score by the share of its bearers who are of the first group, with the line through all names."""
    x = {
        "field": "share",
        "type": "quantitative",
        "title": f"bearers who are {called or 'of the first group'}, %",
        "scale": {"domain": [0, 100]},
        "axis": {"tickCount": 10},
    }
    return _chart(
        "Dose and response: each name's score by how strongly it points to the group, with the line through all names "
        "and the interval of its slope.",
        drawn,
        x,
        unit=unit,
        theme=theme,
    )


def bearers_chart(drawn: Sequence[Row], *, unit: Unit, theme: str = "light") -> Spec:
    """Each name's score by how many people bear it, with a line through the names of each group."""
    x = {
        "field": "bearers",
        "type": "quantitative",
        "title": "people who bear the name",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {"format": "~s", "tickCount": 6},
    }
    return _chart(
        "Each name's score by how common it is, with a line through the names of each group and the interval of its "
        "slope.",
        drawn,
        x,
        unit=unit,
        theme=theme,
    )


def _charts(report: Audit) -> list[dict[str, Any]]:
    if not report.signals or report.scores is None or report.corpus is None:
        return []
    points: dict[tuple[str, ...], tuple[NamePoint, ...]] = {}
    for scores, corpus in by_sentences(report.scores, report.corpus):
        systems = {column.system for column in scores.columns}
        points |= name_points([one for one in report.findings if one.system in systems], scores, corpus)
    names, compared = labels(report.findings), comparison_names(report)
    unit, made = unit_of(report.findings), []
    # Where a gap is shown, it is drawn first.
    for finding, signal in sorted(asked(report), key=lambda pair: not is_shown(pair[1])):
        drawn = _thinned(points.get(key_of(finding), ()))
        if not drawn or is_silent(signal):
            continue
        title = f"{names[finding.system, finding.output]}, {compared[key_of(finding)]}"
        by_share = _by_share(drawn, finding, signal, unit.of(finding)) if signal.strength is not None else []
        made.append(
            {
                "name": title,
                "called": share_called(signal),
                "share": by_share,
                "bearers": _by_bearers(drawn, finding, signal, unit.of(finding)),
            }
        )
    return made


def _thinned(points: Sequence[NamePoint]) -> list[NamePoint]:
    """At most so many, evenly spaced from the lowest to the highest."""
    ordered = sorted(points, key=lambda one: (not one.first, one.difference))
    ranks = np.linspace(0, len(ordered) - 1, min(MOST_POINTS, len(ordered))).round().astype(int)
    return [ordered[rank] for rank in ranks]


def _dots(points: Sequence[NamePoint], finding: Finding, scale: float) -> list[Row]:
    sides = (finding.second_label, finding.first_label)
    return [
        {
            "name": one.name,
            "group": sides[one.first],
            "share": None if one.share is None else 100 * one.share,
            "bearers": one.bearers,
            "value": scale * one.difference,
        }
        for one in points
    ]


def _by_share(points: Sequence[NamePoint], finding: Finding, signal: Signal, scale: float) -> list[Row]:
    shares = np.array([one.share or 0.0 for one in points])
    values = np.array([one.difference for one in points]) * scale
    line = _line("share", 100 * shares, values, signal.strength, slope_per=scale / 10)
    return [*_dots(points, finding, scale), *line]


def _by_bearers(points: Sequence[NamePoint], finding: Finding, signal: Signal, scale: float) -> list[Row]:
    slope = next(trait.slope for trait in signal.traits if trait.trait == "bearers")
    lines: list[Row] = []
    for side, group in ((True, finding.first_label), (False, finding.second_label)):
        mine = [one for one in points if one.first == side]
        common = np.log10([one.bearers for one in mine])
        values = np.array([one.difference for one in mine]) * scale
        for row in _line("bearers", common, values, slope, slope_per=scale, group=group):
            lines.append(row | {"bearers": 10 ** row["bearers"]})
    return [*_dots(points, finding, scale), *lines]


def _line(
    field: str, x: Any, values: Any, slope: Effect | None, *, slope_per: float, group: str | None = None
) -> list[Row]:
    """A line through the middle of some points, of one group or of all, and the interval of its slope around it."""
    if slope is None or not len(x):
        return []
    middle, height = float(np.mean(x)), float(np.mean(values))
    low, high = slope.interval or (slope.value, slope.value)
    rows = []
    for place in np.linspace(float(np.min(x)), float(np.max(x)), 9):
        ends = sorted(height + end * slope_per * (place - middle) for end in (low, high))
        fitted = height + slope.value * slope_per * (place - middle)
        rows.append({field: float(place), "group": group, "fitted": fitted, "low": ends[0], "high": ends[1]})
    return rows


def _chart(what: str, drawn: Sequence[Row], x: Spec, *, unit: Unit, theme: str) -> Spec:
    ink = "#333" if theme == "light" else "#eee"
    title = f"difference, {unit.drawn}"
    groups: Spec = {"field": "group", "type": "nominal", "sort": None}
    scale = {"scale": {"range": list(COLOURS[theme][:2])}}
    colour = groups | scale | {"legend": {"orient": "top", "title": None, "labelLimit": 240, "columns": 1}}
    tooltip = [
        {"field": "name"},
        {"field": "group"},
        {"field": "share", "format": ".1f", "title": "share, %"},
        {"field": "bearers", "format": ",.0f"},
        {"field": "value", "format": ".3~r", "title": title},
    ]

    def y(field: str) -> Spec:
        return {"field": field, "type": "quantitative", "title": title}

    def line(of: str, paint: Spec) -> list[Spec]:
        there: list[Spec] = [{"filter": f"isValid(datum.fitted) && {of}"}]
        band = {"x": x, "y": y("low"), "y2": {"field": "high"}, "color": paint}
        return [
            {"transform": there, "mark": {"type": "area", "opacity": 0.18}, "encoding": band},
            {
                "transform": there,
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {"x": x, "y": y("fitted"), "color": paint},
            },
        ]

    return base_chart(
        what,
        data={"values": list(drawn)},
        height=260,
        layer=[
            {"mark": {"type": "rule", "color": "#888"}, "encoding": {"y": {"datum": 0}}},
            {
                "transform": [{"filter": "isValid(datum.value)"}],
                "mark": {"type": "point", "filled": True, "size": 26, "opacity": 0.65},
                "encoding": {
                    "x": x,
                    "y": y("value"),
                    "color": colour,
                    "shape": groups | {"legend": None},
                    "tooltip": tooltip,
                },
            },
            *line("datum.group !== null", colour | {"legend": None}),
            *line("datum.group === null", {"value": ink}),
        ],
    )

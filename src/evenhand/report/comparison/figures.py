"""The figure of a comparison: both gaps with their intervals and the paired difference, then differences of metrics."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.comparing.comparison import Comparison
from evenhand.comparing.differences import GapDifference
from evenhand.comparing.findings import Finding
from evenhand.comparing.metric_differences import MeasuredDifference
from evenhand.report.audit.figures import SCHEMA, STATIC_WIDTH, Row, Spec, base_chart
from evenhand.report.audit.units import Unit, delta_of, unit_of
from evenhand.report.comparison.words import questions, short_verdict
from evenhand.report.metrics.words import metric

DIFFERENCE = "difference"
SERIES_COLOURS = {"light": ("#1d4ed8", "#b45309", "#1c1917"), "dark": ("#60a5fa", "#fbbf24", "#f5f5f4")}
SERIES_SHAPES = ("circle", "square", "diamond")
CHANGES = ("closer", "further", "same", "cannot tell")
CHANGE_COLOURS = {
    "light": ("#15803d", "#b91c1c", "#6b7280", "#6b7280"),
    "dark": ("#4ade80", "#f87171", "#a3a3a3", "#a3a3a3"),
}
CHANGE_SHAPES = ("triangle-left", "triangle-right", "circle", "diamond")
GAP_STEP, METRIC_STEP = 22, 16
AXIS = {"labelLimit": 260}
LEGEND = {"orient": "top", "title": None, "labelLimit": 260}


def gap_rows(comparison: Comparison) -> list[Row]:
    """Three rows per question."""
    unit = unit_between(comparison)
    asked = zip(comparison.gaps, questions(comparison), strict=True)
    return [row for gap, question in asked for row in _gap_rows(gap, question, series_of(comparison), unit)]


def unit_between(comparison: Comparison) -> Unit:
    """The unit of the gaps of both."""
    return unit_of(gap.one for gap in comparison.gaps)


def series_of(comparison: Comparison) -> tuple[str, str, str]:
    """What the legend calls the gaps of the first, of the second, and their difference."""
    return comparison.one, comparison.other, DIFFERENCE


def _gap_rows(gap: GapDifference, question: str, series: tuple[str, str, str], unit: Unit) -> list[Row]:
    called = (gap.one_called, gap.other_called, f"{gap.other_called} − {gap.one_called}")
    findings = (gap.one, gap.other, gap.difference)
    return [
        _gap_row(finding, unit, question=question, series=name, called=who, verdict=short_verdict(gap))
        for finding, name, who in zip(findings, series, called, strict=True)
    ]


def _gap_row(finding: Finding, unit: Unit, **about: str) -> Row:
    per, general = unit.of(finding), finding.generalising
    low, high = general.shown_interval or (None, None)
    ends = {"value": general.estimate, "low": low, "high": high}
    return {**about, **{name: None if end is None else end * per for name, end in ends.items()}}


def metric_rows(measured: MeasuredDifference) -> list[Row]:
    """One row per metric and class that is defined for both and has bounds: ratios would hide all others."""
    rows = []
    for found in measured.differences:
        described = metric(found.metric)
        if found.difference is None or None in described.range:
            continue
        low, high = found.interval or (None, None)
        label = described.symbol or found.metric
        rows.append(
            {
                "metric": label if found.label == "all" else f"{label}, {found.label}",
                "value": found.difference,
                "low": low,
                "high": high,
                "one": found.one,
                "other": found.other,
                "change": found.change,
            }
        )
    return rows


def gaps_chart(
    rows: Sequence[Row], *, series: tuple[str, str, str], delta: float, unit: Unit, theme: str = "light"
) -> Spec:
    """Both gaps and their difference, question by question; the band is ±delta."""
    y = {"field": "question", "type": "nominal", "sort": None, "title": None, "axis": AXIS}
    where = {"y": y, "yOffset": {"field": "series", "type": "nominal", "sort": list(series)}}
    colour = {
        "field": "series",
        "scale": {"domain": series, "range": SERIES_COLOURS[theme]},
        "legend": LEGEND,
    }
    tooltip = [
        {"field": "called", "title": "whose gap"},
        {"field": "question", "title": "gap"},
        {"field": "value", "format": ".2f", "title": "%"},
        {"field": "low", "format": ".2f", "title": "from"},
        {"field": "high", "format": ".2f", "title": "to"},
        {"field": "verdict", "title": "verdict on the difference"},
    ]
    return base_chart(
        "The gaps of both systems and their paired difference, with intervals for names like these.",
        layer=[
            _band(delta),
            _zero(),
            *_intervals({**where, "tooltip": tooltip}, colour, SERIES_SHAPES, title=f"gap, {unit.drawn}"),
        ],
        data={"values": list(rows)},
        height={"step": GAP_STEP, "for": "offset"},
    )


def metrics_chart(rows: Sequence[Row], *, theme: str = "light") -> Spec:
    """Differences of metrics, second minus first, with intervals; the colour says which is closer to the ideal."""
    y = {"field": "metric", "type": "nominal", "sort": None, "title": None, "axis": AXIS}
    colour = {
        "field": "change",
        "scale": {"domain": CHANGES, "range": CHANGE_COLOURS[theme]},
        "legend": LEGEND,
    }
    tooltip = [
        {"field": "metric"},
        *({"field": name, "format": ".4f"} for name in ("one", "other", "value", "low", "high")),
        {"field": "change", "title": "to the ideal value"},
    ]
    return base_chart(
        "Differences of metrics, second system minus first, with intervals from paired resamples of the sentences.",
        layer=[
            _zero(),
            *_intervals({"y": y, "tooltip": tooltip}, colour, CHANGE_SHAPES, title="difference of the metric"),
        ],
        data={"values": list(rows)},
        height={"step": METRIC_STEP},
    )


def _intervals(where: Spec, colour: Spec, shapes: Sequence[str], *, title: str) -> list[Spec]:
    """A line from `low` to `high` and a point at `value`; the shapes say the same as the colours."""
    low = {"field": "low", "type": "quantitative", "title": title, "axis": {"tickCount": 8}}
    shape = colour | {"scale": {"domain": colour["scale"]["domain"], "range": shapes}}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.75, "strokeCap": "round"},
            "encoding": {**where, "x": low, "x2": {"field": "high"}, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 65, "opacity": 1},
            "encoding": {**where, "x": {"field": "value", "type": "quantitative"}, "color": colour, "shape": shape},
        },
    ]


def static_figures(comparison: Comparison) -> dict[str, Spec]:
    """One figure: the gaps, then the metrics of each attribute below them."""
    unit = unit_between(comparison)
    delta = delta_of([gap.one for gap in comparison.gaps], unit)
    gaps = gaps_chart(gap_rows(comparison), series=series_of(comparison), delta=delta, unit=unit)
    parts = [_titled(gaps, f"{comparison.other} against {comparison.one}")]
    for measured in comparison.metrics:
        rows = metric_rows(measured)
        if rows:
            parts.append(_titled(metrics_chart(rows), f"metrics by {measured.attribute}"))
    whole = {
        "$schema": SCHEMA,
        "vconcat": parts,
        "resolve": {"scale": {"color": "independent", "shape": "independent"}},
    }
    return {"comparison": whole}


def _titled(spec: Spec, title: str) -> Spec:
    """A part of a figure: charts that stand below each other cannot fit themselves to a width."""
    own = {name: value for name, value in spec.items() if name not in ("$schema", "autosize")}
    return own | {"title": title, "width": STATIC_WIDTH}


def _band(delta: float) -> Spec:
    return {
        "data": {"values": [{"from": -delta, "to": delta}]},
        "mark": {"type": "rect", "opacity": 0.12, "color": "#16a34a"},
        "encoding": {"x": {"field": "from", "type": "quantitative"}, "x2": {"field": "to"}},
    }


def _zero() -> Spec:
    return {"mark": {"type": "rule", "color": "#888"}, "encoding": {"x": {"datum": 0}}}

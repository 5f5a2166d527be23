"""Charts of metrics: metric × attribute, and metric × group, coloured by what is beyond a fair system, on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.measuring import Measured, Metrics
from evenhand.measuring.compared import furthest_value
from evenhand.metrics.measurements import ALL, Measurement
from evenhand.report.audit.figures import DIVERGING, Row, Spec, base_chart
from evenhand.report.metrics.words import group_label, metric

STEP = 17
ACCUMULATED = "accumulated"
INK = {"light": ("#1c1917", "#ffffff"), "dark": ("#f5f5f4", "#1c1917")}
"""Of numbers on cells near the ideal value, and on strongly coloured ones."""
STRONG = {"light": 0.85, "dark": 0.6}
"""From this share of the chart's largest colour on, the other ink is easier to read."""
LEAST_REACH = 0.05
"""What is full colour where nothing lies further out: noise on a calm chart must not look like an alarm."""


def classes_of(report: Metrics) -> list[str]:
    """The classes that any result has, those of single classes first."""
    found = dict.fromkeys(label for result in report.results for _, label, _ in result.measurements)
    return [label for label in found if label != ALL] or [ALL]


def by_attribute(results: Sequence[Measured], label: str) -> list[Row]:
    """One system's metrics by attribute, for one class (metrics without classes are shown with each)."""
    rows: list[Row] = []
    for name in dict.fromkeys(name for result in results for name in result.measurements.metrics):
        cells = {result.attribute: _of(result, name, label) for result in results}
        rows += _cells(name, {attribute: cell for attribute, cell in cells.items() if cell is not None})
    return _on_one_scale(rows)


def by_group(result: Measured, label: str) -> list[Row]:
    """One result's metrics by group, and their accumulated value, which has no colour of its own."""
    rows: list[Row] = []
    at_once: list[Row] = []
    for name in result.measurements.metrics:
        found = _of(result, name, label)
        if found is None:
            continue
        accumulated = [_cell(name, ACCUMULATED, found.value, None)]
        # Where all groups are compared at once, a group's part is its score and not a deviation.
        if metric(name).shape == "MCM":
            at_once += accumulated if found.value is not None else []
            continue
        # What a fair system's groups get one by one is not known; its metric on the whole is what they add up to.
        fair = metric(name).ideal if found.expected_if_exchangeable is None else found.expected_if_exchangeable
        parts = {
            group_label(result, group): Measurement(value, excess=None if value is None else value - fair)
            for group, value in found.by_group.items()
        }
        cells = _cells(name, parts)
        # A vector of comparisons is not added up.
        rows += cells + (accumulated if cells and metric(name).shape != "VBCM" else [])
    return _on_one_scale(rows + at_once)


def _of(result: Measured, name: str, label: str) -> Measurement | None:
    by_class = result.measurements.metrics.get(name, {})
    return by_class.get(label) or by_class.get(ALL)


def _cells(name: str, cells: Mapping[str, Measurement]) -> list[Row]:
    if all(cell.value is None for cell in cells.values()):
        return []
    return [_cell(name, key, cell.value, _beyond(name, cell)) for key, cell in cells.items()]


def _beyond(name: str, found: Measurement) -> float | None:
    """What the value has beyond that of a fair system; where that is not known, beyond the ideal value."""
    if found.value is None:
        return None
    return found.value - metric(name).ideal if found.excess is None else found.excess


def _cell(name: str, column: str, value: float | None, beyond: float | None) -> Row:
    return {"name": name, "metric": metric(name).symbol or name, "column": column, "value": value, "beyond": beyond}


def _on_one_scale(rows: list[Row]) -> list[Row]:
    """All rows of a chart share one scale, so that a colour means the same everywhere in it."""
    reach = max((abs(row["beyond"]) for row in rows if row["beyond"] is not None), default=0.0)
    for row in rows:
        row["share"] = None if row["beyond"] is None else row["beyond"] / max(reach, LEAST_REACH)
    return rows


def heat(rows: Sequence[Row], *, what: str, theme: str = "light") -> Spec:
    """The values; orange: beyond what a fair system gets; blue: below it; all of them on one scale."""
    plain, on_colour = INK[theme]
    colour = {
        "field": "share",
        "type": "quantitative",
        "title": "beyond a fair system (1: the most here)",
        "scale": {"range": DIVERGING[theme], "interpolate": "lab", "domain": [-1, 0, 1]},
        "legend": {"gradientLength": 120, "orient": "bottom", "titleLimit": 300},
    }
    tooltip = [
        {"field": "metric"},
        {"field": "column", "title": what},
        {"field": "value", "format": ".4f"},
        {"field": "beyond", "format": ".4f", "title": "beyond a fair system (else: beyond the ideal value)"},
    ]
    strong = f"isValid(datum.share) && abs(datum.share) > {STRONG[theme]}"
    return base_chart(
        f"Heat map: metric by {what}; coloured by what is beyond a fair system, on one scale.",
        data={"values": list(rows)},
        height={"step": STEP},
        encoding={
            "y": {"field": "metric", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "column",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {"orient": "top", "labelAngle": -35, "labelLimit": 160},
            },
        },
        layer=[
            {"mark": {"type": "rect"}, "encoding": {"color": colour, "tooltip": tooltip}},
            {
                "transform": [{"filter": "isValid(datum.value)"}],
                "mark": {"type": "text", "fontSize": 10},
                "encoding": {
                    "text": {"field": "value", "type": "quantitative", "format": ".3f"},
                    "color": {"condition": {"test": strong, "value": on_colour}, "value": plain},
                    "tooltip": tooltip,
                },
            },
        ],
    )


def by_system(report: Metrics, attribute: str, label: str) -> list[Row]:
    """The metrics of every system side by side, by one attribute, for one class.

    Of a vector of comparisons, that of the group furthest from the ideal value.
    """
    mine = {result.system: result for result in report.results if result.attribute == attribute}
    rows: list[Row] = []
    for name in dict.fromkeys(name for result in mine.values() for name in result.measurements.metrics):
        cells = {system: _of(result, name, label) for system, result in mine.items()}
        known = {
            system: cell if cell.value is not None else Measurement(furthest_value(name, cell))
            for system, cell in cells.items()
            if cell is not None
        }
        rows += _cells(name, known)
    return _on_one_scale(rows)


def correlations_of(report: Metrics, label: str) -> list[Row]:
    """How far each two metrics order the systems and attributes alike, both ways round."""
    found = [one for one in report.correlations if one.label == label and one.correlation is not None]
    rows: list[Row] = []
    for one in found:
        names = metric(one.one).symbol or one.one, metric(one.other).symbol or one.other
        for row, column in (names, names[::-1]):
            rows.append({"metric": row, "column": column, "value": one.correlation, "cases": one.cases})
    order = [
        metric(name).symbol or name for name in dict.fromkeys(part for one in found for part in (one.one, one.other))
    ]
    place = {name: number for number, name in enumerate(order)}
    return sorted(rows, key=lambda row: (place[row["metric"]], place[row["column"]]))


def correlation_heat(rows: Sequence[Row], *, theme: str = "light") -> Spec:
    """Rank correlations between metrics: orange where they order systems and attributes alike, blue the other way."""
    order = list(dict.fromkeys(row["metric"] for row in rows))
    tooltip = [
        {"field": "metric"},
        {"field": "column", "title": "and"},
        {"field": "value", "format": ".2f", "title": "rank correlation"},
        {"field": "cases", "title": "systems and attributes"},
    ]
    colour = {
        "field": "value",
        "type": "quantitative",
        "title": "rank correlation",
        "scale": {"range": DIVERGING[theme], "interpolate": "lab", "domain": [-1, 0, 1]},
        "legend": {"gradientLength": 80},
    }
    axis = {"type": "nominal", "sort": order, "title": None}
    return base_chart(
        "Heat map: rank correlation of every two metrics over systems and attributes.",
        data={"values": list(rows)},
        height={"step": STEP},
        encoding={
            "y": {"field": "metric", **axis},
            "x": {"field": "column", **axis, "axis": {"orient": "top", "labelAngle": -60, "labelLimit": 160}},
        },
        layer=[{"mark": {"type": "rect"}, "encoding": {"color": colour, "tooltip": tooltip}}],
    )


def static_figures(report: Metrics) -> dict[str, Spec]:
    """Every figure, by the name of its file."""
    figures: dict[str, Spec] = {}
    attributes = dict.fromkeys(result.attribute for result in report.results)
    for label in classes_of(report):
        for attribute in attributes if len({result.system for result in report.results}) > 1 else ():
            spec = heat(by_system(report, attribute, label), what="system")
            figures[f"models-{attribute}-{label}"] = _titled(spec, f"{attribute}, class {label}, model by model")
        correlations = correlations_of(report, label)
        if correlations:
            spec = _titled(correlation_heat(correlations), f"metrics with metrics, class {label}")
            figures[f"correlations-{label}"] = spec | {"width": {"step": STEP}}
        for system in dict.fromkeys(result.system for result in report.results):
            mine = [result for result in report.results if result.system == system]
            if len(mine) > 1:
                spec = heat(by_attribute(mine, label), what="attribute")
                figures[f"metrics-{system}-{label}"] = _titled(spec, f"{system}, class {label}")
            for result in mine:
                spec = heat(by_group(result, label), what="group")
                title = f"{system}, {result.attribute}, class {label}"
                figures[f"groups-{system}-{result.attribute}-{label}"] = _titled(spec, title)
    return figures


def _titled(spec: Spec, title: str) -> Spec:
    # Slanted labels reach beyond the chart, which only padding allows for.
    return spec | {"title": title, "autosize": "pad", "width": {"step": 42}}

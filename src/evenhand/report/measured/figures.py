"""Charts of metrics: metric × attribute, and metric × group, each row in shares of its largest deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.measuring import Measured, MeasurementReport
from evenhand.metrics.measurements import ALL, Measurement
from evenhand.report.figures import DIVERGING, Row, Spec, base_chart
from evenhand.report.measured.words import metric

STEP = 17


def classes_of(report: MeasurementReport) -> list[str]:
    """The classes that any result has, those of single classes first."""
    found = dict.fromkeys(label for result in report.results for _, label, _ in result.measurements)
    return [label for label in found if label != ALL] or [ALL]


def by_attribute(results: Sequence[Measured], label: str) -> list[Row]:
    """One system's metrics by attribute, for one class (metrics without classes are shown with each)."""
    rows: list[Row] = []
    for name in dict.fromkeys(name for result in results for name in result.measurements.metrics):
        cells = {result.attribute: _of(result, name, label) for result in results}
        rows += _normalised(name, {attribute: cell for attribute, cell in cells.items() if cell is not None})
    return rows


def by_group(result: Measured, label: str) -> list[Row]:
    """One result's metrics by group."""
    rows: list[Row] = []
    for name in result.measurements.metrics:
        found = _of(result, name, label)
        # Where all groups are compared at once, a group's part is its score and no deviation.
        if found is None or metric(name).shape == "MCM":
            continue
        cells = {group: Measurement(value) for group, value in found.by_group.items()}
        rows += _normalised(name, cells)
    return rows


def _of(result: Measured, name: str, label: str) -> Measurement | None:
    by_class = result.measurements.metrics.get(name, {})
    return by_class.get(label) or by_class.get(ALL)


def _normalised(name: str, cells: Mapping[str, Measurement]) -> list[Row]:
    ideal = metric(name).ideal
    known = {key: cell.value - ideal for key, cell in cells.items() if cell.value is not None}
    most = max((abs(value) for value in known.values()), default=0.0)
    if not known:
        return []
    return [
        {
            "metric": metric(name).symbol or name,
            "column": key,
            "value": cell.value,
            "share": None if key not in known else known[key] / most if most else 0.0,
        }
        for key, cell in cells.items()
    ]


def heat(rows: Sequence[Row], *, what: str, theme: str = "light") -> Spec:
    """Orange: above the ideal value; blue: below; each row in shares of its largest deviation."""
    return base_chart(
        f"Heat map: metric by {what}; each row as shares of its largest deviation from the ideal value.",
        data={"values": list(rows)},
        height={"step": STEP},
        mark={"type": "rect"},
        encoding={
            "y": {"field": "metric", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "column",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {"orient": "top", "labelAngle": -35, "labelLimit": 160},
            },
            "color": {
                "field": "share",
                "type": "quantitative",
                "title": "share of the row's largest",
                "scale": {"range": DIVERGING[theme], "interpolate": "lab", "domain": [-1, 0, 1]},
            },
            "tooltip": [
                {"field": "metric"},
                {"field": "column", "title": what},
                {"field": "value", "format": ".4f"},
                {"field": "share", "format": ".2f", "title": "share of the row's largest deviation"},
            ],
        },
    )


def static_figures(report: MeasurementReport) -> dict[str, Spec]:
    """Every figure, by the name of its file."""
    figures: dict[str, Spec] = {}
    for label in classes_of(report):
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

"""Metrics, shown and saved: a page, figures and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from evenhand.files import write_together
from evenhand.measuring import MeasurementReport
from evenhand.report.figures import write_figures
from evenhand.report.measured.figures import static_figures
from evenhand.report.measured.page import to_html
from evenhand.report.measured.words import metric
from evenhand.tables import write_table

__all__ = ["metrics_frame", "save_measurements", "to_html", "write_metric_figures"]

PAGE_FILE, JSON_FILE, TABLE_FILE = "metrics.html", "metrics.json", "metrics.csv"


def save_measurements(report: MeasurementReport, folder: Path) -> None:
    """Write `metrics.html`, `metrics.json` and `metrics.csv`."""
    write_together({folder / PAGE_FILE: to_html(report).encode(), folder / JSON_FILE: f"{report.to_json()}\n".encode()})
    write_table(metrics_frame(report), folder / TABLE_FILE)


def write_metric_figures(report: MeasurementReport, folder: Path) -> list[Path]:
    """Every figure as PNG and SVG."""
    return write_figures(static_figures(report), folder)


def metrics_frame(report: MeasurementReport) -> pl.DataFrame:
    """One row per system, attribute, metric, class and group; the group `all` holds the accumulated value."""
    rows = []
    for result in report.results:
        for name, label, found in result.measurements:
            lead = {"system": result.system, "attribute": result.attribute, "metric": name, "class": label}
            rows.append(lead | _row("all", found.value, found.interval, name, found.undefined))
            for group, value in found.by_group.items():
                rows.append(lead | _row(group, value, (found.intervals_by_group or {}).get(group), name, None))
    return pl.DataFrame(rows, infer_schema_length=None)


def _row(
    group: str, value: float | None, interval: tuple[float, float] | None, name: str, undefined: str | None
) -> dict[str, Any]:
    low, high = interval or (None, None)
    ideal = metric(name).ideal
    return {"group": group, "value": value, "low": low, "high": high, "ideal": ideal, "undefined": undefined}

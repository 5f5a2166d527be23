"""The table of metrics, for reading."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console

from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.table import METRICS
from evenhand.report.common.console import Column, print_table

COLUMNS = (
    Column("name"),
    Column("shape"),
    Column("looks at"),
    Column("ideal", right=True),
    Column("signed"),
    Column("source", wraps=True),
)


def print_metrics(console: Console) -> None:
    """One row per metric."""
    print_table(console, COLUMNS, [_row(metric) for metric in METRICS.values()])


def _row(metric: AnyMetric) -> tuple[str, ...]:
    values = _described(metric)
    signed = "yes" if values["signed"] else ""
    return metric.name, values["shape"], values["basis"], f"{metric.ideal:g}", signed, metric.source


def metrics_as_json() -> str:
    """Every field of every metric."""
    return json.dumps([_described(metric) for metric in METRICS.values()], indent=2, ensure_ascii=False)


def _described(metric: AnyMetric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "symbol": metric.symbol,
        "shape": getattr(metric, "shape", "own"),
        "counterfactual": metric.counterfactual,
        "basis": metric.basis,
        "background": metric.background,
        "ideal": metric.ideal,
        "range": list(metric.range),
        "signed": metric.signed,
        "notion": metric.notion,
        "source": metric.source,
        "definition": metric.definition,
    }

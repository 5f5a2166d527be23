"""The table of metrics, for reading."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.table import Table

from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.table import METRICS


def print_metrics(console: Console) -> None:
    """One row per metric."""
    table = Table(box=None, pad_edge=False)
    # A name that is cut cannot be typed again, so in a narrow terminal only sources wrap.
    for heading in ("name", "shape", "looks at", "ideal", "signed", "source"):
        table.add_column(heading, no_wrap=heading != "source")
    for metric in METRICS.values():
        values = _described(metric)
        signed = "yes" if values["signed"] else ""
        table.add_row(metric.name, values["shape"], values["basis"], f"{metric.ideal:g}", signed, metric.source)
    console.print(table)


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

"""Metrics, rendered: the page, the terminal, tables and figures."""

from __future__ import annotations

from rich.console import Console

from evenhand.files.tables import table_bytes
from evenhand.measuring import Metrics
from evenhand.report.audit.figures import figure_files
from evenhand.report.metrics.figures import static_figures
from evenhand.report.metrics.page import to_html
from evenhand.report.metrics.terminal import print_measurements
from evenhand.report.metrics.words import in_words, lead
from evenhand.results import Renderer
from evenhand.results.rendering import Files

PAGE_FILE, TABLE_FILE = "metrics.html", "metrics.csv"


def metric_files(metrics: Metrics) -> Files:
    """Page, JSON and table, to be saved beside an audit that they are part of."""
    return {
        PAGE_FILE: to_html(metrics).encode(),
        metrics.file: f"{metrics.to_json()}\n".encode(),
        **table(metrics),
    }


def table(metrics: Metrics) -> Files:
    """Every value, as CSV."""
    return {TABLE_FILE: table_bytes(metrics.frame())}


def show(metrics: Metrics, console: Console) -> None:
    """A table of metrics for each result, and what it says in words."""
    print_measurements(metrics, console)


def text(metrics: Metrics) -> str:
    """What the metrics say, a paragraph for each result."""
    return "\n".join(f"{lead(result)}: {in_words(result)}" for result in metrics.results)


def summary(metrics: Metrics) -> str:
    """How many values there are, of whom."""
    values = sum(found.value is not None for result in metrics.results for _, _, found in result.measurements)
    attributes = ", ".join(dict.fromkeys(result.attribute for result in metrics.results))
    return f"{values} metric values by {attributes}"


RENDERER = Renderer(
    page_file=PAGE_FILE,
    page=to_html,
    show=show,
    summary=summary,
    text=text,
    beside=table,
    figures=lambda metrics: figure_files(static_figures(metrics)),
    figures_are_saved=True,
)

"""Comparisons of two runs, rendered: the page, the terminal, tables and the figure."""

from __future__ import annotations

from collections import Counter

from rich.console import Console

from evenhand.comparing.comparison import Comparison
from evenhand.files.tables import table_bytes
from evenhand.report.audit.figures import figure_files
from evenhand.report.comparison.figures import static_figures
from evenhand.report.comparison.page import to_html
from evenhand.report.comparison.terminal import print_comparison
from evenhand.report.comparison.words import in_words, metrics_in_words
from evenhand.results import Renderer
from evenhand.results.rendering import Files


def show(comparison: Comparison, console: Console) -> None:
    """The table and the sentences."""
    print_comparison(comparison, console)


def summary(comparison: Comparison) -> str:
    """How many differences have which verdict."""
    verdicts = Counter(gap.difference.verdict for gap in comparison.gaps)
    counted = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    return f"{comparison.other} against {comparison.one}: {counted}"


def text(comparison: Comparison) -> str:
    """One sentence per question, and one per set of metrics."""
    said = [in_words(gap) for gap in comparison.gaps]
    return "\n".join([*said, *(metrics_in_words(measured) for measured in comparison.metrics)])


def tables(comparison: Comparison) -> Files:
    """Both gaps and their difference, and every difference of a metric, as CSV."""
    files = {"comparison.csv": table_bytes(comparison.frame())}
    if comparison.metrics:
        files["metric-differences.csv"] = table_bytes(comparison.metric_frame())
    return files


RENDERER = Renderer(
    page_file="comparison.html",
    page=to_html,
    show=show,
    summary=summary,
    text=text,
    beside=tables,
    figures=lambda comparison: figure_files(static_figures(comparison)),
    figures_are_saved=True,
)

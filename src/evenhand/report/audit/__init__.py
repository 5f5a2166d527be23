"""Audits, rendered: the page, the terminal, the notebook, tables and figures."""

from __future__ import annotations

from collections import Counter

from rich.console import Console

from evenhand.comparing.audit import Audit
from evenhand.report.audit.brief import print_brief
from evenhand.report.audit.exports import figures_of, tables_of
from evenhand.report.audit.notebook import notebook_table
from evenhand.report.audit.page import to_html
from evenhand.report.audit.terminal import print_report
from evenhand.report.audit.words import in_words
from evenhand.report.metrics import metric_files
from evenhand.report.metrics.terminal import print_summary
from evenhand.results import Renderer
from evenhand.results.rendering import Files


def show(audit: Audit, console: Console) -> None:
    """The table and the sentences; then what the metrics say, where there are any."""
    print_report(audit, console)
    if audit.measurements is not None:
        print_summary(audit.measurements, console)


def summary(audit: Audit) -> str:
    """How many findings have which verdict."""
    verdicts = Counter(f"{one.verdict}{' (too weak)' if one.says_little else ''}" for one in audit.findings)
    return ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())


def text(audit: Audit) -> str:
    """One sentence per finding."""
    return "\n".join(in_words(finding) for finding in audit.findings)


def notebook(audit: Audit) -> str:
    """A plain table that needs no script."""
    return notebook_table(audit.findings)


def beside(audit: Audit) -> Files:
    """The metrics, where there are any, as they are saved by themselves."""
    return {} if audit.measurements is None else metric_files(audit.measurements)


RENDERER = Renderer(
    page_file="report.html",
    page=to_html,
    show=show,
    brief=print_brief,
    summary=summary,
    text=text,
    notebook=notebook,
    beside=beside,
    tables=tables_of,
    figures=figures_of,
)

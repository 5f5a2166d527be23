"""A report in a notebook: a plain table that needs no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from evenhand.comparing.findings import Finding
from evenhand.report.audit.amounts import amount
from evenhand.report.audit.many import shown_order
from evenhand.report.audit.naming import comparison_name, labels
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.verdicts import THESE, interval_shown, verdict_shown
from evenhand.report.audit.words import in_words

MOST_ROWS = 50


def notebook_table(findings: Sequence[Finding]) -> str:
    """System, comparison, gap, interval and verdict; the sentence stands in the row's title."""
    terms, names = terms_of(findings), labels(findings)
    rows = "".join(
        _row(finding, names[finding.system, finding.output]) for finding in shown_order(findings)[:MOST_ROWS]
    )
    more = f"<p>… and {len(findings) - MOST_ROWS} more</p>" if len(findings) > MOST_ROWS else ""
    headings = ("system", "comparison", terms.heading("gap"), terms.heading("interval"), "verdict")
    heads = "".join(f"<th>{text}</th>" for text in headings)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _row(finding: Finding, label: str) -> str:
    cells = (
        label,
        comparison_name(finding),
        amount(finding.mean_difference, finding),
        interval_shown(finding, THESE),
        verdict_shown(finding, THESE),
    )
    return f'<tr title="{escape(in_words(finding))}">{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'

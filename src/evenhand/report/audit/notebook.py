"""A report in a notebook: a plain table that needs no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from evenhand.comparing.findings import Finding
from evenhand.report.audit.words import comparison_name, in_words, number, short_verdict

MOST_ROWS = 50


def notebook_table(findings: Sequence[Finding]) -> str:
    """System, comparison, gap, interval and verdict; the sentence stands in the row's title."""
    rows = "".join(_row(finding) for finding in findings[:MOST_ROWS])
    more = f"<p>… and {len(findings) - MOST_ROWS} more</p>" if len(findings) > MOST_ROWS else ""
    heads = "".join(f"<th>{text}</th>" for text in ("system", "comparison", "gap", "interval", "verdict"))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _row(finding: Finding) -> str:
    interval = finding.generalising.interval
    between = "undefined" if interval is None else " to ".join(number(end, span=finding.span) for end in interval)
    cells = (
        f"{finding.system} {finding.output}",
        comparison_name(finding),
        number(finding.mean_difference, span=finding.span),
        between,
        short_verdict(finding),
    )
    return f'<tr title="{escape(in_words(finding))}">{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'

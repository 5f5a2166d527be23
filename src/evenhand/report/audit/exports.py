"""The findings as tables for papers and spreadsheets: CSV, Markdown and LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from evenhand.comparing.findings import Finding
from evenhand.errors import UsageError
from evenhand.files.tables import table_bytes
from evenhand.files.whole import Content
from evenhand.printing import visible
from evenhand.report.audit import signal_figures, signals
from evenhand.report.audit.ability import word_figures
from evenhand.report.audit.amounts import amount, short_p, shown_p
from evenhand.report.audit.decisions import flip_chart, flip_charts, page_rows
from evenhand.report.audit.decisions import headings as headings_of_decisions
from evenhand.report.audit.details import details_of
from evenhand.report.audit.figures import figure_files, static_figures
from evenhand.report.audit.naming import comparison_name, labels
from evenhand.report.audit.path import path_figures
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.verdicts import THESE, interval_shown, verdict_shown
from evenhand.report.common import markdown
from evenhand.results.rendering import Files

if TYPE_CHECKING:
    from evenhand.comparing.audit import Audit

NUMERIC = "llrrrrrl"
OF_DECISIONS = "lllrrr"
OF_SIGNALS = "llrrlrr"
LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
        "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "<": "$<$", ">": "$>$", "Δ": r"$\Delta$",
    }
)  # fmt: skip


def headings(findings: Sequence[Finding]) -> tuple[str, ...]:
    """What heads each column, with the unit of gaps where it is not the output's own."""
    gap, interval = map(terms_of(findings).heading, ("Gap", "Interval"))
    return ("System", "Comparison", "n", gap, interval, "p (tested)", "p (like these)", "Verdict")


def rows(findings: Sequence[Finding]) -> list[tuple[str, ...]]:
    """One row of texts per finding."""
    names = labels(findings)
    return [_row(finding, names[finding.system, finding.output]) for finding in findings]


def _row(finding: Finding, label: str) -> tuple[str, ...]:
    p = finding.generalising.p_adjusted
    return (
        label,
        comparison_name(finding),
        f"{finding.n:,}",
        amount(finding.mean_difference, finding),
        interval_shown(finding, THESE),
        short_p(finding),
        "undefined" if p is None else shown_p(p),
        verdict_shown(finding, THESE),
    )


def to_markdown(findings: Sequence[Finding]) -> str:
    """A table for a README or an issue."""
    return markdown.table(headings(findings), rows(findings), NUMERIC)


def to_latex(findings: Sequence[Finding]) -> str:
    """A table for a paper; needs the package booktabs."""
    return latex_table(headings(findings), rows(findings), NUMERIC)


def latex_table(headings: Sequence[str], body: Iterable[Sequence[str]], alignment: str, *, blocks: bool = False) -> str:
    """Rows of texts as LaTeX; with `blocks`, a rule goes before each row whose first cell is filled."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(visible(cell).translate(LATEX) for cell in cells) + r" \\"

    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", line(headings), r"\midrule"]
    for place, row in enumerate(body):
        if blocks and place and row[0]:
            lines.append(r"\midrule")
        lines.append(line(row))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def tables_of(report: Audit) -> Files:
    """`findings.csv` with every field, `findings.md` and `findings.tex` for reading; the same of decisions."""
    tables: dict[str, Content] = {
        "tables/findings.csv": table_bytes(report.frame()),
        "tables/findings.md": to_markdown(report.findings).encode(),
        "tables/findings.tex": to_latex(report.findings).encode(),
    }
    if report.decisions:
        heads = (
            "System",
            "Comparison",
            "Threshold",
            *(text[:1].upper() + text[1:] for text in headings_of_decisions()),
        )
        body = [(row["label"], row["comparison"], row["threshold"], *row["cells"]) for row in page_rows(report)]
        tables |= {
            "tables/decisions.csv": table_bytes(report.decision_frame()),
            "tables/decisions.md": markdown.table(heads, body, OF_DECISIONS).encode(),
            "tables/decisions.tex": latex_table(heads, body, OF_DECISIONS).encode(),
            "tables/selection_rates.csv": table_bytes(report.rate_frame()),
        }
    if report.signals:
        tables |= {
            "tables/signals.csv": table_bytes(report.signal_frame()),
            "tables/signals.md": markdown.table(signals.HEADINGS, signals.rows(report), OF_SIGNALS).encode(),
            "tables/signals.tex": latex_table(signals.HEADINGS, signals.rows(report), OF_SIGNALS).encode(),
        }
        named = signals.name_table(report)
        tables |= {"tables/names.csv": table_bytes(pl.DataFrame(named, infer_schema_length=None))} if named else {}
    return tables


def figures_of(report: Audit) -> Files:
    """Every figure as PNG and SVG."""
    details = details_of(report)
    if details is None:
        raise UsageError("this audit was saved without its scores and corpus, so there is nothing to draw")
    named = labels(report.findings)
    flips = {f"flips-{name}": flip_chart(rows) | {"title": name} for name, rows in flip_charts(report).items()}
    words = word_figures(report.abilities, named)
    drawn = static_figures(report.findings, details, named) | flips | words | dict(path_figures(report))
    return figure_files(drawn | signal_figures.figures_of(report))

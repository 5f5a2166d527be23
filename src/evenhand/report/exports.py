"""The findings as tables for papers and spreadsheets: CSV, Markdown and LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import UsageError
from evenhand.files import write_whole
from evenhand.findings import Finding
from evenhand.report.figures import static_figures, write_figures
from evenhand.report.words import comparison_name, labels, number, short_p, short_verdict, shown_p
from evenhand.tables import write_table

if TYPE_CHECKING:
    from evenhand.report.report import Report

HEADINGS = ("System", "Comparison", "n", "Gap", "In general", "p (these)", "p (general)", "Verdict")
NUMERIC = "llrrrrrl"
LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
        "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "<": "$<$", ">": "$>$",
    }
)  # fmt: skip


def rows(findings: Sequence[Finding]) -> list[tuple[str, ...]]:
    """One row of texts per finding."""
    names = labels(findings)
    return [_row(finding, names[finding.system, finding.output]) for finding in findings]


def _row(finding: Finding, label: str) -> tuple[str, ...]:
    interval, p = finding.generalising.interval, finding.generalising.p_adjusted
    return (
        label,
        comparison_name(finding),
        f"{finding.n:,}",
        number(finding.mean_difference, span=finding.span),
        "undefined" if interval is None else " to ".join(number(end, span=finding.span) for end in interval),
        short_p(finding),
        "undefined" if p is None else shown_p(p),
        short_verdict(finding),
    )


def to_markdown(findings: Sequence[Finding]) -> str:
    """A table for a README or an issue."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    rule = "|" + "|".join("---:" if kind == "r" else "---" for kind in NUMERIC) + "|"
    return "\n".join([line(HEADINGS), rule, *(line(row) for row in rows(findings))]) + "\n"


def to_latex(findings: Sequence[Finding]) -> str:
    """A table for a paper; needs the package booktabs."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(cell.translate(LATEX) for cell in cells) + r" \\"

    head = [rf"\begin{{tabular}}{{{NUMERIC}}}", r"\toprule", line(HEADINGS), r"\midrule"]
    return "\n".join([*head, *(line(row) for row in rows(findings)), r"\bottomrule", r"\end{tabular}"]) + "\n"


def write_tables(report: Report, folder: Path) -> list[Path]:
    """`findings.csv` with every field, `findings.md` and `findings.tex` for reading."""
    write_table(report.frame(), folder / "findings.csv")
    texts: dict[str, Callable[[Sequence[Finding]], str]] = {"findings.md": to_markdown, "findings.tex": to_latex}
    for name, render in texts.items():
        write_whole(folder / name, render(report.findings).encode())
    return [folder / name for name in ("findings.csv", *texts)]


def write_pictures(report: Report, folder: Path) -> list[Path]:
    """Every figure as PNG and SVG."""
    if report.details is None:
        raise UsageError("this report was saved without its scores and corpus, so there is nothing to draw")
    return write_figures(static_figures(report.findings, report.details, labels(report.findings)), folder)

"""A study's tables for papers, spreadsheets and READMEs: Markdown, CSV and LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import polars as pl

from evenhand.report.audit.amounts import number
from evenhand.report.audit.decisions import HEADING
from evenhand.report.audit.exports import latex_table
from evenhand.report.common import markdown
from evenhand.report.study.decisions import HEADINGS, reading, summary_rows
from evenhand.report.study.words import GENERAL, PUBLISHED, group_name, table_title
from evenhand.studies import Study, Table
from evenhand.studies.tables import Row

UNDEFINED = "undefined"
DOWNSTREAM = "lll" + "r" * (len(HEADINGS) - 3)
"""How the columns of what gaps do to decisions are aligned."""


def headings(table: Table) -> list[str]:
    """Of the columns; the last ones count the group by other corrections (published) or those shown equivalent."""
    more = list(table.corrections) or ["equivalent"]
    return ["dimension", "group", "submissions", "mean Δ > 0", "mean Δ < 0", *more]


def cells(table: Table) -> Iterator[tuple[str, ...]]:
    """The rows as texts; a dimension is named in its first row."""
    for dimension, rows in table.rows.items():
        for place, (group, row) in enumerate(rows.items()):
            yield (
                "" if place else dimension,
                group_name(table, group),
                str(row.submissions),
                _mean(row.mean_positive),
                _mean(row.mean_negative),
                *_more(table, dimension, group, row),
            )


def _more(table: Table, dimension: str, group: str, row: Row) -> list[str]:
    if not table.corrections:
        return [str(row.equivalent)]
    return [str(counts[dimension].get(group, 0)) for counts in table.corrections.values()]


def _mean(value: float | None) -> str:
    return UNDEFINED if value is None else number(value)


def to_markdown(study: Study) -> str:
    """All tables, one after the other."""
    parts = []
    for how, tables in ((PUBLISHED, study.tables), (GENERAL, study.general_tables)):
        for table in tables.values():
            parts.append(f"## {table_title(table)}, {how}\n\n{_markdown(table)}")
    if study.decisions:
        made = markdown.table(HEADINGS, summary_rows(study), DOWNSTREAM)
        parts.append(f"## {HEADING}\n\n{made}\n{reading(study)}\n")
    return "\n".join(parts)


def downstream_latex(study: Study) -> str:
    """What gaps do to decisions, for a paper; needs the package booktabs."""
    return latex_table(HEADINGS, summary_rows(study), DOWNSTREAM)


def downstream_frame(study: Study) -> pl.DataFrame:
    """One row per comparison, dimension and threshold, over all submissions."""
    return pl.DataFrame([asdict(one) for one in study.downstream], infer_schema_length=None)


def _markdown(table: Table) -> str:
    return markdown.table(headings(table), cells(table), _alignment(table))


def to_latex(table: Table) -> str:
    """A table for a paper; needs the package booktabs."""
    return latex_table(headings(table), cells(table), _alignment(table), blocks=True)


def _alignment(table: Table) -> str:
    return "ll" + "r" * (len(headings(table)) - 2)


def tables_frame(study: Study) -> pl.DataFrame:
    """Every cell of every table: one row per test, table, dimension and group."""
    rows = [
        {
            "test": how,
            "table": table.name,
            "attribute": table.attribute,
            "first": table.first,
            "second": table.second,
            "subset": table.subset,
            "dimension": dimension,
            "group": group,
            "submissions": row.submissions,
            "mean_positive": row.mean_positive,
            "mean_negative": row.mean_negative,
            "equivalent": row.equivalent,
            **{by: table.corrections[by][dimension].get(group, 0) if table.corrections else None for by in corrections},
        }
        for how, tables in (("published", study.tables), ("general", study.general_tables))
        for table in tables.values()
        for dimension, groups in table.rows.items()
        for group, row in groups.items()
        for corrections in [list(next(iter(study.tables.values())).corrections)]
    ]
    return pl.DataFrame(rows, infer_schema_length=None)

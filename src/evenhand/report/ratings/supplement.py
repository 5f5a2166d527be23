"""The tables of the paper's supplement for any ratings: every t with its rejections, every mean before and after
adjustment; and each rating side by side as the texts are and after each round trip."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from evenhand.files.tables import table_bytes
from evenhand.rating import Impact, PairTest, Rating, Ratings, RejectionSettings
from evenhand.report.audit.exports import latex_table
from evenhand.report.ratings.words import UNDEFINED, level_text, score_text, where
from evenhand.results.rendering import Files

NO_T = "H"
"""What the paper prints where two classes differ and neither varies, so that t has no value (or a huge one)."""
HUGE = 10_000
PLAIN = "as they are"
RAISED = re.compile(r"\\textasciicircum\{\}(\d+)")
"""A mark of rejection, as the escaping for LaTeX leaves it."""
SETTING = ("data", "group", "attribute", "via")


@dataclass(frozen=True)
class Printed:
    """A table for reading: rows with the same first cell belong together."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def mark_of(rejected: Sequence[bool]) -> int:
    """The superscript: 1 where all levels reject, 2 where all but the strictest do, and so on; 0 where none does.

    >>> [mark_of(each) for each in [(True, True, True), (False, True, True), (False, False, True), (False, False)]]
    [1, 2, 3, 0]
    """
    number = sum(rejected)
    return len(rejected) + 1 - number if number else 0


def cell_of(test: PairTest) -> str:
    """A t as the paper prints it, with its superscript: `2.57^1`, `H^1` where nothing varies, `0`.

    >>> test = PairTest("s", "E1", ("a", "b"), 0.2, 2.574, 14, (True, True, True), None)
    >>> cell_of(test)
    '2.57^1'
    """
    if test.difference is None:
        return UNDEFINED
    untold = NO_T if test.difference else "0"
    text = untold if test.t is None or test.t > HUGE else score_text(test.t)
    mark = mark_of(test.rejected)
    return f"{text}^{mark}" if mark else text


def t_tables(report: Ratings) -> list[Printed]:
    """A table for each rating by rejections: systems and datasets in rows, pairs of classes in columns."""
    return [_t_table(result) for result in report.results if result.method == "rejection"]


def _t_table(result: Rating) -> Printed:
    pairs = list(dict.fromkeys(test.pair for test in result.tests))
    cells = {(test.system, test.dataset, test.pair): cell_of(test) for test in result.tests}
    asked = dict.fromkeys((test.system, test.dataset) for test in result.tests)
    rows = [row for system in result.raw for row in asked if row[0] == system]
    return Printed(
        where(result),
        ("system", "dataset", *(f"{first} / {second}" for first, second in pairs)),
        tuple((*row, *(cells.get((*row, pair), "") for pair in pairs)) for row in rows),
    )


def impact_tables(report: Ratings) -> list[Printed]:
    """A table for each rating by deconfounding: means for negative and positive words, before and after adjustment."""
    return [_impact_table(result) for result in report.results if result.method == "deconfounding"]


def _impact_table(result: Rating) -> Printed:
    emotions = list(dict.fromkeys(emotion for _, _, cells in _cells_of(result) for emotion in cells))
    rows = []
    for system, dataset, cells in _cells_of(result):
        known = [cells.get(emotion) for emotion in emotions]
        rows.append(
            (
                system,
                dataset,
                _tuple(score_text(None if one is None else one.observed) for one in known),
                _tuple(score_text(None if one is None else one.adjusted) for one in known),
                _tuple(_impact_text(one) for one in known),
                _largest(known),
            )
        )
    named = _tuple(emotions)
    means = (f"E[sentiment | emotion] {named}", f"E[sentiment | do(emotion)] {named}")
    return Printed(where(result), ("system", "dataset", *means, "DIE %", "largest"), tuple(rows))


def _cells_of(result: Rating) -> Iterator[tuple[str, str, Mapping[str, Impact]]]:
    for system, by_dataset in result.impact.items():
        for dataset, cells in by_dataset.items():
            yield system, dataset, cells


def _tuple(texts: Iterator[str] | Sequence[str]) -> str:
    return f"({', '.join(texts)})"


def _impact_text(cell: Impact | None) -> str:
    if cell is None:
        return UNDEFINED
    return score_text(math.inf if cell.divided_by_zero else cell.impact)


def _largest(cells: Sequence[Impact | None]) -> str:
    known = [one for one in cells if one is not None and (one.impact is not None or one.divided_by_zero)]
    if not known:
        return UNDEFINED
    text = score_text(max(math.inf if one.divided_by_zero else one.impact or 0.0 for one in known))
    return text if len(known) == len(cells) else f"{text}*"


def on_page(table: Printed) -> dict[str, object]:
    """A table for the template: texts, and marks that stand above the line."""
    cells = [
        [cell.partition("^")[::2] if place > 1 else (cell, "") for place, cell in enumerate(row)] for row in table.rows
    ]
    first = [is_first for is_first, _ in _firsts(table.rows)]
    return {"title": table.title, "headings": table.headings, "rows": list(zip(first, cells, strict=True))}


def side_by_side(report: Ratings) -> Printed | None:
    """Raw score and level of each system, as the texts are and after each round trip; None without a round trip."""
    trips = list(dict.fromkeys(result.via for result in report.results if result.via is not None))
    if not trips:
        return None
    found = {result.setting: result for result in report.results}
    rows = []
    for data, group, attribute in dict.fromkeys(one.setting[:3] for one in report.results if one.part is None):
        settings = [found.get((data, group, attribute, via)) for via in (None, *trips)]
        systems = dict.fromkeys(name for one in settings if one is not None for name in one.raw)
        called = ", ".join(part for part in (data, group, f"by {attribute}") if part)
        rows += [(called, system, *(_score_and_level(one, system) for one in settings)) for system in systems]
    return Printed(
        "Side by side: raw score (level)", ("data", "system", PLAIN, *(f"via {via}" for via in trips)), tuple(rows)
    )


def _score_and_level(result: Rating | None, system: str) -> str:
    if result is None or system not in result.raw:
        return "not rated"
    return f"{score_text(result.raw[system])} ({level_text(result.ratings[system])})"


def test_frame(report: Ratings) -> pl.DataFrame:
    """One row per comparison, with a column for each confidence level that says whether it was rejected."""
    levels = rejection_columns(report.settings.rejection)
    rows = [
        {
            **dict(zip(SETTING, result.setting, strict=True)),
            "system": test.system,
            "dataset": test.dataset,
            "first": test.pair[0],
            "second": test.pair[1],
            "difference": test.difference,
            "t": test.t,
            "degrees_of_freedom": test.degrees_of_freedom,
            **dict(zip(levels, test.rejected, strict=True)),
            "undefined": test.undefined,
        }
        for result in report.results
        for test in result.tests
    ]
    texts = dict.fromkeys((*SETTING, "system", "dataset", "first", "second"), pl.String)
    numbers = dict.fromkeys(("difference", "t", "degrees_of_freedom"), pl.Float64)
    schema = {**texts, **numbers, **dict.fromkeys(levels, pl.Boolean), "undefined": pl.String}
    return pl.DataFrame(rows, schema=schema)


def rejection_columns(settings: RejectionSettings) -> list[str]:
    """
    >>> rejection_columns(RejectionSettings())
    ['rejected_at_95', 'rejected_at_70', 'rejected_at_60']
    """
    return [f"rejected_at_{round(100 * (1 - alpha), 6):g}" for alpha in settings.alphas]


def impact_frame(report: Ratings) -> pl.DataFrame:
    """One row per system, dataset and emotion: the mean, that once the emotion is set, and the impact in per cent."""
    rows = [
        {
            **dict(zip(SETTING, result.setting, strict=True)),
            "system": system,
            "dataset": dataset,
            "emotion": emotion,
            "observed": cell.observed,
            "adjusted": cell.adjusted,
            "impact": cell.impact,
            "undefined": cell.undefined,
        }
        for result in report.results
        for system, dataset, cells in _cells_of(result)
        for emotion, cell in cells.items()
    ]
    texts = dict.fromkeys((*SETTING, "system", "dataset", "emotion"), pl.String)
    numbers = dict.fromkeys(("observed", "adjusted", "impact"), pl.Float64)
    return pl.DataFrame(rows, schema={**texts, **numbers, "undefined": pl.String})


def supplement_files(report: Ratings) -> Files:
    """All of it as CSV, a row for each number, and as LaTeX, in the paper's layout."""
    files: dict[str, bytes] = {}
    if any(result.tests for result in report.results):
        files |= {
            "tables/t_values.csv": table_bytes(test_frame(report)),
            "tables/t_values.tex": _latex(t_tables(report)),
        }
    if any(result.impact for result in report.results):
        files |= {
            "tables/impacts.csv": table_bytes(impact_frame(report)),
            "tables/impacts.tex": _latex(impact_tables(report)),
        }
    beside = side_by_side(report)
    if beside is not None:
        frame = pl.DataFrame([dict(zip(beside.headings, row, strict=True)) for row in beside.rows])
        files |= {"tables/side_by_side.csv": table_bytes(frame), "tables/side_by_side.tex": _latex([beside])}
    return files


def _latex(tables: Sequence[Printed]) -> bytes:
    return "\n".join(_one_latex(table) for table in tables).encode()


def _one_latex(table: Printed) -> str:
    alignment = "ll" + "r" * (len(table.headings) - 2)
    body = [(row[0] if first else "", *row[1:]) for first, row in _firsts(table.rows)]
    text = latex_table(table.headings, body, alignment, blocks=True)
    title = " ".join(table.title.split())
    return f"% {title}\n" + RAISED.sub(r"\\textsuperscript{\1}", text)


def _firsts(rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Each row, and whether it is the first of those with its first cell."""
    before = None
    for row in rows:
        yield row[0] != before, row
        before = row[0]

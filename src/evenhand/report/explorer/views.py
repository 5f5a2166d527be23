"""The explorer's other pages as plain values: sentences behind a gap, versions of a sentence, runs side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evenhand.comparing.comparison import Comparison
from evenhand.comparing.findings import Finding
from evenhand.report.audit.amounts import amount, number
from evenhand.report.audit.figures import Row, Spec, forest
from evenhand.report.audit.standing import css, look
from evenhand.report.audit.units import delta_of
from evenhand.report.audit.verdicts import without_tolerance
from evenhand.report.comparison.figures import gap_rows, unit_between
from evenhand.report.comparison.words import metrics_in_words, questions, short_verdict, told, with_interval
from evenhand.report.explorer.headline import Gap
from evenhand.report.explorer.strips import Axis, gap_strip
from evenhand.report.page.shell import render


def page(name: str, **shown: Any) -> str:
    """A page of the explorer: it loads its style and its script from the explorer itself."""
    return render(f"explorer/{name}.html.j2", **shown)


def score(value: float, finding: Finding) -> str:
    """A score as the finding's reports show it."""
    return amount(value, finding)


def score_of(value: float, span: float) -> str:
    """A score of an output with this span."""
    return number(value, span=span)


def compared(found: Comparison) -> dict[str, Any]:
    """Two runs side by side: the gaps of both and their difference, on one axis."""
    unit = unit_between(found)
    asked = questions(found)
    rows = []
    sides = [(gap.one, gap.other, gap.difference) for gap in found.gaps]
    drawn = [
        [
            (
                None if one.generalising.estimate is None else unit.of(one) * one.generalising.estimate,
                tuple(unit.of(one) * end for end in one.generalising.shown_interval or ()),
            )
            for one in three
        ]
        for three in sides
    ]
    axis = Axis.over(value for three in drawn for gap, ends in three for value in (gap, *ends))
    delta = delta_of([gap.one for gap in found.gaps], unit)
    for gap, question, three in zip(found.gaps, asked, drawn, strict=True):
        looks = css(look(gap.one)), css(look(gap.other)), css(look(gap.difference))
        rows.append(
            {
                "question": question,
                "verdict": short_verdict(gap),
                "look": looks[2],
                "lines": [
                    {
                        "called": called,
                        "text": with_interval(one, unit),
                        "strip": gap_strip(
                            axis, value, (ends[0], ends[1]) if ends else (None, None), css_of, delta=delta
                        ),
                    }
                    for called, one, (value, ends), css_of in zip(
                        (found.one, found.other, "difference"),
                        (gap.one, gap.other, gap.difference),
                        three,
                        looks,
                        strict=True,
                    )
                ],
            }
        )
    return {
        "one": found.one,
        "other": found.other,
        "told": [{"look": css(seen), "tag": tag, "text": text} for seen, tag, text in told(found.gaps)],
        "metrics": [metrics_in_words(measured) for measured in found.metrics],
        "notes": [str(note) for note in found.notes],
        "rows": rows,
        "ends": axis.ends(),
        "delta": f"{delta:g}",
        "unit": unit.drawn,
        "shared": f"{found.shared.sentences:,}",
    }


def followed(runs: Sequence[tuple[str, Mapping[str, Any], Sequence[Gap]]]) -> list[dict[str, Any]]:
    """Runs in their order, comparison by comparison: what the gap of each is. `runs` are name, facts and gaps."""
    found: dict[str, list[dict[str, Any]]] = {}
    for called, facts, gaps in runs:
        several = len({gap.label for gap in gaps}) > 1
        for gap in gaps:
            row = {"called": f"{called}, {gap.label}" if several else called, "gap": gap, **facts}
            found.setdefault(gap.comparison, []).append(row)
    return [
        {
            "comparison": comparison,
            "ends": (axis := _axis(row["gap"] for row in rows)).ends(2),
            "rows": [
                {
                    **row,
                    "text": number(row["gap"].gap, span=100),
                    "verdict": without_tolerance(row["gap"].verdict),
                    "strip": gap_strip(axis, row["gap"].gap, (row["gap"].low, row["gap"].high), row["gap"].look),
                }
                for row in rows
            ],
        }
        for comparison, rows in found.items()
    ]


def followed_chart(rows: Iterable[tuple[str, Gap]], comparison: str, delta: float) -> Spec:
    """The gaps of one comparison run by run, as a chart."""
    values: list[Row] = [
        {
            "system": called,
            "gap": gap.gap,
            "these_low": None,
            "these_high": None,
            "general_low": gap.low,
            "general_high": gap.high,
            "verdict": gap.verdict.partition(" within")[0].partition(",")[0],
        }
        for called, gap in rows
    ]
    return {**forest(values, delta=delta), "title": comparison}


def compared_rows(found: Comparison) -> list[Row]:
    """The gaps of a comparison as its chart has them."""
    return gap_rows(found)


def _axis(gaps: Iterable[Gap]) -> Axis:
    return Axis.over(value for gap in gaps for value in (gap.gap, gap.low, gap.high))

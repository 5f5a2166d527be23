"""The bar charts of the paper's Figures 2 to 4 for any system, as Vega-Lite: mean differences with their intervals.

The paper draws the mean difference and its standard error as two bars on two axes of different scale. That makes an
error look as large as a gap, and hides the question that it should answer: here both stand on one axis, the error as
the 95 % interval around the mean, and one sees whether zero lies in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.repairs.paired_means import Evaluation, PairedMeans
from evenhand.repairs.published import BASELINE
from evenhand.report.audit.figures import COLOURS, ROW_STEP, Row, Spec, base_chart
from evenhand.report.repair.published import by_chart, chart_title
from evenhand.report.repair.words import sides

BEFORE, SAME, REVERSED, MADE, OPEN = "before", "same direction", "reversed", "newly significant", "zero not ruled out"


def became(one: PairedMeans, before: PairedMeans) -> str:
    """What a version made of the gap, by sign and by its own test; that zero is not ruled out does not make it fair."""
    if one.version == before.version:
        return BEFORE
    if not one.significant:
        return OPEN
    if not before.significant:
        return MADE
    return SAME if one.mean * before.mean > 0 else REVERSED


def bar_rows(tests: Sequence[PairedMeans]) -> list[Row]:
    """A row for each version of one question in one reading."""
    before = next((one for one in tests if one.version == BASELINE), tests[0])
    return [
        {
            "version": one.version,
            "mean": one.mean,
            "low": None if one.interval is None else one.interval[0],
            "high": None if one.interval is None else one.interval[1],
            "p": one.p,
            "effect_size": one.effect_size,
            "n": one.n,
            "became": became(one, before),
        }
        for one in tests
    ]


def bars(tests: Sequence[PairedMeans], *, theme: str = "light") -> Spec:
    """Mean differences of one question in one reading, before and after each variant, with their 95 % intervals."""
    one, rows = tests[0], bar_rows(tests)
    ink = "#333" if theme == "light" else "#eee"
    y = {"field": "version", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 220}}
    axis = f"mean difference, {' − '.join(sides(one))}"
    tooltip = [
        {"field": "version"},
        {"field": "mean", "format": ".4f", "title": "mean difference"},
        {"field": "low", "format": ".4f", "title": "95 % interval, from"},
        {"field": "high", "format": ".4f", "title": "to"},
        {"field": "effect_size", "format": ".2f", "title": "effect size"},
        {"field": "p", "format": ".4f"},
        {"field": "n", "title": "pairs"},
        {"field": "became", "title": "the gap"},
    ]
    return base_chart(
        f"Bar chart: mean difference {' − '.join(sides(one))} before and after each variant, with 95 % intervals.",
        data={"values": rows},
        height={"step": ROW_STEP},
        layer=[
            {
                "mark": {"type": "bar", "size": 15, "opacity": 0.75},
                "encoding": {
                    "y": y,
                    "x": {"field": "mean", "type": "quantitative", "title": axis, "axis": {"tickCount": 6}},
                    "color": _colour(rows, theme),
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2, "color": ink},
                "encoding": {
                    "y": y,
                    "x": {"field": "low", "type": "quantitative"},
                    "x2": {"field": "high"},
                    "tooltip": tooltip,
                },
            },
            {"mark": {"type": "rule", "color": "#888"}, "encoding": {"x": {"datum": 0}}},
        ],
    )


def static_figures(evaluation: Evaluation) -> dict[str, Spec]:
    """A chart for each question and reading, by the name of its file."""
    outputs = {one.output for one in evaluation.tests}
    figures: dict[str, Spec] = {}
    for tests in by_chart(evaluation.tests):
        one = tests[0]
        groups = [one.first, one.second] if _several(evaluation, one) else []
        parts = [one.question, *groups, *([one.output] if len(outputs) > 1 else []), one.reading]
        figures["-".join(["published", *parts])] = bars(tests) | {"title": chart_title(tests)}
    return figures


def _several(evaluation: Evaluation, one: PairedMeans) -> bool:
    """Whether a question is asked about more than two groups."""
    pairs = {(other.first, other.second) for other in evaluation.tests if other.question == one.question}
    return len(pairs) > 1


def _colour(rows: Sequence[Row], theme: str) -> Spec:
    # Not green where zero is not ruled out: that is no proof of fairness.
    orange, blue, _, grey = COLOURS[theme]
    pale, purple = ("#d4d4d4", "#7e22ce") if theme == "light" else ("#525252", "#c084fc")
    colours = {BEFORE: grey, SAME: blue, REVERSED: orange, MADE: purple, OPEN: pale}
    there = {row["became"] for row in rows}
    shown = {name: colour for name, colour in colours.items() if name in there}
    return {
        "field": "became",
        "scale": {"domain": list(shown), "range": list(shown.values())},
        "legend": {"orient": "top", "title": None},
    }

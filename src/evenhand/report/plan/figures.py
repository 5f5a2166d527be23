"""Plans as charts to save: the chance of each verdict by the number of names."""

from __future__ import annotations

from evenhand.planning.result import Plan, Question
from evenhand.report.audit.figures import SCHEMA, Row, Spec, base_chart
from evenhand.report.plan.words import about, percent

VERDICTS = ("equivalent", "cannot tell", "higher or lower")
COLOURS = ("#15803d", "#d6d3d1", "#b45309")
HEIGHT, WIDTH = 160, 420


def static_figures(plan: Plan) -> dict[str, Spec]:
    """A chart for each question, with a panel for each gap."""
    return {
        f"chances-{number}-{one.attribute}": {
            "$schema": SCHEMA,
            "description": f"The chance of each verdict by the number of names: {about(one, plan)}.",
            "title": about(one, plan),
            "vconcat": [_panel(one, need.gap) for need in one.needed],
        }
        for number, one in enumerate(plan.questions, start=1)
        if one.at_once and one.needed
    }


def _panel(question: Question, gap: float) -> Spec:
    rows: list[Row] = [
        {"names": one.names, "verdict": verdict, "place": place, "chance": chance}
        for one in question.at_once
        if one.spread == "likely" and one.gap == gap
        for place, (verdict, chance) in enumerate(
            zip(VERDICTS, (one.equivalent, 1 - one.equivalent - one.different, one.different), strict=True)
        )
    ]
    chart = base_chart(
        f"The chance of each verdict if the gap is {percent(gap)}.",
        data={"values": rows},
        mark={"type": "area", "opacity": 0.85},
        encoding={
            "x": {"field": "names", "type": "quantitative", "scale": {"type": "log", "nice": False}, "title": "names"},
            "y": {
                "field": "chance", "type": "quantitative", "stack": True, "title": "chance",
                "axis": {"format": "%"}, "scale": {"domain": [0, 1]},
            },
            "order": {"field": "place"},
            "color": {
                "field": "verdict", "scale": {"domain": VERDICTS, "range": COLOURS},
                "legend": {"orient": "top", "title": None},
            },
        },
    )  # fmt: skip
    own = {name: value for name, value in chart.items() if name not in ("$schema", "autosize")}
    seen = ", as seen" if gap == question.estimate else ""
    return own | {"title": f"If the gap is {percent(gap)}{seen}", "width": WIDTH, "height": HEIGHT}

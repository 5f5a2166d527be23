"""Gates as a picture: each gap's interval beside what is allowed."""

from __future__ import annotations

from evenhand.gating.result import Check
from evenhand.report.audit.figures import LEGEND, Row, Spec, base_chart
from evenhand.report.check.words import about, in_order, pairs, several_outputs, who

STEP = 30
OUTCOMES = {"fails": ("#b45309", "triangle-up"), "cannot tell": ("#6b7280", "diamond"), "passes": ("#1d4ed8", "circle")}
DRAWN = ("gap", "baseline")
"""What is limited both ways; of decisions the numbers stand in the table."""


def static_figures(check: Check) -> dict[str, Spec]:
    """One chart of all limits on gaps and on their growth, in % of the range of each output."""
    outputs, short = several_outputs(check.items), pairs(check.items)
    several_corpora = len({item.corpus for item in check.items}) > 1
    rows: list[Row] = []
    for item in in_order(check.items):
        if item.question not in DRAWN or item.estimate is None or item.limit is None:
            continue
        low, high = item.interval or (None, None)
        per = 100 / item.span
        rows.append(
            {
                "limit on": f"{who(item, outputs=outputs)}, {about(item, short)}"
                + (f" ({item.corpus})" if several_corpora else ""),
                "found": item.estimate * per,
                "low": None if low is None else low * per,
                "high": None if high is None else high * per,
                "from": -item.limit * per,
                "to": item.limit * per,
                "outcome": item.outcome,
            }
        )
    if not rows:
        return {}
    y = {"field": "limit on", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 360}}

    def x(field: str) -> Spec:
        return {"field": field, "type": "quantitative", "title": "found, % of the range", "scale": {"zero": True}}

    found = [one for one in OUTCOMES if any(row["outcome"] == one for row in rows)]
    scale = {"domain": found}
    colour = {
        "field": "outcome", "legend": LEGEND, "scale": scale | {"range": [OUTCOMES[one][0] for one in found]}
    }  # fmt: skip
    shape = {"field": "outcome", "legend": LEGEND, "scale": scale | {"range": [OUTCOMES[one][1] for one in found]}}
    chart = base_chart(
        "What was found for each limit, with its interval; the band is what is allowed.",
        data={"values": rows},
        height={"step": STEP},
        layer=[
            {
                "mark": {"type": "bar", "opacity": 0.14, "color": "#1d4ed8", "height": {"band": 0.8}},
                "encoding": {"y": y, "x": x("from"), "x2": {"field": "to"}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 4, "strokeCap": "round"},
                "encoding": {"y": y, "x": x("low"), "x2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {"y": y, "x": x("found"), "color": colour, "shape": shape},
            },
        ],
    )
    return {"limits": chart | {"title": "Found, beside what is allowed"}}

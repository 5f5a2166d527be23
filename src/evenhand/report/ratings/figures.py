"""Ratings as a picture: the level of each system in each test."""

from __future__ import annotations

from evenhand.rating import Ratings
from evenhand.report.audit.figures import Row, Spec, base_chart
from evenhand.report.ratings.words import score_text, where

STEP = 26
LEVEL_COLOURS = ("#eef2f7", "#7f2704")
"""From the lowest level to the highest; none of them is green, as a low level is not a promise."""


def static_figures(ratings: Ratings) -> dict[str, Spec]:
    """One chart: systems across, tests down, levels as numbers on colours."""
    rows: list[Row] = [
        {
            "system": system,
            "test": where(result),
            "level": result.ratings.get(system),
            "said": str(result.ratings.get(system) or "–"),
            "raw score": score_text(result.raw[system]),
        }
        for result in ratings.results
        for system in ratings.systems
        if system in result.raw
    ]
    if not rows:
        return {}
    x = {"field": "system", "type": "nominal", "sort": None, "title": None, "axis": {"orient": "top", "labelAngle": 0}}
    y = {"field": "test", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 320}}
    top = ratings.settings.levels
    level = {
        "field": "level",
        "type": "quantitative",
        "scale": {"domain": [1, top], "range": LEVEL_COLOURS},
        "legend": None,
    }
    dark = f"datum.level > {(1 + top) / 2}"
    chart = base_chart(
        f"The level of each system in each test, from 1 to {top}: how far scores depend on the group; – is undefined.",
        data={"values": rows},
        height={"step": STEP},
        layer=[
            {"mark": {"type": "rect", "stroke": "white"}, "encoding": {"x": x, "y": y, "color": level}},
            {
                "mark": {"type": "text"},
                "encoding": {
                    "x": x, "y": y, "text": {"field": "said"},
                    "color": {"condition": {"test": dark, "value": "white"}, "value": "#1c1917"},
                },
            },
        ],
    )  # fmt: skip
    return {"levels": chart | {"title": f"Levels from 1 to {top}: how far scores depend on the group"}}

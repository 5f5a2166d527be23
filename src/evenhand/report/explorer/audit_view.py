"""An audit in the explorer: its verdicts, the gaps of all systems, and of one system the boxes and the heat map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.contrasts import Floats
from evenhand.report.audit.amounts import amount
from evenhand.report.audit.details import HeatMap, details_of
from evenhand.report.audit.figures import forest_row
from evenhand.report.audit.many import shown_order, told_all
from evenhand.report.audit.naming import comparison_name, labels, short_comparisons
from evenhand.report.audit.standing import css, look
from evenhand.report.audit.terms import terms_of
from evenhand.report.audit.units import Unit, delta_of, unit_of
from evenhand.report.audit.verdicts import short_verdict
from evenhand.report.explorer.headline import largest_first
from evenhand.report.explorer.marks import marked
from evenhand.report.explorer.strips import Axis, Dot, box_strip, gap_strip, shade

MOST_ROWS = 10
"""Of more gaps, the largest are shown until somebody asks for all."""
MOST_TOLD = 2
MOST_DOTS = 90
WORST = 5
BOX = ("low", "whisker_low", "q1", "median", "q3", "whisker_high", "high")

Address = Callable[..., str]
"""Makes the address of what is behind something, from names and values."""


@dataclass(frozen=True)
class Behinds:
    """What the pictures of one system are drawn from, and where they lead."""

    differences: Callable[[Finding], Floats]
    to_box: Address
    to_point: Address
    to_cell: Address


def told(audit: Audit) -> list[dict[str, str]]:
    """The verdicts in sentences, those that were shown first."""
    order = {look: place for place, look in enumerate(("higher", "lower"))}
    found = sorted(told_all(audit.findings), key=lambda one: order.get(one.look, 2))
    return [{"look": css(one.look), "tag": one.tag or one.verdict, "text": one.text} for one in found]


def gaps(audit: Audit, *, everything: bool) -> dict[str, Any]:
    """All gaps on one axis."""
    unit = unit_of(audit.findings)
    names = labels(audit.findings)
    ordered = shown_order(audit.findings)
    short = dict(zip(map(id, ordered), short_comparisons(ordered), strict=True))
    kept = ordered if everything or len(ordered) <= MOST_ROWS else largest_first(ordered)[:MOST_ROWS]
    rows = [forest_row(one, names[one.system, one.output], unit) for one in kept]
    axis = Axis.over(row[name] for row in rows for name in ("gap", "general_low", "general_high"))
    delta = delta_of(audit.findings, unit)
    place = {id(finding): number for number, finding in enumerate(audit.findings)}
    columns = {key: number for number, key in enumerate(names)}
    return {
        "ends": axis.ends(),
        "delta": f"{delta:g}",
        "left_out": len(ordered) - len(kept),
        "unit": unit.drawn,
        "rows": [
            {
                "label": row["system"],
                "comparison": short[id(one)],
                "look": css(look(one)),
                "verdict": unit.verdict(short_verdict(one)),
                "gap": unit.amount(one.mean_difference, one),
                "strip": gap_strip(
                    axis, row["gap"], (row["general_low"], row["general_high"]), css(look(one)), delta=delta
                ),
                "column": columns[one.system, one.output],
                "number": place[id(one)],
            }
            for one, row in zip(kept, rows, strict=True)
        ],
    }


def system(audit: Audit, column: int, behinds: Behinds) -> dict[str, Any]:
    """One system's boxes, worst pairs and heat map; every part of them leads to its sentences."""
    names = labels(audit.findings)
    key = list(names)[column]
    mine = [(place, one) for place, one in enumerate(audit.findings) if (one.system, one.output) == key]
    details = details_of(audit)
    heat_map = None if details is None else details.heat_map(*key)
    return {
        "label": names[key],
        "boxes": [] if details is None else _boxes(mine, audit, behinds),
        "worst": _worst([one for _, one in mine]),
        "heat": None if heat_map is None else _heat(heat_map, mine[0][1], unit_of(audit.findings), behinds),
        "terms": terms_of(audit.findings),
        "unit": unit_of(audit.findings),
    }


def _boxes(mine: Sequence[tuple[int, Finding]], audit: Audit, behinds: Behinds) -> dict[str, Any]:
    details = details_of(audit)
    assert details is not None  # noqa: S101 - who asks for boxes has looked
    spreads = [details.spread(one) for _, one in mine]
    unit = unit_of(audit.findings)
    axis = Axis.over(
        unit.of(one) * value for (_, one), box in zip(mine, spreads, strict=True) for value in (box.low, box.high)
    )
    rows = []
    for (place, one), spread in zip(mine, spreads, strict=True):
        per = unit.of(one)
        scaled = replace(spread, **{name: per * getattr(spread, name) for name in BOX})
        boxes = {
            "lower": (behinds.to_box(place, high=spread.q1), "the lowest quarter of the differences"),
            "box": (behinds.to_box(place, low=spread.q1, high=spread.q3), "the middle half of the differences"),
            "upper": (behinds.to_box(place, low=spread.q3), "the highest quarter of the differences"),
        }
        rows.append(
            {
                "comparison": comparison_name(one),
                "verdict": short_verdict(one),
                "look": css(look(one)),
                "n": f"{one.n:,}",
                "median": amount(spread.median, one),
                "all": behinds.to_box(place),
                "strip": box_strip(axis, scaled, _dots(behinds, place, one, per), boxes, css(look(one))),
            }
        )
    return {"rows": rows, "ends": axis.ends()}


def _dots(behinds: Behinds, place: int, finding: Finding, per: float) -> list[Dot]:
    """Evenly spaced ranks keep the shape and both ends."""
    values = behinds.differences(finding)
    order = np.argsort(values, kind="stable")
    ranks = np.linspace(0, len(values) - 1, min(MOST_DOTS, len(values))).round().astype(int)
    return [
        Dot(
            float(values[row]) * per,
            behinds.to_point(place, int(row)),
            f"difference {amount(float(values[row]), finding)}",
        )
        for row in order[np.unique(ranks)]
    ]


def _worst(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    pairs = [(abs(pair.difference), pair, one) for one in findings for pair in one.rests_on.sentences]
    found, seen = [], set()
    for _, pair, one in sorted(pairs, key=lambda each: -each[0]):
        first, second = marked(pair.first_text, pair.second_text), marked(pair.second_text, pair.first_text)
        persons = tuple(piece for marks in (first, second) for piece, differs in marks if differs)
        if persons in seen or not pair.difference:
            continue
        seen.add(persons)
        found.append(
            {
                "first": first,
                "second": second,
                "first_score": amount(pair.first_score, one),
                "second_score": amount(pair.second_score, one),
                "difference": amount(pair.difference, one),
            }
        )
    return found[:WORST]


def _heat(heat_map: HeatMap, finding: Finding, unit: Unit, behinds: Behinds) -> dict[str, Any]:
    values = heat_map.values
    known = values[~np.isnan(values)]
    reach = float(np.abs(known).max()) if len(known) else 0.0
    rows = []
    for i, person in enumerate(heat_map.persons):
        cells = []
        for j, template in enumerate(heat_map.templates):
            value = None if np.isnan(values[i, j]) else float(values[i, j])
            cells.append(
                {
                    "css": shade(value, reach),
                    "text": "" if value is None else unit.amount(value, finding),
                    "href": None if value is None else behinds.to_cell(person, template),
                    "said": f"{person}, {template}",
                }
            )
        begins = i > 0 and heat_map.groups[i] != heat_map.groups[i - 1]
        rows.append({"person": person, "group": heat_map.groups[i], "cells": cells, "begins": begins})
    return {"templates": heat_map.templates, "rows": rows, "reach": unit.amount(reach, finding)}

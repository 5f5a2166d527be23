"""The picture of a plan: the chance of each verdict by the number of names, a panel for each gap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from evenhand.planning.result import Plan, Planned, Question
from evenhand.report.plan.words import percent

WIDTH, HEIGHT = 420, 250
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 30, 52
MARGIN = 20
"""So near to the edge, what stands below a tick begins or ends there."""
TICKS = (5, 20, 80, 320)
LEGEND = (("--equivalent", "equivalent"), ("--line", "cannot tell"), ("--higher", "higher or lower"))
"""From the bottom of each panel to its top."""


def panels(question: Question, plan: Plan) -> str:
    """One panel for each gap, and what the areas are."""
    drawn = [
        _panel([one for one in question.at_once if one.spread == "likely" and one.gap == need.gap], need.names, plan,
               seen=need.gap == question.estimate)
        for need in question.needed
    ]  # fmt: skip
    swatches = "".join(
        f'<span style="margin-right:1.2rem"><svg width="14" height="14" aria-hidden="true">'
        f'<rect width="14" height="14" fill="var({colour})" stroke="currentColor"/></svg> {name}</span>'
        for colour, name in LEGEND
    )
    return f'<p class="note">From the bottom up: {swatches}</p><div class="grid">{"".join(drawn)}</div>'


def described(question: Question) -> str:
    """What the panels show, for those who cannot see them."""
    parts = []
    for need in question.needed:
        rows = [one for one in question.at_once if one.spread == "likely" and one.gap == need.gap]
        if rows:
            last = rows[-1]
            parts.append(
                f"if the gap is {percent(need.gap)}, with {last.names:.0f} names equivalent {last.equivalent:.0%}, "
                f"higher or lower {last.different:.0%}"
            )
    return f"The chance of each verdict by the number of names: {'; '.join(parts)}"


def _panel(rows: Sequence[Planned], needed: int | None, plan: Plan, *, seen: bool) -> str:
    low, high = math.log(rows[0].names), math.log(rows[-1].names)

    def x(names: float) -> float:
        return round(LEFT + (math.log(names) - low) / max(high - low, 1e-9) * (WIDTH - LEFT - RIGHT), 1)

    def y(share: float) -> float:
        return round(TOP + (1 - share) * (HEIGHT - TOP - BOTTOM), 1)

    levels = [[0.0] * len(rows), [one.equivalent for one in rows], [1 - one.different for one in rows],
              [1.0] * len(rows)]  # fmt: skip
    areas = []
    for place, (colour, _) in enumerate(LEGEND):
        there = [f"{x(row.names)},{y(level)}" for row, level in zip(rows, levels[place + 1], strict=True)]
        back = [f"{x(row.names)},{y(level)}" for row, level in zip(rows, levels[place], strict=True)]
        areas.append(f'<polygon points="{" ".join([*there, *reversed(back)])}" fill="var({colour})"/>')
    marks = [_text(LEFT - 6, y(share) + 4, f"{share:.0%}", "end") for share in (0, 0.5, 1)]
    marks.append(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(plan.power)}" y2="{y(plan.power)}" stroke="currentColor" '
        'stroke-dasharray="2 4"/>'
    )
    base = HEIGHT - BOTTOM
    for tick in [one for one in TICKS if rows[0].names <= one <= rows[-1].names]:
        marks.append(f'<line x1="{x(tick)}" x2="{x(tick)}" y1="{base}" y2="{base + 5}" stroke="currentColor"/>')
        anchor = "start" if x(tick) < LEFT + MARGIN else "end" if x(tick) > WIDTH - RIGHT - MARGIN else "middle"
        marks.append(_text(x(tick), base + 18, str(tick), anchor))
        calls = tick * plan.cells * plan.sources * plan.draws
        marks.append(_text(x(tick), base + 34, f"{calls:,}", anchor, soft=True))
    marks.append(_text(LEFT - 6, base + 18, "names", "end"))
    marks.append(_text(LEFT - 6, base + 34, "calls", "end", soft=True))
    if needed is not None and rows[0].names <= needed <= rows[-1].names:
        at = x(needed)
        marks.append(f'<line x1="{at}" x2="{at}" y1="{TOP}" y2="{base}" stroke="currentColor" stroke-width="2"/>')
        anchor = "end" if at > WIDTH / 2 else "start"
        marks.append(_text(at, TOP - 6, f"{needed} names", anchor))
    lead = f"If the gap is {percent(rows[0].gap)}{', as seen' if seen else ''}"
    return (
        f'<div><h4>{escape(lead)}</h4><svg viewBox="0 0 {WIDTH} {HEIGHT}" style="width:100%;height:auto" '
        f'font-size="12" fill="currentColor" aria-hidden="true">{"".join([*areas, *marks])}</svg></div>'
    )


def _text(x: float, y: float, words: str, anchor: str, *, soft: bool = False) -> str:
    colour = ' fill="var(--soft)"' if soft else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{colour}>{escape(words)}</text>'

"""Gaps and spreads as strips: drawings that stretch to any width, in the rows of a table, whose words are the page's.

Lines keep their width when a drawing is stretched, and a line without length and with round ends is a dot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import markupsafe

from evenhand.report.audit.details import Spread

WIDE = 1000
"""The width of every drawing in its own units."""
EDGE = 0.04
"""The share of it that stays free at either end."""


@dataclass(frozen=True)
class Axis:
    """From which number to which a drawing reaches."""

    low: float
    high: float

    @classmethod
    def over(cls, values: Iterable[float | None]) -> Axis:
        """An axis that holds all these values, and zero."""
        known = [0.0, *(value for value in values if value is not None)]
        low, high = min(known), max(known)
        if low == high:
            low, high = -1.0, 1.0
        return cls(low, high)

    def x(self, value: float) -> float:
        """Where a value lies."""
        share = (value - self.low) / (self.high - self.low)
        return round(WIDE * (EDGE + (1 - 2 * EDGE) * min(max(share, 0.0), 1.0)), 1)

    def ends(self, decimals: int | None = None) -> tuple[str, str]:
        """The numbers at its ends, with as many decimals as they deserve."""
        decimals = (2 if max(-self.low, self.high) >= 1 else 3) if decimals is None else decimals
        return _number(self.low, decimals), _number(self.high, decimals)


@dataclass(frozen=True)
class Dot:
    """A point with the address that it leads to, and what is said of it."""

    value: float
    href: str
    said: str


def gap_strip(
    axis: Axis, gap: float | None, interval: tuple[float | None, float | None], look: str, *, delta: float | None = None
) -> markupsafe.Markup:
    """A gap with its interval; the band is what is too small to matter."""
    parts = [_band(axis, delta), _line("zero", axis.x(0), 2, axis.x(0), 22)]
    low, high = interval
    if low is not None and high is not None:
        parts.append(_line("interval", axis.x(low), 12, axis.x(high), 12))
    if gap is not None:
        parts.append(_dot("gap", axis.x(gap), 12))
    return _drawing(parts, 24, css=look)


def box_strip(
    axis: Axis, spread: Spread, dots: Sequence[Dot], boxes: dict[str, tuple[str, str]], look: str
) -> markupsafe.Markup:
    """Differences as a box with points; `boxes` are the addresses behind the box and either side of it."""
    places = {
        "lower": (spread.low, spread.q1),
        "upper": (spread.q3, spread.high),
        "box": (spread.q1, spread.q3),  # last, and so on top: where all differences are one, it is what is clicked
    }
    parts = [_line("zero", axis.x(0), 0, axis.x(0), 64)]
    parts.append(_line("whisker", axis.x(spread.whisker_low), 44, axis.x(spread.whisker_high), 44))
    low, high = axis.x(spread.q1), axis.x(spread.q3)
    parts.append(f'<rect class="box" x="{low}" y="34" width="{max(high - low, 1):.1f}" height="20"/>')
    parts.append(_line("median", axis.x(spread.median), 31, axis.x(spread.median), 57))
    for name, (begin, end) in places.items():
        href, said = boxes[name]
        left, right = axis.x(begin), axis.x(end)
        wide = max(right - left, 6)
        parts.append(
            f'<a class="behind" href="{escape(href)}" data-into="behind"><title>{escape(said)}</title>'
            f'<rect x="{left}" y="30" width="{wide:.1f}" height="30"/></a>'
        )
    for number, dot in enumerate(dots):
        # Steps of the golden ratio scatter evenly, and the same way each time.
        y = round(4 + 20 * ((number * 0.6180339887) % 1), 1)
        parts.append(
            f'<a class="point" tabindex="-1" href="{escape(dot.href)}" data-into="behind">'
            f"<title>{escape(dot.said)}</title>{_dot('dot', axis.x(dot.value), y)}</a>"
        )
    return _drawing(parts, 64, css=look)


def range_strip(axis: Axis, value: float | None, interval: tuple[float, float] | None) -> markupsafe.Markup:
    """A number with its interval, where zero is nothing special."""
    parts = []
    if interval is not None:
        parts.append(_line("interval", axis.x(interval[0]), 12, axis.x(interval[1]), 12))
    if value is not None:
        parts.append(_dot("gap", axis.x(value), 12))
    return _drawing(parts, 24, css="plain-strip")


def shade(value: float | None, reach: float) -> str:
    """The class of a cell's colour: nine steps to either side of zero; empty where there is nothing."""
    if value is None:
        return "none"
    step = 0 if not reach else round(9 * min(abs(value) / reach, 1.0))
    return f"{'up' if value > 0 else 'down'}-{step}" if step else "zero"


def _band(axis: Axis, delta: float | None) -> str:
    if delta is None:
        return ""
    left, right = axis.x(-delta), axis.x(delta)
    return f'<rect class="band" x="{left}" y="0" width="{right - left:.1f}" height="24"/>'


def _line(css: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{css}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" vector-effect="non-scaling-stroke"/>'


def _dot(css: str, x: float, y: float) -> str:
    return f'<path class="{css}" d="M{x} {y}h0.01" vector-effect="non-scaling-stroke"/>'


def _drawing(parts: Sequence[str], height: int, *, css: str) -> markupsafe.Markup:
    size = f'viewBox="0 0 {WIDE} {height}" preserveAspectRatio="none"'
    drawn = f'<svg class="strip-of {css} tall-{height}" {size} focusable="false">{"".join(parts)}</svg>'
    return markupsafe.Markup(drawn)  # noqa: S704 - numbers, our own words, and texts that were escaped


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")

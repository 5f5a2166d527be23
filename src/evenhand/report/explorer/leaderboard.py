"""Leaderboards of a study: quality beside bias, each with its interval, and ties as ties."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl
from scipy.special import ndtri

from evenhand.errors import UsageError, did_you_mean
from evenhand.report.audit.amounts import number
from evenhand.report.audit.figures import forest_row
from evenhand.report.audit.standing import css, look
from evenhand.report.audit.verdicts import short_verdict, without_tolerance
from evenhand.report.explorer.strips import Axis, gap_strip, range_strip
from evenhand.report.study.words import table_title
from evenhand.studies import Examined, Study, Table

Sort = Literal["quality", "bias"]
Interval = tuple[float, float]
LEVEL = 0.95
MOST_ROWS = 20
"""Of more systems, the first are shown until somebody asks for all."""


@dataclass(frozen=True)
class Place:
    """A system on a leaderboard, with the places that its interval leaves it, of quality and of the size of its gap."""

    system: str
    dimension: str
    spearman: float | None
    spearman_interval: Interval | None
    quality: tuple[int, int] | None
    """The best and the worst place that are not ruled out; None where its quality is not known."""
    gap: float
    gap_interval: Interval | None
    bias: tuple[int, int] | None
    """The same by the size of the gap, the smallest first."""
    verdict: str
    look: str


def spearman_interval(rho: float, n: int, level: float = LEVEL) -> Interval | None:
    """Where Spearman's correlation lies: Fisher's transformation with the variance of Bonett and Wright (2000).

    None where there are too few texts, or they agree wholly.

    >>> [round(end, 2) for end in spearman_interval(0.6, 100)]
    [0.44, 0.72]
    """
    if n < 4 or abs(rho) >= 1:
        return None
    reach = float(ndtri((1 + level) / 2)) * math.sqrt((1 + rho**2 / 2) / (n - 3))
    middle = math.atanh(rho)
    return math.tanh(middle - reach), math.tanh(middle + reach)


def places(intervals: Sequence[Interval | None]) -> list[tuple[int, int] | None]:
    """From which place to which each may stand, the highest first: one is ahead only if its interval lies above.

    >>> places([(0.8, 0.9), (0.5, 0.7), (0.6, 0.75), None])
    [(1, 1), (2, 3), (2, 3), None]
    """
    known = [one for one in intervals if one is not None]
    return [
        None
        if one is None
        else (1 + sum(other[0] > one[1] for other in known), len(known) - sum(other[1] < one[0] for other in known))
        for one in intervals
    ]


def size_interval(interval: Interval | None) -> Interval | None:
    """How large a gap may be, whichever side it favours.

    >>> size_interval((-0.02, 0.05)), size_interval((-0.05, -0.02))
    ((0.0, 0.05), (0.02, 0.05))
    """
    if interval is None:
        return None
    low, high = interval
    return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


def standings(study: Study, dimension: str, table: str, sort: Sort = "quality") -> list[Place]:
    """The systems of a dimension, in order; gaps are in per cent of the range."""
    _table(study, table)
    members = _members(study, dimension)
    quality = [_quality_interval(one) for one in members]
    gaps = [_gap(one, table) for one in members]
    sizes = [size_interval(interval) for _, interval in gaps]
    by_quality = places(quality)
    by_bias = places([None if one is None else (-one[1], -one[0]) for one in sizes])
    found = [
        Place(
            one.system, one.dimension, one.quality.spearman, quality[i], by_quality[i], gaps[i][0], gaps[i][1],
            by_bias[i], short_verdict(one.findings[table]), css(look(one.findings[table])),
        )
        for i, one in enumerate(members)
    ]  # fmt: skip
    if sort == "bias":
        return sorted(found, key=lambda one: (one.gap_interval is None, abs(one.gap), one.system))
    return sorted(found, key=lambda one: (one.spearman is None, -(one.spearman or 0.0), one.system))


def shown(study: Study, dimension: str, table: str, sort: Sort, *, everything: bool) -> dict[str, Any]:
    """The leaderboard as its page has it."""
    found = standings(study, dimension, table, sort)
    quality = Axis.over(value for one in found for value in (one.spearman_interval or (one.spearman,)))
    gaps = Axis.over(value for one in found for value in (one.gap, *(one.gap_interval or ())))
    delta = 100 * study.settings.equivalence
    return {
        "title": table_title(study.tables[table]),
        "quality_ends": quality.ends(),
        "gap_ends": gaps.ends(2),
        "left_out": 0 if everything else max(len(found) - MOST_ROWS, 0),
        "delta": f"{delta:g}",
        "rows": [
            {
                "system": one.system,
                "place": _in_words(one.quality if sort == "quality" else one.bias),
                "spearman": "not known" if one.spearman is None else number(one.spearman),
                "quality": range_strip(quality, one.spearman, one.spearman_interval),
                "gap": number(one.gap, span=100),
                "strip": gap_strip(gaps, one.gap, one.gap_interval or (None, None), one.look, delta=delta),
                "verdict": without_tolerance(one.verdict),
                "look": one.look,
            }
            for one in (found if everything else found[:MOST_ROWS])
        ],
        "ranked": any(one.spearman is not None for one in found),
    }


def frame(study: Study, dimension: str, table: str, sort: Sort) -> pl.DataFrame:
    """The leaderboard as a table."""
    rows = []
    for one in standings(study, dimension, table, sort):
        quality, gap = one.spearman_interval or (None, None), one.gap_interval or (None, None)
        rows.append(
            {
                "system": one.system,
                "dimension": one.dimension,
                "table": table,
                "spearman": one.spearman,
                "spearman_low": quality[0],
                "spearman_high": quality[1],
                "quality_place": _in_words(one.quality),
                "gap_percent": one.gap,
                "gap_percent_low": gap[0],
                "gap_percent_high": gap[1],
                "bias_place": _in_words(one.bias),
                "verdict": one.verdict,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _in_words(place: tuple[int, int] | None) -> str:
    """
    >>> _in_words((1, 1)), _in_words((2, 5)), _in_words(None)
    ('1', '2–5', '–')
    """
    if place is None:
        return "–"
    return str(place[0]) if place[0] == place[1] else f"{place[0]}–{place[1]}"


def _members(study: Study, dimension: str) -> list[Examined]:
    if dimension not in study.dimensions:
        raise UsageError(f"no dimension {dimension!r}{did_you_mean(dimension, study.dimensions)}")
    return study.of(dimension)


def _table(study: Study, name: str) -> Table:
    if name not in study.tables:
        raise UsageError(f"no comparison {name!r}{did_you_mean(name, study.tables)}")
    return study.tables[name]


def _quality_interval(one: Examined) -> Interval | None:
    rho = one.quality.spearman
    return None if rho is None else spearman_interval(rho, one.quality.n)


def _gap(one: Examined, table: str) -> tuple[float, Interval | None]:
    row = forest_row(one.findings[table], one.system)
    low, high = row["general_low"], row["general_high"]
    return row["gap"], None if low is None or high is None else (low, high)

"""Several models side by side: each metric of each, and how far every other one is from the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.measuring import Metrics, ModelDifference
from evenhand.metrics.differences import MetricDifference
from evenhand.report.audit.amounts import number
from evenhand.report.common.console import Column
from evenhand.report.metrics.words import UNDEFINED

MOST_SHOWN = 12
"""Differences that a terminal shows; all are in the JSON and on the page."""
COLUMNS = (
    Column("metric"),
    Column("class"),
    Column("first", right=True),
    Column("other", right=True),
    Column("difference", right=True),
    Column("interval", right=True),
    Column("to the ideal value", wraps=True),
)
CHANGES = {"closer": "closer", "further": "further away", "same": "the same", "cannot tell": "cannot tell"}


@dataclass(frozen=True)
class Difference:
    """One metric of two models, as text."""

    metric: str
    label: str
    one: str
    other: str
    difference: str
    interval: str
    change: str
    why: str

    @property
    def cells(self) -> tuple[str, ...]:
        """A row of a table."""
        return self.metric, self.label, self.one, self.other, self.difference, self.interval, self.change


def models_table(report: Metrics) -> list[dict[str, Any]]:
    """For the page: a table for each two models and attribute."""
    return [
        {
            "title": title_of(pair),
            "one": pair.one,
            "other": pair.other,
            "rows": [_shown(one) for one in pair.differences],
        }
        for pair in report.models
    ]


def title_of(pair: ModelDifference) -> str:
    """Which models, by which attribute."""
    return f"{pair.other} against {pair.one}, {pair.attribute} ({pair.rows:,} rows that both have)"


def told_apart(pair: ModelDifference) -> list[Difference]:
    """The metrics in which the other model is shown to be closer to the ideal value, or further away."""
    found = [one for one in pair.differences if one.change in ("closer", "further")]
    return [_shown(one) for one in sorted(found, key=lambda one: -abs(one.deviation or 0.0))]


def in_short(pair: ModelDifference) -> str:
    """How many metrics tell the models apart, and which way."""
    known = [one for one in pair.differences if one.difference is not None]
    count = {change: sum(one.change == change for one in known) for change in CHANGES}
    return (
        f"{pair.other} is closer to the ideal value than {pair.one} in {count['closer']} of {len(known)} values, "
        f"further away in {count['further']}, the same in {count['same']}; in {count['cannot tell']} the interval "
        "does not tell. Each interval is for its metric alone and for the terms tested."
    )


def _shown(one: MetricDifference) -> Difference:
    return Difference(
        one.metric, one.label, _number(one.one), _number(one.other), _number(one.difference),
        "" if one.interval is None else " to ".join(number(end) for end in one.interval),
        CHANGES[one.change] if one.difference is not None else "", one.undefined or "",
    )  # fmt: skip


def _number(value: float | None) -> str:
    return UNDEFINED if value is None else number(value)


def lines(pairs: Sequence[ModelDifference]) -> Iterator[tuple[str, list[Difference], int, str]]:
    """For the terminal: a title, the largest differences, how many more there are, and all of it in words."""
    for pair in pairs:
        found = told_apart(pair)
        yield title_of(pair), found[:MOST_SHOWN], max(0, len(found) - MOST_SHOWN), in_short(pair)

"""Tables of a repair: what each method costs, and what became of a gap by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.parts import ESTIMATES
from evenhand.repairs.result import Repair
from evenhand.report.audit.amounts import number
from evenhand.report.repair.published import TextTable
from evenhand.report.repair.words import comparison, methods_of, outputs_of, part_after, split_name, tells_more


@dataclass(frozen=True)
class PriceRow:
    """What a method costs for one output: the lowest rank correlations among the splits, and the order of the words."""

    method: str
    output: str
    overall: float | None
    within: float | None
    words: float | None
    spread_kept: float | None
    order_before: float | None
    order_after: float | None
    calls_per_sentence: float | None
    asked_once: int | None


def price_rows(repair: Repair) -> list[PriceRow]:
    """A row for each method and output, the advised method first."""
    return [_price(repair, method, output) for method in methods_of(repair) for output in outputs_of(repair)]


def _price(repair: Repair, method: str, output: str) -> PriceRow:
    prices = [one for one in repair.judgement.prices if (one.method, one.output) == (method, output)]
    order = next((one for one in repair.orders if (one.method, one.output) == (method, output)), None)
    cost = next((one for one in repair.costs if one.method == method), None)
    return PriceRow(
        method,
        output,
        _lowest([one.overall for one in prices]),
        _lowest([one.within for one in prices]),
        _lowest([one.words for one in prices]),
        _lowest([one.spread_kept for one in prices]),
        None if order is None else order.before,
        None if order is None else order.after,
        None if cost is None else cost.calls_per_sentence,
        None if cost is None else cost.asked_once,
    )


def part_tables(outcomes: Sequence[Outcome]) -> list[TextTable]:
    """What became of one gap by part, a row for each method and a table for each column of parts; none where the parts
    tell no more than the average does."""
    if not any(map(tells_more, outcomes)):
        return []
    columns = dict.fromkeys(part.grouping for part in outcomes[0].parts)
    return [_part_table(outcomes, column) for column in columns]


def _part_table(outcomes: Sequence[Outcome], column: str) -> TextTable:
    own = [[part for part in one.parts if part.grouping == column] for one in outcomes]
    after = [(one.method, *map(part_after, parts)) for one, parts in zip(outcomes, own, strict=True)]
    first = outcomes[0]
    return TextTable(
        f"{comparison(first)}, by {column.replace('_', ' ')}, {split_name(first.new)}",
        ("method", *(part.level for part in own[0])),
        (("before", *(number(part.before.value) for part in own[0])), *after),
        "l" + "r" * len(own[0]),
    )


def parts_frame(repair: Repair) -> pl.DataFrame:
    """One row per outcome and part."""
    about = ("method", "output", "attribute", "first", "second", "scope", "new")
    known = ("grouping", "level", "differs_before", "differs_after", "verdict")
    rows = [
        {
            **{name: getattr(one, name) for name in about},
            **{name: getattr(part, name) for name in known},
            **{name: getattr(part, name).value for name in ESTIMATES},
        }
        for one in repair.judgement.outcomes
        for part in one.parts
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _lowest(values: list[float | None]) -> float | None:
    """The lowest; none where one is undefined, as that might be lower."""
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None

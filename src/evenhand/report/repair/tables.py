"""The cost of each method of a repair, as a table."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.repairs.result import Repair
from evenhand.report.repair.words import methods_of, outputs_of


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


def _lowest(values: list[float | None]) -> float | None:
    """The lowest; none where one is undefined, as that might be lower."""
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None

"""Tables of a repair: every outcome with all its numbers, and the price of each method."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import polars as pl

from evenhand.repairs.outcomes import Estimate, Outcome
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


def outcomes_frame(repair: Repair) -> pl.DataFrame:
    """One row per method, output, comparison, kind of persons and split; empty cells are undefined."""
    return pl.DataFrame([_flat(one, repair.alpha) for one in repair.judgement.outcomes], infer_schema_length=None)


def _flat(one: Outcome, alpha: float) -> dict[str, Any]:
    low, high = one.reduction_interval or (None, None)
    names = ("method", "family", "output", "attribute", "first", "second", "scope", "new", "splits", "verdict")
    return {
        **{name: getattr(one, name) for name in names},
        **_estimate("before", one.before, alpha),
        **_estimate("after", one.after, alpha),
        "reduction": one.reduction,
        "reduction_low": low,
        "reduction_high": high,
        "reversed_share": one.reversed_share,
        "spread": one.spread,
        "left_alone": one.left_alone,
        "undefined": one.undefined,
    }


def _estimate(name: str, estimate: Estimate | None, alpha: float) -> dict[str, float | None]:
    low, high = ends(estimate, alpha)
    return {name: None if estimate is None else estimate.value, f"{name}_low": low, f"{name}_high": high}


def ends(estimate: Estimate | None, alpha: float) -> tuple[float | None, float | None]:
    """Both ends of the generalising interval; none where it has no end."""
    if estimate is None:
        return None, None
    low, high = estimate.interval(alpha)
    return (low, high) if isfinite(low) else (None, None)


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

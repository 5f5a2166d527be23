"""The rows of a repair's page: numbers as texts, with the values that tables sort by."""

from __future__ import annotations

from typing import Any

from evenhand.repairs.estimates import Estimate
from evenhand.repairs.layers import Layer
from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.result import WITHIN_AT_LEAST, GoldQuality, Repair
from evenhand.report.audit.amounts import number, shown_p
from evenhand.report.repair.advice import ADVISED, Glance
from evenhand.report.repair.figures import Question, in_order
from evenhand.report.repair.tables import PriceRow
from evenhand.report.repair.words import (
    UNDEFINED,
    VERDICTS,
    correlation,
    family_name,
    far_in_words,
    gone_interval,
    interval,
    kept,
    layer_in_words,
    layer_name,
    methods_of,
    parts_below,
    percent,
    reversed_halves,
    sign,
    split_name,
    verdict,
)

Cells = dict[str, Any]


def glance_cells(one: Glance) -> Cells:
    """A method in one row."""
    counts = [one.closed, one.reduced, one.not_reduced, one.reversed, one.made, one.opened]
    return {
        "method": one.method,
        "family": family_name(one.family),
        "counts": counts,
        "left_alone": percent(one.left_alone),
        "advice": one.advice,
        "kind": "lower" if one.advice == ADVISED else "higher" if one.reversed or one.made or one.opened else "",
    }


def outcome_rows(repair: Repair, question: Question, place: int) -> list[Cells]:
    """What became of one gap, by split and method; `place` is that of the question among all."""
    return [{"question": place, **_row(one, repair.level)} for one in in_order(repair, question)]


def _row(one: Outcome, alpha: float) -> Cells:
    spread, taken = one.spread, "–" if one.reduction is None else percent(one.reduction)
    return {
        "method": one.method,
        "new": split_name(one.new).removeprefix("new "),
        "cells": [
            _gap(one.before, alpha),
            _gap(one.after, alpha),
            _cell(one.left_share, "–" if one.left_share is None else percent(one.left_share)),
            _cell(one.reduction, taken) | {"below": gone_interval(one)},
            _verdict(one),
            {"text": sign(one, alpha), "kind": "", "below": reversed_halves(one)},
            _cell(one.left_alone, percent(one.left_alone)),
            _cell(spread, UNDEFINED if spread is None else number(spread)),
        ],
    }


def _verdict(one: Outcome) -> Cells:
    below = parts_below(one)
    text = VERDICTS[one.verdict][0] if below else verdict(one)
    return {"text": text, "kind": VERDICTS[one.verdict][1], "below": below}


def _gap(estimate: Estimate | None, alpha: float) -> Cells:
    if estimate is None:
        return _cell(None, UNDEFINED)
    return _cell(estimate.value, number(estimate.value)) | {"below": interval(estimate, alpha)}


def _cell(value: float | None, text: str) -> Cells:
    return {"value": "" if value is None else value, "text": text}


def price_cells(one: PriceRow) -> Cells:
    """What a method costs for one output."""
    calls = one.calls_per_sentence
    return {
        "method": one.method,
        "output": one.output,
        "correlations": [
            *(correlation(value) for value in (one.overall, one.within, one.words)),
            kept(one.spread_kept),
        ],
        "reordered": one.within is not None and one.within < WITHIN_AT_LEAST,
        "order": f"{correlation(one.order_before)} → {correlation(one.order_after)}",
        "calls": UNDEFINED if calls is None else f"{calls:,.4g}",
        "once": UNDEFINED if one.asked_once is None else f"{one.asked_once:,}",
    }


def split_prices(repair: Repair) -> list[Cells]:
    """The rank correlations of each split."""
    place = {method: number for number, method in enumerate(methods_of(repair))}
    ordered = sorted(repair.judgement.prices, key=lambda one: place[one.method])
    return [
        {
            "method": one.method,
            "output": one.output,
            "new": split_name(one.new),
            "cells": [
                *(correlation(value) for value in (one.overall, one.within, one.words)),
                kept(one.spread_kept),
            ],
        }
        for one in ordered
    ]


def gold_cells(one: GoldQuality) -> Cells:
    """How well a method agrees with people."""
    return {
        "method": one.method,
        "output": one.output,
        "named": f"{one.named:,} of {one.texts:,}",
        "cells": [f"{correlation(before)} → {correlation(after)}" for before, after in (one.pearson, one.spearman)],
        "others": f"{one.texts - one.named:,}",
        "kept": one.kept,
    }


def layer_cells(one: Layer) -> Cells:
    """A layer with its weights; one that deserves nothing has no weight that would close its gap."""
    return {
        "variable": one.variable,
        "name": layer_name(one),
        "far": far_in_words(one),
        "closing": number(one.closing, span=10) if one.deserved else "–",
        "deserved": percent(one.deserved),
        "share": f"{100 * one.deserved:.3g}",
        "weight": number(one.weight, span=10),
        "p": "–" if one.p is None else shown_p(one.p),
        "words": layer_in_words(one),
    }

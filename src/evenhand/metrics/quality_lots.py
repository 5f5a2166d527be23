"""Resamples of many rows: rows are added up by lots of clusters first, and only the lots are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np

from evenhand.metrics.conllu import BOTH, HEAD
from evenhand.metrics.grids import Grid
from evenhand.metrics.orders import Order
from evenhand.metrics.quality_rows import QualityRows
from evenhand.numbering import pairs_numbered
from evenhand.stats.intervals import MOST_RESAMPLED, cluster_draws, lots
from evenhand.stats.types import Bools, Floats, Ints
from evenhand.stats.weighted import (
    f1_amounts,
    f1_of_sums,
    mean_of_sums,
    pearson_amounts,
    pearson_of_sums,
    weighted_spearman,
)

FEWEST_LOTS = 500
CELLS = 48
"""How many values of a column ranks are told apart by in resamples; the rows themselves have theirs."""
Summed = tuple[Floats, Callable[[Floats], Floats]]
"""By row, what a measure is made of; and the measure from the sums of those, (resamples, amounts)."""


class Kept(Protocol):
    """Rows that are measured, and where what resamples give is kept."""

    members: Bools
    point: dict[str, float]

    def keep(self, name: str, resampled: Floats) -> None:
        """Keep a measure's numbers in all resamples."""


def resample_lots(rows: QualityRows, every: Sequence[Kept], *, resamples: int, seed: int) -> None:
    """All measures of all sets of rows in the same resamples."""
    lot, stratum = _lots(rows, seed=seed)
    clusters = np.arange(len(stratum))
    draws = np.concatenate(list(cluster_draws(clusters, stratum=stratum, resamples=resamples, seed=seed)))
    for measured in every:
        own = lot[measured.members]
        for name, numbers in _resampled(rows, measured, own, draws):
            measured.keep(name, numbers)


def _lots(rows: QualityRows, *, seed: int) -> tuple[Ints, Ints]:
    """The lot of each row, and the stratum of each lot."""
    stratum = np.zeros_like(rows.cluster) if rows.stratum is None else rows.stratum
    of_cluster = np.zeros(int(rows.cluster.max()) + 1, dtype=np.int64)
    of_cluster[rows.cluster] = stratum
    strata = np.unique(of_cluster)
    most = max(FEWEST_LOTS, MOST_RESAMPLED // len(strata))
    lot = np.empty_like(of_cluster)
    number: list[int] = []
    for code in strata.tolist():
        members = np.flatnonzero(of_cluster == code)
        own = lots(len(members), seed=seed, most=most)
        lot[members] = sum(number) + (np.arange(len(members)) if own is None else own)
        number.append(min(most, len(members)))
    return lot[rows.cluster], np.repeat(strata, number)


def _resampled(rows: QualityRows, measured: Kept, lot: Ints, draws: Floats) -> Iterator[tuple[str, Floats]]:
    gold, predicted = rows.gold[measured.members], rows.predicted[measured.members]
    for name, (amounts, of) in _amounts(rows, gold, predicted).items():
        sums = np.stack([np.bincount(lot, weights=one, minlength=draws.shape[1]) for one in amounts.T], axis=1)
        yield name, of(draws @ sums)
    if rows.kind == "regression":
        yield "spearman", _spearman(gold, predicted, lot, draws, measured.point["spearman"])


def _amounts(rows: QualityRows, gold: Floats, predicted: Floats) -> dict[str, Summed]:
    def mean(values: Floats) -> Summed:
        return np.stack([values, np.ones_like(values)], axis=1), mean_of_sums

    if rows.kind == "arcs":
        return {
            "las": mean((predicted == BOTH).astype(np.float64)),
            "uas": mean((predicted >= HEAD).astype(np.float64)),
        }
    if rows.classes is not None:
        codes = gold.astype(np.int64), predicted.astype(np.int64)
        return {
            "accuracy": mean((gold == predicted).astype(np.float64)),
            "macro_f1": (f1_amounts(*codes, classes=rows.classes), f1_of_sums),
        }
    found = {"mae": mean(np.abs(predicted - gold)), "mean_error": mean(predicted - gold)}
    pearson = pearson_amounts(predicted, gold)
    empty = np.zeros((len(gold), 1))
    none: Summed = empty, lambda sums: np.full(len(sums), np.nan)
    return {"pearson": none if pearson is None else (pearson, pearson_of_sums), **found}


def _spearman(gold: Floats, predicted: Floats, lot: Ints, draws: Floats, exact: float) -> Floats:
    """Of ranks on a grid, moved by as much as the grid is off for the rows themselves."""
    cells = [_cell(column) for column in (predicted, gold)]
    kinds, kind = pairs_numbered(*cells)
    number = kinds.shape[1]
    held = np.bincount(lot * number + kind, minlength=draws.shape[1] * number).reshape(-1, number).astype(np.float64)
    first, second = kinds.astype(np.float64)
    off = exact - weighted_spearman(first, second, held.sum(axis=0, keepdims=True))[0]
    found: Floats = np.clip(weighted_spearman(first, second, draws @ held) + off, -1.0, 1.0)
    return found


def _cell(column: Floats) -> Ints:
    order = Order(column)
    cell = np.empty(len(column), dtype=np.int64)
    cell[order.places] = Grid(order, CELLS).cell
    return cell

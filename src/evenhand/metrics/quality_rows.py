"""The rows behind quality by group: columns checked and coded, from memory or from a table on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.tables import TableFile
from evenhand.numbering import UNKNOWN, pairs_numbered, placed
from evenhand.stats.types import Floats, Ints

Kind = Literal["regression", "classification", "arcs"]


@dataclass(frozen=True, eq=False)
class QualityRows:
    """The columns as arrays, in an order that does not depend on that of the file."""

    names: tuple[str, ...]
    group: Ints
    gold: Floats
    """Numbers, or codes of classes."""
    predicted: Floats
    cluster: Ints
    stratum: Ints | None
    """The groups, where each cluster lies in one."""
    classes: int | None
    """How many; None for numbers, and for arcs."""
    kind: Kind
    left_out: int
    """Rows without a group."""


def quality_rows(
    group: Sequence[object],
    gold: Sequence[Any],
    predicted: Sequence[Any],
    *,
    kind: Kind,
    cluster: Sequence[object] | None = None,
    groups: Sequence[str] | None = None,
) -> QualityRows:
    """Check the columns and code them."""
    named = [None if _is_missing(name) else str(name) for name in group]
    columns = {"gold": list(gold), "predicted": list(predicted)} | (
        {} if cluster is None else {"cluster": list(cluster)}
    )
    for what, column in columns.items():
        if len(column) != len(named):
            raise EvenhandError(f"{what} has {len(column):,} entries where group has {len(named):,}")
    names = _chosen(named, groups)
    codes = placed(named, names)
    kept = np.flatnonzero(codes != UNKNOWN).tolist()
    coded: Ints = codes[kept]
    if kind != "classification":
        known, said = (_numbers(what, columns[what], kept) for what in ("gold", "predicted"))
        classes = None
    else:
        labels = [_labels(what, columns[what], kept) for what in ("gold", "predicted")]
        there = sorted({*labels[0], *labels[1]})
        known, said = (placed(column, there).astype(np.float64) for column in labels)
        classes = len(there)
    clusters: Ints = np.zeros(len(kept), dtype=np.int64)
    if cluster is not None:
        _, clusters = np.unique(_labels("cluster", columns["cluster"], kept), return_inverse=True)
    order = np.lexsort((said, known, clusters, coded))
    clusters = np.arange(len(kept)) if cluster is None else clusters[order]
    stratum = coded[order] if _nested(clusters, coded[order]) else None
    missing = sum(name is None for name in named)
    return QualityRows(names, coded[order], known[order], said[order], clusters, stratum, classes, kind, missing)


@dataclass(frozen=True)
class QualityColumns:
    """The columns of a table, as they stand."""

    group: list[str | None]
    gold: list[Any]
    predicted: list[Any]
    cluster: list[str | None] | None


def read_quality_columns(
    path: Path | str, *, by: str, gold: str, predicted: str, kind: Kind, cluster: str | None = None
) -> QualityColumns:
    """Read the columns of those names; what is wrong in rows that have a group is named with its line."""
    named = (by, gold, predicted, *((cluster,) if cluster else ()))
    file = TableFile(Path(path), known=named)
    for name in named:
        if name not in file.frame.columns:
            raise EvenhandError(
                f"{file.path} has no column {name!r}{did_you_mean(name, file.frame.columns)}; it has {file.has}"
            )
    group = file.column(by).texts.to_list()
    needed = [place for place, name in enumerate(group) if name is not None]

    def cells(name: str, *, numeric: bool) -> list[Any]:
        column = file.column(name)
        if not numeric:
            column.refuse_missing(needed)
            return column.texts.to_list()
        column.numbers(rows=needed)
        return column.parsed().to_list()

    numeric = kind == "regression"
    return QualityColumns(
        group,
        cells(gold, numeric=numeric),
        cells(predicted, numeric=numeric),
        cells(cluster, numeric=False) if cluster else None,
    )


def _chosen(named: Sequence[str | None], groups: Sequence[str] | None) -> tuple[str, ...]:
    """The groups in the order of their names, or as asked for."""
    known = sorted({name for name in named if name is not None})
    if not known:
        raise EvenhandError("no row has a group")
    for name in groups or ():
        if name not in known:
            raise UsageError(f"there is no group {name!r}{did_you_mean(name, known)}")
    return tuple(dict.fromkeys(groups or known))


def _is_missing(entry: object) -> bool:
    return entry is None or entry == "" or (isinstance(entry, float) and np.isnan(entry))


def _numbers(what: str, column: Sequence[Any], kept: Sequence[int]) -> Floats:
    try:
        numbers = np.array([column[place] for place in kept], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EvenhandError(f"{what} holds something that is not a number ({error})") from error
    good = np.isfinite(numbers)
    if not good.all():
        raise EvenhandError(f"{what}, row {kept[int(np.argmin(good))] + 1}: not a finite number")
    return numbers


def _labels(what: str, column: Sequence[Any], kept: Sequence[int]) -> list[str]:
    for place in kept:
        if _is_missing(column[place]):
            raise EvenhandError(f"{what}, row {place + 1}: the value is missing")
    return [str(column[place]) for place in kept]


def _nested(cluster: Ints, group: Ints) -> bool:
    """Whether each cluster lies in one group."""
    pairs, _ = pairs_numbered(cluster, group)
    return bool(pairs.shape[1] == len(np.unique(cluster)))

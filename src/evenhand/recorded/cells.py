"""Predictions that others recorded: cells become numbers, or an error that names the line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np
import polars as pl

from evenhand.errors import EvenhandError, did_you_mean, quoted
from evenhand.recorded.mapping import Place
from evenhand.scoring.answers import TOLERANCE
from evenhand.systems.base import Array
from evenhand.tables import TableFile


def numbers(file: TableFile, place: Place, rows: Sequence[int], values: Mapping[str, float] | None) -> Array:
    """The predictions of one output in these rows: finite, and within its range."""
    column = _parsed(file, file.frame[place.column], values)
    low, high = _bounds(place)
    margin = TOLERANCE * place.output.span
    in_file_order = np.sort(np.asarray(rows, dtype=np.intp))
    asked = column[in_file_order]
    bad = ~((asked >= low - margin) & (asked <= high + margin))  # NaN is among them: it compares as false
    if bad.any():
        row = int(in_file_order[bad.argmax()])
        _refuse(file, place, row, values)
    return np.clip(column[list(rows)], low, high)


def _bounds(place: Place) -> tuple[float, float]:
    largest = float(np.finfo(np.float64).max)
    low, high = place.output.low, place.output.high
    return (-largest if low is None else low), (largest if high is None else high)


def _parsed(file: TableFile, column: pl.Series, values: Mapping[str, float] | None) -> Array:
    if column.dtype == pl.String:
        column = column.str.strip_chars()
    elif not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
        raise EvenhandError(f"{file.path}: column {column.name!r} holds {column.dtype}, not numbers")
    if values is not None:
        column = column.cast(pl.String).replace_strict(dict(values), default=None, return_dtype=pl.Float64)
    return column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()


def _refuse(file: TableFile, place: Place, row: int, values: Mapping[str, float] | None) -> NoReturn:
    here = f"{file.where(row)}, column {place.column!r}"
    value = file.frame[place.column][row]
    if value is None or not str(value).strip():
        raise EvenhandError(f"{here}: the value is missing")
    if values is not None and str(value).strip() not in values:
        label = str(value).strip()
        raise EvenhandError(f"{here}: {quoted(label, 80)} is none of the labels{did_you_mean(label, values)}")
    try:
        number = float(str(value)) if values is None else values[str(value).strip()]
    except ValueError:
        raise EvenhandError(f"{here}: {quoted(str(value), 80)} is not a number") from None
    if not np.isfinite(number):
        raise EvenhandError(f"{here}: {value} is not a finite number")
    raise EvenhandError(
        f"{here}: {value} is outside the range {place.output.low:g}..{place.output.high:g}; if it is meant, "
        "give --range LOW,HIGH, or low and high of this output in a system file"
    )

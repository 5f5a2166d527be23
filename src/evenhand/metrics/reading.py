"""Predictions from a table on disk, with errors that name file and line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from evenhand.errors import EvenhandError, quoted
from evenhand.metrics.predictions import MARGIN, SCORE, Predictions
from evenhand.stats.types import Floats
from evenhand.tables import TableFile

PREFIX = "prob_"
PREDICTED = "pred"
NEEDED = ("source", "group")


def read_predictions_table(path: Path | str) -> Predictions:
    """Read `source, group, term, gold` and `prob_<class>`, `pred` or `score` from CSV, TSV, JSON lines or Parquet.

    An empty `group` marks the unperturbed sentence of its source; an empty `gold` is a class that is not known. `term`
    and `gold` may be missing as columns. With `prob_<class>` and no `pred`, the most likely class is predicted.
    `las_correct` and `las_total` together are the counts of a dependency tree's arcs.
    """
    file = TableFile(Path(path))
    columns = file.frame.columns
    for name in NEEDED:
        if name not in columns:
            raise EvenhandError(f"{file.path} has no column {name!r}; there are {', '.join(columns)}")
    named = [name for name in columns if name.startswith(PREFIX)]
    if not named and not {PREDICTED, SCORE, "las_total"} & set(columns):
        raise EvenhandError(f"{file.path} has neither columns {PREFIX}<class> nor a column {PREDICTED!r} or {SCORE!r}")
    if len(named) == 1:
        raise EvenhandError(f"{file.path} has {named[0]!r} only; the probability of every class is needed")
    scored = not named and PREDICTED not in columns and SCORE in columns
    return Predictions.of(
        source=_labels(file, "source", needed=True),
        group=_labels(file, "group"),
        term=_labels(file, "term") if "term" in columns else None,
        gold=_labels(file, "gold") if "gold" in columns and not scored else None,
        probabilities={name.removeprefix(PREFIX): _numbers(file, name, 0.0, 1.0) for name in named} or None,
        predicted=_labels(file, PREDICTED, needed=True) if PREDICTED in columns else None,
        score=_numbers(file, SCORE) if scored else None,
        arcs=_arcs(file) if "las_total" in columns else None,
    )


def _labels(file: TableFile, name: str, *, needed: bool = False) -> list[str | None]:
    """The cells as text without space around them; None where there is nothing."""
    column = file.frame[name]
    if not (column.dtype == pl.String or column.dtype.is_integer() or column.dtype in (pl.Boolean, pl.Null)):
        raise EvenhandError(f"{file.path}: column {name!r} holds {column.dtype}, where labels are needed")
    labels = column.cast(pl.String).str.strip_chars().replace("", None).to_list()
    if needed and None in labels:
        raise EvenhandError(f"{file.where(labels.index(None))}, column {name!r}: the value is missing")
    return labels


def _numbers(file: TableFile, name: str, low: float = -np.inf, high: float = np.inf) -> Floats:
    column = file.frame[name]
    if column.dtype == pl.String:
        column = column.str.strip_chars()
    elif not (column.dtype.is_numeric() or column.dtype == pl.Null):
        raise EvenhandError(f"{file.path}: column {name!r} holds {column.dtype}, not numbers")
    numbers = column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
    good = np.isfinite(numbers) & (numbers >= low - MARGIN) & (numbers <= high + MARGIN)
    if not good.all():
        row = int(np.argmin(good))
        value = file.frame[name][row]
        here = f"{file.where(row)}, column {name!r}"
        if value is None or not str(value).strip():
            raise EvenhandError(f"{here}: the value is missing")
        wrong = "is not a finite number" if not np.isfinite(numbers[row]) else f"is outside {low:g}..{high:g}"
        raise EvenhandError(f"{here}: {quoted(str(value), 80)} {wrong}")
    return np.asarray(numbers, dtype=np.float64)


def _arcs(file: TableFile) -> list[tuple[int, int]]:
    if "las_correct" not in file.frame.columns:
        raise EvenhandError(f"{file.path} has a column 'las_total' but no 'las_correct'")
    correct, total = _numbers(file, "las_correct", 0.0), _numbers(file, "las_total", 0.0)
    bad = (correct > total) | (correct % 1 != 0) | (total % 1 != 0)
    if bad.any():
        row = int(bad.argmax())
        raise EvenhandError(
            f"{file.where(row)}: {correct[row]:g} correct of {total[row]:g} arcs; whole numbers are needed, "
            "no more correct than there are"
        )
    return [(int(right), int(of)) for right, of in zip(correct, total, strict=True)]

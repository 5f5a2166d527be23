"""Predictions from a table on disk, with errors that name file and line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError
from evenhand.files.tables import TableFile
from evenhand.metrics.predictions import MARGIN, SCORE, Predictions
from evenhand.metrics.working import Working, silent
from evenhand.stats.types import Floats

PREFIX = "prob_"
PREDICTED = "pred"
NEEDED = ("source", "group")
KNOWN = (*NEEDED, "term", "gold", PREDICTED, SCORE, "las_correct", "las_total", PREFIX)


def read_predictions_table(path: Path | str, working: Working | None = None) -> Predictions:
    """Read `source, group, term, gold` and `prob_<class>`, `pred` or `score` from CSV, TSV, JSON lines or Parquet.

    An empty `group` marks the unperturbed sentence of its source; an empty `gold` is a class that is not known. `term`
    and `gold` may be missing as columns. With `prob_<class>` and no `pred`, the most likely class is predicted.
    `las_correct` and `las_total` together are the counts of a dependency tree's arcs. `working` shows how far it is.
    """
    file = TableFile(Path(path), known=KNOWN)
    columns = file.frame.columns
    for name in NEEDED:
        if name not in columns:
            raise EvenhandError(f"{file.path} has no column {name!r}; there are {file.has}")
    named = [name for name in columns if name.startswith(PREFIX)]
    if not named and not {PREDICTED, SCORE, "las_total"} & set(columns):
        neither = f"neither columns {PREFIX}<class> nor a column {PREDICTED!r} or {SCORE!r}"
        raise EvenhandError(f"{file.path} has {neither}; it has {file.has}")
    if len(named) == 1:
        raise EvenhandError(f"{file.path} has {named[0]!r} only; the probability of every class is needed")
    scored = not named and PREDICTED not in columns and SCORE in columns
    ways: dict[str, Callable[[], Any]] = {
        "source": file.column("source").complete_labels,
        "group": file.column("group").labels,
    }
    if "term" in columns:
        ways["term"] = file.column("term").labels
    if "gold" in columns and not scored:
        ways["gold"] = file.column("gold").labels
    if named:
        ways["probabilities"] = lambda: {name.removeprefix(PREFIX): _probabilities(file, name) for name in named}
    if PREDICTED in columns:
        ways["predicted"] = file.column(PREDICTED).complete_labels
    if scored:
        ways["score"] = file.column(SCORE).numbers
    if "las_total" in columns:
        ways["arcs"] = lambda: _arcs(file)
    read = {}
    with (working or silent)(f"reading {file.path.name}", len(ways)) as advance:
        for name, way in ways.items():
            read[name] = way()
            advance()
    return Predictions.of(**read)


def _probabilities(file: TableFile, name: str) -> Floats:
    return file.column(name).numbers(low=0.0, high=1.0, margin=MARGIN)


def _arcs(file: TableFile) -> list[tuple[int, int]]:
    if "las_correct" not in file.frame.columns:
        raise EvenhandError(f"{file.path} has a column 'las_total' but no 'las_correct'")
    correct, total = (file.column(name).numbers(low=0.0) for name in ("las_correct", "las_total"))
    bad = (correct > total) | (correct % 1 != 0) | (total % 1 != 0)
    if bad.any():
        row = int(bad.argmax())
        raise EvenhandError(
            f"{file.where(row)}: {correct[row]:g} correct of {total[row]:g} arcs; whole numbers are needed, "
            "no more correct than there are"
        )
    return [(int(right), int(of)) for right, of in zip(correct, total, strict=True)]

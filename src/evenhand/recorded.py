"""Predictions that others recorded: a file of numbers, checked against a corpus and read into `Scores`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import polars as pl

from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, quoted
from evenhand.scoring import Column, Scores
from evenhand.scoring.answers import TOLERANCE
from evenhand.scoring.scores import METADATA
from evenhand.systems.base import Array, Output
from evenhand.tables import TableFile

KEYS = ("id", "text")


def read_predictions(
    path: Path | str, corpus: Corpus, *, name: str | None = None, low: float = 0.0, high: float = 1.0
) -> Scores:
    """Read a csv, tsv (or txt), jsonl or parquet file with a column `text` or `id` and one column per output.

    Rows may come in any order; rows that are not of the corpus are ignored, as are columns that the corpus has too.
    Every sentence of the corpus needs exactly one row, with finite numbers from `low` to `high`. With both columns, the
    ids decide if they are the corpus's, and their texts must then agree. A file of scores that Evenhand saved keeps
    its own systems, outputs and ranges. `name` is what the system is called (by default the file's name).
    """
    file = TableFile(Path(path))
    if METADATA in file.metadata:
        return _saved(file.path, corpus)
    rows = _rows_of_corpus(file, corpus)
    outputs = [Output(column, low=low, high=high) for column in _output_columns(file, corpus)]
    matrix = _numbers(file, rows, outputs, low, high)
    fingerprint = hashlib.sha256(file.content).hexdigest()
    columns = tuple(Column(name or file.path.stem, output, fingerprint) for output in outputs)
    return Scores(tuple(_plain(corpus.frame["id"])), matrix, columns, corpus.digest)


def _saved(path: Path, corpus: Corpus) -> Scores:
    scores = Scores.load(path)
    # Ids alone would match a corpus with other sentences under the same ids, and nothing would look wrong.
    if scores.corpus_digest not in (corpus.digest, corpus.drawn_from):
        raise EvenhandError(
            f"{path} holds scores for another corpus than {corpus.name!r} as it is now (digest "
            f"{scores.corpus_digest[:12]}, not {corpus.digest[:12]}); score it again"
        )
    return replace(scores.select(_plain(corpus.frame["id"])), corpus_digest=corpus.digest)


def _rows_of_corpus(file: TableFile, corpus: Corpus) -> list[int]:
    """For each sentence of the corpus, the row of the file that answers it."""
    spelled = {column.strip().lower(): column for column in file.frame.columns}
    theirs = {key: _plain(file.frame[spelled[key]]) for key in KEYS if key in spelled}
    if not theirs:
        raise EvenhandError(f"{file.path}: no column 'text' or 'id'; it has {', '.join(file.frame.columns)}")
    ours = {key: _plain(corpus.frame[key]) for key in theirs}
    by_id = "id" in theirs and ("text" not in theirs or set(ours["id"]) <= set(theirs["id"]))
    key = "id" if by_id else "text"
    wanted = dict.fromkeys(ours[key])
    found: dict[str, int] = {}
    repeated: dict[str, None] = {}
    for row, value in enumerate(theirs[key]):
        if value in wanted and found.setdefault(value, row) != row:
            repeated[value] = None
    missing = [value for value in wanted if value not in found]
    if missing:
        raise EvenhandError(f"{file.path} misses {_some(missing)} of the {len(wanted):,} in the corpus")
    if repeated:
        raise EvenhandError(f"{file.path} repeats {_some(list(repeated))}; each needs one row")
    rows = [found[value] for value in ours[key]]
    if len(theirs) == len(KEYS) and by_id:
        _refuse_other_texts(file, rows, ours, theirs)
    return rows


def _plain(column: pl.Series) -> list[str]:
    return column.cast(pl.String).str.strip_chars().to_list()


def _some(values: Sequence[str]) -> str:
    examples = ", ".join(quoted(value, 80) for value in values[:3])
    return f"{len(values):,} sentence{'' if len(values) == 1 else 's'} ({examples}{', …' if len(values) > 3 else ''})"


def _refuse_other_texts(
    file: TableFile, rows: Sequence[int], ours: Mapping[str, list[str]], theirs: Mapping[str, list[str]]
) -> None:
    for place, row in enumerate(rows):
        if theirs["text"][row] != ours["text"][place]:
            here, there = quoted(str(theirs["text"][row]), 80), quoted(ours["text"][place], 80)
            raise EvenhandError(f"{file.where(row)}: {ours['id'][place]!r} is {here} here and {there} in the corpus")


def _output_columns(file: TableFile, corpus: Corpus) -> list[str]:
    known = {*KEYS, *(column.lower() for column in corpus.frame.columns)}
    found = [column for column in file.frame.columns if column.lower() not in known]
    if not found:
        raise EvenhandError(f"{file.path}: no column of predictions beside {', '.join(file.frame.columns)}")
    return found


def _numbers(file: TableFile, rows: Sequence[int], outputs: Sequence[Output], low: float, high: float) -> Array:
    table: Array = np.column_stack([_parsed(file, file.frame[output.name]) for output in outputs])
    in_file_order = sorted(rows)
    margin = TOLERANCE * (high - low)
    asked = table[in_file_order]
    bad = np.argwhere(~((asked >= low - margin) & (asked <= high + margin)))  # NaN is among them: it compares as false
    if len(bad):
        row, output = in_file_order[bad[0, 0]], outputs[bad[0, 1]]
        _refuse_value(file, row, output, file.frame[output.name][row])
    return np.clip(table[list(rows)], low, high)


def _parsed(file: TableFile, column: pl.Series) -> Array:
    if column.dtype == pl.String:
        column = column.str.strip_chars()
    elif not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
        raise EvenhandError(f"{file.path}: column {column.name!r} holds {column.dtype}, not numbers")
    return column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()


def _refuse_value(file: TableFile, row: int, output: Output, value: object) -> NoReturn:
    here = f"{file.where(row)}, column {output.name!r}"
    if value is None or not str(value).strip():
        raise EvenhandError(f"{here}: the value is missing")
    try:
        number = float(str(value))
    except ValueError:
        raise EvenhandError(f"{here}: {quoted(str(value), 80)} is not a number") from None
    if not np.isfinite(number):
        raise EvenhandError(f"{here}: {value} is not a finite number")
    raise EvenhandError(
        f"{here}: {value} is outside the range {output.low:g}..{output.high:g}; if it is meant, give --range LOW,HIGH"
    )

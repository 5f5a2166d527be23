"""What people answered: the labels of several annotators, read from their files, and what the majority says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import EvenhandError, UsageError, did_you_mean, quoted
from evenhand.files.columns import TableColumn
from evenhand.files.tables import TableFile
from evenhand.systems.base import Array
from evenhand.systems.hashed import uniform

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

LABELS = (-1, 0, 1)
LABEL_COLUMNS = ("label", "sentiment", "annotation", "s_h", "s_h.")
"""Where files have the labels; the last two as in Lakkaraju et al. (2023)."""

LABEL = re.compile(r"(?P<sign>[-−–+]?)(?P<digit>[01])(?:\.0*)?")
"""Minus signs as spreadsheets write them, and numbers as they do."""


@dataclass(frozen=True, eq=False)
class Annotations:
    """The labels of several annotators: −1 (negative), 0 (neutral), 1 (positive).

    `matrix` has a row per annotator and a column per text; NaN where an annotator gave no label.
    """

    annotators: tuple[str, ...]
    texts: tuple[str, ...]
    matrix: Array
    seed: int = 0

    @cached_property
    def votes(self) -> dict[str, float]:
        """What the majority says about each text that somebody labelled.

        Where several labels are the most frequent, one of them is drawn: always the same for the same text and seed.
        """
        return {
            text: _majority(column[~np.isnan(column)], text, self.seed)
            for text, column in zip(self.texts, self.matrix.T, strict=True)
            if not np.isnan(column).all()
        }

    @cached_property
    def ties(self) -> tuple[str, ...]:
        """The texts whose label had to be drawn."""
        return tuple(
            text
            for text, column in zip(self.texts, self.matrix.T, strict=True)
            if len(_most_frequent(column[~np.isnan(column)])) > 1
        )


def read_annotations(
    paths: Sequence[Path], *, corpus: Corpus | None = None, label: str | None = None, seed: int = 0
) -> Annotations:
    """Read one file per annotator (csv, tsv, jsonl or parquet) with a column `text`, or `id`, and one of labels.

    Ids are looked up in the corpus; where there are both, the text decides. Labels are −1, 0 and 1; an empty cell is no
    label. `label` names their column (else label, sentiment, annotation or S_H). An annotator who met a text several
    times has one vote: the most frequent of their labels, drawn as above where there are several.
    """
    if len(set(paths)) < len(paths):
        raise UsageError(f"{Counter(paths).most_common(1)[0][0]} is named twice; each annotator has one file")
    given: list[dict[str, float | None]] = []
    for path in paths:
        file = TableFile(path)
        given.append(_one_vote_a_text(_read(file, corpus, label), seed))
    texts = tuple(dict.fromkeys(text for one in given for text in one))
    matrix = np.array([[_or_nan(one.get(text)) for text in texts] for one in given], dtype=np.float64)
    if np.isnan(matrix).all():
        raise EvenhandError(f"{', '.join(map(str, paths))}: nothing has been labelled yet")
    return Annotations(_names(paths), texts, matrix, seed)


def _read(file: TableFile, corpus: Corpus | None, label: str | None) -> list[tuple[str, float | None]]:
    spelled = {column.strip().lower(): column for column in file.frame.columns}
    column = _label_column(file, spelled, label)
    texts = _texts(file, spelled, corpus)
    labels = file.column(column)
    return [(text, _label(labels, row, cell)) for row, (text, cell) in enumerate(zip(texts, labels.texts, strict=True))]


def _label_column(file: TableFile, spelled: Mapping[str, str], label: str | None) -> str:
    wanted = LABEL_COLUMNS if label is None else (label.strip().lower(),)
    found = [spelled[name] for name in wanted if name in spelled]
    if not found:
        raise EvenhandError(
            f"{file.path}: no column {wanted[0]!r}{did_you_mean(wanted[0], spelled)}; it has {file.has}"
        )
    return found[0]


def _texts(file: TableFile, spelled: Mapping[str, str], corpus: Corpus | None) -> list[str]:
    if "text" in spelled:
        column = file.column(spelled["text"])
        column.refuse_missing()
        return column.texts.to_list()
    if "id" not in spelled:
        raise EvenhandError(f"{file.path}: no column 'text' or 'id'; it has {file.has}")
    known = {} if corpus is None else dict(zip(corpus.frame["id"], corpus.frame["text"], strict=True))
    ids = [str(id_).strip() for id_ in file.frame[spelled["id"]].to_list()]
    for row, id_ in enumerate(ids):
        if id_ not in known:
            of = "; it has no column 'text'" if corpus is None else f" in the corpus {corpus.name!r}"
            raise EvenhandError(f"{file.where(row)}: no sentence has the id {quoted(id_, 60)}{of}")
    return [str(known[id_]).strip() for id_ in ids]


def _label(column: TableColumn, row: int, cell: str | None) -> float | None:
    if cell is None:
        return None
    match = LABEL.fullmatch(cell)
    if match is None:
        raise column.error(row, f"{quoted(cell, 60)} is not -1, 0 or 1")
    number = float(match["digit"])
    return -number if match["sign"] in ("-", "−", "–") and number else number


def _one_vote_a_text(rows: Sequence[tuple[str, float | None]], seed: int) -> dict[str, float | None]:
    met: dict[str, list[float]] = {}
    for text, label in rows:
        met.setdefault(text, []).extend([] if label is None else [label])
    return {text: _majority(np.array(labels), text, seed) if labels else None for text, labels in met.items()}


def _majority(labels: Array, text: str, seed: int) -> float:
    tied = _most_frequent(labels)
    return tied[int(uniform("tie", seed, [text])[0] * len(tied))]


def _most_frequent(labels: Array) -> list[float]:
    counts = Counter(labels.tolist())
    return sorted(label for label, count in counts.items() if count == max(counts.values()))


def _names(paths: Sequence[Path]) -> tuple[str, ...]:
    stems = [path.stem for path in paths]
    return tuple(stems if len(set(stems)) == len(stems) else map(str, paths))


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value

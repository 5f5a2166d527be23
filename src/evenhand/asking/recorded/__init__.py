"""Predictions that others recorded: a file of numbers or labels, checked against a corpus and read into `Scores`."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.asking import Column, Scores
from evenhand.asking.recorded.cells import numbers
from evenhand.asking.recorded.mapping import Among, Mapped, Wanted
from evenhand.asking.recorded.rows import plain, rows_of_corpus
from evenhand.asking.scores import METADATA
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.files.tables import TableFile
from evenhand.files.task_files import as_task_file
from evenhand.systems.yours.declared import recognised

__all__ = ["read_predictions"]

log = logging.getLogger(__name__)


def read_predictions(
    path: Path | str,
    corpus: Corpus,
    *,
    name: str | None = None,
    low: float = 0.0,
    high: float = 1.0,
    text: Any = None,
    id: Any = None,
    outputs: Any = None,
    long: Any = None,
    label: Any = None,
    values: Any = None,
    kind: str | None = None,
) -> Scores:
    """Read a csv, tsv (or txt), jsonl or parquet file with a column `text` or `id` and one column per output.

    Rows may come in any order; rows that are not of the corpus are ignored, as are columns that the corpus has too.
    Every sentence of the corpus needs a row, with finite numbers from `low` to `high`; a row that stands
    there twice with the same numbers counts once. With both columns, the ids decide if they are the corpus's, and their
    texts must then agree. A file of scores that Evenhand saved keeps its own systems, outputs and ranges. `name` is
    what the system is called (by default the file's name).

    Files of other shapes are read through a mapping. `text` and `id` are what those columns are called. `outputs` are
    the columns to read: a list, or a mapping from columns to outputs (a new name, or name, low, high, kind). `long`
    (`{name: COLUMN, value: COLUMN}`) reads one row per sentence and output. `label` is a column of labels, and `values`
    says what each is worth, as in `{negative: 0, positive: 1}`: an ordinal output.

    Files of the shared task (`ID, Tweet, Affect Dimension, Intensity Score`) need no mapping: the tweets are the texts,
    and the output is called after the dimension.

    `kind` is what the outputs are that don't say: score, probability, ordinal or class. Where it is not said and the
    outputs are numbers from 0 to 1 that add up to one in every row, they are the probabilities of classes.
    """
    file = TableFile(Path(path))
    wanted = Wanted(
        text=text, id=id, outputs=outputs, long=long, label=label, values=values, kind=kind, low=low, high=high
    )
    task = as_task_file(file) if wanted.leaves_columns_open else None
    if task is not None:
        file, wanted = task.table, wanted.of_task(task)
    if METADATA in file.metadata:
        if wanted.declared:
            raise UsageError(f"{path} holds scores that Evenhand saved: they are read as they are, without a mapping")
        return _saved(file.path, corpus)
    mapped = Mapped.of(file, corpus, wanted)
    said: dict[Among | None, list[str]] = {}
    for place in mapped.places:
        said.setdefault(place.among, []).append(place.column)
    rows = {among: rows_of_corpus(file, corpus, mapped.keys, among, said=names) for among, names in said.items()}
    matrix = np.column_stack([numbers(file, place, rows[place.among], mapped.values) for place in mapped.places])
    fingerprint = hashlib.sha256(file.content + wanted.declared.encode()).hexdigest()
    outputs, remark = recognised(
        [place.output for place in mapped.places], lambda: matrix, kind_is_open=wanted.leaves_kind_open
    )
    if remark:
        log.info("%s: %s", path, remark)
    columns = tuple(Column(name or file.path.stem, output, fingerprint) for output in outputs)
    return Scores(tuple(plain(corpus.frame["id"])), matrix, columns, corpus.digest)


def _saved(path: Path, corpus: Corpus) -> Scores:
    scores = Scores.load(path)
    # Ids alone would match a corpus with other sentences under the same ids, and nothing would look wrong.
    if scores.corpus_digest not in (corpus.digest, corpus.drawn_from):
        raise EvenhandError(
            f"{path} holds scores for another corpus than {corpus.name!r} as it is now (digest "
            f"{scores.corpus_digest[:12]}, not {corpus.digest[:12]}); score it again"
        )
    return replace(scores.select(plain(corpus.frame["id"])), corpus_digest=corpus.digest)

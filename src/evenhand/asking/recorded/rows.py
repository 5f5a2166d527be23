"""Predictions that others recorded: which row of the file answers which sentence of the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from evenhand.asking.recorded.mapping import KEYS, Among
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, quoted
from evenhand.files.columns import stripped
from evenhand.files.tables import TableFile


def rows_of_corpus(file: TableFile, corpus: Corpus, keys: Mapping[str, str], among: Among | None) -> list[int]:
    """For each sentence of the corpus, the row of the file that answers it (of a long file: for one output)."""
    theirs = {key: plain(file.frame[column]) for key, column in keys.items()}
    ours = {key: plain(corpus.frame[key]) for key in theirs}
    by_id = "id" in theirs and ("text" not in theirs or set(ours["id"]) <= set(theirs["id"]))
    key = "id" if by_id else "text"
    candidates = range(file.frame.height) if among is None else _rows_among(file, among)
    wanted = dict.fromkeys(ours[key])
    found: dict[str, int] = {}
    repeated: dict[str, None] = {}
    for row in candidates:
        value = theirs[key][row]
        if value in wanted and found.setdefault(value, row) != row:
            repeated[value] = None
    whose = "" if among is None else f" for {among.value!r}"
    missing = [value for value in wanted if value not in found]
    if missing:
        raise EvenhandError(f"{file.path} misses {some_sentences(missing)} of the {len(wanted):,} in the corpus{whose}")
    if repeated:
        raise EvenhandError(f"{file.path} repeats {some_sentences(list(repeated))}{whose}; each needs one row")
    rows = [found[value] for value in ours[key]]
    if len(theirs) == len(KEYS) and by_id:
        _refuse_other_texts(file, rows, ours, theirs)
    return rows


def plain(column: pl.Series) -> list[str]:
    """The cells as text, without space around them."""
    return stripped(column).to_list()


def _rows_among(file: TableFile, among: Among) -> list[int]:
    return [row for row, value in enumerate(plain(file.frame[among.column])) if value == among.value]


def some_sentences(values: Sequence[str]) -> str:
    """So many sentences, and the first three of them."""
    examples = ", ".join(quoted(value, 80) for value in values[:3])
    return f"{len(values):,} sentence{'' if len(values) == 1 else 's'} ({examples}{', …' if len(values) > 3 else ''})"


def _refuse_other_texts(
    file: TableFile, rows: Sequence[int], ours: Mapping[str, list[str]], theirs: Mapping[str, list[str]]
) -> None:
    for place, row in enumerate(rows):
        if theirs["text"][row] != ours["text"][place]:
            here, there = quoted(str(theirs["text"][row]), 80), quoted(ours["text"][place], 80)
            raise EvenhandError(f"{file.where(row)}: {ours['id'][place]!r} is {here} here and {there} in the corpus")

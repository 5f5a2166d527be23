"""Predictions that others recorded: which row of the file answers which sentence of the corpus."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence

import polars as pl

from evenhand.asking.recorded.mapping import KEYS, Among
from evenhand.corpora.corpus import Corpus
from evenhand.corpora.table import SPELLED
from evenhand.errors import EvenhandError, quoted
from evenhand.files.columns import stripped
from evenhand.files.tables import TableFile

log = logging.getLogger(__name__)


def rows_of_corpus(
    file: TableFile, corpus: Corpus, keys: Mapping[str, str], among: Among | None, *, said: Sequence[str] = ()
) -> list[int]:
    """For each sentence of the corpus, the row of the file that answers it (of a long file: for one output).

    A sentence may stand there twice where both rows say the same in the columns `said`; they count once.
    """
    theirs = {key: plain(file.frame[column]) for key, column in keys.items()}
    ours = {key: plain(corpus.frame[key]) for key in theirs}
    by_id = "id" in theirs and ("text" not in theirs or set(ours["id"]) <= set(theirs["id"]))
    key = "id" if by_id else "text"
    candidates = range(file.frame.height) if among is None else _rows_among(file, among)
    wanted = dict.fromkeys(ours[key])
    found: dict[str, int] = {}
    again: dict[str, list[int]] = {}
    for row in candidates:
        value = theirs[key][row]
        if value in wanted and found.setdefault(value, row) != row:
            again.setdefault(value, []).append(row)
    whose = "" if among is None else f" for {among.value!r}"
    missing = [value for value in wanted if value not in found]
    if missing:
        hint = _spelled_otherwise(missing, set(theirs[key]))
        raise EvenhandError(
            f"{file.path} misses {some_sentences(missing)} of the {len(wanted):,} in the corpus{whose}{hint}"
        )
    if again:
        _refuse_conflicts(file, found, again, said, whose)
    rows = [found[value] for value in ours[key]]
    if len(theirs) == len(KEYS) and by_id:
        _refuse_other_texts(file, rows, ours, theirs)
    return rows


def _spelled_otherwise(missing: Sequence[str], theirs: Collection[str]) -> str:
    """Which of the EEC's public spellings a file has, where that is all that it lacks."""
    one, other = SPELLED.items()
    for (_, ours), (spelling, word) in ((one, other), (other, one)):
        if all(ours in sentence and sentence.replace(ours, word) in theirs for sentence in missing):
            return f"; it has the {spelling} spelling ({word}), which is asked for with --spelling {spelling}"
    return ""


def _refuse_conflicts(
    file: TableFile, found: Mapping[str, int], again: Mapping[str, list[int]], said: Sequence[str], whose: str
) -> None:
    """Raise where a sentence has two different answers; where they are the same, say how often."""
    answers = [_comparable(plain(file.frame[column])) for column in said]
    conflicts = {
        value: next((row for row in rows if any(one[row] != one[found[value]] for one in answers)), None)
        for value, rows in again.items()
    }
    bad = {value: row for value, row in conflicts.items() if row is not None}
    if bad or not said:
        value, other = next(iter(bad.items()), (next(iter(again)), next(iter(again.values()))[0]))
        places = [file.where(row).removeprefix(f"{file.path}, ") for row in (found[value], other)]
        raise EvenhandError(
            f"{file.path} repeats {some_sentences(list(bad or again))}{whose} with other scores (the first on "
            f"{' and '.join(places)}); each needs one score"
        )
    more = sum(map(len, again.values()))
    log.info(
        "%s repeats %s%s with the same scores; %s counted once",
        file.path, some_sentences(list(again)), whose, "the row more is" if more == 1 else f"{more:,} rows more are",
    )  # fmt: skip


def _comparable(cells: Sequence[str]) -> list[str | float]:
    """Cells, as numbers where they are some: 0.5 and 0.50 are the same score."""
    return [_number_or_text(cell) for cell in cells]


def _number_or_text(cell: str) -> str | float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return cell


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

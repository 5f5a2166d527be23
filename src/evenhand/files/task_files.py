"""Files of a shared task on affect: texts with the scores of one affect dimension."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.tables import TableFile

DIMENSIONS = ("anger", "fear", "joy", "sadness", "valence")
NONE = "NONE"
"""What stands where there is no score."""

MYSTERY = r"(?i)(?:^|[-_])mystery(?:[-_]|$)"
"""What ids of the task's second test set say, which people never scored: `2018-En-mystery-05498`."""
NEARLY_ALL = 0.99
"""Where this share of such rows has one and the same number, that number stands in place of a score."""

NUMBERED_CLASS = r"^\s*([+-]?\d+)\s*:"
"""A class that begins with its number: `-3: very negative`."""

PEEK = 4096
"""Bytes that tell what a file's encoding and line ends are."""

CALLED = {
    "id": ("id",),
    "text": ("tweet", "text", "sentence"),
    "dimension": ("affect dimension", "dimension"),
    "score": ("intensity score", "score", "prediction", "intensity class"),
}
"""What files call each column, in any case, with spaces or underscores."""


@dataclass(frozen=True)
class TaskFile:
    """One file: `ID, Tweet, Affect Dimension, Intensity Score`, tab separated with plain quotes; or any other table."""

    path: Path
    columns: tuple[tuple[str, str], ...] = ()
    """Columns that are called otherwise, as (role, name)."""

    @cached_property
    def table(self) -> TableFile:
        """The file as a table."""
        table = TableFile(self.path, plain_quotes=True, any_encoding=True)
        if table.ending != ".parquet":
            _refuse_odd_bytes(table)
        return table

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its content."""
        return hashlib.sha256(self.table.content).hexdigest()

    @cached_property
    def ids(self) -> pl.Series | None:
        """Their names in the task; None for files without."""
        found = self._found("id")
        return None if found is None else self.table.column(found).texts

    @property
    def text_column(self) -> str:
        """The column of texts, as the file spells it."""
        return self._needed("text")

    @cached_property
    def texts(self) -> pl.Series:
        """The texts, without space around them; null where there is none."""
        return self.table.column(self.text_column).texts

    @cached_property
    def dimension(self) -> str | None:
        """The affect dimension of all rows, as the file says; None if it does not. Two of them are refused."""
        found = self._found("dimension")
        if found is None:
            return None
        values = self.table.column(found).texts.str.to_lowercase()
        named = values.unique(maintain_order=True).drop_nulls().to_list()
        if not named:
            return None
        if len(named) > 1:
            row = int((values != named[0]).fill_null(False).arg_max() or 0)
            raise EvenhandError(
                f"{self.table.where(row)}: {named[1]!r} in a file of {named[0]!r}: one dimension a file"
            )
        return str(named[0])

    @cached_property
    def score_column(self) -> str | None:
        """The column of scores, as the file spells it."""
        return self._found("score")

    def cells(self, column: str | None = None) -> pl.Series:
        """The scores as they stand, as text or numbers."""
        return self.table.frame[column or self._needed("score")]

    def scores(self, column: str | None = None) -> pl.Series:
        """The scores; null where there is none or no number. Of a class such as `2: moderate`, its number."""
        cells = self.cells(column)
        numbers = self.table.column(cells.name).parsed()
        if cells.dtype == pl.String and numbers.null_count() == len(numbers):
            numbers = cells.str.extract(NUMBERED_CLASS, 1).cast(pl.Float64, strict=False)
        return numbers

    def score_texts(self) -> pl.Series:
        """The scores, or labels in their place, as texts without space around them; null where there is none."""
        return self.table.column(self._needed("score")).texts

    def without_score(self) -> pl.Series:
        """Whether each row has no score that people gave: an empty cell, NONE, or a number in place of a score."""
        return (self.score_texts().str.to_uppercase() == NONE).fill_null(True) | self.placeholders

    @cached_property
    def placeholders(self) -> pl.Series:
        """Whether each row is of the task's second test set and holds the number that stands there instead of a score.

        Official gold files list the 16,937 texts of that set with `0.000`. Of predictions, where these rows have
        scores like all others, nobody asks this.
        """
        nobody = pl.repeat(False, len(self.texts), eager=True)
        if self.ids is None:
            return nobody
        numbers = self.scores()
        unscored = self.ids.str.contains(MYSTERY).fill_null(False) & numbers.is_not_null()
        there = numbers.filter(unscored)
        if there.is_empty():
            return nobody
        usual = there.mode().sort()[0]
        same = there == usual
        if same.mean() < NEARLY_ALL or (len(there) == 1 and usual != 0):
            return nobody
        found: pl.Series = unscored & (numbers == usual).fill_null(False)
        return found

    @property
    def placeholders_in_words(self) -> str | None:
        """How many rows of the second test set hold a number in place of a score, and which; None if none does."""
        rows = self.placeholders
        if not rows.any():
            return None
        usual = self.scores().filter(rows)[0]
        return (
            f"{int(rows.sum()):,} of {len(rows):,} rows are of the task's second test set, which people never scored "
            f"(their ids say 'mystery'): the {usual:g} that stands there is not a score, and they are left out"
        )

    def refuse_no_text(self) -> None:
        """Each row needs a text."""
        self.table.column(self._needed("text")).refuse_missing()

    def refuse_second_header(self) -> None:
        """Files that were put together by hand have one in the middle."""
        again = self.texts == self._needed("text").strip()
        if again.any():
            raise EvenhandError(f"{self.table.where(int(again.arg_max() or 0))}: a second header")

    def score_or_why(self, row: int, column: str | None = None) -> str:
        """What is wrong with the score in a row, with its place."""
        read = self.table.column(self.cells(column).name)
        is_none = (read.texts[row] or "").upper() == NONE
        return str(read.error(row, f"{NONE} in place of a score" if is_none else read.why_no_number(row)))

    def _found(self, role: str) -> str | None:
        columns = self.table.frame.columns
        declared = dict(self.columns).get(role)
        if declared is not None:
            self.table.refuse_unread(declared)
            if declared not in columns:
                raise UsageError(f"{self.path}: no column {declared!r}{did_you_mean(declared, columns)}")
            return declared
        spelled = {column.strip().lower().replace("_", " "): column for column in reversed(columns)}
        return next((spelled[name] for name in CALLED[role] if name in spelled), None)

    def _needed(self, role: str) -> str:
        found = self._found(role)
        if found is None:
            raise EvenhandError(f"{self.path}: no column of {role}s ({_either(CALLED[role])}); it has {self.table.has}")
        return found


def as_task_file(file: TableFile) -> TaskFile | None:
    """The file as one of the task, where its header is that of the task's files."""
    names = {name.strip(' "').lower() for name in file.header} if file.separator else set()
    return TaskFile(file.path) if {"tweet", "affect dimension"} <= names else None


def known_dimension(name: str) -> str:
    """The name in its usual spelling, or an error that lists the known ones.

    >>> known_dimension(" Anger")
    'anger'
    """
    spelled = name.strip().lower()
    if spelled not in DIMENSIONS:
        raise UsageError(f"unknown affect dimension {name!r}{did_you_mean(spelled, DIMENSIONS)}")
    return spelled


def dimension_in_name(path: Path) -> str | None:
    """The dimension that a file's name speaks of: `EI-reg_en_anger_pred.txt`, `V-reg_en_pred.txt`.

    >>> dimension_in_name(Path("EI-reg_en_joy_pred.txt")), dimension_in_name(Path("V-reg_en_pred.txt"))
    ('joy', 'valence')
    """
    stem = path.stem.lower()
    named = [dimension for dimension in DIMENSIONS if dimension in stem]
    if not named and (stem.startswith(("v-reg", "v-oc")) or "-v-reg" in stem or "-v-oc" in stem):
        return "valence"
    return named[0] if len(named) == 1 else None


def _refuse_odd_bytes(table: TableFile) -> None:
    """Files that would read as one long line, or as one letter in two: say what they look like."""
    start = table.content[:PEEK]
    if b"\0" in start:
        raise EvenhandError(f"{table.path}: it looks like UTF-16 (it holds zero bytes); save it as UTF-8")
    if b"\r" in start and b"\n" not in table.content:
        raise EvenhandError(f"{table.path}: its lines end with a carriage return alone; save it with line feeds")


def _either(names: Sequence[str]) -> str:
    return " or ".join(repr(name) for name in names)

"""Columns of tables: cells become texts, labels or numbers, or an error that names file, line, column and cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.errors import EvenhandError, did_you_mean, quoted
from evenhand.settings import LARGEST

SHOWN = 80
"""Characters of a cell that an error shows."""
MISSING = "the value is missing"
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TableColumn:
    """One column of a table: its cells, what the table is called, and how to say where a row stands in it."""

    cells: pl.Series
    called: str
    where: Callable[[int], str]

    @cached_property
    def texts(self) -> pl.Series:
        """The cells as texts without space around them; null where there is nothing."""
        return self._texts("texts").replace("", None)

    def labels(self) -> list[str | None]:
        """The cells as texts that name something, which a fraction does not."""
        if self.cells.dtype.is_float() and not self.cells.is_null().all():
            self._is_no_column_of("labels")
        return self._texts("labels").replace("", None).to_list()

    def complete_labels(self) -> list[str]:
        """The labels of a column in which every row has one."""
        labels = self.labels()
        self.refuse_missing()
        return [str(label) for label in labels]

    def parsed(self) -> pl.Series:
        """The cells as numbers, of which some may not be finite; null where there is nothing, or no number.

        One that would overflow in a sum of squares is refused.
        """
        dtype = self.cells.dtype
        if dtype.is_nested() or dtype.is_temporal():
            self._is_no_column_of("numbers")
        plain = dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)
        numbers = (self.cells if plain else self._texts("numbers")).cast(pl.Float64, strict=False)
        large = (numbers.is_finite() & (numbers.abs() > LARGEST)).arg_true()
        if len(large):
            row = int(large[0])
            raise self.error(row, f"{self.cells[row]} is too large to calculate with: numbers go up to {LARGEST:g}")
        return numbers

    def numbers(
        self,
        *,
        rows: Sequence[int] | None = None,
        low: float = -np.inf,
        high: float = np.inf,
        margin: float = 0.0,
        worth: Mapping[str, float] | None = None,
        if_meant: str = "",
    ) -> Numbers:
        """The numbers in these rows (default: in all): finite, and from `low` to `high`, give or take the margin.

        `worth` says what each label stands for, where cells are labels. `if_meant` ends the error about a number that
        is outside, as in "; give its bounds".
        """
        parsed = self.parsed() if worth is None else _worth(self.texts, worth)
        numbers = parsed.fill_null(np.nan).to_numpy()
        asked = _rows(numbers, rows)
        chosen = numbers[asked]
        good = np.isfinite(chosen) & (chosen >= low - margin) & (chosen <= high + margin)
        if not good.all():
            row = int(asked[~good].min())
            if np.isfinite(numbers[row]):
                raise self.error(row, f"{self.texts[row]} is outside the range {low:g}..{high:g}{if_meant}")
            raise self.error(row, self.why_no_number(row, worth=worth))
        return np.asarray(chosen, dtype=np.float64)

    def refuse_missing(self, rows: Sequence[int] | None = None) -> None:
        """Refuse the column if one of these rows (default: any) has nothing in it."""
        missing = self.texts.is_null().to_numpy()
        asked = _rows(missing, rows)
        if missing[asked].any():
            raise self.error(int(asked[missing[asked]].min()), MISSING)

    def refuse_other_than(self, known: Sequence[str]) -> None:
        """Refuse a text that is none of these; cells may be empty."""
        other = (self.texts.is_not_null() & ~self.texts.is_in(known)).arg_true()
        if len(other):
            row = int(other[0])
            raise self.error(row, f"{quoted(self.texts[row], SHOWN)} is not {' or '.join(known)}")

    def error(self, row: int, why: str) -> EvenhandError:
        """What is wrong in a row, and where that is."""
        return EvenhandError(f"{self.where(row)}, column {self.cells.name!r}: {why}")

    def why_no_number(self, row: int, *, worth: Mapping[str, float] | None = None) -> str:
        """Why a cell is no finite number."""
        text = self.texts[row]
        if text is None:
            return MISSING
        if worth is not None and text not in worth:
            return f"{quoted(text, SHOWN)} is none of the labels{did_you_mean(text, worth)}"
        if worth is None and self.parsed()[row] is None:
            instead = "; write a decimal point, not a comma" if DECIMAL_COMMA.fullmatch(text) else ""
            return f"{quoted(text, SHOWN)} is not a number{instead}"
        return f"{text} is not a finite number"

    def _texts(self, what: str) -> pl.Series:
        if self.cells.dtype.is_nested():
            self._is_no_column_of(what)
        try:
            return stripped(self.cells)
        except pl.exceptions.PolarsError:
            self._is_no_column_of(what)

    def _is_no_column_of(self, what: str) -> NoReturn:
        raise EvenhandError(f"{self.called}: column {self.cells.name!r} holds {self.cells.dtype}, not {what}")


def column_of(frame: pl.DataFrame, name: str, *, called: str = "the table") -> TableColumn:
    """A column of a table in memory, whose rows are counted from 1."""
    return TableColumn(frame[name], called, lambda row: f"{called}, row {row + 1}")


def stripped(cells: pl.Series) -> pl.Series:
    """The cells as text, without space around them."""
    return cells.cast(pl.String).str.strip_chars()


def not_flat(dtype: pl.DataType) -> str | None:
    """What cells of a type hold that are no texts, numbers, or true and false; None if they are."""
    if isinstance(dtype, pl.List | pl.Array):
        return "lists"
    if isinstance(dtype, pl.Struct):
        return "mappings"
    if dtype in (pl.Binary, pl.Duration):
        return "bytes" if dtype == pl.Binary else "durations"
    known = dtype.is_numeric() or dtype.is_temporal() or dtype in (pl.String, pl.Boolean, pl.Null)
    return None if known or isinstance(dtype, pl.Categorical | pl.Enum) else f"values of the type {dtype}"


def flat(cells: pl.Series) -> pl.Series:
    """Cells as texts, numbers, or true and false: categories and dates as texts, and texts where there is nothing."""
    dtype = cells.dtype
    if isinstance(dtype, pl.Decimal) or dtype == pl.Float16:
        return cells.cast(pl.Float64)
    if dtype.is_numeric() or dtype in (pl.String, pl.Boolean):
        return cells
    return cells.cast(pl.String)


def _rows(of: npt.NDArray[Any], rows: Sequence[int] | None) -> npt.NDArray[np.intp]:
    return np.arange(len(of)) if rows is None else np.asarray(rows, dtype=np.intp)


def _worth(texts: pl.Series, worth: Mapping[str, float]) -> pl.Series:
    return texts.replace_strict(dict(worth), default=None, return_dtype=pl.Float64)

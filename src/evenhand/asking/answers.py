"""Checking answers: what a system said becomes a matrix of usable numbers, or an error that names the sentence."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from evenhand.errors import BadAnswer, one_line, quoted, so_many
from evenhand.systems.base import Array, BaseScorer, Output

TOLERANCE = 1e-9
"""How far beyond its range a number may lie, as a share of the span: rounding, not an error."""


def checked(system: BaseScorer, texts: Sequence[str], answer: object) -> Array:
    """The answer as a float64 matrix (texts, outputs), every number finite and within its output's range.

    A number that lies beyond its range by no more than rounding is set to the end of the range: whatever comes after
    may then rely on the range.
    """
    values = _numbers(system, texts, answer)
    if usable(values, system.outputs):
        return values
    fault = first_fault(values, system.outputs)
    if fault is not None:
        row, column = fault
        _refuse(system, texts[row], float(values[row, column]), system.outputs[column])
    return np.clip(values, *_bounds(tuple(system.outputs)))


def usable(values: Array, outputs: Sequence[Output]) -> bool:
    """Whether every number is finite and within its output's range."""
    low, high = _bounds(tuple(outputs))
    return bool(((values >= low) & (values <= high)).all())  # NaN compares as false


def first_fault(values: Array, outputs: Sequence[Output]) -> tuple[int, int] | None:
    """The row and column of the first number that is not finite, or outside its range by more than rounding."""
    low, high = _bounds(tuple(outputs))
    margin = np.array([TOLERANCE * output.span for output in outputs])
    bad = ~(np.isfinite(values) & (values >= low - margin) & (values <= high + margin))
    if not bad.any():
        return None
    row, column = np.argwhere(bad)[0]
    return int(row), int(column)


@lru_cache(maxsize=256)
def _bounds(outputs: tuple[Output, ...]) -> tuple[Array, Array]:
    """The ends of the ranges; where there is no range, the largest finite numbers."""
    largest = np.finfo(np.float64).max
    low = np.array([-largest if output.low is None else output.low for output in outputs], dtype=np.float64)
    high = np.array([largest if output.high is None else output.high for output in outputs], dtype=np.float64)
    return low, high


def _numbers(system: BaseScorer, texts: Sequence[str], answer: object) -> Array:
    if isinstance(answer, np.ma.MaskedArray):
        answer = answer.tolist()  # what is masked is missing: None, not the number under the mask
    try:
        table: npt.NDArray[np.generic] = np.asarray(answer)
        if table.dtype.kind not in "biuf":
            table = np.asarray(answer, dtype=object)  # the values as they were given, not all turned into strings
    except Exception as error:  # ragged rows, or an object that is no array: each library has its own error for it
        _refuse_shape(system, texts, list(answer) if isinstance(answer, Sequence) else answer, error)
    if table.ndim == 1 and len(system.outputs) == 1:
        table = table[:, np.newaxis]
    if table.shape != (len(texts), len(system.outputs)):
        _refuse_shape(system, texts, table.tolist())
    if table.dtype.kind == "O":
        return _each_number(system, texts, table)
    with np.errstate(over="ignore"):  # a number too large for float64 becomes infinite, and is refused as such
        return table.astype(np.float64)


def _each_number(system: BaseScorer, texts: Sequence[str], table: npt.NDArray[np.generic]) -> Array:
    values = np.empty(table.shape)
    for (row, column), value in np.ndenumerate(table):
        if not isinstance(value, numbers.Real):
            _refuse(system, texts[row], value, system.outputs[column])
        try:
            values[row, column] = float(value)
        except OverflowError:
            values[row, column] = np.inf
    return values


def _refuse(system: BaseScorer, text: str, value: object, output: Output) -> NoReturn:
    if value is None:
        wrong = "the answer is missing"
    elif not isinstance(value, float):
        wrong = "not a number"
    elif not np.isfinite(value):
        wrong = "not a finite number"
    else:
        wrong = (
            f"outside its declared range {output.low:g}..{output.high:g}; if that is right, give its bounds (--range), "
            "or low and high in a system file"
        )
    raise BadAnswer(
        f"system {system.name!r} answered {one_line(repr(value))} for the output {output.name!r} "
        f"to the sentence {quoted(text)}: {wrong}"
    )


def _refuse_shape(system: BaseScorer, texts: Sequence[str], answer: object, error: Exception | None = None) -> NoReturn:
    many = f"{so_many(len(texts), 'sentence')}, the first of them {quoted(texts[0])}"
    if not isinstance(answer, list):
        why = f": {one_line(error)}" if error else ""
        raise BadAnswer(f"system {system.name!r} answered {one_line(repr(answer))} to {many}{why}") from error
    if len(answer) != len(texts):
        raise BadAnswer(f"system {system.name!r} gave {so_many(len(answer), 'answer')} to {many}") from error
    width = len(system.outputs)
    row, text = next(((r, t) for r, t in zip(answer, texts, strict=True) if not _fits(r, width)), (answer[0], texts[0]))
    names = ", ".join(output.name for output in system.outputs)
    raise BadAnswer(
        f"system {system.name!r} answered {one_line(repr(row))} to the sentence {quoted(text)}; "
        f"expected {so_many(width, 'number')} ({names})"
    ) from error


def _fits(row: Any, width: int) -> bool:
    try:
        shape = np.shape(row)
    except ValueError:  # the row itself is ragged
        return False
    return shape == (width,) or (shape == () and width == 1)

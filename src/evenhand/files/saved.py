"""What Evenhand saved as Parquet: rows, and beside them, as JSON, what they are; checked when it is read again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import polars as pl

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.opened import read_bytes
from evenhand.files.parquet import metadata_of, unpacked
from evenhand.files.plain import Noting, Unfit, check_types
from evenhand.files.structured import json_values

T = TypeVar("T")

UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, pl.exceptions.PolarsError)
"""What goes wrong with plain values that are not those of what was saved."""


def read_saved(path: Path, key: str, build: Callable[[pl.DataFrame, Noting], T], *, what: str) -> T:
    """What was saved as a Parquet file, built from its rows and what was written down beside them under a key."""
    content = read_bytes(path)
    metadata = metadata_of(content, path)
    if key not in metadata:
        raise UsageError(f"{path} is a Parquet file, but not one of {what} that Evenhand saved")
    frame, about = unpacked(content, path), Noting()
    try:
        about = noting(json_values(metadata[key], what), what)
        made = build(frame, about)
        check_types(made)
    except (EvenhandError, *UNREADABLE) as error:
        why = f"{path} does not hold {what} that this version of Evenhand can read"
        raise EvenhandError(f"{why} ({about.said(error)})") from error
    return made


def noting(values: object, what: str) -> Noting:
    """The values of a file as a mapping that notes where something does not fit."""
    if not isinstance(values, dict):
        raise Unfit((), f"an object is needed to be {what}, not {type(values).__name__}")
    return Noting(values)


def check_columns(frame: pl.DataFrame, complete: dict[str, pl.DataType | type[pl.DataType]]) -> None:
    """Refuse a table in which one of these columns is missing, of another type, or has a row with nothing in it."""
    for name, dtype in complete.items():
        if name not in frame.columns:
            raise ValueError(f"there is no column {name!r}")
        if frame[name].dtype != dtype:
            raise ValueError(f"column {name!r} holds {frame[name].dtype}, not {dtype}")
        if frame[name].null_count():
            raise ValueError(f"column {name!r}, row {int(frame[name].is_null().arg_max() or 0) + 1}: it is missing")

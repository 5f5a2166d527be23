"""Tables that others hold in memory: pandas, Polars, Arrow, Hugging Face datasets; none of them is imported here.

What speaks Arrow is read through its stream, which all of them have; pandas without pyarrow is read column by column.
A table goes through a file of its own and the same door as files do, so that it is checked as they are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import EvenhandError, UsageError, one_line

STREAM = "__arrow_c_stream__"
NAME = "table"
"""What a table without a file is called."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table, and what it holds of Evenhand's besides its rows, by key."""

    frame: pl.DataFrame
    metadata: Mapping[str, str]


def is_table(given: object) -> bool:
    """Whether it is a table of one of the packages that are read; the methods of a class do not make it one."""
    return not isinstance(given, type) and any(
        hasattr(given, name) for name in (STREAM, "to_polars", "iloc", "collect_schema")
    )


def read_frame(given: Any) -> Table:
    """The rows of a table, in texts, numbers, true and false where it has them.

    >>> read_frame(pl.LazyFrame({"text": ["a"]})).frame.shape
    (1, 1)
    """
    if isinstance(given, Mapping):
        raise UsageError(f"a table is needed, not several: name one of {', '.join(map(str, given))}")
    try:
        frame = _rows(given)
    except EvenhandError:
        raise
    except Exception as error:  # the package's own
        raise EvenhandError(f"the table cannot be read: {type(error).__name__}: {one_line(error)}") from error
    kept = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Categorical | pl.Enum)]
    return Table(frame.with_columns(pl.col(kept).cast(pl.String)), _metadata(given))


@contextmanager
def table_file(given: Any) -> Iterator[Path]:
    """The table as a file, for a block that reads it; what is wrong with it is told of the table."""
    table = read_frame(given)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{NAME}.parquet"
        table.frame.write_parquet(path, metadata=dict(table.metadata))
        try:
            yield path
        except EvenhandError as error:
            error.args = (str(error.args[0]).replace(str(path), f"the {NAME}"), *error.args[1:])
            raise


def _rows(given: Any) -> pl.DataFrame:
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if hasattr(given, "to_polars") and hasattr(given, "features"):  # a dataset, also one whose rows were chosen
        found = given.to_polars()
        return found if isinstance(found, pl.DataFrame) else pl.concat(list(found))
    try:
        return pl.DataFrame(given)
    except ImportError:  # pandas gives a stream only where pyarrow is installed
        return pl.DataFrame({str(name): given[name].tolist() for name in given.columns}, strict=False, nan_to_null=True)


def _metadata(given: Any) -> dict[str, str]:
    """What Evenhand wrote beside the rows: Arrow keeps it in the schema, pandas in `attrs`, datasets in their info."""
    if isinstance(given, pl.DataFrame | pl.LazyFrame):
        return {}
    schema = getattr(given, "schema", None)
    known = getattr(schema, "metadata", None) or {}
    if isinstance(known, Mapping) and known:
        return {_text(key): _text(value) for key, value in known.items() if _text(key).startswith("evenhand")}
    attrs = getattr(given, "attrs", None)
    if isinstance(attrs, Mapping):
        return {key: value for key, value in attrs.items() if str(key).startswith("evenhand")}
    about = getattr(getattr(given, "info", None), "description", None) or ""
    key, colon, value = about.partition(":")
    return {key: value} if colon and key.startswith("evenhand") else {}


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

"""What is asked: versions of texts written row by row, whole or not at all."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

import polars as pl

from evenhand.errors import UsageError
from evenhand.files.tables import SEPARATORS
from evenhand.files.whole import replacing

ENDINGS = (*SEPARATORS, ".jsonl", ".parquet")
ROWS_AT_A_TIME = 50_000

Cells = dict[str, str | None]


class Write(Protocol):
    """Takes one row."""

    def __call__(self, cells: Cells) -> None:
        """Write it."""
        ...


def check_ending(path: Path) -> None:
    """Refuse a file whose ending says no format that can be written."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"{path}: unknown ending {path.suffix.lower()!r}; known: {', '.join(ENDINGS)}")


@contextmanager
def writing(path: Path, columns: tuple[str, ...]) -> Iterator[Write]:
    """Give what writes rows; the file is put in place at the end, and not at all where something went wrong."""
    check_ending(path)
    ending = path.suffix.lower()
    with replacing(path) as temporary, ExitStack() as under_way:
        if ending == ".parquet":
            write = under_way.enter_context(_parquet(temporary, columns))
        else:
            file = under_way.enter_context(temporary.open("w", encoding="utf-8", newline=""))
            if ending == ".jsonl":

                def write(cells: Cells) -> None:
                    file.write(json.dumps(cells, ensure_ascii=False) + "\n")
            else:
                table = csv.DictWriter(file, columns, delimiter=SEPARATORS[ending], lineterminator="\n")
                table.writeheader()

                def write(cells: Cells) -> None:
                    table.writerow(cells)

        yield write
        under_way.close()


@contextmanager
def _parquet(path: Path, columns: tuple[str, ...]) -> Iterator[Write]:
    """Through parts on disk, so that no more rows are held than one part has."""
    schema = dict.fromkeys(columns, pl.String)
    rows: list[Cells] = []
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:

        def put() -> None:
            number = len(list(Path(folder).iterdir()))
            pl.DataFrame(rows, schema=schema).write_parquet(Path(folder) / f"{number:08}.parquet")
            rows.clear()

        def write(cells: Cells) -> None:
            rows.append(cells)
            if len(rows) >= ROWS_AT_A_TIME:
                put()

        yield write
        put()
        pl.scan_parquet(sorted(Path(folder).iterdir())).sink_parquet(path)

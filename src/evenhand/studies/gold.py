"""Studies of many systems: what people said, to tell good systems from bad ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.errors import EvenhandError, UsageError, quoted
from evenhand.files.tables import ENDINGS
from evenhand.files.task_files import TaskFile, dimension_in_name, known_dimension
from evenhand.stats.types import Floats
from evenhand.studies.matching import Matcher, Rows

FEWEST = 3
"""A correlation over fewer texts says nothing."""


@dataclass(frozen=True, eq=False)
class Gold:
    """Texts of one dimension with the scores that people gave."""

    texts: pl.Series
    ids: pl.Series | None
    scores: Floats
    file: str = "the gold file"
    left_out: str | None = None
    """What is to be said about rows that look like scores and are none."""

    @cached_property
    def _by_text(self) -> Matcher:
        return Matcher(self.texts)

    @cached_property
    def _by_id(self) -> Matcher | None:
        return None if self.ids is None else Matcher(self.ids)

    def rows(self, file: TaskFile, numbers: Floats) -> Rows:
        """Where each text stands in a file, by its id or else by the text; an error where some are missing, or stand
        there with different numbers."""
        if self._by_id is not None and file.ids is not None:
            found = self._by_id.match(file.ids)
            if (found.rows >= 0).all():
                found.refuse_conflicts(file.ids, numbers, of="it")
                return found.rows
        if self.texts.is_duplicated().any():
            raise EvenhandError("the gold file has the same text more than once, and its ids are not in this file")
        found = self._by_text.match(file.texts)
        missing = int((found.rows < 0).sum())
        if missing:
            raise EvenhandError(f"it misses {missing:,} of the {len(self.scores):,} texts of the gold file")
        found.refuse_conflicts(file.texts, numbers, of="it")
        return found.rows


def read_gold(place: Path) -> dict[str, Gold]:
    """The gold files of a folder (or one file), by dimension. Rows without a score are no gold and are passed over."""
    if place.is_dir():
        paths = sorted(path for path in place.iterdir() if path.is_file() and path.suffix.lower() in ENDINGS)
    elif place.is_file():
        paths = [place]
    else:
        raise UsageError(f"no such folder of gold files: {place}")
    found: dict[str, Gold] = {}
    for path in paths:
        file = TaskFile(path)
        file.refuse_second_header()
        said = file.dimension or dimension_in_name(path)
        if said is None:
            raise EvenhandError(f"{path}: neither a column nor the name says which affect dimension it is of")
        dimension = known_dimension(said)
        if dimension in found:
            raise EvenhandError(f"{path}: a second gold file for {dimension}")
        found[dimension] = _gold(file)
    if not found:
        raise UsageError(f"{place} has no gold files; known endings: {', '.join(ENDINGS)}")
    return found


def _gold(file: TaskFile) -> Gold:
    scores = file.scores()
    kept = ~file.without_score()
    _refuse_text(file, scores)
    if int(kept.sum()) < FEWEST:
        raise EvenhandError(f"{file.path}: fewer than {FEWEST} rows have a score")
    numbers = scores.filter(kept).to_numpy()
    if not np.isfinite(numbers).all():
        raise EvenhandError(f"{file.path}: a score is not a finite number")
    ids = None if file.ids is None else file.ids.filter(kept)
    if ids is not None and ids.has_nulls():
        ids = None
    texts = file.texts.filter(kept)
    _refuse_repeated(file, texts if ids is None else ids, rows=kept.arg_true())
    return Gold(texts, ids, numbers, file.path.name, file.placeholders_in_words)


def _refuse_text(file: TaskFile, scores: pl.Series) -> None:
    """A row without a score is no gold; one with something else in its place is a mistake."""
    wrong = (scores.is_null() & ~file.without_score()).arg_true()
    if len(wrong):
        raise EvenhandError(file.score_or_why(int(wrong[0])))


def _refuse_repeated(file: TaskFile, names: pl.Series, *, rows: pl.Series) -> None:
    again = (~names.is_first_distinct()).arg_true()
    if len(again):
        place = int(again[0])
        here = file.table.where(int(rows[place]))
        raise EvenhandError(f"{here}: a second gold row for {quoted(str(names[place]), 60)}")

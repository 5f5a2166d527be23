"""Studies of many systems: which row of a file answers which text; files of one task share the answer."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.asking.recorded.rows import some_sentences
from evenhand.errors import EvenhandError
from evenhand.stats.types import Floats

Rows = npt.NDArray[np.int64]
REMEMBERED = 8
"""Orders of rows that are kept to be recognised; each holds all texts of a file."""


@dataclass(frozen=True)
class Match:
    """For each text that is wanted its row (−1: there is none), and the texts that stand there more than once."""

    rows: Rows
    repeated: tuple[str, ...]

    def refuse_conflicts(self, texts: pl.Series, numbers: Floats, *, of: str) -> int:
        """Raise where a text stands there with two different numbers; how many rows say again what another said."""
        if not self.repeated:
            return 0
        there = pl.DataFrame({"text": texts, "number": numbers}).filter(pl.col("text").is_in(list(self.repeated)))
        said = there.group_by("text", maintain_order=True).agg(pl.col("number").n_unique())
        bad = said.filter(pl.col("number") > 1)["text"].to_list()
        if bad:
            raise EvenhandError(f"{of} repeats {some_sentences(bad)} with other scores; each needs one score")
        return there.height - said.height


class Matcher:
    """Finds wanted texts (or ids) in files. Files that list the same texts in the same order are matched only once."""

    def __init__(self, wanted: pl.Series) -> None:
        self._wanted = pl.DataFrame({"text": wanted}).with_row_index("place")
        self._seen: deque[tuple[pl.Series, Match]] = deque(maxlen=REMEMBERED)

    def match(self, texts: pl.Series) -> Match:
        """Where each wanted text stands."""
        for known, found in self._seen:
            # Most that differ do so in their first row.
            if len(known) == len(texts) and known.head(1).equals(texts.head(1)) and known.equals(texts):
                return found
        found = self._match(texts)
        # The latest is the likeliest to come again.
        self._seen.appendleft((texts, found))
        return found

    def found(self, texts: pl.Series, *, of: str) -> Match:
        """Where each stands, if each does; else an error about the file `of`."""
        found = self.match(texts)
        missing = np.flatnonzero(found.rows < 0)
        if len(missing):
            some = self._wanted["text"][missing].to_list()
            raise EvenhandError(f"{of} misses {some_sentences(some)} of the {self._wanted.height:,} in the corpus")
        return found

    def _match(self, texts: pl.Series) -> Match:
        there = pl.DataFrame({"text": texts}).with_row_index("row").join(self._wanted, on="text", how="inner")
        rows = np.full(self._wanted.height, -1, dtype=np.int64)
        rows[there["place"].to_numpy()] = there["row"].to_numpy()
        repeated = there["text"].filter(there["text"].is_duplicated()).unique(maintain_order=True)
        return Match(rows, tuple(repeated))

"""What was answered: a matrix of numbers that knows its sentences, its systems and its corpus."""

from __future__ import annotations

import importlib.metadata
import io
import json
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.corpora.coded import Strings
from evenhand.errors import EvenhandError, UsageError
from evenhand.files.plain import rebuild
from evenhand.files.saved import check_columns, read_saved
from evenhand.files.whole import write_whole
from evenhand.systems.base import Array, HeldOut, Output

FORMAT = 1
METADATA = "evenhand"
PACKAGES = ("evenhand", "numpy", "polars")
# Said here rather than left to polars' default, so that its next default does not change the bytes.
UNASKED = "unasked"
"""Of how many sentences a column has no number, because its system was settled before they were asked."""
ROWS_A_GROUP = 262_144


@dataclass(frozen=True)
class Column:
    """One output of one system."""

    system: str
    output: Output
    fingerprint: str | None
    draws: int = 1
    """How often each sentence was asked; the scores are the means."""
    draw_spread: float | None = None
    """The standard deviation between the draws of a sentence (root mean square over sentences); None for one draw."""
    held_out: HeldOut | None = None
    """How well the output goes with what people said of other texts, where that is known."""

    @property
    def name(self) -> str:
        """What the column is called in tables: `system/output`."""
        return f"{self.system}/{self.output.name}"


@dataclass(frozen=True, eq=False)
class Drawn:
    """What one system said about the sentences of a corpus, as often as it was asked."""

    system: str
    outputs: tuple[Output, ...]
    fingerprint: str | None
    values: Array
    """Of shape (draws, sentences, outputs)."""
    held_out: Mapping[str, HeldOut] = field(default_factory=dict)

    def means(self) -> Array:
        """The mean of the draws of each sentence."""
        # Rounding must not carry a mean beyond what was drawn, which lies in the output's range.
        means: Array = np.clip(self.values.mean(axis=0), self.values.min(axis=0), self.values.max(axis=0))
        return means

    def columns(self) -> list[Column]:
        """A column for each output, with the spread between draws: its root mean square over the sentences."""
        draws, sentences, outputs = self.values.shape
        spreads: Sequence[float | None] = [None] * outputs
        if draws > 1 and sentences:
            spreads = np.sqrt(self.values.var(axis=0, ddof=1).mean(axis=0)).tolist()
        named = zip(self.outputs, spreads, strict=True)
        return [
            Column(self.system, output, self.fingerprint, draws, spread, self.held_out.get(output.name))
            for output, spread in named
        ]


@dataclass(frozen=True, eq=False)
class Scores:
    """One row per sentence of a corpus, one column per system and output.

    `ids` are the corpus's, in the order of `matrix`'s rows; `matrix` is float64 and cannot be written to, so that
    scores may share it. Columns of one system, or scores side by side again, are views where they can be.
    """

    ids: Sequence[str]
    matrix: Array
    columns: tuple[Column, ...]
    corpus_digest: str

    def __post_init__(self) -> None:
        matrix = np.asarray(self.matrix)
        # What nobody can write to need not be copied.
        if matrix.dtype != np.float64 or not _is_read_only(matrix):
            matrix = read_only(np.array(matrix, dtype=np.float64, order="C"))
        object.__setattr__(self, "matrix", matrix)
        if not isinstance(self.ids, Strings):
            object.__setattr__(self, "ids", Strings(self.ids))
        if matrix.shape != (len(self.ids), len(self.columns)):
            raise EvenhandError(
                f"scores of shape {matrix.shape} do not fit {len(self.ids):,} ids and {len(self.columns)} columns"
            )
        if self._ids.n_unique() < len(self.ids):
            _refuse_repeated("id", self.ids)
        _refuse_repeated("column", [column.name for column in self.columns])

    @staticmethod
    def of_draws(ids: Sequence[str], drawn: Sequence[Drawn], corpus_digest: str) -> Scores:
        """The means of what systems said."""
        columns = tuple(column for one in drawn for column in one.columns())
        return Scores(ids, read_only(np.hstack([one.means() for one in drawn])), columns, corpus_digest)

    def __repr__(self) -> str:
        return f"<Scores: {len(self.ids):,} sentences, {', '.join(column.name for column in self.columns)}>"

    def frame(self) -> pl.DataFrame:
        """The scores as a table: `id`, then one column per `system/output`."""
        numbers = {column.name: self.matrix[:, place] for place, column in enumerate(self.columns)}
        return pl.DataFrame({"id": self._ids, **numbers})

    @property
    def _ids(self) -> pl.Series:
        assert isinstance(self.ids, Strings)  # noqa: S101 - they became so when this was made
        return self.ids.column

    @property
    def spans(self) -> Array:
        """The span of each column's output: the width of its range, or its unit."""
        return np.array([column.output.span for column in self.columns], dtype=np.float64)

    def select(self, ids: Sequence[str]) -> Scores:
        """The rows of these ids, in this order."""
        wanted = ids if isinstance(ids, Strings) else Strings(ids)
        if self.ids == wanted:
            return self
        place = {id_: row for row, id_ in enumerate(self.ids)}
        unknown = [id_ for id_ in ids if id_ not in place]
        if unknown:
            raise UsageError(
                f"no score for {len(unknown):,} of {len(ids):,} sentences, the first of them {unknown[0]!r}"
            )
        rows = np.array([place[id_] for id_ in ids], dtype=np.intp)
        return Scores(wanted, read_only(self.matrix[rows]), self.columns, self.corpus_digest)

    def of_system(self, name: str) -> Scores:
        """The columns of one system."""
        return self.pick([place for place, column in enumerate(self.columns) if column.system == name])

    def pick(self, places: Sequence[int]) -> Scores:
        """Some of the columns, in this order."""
        if not places or list(places) != list(range(places[0], places[-1] + 1)):
            matrix = read_only(np.take(self.matrix, np.array(places, dtype=np.intp), axis=1))
        else:
            matrix = self.matrix[:, places[0] : places[-1] + 1]
        return Scores(self.ids, matrix, tuple(self.columns[place] for place in places), self.corpus_digest)

    @staticmethod
    def join(parts: Sequence[Scores]) -> Scores:
        """Put scores of the same corpus side by side."""
        if not parts:
            raise UsageError("no scores to join")
        first = parts[0]
        for other in parts[1:]:
            if (other.ids, other.corpus_digest) != (first.ids, first.corpus_digest):
                raise UsageError(f"{first!r} and {other!r} are of different corpora and cannot stand side by side")
        columns = tuple(column for part in parts for column in part.columns)
        return Scores(first.ids, _side_by_side([part.matrix for part in parts]), columns, first.corpus_digest)

    @staticmethod
    def stack(parts: Sequence[Scores], ids: Sequence[str], corpus_digest: str) -> Scores:
        """Answers of the same systems about different sentences, one below the other, in the order of `ids`."""
        every = Strings(pl.concat([part._ids for part in parts]))
        matrix = read_only(np.vstack([part.matrix for part in parts]))
        sizes = [len(part.ids) for part in parts]
        columns = tuple(_pooled(each, sizes) for each in zip(*(part.columns for part in parts), strict=True))
        return Scores(every, matrix, columns, corpus_digest).select(ids)

    def to_bytes(self) -> bytes:
        """A Parquet file; the same scores always give the same bytes."""
        metadata = {METADATA: json.dumps(self._provenance(), ensure_ascii=False, default=float, allow_nan=False)}
        content = io.BytesIO()
        self.frame().write_parquet(content, metadata=metadata, row_group_size=ROWS_A_GROUP)
        return content.getvalue()

    def save(self, path: Path | str) -> None:
        """Write it to a file, whole or not at all."""
        # Through memory: polars has errors of its own for a disk that is full.
        write_whole(Path(path), self.to_bytes())

    def _provenance(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "corpus_digest": self.corpus_digest,
            "columns": [
                {"name": column.name, **asdict(column), "output": column.output.to_dict(), **_unasked(answers)}
                for column, answers in zip(self.columns, self.matrix.T, strict=True)
            ],
            "packages": {
                **{package: importlib.metadata.version(package) for package in PACKAGES},
                "python": platform.python_version(),
            },
        }

    @staticmethod
    def load(path: Path | str) -> Scores:
        """Read what `save` wrote."""
        return read_saved(Path(path), METADATA, _scores, what="scores")


def _pooled(columns: Sequence[Column], sentences: Sequence[int]) -> Column:
    """The same output, asked about several sets of sentences."""
    spreads = [column.draw_spread for column in columns]
    known = [spread for spread in spreads if spread is not None]
    if len(known) < len(spreads):
        return columns[0]
    return replace(columns[0], draw_spread=float(np.sqrt(np.average(np.square(known), weights=sentences))))


def _scores(frame: pl.DataFrame, provenance: dict[str, Any]) -> Scores:
    if provenance["format"] != FORMAT:
        raise ValueError(f"format {provenance['format']}")
    columns = tuple(_column(entry) for entry in provenance["columns"])
    numbers = frame.select(column.name for column in columns)
    check_columns(frame, {"id": pl.String, **{column.name: pl.Float64 for column in columns}})
    matrix = numbers.to_numpy().reshape(frame.height, len(columns))
    for entry, column, answers in zip(provenance["columns"], columns, matrix.T, strict=True):
        _refuse_unusable(answers, column.name, unasked=entry.get(UNASKED, 0))
    return Scores(Strings(frame["id"]), matrix, columns, provenance["corpus_digest"])


def _refuse_unusable(answers: Array, name: str, *, unasked: int) -> None:
    """Studies keep scores that lie outside their range; only sentences that nobody asked about have none."""
    missing = _unasked(answers).get(UNASKED, 0)
    bad = np.flatnonzero(np.isinf(answers) if missing == unasked else ~np.isfinite(answers))
    if len(bad):
        raise ValueError(f"column {name!r}, row {bad[0] + 1}: {answers[bad[0]]} is not a finite number")
    if missing != unasked:
        raise ValueError(f"column {name!r}: no number is missing, and {unasked} should be")


def _unasked(answers: Array) -> dict[str, int]:
    """How many sentences a system was not asked about, where it was settled before the others: they have no score."""
    missing = int(np.isnan(answers).sum())
    return {UNASKED: missing} if missing else {}


def _column(entry: dict[str, Any]) -> Column:
    output = Output.from_dict(entry["output"])
    # Files of earlier versions do not say how often was asked: it was once.
    draws = {"draws": entry.get("draws", 1), "draw_spread": entry.get("draw_spread")}
    known = entry.get("held_out")
    held_out = None if known is None else rebuild(HeldOut, known)
    return Column(entry["system"], output, entry["fingerprint"], **draws, held_out=held_out)


def read_only(matrix: Array) -> Array:
    """The same array, which its maker gives away: scores need not copy it."""
    matrix.flags.writeable = False
    return matrix


def _is_read_only(matrix: Array) -> bool:
    """Whether nobody can write to an array: neither to itself, nor to those that it is a view of."""
    there: Any = matrix
    while isinstance(there, np.ndarray) and not there.flags.writeable:
        there = there.base
    return there is None


def _side_by_side(parts: Sequence[Array]) -> Array:
    """The columns of all parts; a view where they stand side by side already, as columns of one array."""
    if len(parts) == 1:
        return parts[0]
    whole, ends = parts[0].base, np.cumsum([part.shape[1] for part in parts])
    if isinstance(whole, np.ndarray) and whole.ndim == 2:
        columns = [whole[:, end - part.shape[1] : end] for part, end in zip(parts, ends, strict=True)]
        if all(_is_same(part, column) for part, column in zip(parts, columns, strict=True)):
            return whole[:, : ends[-1]]
    return read_only(np.hstack(parts))


def _is_same(one: Array, other: Array) -> bool:
    """Whether two arrays are the same place in memory, seen in the same way."""
    return bool(one.__array_interface__ == other.__array_interface__)


def _refuse_repeated(what: str, names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        name, times = Counter(names).most_common(1)[0]
        raise UsageError(f"scores name the {what} {name!r} {times} times")

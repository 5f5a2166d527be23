"""Studies of many systems: files of predictions → one matrix of scores, and what was wrong with which file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evenhand.asking import Column, Scores
from evenhand.asking.recorded.rows import plain
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.task_files import DIMENSIONS, NONE, TaskFile, dimension_in_name
from evenhand.stats.correlation import is_flat
from evenhand.stats.types import Floats, Ints
from evenhand.studies.entries import Entry, Problem
from evenhand.studies.gold import Gold
from evenhand.studies.matching import Match, Matcher
from evenhand.systems.base import Output

AHEAD = 2
FAR, FEW = 0.25, 0.01
"""A file is on another scale if more than a few of its scores (this share) lie further outside the range than this part
of it. It goes by how far they lie, not by how many do: of two systems from -1 to 1, one may be below 0 for most texts
and the other for few."""


@dataclass(frozen=True)
class Submission:
    """One system's scores for one dimension: its place in the matrix, and its predictions for the gold texts."""

    system: str
    dimension: str
    file: str
    column: int
    digest: str
    """SHA-256 of the file."""
    name_fits: bool
    on_gold: Floats | None
    """Predictions for the gold texts; None without gold, or where `not_on_gold` says why."""
    not_on_gold: str | None


@dataclass(frozen=True, eq=False)
class Submissions:
    """All that could be read, in the order of `scores.columns`, and what is to be said about the files."""

    members: tuple[Submission, ...]
    scores: Scores
    problems: tuple[Problem, ...]


class Reader:
    """Reads submissions for one corpus; other spellings of it are accepted, and noted."""

    def __init__(
        self,
        corpus: Corpus,
        *,
        spellings: Sequence[Corpus] = (),
        gold: Mapping[str, Gold] | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        strict: bool = False,
    ) -> None:
        self._corpus = corpus
        self._gold = gold or {}
        self._low, self._high = bounds
        self._strict = strict
        self._matchers = [Matcher(one.frame["text"].str.strip_chars()) for one in (corpus, *spellings)]
        self._members: list[Submission] = []
        self._problems: list[Problem] = []

    def read(
        self,
        entries: Sequence[Entry],
        *,
        root: Path,
        advance: Callable[[int], None],
        problems: Sequence[Problem] = (),
    ) -> Submissions:
        """Read them all; `root` is what files are named from, `problems` what is known to be wrong already."""
        self._matrix = np.empty((len(self._corpus), len(entries)))
        self._used = 0
        for problem in problems:
            self._note(problem)
        for entry, file in _opened_ahead(sorted(entries, key=_likely_place)):
            for problem in self._read_or_why(entry, file, _shown(entry.path, root)):
                self._note(problem)
            advance(1)
        members = self._without_repeats()
        if not members:
            worst = next(iter(self._problems), None)
            first = f"; the first, {worst.file}: {worst.message}" if worst else ""
            raise EvenhandError(f"no submission in {root} can be read{first}")
        self._note_absent(entries, members)
        about_files, self._problems = self._problems, []
        self._note_gold(members)
        # What changes the ranks comes first, then what is not in the study at all, then what is odd and harmless.
        found = [*self._problems, *sorted(about_files, key=lambda one: not one.left_out)]
        return Submissions(tuple(members), self._scores(members), tuple(found))

    def _note(self, problem: Problem) -> None:
        if self._strict:
            raise EvenhandError(f"{problem.system}, {problem.file}: {problem.message} (and strict allows no problems)")
        self._problems.append(problem)

    def _note_absent(self, entries: Sequence[Entry], members: Sequence[Submission]) -> None:
        """What the manifest asks for and no file of the system holds; files with a problem have said so."""
        there = {(member.system, member.dimension) for member in members}
        troubled = {problem.system for problem in self._problems}
        for system, dimension in dict.fromkeys((entry.system, one) for entry in entries for one in entry.only):
            if (system, dimension) not in there and system not in troubled:
                self._note(
                    Problem(system, system, f"the manifest asks for {dimension}: no file is of it", left_out=True)
                )

    def _note_gold(self, members: Sequence[Submission]) -> None:
        """Gold that tells nobody's quality."""
        for dimension, gold in self._gold.items():
            mine = [member for member in members if member.dimension == dimension]
            if gold.left_out is not None:
                # The task's own files are like this: nothing is wrong with them, so strict reading goes on.
                self._problems.append(Problem("gold", gold.file, gold.left_out, left_out=False))
            if mine and all(member.on_gold is None for member in mine):
                why = f"no submission for {dimension} can be held against it; the first: {mine[0].not_on_gold}"
                self._note(Problem("gold", gold.file, why, left_out=False))
            elif mine and is_flat(gold.scores):
                self._note(Problem("gold", gold.file, f"its scores for {dimension} do not vary", left_out=False))
            else:
                for member in mine:
                    if member.not_on_gold is not None:
                        why = f"it has no rank for {dimension}: {member.not_on_gold}"
                        self._note(Problem(member.system, member.file, why, left_out=False))

    def _read_or_why(self, entry: Entry, file: TaskFile, shown: str) -> list[Problem]:
        try:
            notes, failed = self._read(entry, file, shown)
        except EvenhandError as error:
            notes, failed = [], [_without_path(error, entry.path)]
        return [
            *(Problem(entry.system, shown, message, left_out=True) for message in failed),
            *(Problem(entry.system, shown, note, left_out=False) for note in notes),
        ]

    def _read(self, entry: Entry, file: TaskFile, shown: str) -> tuple[list[str], list[str]]:
        """Add a file's submissions; what is odd about it, and what is wrong with some of its columns."""
        notes = [f"{oddity}; it was read all the same" for oddity in file.table.oddities]
        file.refuse_second_header()
        columns = [one for one in _dimensions(file, entry) if not entry.only or one[0] in entry.only]
        if not columns:
            return [], []
        for _, column in columns:
            file.cells(column)  # a file without scores is told before its texts are looked at
        named = dimension_in_name(entry.path)
        if named not in (None, columns[0][0]) and len(columns) == 1:
            notes.append(f"its name speaks of {named}, its rows of {columns[0][0]}: the rows decide")
        rows = self._rows(file, notes)
        failed = []
        for dimension, column in columns:
            try:
                notes += self._add(entry, file, (dimension, column), rows=rows, shown=shown)
            except EvenhandError as error:
                failed.append(_without_path(error, entry.path))
        return notes, failed

    def _add(
        self, entry: Entry, file: TaskFile, scored: tuple[str, str | None], *, rows: Match, shown: str
    ) -> list[str]:
        """Add one submission: a dimension and its column; what is odd about its scores."""
        dimension, column = scored
        notes: list[str] = []
        numbers = file.scores(column).to_numpy()
        values = self._values(file, column, numbers, rows, notes)
        self._note_text(file, column, rows.rows, notes)
        on_gold, why_not = self._on_gold(file, dimension, numbers)
        self._members.append(
            Submission(
                system=entry.system,
                dimension=dimension,
                file=shown,
                column=self._place(values),
                digest=file.digest,
                name_fits=dimension_in_name(entry.path) == dimension,
                on_gold=on_gold,
                not_on_gold=why_not,
            )
        )
        return notes

    def _rows(self, file: TaskFile, notes: list[str]) -> Match:
        texts = file.texts
        complete = [matcher for matcher in self._matchers if (matcher.match(texts).rows >= 0).all()]
        if complete and complete[0] is not self._matchers[0]:
            notes.append("its sentences are in another spelling of the corpus; they were taken for the same")
        return (complete or self._matchers)[0].found(texts, of="it")

    def _values(self, file: TaskFile, column: str | None, numbers: Floats, match: Match, notes: list[str]) -> Floats:
        repeats = match.refuse_conflicts(file.texts, numbers, of="it")
        if repeats:
            notes.append(f"{repeats:,} of its rows repeat{'s' if repeats == 1 else ''} another with the same score")
        rows = match.rows
        values = numbers[rows]
        bad = ~np.isfinite(values)
        if bad.any():
            first = int(rows[bad].min())
            more = f", and {int(bad.sum()) - 1:,} more like it" if bad.sum() > 1 else ""
            raise EvenhandError(f"{file.score_or_why(first, column)}{more}")
        outside = (values < self._low) | (values > self._high)
        if outside.any():
            worst = values[outside][np.argmax(np.abs(values[outside] - (self._low + self._high) / 2))]
            count = int(outside.sum())
            they = "score lies" if count == 1 else "scores lie"
            which = "" if column is None else f"column {column!r}: "
            where = f"{which}{count:,} {they} outside {self._low:g}..{self._high:g} (such as {worst:g})"
            if self._is_on_another_scale(numbers):
                low, high = np.nanmin(numbers), np.nanmax(numbers)
                raise EvenhandError(
                    f"{where}: it is on another scale, as its scores reach from {low:g} to {high:g}; give the bounds "
                    "(--range) if all submissions are on it, or bring its scores to this one"
                )
            notes.append(f"{where}; they were kept as they are")
        return values

    def _is_on_another_scale(self, numbers: Floats) -> bool:
        """By all scores of the file: those for a corpus of short sentences may use a part of its scale only."""
        known = numbers[np.isfinite(numbers)]
        far = FAR * (self._high - self._low)
        return bool(np.mean((known < self._low - far) | (known > self._high + far)) > FEW)

    def _note_text(self, file: TaskFile, column: str | None, rows: Ints, notes: list[str]) -> None:
        """Say where text stands for a number among the rows that are not of the corpus, such as the task's tweets."""
        read = file.table.column(file.cells(column).name)
        said = read.texts.is_not_null() & (read.texts.str.to_uppercase() != NONE).fill_null(False)
        wrong = (said & ~file.scores(column).is_finite().fill_null(False)).to_numpy().copy()
        wrong[rows] = False
        if wrong.any():
            first = _without_path(EvenhandError(file.score_or_why(int(wrong.argmax()), column)), file.path)
            more = f", and {int(wrong.sum()) - 1:,} more like it" if wrong.sum() > 1 else ""
            notes.append(f"{first}{more}; it is not a sentence of the corpus, so its gaps can be measured all the same")

    def _on_gold(self, file: TaskFile, dimension: str, numbers: Floats) -> tuple[Floats | None, str | None]:
        gold = self._gold.get(dimension)
        if gold is None:
            return None, "there is no gold file for it" if self._gold else "no gold was given"
        try:
            values = numbers[gold.rows(file, numbers)]
        except EvenhandError as error:
            return None, str(error)
        lacking = int((~np.isfinite(values)).sum())
        if lacking:
            return None, f"it has no score for {lacking:,} of the {len(values):,} texts of the gold file"
        return values, None

    def _place(self, values: Floats) -> int:
        if self._used == self._matrix.shape[1]:
            # Only files with a column per dimension hold more than one submission.
            self._matrix = np.hstack([self._matrix, np.empty((len(self._corpus), max(self._used, 8)))])
        self._matrix[:, self._used] = values
        self._used += 1
        return self._used - 1

    def _without_repeats(self) -> list[Submission]:
        """One submission per system and dimension: where there are two, that whose name speaks of the dimension."""
        best: dict[tuple[str, str], Submission] = {}
        for one in sorted(self._members, key=lambda member: not member.name_fits):
            kept = best.setdefault((one.system, one.dimension), one)
            if kept is not one:
                message = f"a second submission of {one.system} for {one.dimension}; {kept.file} is used"
                self._note(Problem(one.system, one.file, message, left_out=True))
        return sorted(best.values(), key=lambda one: (_order(one.dimension), one.column))

    def _scores(self, members: Sequence[Submission]) -> Scores:
        columns = [member.column for member in members]
        # Files are read in the order of their likely dimensions: a copy is made only where one is left out or misnamed.
        whole = columns == list(range(self._matrix.shape[1]))
        matrix = self._matrix if whole else np.take(self._matrix, columns, axis=1)
        del self._matrix
        matrix.flags.writeable = False
        made = tuple(
            Column(member.system, Output(member.dimension, self._low, self._high), member.digest) for member in members
        )
        return Scores(tuple(plain(self._corpus.frame["id"])), matrix, made, self._corpus.digest)


def _opened_ahead(entries: Sequence[Entry]) -> Iterator[tuple[Entry, TaskFile]]:
    """The files in order, the next ones being read meanwhile; few at a time, as each holds many texts."""
    waiting: deque[tuple[Entry, TaskFile, Future[None]]] = deque()
    with ThreadPoolExecutor(AHEAD) as pool:
        for entry in entries:
            file = TaskFile(entry.path)
            waiting.append((entry, file, pool.submit(_open, file)))
            if len(waiting) > AHEAD:
                yield _next(waiting)
        while waiting:
            yield _next(waiting)


def _next(waiting: deque[tuple[Entry, TaskFile, Future[None]]]) -> tuple[Entry, TaskFile]:
    entry, file, opened = waiting.popleft()
    opened.result()
    return entry, file


def _open(file: TaskFile) -> None:
    """Read what takes long; what is wrong with the file is said when its turn comes."""
    with suppress(EvenhandError):
        _ = file.texts, file.dimension, file.ids, file.digest


def _dimensions(file: TaskFile, entry: Entry) -> list[tuple[str, str | None]]:
    """The dimensions that a file scores, and the column of each (None: the column of scores)."""
    said = file.dimension
    if said is not None:
        if entry.dimension is not None and entry.dimension != said:
            raise EvenhandError(f"wrong dimension: the manifest says {entry.dimension}, the file's rows {said}")
        if entry.dimension is None and said not in DIMENSIONS:
            raise UsageError(f"unknown affect dimension {said!r}{did_you_mean(said, DIMENSIONS)}")
        return [(said, None)]
    known = [entry.dimension] if entry.dimension else list(DIMENSIONS)
    wide = [(name, column) for column in file.table.frame.columns if (name := column.strip().lower()) in known]
    if file.score_column is None and wide:
        return [(name, column) for name, column in wide]
    dimension = entry.dimension or dimension_in_name(entry.path)
    if dimension is None:
        raise EvenhandError("neither a column nor the file's name says which affect dimension it is of")
    return [(dimension, None)]


def _order(dimension: str) -> tuple[int, str]:
    """The known dimensions come first, in their order."""
    place = DIMENSIONS.index(dimension) if dimension in DIMENSIONS else len(DIMENSIONS)
    return place, dimension


def _likely_place(entry: Entry) -> tuple[int, str]:
    return _order(entry.dimension or dimension_in_name(entry.path) or "")


def _without_path(error: EvenhandError, path: Path) -> str:
    """What is wrong; the file is named already."""
    return str(error).removeprefix(str(path)).lstrip(",: ")


def _shown(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return str(path)

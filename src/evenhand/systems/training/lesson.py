"""What systems learn from: texts with their scores, read from files of a shared task or from any table."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import numpy as np

from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.task_files import TaskFile, dimension_in_name
from evenhand.systems.base import Array, HighIs
from evenhand.systems.trained.card import Quality
from evenhand.systems.trained.dimension_models import high_is_of

FEWEST = 20
USELESS = 0.3
"""A correlation below this explains less than a tenth of how scores vary (0.3² = 0.09)."""

Advance = Callable[[int], None]
Start = Callable[[int], Advance]
"""Called with the number of texts that will be seen at most; gives what counts them."""

log = logging.getLogger(__name__)


def no_bar(most: int) -> Advance:
    """For those who do not want to see how far it is."""
    return lambda count: None


@dataclass(frozen=True)
class Lesson:
    """Texts with their scores from 0 to 1, what the output is to be called, and the scale that the scores came on."""

    texts: tuple[str, ...]
    scores: Array
    source: str
    digest: str
    output: str
    high_is: HighIs | None = None
    low: float = 0.0
    high: float = 1.0
    kinds: tuple[str, ...] = ()
    """What a column says of each text, where one was asked for."""


@dataclass(frozen=True)
class Marked:
    """The rows of a file that have a score: their places in it, texts and numbers."""

    file: TaskFile
    rows: list[int]
    texts: list[str]
    numbers: Array


def read_lesson(
    paths: Sequence[Path],
    *,
    dimension: str | None = None,
    text_column: str | None = None,
    score_column: str | None = None,
    bounds: tuple[float, float] | None = None,
    classes: bool = False,
    group_column: str | None = None,
) -> Lesson:
    """Texts and scores of one dimension; rows without a score are left out, counted and told.

    Files that name another `dimension` are refused. `bounds` are the ends of the scale that the scores are on; if
    None, 0 and 1, or for `classes` (0, 1, 2, ...) the lowest and the highest that occur. What `group_column` says of
    the texts is kept as their kinds.
    """
    given = (("text", text_column), ("score", score_column))
    columns = tuple((role, name) for role, name in given if name is not None)
    files = [TaskFile(path, columns) for path in paths]
    for file in files:
        _check_columns(file)
    said = _one_dimension(files, dimension)
    marked = [_marked(file) for file in files]
    low, high = bounds or (_ends(marked) if classes else (0.0, 1.0))
    for part in marked:
        _refuse_outside(part, low, high)
    texts = tuple(text for part in marked for text in part.texts)
    scores = (np.concatenate([part.numbers for part in marked]) - low) / (high - low)
    output = dimension or score_column or said or files[0].score_column or "score"
    return Lesson(
        texts,
        scores,
        ", ".join(map(str, paths)),
        _digest(texts, scores),
        output,
        high_is=high_is_of(said) if output == said else None,
        low=low,
        high=high,
        kinds=() if group_column is None else tuple(kind for part in marked for kind in _kinds(part, group_column)),
    )


def _kinds(part: Marked, column: str) -> list[str]:
    table = part.file.table
    table.refuse_unread(column)
    frame = table.frame
    if column not in frame.columns:
        raise UsageError(
            f"{part.file.path} has no column {column!r}{did_you_mean(column, frame.columns)}; it has {table.has}"
        )
    return ["(none)" if value is None else str(value) for value in frame[column].gather(part.rows)]


def check_learnable(lesson: Lesson) -> None:
    """Refuse what nothing can be learned from."""
    if len(lesson.texts) < FEWEST:
        raise UsageError(f"{lesson.source}: {len(lesson.texts)} texts are too few to learn from; {FEWEST} is the least")
    if np.ptp(lesson.scores) == 0:
        raise UsageError(f"{lesson.source}: all scores are the same; there is nothing to learn")


def warn_of_overlap(lesson: Lesson, other: Lesson) -> None:
    """Quality on texts that were trained on is no quality; say how many of another file's those are."""
    known = set(lesson.texts)
    both = sum(text in known for text in other.texts)
    if both:
        log.warning("%s: %d of %d texts were trained on, too", other.source, both, len(other.texts))


def warn_if_useless(quality: Quality, out: Path) -> None:
    """Say where training did not help: predictions for texts not trained on hardly go with their scores."""
    if quality.pearson is not None and quality.pearson >= USELESS:
        return
    shown = "is undefined (all predictions are the same)" if quality.pearson is None else f"is {quality.pearson:.2f}"
    log.warning(
        "%s: training hardly helped: the correlation with the scores of unseen texts %s (%s); "
        "more texts help most, and other settings or another seed may", out, shown, quality.how,
    )  # fmt: skip


def _check_columns(file: TaskFile) -> None:
    """Read both columns once; what is wrong with the table itself is told before."""
    _ = file.table.frame
    for role, read in (("text", attrgetter("texts")), ("score", TaskFile.scores)):
        try:
            read(file)
        except UsageError:
            raise
        except EvenhandError as error:
            raise EvenhandError(f"{error}; name it with {role}_column") from error


def _one_dimension(files: Sequence[TaskFile], wanted: str | None) -> str | None:
    """The dimension that the files are of; all that name one name the same, and the one that is wanted."""
    said, where = wanted, f"the dimension {wanted!r} that was asked for"
    for file in files:
        file.refuse_second_header()
        here, hinted = file.dimension, dimension_in_name(file.path)
        if here is not None and said is not None and here != said:
            raise UsageError(f"{file.path} is of {here!r}, unlike {where}: one dimension a model")
        if here is None and wanted is not None and hinted not in (None, wanted):
            log.warning("%s names no dimension and is taken for %s, though its name says %s", file.path, wanted, hinted)
        if said is None and here is not None:
            said, where = here, f"{file.path}, which is of {here!r}"
    return said


def _marked(file: TaskFile) -> Marked:
    table, texts, numbers = file.table, file.texts, file.scores()
    file.refuse_no_text()
    without = file.without_score()
    wrong = ~without & ~numbers.is_finite().fill_null(False)
    if wrong.any():
        raise EvenhandError(file.score_or_why(int(wrong.arg_max() or 0)))
    for oddity in table.oddities:
        log.info("%s: %s", file.path, oddity)
    if without.all():
        raise EvenhandError(f"{file.path}: none of its {len(texts):,} rows has a score")
    if file.placeholders_in_words:
        log.info("%s: %s", file.path, file.placeholders_in_words)
    empty = int((without & ~file.placeholders).sum())
    if empty:
        log.info("%s: %d of %d rows have no score and are left out", file.path, empty, len(texts))
    kept = ~without
    return Marked(file, kept.arg_true().to_list(), texts.filter(kept).to_list(), numbers.filter(kept).to_numpy())


def _ends(marked: Sequence[Marked]) -> tuple[float, float]:
    numbers = np.concatenate([part.numbers for part in marked])
    low, high = float(numbers.min()), float(numbers.max())
    if low == high:
        raise UsageError(f"{marked[0].file.path}: all scores are {low:g}; there is nothing to learn")
    return low, high


def _refuse_outside(part: Marked, low: float, high: float) -> None:
    outside = (part.numbers < low) | (part.numbers > high)
    if outside.any():
        first = int(outside.argmax())
        here = part.file.table.where(part.rows[first])
        raise EvenhandError(
            f"{here}: the score {part.numbers[first]:g} is outside {low:g}..{high:g}; "
            "give the scale of the scores (--range)"
        )


def _digest(texts: Sequence[str], scores: Array) -> str:
    content = hashlib.sha256(scores.astype("<f8").tobytes())
    for text in texts:
        content.update(f"{len(text)}:{text}".encode())
    return content.hexdigest()

"""What classifiers learn from: texts with a label each, read from shared-task files, from tables and from treebanks."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evenhand.errors import EvenhandError, UsageError, did_you_mean, quoted
from evenhand.files.task_files import TaskFile
from evenhand.systems.training.conll import digest_of_parts, lines_of
from evenhand.systems.training.grades import CLASSES, FIVE, NEUTRAL, SIGNED, Scale, grade_of, named_polarity, scale_of
from evenhand.systems.training.trees import grade_and_text

TABLES = (".csv", ".jsonl", ".parquet", ".tsv")
"""Endings of what is a table for certain; other files are looked into."""

LABEL_COLUMNS = ("label", "sentiment", "class", "intensity class", "grade", "score")
VALENCE = (None, "valence")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LabelledTexts:
    """Texts, the label of each, and all labels in order."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    source: str
    scale: Scale | None = None
    """The scale that plain numbers were on, where those were made into classes."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of texts and labels, in order."""
        return digest_of_parts([*self.texts, *self.labels])

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class _File:
    path: Path
    texts: list[str]
    cells: list[str]
    where: Callable[[int], str]
    scale: Scale | None = None
    """The scale of its grades, where the kind of file tells."""
    dimension: str | None = None


def read_labelled(
    paths: Sequence[Path],
    *,
    classes: int | None = None,
    text_column: str | None = None,
    label_column: str | None = None,
    like: LabelledTexts | None = None,
) -> LabelledTexts:
    """Texts and labels of shared-task files, of tables, and of files with one tree a line, `(3 (2 It) (4 works))`.

    With `classes`, grades become negative and positive (2: what is neutral is left out), or negative, neutral and
    positive (3). Grades of valence files are -3 to 3, those of trees 0 to 4. Plain numbers in tables are on the scale
    that all files together fit, told in the log: 0 1; 0 1 2; 0 to 4; -3 to 3; or fractions from 0 to 1, as the Stanford
    Sentiment Treebank has them. Labels may also be words, such as `very negative`. Rows without a label are left out.

    `like` is what a model was trained on: plain numbers are read as there, and other labels are refused.
    """
    if classes not in (None, *CLASSES):
        raise UsageError(f"{classes} classes: grades can be made into 2 or 3")
    files = [_read(path, text_column, label_column) for path in paths]
    scale = like.scale if like is not None else None
    if classes is not None and scale is None:
        scale = _common_scale(files)
    texts: list[str] = []
    labels: list[str] = []
    neutral = 0
    for file in files:
        for row, (text, cell) in enumerate(zip(file.texts, file.cells, strict=True)):
            label = _label(file, row, cell) if classes is None else _polarity(file, row, cell, file.scale or scale)
            if classes == 2 and label == NEUTRAL:
                neutral += 1
                continue
            if like is not None and label not in like.classes:
                known = did_you_mean(label, like.classes)
                raise EvenhandError(f"{file.where(row)}: the training files have no label {label!r}{known}")
            texts.append(text)
            labels.append(label)
    source = ", ".join(map(str, paths))
    if neutral:
        log.info("%s: %d of %d texts are neutral and are left out", source, neutral, neutral + len(texts))
    if not texts:
        raise EvenhandError(f"{source}: no text is left")
    known_classes = _ordered(labels) if classes is None else CLASSES[classes]
    return LabelledTexts(tuple(texts), tuple(labels), like.classes if like else known_classes, source, scale)


def _read(path: Path, text_column: str | None, label_column: str | None) -> _File:
    if path.suffix.lower() not in TABLES and text_column is None and label_column is None:
        lines = lines_of(path)
        if next((line for line in lines if line.strip()), "").lstrip().startswith("("):
            return _trees(path, lines)
    return _table(path, text_column, label_column)


def _trees(path: Path, lines: Sequence[str]) -> _File:
    numbers = [number for number, line in enumerate(lines, start=1) if line.strip()]
    read = [grade_and_text(lines[number - 1], f"{path}, line {number}") for number in numbers]
    texts, cells = [text for _, text in read], [grade for grade, _ in read]
    return _File(path, texts, cells, lambda row: f"{path}, line {numbers[row]}", FIVE)


def _table(path: Path, text_column: str | None, label_column: str | None) -> _File:
    file = _columns_found(path, text_column, label_column)
    file.refuse_second_header()
    file.refuse_no_text()
    texts, cells = file.texts, file.score_texts()
    kept = (~file.without_score()).arg_true().to_list()
    if not kept:
        raise EvenhandError(f"{path}: none of its {len(texts):,} rows has a label")
    if file.placeholders_in_words:
        log.info("%s: %s", path, file.placeholders_in_words)
    empty = len(texts) - len(kept) - int(file.placeholders.sum())
    if empty:
        log.info("%s: %d of %d rows have no label and are left out", path, empty, len(texts))
    for oddity in file.table.oddities:
        log.info("%s: %s", path, oddity)
    graded = _plain(file.score_column or "") == "intensity class" and file.dimension in VALENCE
    return _File(
        path,
        texts.gather(kept).to_list(),
        cells.gather(kept).to_list(),
        lambda row: file.table.where(kept[row]),
        scale=SIGNED if graded else None,
        dimension=file.dimension,
    )


def _columns_found(path: Path, text_column: str | None, label_column: str | None) -> TaskFile:
    there = TaskFile(path).table.frame.columns
    if label_column is None:
        spelled = {_plain(column): column for column in there}
        label_column = next((spelled[name] for name in LABEL_COLUMNS if name in spelled), None)
    if label_column is None:
        known = ", ".join(LABEL_COLUMNS)
        raise EvenhandError(
            f"{path}: no column of labels ({known}); it has {', '.join(there)}; name it with label_column"
        )
    texts = () if text_column is None else (("text", text_column),)
    file = TaskFile(path, (*texts, ("score", label_column)))
    try:
        _ = file.texts
    except UsageError:
        raise
    except EvenhandError as error:
        raise EvenhandError(f"{error}; name it with text_column") from error
    return file


def _plain(column: str) -> str:
    return column.strip().lower().replace("_", " ")


def _common_scale(files: Sequence[_File]) -> Scale | None:
    """The scale of all plain numbers together: one file alone may lack the grades that tell."""
    for file in files:
        if file.dimension not in VALENCE:
            raise UsageError(
                f"{file.path} is of {file.dimension!r}, whose grades have no neutral middle; leave out classes"
            )
    plain = [file for file in files if file.scale is None]
    grades = [grade for file in plain for cell in file.cells if (grade := grade_of(cell)) is not None]
    if not grades:
        return None
    source = ", ".join(str(file.path) for file in plain)
    try:
        scale = scale_of(grades)
    except EvenhandError as error:
        raise EvenhandError(f"{source}: {error}") from error
    log.info("%s: labels are read as %s", source, scale.name)
    return scale


def _polarity(file: _File, row: int, cell: str, scale: Scale | None) -> str:
    grade = grade_of(cell)
    if grade is None:
        named = named_polarity(cell)
        if named is None:
            raise EvenhandError(
                f"{file.where(row)}: {quoted(cell, 60)} is neither a grade nor negative, neutral or positive"
            )
        return named
    if scale is None or not scale.holds(grade):
        others = "which are words" if scale is None else scale.name
        raise EvenhandError(f"{file.where(row)}: the label {cell} does not fit the others, {others}")
    return scale.polarity(grade)


def _label(file: _File, row: int, cell: str) -> str:
    """A label as it stands; of a class such as `2: moderate`, its number."""
    grade = grade_of(cell)
    if grade is None:
        return cell
    if grade != int(grade):
        raise EvenhandError(
            f"{file.where(row)}: {cell} is not a label; to make classes of such grades, set classes to 2 or 3"
        )
    return str(int(grade))


def _ordered(labels: Iterable[str]) -> tuple[str, ...]:
    """Numbers by size, words by the alphabet."""
    found = sorted(set(labels))
    return tuple(sorted(found, key=int)) if all(re.fullmatch(r"-?\d+", label) for label in found) else tuple(found)

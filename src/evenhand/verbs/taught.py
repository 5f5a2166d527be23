"""What a trained system learned from: found where it is known, or read from the files that are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.asking.progress import progress_bars
from evenhand.errors import UsageError
from evenhand.explaining import Taught
from evenhand.systems.trained.embedding import EmbeddingRegressor
from evenhand.systems.trained.linear import Linear
from evenhand.systems.trained.svm import Svm, SvmCard
from evenhand.systems.trained.svr import Svr, data_dir
from evenhand.systems.training import rated_text
from evenhand.systems.training.embedding import encoded, rated
from evenhand.systems.training.lesson import Lesson, no_bar, read_lesson
from evenhand.verbs.ask import Made

NAME_THEM = "name the files that it was trained on (train) to see which of their texts carry a gap"


@dataclass(frozen=True)
class TrainingFiles:
    """The files that a system was trained on, how they are read, and the column that sorts their texts."""

    paths: tuple[Path, ...] = ()
    text_column: str | None = None
    score_column: str | None = None
    bounds: tuple[float, float] | None = None
    group_by: str | None = None

    def lesson(self, paths: Sequence[Path], *, dimension: str | None, bounds: tuple[float, float] | None) -> Lesson:
        """The texts and scores of some of the files."""
        return read_lesson(
            paths,
            dimension=dimension,
            text_column=self.text_column,
            score_column=self.score_column,
            bounds=bounds or self.bounds,
            group_column=self.group_by,
        )


def taught_of(system: Made, linear: Linear, files: TrainingFiles, *, progress: bool | None) -> Taught | str:
    """What one output of a system learned from, or why that is not known."""
    if isinstance(system, Svr):
        return _rated(system, linear, files, progress)
    if isinstance(system, EmbeddingRegressor):
        if system.card.data_sha256 == rated_text.SHA256:
            return _rated(system, linear, files, progress)
        if not files.paths:
            return f"{NAME_THEM}: {system.card.data}"
        return _taught(_same(files, system.card.data_sha256, system.card.data), linear, files, progress)
    if isinstance(system, Svm):
        (card,) = [card for card in system.cards if card.dimension == linear.output]
        if not files.paths:
            return f"{NAME_THEM}: {card.data}"
        lesson = _of_dimension(card, files, alone=len(system.cards) == 1)
        return lesson if isinstance(lesson, str) else _taught(lesson, linear, files, progress)
    return "what it learned from is not known here"


def _rated(system: Svr | EmbeddingRegressor, linear: Linear, files: TrainingFiles, progress: bool | None) -> Taught:
    if files.paths:
        raise UsageError(f"{system.name!r} was trained on texts that are known; leave out the training files")
    if files.group_by not in (None, "kind"):
        raise UsageError(f"the texts that {system.name!r} learned from are sorted by kind, not by {files.group_by!r}")
    texts = rated_text.rated_texts(data_dir())
    lesson = rated(texts)
    return _taught(lesson, linear, files, progress, {"kind": texts.kinds} if texts.kinds else {})


def _taught(
    lesson: Lesson,
    linear: Linear,
    files: TrainingFiles,
    progress: bool | None,
    columns: dict[str, Sequence[str]] | None = None,
) -> Taught:
    if linear.words is None:
        with progress_bars(progress) as bar:
            advance = bar("encoding training texts", len(lesson.texts), 0) if lesson.texts else no_bar(0)
            features = encoded(linear.features, lesson.texts, advance)
    else:
        features = linear.features(lesson.texts)
    sorts = columns if columns is not None else {}
    if files.group_by is not None and columns is None:
        sorts = {files.group_by: lesson.kinds}
    return Taught(lesson.texts, lesson.scores, features, linear, lesson.source, sorts)


def _same(files: TrainingFiles, digest: str, called: str) -> Lesson:
    lesson = files.lesson(files.paths, dimension=None, bounds=None)
    if lesson.digest != digest:
        raise UsageError(
            f"{lesson.source}: these are not the texts and scores that it was trained on ({called}); name the same "
            "files in the same order, with the same columns and range of scores"
        )
    return lesson


def _of_dimension(card: SvmCard, files: TrainingFiles, *, alone: bool) -> Lesson | str:
    """The lesson of one of several models: all files together, or one of them; of a single model, all must fit."""
    tried = [files.paths] if alone else [files.paths, *([path] for path in files.paths)]
    refused: UsageError | None = None
    for paths in tried:
        try:
            lesson = files.lesson(list(paths), dimension=card.dimension, bounds=(card.low, card.high))
        except UsageError as error:
            refused = error
            continue
        if lesson.digest == card.data_sha256:
            return lesson
    if alone and refused is not None:
        raise refused
    said = f"not the texts and scores that it was trained on: {card.data}"
    names = ", ".join(map(str, files.paths))
    if alone:
        raise UsageError(f"{names}: these are {said}; name the same files in the same order, with the same columns")
    return f"{names}: {said}"

"""Training a linear support vector machine on word unigrams: texts with scores in, one file with its card out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from evenhand.files.task_files import known_dimension
from evenhand.files.whole import check_writable, write_whole
from evenhand.systems.base import Array
from evenhand.systems.trained.card import Quality, correlations, versions_of
from evenhand.systems.trained.svm import ENDING, SvmCard, SvmModel
from evenhand.systems.trained.words import WORD
from evenhand.systems.training.lesson import Lesson, check_learnable, warn_if_useless, warn_of_overlap
from evenhand.systems.training.skops_bytes import skops_bytes

CS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
SETTINGS = {
    "epsilon": 0.01,  # errors below it, on a scale from 0 to 1, cost nothing; a wide one would hide small gaps
    "intercept_scaling": 10.0,  # else the mean would be made up of common words, and short texts would score low
    "loss": "squared_epsilon_insensitive",
    "dual": False,  # this solver draws no random numbers
    "tol": 1e-6,
    "max_iter": 10_000,
}
FOLDS = 5
PACKAGES = ("evenhand", "numpy", "scikit-learn", "skops")


def svm_file(out: Path, dimension: str) -> Path:
    """Where the model is written: `out` where that ends in .skops, else DIMENSION.skops in the folder `out`.

    >>> svm_file(Path("models"), "joy").as_posix(), svm_file(Path("mine.skops"), "joy").as_posix()
    ('models/joy.skops', 'mine.skops')
    """
    return out if out.suffix == ENDING and not out.is_dir() else out / f"{dimension}{ENDING}"


def train_svm(out: Path, lesson: Lesson, *, test: Lesson | None = None) -> SvmCard:
    """Train on a lesson of one dimension, save the model, and give its card.

    C is the one of `CS` with the least squared error in five folds. The quality is that on `test`; without it, that of
    five folds, in each of which C is chosen anew from the other four.
    """
    dimension = known_dimension(lesson.output)
    check_learnable(lesson)
    path = svm_file(out, dimension)
    check_writable(path.parent)
    vectoriser = _vectoriser()
    vectors = vectoriser.fit_transform(lesson.texts)
    search = _search().fit(vectors, lesson.scores)
    pipeline = _pipeline(vectoriser, search.best_estimator_)
    quality = _in_folds(vectors, lesson.scores) if test is None else _on(test, pipeline, lesson)
    card = SvmCard.model_validate(
        {
            "dimension": dimension,
            "low": lesson.low,
            "high": lesson.high,
            "c": search.best_params_["C"],
            "epsilon": SETTINGS["epsilon"],
            "words": vectors.shape[1],
            "data": lesson.source,
            "data_sha256": lesson.digest,
            "quality": quality,
            "versions": versions_of(PACKAGES),
        }
    )
    warn_if_useless(quality, path)
    write_whole(path, _saved(SvmModel(card, pipeline)))
    return card


def _vectoriser() -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(binary=True, token_pattern=WORD)


def _pipeline(vectoriser: Any, regressor: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(vectoriser, regressor)


def _search() -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVR

    return GridSearchCV(LinearSVR(**SETTINGS), {"C": CS}, scoring="neg_mean_squared_error", cv=_folds())


def _folds() -> Any:
    from sklearn.model_selection import KFold

    return KFold(FOLDS, shuffle=True, random_state=0)


def _in_folds(vectors: Any, scores: Array) -> Quality:
    """The vectors know the words of all texts, but a word that a fold was not trained on has no weight in it."""
    from sklearn.model_selection import cross_val_predict

    predicted = cross_val_predict(_search(), vectors, scores, cv=_folds())
    return correlations(scores, np.clip(predicted, 0.0, 1.0), "five folds")


def _on(test: Lesson, pipeline: Any, lesson: Lesson) -> Quality:
    warn_of_overlap(lesson, test)
    return correlations(test.scores, np.clip(pipeline.predict(test.texts), 0.0, 1.0), f"on {test.source}")


def _saved(model: SvmModel) -> bytes:
    # An address in memory, by which scikit-learn knows that it has looked at the stop words; there are none.
    model.pipeline[0]._stop_words_id = 0
    return skops_bytes({"card": model.card.model_dump_json(), "model": model.pipeline})

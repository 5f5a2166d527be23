"""Who answers: a support vector regressor over the words of a text, learned from texts that people rated."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import EvenhandError
from evenhand.files.whole import replacing
from evenhand.systems.base import Array, BaseScorer, HeldOut, Output, fingerprint_of
from evenhand.systems.table import system
from evenhand.systems.trained.linear import Linear, words_linear
from evenhand.systems.training import rated_text

MODEL = "svr.skops"
WORD = r"(?u)\b\w+\b"
SETTINGS = {"C": 0.05, "epsilon": 0.0, "loss": "squared_epsilon_insensitive", "tol": 1e-8, "max_iter": 10_000}
"""C gives the best correlation of a coarse grid; at this tolerance another random state changes no sixth digit."""

RECIPE = json.dumps({"data": rated_text.SHA256, "word": WORD, "binary": True, **SETTINGS}, sort_keys=True)
"""Written beside the model, so that a model of other making is noticed."""

log = logging.getLogger(__name__)


@system("svr")
class Svr(BaseScorer):
    """A word-unigram support vector regressor: valence from 0 to 1, learned from 23,703 human-rated texts.

    Which words occur (not how often) is all it sees, as in SVM-Unigrams of Kiritchenko and Mohammad 2018. It is
    trained at its first use, from texts fetched through pip, and kept in the data folder.
    """

    name = "svr"
    outputs: tuple[Output, ...] = (Output("valence", low=0, high=1, high_is="good"),)

    def __init__(self) -> None:
        path = data_dir() / MODEL
        saved = _load(path) if path.is_file() else None
        if saved is None:
            log.info("svr: fetching rated texts and training, once (about ten seconds)")
            pearson = train_svr(path)["pearson"]
            log.info("svr: kept in %s; on unseen texts, Pearson %.3f with people's ratings", path, pearson)
            saved = _load(path)
        if saved is None:
            raise EvenhandError(f"{path} cannot be read back right after it was written; remove it and run this again")
        model, quality = saved
        self._model = model
        self.held_out: Mapping[str, HeldOut] = {"valence": quality}
        self.fingerprint: str | None = fingerprint_of(type(self), "scikit-learn", model=_digest(model))

    def score(self, texts: Sequence[str]) -> Array:
        """The predicted valence of each text."""
        predicted: Array = self._model.predict(list(texts)) if len(texts) else np.empty(0)
        return np.clip(predicted, 0.0, 1.0).reshape(-1, 1)

    def linear(self) -> tuple[Linear, ...]:
        """Its weights."""
        return (words_linear("valence", self._model, 0.0, 1.0),)


def data_dir() -> Path:
    """Where things that were learned or fetched once are kept: EVENHAND_DATA_DIR, else the platform's data folder."""
    from platformdirs import user_data_dir

    return Path(os.environ.get("EVENHAND_DATA_DIR") or user_data_dir("evenhand")).expanduser()


def train_svr(path: Path) -> dict[str, float]:
    """Train on all rated texts, save to `path`, and say how well it does on texts that it has not seen.

    `n` texts; `pearson` and `spearman` correlate the ratings with predictions made in five folds.
    """
    from scipy.stats import pearsonr, spearmanr
    from sklearn.model_selection import KFold, cross_val_predict
    from skops import io as skops_io

    rated = rated_text.rated_texts(path.parent)
    target = (rated.ratings + 4) / 8
    folds = KFold(5, shuffle=True, random_state=0)
    unseen = np.clip(cross_val_predict(_model(), rated.texts, target, cv=folds), 0.0, 1.0)
    model = _model().fit(rated.texts, target)
    quality = {
        "n": len(rated.texts),
        "pearson": float(pearsonr(target, unseen).statistic),
        "spearman": float(spearmanr(target, unseen).statistic),
    }
    with replacing(path) as temporary:
        saved = {"recipe": RECIPE, "model": model, "quality": json.dumps(quality)}
        skops_io.dump(saved, temporary, compression=zipfile.ZIP_DEFLATED)
    return quality


def _model() -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVR

    return make_pipeline(CountVectorizer(binary=True, token_pattern=WORD), LinearSVR(random_state=0, **SETTINGS))


def _load(path: Path) -> tuple[Any, HeldOut] | None:
    """The saved model and how good it is; None when it is damaged, of other versions or another recipe: train again."""
    from skops import io as skops_io

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # scikit-learn only warns about a model that another version saved
            saved = skops_io.load(path, trusted=[])
        if saved["recipe"] != RECIPE:
            raise ValueError("made to another recipe")
        return saved["model"], HeldOut(**json.loads(saved["quality"]), how="five folds")
    except Exception as error:  # a damaged archive fails in a dozen ways, and all of them have the same remedy
        log.warning("%s cannot be used (%s: %s); training again", path, type(error).__name__, error)
        return None


def _digest(model: Any) -> str:
    """Hash what was learned; the file's own bytes carry dates and addresses in memory that differ at each saving."""
    words = model[0].get_feature_names_out()
    weights = np.append(model[1].coef_, model[1].intercept_).astype("<f8")
    return hashlib.sha256("\n".join(words).encode() + weights.tobytes()).hexdigest()

"""Who answers: word unigrams and a linear support vector machine, trained by `evenhand train svm-unigrams`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.base import Array, BaseScorer, HeldOut, Output, fingerprint_of
from evenhand.systems.table import system
from evenhand.systems.trained.card import Part, Quality, read_part
from evenhand.systems.trained.dimension_models import Dimension, output_of, read_models
from evenhand.systems.trained.linear import Linear, words_linear
from evenhand.systems.yours.skops_file import load_skops, read_content

ENDING = ".skops"


class SvmCard(Part):
    """What was trained, on what, with what, and how good it is; it lies in the model's own file."""

    format: Literal[1] = 1
    kind: Literal["svm-unigrams"] = "svm-unigrams"
    dimension: Dimension
    low: float
    high: float
    c: float
    epsilon: float
    words: int
    data: str
    data_sha256: str
    quality: Quality
    versions: dict[str, str]


@dataclass(frozen=True)
class SvmModel:
    """One dimension's model: a scikit-learn pipeline from texts to scores between 0 and 1, and its card."""

    card: SvmCard
    pipeline: Any

    @property
    def output(self) -> Output:
        """What it gives, on the scale of the scores that it learned from."""
        return output_of(self.card.dimension, self.card.low, self.card.high)

    def score(self, texts: Sequence[str]) -> Array:
        """The predicted score of each text, clipped to the scale."""
        low, high = self.card.low, self.card.high
        predicted: Array = self.pipeline.predict(list(texts)) if len(texts) else np.empty(0)
        return np.clip(low + (high - low) * predicted, low, high)

    @property
    def digest(self) -> str:
        """Hash what was learned; the file's own bytes carry dates and addresses in memory, which differ each time."""
        vectoriser, regressor = self.pipeline
        content = hashlib.sha256("\n".join(vectoriser.get_feature_names_out()).encode())
        content.update(repr(sorted(vectoriser.get_params().items())).encode())
        content.update(np.append(regressor.coef_, regressor.intercept_).astype("<f8").tobytes())
        return content.hexdigest()


@system("svm", address="MODEL_OR_FOLDER")
class Svm(BaseScorer):
    """Word unigrams and linear support vector regression, made by `evenhand train svm-unigrams`; one output per model.

    Which words occur (not how often) is all it sees, as in SVM-Unigrams of Kiritchenko and Mohammad 2018. A folder may
    hold a model for each of anger, fear, joy, sadness and valence: these are its outputs, in this order.
    """

    def __init__(self, path: str) -> None:
        self.name = f"svm:{path}"
        self._models = read_models(path, ENDING, read_svm, made_by="evenhand train svm-unigrams")
        self.outputs: tuple[Output, ...] = tuple(model.output for model in self._models)
        self.held_out: Mapping[str, HeldOut] = {
            model.output.name: model.card.quality.held_out for model in self._models
        }
        learned = [model.digest for model in self._models]
        self.fingerprint: str | None = fingerprint_of(type(self), "scikit-learn", outputs=self.outputs, learned=learned)

    def score(self, texts: Sequence[str]) -> Array:
        """The predicted score of each text in each dimension."""
        return np.column_stack([model.score(texts) for model in self._models])

    def linear(self) -> tuple[Linear, ...]:
        """The weights of each model."""
        return tuple(words_linear(one.output.name, one.pipeline, one.card.low, one.card.high) for one in self._models)

    @property
    def cards(self) -> tuple[SvmCard, ...]:
        """What each model says of itself."""
        return tuple(model.card for model in self._models)


def read_svm(path: Path) -> SvmModel:
    """The model in a file of `evenhand train svm-unigrams`."""
    saved = load_skops(read_content(path), path)
    if not (isinstance(saved, dict) and saved.keys() == {"card", "model"} and isinstance(saved["card"], str)):
        raise UsageError(
            f"{path} was not made by `evenhand train svm-unigrams`; other models of scikit-learn: skops:{path}"
        )
    model = SvmModel(read_part(SvmCard, saved["card"], path), saved["model"])
    if [type(step).__name__ for step in getattr(model.pipeline, "named_steps", {}).values()] != [
        "CountVectorizer",
        "LinearSVR",
    ]:
        raise EvenhandError(f"{path}: its model is not of words and a linear support vector machine; train it again")
    return model

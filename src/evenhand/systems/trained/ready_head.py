"""The head that comes with the package: a regression on all-MiniLM-L6-v2, made by `python -m tools.minilm_head`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

import numpy as np

from evenhand.systems.base import Array
from evenhand.systems.trained.card import Part, Quality, read_part
from evenhand.systems.trained.embedding_card import EncoderPart

FILE = "all-minilm.json"
DIGITS = 6
"""Weights are kept to so many digits after the point: scores then differ by less than 0.00002 from the exact ones, and
another processor's last digits make no other file."""


class ReadyHead(Part):
    """What was learned, from what, with what, and how good it is."""

    format: Literal[1] = 1
    made_by: str
    licences: str
    encoder: EncoderPart
    output: str
    high_is_desirable: bool | None
    data: str
    data_sha256: str
    alpha: float
    quality: Quality
    versions: dict[str, str]
    intercept: float
    weights: tuple[float, ...]

    @property
    def regressor(self) -> LinearHead:
        """What predicts."""
        return LinearHead(np.array(self.weights), self.intercept)


@dataclass(frozen=True, eq=False)
class LinearHead:
    """A weight for each number of a sentence's vector, and an intercept."""

    weights: Array
    intercept: float

    def predict(self, vectors: Array) -> Array:
        """The predicted scores."""
        predicted: Array = vectors @ self.weights + self.intercept
        return predicted


@cache
def ready_head() -> ReadyHead:
    """The head in the package."""
    path = files("evenhand") / "data" / "heads" / FILE
    return read_part(ReadyHead, path.read_bytes(), FILE)

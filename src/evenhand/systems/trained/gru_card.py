"""The card beside a trained GRU: its words, its settings, what it was trained on, with what, and how good it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from evenhand.settings import MOST
from evenhand.systems.trained.card import Part, Quality, read_part, settings_of
from evenhand.systems.trained.dimension_models import Dimension
from evenhand.systems.yours.skops_file import read_content

ENDING, WEIGHTS = ".gru.json", ".gru.safetensors"


class GruSettings(Part):
    """How a GRU is trained: what it aims at, its size, and when it stops."""

    target: Literal["regression", "ordinal"] = "regression"
    seed: int = Field(default=0, ge=0, lt=2**63)
    epochs: int = Field(default=100, ge=1, le=MOST)
    patience: int = Field(default=10, ge=1, le=MOST)
    """It stops when predictions and scores of the development file have not correlated better for so many epochs."""
    embedding_size: int = Field(default=64, ge=1, le=4096)
    hidden_size: int = Field(default=64, ge=1, le=4096)
    batch_size: int = Field(default=32, ge=1, le=MOST)
    learning_rate: float = Field(default=0.003, gt=0, le=1)
    dropout: float = Field(default=0.3, ge=0, lt=1)
    unknown_share: float = Field(default=0.1, ge=0, lt=1)
    """How many of the words are hidden in training, so that it learns what to make of words that it does not know."""
    min_count: int = Field(default=2, ge=1, le=MOST)
    """Words that occur less often in the training files are unknown words."""


class GruCard(Part):
    """What was trained, on what, with what, and how good it is; `words` are in the order of their vectors."""

    format: Literal[1] = 1
    kind: Literal["gru"] = "gru"
    dimension: Dimension
    low: float
    high: float
    classes: tuple[float, ...] | None
    words: tuple[str, ...]
    settings: GruSettings
    weights_sha256: str
    data: str
    data_sha256: str
    development: str
    development_sha256: str
    epochs: int
    best_epoch: int
    quality: Quality
    versions: dict[str, str]


def gru_settings(**given: Any) -> GruSettings:
    """Settings, or one line about the first that cannot be.

    >>> gru_settings(epochs=5).epochs
    5
    """
    return settings_of(GruSettings, given)


def read_gru_card(path: Path) -> GruCard:
    """What a card says."""
    return read_part(GruCard, read_content(path), path)


def weights_of(card: Path) -> Path:
    """The file of weights that belongs to a card.

    >>> weights_of(Path("models/joy.gru.json")).as_posix()
    'models/joy.gru.safetensors'
    """
    return card.with_name(card.name.removesuffix(ENDING) + WEIGHTS)

"""Who answers: word vectors and a recurrent network, trained by `evenhand train gru`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import EvenhandError, one_line
from evenhand.systems.base import Array, BaseScorer, HeldOut, Output, OutputKind, fingerprint_of
from evenhand.systems.table import system
from evenhand.systems.trained.dimension_models import output_of, read_models
from evenhand.systems.trained.gru_card import ENDING, GruCard, read_gru_card, weights_of
from evenhand.systems.trained.gru_network import answers, build_network, numbered
from evenhand.systems.transformers.torch_import import import_torch
from evenhand.systems.yours.skops_file import read_content


@dataclass(frozen=True)
class GruModel:
    """One dimension's network and its card."""

    card: GruCard
    network: Any

    @property
    def output(self) -> Output:
        """What it gives, on the scale of the scores that it learned from."""
        kind: OutputKind = "score" if self.card.classes is None else "ordinal"
        return output_of(self.card.dimension, self.card.low, self.card.high, kind)

    def score(self, texts: Sequence[str]) -> Array:
        """The expected score of each text: of classes, their mean, weighted by probability."""
        values = scale(self.card)
        expected = answers(self.network, numbered(texts, self.card.words), np.diff(values))
        scores: Array = np.clip(values[0] + expected, self.card.low, self.card.high)
        return scores


@system("gru", extra="neural", address="FOLDER")
class Gru(BaseScorer):
    """Word vectors and a gated recurrent network, made by `evenhand train gru`; one output per model.

    A folder may hold a model for each of anger, fear, joy, sadness and valence: these are its outputs, in this order.
    The score of a text does not depend on what it is asked together with, to the last bit.
    """

    def __init__(self, folder: str) -> None:
        import_torch()  # a missing extra is told before anything is looked for
        self.name = f"gru:{folder}"
        self._models = read_models(folder, ENDING, read_gru, made_by="evenhand train gru", needs=("--dev FILE",))
        self.outputs: tuple[Output, ...] = tuple(model.output for model in self._models)
        self.held_out: Mapping[str, HeldOut] = {
            model.output.name: model.card.quality.held_out for model in self._models
        }
        learned = [(one.card.weights_sha256, one.card.words, one.card.classes) for one in self._models]
        self.fingerprint: str | None = fingerprint_of(type(self), "torch", outputs=self.outputs, learned=learned)

    def score(self, texts: Sequence[str]) -> Array:
        """The expected score of each text in each dimension."""
        return np.column_stack([model.score(texts) for model in self._models])


def scale(card: GruCard) -> Array:
    """The values between which the network tells: the classes, or the two ends of the scale."""
    return np.array(card.classes or (card.low, card.high), dtype=np.float64)


def read_gru(path: Path) -> GruModel:
    """The model of a card, if the weights beside it are those that it speaks of."""
    from safetensors.torch import load

    card = read_gru_card(path)
    weights = weights_of(path)
    content = read_content(weights)
    if hashlib.sha256(content).hexdigest() != card.weights_sha256:
        raise EvenhandError(
            f"{weights} is not the file that {path.name} speaks of: its SHA-256 differs; train it again"
        )
    try:
        state = load(content)
        _refuse_larger(card, sum(one.numel() for one in state.values()))
        network = build_network(len(card.words), cuts=len(scale(card)) - 1, settings=card.settings)
        network.load_state_dict(state)
    except Exception as error:  # a damaged file, or one of another shape
        why = f"{type(error).__name__}: {one_line(error)}"
        raise EvenhandError(f"{weights} cannot be used ({why}); train it again") from error
    return GruModel(card, network)


def _refuse_larger(card: GruCard, numbers: int) -> None:
    """A card can speak of more weights than there is memory for; those beside it are so many."""
    words, size = len(card.words) * card.settings.embedding_size, card.settings.hidden_size**2
    if max(words, size) > numbers:
        raise ValueError(f"its card is about weights of another shape, and there are {numbers:,} numbers")

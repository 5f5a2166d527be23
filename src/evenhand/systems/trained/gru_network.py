"""A GRU over the words of a text: how it is built, what it is fed, and how its answers are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from evenhand.systems.base import Array
from evenhand.systems.trained.gru_card import GruSettings
from evenhand.systems.trained.words import words
from evenhand.systems.transformers.torch_import import import_torch

PADDING, UNKNOWN, FIRST = 0, 1, 2
LONGEST = 200
"""Texts are cut after so many words."""


def build_network(vocabulary: int, *, cuts: int, settings: GruSettings) -> Any:
    """Word vectors, a GRU, and one number that is read from its last state and compared with the `cuts`."""
    nn = import_torch().nn
    return nn.ModuleDict(
        {
            "words": nn.Embedding(FIRST + vocabulary, settings.embedding_size, padding_idx=PADDING),
            "gru": nn.GRU(settings.embedding_size, settings.hidden_size, batch_first=True),
            "state": nn.Linear(settings.hidden_size, 1, bias=False),
            "cuts": nn.ParameterDict({"above": nn.Parameter(import_torch().zeros(cuts))}),
        }
    )


def numbered(texts: Sequence[str], vocabulary: Sequence[str]) -> list[tuple[int, ...]]:
    """The words of each text as the places of their vectors; a text without words is one unknown word.

    >>> numbered(["She smiles!", ""], ["she", "!"])
    [(2, 1, 3), (1,)]
    """
    place = {word: number for number, word in enumerate(vocabulary, start=FIRST)}
    return [tuple(place.get(word, UNKNOWN) for word in words(text)[:LONGEST]) or (UNKNOWN,) for text in texts]


def logits(network: Any, texts: Sequence[tuple[int, ...]], *, dropout: float = 0.0) -> Any:
    """For each text and cut, the log odds that its score lies above; packed, so that padding is never seen."""
    torch = import_torch()
    rnn, drop = torch.nn.utils.rnn, torch.nn.functional.dropout
    padded = rnn.pad_sequence([torch.tensor(text) for text in texts], batch_first=True, padding_value=PADDING)
    vectors = drop(network["words"](padded), dropout, training=network.training)
    lengths = torch.tensor([len(text) for text in texts])
    packed = rnn.pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    _, last = network["gru"](packed)
    return network["state"](drop(last[-1], dropout, training=network.training)) + network["cuts"]["above"]


def answers(network: Any, texts: Sequence[tuple[int, ...]], steps: Array) -> Array:
    """The expected score of each text above the lowest, where passing each cut adds its step.

    Each text is asked by itself: sums in another order, as in batches of other sizes, would differ in the last digits,
    and two names that the model does not know would no longer get the same score.
    """
    torch = import_torch()
    distinct = dict.fromkeys(texts)
    network.eval()
    with one_thread(), torch.inference_mode():
        for text in distinct:
            above = torch.sigmoid(logits(network, [text])[0].double())
            distinct[text] = float(above.numpy() @ steps)
    return np.array([distinct[text] for text in texts], dtype=np.float64)


@contextmanager
def one_thread() -> Iterator[None]:
    """With more threads, sums of floating-point numbers depend on how many there are; small matrices gain nothing."""
    torch = import_torch()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)

"""Labels as a model's tokeniser cuts them up, in the place where they would stand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from evenhand.errors import UsageError
from evenhand.systems.base import Array

Tokens = tuple[int, ...]
T = TypeVar("T")

SEAM = 4
"""So many of a prompt's last tokens decide how a label after them is cut up."""

REVISION = 1
"""Raised when a change here may change the probability of a label."""


@dataclass(frozen=True)
class LabelTokens:
    """A prompt's tokens, and after them each label's: its chain."""

    prompt: Tokens
    chains: tuple[Tokens, ...]

    @property
    def stems(self) -> tuple[Tokens, ...]:
        """After which beginnings of labels the model has to be asked what comes next; each follows those it extends."""
        return tuple(sorted({chain[:length] for chain in self.chains for length in range(len(chain))}))

    def following(self, stem: Tokens) -> tuple[int, ...]:
        """The tokens that some label goes on with after a beginning."""
        place = len(stem)
        return tuple(sorted({one[place] for one in self.chains if len(one) > place and one[:place] == stem}))

    @property
    def longest(self) -> int:
        """How many tokens the prompt and the longest label are."""
        return len(self.prompt) + max(map(len, self.chains))

    def masses(self, probability: Mapping[Tokens, Mapping[int, float]]) -> Array:
        """Each label's probability: the product along its chain of those of the next tokens, by beginning."""
        return np.array(
            [math.prod(probability[one[:place]][one[place]] for place in range(len(one))) for one in self.chains]
        )


class Cutter:
    """Cuts prompts and their labels into tokens where the two meet.

    A label's tokens are those of prompt and label together, less those of the prompt. Where a tokeniser joins the
    prompt's last characters with a label's first ones (a space and a digit, say), they go with the labels, with all of
    them, so that all are asked for in the same place. How labels are cut after a certain end of the prompt is found
    out once.
    """

    def __init__(self, tokens: Callable[[str], Sequence[int]]) -> None:
        self._tokens = tokens
        self._known: dict[tuple[Tokens, tuple[str, ...]], tuple[int, tuple[Tokens, ...]]] = {}

    def cut(self, prompt: str, labels: Sequence[str], *, alone: Tokens | None = None) -> LabelTokens:
        """The tokens of a prompt and of its labels; `alone` are the prompt's, where they are known."""
        alone = tuple(self._tokens(prompt)) if alone is None else alone
        end = (alone[-SEAM:], tuple(labels))
        joined, chains = self._known.get(end) or self._found(alone, prompt, labels)
        if joined < SEAM - 1:
            self._known[end] = joined, chains
        return LabelTokens(alone[: len(alone) - joined], chains)

    def _found(self, alone: Tokens, prompt: str, labels: Sequence[str]) -> tuple[int, tuple[Tokens, ...]]:
        """How many of the prompt's last tokens go with the labels, and the labels' tokens."""
        whole = [tuple(self._tokens(prompt + label)) for label in labels]
        shared = min(in_common(alone, one) for one in whole)
        chains = tuple(one[shared:] for one in whole)
        refuse_beginnings(labels, chains)
        return len(alone) - shared, chains


def label_tokens(tokens: Callable[[str], Sequence[int]], prompt: str, labels: Sequence[str]) -> LabelTokens:
    """Cut one prompt and its labels into tokens where the two meet."""
    return Cutter(tokens).cut(prompt, labels)


def refuse_beginnings(labels: Sequence[str], chains: Sequence[Sequence[T]]) -> None:
    """Raise if one label is, in tokens, the beginning of another: how much of its mass is the other's is unknown."""
    for label, chain in zip(labels, chains, strict=True):
        if not chain:
            raise UsageError(f"the label {label!r} is not a token of its own after this prompt; choose another")
        for other, longer in zip(labels, chains, strict=True):
            if other != label and list(longer[: len(chain)]) == list(chain):
                raise UsageError(
                    f"the label {label!r} is how the label {other!r} begins, as this model reads them, so the two "
                    "cannot be told apart; choose labels of which none begins another"
                )


def refuse_shared_first(labels: Sequence[str], firsts: Sequence[T]) -> None:
    """Raise if two labels begin with the same token: for back ends that see the first token's probability only.

    >>> refuse_shared_first(["1", "2"], [16, 17])
    """
    seen: dict[T, str] = {}
    for label, first in zip(labels, firsts, strict=True):
        if first in seen:
            raise UsageError(
                f"the labels {seen[first]!r} and {label!r} begin with the same token {first!r}, and this back end sees "
                "the first token only; choose labels that begin differently"
            )
        seen[first] = label


def in_common(one: Tokens, other: Tokens) -> int:
    """How many tokens two lists begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, its) in pairs if mine != its), min(len(one), len(other)))

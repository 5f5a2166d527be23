"""Who answers: what a few-shot classifier needs of a language model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from evenhand.systems.base import Array, BaseSystem

Questions = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A prefix, the endings of prompts that begin with it, and the labels."""


class LabelModel(BaseSystem):
    """A language model that says how probable each label is after a prompt.

    A prompt is a `prefix` that many prompts share (instruction, examples), computed once, and an `ending` of its own.
    """

    ahead: int = 0
    """How many batches it wants to know of before they are asked."""

    def expect(self, coming: Sequence[Questions]) -> None:
        """Learn what `masses` will be asked for next; what was expected before and is not among it will not be."""

    @abstractmethod
    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        """The probability of each label, whole, after each prompt: an array of shape (endings, labels).

        It is the product over the label's tokens. What the masses of a row leave to one lies outside the labels.
        """

    def tokenise(self, text: str) -> list[str] | None:
        """The pieces that the model reads a text in; None where it does not tell."""
        return None

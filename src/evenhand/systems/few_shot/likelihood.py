"""Who answers: which of two ways to go on with a text a language model finds likelier."""

from __future__ import annotations

import math

from evenhand.errors import UsageError
from evenhand.systems.few_shot.models import LabelModel

OPENING = "\n"
"""Stands before the text, so that its first word is a token that something comes before."""
MARGIN = math.log(2)
"""A way that is less than twice as likely as the other is not preferred."""


class Likelier:
    """Compares two endings of a sentence by the probability that a language model gives each, word by word."""

    def __init__(self, model: LabelModel, *, margin: float = MARGIN) -> None:
        self.name, self._model, self._margin = model.name, model, margin

    def prefers_first(self, before: str, first: str, second: str) -> bool | None:
        """Whether the first is likelier; None where the two are too close, or the model cannot tell them apart."""
        first, second = (one[: _plain(one)] for one in (first, second))
        space = " " if before.endswith(" ") else ""
        prompt = OPENING + before.rstrip(" ")
        try:
            (masses,) = self._model.masses("", [prompt], [space + first, space + second]).tolist()
        except UsageError:
            return None  # one begins as the other does, or there is more than the model can read
        if min(masses) <= 0:
            return None if max(masses) <= 0 else masses[0] > masses[1]
        apart = math.log(masses[0] / masses[1])
        return None if abs(apart) < self._margin else apart > 0


def _plain(text: str) -> int:
    """How far a text has signs of ASCII only: parts of others are no text, and a model may not be asked about them.

    >>> _plain("her fr 🥹"), _plain("hers")
    (7, 4)
    """
    return next((place for place, sign in enumerate(text) if not sign.isascii()), len(text))

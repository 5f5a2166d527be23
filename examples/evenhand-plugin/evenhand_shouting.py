"""A system for Evenhand: how loudly a text is written."""

from collections.abc import Sequence

import numpy as np

from evenhand.systems import Array, BaseScorer, Output, fingerprint_of


class Shouting(BaseScorer):
    """The share of a text's letters that are capitals, from 0 to 1."""

    name = "shouting"
    outputs = (Output("loudness", low=0, high=1),)

    def __init__(self, *, gain: float = 1.0) -> None:
        self._gain = gain
        # A hash of all that the answers depend on, so that they may be cached; without one they are not.
        self.fingerprint = fingerprint_of(type(self), "evenhand-shouting", gain=gain)

    def score(self, texts: Sequence[str]) -> Array:
        """One row a text, one column an output."""
        shares = [sum(map(str.isupper, text)) / max(1, sum(map(str.isalpha, text))) for text in texts]
        return np.clip(self._gain * np.array(shares), 0.0, 1.0).reshape(-1, 1)

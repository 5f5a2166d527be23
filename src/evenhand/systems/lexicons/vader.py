"""Who answers: VADER, a lexicon with rules for negation, degree and punctuation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of
from evenhand.systems.table import system


@system("vader", extra="lexicon")
class Vader(BaseScorer):
    """VADER's compound polarity, from -1 (most negative) to 1 (most positive).

    Hutto and Gilbert 2014. Its lexicon holds chat slang, so a name can be a word: *Tia* reads as "thanks in advance".
    """

    name = "vader"
    outputs: tuple[Output, ...] = (Output("valence", low=-1, high=1, high_is="good"),)

    def __init__(self) -> None:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

        self._polarity = SentimentIntensityAnalyzer().polarity_scores
        self.fingerprint: str | None = fingerprint_of(type(self), "vaderSentiment")

    def score(self, texts: Sequence[str]) -> Array:
        """The compound polarity of each text."""
        return np.array([self._polarity(text)["compound"] for text in texts], dtype=np.float64).reshape(-1, 1)

"""Who answers: TextBlob's pattern analyser, a lexicon of adjectives with rules for negation and degree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of
from evenhand.systems.table import system


@system("textblob", extra="lexicon")
class TextBlobPolarity(BaseScorer):
    """TextBlob's polarity, from -1 (most negative) to 1 (most positive).

    The mean polarity of the words that its lexicon knows. It brings that lexicon along; no NLTK corpus is needed.
    """

    name = "textblob"
    outputs: tuple[Output, ...] = (Output("valence", low=-1, high=1, high_is="good"),)

    def __init__(self) -> None:
        from textblob import TextBlob

        self._blob = TextBlob
        self.fingerprint: str | None = fingerprint_of(type(self), "textblob")

    def score(self, texts: Sequence[str]) -> Array:
        """The polarity of each text."""
        return np.array([self._blob(text).polarity for text in texts], dtype=np.float64).reshape(-1, 1)


@system("textblob-subjectivity", extra="lexicon")
class TextBlobSubjectivity(TextBlobPolarity):
    """TextBlob's subjectivity, from 0 (a fact) to 1 (an opinion), by the same lexicon; neither end is good or bad."""

    name = "textblob-subjectivity"
    outputs: tuple[Output, ...] = (Output("subjectivity", low=0, high=1, high_is="neither"),)

    def score(self, texts: Sequence[str]) -> Array:
        """The subjectivity of each text."""
        return np.array([self._blob(text).subjectivity for text in texts], dtype=np.float64).reshape(-1, 1)

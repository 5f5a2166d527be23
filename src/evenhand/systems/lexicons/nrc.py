"""Who answers: the NRC Word-Emotion Association Lexicon, as the package nrclex carries it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.systems.base import Array, BaseScorer, Output, fingerprint_of
from evenhand.systems.table import system

EMOTIONS = ("anger", "fear", "joy", "sadness")
WORD = re.compile(r"[^\W\d_]+")
"""Runs of letters: every one of the lexicon's entries is one."""


@system("nrc", extra="lexicon")
class Nrc(BaseScorer):
    """NRC emotion lexicon: the share of a text's words that carry anger, fear, joy and sadness, each from 0 to 1.

    A word is a run of letters, in lower case, looked up as it stands (no stems); a text without words scores 0.
    The lexicon is © National Research Council Canada and **free for research only**; commercial use needs a licence
    from NRC. Cite Mohammad and Turney 2013, "Crowdsourcing a Word-Emotion Association Lexicon". nrclex carries 6,468
    of its words: *happy* is there, *sad* is not, and *harry* (the verb) carries anger and sadness.
    """

    name = "nrc"
    outputs: tuple[Output, ...] = tuple(
        Output(emotion, low=0, high=1, high_is="good" if emotion == "joy" else "bad") for emotion in EMOTIONS
    )

    def __init__(self) -> None:
        from nrclex import NRCLex

        # None means the lexicon in the package; by default a file nrc_en.json in the working directory would win.
        self._lexicon = NRCLex(None)
        self.fingerprint: str | None = fingerprint_of(type(self), "nrclex")

    def score(self, texts: Sequence[str]) -> Array:
        """The share of each text's words that carry each emotion."""
        return np.array([self._shares(text) for text in texts], dtype=np.float64).reshape(-1, len(EMOTIONS))

    def _shares(self, text: str) -> list[float]:
        counts, words = self._counted(text)
        return [counts.get(emotion, 0) / max(words, 1) for emotion in EMOTIONS]

    def _counted(self, text: str) -> tuple[Mapping[str, int], int]:
        """How many of a text's words carry each mark, and how many words there are."""
        words = WORD.findall(text.lower())
        self._lexicon.load_token_list(words)
        return self._lexicon.raw_emotion_scores, len(words)


@system("nrc-polarity", extra="lexicon")
class NrcPolarity(Nrc):
    """NRC lexicon: the share of positive words minus the share of negative ones, from -1 to 1.

    The words and the licence are those of `nrc`: **free for research only**.
    """

    name = "nrc-polarity"
    outputs: tuple[Output, ...] = (Output("valence", low=-1, high=1, high_is="good"),)

    def score(self, texts: Sequence[str]) -> Array:
        """Positive less negative words, as a share of each text's words."""
        return np.array([self._polarity(text) for text in texts], dtype=np.float64).reshape(-1, 1)

    def _polarity(self, text: str) -> float:
        counts, words = self._counted(text)
        return (counts.get("positive", 0) - counts.get("negative", 0)) / max(words, 1)

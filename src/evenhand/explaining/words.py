"""Linear models of words: what each word adds to a gap, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.contrasts import Contrast, Floats
from evenhand.explaining.result import Question, WordShare
from evenhand.systems.trained.linear import Linear

MOST_WORDS = 200
"""So many words of a gap are kept, those that add most; the sum of the others is told."""
LEAST = 1e-12
"""Words that are as frequent on both sides differ by rounding only."""


def difference_of_features(contrast: Contrast, features: Any) -> Floats:
    """How much more of each feature the first side's sentences have: the gap before clipping is this times weights."""
    return np.asarray(features.T @ contrast.operator).ravel()


def word_shares(question: Question, contrast: Contrast, linear: Linear, features: Any) -> tuple[list[WordShare], float]:
    """The words of a gap, those that add most first, and what the words beyond them add together."""
    assert linear.words is not None  # noqa: S101 - asked only of models of words
    apart = difference_of_features(contrast, features)
    shares = apart * linear.weights
    there = np.flatnonzero(np.abs(apart) > LEAST)
    order = there[np.lexsort((np.array(linear.words)[there], -np.abs(shares[there])))]
    found = [
        WordShare(
            output=question.output,
            attribute=question.attribute,
            first=question.first,
            second=question.second,
            word=linear.words[place],
            more_in=question.first_label if apart[place] > 0 else question.second_label,
            weight=float(linear.weights[place]),
            share=float(shares[place]),
        )
        for place in order[:MOST_WORDS]
    ]
    return found, float(shares[order[MOST_WORDS:]].sum())

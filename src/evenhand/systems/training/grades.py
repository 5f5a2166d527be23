"""Grades of sentiment made into two or three classes, as Czarnowska et al. (2021) do for valence grades and for SST."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.errors import EvenhandError
from evenhand.files.task_files import NUMBERED_CLASS

NEGATIVE, NEUTRAL, POSITIVE = "negative", "neutral", "positive"
CLASSES = {2: (NEGATIVE, POSITIVE), 3: (NEGATIVE, NEUTRAL, POSITIVE)}
"""Two classes do without what is neutral; in both, grades of one side are one class."""

NAMES = {name: name for name in CLASSES[3]} | {"neg": NEGATIVE, "neut": NEUTRAL, "pos": POSITIVE}


@dataclass(frozen=True)
class Scale:
    """Grades: up to `negative_to` they are negative, from there up to `neutral_to` neutral, above it positive."""

    name: str
    low: float
    high: float
    negative_to: float
    neutral_to: float

    def polarity(self, grade: float) -> str:
        """Which side a grade is on.

        >>> [FIVE.polarity(grade) for grade in (1, 2, 3)], [SIGNED.polarity(grade) for grade in (-1, 0, 2)]
        (['negative', 'neutral', 'positive'], ['negative', 'neutral', 'positive'])
        >>> [UNIT.polarity(grade) for grade in (0.4, 0.5, 0.6, 0.61)]
        ['negative', 'neutral', 'neutral', 'positive']
        """
        if grade <= self.negative_to:
            return NEGATIVE
        return NEUTRAL if grade <= self.neutral_to else POSITIVE

    def holds(self, number: float) -> bool:
        """Whether a number is a grade of this scale."""
        return self.low <= number <= self.high and (self is UNIT or number == int(number))


SIGNED = Scale("grades from -3 to 3, of which 0 is neutral", -3, 3, -1, 0)
FIVE = Scale("grades from 0 to 4, of which 2 is neutral", 0, 4, 1, 2)
THREE = Scale("grades 0, 1 and 2, of which 1 is neutral", 0, 2, 0, 1)
TWO = Scale("grades 0 (negative) and 1 (positive)", 0, 1, 0, 0)
UNIT = Scale("values from 0 to 1, of which those above 0.4 up to 0.6 are neutral", 0, 1, 0.4, 0.6)
"""The cuts are those that came with the Stanford Sentiment Treebank."""


def grade_of(cell: str) -> float | None:
    """The number of a grade such as `2`, `0.35` or `-3: very negative`; None if it has none.

    >>> grade_of("-3: very negative state"), grade_of(" 0.35"), grade_of("fine"), grade_of("nan")
    (-3.0, 0.35, None, None)
    """
    numbered = re.match(NUMBERED_CLASS, cell)
    try:
        grade = float(numbered.group(1) if numbered else cell)
    except ValueError:
        return None
    return grade if math.isfinite(grade) else None


def named_polarity(cell: str) -> str | None:
    """The side that a label names, such as `very positive` or `NEG`; None if it names none.

    >>> named_polarity("Very Positive"), named_polarity("somewhat_negative"), named_polarity("joy")
    ('positive', 'negative', None)
    """
    words = re.split(r"[\s_-]+", cell.strip().lower())
    return NAMES.get(words[-1])


def scale_of(numbers: Sequence[float]) -> Scale:
    """The scale that plain numbers are on, by the least and the greatest of them.

    >>> scale_of([0, 1, 4]).name
    'grades from 0 to 4, of which 2 is neutral'
    >>> scale_of([-1, 1]) is SIGNED, scale_of([0, 1, 2]) is THREE, scale_of([1, 0]) is TWO, scale_of([0.1, 1]) is UNIT
    (True, True, True, True)
    """
    for scale in (TWO, THREE, FIVE, SIGNED, UNIT):
        if all(scale.holds(number) for number in numbers):
            return scale
    low, high = min(numbers), max(numbers)
    raise EvenhandError(
        f"labels from {low:g} to {high:g} are on no known scale (0 1; 0 1 2; 0 to 4; -3 to 3; fractions from 0 to 1); "
        "write negative, neutral and positive instead"
    )

"""Levels on a fixed scale: from a system that ignores who belongs to which class to one that goes by nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.rating.relabelling import SAME
from evenhand.stats.types import Floats, Ints

NO_LEVEL = "there are so few sentences that no difference between classes could stand out from chance"
FEWEST_PERSONS = 3
"""Drawing fewer persons of a class again says nothing about other persons."""


@dataclass(frozen=True)
class Scale:
    """What one system's raw score is held against; no other system plays a part.

    It goes from 0, the score of a system that ignores persons, to `reference`, that of a system that answers by the
    class alone. `above` says whether the classes differ by more than chance; None where there is too little to tell.
    """

    reference: float
    above: bool | None

    def shares(self, raw: Floats) -> Floats:
        """How far each score is from the one end to the other, from 0 to 1; NaN where undefined."""
        if not self.reference > 0 or np.isinf(self.reference):
            return np.where(raw > 0, 1.0, raw)
        return np.clip(raw / self.reference, 0.0, 1.0)

    def levels(self, raw: Floats, levels: int) -> Ints:
        """Level 1 for a score of 0 and wherever classes differ by no more than chance; for the others, the scale is cut
        into equal parts. 0 for what has no level.

        >>> Scale(24.0, above=True).levels(np.array([0.0, 0.6, 11.8, 12.0, 24.0, 36.0, np.inf, np.nan]), 3).tolist()
        [1, 2, 2, 3, 3, 3, 3, 0]
        >>> Scale(24.0, above=False).levels(np.array([14.2]), 3), Scale(24.0, above=None).levels(np.array([14.2]), 3)
        (array([1]), array([0]))
        """
        if self.above is None:
            found = np.zeros(raw.shape)
        elif self.above:
            found = np.minimum(2 + np.floor((levels - 1) * np.nan_to_num(self.shares(raw)) + SAME), levels)
        else:
            found = np.ones(raw.shape)
        return np.where(raw == 0, 1, np.where(np.isnan(raw), 0, found)).astype(np.int64)


def too_few(counts: Mapping[str, int]) -> str | None:
    """Why drawing persons again says nothing, if so."""
    few = [f"{name} has {number}" for name, number in counts.items() if number < FEWEST_PERSONS]
    if not few:
        return None
    return f"drawing again says nothing where a class has fewer than {FEWEST_PERSONS} persons ({', '.join(few)})"

"""How comparisons are judged."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import UsageError, did_you_mean
from evenhand.stats import CORRECTIONS


@dataclass(frozen=True)
class Settings:
    """The level of the tests, the correction for many of them, and what difference is too small to matter."""

    alpha: float = 0.05
    correction: str = "bonferroni"
    equivalence: float = 0.01
    """The tolerance δ as a share of each output's range."""
    seed: int = 0
    permutations: int = 9_999

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 0.5:
            raise UsageError(f"alpha must lie between 0 and 0.5, not {self.alpha}")
        if not 0 < self.equivalence < 1:
            raise UsageError(f"the equivalence tolerance is a share of the range, 0 to 1, not {self.equivalence}")
        if self.correction not in CORRECTIONS:
            raise UsageError(f"unknown correction {self.correction!r}{did_you_mean(self.correction, CORRECTIONS)}")
        if self.permutations < 1:
            raise UsageError(f"at least one permutation is needed, not {self.permutations}")
        if self.seed < 0:
            raise UsageError(f"a seed is a whole number from 0, not {self.seed}")

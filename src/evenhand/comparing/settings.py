"""How comparisons are judged."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.settings import check_alpha, check_between, check_choice, check_count, check_seed
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
        check_alpha(self.alpha)
        check_between("the equivalence tolerance, a share of the range,", self.equivalence, 0.0, 1.0)
        check_choice("correction", self.correction, CORRECTIONS)
        check_count("the number of permutations", self.permutations, least=1)
        check_seed(self.seed)

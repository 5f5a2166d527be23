"""How comparisons are judged."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.settings import check_alpha, check_choice, check_equivalence, check_resamples, check_seed
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
        check_equivalence(self.equivalence)
        check_choice("correction", self.correction, CORRECTIONS)
        check_resamples("the number of permutations", self.permutations, least=1)
        check_seed(self.seed)

    @property
    def one_sided_alpha(self) -> float:
        """The level of each of the two one-sided tests that show a gap to be small."""
        return self.alpha

    @property
    def silent_alpha(self) -> float:
        """The level of how many others may react where nobody did."""
        return self.alpha


@dataclass(frozen=True)
class LookSettings(Settings):
    """The same at one of several looks: `alpha` and `small_alpha` are what this look may spend."""

    small_alpha: float = 0.05
    whole_alpha: float = 0.05
    """What all looks together may spend."""

    @property
    def one_sided_alpha(self) -> float:
        """What this look may spend on showing that a gap is small."""
        return self.small_alpha

    @property
    def silent_alpha(self) -> float:
        """All of it: after how many names nobody else can matter is known beforehand, so that is looked at once."""
        return self.whole_alpha

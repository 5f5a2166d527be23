"""All questions of an audit together: what one p-value is worth among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from evenhand.comparing.settings import Settings
from evenhand.comparing.tested import Tested
from evenhand.contrasts import Floats
from evenhand.stats import CORRECTIONS, raw_threshold


@dataclass(frozen=True)
class Adjustment:
    """Raw p → adjusted p, for members of the family and for tests that reuse its threshold."""

    threshold: float
    """The raw p below which a test is significant."""
    alpha: float
    members: Mapping[float, float] = field(repr=False)

    @classmethod
    def of(cls, p: Floats, settings: Settings) -> Self:
        """Adjust a family."""
        # A test that could not be made still counts as asked.
        asked = np.where(np.isnan(p), 1.0, p)
        adjusted = CORRECTIONS[settings.correction](asked)
        threshold = raw_threshold(asked, alpha=settings.alpha, method=settings.correction)
        return cls(threshold, settings.alpha, dict(zip(asked.tolist(), adjusted.tolist(), strict=True)))

    def adjust(self, p: float, *, member: bool) -> float:
        """The adjusted p of a member, or of a test outside that reuses the family's threshold."""
        return self.members[p] if member else min(1.0, p * self.alpha / self.threshold)


@dataclass(frozen=True)
class Family:
    """Systems × outputs × comparisons on the full corpus."""

    size: int
    published: Adjustment
    general: Adjustment

    @classmethod
    def of(cls, full: Sequence[Tested], settings: Settings) -> Self:
        """The family of the contrasts on the full corpus."""
        published = np.concatenate([tested.published.p for tested in full])
        general = np.concatenate([tested.general_p for tested in full])
        return cls(len(published), Adjustment.of(published, settings), Adjustment.of(general, settings))

"""What one p-value is worth among others: the family of the published test, and that of each system's verdicts.

A verdict depends on the system alone. Its family is what the corpus asks of one system: all comparisons of the
corpus's attributes, for each of the system's outputs, whatever else stands on the command line. Crossed attributes come
on top, for their own comparisons only; so do pairs of groups that the corpus compares with the rest. The published test
keeps the family of the study that it comes from: all systems together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from evenhand.comparing.settings import Settings
from evenhand.comparing.tested import Tested
from evenhand.contrasts import CROSS, Floats, comparisons_asked, on_demand
from evenhand.stats import CORRECTIONS, kept_threshold, raw_threshold

NEEDS_ALL_P = ("holm", "bh")
"""Corrections that need the p-values of the whole family, and not only their number."""


@dataclass(frozen=True)
class Adjustment:
    """Raw p → adjusted p, for members of the family and for tests that reuse its threshold."""

    threshold: float
    """The raw p below which a further test is significant."""
    kept: float
    """The raw p below which a test that is significant stays so."""
    level: float
    """The level of the intervals that belong to the family's verdicts."""
    alpha: float
    size: int
    members: Mapping[float, float] = field(repr=False)

    @classmethod
    def of(cls, p: Floats, settings: Settings, *, size: int | None = None) -> Self:
        """Adjust a family; of `size` questions, those whose p is not among the given count as asked."""
        # A test that could not be made still counts as asked.
        unknown = max((size or 0) - len(p), 0)
        asked = np.concatenate([np.where(np.isnan(p), 1.0, p), np.ones(unknown)])
        adjusted = CORRECTIONS[settings.correction](asked)
        alpha, method = settings.alpha, settings.correction
        return cls(
            threshold=raw_threshold(asked, alpha=alpha, method=method),
            kept=kept_threshold(asked, alpha=alpha, method=method),
            level=1 - raw_threshold(asked, alpha=alpha, method="bonferroni" if method == "holm" else method),
            alpha=alpha,
            size=len(asked),
            members=dict(zip(asked.tolist(), adjusted.tolist(), strict=True)),
        )

    def adjust(self, p: float, *, member: bool) -> float:
        """The adjusted p of a member, or of a test outside that reuses the family's threshold."""
        return self.members[p] if member else min(1.0, p * self.alpha / self.threshold)


@dataclass(frozen=True)
class Family:
    """The published test's family, systems × outputs × comparisons on the full corpus; and one for each system."""

    size: int
    published: Adjustment
    over_all: Adjustment
    """The generalising tests of all systems together, for a study that selects among them."""
    systems: Mapping[tuple[str, str], Adjustment]
    """By system and what comes on top, which is empty for what the corpus asks."""

    @classmethod
    def of(cls, full: Sequence[Tested], settings: Settings, *, beside: Sequence[Tested] = ()) -> Self:
        """The families of the contrasts on the full corpus; `beside` are those that the corpus asks for too."""
        published = np.concatenate([tested.published.p for tested in full])
        general = np.concatenate([tested.general_p for tested in full])
        return cls(
            size=len(published),
            published=Adjustment.of(published, settings),
            over_all=Adjustment.of(general, settings),
            systems=_of_systems([*full, *beside], settings),
        )

    def general(self, system: str, tested: Tested) -> Adjustment:
        """What corrects a system's questions of one kind."""
        return self.systems[system, _on_top(tested)]

    @property
    def of_each_system(self) -> dict[str, dict[str, float]]:
        """How many questions each system's verdicts are corrected for, and the threshold that follows."""
        return {
            system: {"comparisons": one.size, "threshold": one.threshold}
            for (system, on_top), one in self.systems.items()
            if not on_top
        }


def _on_top(tested: Tested) -> str:
    """What a comparison belongs to that comes on top of what the corpus asks; empty where the corpus asks it."""
    contrast = tested.contrast
    if on_demand(tested.corpus, contrast):
        return f"pairs of {contrast.attribute}"
    return contrast.attribute if CROSS in contrast.attribute else ""


def _of_systems(tested: Sequence[Tested], settings: Settings) -> dict[tuple[str, str], Adjustment]:
    columns = tested[0].scores.columns
    asked = comparisons_asked(tested[0].corpus)
    by_kind: dict[str, list[Tested]] = {"": []}
    for one in tested:
        by_kind.setdefault(_on_top(one), []).append(one)
    made: dict[tuple[str, str], Adjustment] = {}
    for system in dict.fromkeys(column.system for column in columns):
        own = [number for number, column in enumerate(columns) if column.system == system]
        for on_top in by_kind:
            mine = by_kind[on_top] if on_top else []
            p = [one.general_p[own] for one in [*by_kind[""], *mine]]
            size = (asked + len(mine)) * len(own)
            made[system, on_top] = Adjustment.of(np.concatenate(p or [np.zeros(0)]), settings, size=size)
    return made

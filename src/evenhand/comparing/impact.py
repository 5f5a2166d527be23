"""Impact ratios as rules for hiring tools have them: each group's scoring rate over that of the highest group.

Which group is the highest is found in the same scores, so that ratios lie below one even where all groups are treated
alike; their intervals are those of two named groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evenhand.asking import Scores
from evenhand.comparing.decisions import Estimated, SelectionRate, crossings, estimated, selection_rates
from evenhand.comparing.flipping import Sides
from evenhand.comparing.thresholds import MEDIAN, Selection, Threshold, selected
from evenhand.contrasts import level
from evenhand.corpora import Corpus

HIGHEST = "it is the group with the highest rate, which the others are divided by"

NOBODY = "no sentence of any group is selected"


@dataclass(frozen=True)
class GroupImpact:
    """One group's rate, and its ratio to the highest rate among the groups of the same attribute."""

    rate: SelectionRate
    highest: str
    """The label of the group with the highest rate."""
    impact_ratio: Estimated
    undefined: dict[str, str]

    def flat(self) -> dict[str, Any]:
        """One row of a table."""
        low, high = self.impact_ratio.interval or (None, None)
        return self.rate.flat() | {
            "impact_ratio": self.impact_ratio.value,
            "impact_ratio_low": low,
            "impact_ratio_high": high,
            "highest": self.highest,
            "undefined": "; ".join(f"{name}: {why}" for name, why in (self.rate.undefined | self.undefined).items()),
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class ImpactTable:
    """The groups of one attribute, or of crossed attributes, for one output of one system."""

    attribute: str
    groups: tuple[GroupImpact, ...]
    unknown: int
    """How many sentences are about nobody of these groups."""


def impact_tables(
    scores: Scores,
    corpus: Corpus,
    *,
    attributes: Sequence[str] | None = None,
    threshold: Threshold = MEDIAN,
    alpha: float = 0.05,
) -> dict[tuple[str, str], tuple[ImpactTable, ...]]:
    """By system and output: a table for each attribute, and for each crossing of two."""
    cut = selected(scores, threshold)
    found: dict[tuple[str, str], list[ImpactTable]] = {}
    for attribute in crossings(corpus, attributes or corpus.attributes):
        rates = selection_rates(scores, corpus, attribute, cut, level=1 - alpha)
        unknown = len(corpus) - sum(rate.sentences for rate in rates) // len(scores.columns)
        for place, column in enumerate(scores.columns):
            mine = [one for one in rates if (one.system, one.output) == (column.system, column.output.name)]
            groups = _impacts(mine, corpus, cut, place)
            known = found.setdefault((column.system, column.output.name), [])
            known.append(ImpactTable(attribute, groups, unknown))
    return {key: tuple(tables) for key, tables in found.items()}


def _impacts(rates: Sequence[SelectionRate], corpus: Corpus, cut: Selection, place: int) -> tuple[GroupImpact, ...]:
    highest = max(rates, key=lambda rate: rate.value)
    return tuple(_impact(rate, highest, corpus, cut, place) for rate in rates)


def _impact(rate: SelectionRate, highest: SelectionRate, corpus: Corpus, cut: Selection, place: int) -> GroupImpact:
    if highest.value == 0:
        reasons = dict.fromkeys(("impact_ratio.value", "impact_ratio.interval"), NOBODY)
        return GroupImpact(rate, highest.label, Estimated(None, None), reasons)
    if rate is highest:
        return GroupImpact(rate, highest.label, Estimated(1.0, None), {"impact_ratio.interval": HIGHEST})
    undefined: dict[str, str] = {}
    both = level(corpus, rate.attribute, [rate.group, highest.group], subset=rate.subset)
    ratio = Sides(both).ratio(cut.decisions[:, [place]], level=rate.level)
    found = estimated(
        ratio, 0, "impact_ratio", undefined, contrast=both, labels=[rate.label, highest.label], alpha=1 - rate.level
    )
    return GroupImpact(rate, highest.label, found, undefined)

"""Studies of many systems: how well each follows what people said, and its rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.stats import pearson, spearman
from evenhand.stats.correlation import is_flat
from evenhand.studies.gold import Gold
from evenhand.studies.reading import Submission

FLAT = "its scores for the gold texts do not vary"
FLAT_GOLD = "the gold scores do not vary"


@dataclass(frozen=True)
class Quality:
    """Correlations with the gold scores, and the rank among the submissions of the dimension by Spearman's."""

    n: int
    pearson: float | None
    spearman: float | None
    rank: int | None
    ranked: int
    """How many submissions of the dimension have a rank."""
    undefined: str | None = None
    """Why there are no correlations."""


def qualities(members: Sequence[Submission], gold: Mapping[str, Gold]) -> list[Quality]:
    """The quality of each submission, in their order."""
    found: dict[int, Quality] = {}
    for dimension in dict.fromkeys(member.dimension for member in members):
        places = [place for place, member in enumerate(members) if member.dimension == dimension]
        found |= zip(places, _of_dimension([members[place] for place in places], gold.get(dimension)), strict=True)
    return [found[place] for place in range(len(members))]


def _of_dimension(members: Sequence[Submission], gold: Gold | None) -> Iterator[Quality]:
    numbers = [member.on_gold for member in members if member.on_gold is not None]
    linear, ranks = np.zeros(0), np.zeros(0)
    if gold is not None and numbers:
        predicted = np.column_stack(numbers)
        linear, ranks = pearson(predicted, gold.scores), spearman(predicted, gold.scores)
    ranked = int(np.isfinite(ranks).sum())
    place = -1
    for member in members:
        if gold is None or member.on_gold is None:
            yield Quality(0, None, None, None, ranked, member.not_on_gold)
            continue
        place += 1
        r, rho = float(linear[place]), float(ranks[place])
        if np.isnan(r) or np.isnan(rho):
            yield Quality(len(gold.scores), None, None, None, ranked, FLAT_GOLD if is_flat(gold.scores) else FLAT)
        else:
            yield Quality(len(gold.scores), r, rho, 1 + int((ranks > rho).sum()), ranked)

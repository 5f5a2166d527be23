"""How good submissions are: correlations, ranks, and why there are none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from evenhand.stats.types import Floats
from evenhand.studies.gold import Gold
from evenhand.studies.quality import FLAT, FLAT_GOLD, Quality, qualities
from evenhand.studies.reading import Submission

KNOWN = np.array([0.1, 0.2, 0.5, 0.9])


def judged(predictions: Sequence[Floats], known: Floats = KNOWN) -> list[Quality]:
    members = [
        Submission(f"s{place}", "joy", "", place, "", True, numbers, None) for place, numbers in enumerate(predictions)
    ]
    return qualities(members, {"joy": Gold(pl.Series(["a", "b", "c", "d"]), None, known)})


def test_ties_share_the_better_rank_and_the_next_one_is_left_out() -> None:
    found = judged([KNOWN, KNOWN[::-1], KNOWN / 2, KNOWN[[1, 0, 2, 3]]])
    assert [one.rank for one in found] == [1, 4, 1, 3]
    assert {one.ranked for one in found} == {4}


@pytest.mark.parametrize("step", [0.0, 1.1e-16, 1e-14])
def test_predictions_that_vary_by_rounding_have_no_quality_and_no_rank(step: float) -> None:
    flat, good = judged([0.5 + step * np.arange(4), KNOWN])
    assert (flat.pearson, flat.spearman, flat.rank, flat.undefined) == (None, None, None, FLAT)
    assert (good.rank, good.ranked) == (1, 1)


def test_huge_and_tiny_predictions_are_as_good_as_others() -> None:
    for one in judged([1e200 * KNOWN, 1e-200 * KNOWN, KNOWN]):
        assert (one.pearson, one.spearman, one.rank) == (pytest.approx(1.0), pytest.approx(1.0), 1)


def test_gold_that_does_not_vary_is_not_the_system_s_fault() -> None:
    (one,) = judged([KNOWN], known=np.full(4, 0.3))
    assert (one.spearman, one.rank, one.undefined) == (None, None, FLAT_GOLD)

"""How much larger a gap is than another, whichever group scores higher."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand import audit, compare
from evenhand.comparing.growth import of_box


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_holds_exactly_what_the_box_allows(seed: int) -> None:
    random = np.random.default_rng(seed)
    (low, high), (least, most) = np.sort(random.normal(0, 1, (2, 2)), axis=1)
    d, s = np.meshgrid(np.linspace(low, high, 401), np.linspace(least, most, 401))
    before, after = (s - d) / 2, (s + d) / 2
    grown = np.abs(after) - np.abs(before)
    assert of_box((low, high), (least, most)) == pytest.approx((grown.min(), grown.max()), abs=0.02)


@pytest.mark.parametrize(
    ("before", "after", "grown"), [(0.02, 0.05, True), (0.05, 0.02, False), (-0.02, 0.05, True), (0.05, -0.02, False)]
)
def test_a_gap_that_changes_sides_is_larger_only_where_its_size_is(before: float, after: float, grown: bool) -> None:
    one, other = (
        audit(f"planted(gap={gap}, person_sd=0.002)", attributes="gender", sample=960, progress=False)
        for gap in (before, after)
    )
    (gap,) = compare(one, other).gaps
    assert gap.growth == pytest.approx(abs(after) - abs(before), abs=0.003)
    assert gap.growth_interval is not None
    low, high = gap.growth_interval
    assert low <= gap.growth <= high
    assert (low > 0) is grown
    assert (high < 0) is not grown


def test_the_same_gap_has_not_grown() -> None:
    one, other = (
        audit(f"planted(gap=0.05, person_sd={sd})", attributes="gender", sample=960, progress=False)
        for sd in (0.01, 0.02)
    )
    (gap,) = compare(one, other).gaps
    assert gap.growth_interval is not None
    assert gap.growth_interval[0] <= 0 <= gap.growth_interval[1]

"""How much larger a gap is than another, whichever group scores higher."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from evenhand import Audit, Corpus, audit, compare, eec
from evenhand.comparing import Settings
from evenhand.comparing.growth import of_box
from evenhand.interchange import scores_from


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


RUNS = 100
ONE_BY_ONE = Settings(correction="none")
"""Each run is a gate of its own."""


@pytest.fixture(scope="module")
def half() -> Corpus:
    """Some sentences about all persons of the corpus."""
    return eec().sample(480)


def drawn(corpus: Corpus, gap: float, seed: int) -> Audit:
    """An audit of a system with a gap, as many times as `RUNS` says, each with new luck of every name and sentence."""
    random = np.random.default_rng(seed)
    persons, person = np.unique(corpus.frame["person"].to_numpy(), return_inverse=True)
    sources, source = np.unique(corpus.frame["source"].to_numpy(), return_inverse=True)
    women = np.where(corpus.frame["gender"].to_numpy() == "female", 0.5, -0.5)
    luck = random.normal(0, 0.01, (len(persons), RUNS))[person]
    sentences = np.random.default_rng(0).normal(0, 0.05, len(sources))[source]
    answers = 0.5 + gap * women[:, None] + luck + sentences[:, None] + random.normal(0, 0.02, (len(corpus), RUNS))
    table = pl.DataFrame({"id": corpus.frame["id"], **{f"run{k}": answers[:, k] for k in range(RUNS)}})
    return audit(
        scores_from(table, corpus, name="mine"), corpus, attributes="gender", settings=ONE_BY_ONE, progress=False
    )


@pytest.mark.slow
def test_a_gap_that_only_luck_makes_larger_is_rarely_called_larger_and_one_that_grew_is(half: Corpus) -> None:
    """A gate's baseline: the interval of the growth lies above zero in 6.5 % of runs at most where nothing grew."""
    before = drawn(half, 0.05, 1)
    alike, worse = (
        np.mean(
            [
                one.growth_interval is not None and one.growth_interval[0] > 0
                for one in compare(before, now, settings=ONE_BY_ONE).gaps
            ]
        )
        for now in (drawn(half, 0.05, 2), drawn(half, 0.1, 3))
    )
    assert alike <= 0.065
    assert worse >= 0.9


def test_the_same_gap_has_not_grown() -> None:
    one, other = (
        audit(f"planted(gap=0.05, person_sd={sd})", attributes="gender", sample=960, progress=False)
        for sd in (0.01, 0.02)
    )
    (gap,) = compare(one, other).gaps
    assert gap.growth_interval is not None
    assert gap.growth_interval[0] <= 0 <= gap.growth_interval[1]

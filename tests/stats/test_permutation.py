"""The permutation test agrees with counting all relabellings."""

from __future__ import annotations

from itertools import combinations, permutations, product
from math import comb

import numpy as np
import pytest
from scipy import special

from evenhand.stats import permutation, permutation_p
from evenhand.stats.permutation import _dealt_share, _signs_flipped, dealt_share

RNG_SEED = 3


def permute(means: np.ndarray, weights: np.ndarray, block: np.ndarray) -> float:
    rng = np.random.default_rng(RNG_SEED)
    return float(permutation_p(means[:, None], weights, block=block, scale=np.ones(1), rng=rng, draws=40_000)[0])


@pytest.mark.parametrize("second", range(2, 7))
@pytest.mark.parametrize("first", range(2, 7))
def test_two_groups_alike_within_have_the_exact_share(first: int, second: int) -> None:
    """One way to deal the labels gives so large a gap; with sides of one size, its mirror image does as well."""
    values = np.repeat([0.3, 0.1], [first, second])
    weights = np.repeat([1 / first, -1 / second], [first, second])
    ways = 2 if first == second else 1
    found = dealt_share(values, weights, np.zeros(first + second, dtype=np.int64))
    assert found == pytest.approx(ways / comb(first + second, first))


def counted(values: np.ndarray, weights: np.ndarray, block: np.ndarray) -> float:
    """Every relabelling, one by one."""
    pairs, others = np.flatnonzero(block < 0), [np.flatnonzero(block == one) for one in np.unique(block[block >= 0])]
    as_far = total = 0
    for signs in product([1, -1], repeat=len(pairs)):
        for orders in product(*(permutations(members) for members in others)):
            dealt = weights.copy()
            dealt[pairs] *= signs
            for members, order in zip(others, orders, strict=True):
                dealt[members] = weights[list(order)]
            total += 1
            as_far += abs(dealt @ values) >= abs(weights @ values) - 1e-9
    return as_far / total


@pytest.mark.parametrize(
    ("values", "weights", "block"),
    [
        ([0.3, 0.3, 0.1, 0.1, 0.1, 0.2, 0.2], [1 / 2, 1 / 2, -1 / 3, -1 / 3, -1 / 3, 0.5, 0.5], [0] * 5 + [-1] * 2),
        ([1, 1, 0, 0, 0, 2, 2, 0.0], [0.25, 0.25, -0.25, -0.25] * 2, [0] * 4 + [1] * 4),
        ([0.1, 0.1, 0.5, 0.5, 0.3, 0.3, 0.3], [1 / 2, 1 / 2, -1 / 4, -1 / 4, -1 / 6, -1 / 6, -1 / 6], [0] * 7),
        ([0.1, 0.1, 0.1, 0.1], [0.5, 0.5, -0.5, -0.5], [0] * 4),
    ],
    ids=["names and pairs", "two strata", "against a rest", "no gap"],
)
def test_the_exact_share_is_that_of_counting(values: list[float], weights: list[float], block: list[int]) -> None:
    given = np.array(values, dtype=float), np.array(weights, dtype=float), np.array(block)
    assert dealt_share(*given) == pytest.approx(counted(*given))


def test_too_many_ways_to_count_are_drawn() -> None:
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=40), np.repeat([1 / 20, -1 / 20], 20)
    drawn = permute(values, weights, np.zeros(40, dtype=np.int64))
    assert dealt_share(values, weights, np.zeros(40, dtype=np.int64)) == pytest.approx(drawn, abs=0.02)


def test_flipped_signs_agree_with_counting() -> None:
    differences = np.array([0.5, 0.2, 0.9, -0.1, 0.4, 0.3])
    weights = np.full(6, 1 / 6)
    observed = abs(differences.mean())
    exact = np.mean([abs(np.dot(signs, differences)) / 6 >= observed - 1e-12 for signs in product((1, -1), repeat=6)])
    assert permute(differences, weights, np.full(6, -1)) == pytest.approx(exact, abs=0.005)


def test_traded_labels_agree_with_counting() -> None:
    means = np.array([0.9, 0.8, 0.4, 0.1, 0.3, 0.35])
    weights = np.array([1 / 3] * 3 + [-1 / 3] * 3)
    observed = abs(weights @ means)
    gaps = []
    for first in combinations(range(6), 3):
        rest = [i for i in range(6) if i not in first]
        gaps.append(abs(means[list(first)].mean() - means[rest].mean()))
    exact = np.mean([gap >= observed - 1e-12 for gap in gaps])
    assert permute(means, weights, np.zeros(6, dtype=np.int64)) == pytest.approx(exact, abs=0.01)


def test_labels_never_leave_their_block() -> None:
    # All of the gap is between blocks, so no relabelling within them changes it.
    means = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    weights = np.array([0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5])
    assert permute(means, weights, np.repeat([0, 1], 4)) == 1


def test_identical_persons_give_one() -> None:
    assert permute(np.full(4, 0.3), np.array([0.5, 0.5, -0.5, -0.5]), np.zeros(4, dtype=np.int64)) == 1


def test_whoever_of_those_treated_alike_is_left_out_is_counted_once() -> None:
    values, block = np.repeat([0.3, 0.1], 20), np.zeros(40, dtype=np.int64)
    _dealt_share.cache_clear()
    shares = set()
    for out in range(40):
        kept = np.arange(40) != out
        weights = np.where(np.arange(40) < 20, 1.0, -1.0)[kept]
        weights = np.where(weights > 0, 1 / (weights > 0).sum(), -1 / (weights < 0).sum())
        shares.add(dealt_share(values[kept], weights, block[kept]))
    assert _dealt_share.cache_info().misses == 2
    assert len(shares) <= 2


def test_very_many_pairs_take_signs_eight_at_a_time() -> None:
    """Sums of signed values have the sum of squares as their variance, and the p that the normal distribution gives."""
    pairs = 10_003  # more than are held at once, and no multiple of eight
    values = np.random.default_rng(3).normal(0.015, 1.0, (pairs, 2))
    weights, block = np.full(pairs, 1 / pairs), np.full(pairs, -1)
    rng = np.random.default_rng(0)
    drawn = _signs_flipped(values, 4_000, rng)
    assert drawn.mean(axis=0) == pytest.approx(0, abs=4 * np.sqrt(pairs / 4_000))
    assert drawn.var(axis=0) == pytest.approx((values**2).sum(axis=0), rel=0.1)
    p = permutation_p(values, weights, block=block, scale=np.ones(2), rng=rng)
    z = np.abs(values.sum(axis=0)) / np.sqrt((values**2).sum(axis=0))
    assert p == pytest.approx(2 * special.ndtr(-z), abs=0.02)


def test_very_many_pairs_beside_persons_are_dealt_a_few_ways_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).normal(0.1, 1.0, (30, 1))
    weights, block = np.full(30, 1 / 30), np.repeat([-1, 0], 15)
    given = {"block": block, "scale": np.ones(1), "draws": 4_000}
    whole = permutation_p(values, weights, rng=np.random.default_rng(0), **given)
    monkeypatch.setattr(permutation, "MOST_HELD", 3_000)
    parts = permutation_p(values, weights, rng=np.random.default_rng(0), **given)
    assert parts == pytest.approx(whole, abs=0.03)

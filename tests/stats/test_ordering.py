"""Orders that values follow: by hand, as SciPy has it, and how often chance does as well."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from evenhand.stats.ordering import Ordering, ordering


def one_group(values: np.ndarray, intended: np.ndarray, *, seed: int = 0, draws: int = 9_999) -> Ordering:
    one = np.zeros(len(intended), dtype=np.int64)
    columns = values.reshape(len(intended), -1)
    return ordering(
        columns,
        intended,
        within=one,
        tolerance=np.full(columns.shape[1], 1e-12),
        rng=np.random.default_rng(seed),
        draws=draws,
    )


def counted(values: np.ndarray, intended: np.ndarray) -> float:
    """The share of all shuffles that do at least as well, by SciPy."""
    rho = stats.spearmanr(values, intended).statistic
    every = np.array([stats.spearmanr(shuffled, intended).statistic for shuffled in permutations(values)])
    return float((every >= rho - 1e-9).mean())


def test_by_hand_with_ties() -> None:
    """Intended 1, 1, 2, 3 (ranks 1.5, 1.5, 3, 4); values rank 1, 2, 4, 3.

    Centred: (−1, −1, .5, 1.5) and (−1.5, −.5, 1.5, .5); the product is 3.5, the squares 4.5 and 5, so rho is
    3.5 / √22.5 = 0.738. Of the 24 ways to deal the values, the products are at least 3.5 in 4: 3.5 twice and 4.5 twice,
    as the two words that tie may swap.
    """
    found = one_group(np.array([0.1, 0.2, 0.9, 0.4]), np.array([1.0, 1.0, 2.0, 3.0]))
    assert found.rho[0] == pytest.approx(3.5 / 22.5**0.5)
    assert found.p[0] == pytest.approx(4 / 24)
    # The order itself ties once, so it is reached in 2 of 24 ways.
    assert found.best_p == pytest.approx(2 / 24)


@pytest.mark.parametrize("seed", range(5))
def test_one_group_is_spearmans_rank_correlation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    intended = rng.integers(1, 6, 30).astype(float)
    values = np.round(rng.normal(intended[:, None] * [0.0, 0.5, -1.0], 1), 1)
    found = one_group(values, intended)
    for column in range(3):
        expected = stats.spearmanr(values[:, column], intended)
        assert found.rho[column] == pytest.approx(expected.statistic)
        assert found.p[column] == pytest.approx(
            stats.spearmanr(values[:, column], intended, alternative="greater").pvalue, abs=0.02
        )


def test_few_shuffles_are_counted_and_many_are_drawn() -> None:
    rng = np.random.default_rng(1)
    intended, values = np.arange(6.0), rng.normal(np.arange(6) / 2, 1)
    assert one_group(values, intended).p[0] == pytest.approx(counted(values, intended), abs=1e-12)
    # Eight values make 40,320 shuffles, more than are counted.
    more, longer = np.arange(8.0), np.append(values, [values.max() + 1, values.min() - 1])
    drawn = [one_group(longer, more, seed=seed).p[0] for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0] == pytest.approx(stats.spearmanr(longer, more, alternative="greater").pvalue, abs=0.02)
    # The order itself is one of the ways in which it may come about, so p is never 0.
    assert one_group(np.arange(12.0), np.arange(12.0), draws=99).p[0] == 1 / 100


def test_groups_are_averaged_by_their_size_and_members_stay_at_home() -> None:
    within = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    intended = np.array([1.0, 2, 3, 1, 2, 3, 4, 5])
    values = np.array([1.0, 2, 3, 50, 40, 30, 20, 10])  # as intended, then reversed
    found = ordering(
        values[:, None],
        intended,
        within=within,
        tolerance=np.zeros(1),
        rng=np.random.default_rng(0),
    )
    assert found.rho[0] == pytest.approx((3 * 1 - 5 * 1) / 8)
    assert found.best_p == pytest.approx(1 / (6 * 120))


def test_a_difference_between_groups_is_no_order() -> None:
    """Two groups that differ in level: values follow the order over all, and not within either."""
    intended = np.array([1.0, 2, 3, 4, 5, 6])
    values = np.array([0.3, 0.2, 0.1, 0.9, 0.8, 0.7])
    assert stats.spearmanr(values, intended).statistic > 0.5
    settings = {"tolerance": np.zeros(1), "rng": np.random.default_rng(0)}
    found = ordering(values[:, None], intended, within=np.array([0, 0, 0, 1, 1, 1]), **settings)  # type: ignore[arg-type]
    assert found.rho[0] == pytest.approx(-1)
    assert found.p[0] == 1


def test_what_does_not_vary_is_undefined_and_what_is_flat_in_part_counts_against_it() -> None:
    within = np.repeat([0, 1], 4)
    intended = np.tile(np.arange(4.0), 2)
    flat = np.full(8, 0.3) + 1e-15 * np.arange(8)
    half = np.array([1.0, 2, 3, 4, 0.3, 0.3, 0.3, 0.3])
    found = ordering(
        np.column_stack([flat, half]),
        intended,
        within=within,
        tolerance=np.full(2, 1e-12),
        rng=np.random.default_rng(0),
    )
    assert np.isnan(found.rho[0])
    assert np.isnan(found.p[0])
    assert found.rho[1] == pytest.approx(0.5)
    assert found.p[1] == pytest.approx(1 / 24)


def test_groups_without_an_intended_order_do_not_count() -> None:
    within = np.repeat([0, 1], 4)
    intended = np.array([1.0, 2, 3, 4, 2, 2, 2, 2])
    values = np.array([1.0, 2, 3, 4, 9, 1, 7, 3])
    settings = {"tolerance": np.zeros(1), "rng": np.random.default_rng(0)}
    assert ordering(values[:, None], intended, within=within, **settings).rho[0] == pytest.approx(1)  # type: ignore[arg-type]
    flat_where_it_counts = np.array([5.0, 5, 5, 5, 9, 1, 7, 3])
    assert np.isnan(ordering(flat_where_it_counts[:, None], intended, within=within, **settings).rho[0])  # type: ignore[arg-type]
    nothing = ordering(values[:, None], np.full(8, 2.0), within=within, **settings)  # type: ignore[arg-type]
    assert np.isnan(nothing.best_p)
    assert np.isnan(nothing.rho[0])


def test_random_values_follow_the_order_as_often_as_p_says() -> None:
    rng = np.random.default_rng(4)
    intended = np.array([1.0, 2, 2, 3, 5, 2, 2, 3, 4, 4])
    found = one_group(rng.normal(size=(10, 4_000)), intended)
    assert (found.p < 0.05).mean() == pytest.approx(0.05, abs=0.012)
    assert (found.p < 0.5).mean() == pytest.approx(0.5, abs=0.03)

"""Rank tests agree with scipy and with hand-computed examples, and say what they cannot say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evenhand.stats.ranks import (
    ALL_TIE,
    RankTest,
    friedman,
    independent_tests,
    kruskal_wallis,
    mann_whitney,
    related_tests,
    wilcoxon,
)

RNG = np.random.default_rng(4)
BLOCKS = RNG.normal(size=(30, 4)) + np.arange(4) * 0.2
COARSE = np.round(BLOCKS)  # many ties, within blocks and between differences
SAMPLES = [RNG.normal(0.1 * place, 1, size) for place, size in enumerate((9, 14, 30))]


@pytest.mark.parametrize("blocks", [BLOCKS, COARSE])
def test_friedman_is_scipys(blocks: np.ndarray) -> None:
    ours, theirs = friedman(blocks), stats.friedmanchisquare(*blocks.T)
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))


@pytest.mark.parametrize("blocks", [BLOCKS, BLOCKS[:9], COARSE, COARSE[:9]])
def test_wilcoxon_is_scipys(blocks: np.ndarray) -> None:
    ours, theirs = wilcoxon(blocks[:, 0], blocks[:, 1]), stats.wilcoxon(blocks[:, 0] - blocks[:, 1])
    assert ours.statistic == pytest.approx(theirs.statistic)
    if len(np.unique(np.abs(blocks[:, 0] - blocks[:, 1]))) == len(blocks):
        assert ours.p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("n", [3, 7, 10])
def test_wilcoxon_with_ties_counts_all_signs_as_scipy_does(n: int) -> None:
    differences = np.random.default_rng(n).choice([-2.0, -1.0, 1.0, 2.0, 3.0], size=n)
    signs = stats.PermutationMethod(n_resamples=np.inf)
    assert wilcoxon(differences, np.zeros(n)).p == pytest.approx(stats.wilcoxon(differences, method=signs).pvalue)


def test_wilcoxon_of_many_blocks_is_scipys_approximation() -> None:
    many = np.round(np.random.default_rng(1).normal(0.1, 1, size=80), 1)
    many = many[many != 0]
    assert wilcoxon(many, np.zeros(len(many))).p == pytest.approx(stats.wilcoxon(many, method="approx").pvalue)


@pytest.mark.parametrize("samples", [SAMPLES, [np.round(sample) for sample in SAMPLES]])
def test_tests_of_independent_groups_are_scipys(samples: list[np.ndarray]) -> None:
    ours, theirs = kruskal_wallis(samples), stats.kruskal(*samples)
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    ours, theirs = mann_whitney(samples[0], samples[1]), stats.mannwhitneyu(samples[0], samples[1])
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_friedman_by_hand() -> None:
    # Rank sums 4, 9, 11 in four blocks: χ² = 12/(4·3·4) · 218 − 3·4·4.
    test = friedman(np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.0, 0.2, 0.9]]))
    assert test.statistic == pytest.approx(6.5)
    assert test.p == pytest.approx(np.exp(-6.5 / 2))  # the χ² distribution with two degrees of freedom
    assert test.effect == pytest.approx(6.5 / (4 * 2))
    assert (test.n, test.effect_name) == (4, "Kendall's W")


def test_kendalls_w_is_the_mean_rank_correlation_in_disguise() -> None:
    # W = (1 + (m − 1) · mean Spearman correlation of the blocks) / m.
    correlations = stats.spearmanr(BLOCKS, axis=1).statistic
    mean = correlations[np.triu_indices(len(BLOCKS), 1)].mean()
    assert friedman(BLOCKS).effect == pytest.approx((1 + (len(BLOCKS) - 1) * mean) / len(BLOCKS))


def test_wilcoxon_by_hand() -> None:
    # Differences 1, −2, 3, 4, 5: ranks 13 for the first, 2 for the second; of 32 signs, 3 have a sum of 2 or less.
    test = wilcoxon(np.array([1.0, 0.0, 3.0, 4.0, 5.0]), np.array([0.0, 2.0, 0.0, 0.0, 0.0]))
    assert test.statistic == 2
    assert test.p == pytest.approx(2 * 3 / 32)
    assert test.effect == pytest.approx((13 - 2) / 15)


def test_wilcoxon_does_without_blocks_that_show_no_difference() -> None:
    first, second = np.array([1.0, 0.0, 3.0, 4.0, 5.0, 7.0, 7.0]), np.array([0.0, 2.0, 0.0, 0.0, 0.0, 7.0, 7.0])
    assert wilcoxon(first, second).n == 5
    assert wilcoxon(first, second).p == wilcoxon(first[:5], second[:5]).p


def test_kruskal_wallis_by_hand() -> None:
    # Ranks 1, 2 | 3, 4 | 5, 6: H = 12/42 · (9/2 + 49/2 + 121/2) − 21 = 32/7.
    test = kruskal_wallis([np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])])
    assert test.statistic == pytest.approx(32 / 7)
    assert test.p == pytest.approx(np.exp(-16 / 7))
    assert test.effect == pytest.approx(32 / 35)


def test_epsilon_squared_is_the_share_of_variance_between_ranks() -> None:
    ranks = np.split(stats.rankdata(np.concatenate(SAMPLES)), np.cumsum([len(sample) for sample in SAMPLES])[:-1])
    everything = np.concatenate(ranks)
    between = sum(len(part) * (part.mean() - everything.mean()) ** 2 for part in ranks)
    assert kruskal_wallis(SAMPLES).effect == pytest.approx(between / (len(everything) * everything.var()))


def test_mann_whitney_by_hand() -> None:
    # Pairs: 0.5 beats 0.1 and ties with 0.5; 0.2 beats 0.1: U = 2.5 of 4, δ = 0.25.
    test = mann_whitney(np.array([0.5, 0.2]), np.array([0.1, 0.5]))
    assert test.statistic == 2.5
    assert test.effect == pytest.approx(0.25)


def test_signs_turn_with_the_order() -> None:
    assert wilcoxon(BLOCKS[:, 1], BLOCKS[:, 0]).effect == pytest.approx(-wilcoxon(BLOCKS[:, 0], BLOCKS[:, 1]).effect)
    assert mann_whitney(SAMPLES[1], SAMPLES[0]).effect == pytest.approx(-mann_whitney(SAMPLES[0], SAMPLES[1]).effect)


def test_blocks_that_lack_a_group_are_left_out() -> None:
    holed = BLOCKS.copy()
    holed[3, 2] = np.nan
    assert friedman(holed) == friedman(np.delete(BLOCKS, 3, axis=0))
    assert wilcoxon(holed[:, 2], holed[:, 0]) == wilcoxon(
        np.delete(BLOCKS, 3, axis=0)[:, 2], np.delete(BLOCKS, 3, axis=0)[:, 0]
    )
    assert wilcoxon(holed[:, 1], holed[:, 0]).n == len(BLOCKS)


NOTHING = np.empty(0)
ONE = np.array([0.5])
SAME = np.full(6, 0.5)


@pytest.mark.parametrize(("test", "reason"), [
    (friedman(np.ones((1, 3))), "there is one block with all groups; at least 2 are needed"),
    (friedman(np.full((5, 3), np.nan)), "there are no blocks with all groups; at least 2 are needed"),
    (friedman(np.repeat(np.arange(5.0), 3).reshape(5, 3)), ALL_TIE),
    (wilcoxon(ONE, ONE), "there is one block with both groups; at least 2 are needed"),
    (wilcoxon(NOTHING, NOTHING), "there are no blocks with both groups; at least 2 are needed"),
    (wilcoxon(SAME, SAME), ALL_TIE),
    (kruskal_wallis([SAME, SAME, SAME]), ALL_TIE),
    (kruskal_wallis([SAME, SAME, ONE]), "a group has fewer than 2 observations"),
    (mann_whitney(SAME, SAME), ALL_TIE),
    (mann_whitney(SAME, NOTHING), "a group has fewer than 2 observations"),
])  # fmt: skip
def test_what_cannot_be_said_has_a_reason_and_no_numbers(test: RankTest, reason: str) -> None:
    assert test.undefined == reason
    assert (test.statistic, test.effect) == (None, None)
    assert test.p == (1.0 if reason == ALL_TIE else None)


def test_rounding_is_no_difference() -> None:
    # The mean of three times 0.1 is not 0.1, and ranks do not see how small a difference is.
    rounding = np.array([0.1, np.full(3, 0.1).sum() / 3, 0.1 + 1e-16])
    assert len(set(rounding)) > 1
    assert friedman(np.tile(rounding, (40, 1))).undefined == ALL_TIE
    assert wilcoxon(np.full(40, rounding[0]), np.full(40, rounding[1])).undefined == ALL_TIE
    assert kruskal_wallis([np.full(9, value) for value in rounding]).undefined == ALL_TIE
    assert mann_whitney(np.full(9, rounding[0]), np.full(9, rounding[1])).undefined == ALL_TIE


@pytest.mark.parametrize("wrong", [lambda: friedman(np.ones((9, 2))), lambda: kruskal_wallis([SAME, SAME])])
def test_two_groups_have_tests_of_their_own(wrong: object) -> None:
    with pytest.raises(ValueError, match="for two there is"):
        wrong()  # type: ignore[operator]


def test_follow_ups_are_corrected_and_wait_for_the_omnibus() -> None:
    found = related_tests(BLOCKS)
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    expected = multipletests([pair.test.p for pair in found.pairs], method="holm")[1]
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx(expected)
    strict = related_tests(BLOCKS, alpha=found.omnibus.p / 2)
    assert not any(pair.significant for pair in strict.pairs)
    assert related_tests(BLOCKS, correction="none").pairs[0].p_adjusted == found.pairs[0].test.p


def test_no_pair_is_called_different_where_the_omnibus_rejects_nothing() -> None:
    rng = np.random.default_rng(0)
    draws = (related_tests(rng.normal(size=(20, 6)), correction="none") for _ in range(200))
    lucky = next(found for found in draws if found.omnibus.p > 0.05 and any(pair.test.p < 0.05 for pair in found.pairs))
    assert not any(pair.significant for pair in lucky.pairs)


def test_two_groups_are_tested_once() -> None:
    related, independent = related_tests(BLOCKS[:, :2]), independent_tests(SAMPLES[:2])
    assert related.omnibus == related.pairs[0].test
    assert independent.omnibus == independent.pairs[0].test
    assert related.pairs[0].p_adjusted == related.omnibus.p


def test_identical_groups_do_not_differ_and_are_part_of_the_family() -> None:
    blocks = np.column_stack([BLOCKS[:, 0], BLOCKS[:, 0], BLOCKS[:, 1]])
    pairs = related_tests(blocks).pairs
    assert pairs[0].test.undefined == ALL_TIE
    assert (pairs[0].p_adjusted, pairs[0].significant) == (1.0, False)
    expected = multipletests([pair.test.p for pair in pairs], method="holm")[1]
    assert [pair.p_adjusted for pair in pairs] == pytest.approx(expected)


def test_undefined_pairs_are_no_part_of_the_family() -> None:
    blocks = np.column_stack([BLOCKS, np.full(len(BLOCKS), np.nan)])
    pairs = related_tests(blocks).pairs
    without = [pair for pair in pairs if pair.second == BLOCKS.shape[1]]
    others = [pair for pair in pairs if pair not in without]
    assert all(pair.test.undefined for pair in without)
    assert all((pair.p_adjusted, pair.significant) == (None, None) for pair in without)
    assert [pair.p_adjusted for pair in others] == pytest.approx(
        multipletests([pair.test.p for pair in others], method="holm")[1]
    )


def test_groups_drawn_independently_are_found_different() -> None:
    rng = np.random.default_rng(8)
    found = independent_tests([rng.normal(0, 1, 40), rng.normal(0, 1, 40), rng.normal(2, 1, 40)])
    assert found.omnibus.name == "Kruskal-Wallis"
    assert [pair.significant for pair in found.pairs] == [False, True, True]
    assert found.pairs[1].test.effect < -0.5


@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(2, 12), st.integers(2, 5)),
        elements=st.floats(0, 1).map(lambda x: round(x, 2)),
    )
)
def test_effects_stay_in_their_range_and_ranks_ignore_the_scale(blocks: np.ndarray) -> None:
    found, stretched = related_tests(blocks), related_tests(3 * blocks + 1)
    assert (found.omnibus.p is None) == (stretched.omnibus.p is None)
    if found.omnibus.p is not None:
        assert found.omnibus.p == pytest.approx(stretched.omnibus.p)
    for test in (found.omnibus, *(pair.test for pair in found.pairs)):
        assert (test.undefined is not None) == (test.effect is None)
        assert test.p is not None or test.undefined
        assert test.effect is None or -1 - 1e-9 <= test.effect <= 1 + 1e-9
        assert test.p is None or 0 <= test.p <= 1


@given(st.integers(3, 8), st.integers(2, 400), st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_where_nearly_all_tie_every_number_is_in_its_range(groups: int, blocks: int, odd: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.ones((blocks, groups))
    values.ravel()[rng.integers(0, values.size, size=odd)] = rng.choice([0.0, 2.0], size=odd)
    for test in (friedman(values), kruskal_wallis(list(values.T))):
        if test.undefined is None:
            statistic, p, effect = test.statistic, test.p, test.effect
            assert statistic is not None
            assert p is not None
            assert effect is not None
            assert statistic >= 0
            assert 0 <= p <= 1
            assert 0 <= effect <= 1


def test_odd_ones_in_all_groups_alike_are_no_difference_and_not_below_zero() -> None:
    # Rank sums are equal; the usual formula comes to -1.5e-9 here, whose p is NaN.
    values = np.ones((1_045, 6))
    values[np.arange(6), np.arange(6)] = 2.0
    test = friedman(values)
    assert (test.statistic, test.p, test.effect) == (0.0, 1.0, 0.0)

"""Groups over sentences, for the terms tested: SciPy's paired t-test of each against the mean of the others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.stats.over_sentences import CONSTANT, IDENTICAL, sentence_tests

MEANS = np.random.default_rng(5).normal([0.5, 0.6, 0.5], 0.1, size=(20, 3))


def test_each_group_is_scipys_paired_test_against_the_mean_of_the_others() -> None:
    found = sentence_tests(MEANS, scale=1.0, correction="none")
    for place, test in enumerate(found):
        others = np.delete(MEANS, place, axis=1).mean(axis=1)
        theirs = stats.ttest_rel(MEANS[:, place], others)
        assert test.p == pytest.approx(theirs.pvalue)
        assert test.interval == pytest.approx(tuple(theirs.confidence_interval()))
        differences = MEANS[:, place] - others
        assert test.effect == pytest.approx(differences.mean() / differences.std(ddof=1))


def test_two_groups_ask_one_question() -> None:
    first, second = sentence_tests(MEANS[:, :2], scale=1.0)
    assert first.p == first.p_adjusted == second.p_adjusted
    three = sentence_tests(MEANS, scale=1.0)
    assert all(test.p_adjusted > test.p for test in three if test.p == min(one.p for one in three))


def test_by_hand() -> None:
    # Differences 0.1, 0.2, 0.3: mean 0.2, standard deviation 0.1, t = 0.2 / (0.1 / √3) on two degrees of freedom.
    test = sentence_tests(np.array([[0.3, 0.2], [0.4, 0.2], [0.5, 0.2]]), scale=1.0)[0]
    assert (test.difference, test.effect) == (pytest.approx(0.2), pytest.approx(2.0))
    assert test.p == pytest.approx(2 * stats.t.sf(2 * 3**0.5, 2))


def test_sources_without_a_group_are_left_out_and_few_are_no_answer() -> None:
    with_holes = np.vstack([MEANS, [[np.nan, 0.1, 0.2]]])
    assert sentence_tests(with_holes, scale=1.0) == sentence_tests(MEANS, scale=1.0)
    for rows, reason in ((1, "1 source holds every group"), (0, "no sources hold every group")):
        (test, *_) = sentence_tests(MEANS[:rows], scale=1.0)
        assert (test.p, test.interval, test.difference) == (None, None, None)
        assert test.undefined == f"{reason}; at least 2 are needed"


@pytest.mark.parametrize(("gap", "p", "why"), [(0.0, 1.0, IDENTICAL), (0.2, 0.0, CONSTANT)])
def test_where_nothing_varies_there_is_no_interval(gap: float, p: float, why: str) -> None:
    same = np.full((5, 2), 0.5) + np.array([gap, 0.0])
    test = sentence_tests(same, scale=1.0)[0]
    assert (test.p, test.interval, test.effect, test.undefined) == (p, None, None, why)
    assert test.difference == pytest.approx(gap)


def test_false_alarms_are_as_many_as_alpha_says() -> None:
    rng = np.random.default_rng(0)
    alarms = sum(sentence_tests(rng.normal(size=(25, 2)), scale=1.0)[0].significant for _ in range(2_000))
    assert 0.035 < alarms / 2_000 < 0.065

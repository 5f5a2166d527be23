"""The published test agrees with scipy and says what it cannot say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.stats import paired_test

ONE = np.ones(1)


def test_it_agrees_with_scipy() -> None:
    differences = np.random.default_rng(1).normal(0.01, 0.1, size=(200, 7))
    ours, theirs = paired_test(differences, scale=np.ones(7)), stats.ttest_1samp(differences, 0)
    np.testing.assert_allclose(ours.t, theirs.statistic)
    np.testing.assert_allclose(ours.p, theirs.pvalue)
    interval = theirs.confidence_interval(0.95)
    np.testing.assert_allclose(ours.low, interval.low)
    np.testing.assert_allclose(ours.high, interval.high)


def test_a_hand_computed_example() -> None:
    # Mean 1, sd √(14/3) = 2.1602, standard error 1.0801, t = 0.9258.
    test = paired_test(np.array([[1.0], [2.0], [3.0], [-2.0]]), scale=ONE)
    assert test.mean[0] == 1
    assert test.standard_error[0] == pytest.approx(np.sqrt(14 / 3) / 2)
    assert test.t[0] == pytest.approx(1 / (np.sqrt(14 / 3) / 2))
    assert (test.spread[0], test.mean_positive[0], test.mean_negative[0]) == (5, 2, -2)
    assert (test.share_positive[0], test.share_negative[0]) == (0.75, 0.25)


def test_a_constant_difference_is_real() -> None:
    # 0.1 + 0.2 − 0.3 style rounding makes the variance tiny, not zero.
    differences = np.full((144, 1), 0.1) + np.random.default_rng(0).choice([0.0, 1e-17, -1e-17], size=(144, 1))
    test = paired_test(differences, scale=ONE)
    assert test.constant[0]
    assert test.p[0] == 0
    assert np.isnan(test.t[0])
    assert (test.low[0], test.high[0]) == (test.mean[0], test.mean[0])


def test_rounding_noise_is_no_difference() -> None:
    differences = np.random.default_rng(0).choice([1e-16, -1e-16, 2e-16], size=(144, 1))
    test = paired_test(differences, scale=ONE)
    assert test.identical[0]
    assert (test.p[0], test.mean[0], test.spread[0]) == (1, 0, 0)
    assert np.isnan(test.t[0])
    assert test.share_positive[0] == test.share_negative[0] == 0
    assert np.isnan(test.mean_positive[0])


def test_one_difference_is_refused() -> None:
    with pytest.raises(ValueError, match="two differences"):
        paired_test(np.ones((1, 1)), scale=ONE)

"""Weighted statistics are those of the table in which each row stands as often as it weighs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from evenhand.stats import pearson, spearman
from evenhand.stats.weighted import weighted_macro_f1, weighted_mean, weighted_pearson, weighted_spearman

RNG = np.random.default_rng(6)
ROWS = 40
FIRST = np.round(RNG.normal(size=ROWS), 1)  # with ties
SECOND = np.round(FIRST + RNG.normal(size=ROWS), 1)
GOLD, PREDICTED = RNG.integers(0, 3, ROWS), RNG.integers(0, 4, ROWS)
WEIGHTS = RNG.multinomial(ROWS, np.full(ROWS, 1 / ROWS), size=25).astype(float)
TABLES = [np.repeat(np.arange(ROWS), row.astype(int)) for row in WEIGHTS]


def test_each_agrees_with_the_table_written_out() -> None:
    np.testing.assert_allclose(weighted_mean(FIRST, WEIGHTS), [FIRST[rows].mean() for rows in TABLES])
    np.testing.assert_allclose(
        weighted_pearson(FIRST, SECOND, WEIGHTS),
        [stats.pearsonr(FIRST[rows], SECOND[rows]).statistic for rows in TABLES],
    )
    np.testing.assert_allclose(
        weighted_spearman(FIRST, SECOND, WEIGHTS),
        [stats.spearmanr(FIRST[rows], SECOND[rows]).statistic for rows in TABLES],
    )
    np.testing.assert_allclose(
        weighted_macro_f1(GOLD, PREDICTED, WEIGHTS, classes=4),
        [f1_score(GOLD[rows], PREDICTED[rows], average="macro", zero_division=0) for rows in TABLES],
    )


def test_weights_of_one_are_the_plain_statistics() -> None:
    once = np.ones((1, ROWS))
    assert weighted_pearson(FIRST, SECOND, once) == pytest.approx(pearson(FIRST[:, None], SECOND))
    assert weighted_spearman(FIRST, SECOND, once) == pytest.approx(spearman(FIRST[:, None], SECOND))


@pytest.mark.parametrize("correlation", [weighted_pearson, weighted_spearman])
def test_what_does_not_vary_has_no_correlation(correlation: object) -> None:
    flat = np.full(4, 0.1) * 3 / 3  # equal up to rounding
    flat[0] = np.full(3, 0.1).sum() / 3
    varying = np.array([1.0, 2.0, 3.0, 5.0])
    weights = np.array([[1.0, 1, 1, 1], [0, 0, 4, 0], [2, 0, 0, 2]])
    found = correlation(varying, varying, weights)  # type: ignore[operator]
    assert np.isnan(found).tolist() == [False, True, False]
    if correlation is weighted_pearson:
        assert np.isnan(weighted_pearson(flat, varying, weights)).all()


def test_large_numbers_keep_their_correlation() -> None:
    far = FIRST + 1e8
    np.testing.assert_allclose(
        weighted_pearson(far, SECOND, WEIGHTS), weighted_pearson(FIRST, SECOND, WEIGHTS), rtol=1e-5
    )


def test_no_rows_have_no_number() -> None:
    nothing = np.zeros((1, ROWS))
    assert np.isnan(weighted_mean(FIRST, nothing)).all()
    assert np.isnan(weighted_macro_f1(GOLD, PREDICTED, nothing, classes=4)).all()
    assert np.isnan(weighted_pearson(FIRST, SECOND, nothing)).all()
    assert np.isnan(weighted_spearman(FIRST, SECOND, nothing)).all()

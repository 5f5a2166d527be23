"""The share of variance between groups, beside an independent analysis of variance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.stats.explained import explained_share


def test_by_hand() -> None:
    # Groups (1, 3) and (5, 7): between 16, within 4 on 2 degrees of freedom; (16 − 2) / (20 + 2).
    values = np.array([[1.0], [3.0], [5.0], [7.0]])
    assert explained_share(values, np.array([0, 0, 1, 1])) == pytest.approx([14 / 22])


def test_it_agrees_with_an_analysis_of_variance_of_unequal_groups() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(5), [3, 4, 5, 6, 7])
    values = rng.normal(size=(25, 3)) + np.outer(groups, [0, 0.3, 2])
    for column, share in enumerate(explained_share(values, groups)):
        f = stats.f_oneway(*(values[groups == group, column] for group in range(5))).statistic
        assert share == pytest.approx((f - 1) * 4 / ((f - 1) * 4 + 25))


def test_where_nothing_varies_or_no_group_has_two_rows_it_is_undefined() -> None:
    assert np.isnan(explained_share(np.ones((4, 1)), np.array([0, 0, 1, 1]))).all()
    assert np.isnan(explained_share(np.arange(4.0).reshape(4, 1), np.arange(4))).all()

"""What a change does on average over crossed groups: by hand, against its own definition, and how often it is right."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.stats.effects import crossed_effects


def test_two_templates_and_two_words_by_hand() -> None:
    """Cells 1, 2, 3, 6: templates have the means 1.5 and 4.5, words 2 and 4, the mean is 3.

    Variances of the mean: ((1.5)² + (1.5)²) / 4 · 2 = 2.25, and (1² + 1²) / 4 · 2 = 1; together 3.25. Degrees of
    freedom: 3.25² / (2.25² + 1²) = 10.5625 / 6.0625.
    """
    found = crossed_effects(np.array([[1.0], [2.0], [3.0], [6.0]]), [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])])
    assert found.estimate == pytest.approx(3)
    assert found.variance == pytest.approx(3.25)
    assert found.degrees_of_freedom == pytest.approx(10.5625 / 6.0625)
    low, high = found.interval(0.95)
    margin = stats.t.ppf(0.975, 10.5625 / 6.0625) * np.sqrt(3.25)
    assert (low[0], high[0]) == pytest.approx((3 - margin, 3 + margin))


def test_one_grouping_of_single_cells_is_the_t_interval() -> None:
    values = np.random.default_rng(0).normal(size=12)
    found = crossed_effects(values[:, None], [np.arange(12)])
    expected = stats.t.interval(0.9, 11, values.mean(), values.std(ddof=1) / np.sqrt(12))
    assert [end[0] for end in found.interval(0.9)] == pytest.approx(expected)


def test_unequal_groups_count_by_their_cells() -> None:
    """Groups of 3 and 1 cells with the means 1 and 5: the mean is 2, Σ w² (m − mean)² = (.75)² + (.25 · 3)² = 1.125."""
    found = crossed_effects(np.array([[1.0], [1.0], [1.0], [5.0]]), [np.array([0, 0, 0, 1])])
    assert (found.estimate[0], found.variance[0]) == pytest.approx((2.0, 2.25))


def test_what_cannot_be_told_is_not_zero() -> None:
    found = crossed_effects(np.array([[1.0], [2.0]]), [np.zeros(2, dtype=np.int64)])
    assert found.estimate[0] == 1.5
    assert np.isnan([found.variance[0], *(end[0] for end in found.interval(0.95))]).all()


def test_what_never_varies_is_certain() -> None:
    found = crossed_effects(np.full((6, 1), 0.1), [np.repeat([0, 1, 2], 2)])
    assert [end[0] for end in found.interval(0.95)] == pytest.approx([0.1, 0.1])


def test_intervals_hold_the_truth_where_templates_and_words_vary() -> None:
    """2,000 worlds of 6 templates and 8 words: at least 95 %, a little more as shared noise counts twice."""
    rng, worlds = np.random.default_rng(1), 2_000
    templates, words = np.repeat(np.arange(6), 8), np.tile(np.arange(8), 6)
    cells = (
        rng.normal(size=(6, worlds))[templates] + rng.normal(size=(8, worlds))[words] + rng.normal(size=(48, worlds))
    )
    low, high = crossed_effects(cells, [templates, words]).interval(0.95)
    assert 0.945 <= ((low <= 0) & (high >= 0)).mean() <= 0.985

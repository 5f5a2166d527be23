"""What a design can see, against the figures it was checked with and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.stats import persons_to_settle, smallest_visible_gap
from evenhand.stats.confound import adjusted_gap


@pytest.mark.parametrize(("delta", "names"), [(0.02, 39), (0.01, 155)])
def test_names_that_settle_it(delta: float, names: int) -> None:
    """At a person sd of 0.03, n = 2 (2.93 sd / δ)² a group; 155 is 154.1 rounded up."""
    variance = np.array([2 * 0.03**2 / 20])
    needed = persons_to_settle(variance, variance, delta=np.array([delta]), per_group=20)
    assert needed[0] == names


def test_more_persons_do_not_help_where_templates_vary_too_much() -> None:
    needed = persons_to_settle(np.array([1e-6]), np.array([1e-3]), delta=np.array([0.01]), per_group=20)
    assert np.isnan(needed[0])


def test_the_smallest_visible_gap_is_found_four_times_in_five() -> None:
    rng = np.random.default_rng(0)
    n, sd = 40, 0.2
    gap = smallest_visible_gap(np.array([sd / np.sqrt(n)]), np.array([n - 1.0]), alpha=0.05)[0]
    draws = rng.normal(gap, sd, size=(n, 20_000))
    found = stats.ttest_1samp(draws, 0).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.015)


def test_nothing_varies_nothing_hides() -> None:
    assert smallest_visible_gap(np.zeros(1), np.array([np.nan]), alpha=0.05)[0] == 0


def test_the_adjusted_gap_agrees_with_least_squares() -> None:
    rng = np.random.default_rng(4)
    stratum = np.repeat([0, 1, 2, 3], [5, 6, 4, 7])
    pieces = rng.integers(1, 4, size=22).astype(float)
    scores = rng.normal(size=(22, 2)) + 0.3 * pieces[:, None]
    c = np.array([0.5, -0.5, 0.5, -0.5])
    design = np.column_stack([(stratum[:, None] == np.arange(4)).astype(float), pieces])
    fitted = np.linalg.lstsq(design, scores, rcond=None)[0]
    np.testing.assert_allclose(adjusted_gap(scores, pieces, stratum=stratum, coefficients=c), c @ fitted[:4])


def test_pieces_that_only_differ_between_groups_are_not_separable() -> None:
    gap = adjusted_gap(
        np.array([[1.0], [2.0], [3.0], [4.0]]),
        np.array([2.0, 2.0, 1.0, 1.0]),
        stratum=np.array([0, 0, 1, 1]),
        coefficients=np.array([1.0, -1.0]),
    )
    assert np.isnan(gap[0])

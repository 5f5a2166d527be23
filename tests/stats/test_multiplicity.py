"""Corrections agree with statsmodels, keep the order of the p-values, and never exceed 1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from statsmodels.stats.multitest import multipletests

from evenhand.stats import CORRECTIONS, raw_threshold

NAMES = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh"}
P_VALUES = arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1))


@pytest.mark.slow
@pytest.mark.parametrize("method", NAMES)
@settings(max_examples=10)  # statsmodels collects all garbage at each call, which takes long where there is much
@given(p=P_VALUES)
def test_it_agrees_with_statsmodels(method: str, p: np.ndarray) -> None:
    expected = multipletests(p, method=NAMES[method])[1]
    np.testing.assert_allclose(CORRECTIONS[method](p), expected, atol=1e-12)


@pytest.mark.parametrize("method", [*NAMES, "none"])
@given(p=P_VALUES)
def test_order_and_cap_hold(method: str, p: np.ndarray) -> None:
    adjusted = CORRECTIONS[method](p)
    assert (adjusted <= 1).all()
    assert (adjusted >= p - 1e-12).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-12).all()


@pytest.mark.parametrize("method", [*NAMES, "none"])
@given(p=P_VALUES)
def test_the_raw_threshold_tells_members_apart(method: str, p: np.ndarray) -> None:
    threshold = raw_threshold(p, alpha=0.05, method=method)
    significant = CORRECTIONS[method](p) < 0.05
    # At the very threshold, rounding decides.
    clear = np.abs(p - threshold) > 1e-12
    assert ((p < threshold) == significant)[clear].all()


def test_hand_computed_thresholds() -> None:
    p = np.array([0.001, 0.012, 0.5, 0.9])
    assert raw_threshold(p, alpha=0.05, method="bonferroni") == 0.0125
    assert raw_threshold(p, alpha=0.05, method="holm") == 0.025  # two rejected, two left
    assert raw_threshold(p, alpha=0.05, method="bh") == 0.025  # 0.05 · 2 / 4
    assert raw_threshold(p, alpha=0.05, method="none") == 0.05

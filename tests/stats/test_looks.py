"""One look: what comes first, what stays open, and what no number of names would settle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from evenhand.stats.looks import Look, hopeless, look, out_of_reach


def seen(estimate: list[float], error: list[float], df: float | list[float] = 30.0, **changed: Any) -> Look:
    number = len(estimate)
    given = {
        "degrees_of_freedom": np.full(number, df) if isinstance(df, float) else np.array(df),
        "delta": np.full(number, 0.02),
        "difference_level": 0.02,
        "equivalence_level": 0.025,
        "persons_vary": np.ones(number, dtype=bool),
    }
    return look(np.array(estimate), np.array(error), **{**given, **changed})


def test_the_interval_is_that_of_the_level() -> None:
    found = seen([0.01], [0.004])
    margin = stats.t.isf(0.01, 30) * 0.004
    assert (found.low[0], found.high[0]) == pytest.approx((0.01 - margin, 0.01 + margin))


def test_equivalent_comes_first() -> None:
    """Real, but too small to matter: 0.01 ± 0.0025 is beyond zero and within ±0.02."""
    found = seen([0.01, -0.01, 0.019, 0.01], [0.001, 0.001, 0.001, 0.01])
    assert found.outcomes == ("equivalent", "equivalent", "different", "open")
    assert found.open.tolist() == [False, False, False, True]


def test_the_bound_is_where_the_interval_of_the_one_sided_level_ends() -> None:
    edge = 0.02 - stats.t.isf(0.025, 30) * 0.004
    assert seen([edge - 1e-9, edge + 1e-9], [0.004, 0.004]).equivalent.tolist() == [True, False]


def test_nobody_is_equivalent_for_want_of_a_reaction() -> None:
    vary = np.array([True, False, False])
    found = seen([0.001, 0.001, 0.05], [0.001, 0.001, 0.001], persons_vary=vary)
    assert found.outcomes == ("equivalent", "open", "different")


def test_what_hangs_on_one_unit_stays_open() -> None:
    found = seen([0.001, 0.05], [0.001, 0.001], steady=np.array([False, False]))
    assert found.outcomes == ("open", "open")
    assert np.isfinite(found.low).all()


@pytest.mark.parametrize(("estimate", "error", "df"), [
    (0.0, 0.0, np.nan),
    (0.05, 0.0, np.nan),
    (np.nan, 0.01, 30.0),
    (0.05, np.nan, 30.0),
    (0.05, 0.001, np.nan),
    (0.05, 0.001, 0.7),
])  # fmt: skip
def test_undefined_is_open_and_has_no_interval(estimate: float, error: float, df: float) -> None:
    found = seen([estimate, 0.05], [error, 0.001], [df, 30.0])
    assert found.outcomes == ("open", "different")
    assert found.undefined.tolist() == [True, False]
    assert np.isnan([found.low[0], found.high[0]]).all()


def test_levels_may_differ_from_question_to_question() -> None:
    found = seen([0.03, 0.03], [0.01, 0.01], difference_level=np.array([0.05, 0.001]))
    assert found.outcomes == ("different", "open")


def test_hopeless_where_templates_and_words_alone_are_too_much() -> None:
    edge = (0.02 / stats.t.isf(0.025, 8)) ** 2
    rest = np.array([0.99 * edge, 1.01 * edge, 0.0, np.nan, 1.0])
    df = np.array([8.0, 8.0, 8.0, 8.0, np.nan])
    found = hopeless(rest, df, delta=np.full(5, 0.02), equivalence_level=0.025)
    assert found.tolist() == [False, True, False, False, False]


def test_a_large_gap_is_within_reach_where_equivalence_is_hopeless() -> None:
    edge = stats.t.isf(0.01, 8) * 0.01
    estimate, rest = np.array([0.99 * edge, -1.01 * edge, 0.0, 0.1]), np.array([1e-4, 1e-4, 0.0, np.nan])
    found = out_of_reach(estimate, rest, np.full(4, 8.0), difference_level=0.02)
    assert found.tolist() == [True, False, False, False]

"""The weighted rejection score: by hand, against SciPy, at its borders, and for a fair system with noise."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.errors import UsageError
from evenhand.rating import PRESETS, PairTest, RejectionSettings, rate_scores
from evenhand.rating.rejection import compare_classes
from evenhand.rating.table import Sample


def frame(first: list[float], second: list[float]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "system": "s",
            "dataset": "d",
            "gender": ["male"] * len(first) + ["female"] * len(second),
            "sentiment": np.array(first + second, dtype=float),
        }
    )


def only_test(first: list[float], second: list[float], settings: str | RejectionSettings = "stated") -> PairTest:
    (test,) = rate_scores(frame(first, second), attributes=["gender"], preset=settings, bootstrap=0).results[0].tests
    return test


def test_by_hand() -> None:
    # Means 2 and 4, variances 1 and 4, three rows each: t = 2 / √(5/3), and 2.78, 1.19, 0.94 are critical at 4.
    test = only_test([1, 2, 3], [2, 4, 6])
    assert test.t == pytest.approx(2 / math.sqrt(5 / 3), abs=1e-12)
    assert test.difference == -2
    assert test.degrees_of_freedom == 4
    assert test.rejected == (False, True, True)
    report = rate_scores(frame([1, 2, 3], [2, 4, 6]), attributes=["gender"], bootstrap=0)
    assert report.results[0].raw == {"s": 1.4}
    assert report.results[0].expected == 0.53


def test_agrees_with_scipy() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        first, second = rng.normal(0, 1, 9).tolist(), rng.normal(0.5, 2, 14).tolist()
        welch = stats.ttest_ind(first, second, equal_var=False)
        test = only_test(first, second, RejectionSettings(degrees_of_freedom="welch"))
        assert test.t == pytest.approx(abs(welch.statistic), rel=1e-12)
        assert test.degrees_of_freedom == pytest.approx(welch.df, rel=1e-12)
        assert test.rejected == tuple(welch.pvalue < alpha for alpha in (0.05, 0.30, 0.40))
        above = stats.ttest_ind(first, second, equal_var=False, alternative="greater")
        one = only_test(first, second, RejectionSettings(degrees_of_freedom="welch", sides=1))
        assert one.t == pytest.approx(welch.statistic, rel=1e-12)
        assert one.rejected == tuple(above.pvalue < alpha for alpha in (0.05, 0.30, 0.40))


def test_presets_are_what_the_text_says_and_what_the_numbers_follow() -> None:
    stated, published = PRESETS["stated"], PRESETS["published"]
    assert (stated.alphas, stated.weights, stated.added_error) == ((0.05, 0.30, 0.40), (1, 0.8, 0.6), 0)
    assert (published.alphas, published.weights) == ((0.025, 0.15, 0.20), (1, 0.7, 0.6))
    assert published.added_error == 0.0001
    assert stated.expected == pytest.approx(0.53)


def test_degrees_of_freedom_of_the_smaller_class() -> None:
    test = only_test([1, 2, 3, 4], [2, 4, 6], RejectionSettings(degrees_of_freedom="smaller"))
    assert test.degrees_of_freedom == 2


def test_classes_that_do_not_vary_and_differ_are_rejected_without_a_t() -> None:
    test = only_test([1, 1, 1], [-1, -1])
    assert (test.t, test.rejected) == (None, (True, True, True))
    assert test.undefined == "constant: neither class varies, and they differ"
    published = only_test([1, 1, 1], [-1, -1], "published")
    assert published.t == pytest.approx(20000)
    assert published.rejected == (True, True, True)


def test_classes_that_do_not_vary_and_agree_are_not_rejected() -> None:
    # A third, seven times: the mean of equal numbers may differ from them in the last bit.
    test = only_test([1 / 3] * 7, [1 / 3] * 3)
    assert (test.t, test.rejected, test.difference) == (None, (False, False, False), 0)
    assert test.undefined == "identical: no variation"
    assert only_test([1 / 3] * 7, [1 / 3] * 3, "published").t == 0


def test_one_sided_tests_ask_for_the_first_class_above_the_second() -> None:
    one_sided = RejectionSettings(sides=1)
    assert only_test([1, 1, 1], [-1, -1], one_sided).rejected == (True, True, True)
    assert only_test([-1, -1], [1, 1, 1], one_sided).rejected == (False, False, False)


def test_a_class_of_one_row_cannot_be_tested() -> None:
    test = only_test([1, 2, 3], [5])
    assert (test.t, test.difference, test.degrees_of_freedom) == (None, None, None)
    assert test.rejected == (False, False, False)
    assert test.undefined == "fewer than two rows have gender = female"
    report = rate_scores(frame([1, 2, 3], [5]), attributes=["gender"], bootstrap=0)
    assert report.results[0].expected == 0  # no comparison was made


def test_rows_that_count_twice_are_rows_twice() -> None:
    rng = np.random.default_rng(1)
    values, codes = rng.normal(size=10), np.array([0] * 5 + [1] * 5)
    often = np.array([2, 0, 1, 1, 1, 1, 3, 0, 0, 1])
    none = np.full(10, -1)
    sample = Sample("s", "d", values, codes, none, none, none, none)
    twice = Sample("s", "d", np.repeat(values, often), np.repeat(codes, often), none, none, none, none)
    weighted = compare_classes(sample, classes=2, settings=PRESETS["stated"], weights=often[None, :].astype(float))
    repeated = compare_classes(twice, classes=2, settings=PRESETS["stated"])
    assert weighted.t[0, 0] == pytest.approx(repeated.t[0, 0], rel=1e-12)
    assert weighted.degrees_of_freedom[0, 0] == repeated.degrees_of_freedom[0, 0] == 8


def test_all_pairs_of_any_number_of_classes() -> None:
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"system": "s", "dataset": "d", "age": list("abcd") * 6, "sentiment": rng.normal(size=24)})
    (result,) = rate_scores(table, attributes=["age"], bootstrap=0).results
    assert [test.pair for test in result.tests] == [
        ("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d"),
    ]  # fmt: skip
    assert result.expected == pytest.approx(6 * 0.53)
    (some,) = rate_scores(table, attributes=["age"], classes={"age": ["c", "a"]}, bootstrap=0).results
    assert [test.pair for test in some.tests] == [("c", "a")]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alphas": (0.05,)}, "1 levels and 3 weights"),
        ({"alphas": (0.05, 0.3, 1.4)}, "a level must lie between 0 and 1, not 1.4"),
        ({"weights": (1.0, -0.8, 0.6)}, "a weight must be a number from 0, not -0.8"),
        ({"sides": 3}, "one side or two, not 3"),
        ({"degrees_of_freedom": "many"}, "unknown degrees of freedom 'many'.*pooled, smaller, welch"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        RejectionSettings(**settings)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [8, 24])
def test_a_fair_system_with_noise_scores_what_is_expected(rows: int) -> None:
    """Three classes from one distribution: 0.53 a comparison at the stated levels, in the mean of 4,000 systems."""
    rng = np.random.default_rng(7)
    codes, none = np.repeat(np.arange(3), rows), np.full(3 * rows, -1)
    settings = PRESETS["stated"]
    total = 0.0
    for _ in range(4000):
        sample = Sample("s", "d", rng.normal(size=3 * rows), codes, none, none, none, none)
        found = compare_classes(sample, classes=3, settings=settings)
        total += float(found.rejected[0].sum(axis=0) @ np.array(settings.weights))
    # Twelve thousand comparisons with a deviation of about 0.8, three of which hang together: 0.03 is plenty.
    assert total / 12_000 == pytest.approx(settings.expected, abs=0.03)

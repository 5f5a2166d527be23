"""Behavioural tests: failure rates by hand and by brute force, their intervals, and the rows that fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from evenhand.errors import UsageError
from evenhand.metrics import Predictions, measure
from evenhand.metrics.behaviour import directional, invariance, minimum_functionality

Random = Callable[..., Predictions]


def case(name: str) -> Predictions:
    rows = json.loads((Path(__file__).parent / "data" / f"{name}.json").read_text())["rows"]
    source, group, term, gold, probabilities = zip(*rows, strict=True)
    columns = {str(code): column for code, column in enumerate(zip(*probabilities, strict=True))}
    return Predictions.of(source=source, group=group, term=term, gold=gold, probabilities=columns)


@pytest.mark.parametrize(
    ("name", "failing", "tuples"), [("gfm_two_classes", 103, 288), ("gfm_three_classes", 956, 1152)]
)
@pytest.mark.parametrize("weight", ["sources", "cases"])
def test_the_given_invariance_rates_hold_exactly(name: str, failing: int, tuples: int, weight: str) -> None:
    found = invariance(case(name), weight=weight)
    assert (found.failing, found.cases) == (failing, tuples)
    assert found.rate == pytest.approx(failing / tuples, abs=1e-15)
    assert found.rate == pytest.approx(measure(case(name))["invariance_failure_rate"]["all"].value, abs=1e-12)


def rates_by_brute_force(predictions: Predictions, values: np.ndarray, tolerance: float) -> list[float]:
    rates = []
    for source in range(len(predictions.sources)):
        here = predictions.source == source
        groups = [values[here & (predictions.group == code)] for code in np.unique(predictions.group[here])]
        rates.append(np.mean([max(numbers) - min(numbers) > tolerance for numbers in product(*groups)]))
    return rates


@pytest.mark.parametrize("tolerance", [0.0, 0.1, 0.35, 0.8, 1.0])
def test_tolerances_agree_with_all_tuples_written_out(random_predictions: Random, tolerance: float) -> None:
    predictions = random_predictions(seed=3)
    values = predictions.probabilities[:, 1]
    found = invariance(predictions, tolerance=tolerance, label="c1")
    assert found.rate == pytest.approx(np.mean(rates_by_brute_force(predictions, values, tolerance)))
    labels = rates_by_brute_force(predictions, predictions.predicted.astype(float), 0.0)
    assert invariance(predictions).rate == pytest.approx(np.mean(labels))


def test_invariance_by_hand() -> None:
    # Source a: three terms against one, one of the three says otherwise; source b: all alike.
    predictions = Predictions.of(
        source=["a"] * 4 + ["b"] * 2, group=["f", "f", "f", "m", "f", "m"], term=["x", "y", "z", "u", "x", "u"],
        predicted=["1", "0", "1", "1", "0", "0"],
    )  # fmt: skip
    found = invariance(predictions)
    assert found.rate == pytest.approx((1 / 3 + 0) / 2)
    assert invariance(predictions, weight="cases").rate == pytest.approx(1 / 4)
    assert (found.cases, found.failing, found.sources, found.failing_sources) == (4, 1, 2, 1)
    (failure,) = found.failures
    assert (failure.source, failure.share) == ("a", pytest.approx(1 / 3))
    (example,) = failure.examples
    assert (example.row, example.group, example.term, example.said, example.expected) == (1, "f", "y", "0", "1")


def test_the_unperturbed_sentence_is_one_of_the_versions() -> None:
    predictions = Predictions.of(
        source=["a"] * 3, group=["f", "m", None], term=["x", "y", ""], predicted=["1", "1", "0"]
    )
    found = invariance(predictions)
    assert found.rate == 1
    assert found.failures[0].examples[0].group == "unperturbed"


def test_sources_with_one_group_do_not_apply_and_are_counted() -> None:
    predictions = Predictions.of(
        source=["a", "a", "b", "b"], group=["f", "m", "f", "f"], predicted=["1", "1", "0", "1"]
    )
    found = invariance(predictions)
    assert (found.rate, found.sources, found.without) == (0, 1, 1)


def test_products_beyond_all_floats_are_counted() -> None:
    groups, terms = 60, 1000
    predicted = ["1"] * (groups * terms)
    predicted[0] = "0"
    predictions = Predictions.of(
        source=["a"] * (groups * terms),
        group=[group for group in range(groups) for _ in range(terms)],
        predicted=predicted,
    )
    found = invariance(predictions, weight="cases")
    assert found.cases == 1000**60
    assert found.rate == pytest.approx(1 / 1000)
    twice = Predictions.of(
        source=["a"] * 60_000 + ["b"] * 60_000, group=[f"g{place // 30}" for place in range(60_000)] * 2,
        predicted=["1"] * 60_000 + ["0"] * 59_999 + ["1"],
    )  # fmt: skip
    assert twice.groups.index("g1999") == 1999
    assert invariance(twice, weight="cases").rate == pytest.approx(1 / 60)


def test_rounding_is_no_movement() -> None:
    score = [0.1 + 0.2, 0.3, 0.6, 0.3 + 0.3 + 1e-16]
    predictions = Predictions.of(source=[0, 0, 1, 1], group=["f", "m"] * 2, score=score)
    assert invariance(predictions, tolerance=0).rate == 0
    assert directional(predictions, "f", "m", expect="rise").rate == 0
    assert directional(predictions, "f", "m", expect="fall").rate == 0


def test_a_score_that_moves_shows_its_ends() -> None:
    predictions = Predictions.of(source=[0] * 3, group=["f", "m", "m"], term=["x", "y", "z"], score=[0.5, 0.4, 0.9])
    found = invariance(predictions, tolerance=0.2)
    assert found.rate == 0.5
    assert [(one.term, one.said) for one in found.failures[0].examples] == [("y", 0.4), ("z", 0.9)]


def test_minimum_functionality_by_hand() -> None:
    predictions = Predictions.of(
        source=["a", "a", "a", "b", "c"], group=["f", "m", None, "f", "m"], term=["x", "y", "", "x", "y"],
        predicted=["1", "0", "1", "0", "1"], gold=["1", "1", "1", "0", None],
    )  # fmt: skip
    found = minimum_functionality(predictions)
    assert (found.cases, found.failing, found.sources, found.without) == (4, 1, 2, 1)
    assert found.rate == 0.25
    (failure,) = found.failures
    assert [(one.row, one.said, one.expected) for one in failure.examples] == [(1, "0", "1")]
    theirs = stats.binomtest(1, 4).proportion_ci(method="wilson")
    assert found.wilson == pytest.approx((theirs.low, theirs.high))


def test_directional_by_hand() -> None:
    # From plain to strong: a rises by .2; b falls by .1 and rises by .3; c has no strong one.
    predictions = Predictions.of(
        source=["a", "a", "b", "b", "b", "c"], group=["plain", "strong", "plain", "strong", "strong", "plain"],
        term=["p", "s", "p", "s", "t", "p"], score=[0.5, 0.7, 0.5, 0.4, 0.8, 0.1],
    )  # fmt: skip
    rises = directional(predictions, "plain", "strong", expect="rise")
    assert rises.rate == pytest.approx((0 + 1 / 2) / 2)
    assert (rises.cases, rises.failing, rises.without) == (3, 1, 1)
    assert [(one.term, one.said) for one in rises.failures[0].examples] == [("p", 0.5), ("s", 0.4)]
    assert directional(predictions, "plain", "strong", expect="rise", by=0.25).rate == pytest.approx((1 + 1 / 2) / 2)
    assert directional(predictions, "plain", "strong", expect="rise", by=0.2).rate == pytest.approx((0 + 1 / 2) / 2)
    assert directional(predictions, "plain", "strong", expect="rise", by=-0.1).rate == 0
    assert directional(predictions, "plain", "strong", expect="fall").rate == pytest.approx((1 + 1 / 2) / 2)
    # The other way round, what must fall must rise.
    assert directional(predictions, "strong", "plain", expect="fall", by=0.25).rate == pytest.approx((1 + 1 / 2) / 2)


def test_directional_agrees_with_all_pairs_written_out(random_predictions: Random) -> None:
    predictions = random_predictions(seed=5, terms=(4, 3, 2))
    p = predictions.probabilities[:, 2]
    rates = []
    for source in range(len(predictions.sources)):
        first, second = (p[(predictions.source == source) & (predictions.group == code)] for code in (0, 1))
        rates.append(np.mean([y - x < 0.05 for x, y in product(first, second)]))
    assert directional(predictions, "g0", "g1", expect="rise", by=0.05, label="c2").rate == pytest.approx(
        np.mean(rates)
    )


def test_the_unperturbed_sentence_can_be_where_it_starts(random_predictions: Random) -> None:
    found = directional(random_predictions(), "unperturbed", "g0", expect="rise", label="c0")
    assert found.sources == 9


def test_intervals_beside_each_other(random_predictions: Random) -> None:
    predictions = random_predictions(sources=40)
    found = invariance(predictions)
    theirs = stats.binomtest(20, 40).proportion_ci(method="wilson")
    low, high = found.wilson
    assert high - low <= theirs.high - theirs.low
    assert low < found.rate < high
    assert found.bootstrap[0] < found.rate < found.bootstrap[1]
    assert found.bootstrap == invariance(predictions).bootstrap
    assert found.bootstrap != invariance(predictions, seed=1).bootstrap
    wider = invariance(predictions, level=0.99).bootstrap
    assert wider[0] < found.bootstrap[0] < found.bootstrap[1] < wider[1]


def test_rows_that_fail_together_widen_the_bootstrap_beyond_wilson() -> None:
    rng = np.random.default_rng(1)
    wrong = rng.random(20) < 0.3
    predictions = Predictions.of(
        source=np.repeat(np.arange(20), 30), group=["a"] * 600, gold=["1"] * 600,
        predicted=["0" if bad else "1" for bad in np.repeat(wrong, 30)],
    )  # fmt: skip
    found = minimum_functionality(predictions)
    width = [high - low for low, high in (found.wilson, found.bootstrap)]
    assert width[1] > 3 * width[0]


def test_without_failures_wilson_still_has_a_width_and_the_bootstrap_says_why_not() -> None:
    predictions = Predictions.of(source=[0, 0, 1, 1], group=["a", "b"] * 2, predicted=["1"] * 4)
    found = invariance(predictions)
    assert (found.rate, found.failures) == (0, ())
    assert found.wilson[0] == 0
    assert found.wilson[1] > 0.5
    assert found.bootstrap is None
    assert "same extent" in found.undefined["bootstrap"]
    one = invariance(predictions.select(predictions.source == 0))
    assert "one source" in one.undefined["bootstrap"]


def undefined(found: object) -> str:
    assert found.rate is None  # type: ignore[attr-defined]
    assert found.wilson is None  # type: ignore[attr-defined]
    assert found.bootstrap is None  # type: ignore[attr-defined]
    return str(found.undefined["rate"])  # type: ignore[attr-defined]


def test_no_case_is_no_rate() -> None:
    natural = Predictions.of(source=[0, 1], group=["a", "b"], predicted=["1", "0"])
    scores = Predictions.of(source=[0, 0], group=["a", "b"], score=[0.1, 0.2])
    assert undefined(invariance(natural)) == "no source has rows of two groups"
    assert undefined(minimum_functionality(natural)) == "no gold classes are given"
    assert undefined(minimum_functionality(scores)) == "no gold classes are given"
    assert undefined(invariance(natural, tolerance=0.1, label="1")) == "no probabilities are given"
    assert undefined(directional(natural, "a", "b", expect="rise", label="1")) == "no probabilities are given"
    apart = Predictions.of(source=[0, 1], group=["a", "b"], score=[0.1, 0.2])
    assert undefined(directional(apart, "a", "b", expect="rise")) == "no source has a and b"
    unknown = Predictions.of(source=[0, 0], group=["a", "b"], predicted=["1", "0"], gold=[None, None])
    assert undefined(minimum_functionality(unknown)) == "no row has a gold class"


@pytest.mark.parametrize(("wrong", "said"), [
    (lambda p: invariance(p), "by how much the score may move"),
    (lambda p: invariance(p, tolerance=-1), "not negative"),
    (lambda p: invariance(p, tolerance=0.1, weight="rows"), "unknown weight"),
    (lambda p: invariance(p, tolerance=0.1, level=95), "level must lie between"),
    (lambda p: directional(p, "a", "bb", expect="rise"), "did you mean 'b'"),
    (lambda p: directional(p, "a", "a", expect="rise"), "with itself"),
    (lambda p: directional(p, "a", "b", expect="soar"), "rise or to fall"),
    (lambda p: directional(p, "a", "b", expect="rise", label="joy"), "no class 'joy'"),
])  # fmt: skip
def test_wrong_questions_are_refused(wrong: Callable[[Predictions], object], said: str) -> None:
    predictions = Predictions.of(source=[0, 0], group=["a", "b"], score=[0.1, 0.2])
    with pytest.raises(UsageError, match=said):
        wrong(predictions)


def test_a_class_is_looked_at_with_a_tolerance_only(random_predictions: Random) -> None:
    with pytest.raises(UsageError, match="tolerance"):
        invariance(random_predictions(), label="c1")
    with pytest.raises(UsageError, match="for which class"):
        invariance(random_predictions(), tolerance=0.1)


def test_failures_are_all_there_worst_first_and_plain(random_predictions: Random) -> None:
    predictions = random_predictions(sources=30)
    for found in (
        invariance(predictions), minimum_functionality(predictions),
        directional(predictions, "g0", "g1", expect="fall", label="c0"),
    ):  # fmt: skip
        shares = [failure.share for failure in found.failures]
        assert shares == sorted(shares, reverse=True)
        assert len(shares) == found.failing_sources > 0
        assert all(failure.examples for failure in found.failures)
        for failure in found.failures:
            for example in failure.examples:
                assert predictions.sources[predictions.source[example.row]] == failure.source
                assert predictions.terms[example.row] == example.term
        json.dumps(found.to_dict(), allow_nan=False)
    wrong = sum(len(failure.examples) for failure in minimum_functionality(predictions).failures)
    assert wrong == (predictions.gold != predictions.predicted).sum()


def test_tokens_of_sequences_are_compared_position_by_position() -> None:
    # Two tokens, the first a place and the second not: nothing changes between the groups but Chad's first token.
    rows = [
        ("a", group, term, place) for group, term in (("x", "Peru"), ("y", "Chad"), ("y", "Mali")) for place in (0, 1)
    ]
    source, group, term, place = zip(*rows, strict=True)
    predicted = ["LOC", "O", "O", "O", "LOC", "O"]
    plain = Predictions.of(source=source, group=group, term=term, predicted=predicted, gold=["LOC", "O"] * 3)
    tokens = replace(plain, position=np.array(place))
    found = invariance(tokens)
    assert (found.cases, found.failing, found.rate) == (4, 1, 0.25)
    assert [one.term for one in found.failures[0].examples] == ["Chad"]
    assert found.rate == pytest.approx(measure(tokens)["invariance_failure_rate"]["all"].value)
    assert minimum_functionality(tokens).rate == pytest.approx(1 / 6)
    scores = replace(Predictions.of(source=source, group=group, term=term, score=[9, 0, 1, 0, 10, 0]), position=place)
    assert directional(scores, "x", "y", expect="rise").rate == 0.25


def test_rows_may_come_in_any_order(random_predictions: Random) -> None:
    predictions = random_predictions()
    order = np.random.default_rng(1).permutation(len(predictions))
    shuffled = Predictions.of(
        source=[predictions.sources[predictions.source[row]] for row in order],
        group=[None if predictions.group[row] < 0 else predictions.groups[predictions.group[row]] for row in order],
        term=[predictions.terms[row] for row in order],
        predicted=[predictions.classes[predictions.predicted[row]] for row in order],
    )
    found, again = invariance(predictions), invariance(shuffled)
    assert (found.rate, found.bootstrap, found.wilson) == (again.rate, again.bootstrap, again.wilson)

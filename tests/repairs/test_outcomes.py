"""What became of a gap: verdicts in a word, Fieller's interval by bisection, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from evenhand.repairs.estimates import Estimate, mean_of
from evenhand.repairs.outcomes import Looked, outcome, reduction_interval, verdict

BEFORE = Estimate(0.10, 0.02**2, 20.0)


def test_margins_are_students() -> None:
    assert BEFORE.margin(0.05) == pytest.approx(stats.t.ppf(0.975, 20) * 0.02)
    assert BEFORE.interval(0.05) == pytest.approx((0.10 - BEFORE.margin(0.05), 0.10 + BEFORE.margin(0.05)))
    assert BEFORE.is_there(0.05)
    assert not Estimate(0.04, 0.02**2, 20.0).is_there(0.05)
    assert Estimate(-0.10, 0.02**2, 20.0).is_there(0.05)


def test_without_variance_any_gap_is_there_and_none_is_not() -> None:
    assert Estimate(1e-3, 0.0, None).is_there(0.05)
    assert not Estimate(0.0, 0.0, None).is_there(0.05)


def test_with_less_than_one_degree_of_freedom_nothing_is_there() -> None:
    assert Estimate(5.0, 1e-9, 0.5).interval(0.05) == (-np.inf, np.inf)
    assert not Estimate(5.0, 1e-9, 0.5).is_there(0.05)


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (0.10, 0.01, "closed"),
        (0.10, -0.01, "closed"),
        (0.10, 0.06, "reduced"),
        (0.055, 0.035, "reduced"),  # no longer significant, but most of it is still seen
        (0.10, 0.10, "not reduced"),
        (0.10, 0.12, "not reduced"),
        (0.10, -0.06, "reversed"),
        (-0.10, 0.06, "reversed"),
        (0.02, 0.01, "nothing to repair"),
        (0.02, -0.06, "made a gap"),
    ],
)
def test_verdicts(before: float, after: float, word: str) -> None:
    found = verdict(Estimate(before, 0.02**2, 20.0), Estimate(after, 0.02**2, 20.0), (0.1, 1.2), alpha=0.05)
    assert found == word


def test_a_gap_is_not_called_closed_when_perhaps_nothing_of_it_is_gone() -> None:
    before, after = Estimate(0.043, 0.015**2, 20.0), Estimate(0.016, 0.05**2, 20.0)
    assert verdict(before, after, (-1.66, 10.0), alpha=0.05) == "reduced"
    assert verdict(before, after, (0.01, 10.0), alpha=0.05) == "closed"


def by_bisection(looked: Looked, alpha: float) -> tuple[float, float]:
    """The ratios after/before that a t-test does not reject, as reductions."""
    before, after = looked.before, looked.after
    assert before.freedom is not None
    assert after.freedom is not None
    t = stats.t.ppf(1 - alpha / 2, min(before.freedom, after.freedom))

    def beyond(ratio: float) -> float:
        variance = after.variance - 2 * ratio * looked.shared + ratio**2 * before.variance
        return (after.value - ratio * before.value) ** 2 - t**2 * variance

    middle = after.value / before.value
    low, high = (optimize.brentq(beyond, middle, middle + far, xtol=1e-12) for far in (-50.0, 50.0))
    return 1 - high, 1 - low


@pytest.mark.parametrize("after", [0.10, 0.03, -0.02])
@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.9])
def test_fiellers_interval_agrees_with_bisection(after: float, correlation: float) -> None:
    looked = Looked(BEFORE, Estimate(after, 0.015**2, 12.0), correlation * 0.02 * 0.015)
    assert reduction_interval(looked, alpha=0.05) == pytest.approx(by_bisection(looked, 0.05), abs=1e-9)


def test_a_gap_moved_by_a_constant_has_the_interval_of_the_gap_before() -> None:
    # After = before − 0.08, whatever persons do: the reduction is 0.08 / the true gap.
    looked = Looked(BEFORE, Estimate(0.02, BEFORE.variance, 20.0), BEFORE.variance)
    low, high = BEFORE.interval(0.05)
    assert reduction_interval(looked, alpha=0.05) == pytest.approx((0.08 / high, 0.08 / low))


def test_an_exact_repair_takes_everything_away() -> None:
    assert reduction_interval(Looked(BEFORE, Estimate(0.0, 0.0, None), 0.0), alpha=0.05) == (1.0, 1.0)


def test_without_any_variance_the_reduction_is_known() -> None:
    looked = Looked(Estimate(0.1, 0.0, None), Estimate(0.025, 0.0, None), 0.0)
    assert reduction_interval(looked, alpha=0.05) == pytest.approx((0.75, 0.75))


def test_a_certain_gap_before_leaves_the_doubt_after() -> None:
    after = Estimate(0.02, 0.01**2, 9.0)
    low, high = after.interval(0.05)
    looked = Looked(Estimate(0.1, 0.0, None), after, 0.0)
    assert reduction_interval(looked, alpha=0.05) == pytest.approx((1 - high / 0.1, 1 - low / 0.1))


def test_there_is_no_interval_where_the_gap_before_may_be_zero() -> None:
    assert reduction_interval(Looked(Estimate(0.03, 0.02**2, 20.0), BEFORE, 0.0), alpha=0.05) is None
    assert reduction_interval(Looked(Estimate(9e9, 0.01, 0.5), BEFORE, 0.0), alpha=0.05) is None


def test_fiellers_interval_holds_the_true_ratio_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    holds, tries = 0, 2_000
    for _ in range(tries):
        persons = rng.normal(0.08, 0.06, size=12)
        after = 0.25 * persons + rng.normal(0, 0.03, size=12)
        cov = np.cov(persons, after) / 12
        looked = Looked(Estimate(persons.mean(), cov[0, 0], 11.0), Estimate(after.mean(), cov[1, 1], 11.0), cov[0, 1])
        interval = reduction_interval(looked, alpha=0.05)
        holds += interval is None or interval[0] <= 0.75 <= interval[1]
    assert 0.935 < holds / tries < 0.965


def test_means_over_repetitions() -> None:
    found = mean_of([Estimate(0.1, 0.01, 10.0), Estimate(0.3, 0.03, 20.0), Estimate(0.2, 0.0, None)])
    assert (found.value, found.variance, found.freedom) == pytest.approx((0.2, 0.04 / 3, 15.0))
    assert mean_of([Estimate(0.2, 0.0, None)]).freedom is None


def test_an_outcome_by_hand() -> None:
    repeated = [Looked(BEFORE, Estimate(value, 0.02**2, 20.0), 0.02**2) for value in (0.01, 0.03)]
    single = [
        Looked(Estimate(0.1, 0.03**2, 9.0), Estimate(value, 0.03**2, 9.0), 0.03**2) for value in (0.1, -0.1, -0.06, 0.0)
    ]
    found = outcome(BEFORE, repeated, single, alpha=0.05)
    assert found.before == BEFORE
    assert found.after is not None
    assert (found.after.value, found.after.variance) == pytest.approx((0.02, 0.02**2))
    assert found.reduction == pytest.approx(0.8)
    assert found.reduction_interval is not None
    low, high = BEFORE.interval(0.05)
    assert found.reduction_interval == pytest.approx((0.08 / high, 0.08 / low))
    # t with nine degrees of freedom is 2.26: −0.1 is beyond 0.068, −0.06 is not.
    assert found.reversed_share == pytest.approx(0.25)
    assert found.spread == pytest.approx(np.std([0.1, -0.1, -0.06, 0.0], ddof=1))
    assert (found.splits, found.verdict, found.undefined) == (4, "closed", None)


def test_nothing_is_reduced_where_nothing_was_there() -> None:
    small = Estimate(0.02, 0.02**2, 20.0)
    found = outcome(small, [Looked(small, small, 0.0)], [], alpha=0.05)
    assert (found.reduction, found.reduction_interval, found.verdict) == (None, None, "nothing to repair")
    assert (found.reversed_share, found.spread) == (None, None)


def test_what_cannot_be_compared_is_undefined_and_says_why() -> None:
    found = outcome("a group has a single person", [], [], alpha=0.05)
    assert (found.verdict, found.undefined, found.before, found.after) == (
        "undefined",
        "a group has a single person",
        None,
        None,
    )
    assert outcome(BEFORE, [], [], alpha=0.05).undefined == "not judged"

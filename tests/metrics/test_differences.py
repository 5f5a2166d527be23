"""Differences of metrics: both systems on the same resamples, against a bootstrap written out; undefined stays so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evenhand.errors import EvenhandError
from evenhand.metrics import Predictions, measure
from evenhand.metrics.differences import MetricDifference, metric_differences
from evenhand.metrics.table import METRICS
from evenhand.stats.intervals import tail

SOURCES = 40
GOLD = ["+", "-"] * (SOURCES // 2)


def who(sources: int = SOURCES) -> dict[str, list[str]]:
    names = [f"s{number:03d}" for number in range(sources)]
    return {"source": [name for name in names for _ in "fm"], "group": ["f", "m"] * sources}


def predictions(positive: np.ndarray, gold: list[str] | None = None, **options: Any) -> Predictions:
    """A female and a male sentence in each source: (sources, 2) probabilities of +."""
    flat = positive.reshape(-1)
    labels = [label for label in (gold or GOLD)[: len(positive)] for _ in "fm"]
    return Predictions.of(**who(len(positive)), gold=labels, probabilities={"-": 1 - flat, "+": flat}, **options)


def systems(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """What is hard about a source is hard for both; the second moves half as much with the person."""
    rng = np.random.default_rng(seed)
    base, gap = rng.uniform(0.2, 0.8, SOURCES), rng.gamma(2, 0.05, SOURCES)
    signs = np.array([0.5, -0.5])
    one, other = (
        np.clip(base[:, None] + share * gap[:, None] * signs + rng.normal(0, 0.002, (SOURCES, 2)), 0, 1)
        for share in (1.0, 0.5)
    )
    return one, other


def of(found: list[MetricDifference], metric: str, label: str = "+") -> MetricDifference:
    return next(one for one in found if (one.metric, one.label) == (metric, label))


def test_the_interval_is_that_of_a_paired_bootstrap_written_out() -> None:
    one, other = systems()
    found = of(metric_differences(predictions(one), predictions(other), ["cf_gap"], seed=5, bootstrap=300), "cf_gap")
    moved = [np.abs(values[:, 0] - values[:, 1]) for values in (one, other)]
    draws = np.random.default_rng(5).multinomial(SOURCES, np.full(SOURCES, 1 / SOURCES), size=300)
    resampled = draws @ (moved[1] - moved[0]) / SOURCES
    assert found.difference == pytest.approx(moved[1].mean() - moved[0].mean())
    cut = tail(0.95, SOURCES)
    assert found.interval == pytest.approx(tuple(np.quantile(resampled, [cut, 1 - cut])))
    assert found.change == "closer"


def test_values_are_those_that_measure_gives() -> None:
    one, other = (predictions(values) for values in systems())
    for found in metric_differences(one, other, bootstrap=20):
        measured = [measure(made, [found.metric])[found.metric][found.label] for made in (one, other)]
        assert [found.one, found.other] == [part.value for part in measured]
        if None in (found.one, found.other):
            assert found.difference is None
            assert found.interval is None
            assert found.undefined


def test_pairing_makes_the_interval_much_narrower_than_two_apart() -> None:
    made = [predictions(values) for values in systems()]
    paired = of(metric_differences(*made, ["cf_gap"]), "cf_gap").interval
    apart = [measure(one, ["cf_gap"], bootstrap=500)["cf_gap"]["+"].interval for one in made]
    assert paired is not None
    widths = [high - low for low, high in (ends for ends in apart if ends is not None)]
    assert paired[1] - paired[0] < 0.6 * np.hypot(*widths)


def test_the_same_system_twice_is_the_same() -> None:
    made = predictions(systems()[0])
    for found in metric_differences(made, made, bootstrap=50):
        if found.difference is not None:
            assert found.difference == 0
            assert found.change in ("same", "cannot tell")
    assert of(metric_differences(made, made, ["cf_gap"], bootstrap=50), "cf_gap").change == "same"


def test_further_from_the_ideal_value_in_the_second_system() -> None:
    one, other = (predictions(values) for values in systems()[::-1])
    found = of(metric_differences(one, other, ["cf_gap"]), "cf_gap")
    assert found.change == "further"
    assert found.deviation == pytest.approx(found.difference)


def test_smaller_is_further_where_the_ideal_value_is_above() -> None:
    wanted = replace(METRICS["cf_gap"], name="wanted", ideal=0.15)
    one, other = (predictions(values) for values in systems())
    found = of(metric_differences(one, other, [wanted]), "wanted")
    assert found.one is not None
    assert found.other is not None
    assert found.other < found.one < 0.15
    assert found.deviation == pytest.approx(found.one - found.other)
    assert found.change == "further"


def test_what_one_system_lacks_is_undefined_with_the_reason() -> None:
    one, other = systems()
    always = predictions(one, gold=["+"] * SOURCES)
    found = of(metric_differences(always, predictions(other, gold=["+"] * SOURCES), ["fpr_ratio"]), "fpr_ratio")
    assert (found.difference, found.interval, found.change) == (None, None, "cannot tell")
    assert "every example has the gold class '+'" in str(found.undefined)


def test_classes_are_matched_by_their_names() -> None:
    one, other = systems()
    flat = other.reshape(-1)
    labels = [label for label in GOLD for _ in "fm"]
    turned = Predictions.of(**who(), gold=labels, probabilities={"+": flat, "-": 1 - flat})
    plain = of(metric_differences(predictions(one), predictions(other), ["cf_gap"]), "cf_gap")
    assert of(metric_differences(predictions(one), turned, ["cf_gap"]), "cf_gap") == plain


def test_other_rows_are_refused() -> None:
    one, other = systems()
    with pytest.raises(EvenhandError, match="same rows"):
        metric_differences(predictions(one), predictions(other[:-1]))


def test_one_source_has_no_interval() -> None:
    one, other = (values[:1] for values in systems())
    found = of(metric_differences(predictions(one), predictions(other), ["cf_gap"]), "cf_gap")
    assert found.difference is not None
    assert found.interval is None
    assert "one source only" in str(found.undefined)


def test_without_resamples_there_is_a_difference_and_no_interval() -> None:
    one, other = systems()
    found = of(metric_differences(predictions(one), predictions(other), ["cf_gap"], bootstrap=0), "cf_gap")
    assert found.difference is not None
    assert (found.interval, found.change) == (None, "cannot tell")
    assert found.undefined == "no interval: no resamples were asked for"


@pytest.mark.slow
def test_intervals_cover_the_true_difference() -> None:
    true = -0.05  # the mean of a gamma(2, 0.05) is 0.1, of which the second system moves half
    inside = []
    for seed in range(400):
        one, other = systems(seed)
        made = metric_differences(predictions(one), predictions(other), ["cf_gap"], bootstrap=300, seed=seed)
        low, high = of(made, "cf_gap").interval or (np.nan, np.nan)
        inside.append(low <= true <= high)
    assert np.mean(inside) >= 0.90


def test_a_system_that_is_only_noisier_is_not_further_from_the_ideal() -> None:
    changes = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        base = rng.uniform(0.3, 0.7, (SOURCES, 1))
        made = [predictions(np.clip(base + rng.normal(0, sd, (SOURCES, 2)), 0, 1)) for sd in (0.01, 0.1)]
        found = of(metric_differences(*made, ["avg_gf"], bootstrap=200, seed=seed), "avg_gf")
        assert found.interval is not None
        changes.append(found.interval[0] > 0)
    assert np.mean(changes) <= 0.065

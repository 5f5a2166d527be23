"""Intervals: the weighted bootstrap over sources is the same as copying the sources that were drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import UsageError
from evenhand.metrics import METRICS, Predictions, measure, measuring
from evenhand.stats.intervals import margin, tail

Random = Callable[..., Predictions]
SIZES = {
    name
    for name, metric in METRICS.items()
    if not metric.counterfactual and not metric.signed and metric.shape in ("PCM", "BCM", "MCM")
}
"""Metrics that compare whole groups by the sizes of differences."""
RESAMPLES = 12


def redrawn(predictions: Predictions, times: np.ndarray) -> Predictions:
    """A data set in which each source is there as often as it was drawn, each time under a name of its own."""
    parts = [
        (np.flatnonzero(predictions.source == source), f"{predictions.sources[source]}.{copy}")
        for source, number in enumerate(times)
        for copy in range(int(number))
    ]
    rows = np.concatenate([rows for rows, _ in parts])
    source = np.repeat(np.arange(len(parts)), [len(rows) for rows, _ in parts])
    names = tuple(name for _, name in parts)
    kept = predictions.select(rows)
    return replace(kept, sources=names, source=source)


@pytest.mark.parametrize("weight", ["sources", "tuples"])
def test_intervals_are_those_of_redrawn_data(weight: str, random_predictions: Random) -> None:
    """Percentiles, a little further out as there are few sources; sizes are in `test_a_size_leaves_room_for_noise`."""
    predictions = random_predictions(sources=8, classes=2, seed=3)
    draws = np.random.default_rng(0).multinomial(8, np.full(8, 1 / 8), size=RESAMPLES)
    for groups in (None, ("g0", "g1")):
        settings = {"groups": groups, "weight": weight}
        found = measure(predictions, bootstrap=RESAMPLES, level=0.8, **settings)
        again = [measure(redrawn(predictions, times), **settings) for times in draws]
        compared = 0
        for name, label, measurement in found:
            values = [other[name][label].value for other in again]
            if name in SIZES:
                continue
            if measurement.interval is None:
                assert measurement.value is None or None in values
                continue
            known = [value for value in values if value is not None]
            # Of the eight sources some metrics look at half: those of one gold class.
            possible = [np.quantile(known, [cut, 1 - cut]) for cut in (tail(0.8, number) for number in range(2, 9))]
            assert any(measurement.interval == pytest.approx(tuple(ends), abs=1e-12) for ends in possible), name
            compared += 1
        assert compared > 20


def test_a_size_leaves_room_for_noise() -> None:
    # Two groups of one row in each of 40 sources: the gap in the share predicted, written out.
    said = np.random.default_rng(4).random((40, 2)) < 0.4
    predictions = Predictions.of(
        source=np.repeat(np.arange(10, 50), 2).tolist(),
        group=["A", "B"] * 40,
        predicted=said.astype(int).ravel().tolist(),
    )
    found = measure(predictions, ["parity_gap"], bootstrap=300, seed=2)["parity_gap"]["1"]
    draws = np.random.default_rng(2).multinomial(40, np.full(40, 1 / 40), size=300)
    gaps = draws @ (said[:, 0].astype(float) - said[:, 1]) / 40
    gap = float(said[:, 0].mean() - said[:, 1].mean())
    low = max(0.0, abs(gap) - float(np.quantile(np.abs(gaps - gap), 1 - tail(0.95, 40))))
    high = abs(gap) + margin(0.95, 40) * float(np.abs(gaps).std())
    assert found.interval == pytest.approx((low, high))


def test_groups_have_intervals_too(random_predictions: Random) -> None:
    found = measure(random_predictions(sources=40), ["cf_gap", "fpr_range"], bootstrap=200)
    for _, _, measurement in found:
        assert measurement.intervals_by_group is not None
        for group, interval in measurement.intervals_by_group.items():
            assert interval is not None
            assert interval[0] <= measurement.by_group[group] <= interval[1]


def test_an_interval_covers_the_value_it_estimates(random_predictions: Random) -> None:
    covered = 0
    truth = 1 / 3  # E|X − Y| of two uniform scores
    for seed in range(60):
        rng = np.random.default_rng(seed)
        scores = rng.uniform(size=100)
        predictions = Predictions.of(source=np.repeat(np.arange(50), 2).tolist(), group=["A", "B"] * 50, score=scores)
        low, high = measure(predictions, ["cf_gap"], bootstrap=400, seed=seed)["cf_gap"]["score"].interval or (1, 0)
        covered += low <= truth <= high
    assert 0.85 <= covered / 60 <= 1


def test_seeds_and_pieces(random_predictions: Random, monkeypatch: pytest.MonkeyPatch) -> None:
    predictions = random_predictions(sources=30)
    first = measure(predictions, ["avg_gf"], bootstrap=50)["avg_gf"]["c0"].interval
    assert measure(predictions, ["avg_gf"], bootstrap=50)["avg_gf"]["c0"].interval == first
    assert measure(predictions, ["avg_gf"], bootstrap=50, seed=1)["avg_gf"]["c0"].interval != first
    monkeypatch.setattr(measuring, "AT_ONCE", 1000)
    assert measure(predictions, ["avg_gf"], bootstrap=50)["avg_gf"]["c0"].interval == pytest.approx(first)


def test_without_a_bootstrap_there_is_no_interval_and_no_complaint(random_predictions: Random) -> None:
    found = measure(random_predictions(), ["cf_gap"])["cf_gap"]["c0"]
    assert (found.interval, found.undefined, found.intervals_by_group) == (None, None, None)


def test_one_source_cannot_be_resampled() -> None:
    predictions = Predictions.of(source=["s", "s"], group=["A", "B"], score=[0.1, 0.4])
    found = measure(predictions, ["cf_gap"], bootstrap=100)["cf_gap"]["score"]
    assert found.value == pytest.approx(0.3)
    assert found.interval is None
    assert found.undefined == "no interval: there is one source only, which cannot be resampled"


def test_an_interval_needs_most_of_the_resamples() -> None:
    # The positive examples are in two of four sources: they are missing from a sixteenth of the resamples.
    predictions = Predictions.of(
        source=np.repeat(["s1", "s2", "s3", "s4"], 2).tolist(), group=["A", "B"] * 4, gold=[1] * 4 + [0] * 4,
        predicted=[1, 0] * 2 + [0] * 4,
    )  # fmt: skip
    found = measure(predictions, ["tpr_gap"], bootstrap=2000)["tpr_gap"]["1"]
    assert (found.value, found.interval) == (1.0, None)
    assert "fewer than 95%" in (found.undefined or "")


@pytest.mark.parametrize("settings", [{"bootstrap": -1}, {"level": 1.0}, {"sample": 0}, {"weight": "rows"}])
def test_settings_that_make_no_sense(settings: dict[str, object], worked: Predictions) -> None:
    with pytest.raises(UsageError):
        measure(worked, **settings)  # type: ignore[arg-type]


def test_all_metrics_are_among_those_compared() -> None:
    assert len(METRICS) > 40

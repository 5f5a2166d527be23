"""Intervals: the weighted bootstrap over sources is the same as copying the sources that were drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import UsageError
from evenhand.metrics import METRICS, Metric, Predictions, measure, measuring
from evenhand.metrics.scores import Rate
from evenhand.stats.intervals import margin, tail

Random = Callable[..., Predictions]
SIZES = {
    name
    for name, metric in METRICS.items()
    if not metric.counterfactual and not metric.signed and metric.shape in ("PCM", "BCM", "MCM")
}
"""Metrics that compare whole groups by the sizes of differences."""
SIGNED_SHARES = {
    name
    for name, metric in METRICS.items()
    if isinstance(metric, Metric) and metric.signed and isinstance(metric.phi, Rate)
}
"""Metrics whose intervals leave room for one row more."""
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
            if name in SIZES or name in SIGNED_SHARES:
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


def test_a_signed_share_leaves_room_for_one_row_more() -> None:
    # Two groups of one row in each of 40 sources: the difference in accuracy, written out.
    right = np.random.default_rng(4).random((40, 2)) < 0.9
    predictions = Predictions.of(
        source=np.repeat(np.arange(10, 50), 2).tolist(),
        group=["A", "B"] * 40,
        gold=["1"] * 80,
        predicted=right.astype(int).ravel().tolist(),
    )
    found = measure(predictions, ["accuracy_difference"], groups=("A", "B"), bootstrap=300, seed=2)
    draws = np.random.default_rng(2).multinomial(40, np.full(40, 1 / 40), size=300)
    differences = draws @ (right[:, 0].astype(float) - right[:, 1]) / 40
    ends = np.quantile(differences, [tail(0.95, 40), 1 - tail(0.95, 40)])
    difference, row = float(right[:, 0].mean() - right[:, 1].mean()), margin(0.95, 40) * np.sqrt(2) / 40
    least = margin(0.95, 40) * differences.std()
    low, high = np.hypot(max(difference - ends[0], least), row), np.hypot(max(ends[1] - difference, least), row)
    assert found["accuracy_difference"]["all"].interval == pytest.approx((difference - low, difference + high))


def test_where_both_groups_are_right_everywhere_the_difference_may_still_be_a_row() -> None:
    # No resample differs; two rows of 40 each: √2 / 40 is one row on either side.
    predictions = Predictions.of(
        source=np.repeat(np.arange(40), 2).tolist(), group=["A", "B"] * 40, gold=["1"] * 80, predicted=["1"] * 80
    )
    found = measure(predictions, ["accuracy_difference", "f1_ratio"], groups=("A", "B"), bootstrap=100)
    room = margin(0.95, 40) * np.sqrt(2) / 40
    assert found["accuracy_difference"]["all"].interval == pytest.approx((-room, room))
    assert found["f1_ratio"]["1"].interval is not None
    low, high = found["f1_ratio"]["1"].interval
    assert low < 1 < high


@pytest.mark.slow
@pytest.mark.parametrize("sd", [0.0, 0.5], ids=["noise only", "terms vary"])
def test_signed_intervals_hold_the_value_with_many_more_sources(sd: float) -> None:
    """With resamples alone, 72 to 93 % of 16 sentences did."""
    names, held = ("tpr_difference", "accuracy_difference", "f1_difference", "f1_ratio"), []
    for seed in range(200):
        effects = np.random.default_rng([1, seed]).normal(0, sd, 10)
        few, many = (two_groups(np.random.default_rng([2, seed, n]), effects, n) for n in (16, 640))
        found = measure(few, names, groups=("A", "B"), bootstrap=200, seed=seed)
        truth = measure(many, names, groups=("A", "B"))
        label = {name: "all" if name == "accuracy_difference" else "1" for name in names}
        ends = {name: found[name][label[name]].interval or (1.0, 0.0) for name in names}
        held.append([ends[name][0] <= truth[name][label[name]].value <= ends[name][1] for name in names])
    assert np.mean(held, axis=0).min() >= 0.92  # 200 systems: luck moves a rate by 1.5 points


def two_groups(rng: np.random.Generator, effects: np.ndarray, sources: int) -> Predictions:
    """Two groups of five terms each; sentences differ in how clear they are."""
    gold = np.arange(sources) % 2
    level = rng.normal(0, 1, sources) + 2.0 * gold - 1.0
    said = level[:, None] + effects + rng.normal(0, 0.5, (sources, 10)) > 0
    return Predictions.of(
        source=np.repeat(np.arange(sources), 10).tolist(),
        group=(["A"] * 5 + ["B"] * 5) * sources,
        term=[f"t{number}" for number in range(10)] * sources,
        gold=np.repeat(gold, 10).astype(str).tolist(),
        predicted=said.astype(int).astype(str).ravel().tolist(),
    )


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

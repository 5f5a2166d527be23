"""A user's metric from the five parts, and counts that were made elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from evenhand.errors import EvenhandError, UsageError
from evenhand.metrics import Counts, Metric, Predictions, comparisons, count, measure, metric, scores

Random = Callable[..., Predictions]


def test_a_metric_from_the_table_s_parts(counted: Predictions) -> None:
    gap = Metric("precision_gap", "PCM", scores.PRECISION, comparisons.ABSOLUTE, normaliser=metric.pairs)
    found = measure(counted, [gap, "tpr_gap"])["precision_gap"]["1"]
    assert found.scores == pytest.approx({"A": 3 / 4, "B": 1 / 2, "C": 4 / 7})
    assert found.value == pytest.approx((1 / 4 + 5 / 28 + 1 / 14) / 3)


def test_own_score_and_own_comparison(worked: Predictions) -> None:
    squared = comparisons.Between("squared difference", lambda x, y: (x - y) ** 2)
    own = Metric("squared_gap", "PCM", scores.EACH_PROBABILITY, squared, normaliser=metric.pairs, counterfactual=True)
    found = measure(worked, [own])["squared_gap"]["pos"]
    assert found.value == pytest.approx(((0.25 + 0.04) / 2 + (0.01 + 0.16) / 2) / 2)
    sampled = measure(worked, [own], sample=2)["squared_gap"]["pos"]
    assert sampled.value == pytest.approx(found.value)


def test_own_comparison_of_all_groups(worked: Predictions) -> None:
    largest = comparisons.Among("largest", lambda x: x.max(axis=-1))
    own = Metric("largest", "MCM", scores.EACH_PROBABILITY, largest, counterfactual=True)
    assert measure(worked, [own])["largest"]["pos"].value == pytest.approx(((0.9 + 0.6) / 2 + (0.3 + 0.7) / 2) / 2)


def test_own_comparison_of_sets(worked: Predictions) -> None:
    medians = comparisons.OfSets("gap of medians", lambda x, y: float(abs(np.median(x) - np.median(y))))
    grouped = Metric("g", "BCM", scores.PROBABILITIES, medians, normaliser=metric.groups, background="rest")
    paired = Metric("p", "PCM", scores.PROBABILITIES, medians, normaliser=metric.pairs)
    within = Metric("w", "PCM", scores.PROBABILITIES, medians, normaliser=metric.pairs, counterfactual=True)
    found = measure(worked, [grouped, paired, within], bootstrap=5)
    assert found["g"]["pos"].value == pytest.approx(0.3)  # medians .65 and .35
    assert found["p"]["pos"].value == pytest.approx(0.3)
    assert found["w"]["pos"].value == pytest.approx((0.35 + 0.15) / 2)


def test_a_rate_within_sources_and_a_mean_of_groups(worked: Predictions) -> None:
    within = Metric("w", "PCM", scores.ACCURACY, comparisons.ABSOLUTE, normaliser=metric.pairs, counterfactual=True)
    means = Metric("m", "BCM", scores.MEAN_PROBABILITY, comparisons.ABSOLUTE, background="rest")
    spread = Metric("s", "MCM", scores.MEAN_PROBABILITY, comparisons.SPREAD, counterfactual=True)
    found = measure(worked, [within, means, spread])
    assert found["w"]["all"].value == pytest.approx((1.0 + 0.5) / 2)  # A 1, B 0; A .5, B 1
    assert found["m"]["pos"].by_group == pytest.approx({"A": 0.25, "B": 0.25})  # .6 and .35
    assert found["s"]["pos"].value == pytest.approx((0.35 + 0.15) / 2)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"shape": "MCM", "phi": scores.FPR, "d": comparisons.ABSOLUTE}, "compares all groups at once"),
        ({"shape": "PCM", "phi": scores.FPR, "d": comparisons.SPREAD}, "compares all groups at once"),
        ({"shape": "PCM", "phi": scores.EACH_PROBABILITY, "d": comparisons.ABSOLUTE}, "about single examples"),
        ({"shape": "PCM", "phi": scores.FPR, "d": comparisons.WASSERSTEIN}, "one is about sets"),
        ({"shape": "PCM", "phi": scores.PROBABILITIES, "d": comparisons.ABSOLUTE}, "one is about sets"),
        ({"shape": "BCM", "phi": scores.FPR, "d": comparisons.ABSOLUTE}, "has a background"),
        ({"shape": "XCM", "phi": scores.FPR, "d": comparisons.ABSOLUTE}, "the shape is"),
        (
            {
                "shape": "BCM",
                "phi": scores.FPR,
                "d": comparisons.ABSOLUTE,
                "background": "rest",
                "counterfactual": True,
            },
            "the background of a counterfactual metric",
        ),
    ],
)
def test_parts_that_do_not_fit(parts: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Metric("own", **parts)  # type: ignore[arg-type]


def test_counts_of_a_classifier(counted: Predictions) -> None:
    counts = count(counted)
    sums = [array.sum(axis=0)[:3, 1].tolist() for array in (counts.tp, counts.fp, counts.fn, counts.negatives)]
    assert sums == [[3, 2, 4], [1, 2, 3], [1, 2, 0], [3, 2, 1]]


@pytest.fixture
def spans() -> Counts:
    """Two sources, groups A and B, one class LOC: A finds all, B misses one of two and invents one."""
    return Counts(
        tp=np.array([[[1.0], [1.0]], [[1.0], [0.0]]]),
        fp=np.array([[[0.0], [0.0]], [[0.0], [1.0]]]),
        fn=np.array([[[0.0], [0.0]], [[0.0], [1.0]]]),
        tn=None,
    )


@pytest.fixture
def slots() -> Predictions:
    """The rows that go with the spans; the order of sources is not that of their names."""
    return Predictions.of(source=["z", "z", "a", "a"], group=["A", "B"] * 2, gold=["LOC"] * 4, predicted=["LOC"] * 4)


def test_spans_plug_in_as_counts(spans: Counts, slots: Predictions) -> None:
    found = measure(slots, counts=spans, groups=("A", "B"))
    assert found["tpr_gap"]["LOC"].value == 0.5
    assert found["f1_difference"]["LOC"].value == 0.5
    assert found["fned"]["LOC"].by_group == {"A": 0.25, "B": 0.25}
    for name in ("fped", "tnr_gap", "fpr_ratio", "fpr_range"):
        assert found[name]["LOC"].undefined == "true negatives are not defined for spans"
    for name, label in (("accuracy_gap", "all"), ("parity_gap", "LOC")):
        assert found[name][label].undefined == "true negatives are not defined for spans"


def test_counts_follow_the_groups_that_are_asked_for(spans: Counts, slots: Predictions) -> None:
    found = measure(slots, ["f1_difference", "pi"], counts=spans, groups=("B", "A"))
    assert found["f1_difference"]["LOC"].value == -0.5
    assert found["pi"]["LOC"].by_group == {"B": 1.0, "A": None}


def test_counts_must_fit(spans: Counts, worked: Predictions, counted: Predictions) -> None:
    with pytest.raises(EvenhandError, match="counts for 2 sources and 2 groups do not fit"):
        measure(counted, counts=spans)
    with pytest.raises(EvenhandError, match="one shape"):
        Counts(tp=spans.tp, fp=spans.fp[:1], fn=spans.fn, tn=None)


def test_counts_are_resampled_by_source(spans: Counts, slots: Predictions) -> None:
    found = measure(slots, ["tpr_gap"], counts=spans, bootstrap=100)["tpr_gap"]["LOC"]
    assert found.interval == (0.0, 1.0)  # only the first source, or only the second

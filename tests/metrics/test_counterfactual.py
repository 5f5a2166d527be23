"""The whole Cartesian product, against enumeration in plain loops; sampling, weights, backgrounds, missing groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from evenhand.metrics import Predictions, measure, tuples

Random = Callable[..., Predictions]


def ragged(seed: int = 0, *, sources: int = 5, groups: int = 3, most: int = 4) -> Predictions:
    """Scores with another number of terms in every source and group, some of them equal."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{source}", f"g{group}", f"t{term}", round(float(rng.uniform()), 1 if source % 2 else 6))
        for source in range(sources)
        for group in range(groups)
        for term in range(int(rng.integers(1, most + 1)))
    ]
    source, group, term, score = zip(*rows, strict=True)
    return Predictions.of(source=source, group=group, term=term, score=score)


def tuples_by_source(predictions: Predictions) -> list[list[tuple[float, ...]]]:
    """All tuples of each source, one score per group."""
    assert predictions.probabilities is not None
    found = []
    for source in range(len(predictions.sources)):
        own = [
            predictions.probabilities[(predictions.source == source) & (predictions.group == group), 0].tolist()
            for group in range(len(predictions.groups))
        ]
        found.append(list(itertools.product(*own)))
    return found


def mean_gap(scores: tuple[float, ...]) -> float:
    return float(np.mean([abs(a - b) for a, b in itertools.combinations(scores, 2)]))


OVER_TUPLES: dict[str, tuple[str, Callable[[tuple[float, ...]], float]]] = {
    "cf_gap": ("score", mean_gap),
    "pert_ss": ("all", mean_gap),
    "pert_sd": ("all", lambda scores: float(np.std(scores))),
    "pert_sr": ("all", lambda scores: max(scores) - min(scores)),
}


@pytest.mark.parametrize("metric", OVER_TUPLES)
@pytest.mark.parametrize("seed", range(4))
def test_values_over_the_whole_product(metric: str, seed: int) -> None:
    label, compare = OVER_TUPLES[metric]
    predictions = ragged(seed)
    by_source = [[compare(scores) for scores in found] for found in tuples_by_source(predictions)]
    per_source = measure(predictions, [metric])[metric][label]
    assert per_source.value == pytest.approx(np.mean([np.mean(found) for found in by_source]), abs=1e-12)
    pooled = measure(predictions, [metric], weight="tuples")[metric][label]
    assert pooled.value == pytest.approx(np.mean(list(itertools.chain(*by_source))), abs=1e-12)
    assert per_source.error is pooled.error is None


def test_labels_over_the_whole_product(random_predictions: Random) -> None:
    predictions = random_predictions(unperturbed=False)
    flips, failures = [], []
    for source in range(len(predictions.sources)):
        own = [
            predictions.predicted[(predictions.source == source) & (predictions.group == group)].tolist()
            for group in range(3)
        ]
        found = list(itertools.product(*own))
        flips.append(np.mean([[a != b for a, b in itertools.combinations(labels, 2)] for labels in found]))
        failures.append(np.mean([len(set(labels)) > 1 for labels in found]))
    measured = measure(predictions, ["label_flip_rate", "invariance_failure_rate"])
    assert measured["label_flip_rate"]["all"].value == pytest.approx(np.mean(flips), abs=1e-12)
    assert measured["invariance_failure_rate"]["all"].value == pytest.approx(np.mean(failures), abs=1e-12)


def test_a_large_product_is_sampled_with_a_stated_error() -> None:
    deviations = []
    for seed in range(40):
        predictions = ragged(seed, sources=6, groups=6, most=5)
        enumerated = tuples_by_source(predictions)
        assert max(map(len, enumerated)) > 100  # the limit that is set below
        exact = np.mean([np.std(found, axis=1).mean() for found in enumerated])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tuples, "MOST_ENUMERATED", 100)
            patch.setattr(tuples, "DRAWS", 1)
            estimated = measure(predictions, ["pert_sd"], seed=seed)["pert_sd"]["all"]
        assert estimated.error is not None
        assert estimated.value is not None
        assert 0 < estimated.error < 0.001
        deviations.append((estimated.value - exact) / estimated.error)
    # In units of the stated error the estimates scatter as a normal variable does.
    assert abs(np.mean(deviations)) < 3.5 / math.sqrt(len(deviations))
    assert 0.6 < np.std(deviations) < 1.5
    assert np.abs(deviations).max() < 4


def test_the_error_is_small_at_the_usual_settings(random_predictions: Random) -> None:
    predictions = random_predictions(groups=13, terms=(2, 3), sources=60, classes=2, unperturbed=False)
    found = measure(predictions, ["pert_sd"])["pert_sd"]["all"]
    assert found.error is not None
    assert found.error < 1e-4
    again = measure(predictions, ["pert_sd"])["pert_sd"]["all"]
    assert (again.value, again.error) == (found.value, found.error)
    other = measure(predictions, ["pert_sd"], seed=1)["pert_sd"]["all"]
    assert other.value != found.value
    assert other.value == pytest.approx(found.value, abs=6 * found.error)


@pytest.mark.parametrize("metric", OVER_TUPLES)
def test_a_sample_as_large_as_the_product_is_the_product(metric: str) -> None:
    label, _ = OVER_TUPLES[metric]
    predictions = ragged(2)
    exact = measure(predictions, [metric])[metric][label].value
    assert measure(predictions, [metric], sample=64)[metric][label].value == pytest.approx(exact, abs=1e-12)


def test_sampling_reproduces_the_older_practice(random_predictions: Random) -> None:
    predictions = random_predictions(groups=6, terms=(4,), sources=20, unperturbed=False)
    exact = measure(predictions, ["cf_gap"])["cf_gap"]["c0"].value
    first, again, other = (
        measure(predictions, ["cf_gap"], sample=100, seed=seed)["cf_gap"]["c0"].value for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other
    assert first != exact
    assert first == pytest.approx(exact, abs=0.01)


def test_sampled_tuples_are_different_ones() -> None:
    predictions = Predictions.of(source=["s"] * 20, group=["A"] * 10 + ["B"] * 10, score=np.linspace(0, 1, 20))
    # 99 of 100 pairs, all different: the sum misses one gap, which is between 0 and 1.
    exact = measure(predictions, ["cf_gap"])["cf_gap"]["score"].value
    sampled = measure(predictions, ["cf_gap"], sample=99)["cf_gap"]["score"].value
    assert 0 <= 100 * exact - 99 * sampled <= 1


def test_pooling_a_sample_weighs_sources_by_what_was_drawn() -> None:
    # s1 has 4 tuples with a gap of 1, s2 one tuple without a gap.
    predictions = Predictions.of(
        source=["s1"] * 4 + ["s2"] * 2, group=["A", "A", "B", "B", "A", "B"], score=[0, 0, 1, 1, 0, 0]
    )
    values = {
        (weight, sample): measure(predictions, ["cf_gap"], weight=weight, sample=sample)["cf_gap"]["score"].value
        for weight in ("sources", "tuples")
        for sample in (None, 2)
    }
    assert values == pytest.approx(
        {("sources", None): 0.5, ("sources", 2): 0.5, ("tuples", None): 0.8, ("tuples", 2): 2 / 3}
    )


def test_a_source_that_lacks_a_group_is_left_out_of_that_comparison_and_counted() -> None:
    # s1 has A, B and C; s2 lacks C.
    predictions = Predictions.of(
        source=["s1"] * 3 + ["s2"] * 2, group=["A", "B", "C", "A", "B"], score=[0.0, 0.2, 0.6, 0.0, 0.4]
    )
    gap = measure(predictions, ["cf_gap"])["cf_gap"]["score"]
    assert (gap.sources, gap.lacking) == (2, {"C": 1})
    assert gap.by_group == pytest.approx({"A": 0.45, "B": 0.35, "C": 0.5})  # A-B (.2 + .4)/2, A-C .6, B-C .4
    assert gap.value == pytest.approx(1.3 / 3)
    spread = measure(predictions, ["pert_sr"])["pert_sr"]["all"]
    assert (spread.value, spread.sources, spread.lacking) == (pytest.approx(0.6), 2, {"C": 1})


def test_groups_that_never_meet() -> None:
    predictions = Predictions.of(source=["s1", "s1", "s2", "s2"], group=["A", "B", "B", "C"], score=[0, 1, 0, 1])
    gap = measure(predictions, ["cf_gap"])["cf_gap"]["score"]
    assert gap.value is None
    assert gap.undefined == "some groups are never in the same source"
    assert gap.by_group == {"A": 1.0, "B": 1.0, "C": 1.0}


def test_a_privileged_group_as_background_leaves_the_comparison(worked: Predictions) -> None:
    found = measure(worked, ["cf_gap_background", "fped", "cf_gap"], background="B")
    against_b = found["cf_gap_background"]["pos"]
    assert (against_b.value, against_b.by_group) == (pytest.approx(0.3), {"A": pytest.approx(0.3)})
    assert found["fped"]["pos"].by_group == {"A": pytest.approx(0.5)}  # FPR .5 and 0
    assert set(found["cf_gap"]["pos"].by_group) == {"A", "B"}


def test_a_privileged_group_outside_the_groups_asked_for(random_predictions: Random) -> None:
    predictions = random_predictions(groups=4)
    found = measure(predictions, ["fped_normalised", "tpr_gap"], groups=("g1", "g2"), background="g3")
    assert set(found["fped_normalised"]["c0"].by_group) == {"g1", "g2"}
    assert set(found["tpr_gap"]["c0"].by_group) == {"g1", "g2"}
    assert found.groups == ("g1", "g2")


def test_the_unperturbed_sentences_as_background_of_group_metrics(worked: Predictions) -> None:
    # FPR of the unperturbed sentences is 0, of A .5, of B 0.
    found = measure(worked, ["fped"], background="unperturbed")["fped"]["pos"]
    assert found.by_group == {"A": 0.5, "B": 0.0}


def test_the_background_of_the_rest_changes_the_equality_difference(counted: Predictions) -> None:
    found = measure(counted, ["fped"], background="rest")["fped"]["1"]
    assert found.by_group == pytest.approx({"A": 0.375, "B": 0.0, "C": 0.375})


def test_enumeration_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    predictions = ragged(3)
    whole = measure(predictions, ["pert_sd"])["pert_sd"]["all"].value
    monkeypatch.setattr(tuples, "AT_ONCE", 7)
    assert measure(predictions, ["pert_sd"])["pert_sd"]["all"].value == pytest.approx(whole, abs=1e-15)


def test_products_too_large_for_whole_numbers() -> None:
    groups = [f"g{code}" for code in range(26)]
    predictions = Predictions.of(
        source=["s"] * (26 * 32), group=groups * 32, score=np.random.default_rng(0).uniform(size=26 * 32)
    )
    exact = measure(predictions, ["pert_sr", "pert_sd"], weight="tuples")
    sampled = measure(predictions, ["pert_sr"], sample=2000)["pert_sr"]["all"].value
    assert exact["pert_sr"]["all"].value == pytest.approx(sampled, abs=0.01)
    assert exact["pert_sd"]["all"].error is not None

"""Where there is nothing to measure: never 0, never 1, never a bare NaN, but None and the reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evenhand.errors import UsageError
from evenhand.metrics import METRICS, Measurements, Predictions, measure

Random = Callable[..., Predictions]


def reasons(found: Measurements) -> dict[tuple[str, str], str]:
    """Why each undefined value is undefined; every one must say."""
    collected = {}
    for name, label, measurement in found:
        if measurement.value is None:
            assert measurement.undefined, (name, label)
            collected[name, label] = measurement.undefined
    return collected


@pytest.fixture
def no_positive_in_c() -> Predictions:
    """A and B have both gold classes, C only negatives."""
    return Predictions.of(
        source=["s1", "s1", "s2", "s2", "s2"],
        group=["A", "B", "A", "B", "C"],
        gold=[1, 1, 0, 0, 0],
        probabilities={"0": [0.2, 0.6, 0.9, 0.4, 0.8], "1": [0.8, 0.4, 0.1, 0.6, 0.2]},
    )


def test_a_group_without_a_positive_example(no_positive_in_c: Predictions) -> None:
    found = measure(no_positive_in_c)
    gap = found["tpr_gap"]["1"]
    assert (gap.value, gap.by_group) == (None, {"A": 1.0, "B": 1.0, "C": None})  # A 1, B 0
    assert gap.undefined == "no example has the gold class '1' (in C)"
    assert found["fned"]["1"].by_group["C"] is None
    assert found["tnr_gap"]["1"].value is not None
    ratio = found["fnr_ratio"]["1"]
    assert ratio.by_group == {"A": 0.0, "B": None, "C": None}
    assert ratio.undefined == ("the score it is divided by is 0 (in B); no example has the gold class '1' (in C)")
    assert found["avg_eg"]["1"].undefined == "it has no {p(c)}, gold = c (in C)"
    assert found["bnsp_auc"]["1"].undefined == "no example has the gold class '1' (in C)"
    assert found["cf_gap_tc"]["1"].lacking == {"C": 1}


def test_without_that_group_there_is_a_value(no_positive_in_c: Predictions) -> None:
    assert measure(no_positive_in_c, ["tpr_gap"], groups=("A", "B"))["tpr_gap"]["1"].value == 1.0


def test_a_class_never_predicted() -> None:
    predictions = Predictions.of(
        source=["s1", "s1", "s2", "s2"], group=["A", "B"] * 2, gold=["x", "x", "y", "y"], predicted=["y"] * 4
    )
    found = measure(predictions)
    assert found["disparity_score"]["x"].value == 0.0  # F1 is 0 for both groups, and defined
    assert found["tpr_gap"]["x"].value == 0.0
    assert found["fpr_ratio"]["x"].undefined == "the score it is divided by is 0 (in A, B)"
    assert found["f1_ratio"]["x"].value is None
    assert found["cf_gap"]["x"].undefined == "no probabilities are given"


def test_a_class_that_neither_occurs_nor_is_predicted() -> None:
    predictions = Predictions.of(
        source=["s", "s"],
        group=["A", "B"],
        gold=["x", "x"],
        probabilities={"x": [0.6, 0.7], "y": [0.4, 0.3]},
    )
    found = measure(predictions)
    assert found["disparity_score"]["y"].undefined == "the class 'y' neither occurs nor is predicted (in A, B)"
    assert found["cf_gap_tc"]["y"].undefined == "no example has the gold class 'y'"
    assert found["neg_avg_eg"]["x"].undefined == "every example has the gold class 'x'"
    assert found["fped"]["x"].undefined == "every example has the gold class 'x' (in A, B)"
    assert found["cf_gap"]["y"].value == pytest.approx(0.1)


def test_probabilities_of_exactly_zero_and_one() -> None:
    predictions = Predictions.of(
        source=["s", "s", "s"], group=["A", "B", "C"], gold=[1] * 3, probabilities={"0": [1, 0, 0.5], "1": [0, 1, 0.5]}
    )
    found = measure(predictions)
    assert found["cf_gap"]["1"].value == pytest.approx(2 / 3)
    assert found["pert_sr"]["all"].value == 1.0
    assert found["log_odds_gap"]["1"].undefined == (
        "the log-odds are infinite: 2 of 3 probabilities are exactly 0 or 1"
    )


def test_one_group_only(random_predictions: Random) -> None:
    found = measure(random_predictions(groups=1, terms=(3,), unperturbed=False))
    undefined = reasons(found)
    assert {name for name, _ in undefined} == set(METRICS)
    assert undefined["fped", "c0"] == "there is one group only, and nothing to compare it with"
    assert undefined["cf_gap", "c0"] == undefined["pert_sd", "all"] == undefined["pi", "c0"] == undefined["fped", "c0"]


def test_one_group_and_its_unperturbed_sentences(random_predictions: Random) -> None:
    found = measure(random_predictions(groups=1), ["cf_gap_background", "label_distance", "pert_ss_background"])
    assert reasons(found) == {}


def test_one_source_only(random_predictions: Random) -> None:
    found = measure(random_predictions(sources=1))
    assert found["cf_gap"]["c0"].value is not None
    assert found["cf_gap_tc"]["c1"].undefined == "no example has the gold class 'c1'"
    reasons(found)


def test_no_gold_classes() -> None:
    predictions = Predictions.of(source=["s", "s"], group=["A", "B"], probabilities={"x": [0.6, 0.3], "y": [0.4, 0.7]})
    found = measure(predictions)
    undefined = reasons(found)
    for name in ("fped", "tpr_gap", "accuracy_gap", "avg_gf_tc", "cf_gap_tc", "bpsn_auc", "pi"):
        assert undefined[name, "all" if name == "accuracy_gap" else "x"] == "no gold classes are given"
    assert undefined["pert_ss", "all"] == "no gold classes are given"
    assert found["parity_gap"]["x"].value == 1.0
    assert found["cf_gap"]["x"].value == pytest.approx(0.3)
    assert found["label_flip_rate"]["all"].value == 1.0


def test_some_gold_classes_are_not_known() -> None:
    predictions = Predictions.of(
        source=["s1", "s1", "s2", "s2"],
        group=["A", "B"] * 2,
        gold=["x", "x", None, None],
        probabilities={"x": [0.6, 0.3, 0.9, 0.9], "y": [0.4, 0.7, 0.1, 0.1]},
    )
    found = measure(predictions)
    assert found["tpr_gap"]["x"].value == 1.0
    assert found["parity_gap"]["x"].by_group == {"A": 0.5, "B": 0.5}  # A predicted x twice of two, B once
    assert found["pert_ss"]["all"].value == pytest.approx(0.3)
    assert found["pert_ss"]["all"].sources == 1


def test_regression_scores() -> None:
    predictions = Predictions.of(source=["s", "s"], group=["A", "B"], score=[-3.0, 4.5])
    found = measure(predictions, groups=("A", "B"))
    for name in ("cf_gap", "avg_if", "avg_gf"):
        assert found[name]["score"].value == pytest.approx(7.5 if name != "avg_gf" else 3.75)
    assert found["avg_score_difference"]["score"].value == -7.5
    assert found["pert_ss"]["all"].value == 7.5
    assert found["log_odds_gap"]["score"].undefined == "regression scores have no log-odds"
    assert found["label_flip_rate"]["all"].undefined == "no classes are predicted"
    assert found["fped"]["score"].undefined == "no classes are predicted"
    assert found["avg_eg"]["score"].undefined == "no gold classes are given"


def test_signed_metrics_say_that_they_need_two_groups_in_order(worked: Predictions) -> None:
    for groups in (None, ("A",), ("B",)):
        found = measure(worked, ["tpr_difference", "avg_score_difference"], groups=groups)
        assert set(reasons(found).values()) == {
            "it compares a first group with a second: name the two groups, in order"
        }


def test_no_unperturbed_sentences(random_predictions: Random) -> None:
    found = measure(random_predictions(unperturbed=False), ["cf_gap_background", "label_distance"])
    assert set(reasons(found).values()) == {"there is no unperturbed sentence to compare with (a row without a group)"}


def test_a_counterfactual_background_is_one_sentence(worked: Predictions) -> None:
    found = measure(worked, ["cf_gap_background", "fped"], background="everyone")
    assert "unperturbed sentence or one group" in reasons(found)["cf_gap_background", "pos"]
    assert found["fped"]["pos"].value is not None


def test_label_distance_of_a_class_that_nobody_gets() -> None:
    predictions = Predictions.of(source=["s", "s"], group=["A", None], gold=["x", "x"], predicted=["y", "y"])
    found = measure(predictions, ["label_distance"])["label_distance"]
    assert found["y"].value == 0.0
    assert found["x"].undefined == "the class 'x' is never predicted, neither before nor after (in A)"


def test_names_that_are_not_there(worked: Predictions) -> None:
    with pytest.raises(UsageError, match="did you mean 'cf_gap'"):
        measure(worked, ["cf_gpa"])
    with pytest.raises(UsageError, match="there is no group 'Z'; there are A, B"):
        measure(worked, groups=("A", "Z"))
    with pytest.raises(UsageError, match="there is no background 'evryone'; did you mean 'everyone'"):
        measure(worked, background="evryone")
    with pytest.raises(UsageError, match="asked for twice"):
        measure(worked, ["fped", "fped"])

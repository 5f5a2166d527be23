"""Each metric of the table, worked out with pen and paper."""

from __future__ import annotations

import math

import pytest

from evenhand.metrics import METRICS, Predictions, measure

GROUPS = ("A", "B")

# metric: (class, value, by group) for the counts of `counted`; see there.
COUNTS = {
    "fped": ("1", 0.5, {"A": 0.25, "B": 0.0, "C": 0.25}),  # FPR .25 .5 .75, everyone .5
    "fned": ("1", 0.5, {"A": 0.0, "B": 0.25, "C": 0.25}),  # FNR .25 .5 0, everyone .25
    "fped_normalised": ("1", 1 / 6, {"A": 0.25, "B": 0.0, "C": 0.25}),
    "fned_normalised": ("1", 1 / 6, {"A": 0.0, "B": 0.25, "C": 0.25}),
    "fpr_ratio": ("1", 3.4 / 3, {"A": 0.4, "B": 1.0, "C": 2.0}),  # .25/(5/8), .5/(4/8), .75/(3/8)
    "fnr_ratio": ("1", 5 / 3, {"A": 1.0, "B": 4.0, "C": 0.0}),  # .25/(2/8), .5/(1/8), 0/(3/8)
    # F1 .75 .5 8/11; pairs AB 1/4, AC 1/44, BC 5/22
    "disparity_score": ("1", 1 / 6, {"A": 3 / 22, "B": 21 / 88, "C": 1 / 8}),
    "disparity_score_normalised": ("1", 1 / 6, {"A": 3 / 22, "B": 21 / 88, "C": 1 / 8}),
    "tpr_gap": ("1", 1 / 3, {"A": 0.25, "B": 0.375, "C": 0.375}),  # TPR .75 .5 1
    "tnr_gap": ("1", 1 / 3, {"A": 0.375, "B": 0.25, "C": 0.375}),  # TNR .75 .5 .25
    "parity_gap": ("1", 0.25, {"A": 0.1875, "B": 0.1875, "C": 0.375}),  # predicted .5 .5 .875
    "accuracy_gap": ("all", 1 / 6, {"A": 0.1875, "B": 0.1875, "C": 0.125}),  # .75 .5 .625
    "fpr_range": ("1", 0.5, {"A": 0.25, "B": 0.5, "C": 0.75}),
    "fnr_range": ("1", 0.5, {"A": 0.25, "B": 0.5, "C": 0.0}),
}
SIGNED_COUNTS = {
    "accuracy_difference": ("all", 0.25),
    "tpr_difference": ("1", 0.25),
    "recall_difference": ("1", 0.25),
    "f1_difference": ("1", 0.25),
    "f1_ratio": ("1", 1.5),
}
# For the probabilities of `worked`; see there.
LOG_ODDS = {p: math.log(p / (1 - p)) for p in (0.9, 0.6, 0.4, 0.2, 0.7, 0.3)}
PROBABILITIES = {
    # A {.2 .6 .7 .9}, B {.3 .4}, everyone both: areas between the distribution functions
    "avg_gf": ("pos", 0.15, {"A": 0.1, "B": 0.2}),
    "avg_gf_tc": ("pos", 0.35, {"A": 0.35, "B": 0.35}),  # {.9 .6} and {.4}
    "pos_avg_eg": ("pos", 0.0, {"A": 0.5, "B": -0.5}),  # .4 is below both .9 and .6
    "avg_eg": ("neg", 0.0, {"A": 0.0, "B": 0.0}),  # {.8 .3} and {.7}: one below, one above
    "neg_avg_eg": ("pos", 0.0, {"A": 0.0, "B": 0.0}),  # {.2 .7} and {.3}
    "cf_gap": ("pos", 0.3, {"A": 0.3, "B": 0.3}),  # s1 (.5 + .2)/2, s2 (.1 + .4)/2
    "cf_gap_tc": ("pos", 0.35, {"A": 0.35, "B": 0.35}),  # s1 only
    "pert_ss": ("all", 0.3, {"A": 0.3, "B": 0.3}),
    "pert_sd": ("all", 0.15, {"A": 0.65, "B": 0.55}),  # half the gap; mean p(gold) of A .75 .55, of B .4 .7
    "pert_sr": ("all", 0.3, {"A": 0.65, "B": 0.55}),
    "avg_if": ("pos", 0.3, {"A": 0.3, "B": 0.3}),  # s1 W({.9 .6}, {.4}) = .35, s2 W({.2 .7}, {.3}) = .25
    "avg_if_tc": ("neg", 0.25, {"A": 0.25, "B": 0.25}),
    "cf_gap_background": ("pos", 0.275, {"A": 0.25, "B": 0.3}),  # A (.1 + .2)/2, (.1 + .6)/2; B .4, .2
    "pert_ss_background": ("all", 0.275, {"A": 0.25, "B": 0.3}),
    "bpsn_auc": ("pos", 0.75, {"A": 0.5, "B": 1.0}),  # {.4} over {.2 .7}; {.9 .6} over {.3}
    "bnsp_auc": ("pos", 0.75, {"A": 1.0, "B": 0.5}),  # {.9 .6} over {.3}; {.4} over {.2 .7}
    "label_distance": ("pos", 0.625, {"A": 0.25, "B": 1.0}),  # {s1} against {s1}, {s1 s2}; against nothing
    "label_flip_rate": ("all", 0.75, {"A": 0.75, "B": 0.75}),  # s1 both differ, s2 one of two
    "invariance_failure_rate": ("all", 0.75, {"A": 0.75, "B": 0.75}),
    "log_odds_gap": (
        "pos",
        (2 * LOG_ODDS[0.9] + 2 * LOG_ODDS[0.6] - 4 * LOG_ODDS[0.4] + 2 * LOG_ODDS[0.3] - 2 * LOG_ODDS[0.2]
         + 2 * LOG_ODDS[0.7] - 2 * LOG_ODDS[0.3]) / 8,
        {},
    ),
    "expected_label_gap": ("all", 0.6, {"A": 0.6, "B": 0.6}),  # the expected label is 2p − 1
}  # fmt: skip
SIGNED_PROBABILITIES = {
    "avg_score_difference": ("pos", 0.25),  # s1 .75 − .4, s2 .45 − .3
    "expected_label_difference": ("all", 0.5),
    "las_difference": ("all", 0.125),  # 5/8 − 1/2
}


@pytest.mark.parametrize("metric", COUNTS)
def test_metrics_on_counts(metric: str, counted: Predictions) -> None:
    label, value, by_group = COUNTS[metric]
    found = measure(counted, [metric])[metric][label]
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.by_group == pytest.approx(by_group, abs=1e-12)


@pytest.mark.parametrize("metric", PROBABILITIES)
def test_metrics_on_rows(metric: str, worked: Predictions) -> None:
    label, value, by_group = PROBABILITIES[metric]
    found = measure(worked, [metric])[metric][label]
    assert found.value == pytest.approx(value, abs=1e-12)
    for group, part in by_group.items():
        assert found.by_group[group] == pytest.approx(part, abs=1e-12)


@pytest.mark.parametrize("metric", SIGNED_COUNTS)
def test_signed_metrics_on_counts(metric: str, counted: Predictions) -> None:
    label, value = SIGNED_COUNTS[metric]
    assert measure(counted, [metric], groups=GROUPS)[metric][label].value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("metric", SIGNED_PROBABILITIES)
def test_signed_metrics_on_rows(metric: str, worked: Predictions) -> None:
    label, value = SIGNED_PROBABILITIES[metric]
    assert measure(worked, [metric], groups=GROUPS)[metric][label].value == pytest.approx(value, abs=1e-12)


def test_pi() -> None:
    # f is taken for a nurse in s1 and s2, and m recognised in s1 only; m is taken for a nurse in s2, and so is f.
    bios = Predictions.of(
        source=["s1", "s1", "s2", "s2"],
        group=["f", "m"] * 2,
        gold=["surgeon"] * 4,
        predicted=["nurse", "surgeon", "nurse", "nurse"],
    )
    found = measure(bios, ["pi"])["pi"]["surgeon"]
    assert (found.value, found.by_group) == (0.25, {"f": 0.5, "m": 0.0})


def test_a_ratio_is_shown_with_both_scores(counted: Predictions) -> None:
    found = measure(counted, ["fpr_ratio"])["fpr_ratio"]["1"]
    assert found.scores == {"A": 0.25, "B": 0.5, "C": 0.75}
    assert found.references == {"A": 0.625, "B": 0.5, "C": 0.375}
    two = measure(counted, ["f1_ratio"], groups=GROUPS)["f1_ratio"]["1"]
    assert (two.scores, two.references) == ({"A": 0.75, "B": 0.5}, {"A": 0.5, "B": 0.75})


def test_order_of_the_two_groups_matters(counted: Predictions) -> None:
    assert measure(counted, ["f1_ratio"], groups=("B", "A"))["f1_ratio"]["1"].value == pytest.approx(2 / 3)


def test_every_metric_of_the_table_is_worked_out() -> None:
    assert {*COUNTS, *SIGNED_COUNTS, *PROBABILITIES, *SIGNED_PROBABILITIES, "pi"} == set(METRICS)

"""Measurements in words, tables and charts."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from evenhand.measuring import Measured, MeasureSettings, Metrics, measured, measured_tags
from evenhand.metrics import METRICS, Predictions
from evenhand.metrics.sequences import TaggedPredictions, TaggedSentence
from evenhand.report.audit.amounts import number
from evenhand.report.metrics.figures import ACCUMULATED, LEAST_REACH, by_group, static_figures
from evenhand.report.metrics.page import to_html
from evenhand.report.metrics.terminal import print_measurements
from evenhand.report.metrics.words import in_words, lead

SCORES = {"young": (0.1, 0.3), "adult": (0.4, 0.5), "old": (0.7, 0.9)}


def predictions(scores: dict[str, tuple[float, ...]] = SCORES, *, gold: bool = True) -> Predictions:
    """Six sources; each group's terms have the scores given."""
    rows = [
        (source, group, f"{group}{place}", score)
        for source in range(6)
        for group, values in scores.items()
        for place, score in enumerate(values)
    ]
    source, group, term, score = zip(*rows, strict=True)
    known = ["bad" if number % 2 else "good" for number in source] if gold else None
    return Predictions.of(
        source=source, group=group, term=term, gold=known,
        probabilities={"bad": [1 - value for value in score], "good": score},
    )  # fmt: skip


def result(*metrics: str, groups: tuple[str, ...] | None = None, of: Predictions | None = None) -> Measured:
    settings = MeasureSettings(metrics=metrics or None, groups=groups)
    return measured(predictions() if of is None else of, "model", "age", settings)


def table(one: Measured, *, width: int = 120) -> str:
    shown = StringIO()
    print_measurements(Metrics((one,), MeasureSettings()), Console(file=shown, width=width))
    return shown.getvalue()


LABELS = {"young": "young people", "adult": "adults", "old": "people over the age of sixty-five"}


@pytest.mark.parametrize("width", [40, 60, 70, 80, 100, 120])
def test_names_and_numbers_are_whole_at_every_width(width: int) -> None:
    found = replace(result(), labels=LABELS)
    lines = table(found, width=width).splitlines()
    shown = " ".join(lines).split()
    for name, _, one in found.measurements:
        assert any(name in line for line in lines), name
        if one.value is not None:
            assert number(one.value) in shown
    assert max(map(len, lines)) <= width
    assert "…" not in shown


def test_groups_have_the_labels_of_the_corpus() -> None:
    found = replace(result(), labels=LABELS)
    different = result(of=predictions({"young": (0.1, 0.11, 0.12), "old": (0.8, 0.81, 0.82)}))
    assert "people over the age of sixty-five (0.700)" in in_words(replace(different, labels=LABELS))
    columns = {row["column"] for row in by_group(found, "good")}
    assert columns == {*LABELS.values(), ACCUMULATED}
    page = to_html(Metrics((found,), MeasureSettings()))
    assert "people over the age of sixty-five" in page
    assert "<td>old</td>" not in page


def test_the_groups_asked_about_are_counted() -> None:
    assert lead(result()) == "model, age (3 groups, 36 rows)"
    assert lead(result(groups=("young", "old"))) == "model, age (2 groups, 24 rows)"


def test_what_moves_is_named() -> None:
    assert "The probability of the right class differs by" in in_words(result())
    # 0.3, 0.6 and 0.35 on average between the terms of two groups.
    assert "The probability of bad differs by 0.400 between two groups" in in_words(result("cf_gap"))
    without_gold = in_words(result(of=predictions(gold=False)))
    assert "right class" not in without_gold
    assert "The probability of bad differs by 0.400" in without_gold


def test_groups_that_differ_in_a_class_are_named_though_the_right_class_cancels_out() -> None:
    words = in_words(result(of=predictions(dict.fromkeys("acd", (0.1, 0.15, 0.2)) | {"b": (0.8, 0.85, 0.9)})))
    assert "these, b (0.700) differs from the others in the probability of good (p" in words
    assert "after correcting for 2 comparisons" in words
    several = predictions({"a": (0.1, 0.11, 0.12), "b": (0.8, 0.81, 0.82), "c": (0.46, 0.47, 0.48)}, gold=False)
    assert "these, a (−0.530), b (0.520) differ from the others in the probability of good (p < 0.001" in in_words(
        result(of=several)
    )


def test_no_gold_leaves_one_question() -> None:
    words = in_words(result(of=predictions({"a": (0.1, 0.2), "b": (0.15, 0.25)}, gold=False)))
    assert "no group is shown to differ from the others (p = 0.5" in words
    assert "comparisons" not in words


def test_where_terms_are_no_sample_the_sentences_answer_for_these_terms() -> None:
    rows = [(f"s{source}", group, 0.02 * (source % 4)) for source in range(8) for group in ("old", "young")]
    score = [0.3 + more + 0.4 * (group == "old") + 0.001 * len(source + group) for source, group, more in rows]
    one_each = Predictions.of(
        source=[source for source, *_ in rows], group=[group for _, group, _ in rows],
        term=[group for _, group, _ in rows], probabilities={"bad": [1 - value for value in score], "good": score},
    )  # fmt: skip
    words = in_words(result(of=one_each))
    assert "Nothing is tested for terms like these: cannot generalise over terms" in words
    assert "For these terms, over sentences, 95 % intervals: the probability of good of old 0.398" in words
    assert "That says nothing about other terms." in words
    assert "For these terms, over" not in in_words(result())


def test_an_omnibus_alone_says_that_groups_differ() -> None:
    found = result(of=predictions(gold=False))
    general = found.tests["good"].generalising
    assert general is not None
    by_group = {name: replace(test, p_adjusted=0.9) for name, test in general.by_group.items()}
    omnibus = replace(general.omnibus, p=0.001)  # as an analysis of variance over terms alone may give
    tests = replace(found.tests["good"], generalising=replace(general, omnibus=omnibus, by_group=by_group))
    words = in_words(replace(found, tests=replace(found.tests, classes={**found.tests.classes, "good": tests})))
    assert "groups differ in the probability of good" in words
    assert "no single group stands out" in words


def test_a_score_is_no_deviation() -> None:
    shown = table(result("pert_sd", "tpr_gap", "cf_gap"))
    (line,) = (line for line in shown.splitlines() if line.startswith("pert_sd"))
    assert not any(group in line for group in SCORES)
    (line,) = (line for line in shown.splitlines() if line.startswith("cf_gap"))
    assert any(group in line for group in SCORES)


def test_the_error_of_what_was_sampled_is_shown() -> None:
    rng = np.random.default_rng(0)
    many = predictions({group: tuple(rng.uniform(0.05, 0.95, 9)) for group in "abcdef"})
    found = result("pert_sd", of=many)
    error = found.measurements["pert_sd"]["all"].error
    assert error is not None
    assert 0 < error < 0.001
    assert f"standard errors: pert_sd ± {error:.7f}".rstrip("0") in " ".join(table(found).split())
    assert f"± {error:.7f}".rstrip("0") in to_html(Metrics((found,), MeasureSettings()))
    assert "±" not in table(result("pert_sd"))


def test_a_group_at_the_ideal_value_is_not_far_from_it() -> None:
    shown = table(result("cf_gap", of=predictions({"a": (0.5,), "b": (0.5,)})))
    (line,) = (line for line in shown.splitlines() if line.startswith("cf_gap"))
    assert line.split()[-1] == "0"


@pytest.mark.parametrize(("metric", "accumulates"), [("fped", True), ("cf_gap", True), ("avg_eg", False)])
def test_what_groups_accumulate_to_stands_beside_them(metric: str, accumulates: bool) -> None:
    found = result(metric)
    cells = {cell["column"]: cell for cell in by_group(found, "good")}
    assert [name for name in cells if name != ACCUMULATED] == list(SCORES)
    assert (ACCUMULATED in cells) == accumulates
    if accumulates:
        assert cells[ACCUMULATED]["value"] == found.measurements[metric]["good"].value
        assert cells[ACCUMULATED]["share"] is None
    assert max(abs(cells[group]["share"]) for group in SCORES) == 1


def test_metrics_of_all_groups_at_once_come_last_and_have_one_value() -> None:
    cells = by_group(result("pert_sr", "fpr_range", "tpr_gap"), "good")
    columns = [(cell["metric"], cell["column"]) for cell in cells]
    assert columns[: len(SCORES)] == [("TPR gap", group) for group in SCORES]
    assert columns[len(SCORES) + 1 :] == [("PertSR", ACCUMULATED), ("FPR range", ACCUMULATED)]


def test_charts_show_the_values() -> None:
    report = Metrics((result("cf_gap"),), MeasureSettings())
    figure = static_figures(report)["groups-model-age-good"]
    text = next(layer for layer in figure["layer"] if layer["mark"]["type"] == "text")
    assert text["encoding"]["text"]["field"] == "value"
    values = {row["column"]: row["value"] for row in figure["data"]["values"]}
    assert values[ACCUMULATED] == report.results[0].measurements["cf_gap"]["good"].value


def test_a_constant_gap_is_told_with_its_reason() -> None:
    constant = result(of=predictions({"a": (0.2,) * 5, "b": (0.6,) * 5}, gold=False))
    page = to_html(Metrics((constant,), MeasureSettings()))
    assert "constant: the terms of a group do not differ" in page
    # Of the 252 ways to deal ten terms, two give so large a gap.
    assert "a (−0.400), b (0.400) differ from the others in the probability of good (p = 0.008" in page


def test_failures_of_a_tagger_are_about_its_terms_and_the_groups_asked_about() -> None:
    said = [("x", "Peru", "U-LOC"), ("y", "Chad", "O"), ("z", "Mali", "I-LOC")]
    tagged = TaggedPredictions(tuple(
        TaggedSentence(source, group, ("in", name), (1, 2), ("O", "U-LOC"), ("O", tag), term=name)
        for source in ("1", "2") for group, name, tag in said
    ))  # fmt: skip
    found = measured_tags(tagged, "tagger", "wealth", MeasureSettings())
    assert [behaviour.rate for behaviour in found.behaviours] == [1.0, pytest.approx(1 / 3)]
    assert found.notes == ("2 sentences of z had ill-formed tags, which were repaired",)
    two = measured_tags(tagged, "tagger", "wealth", MeasureSettings(groups=("x", "y")))
    assert (two.tests.groups, two.rows, two.notes) == (("x", "y"), 4, ())
    assert "so there is nothing to fail" not in to_html(Metrics((found,), MeasureSettings()))


def test_every_metric_of_the_table_can_be_shown() -> None:
    page = to_html(Metrics((result(),), MeasureSettings()))
    assert all(f">{name}<" in page for name in METRICS)


def test_charts_show_how_far_a_metric_is_beyond_a_fair_system_and_not_from_zero() -> None:
    found = result("bnsp_auc")
    shown = {row["column"]: row for row in by_group(found, "good") if row["column"] != ACCUMULATED}
    fair = found.measurements["bnsp_auc"]["good"].expected_if_exchangeable
    assert fair is not None
    values = {name: row["value"] for name, row in shown.items() if row["value"] is not None}
    most = max(LEAST_REACH, *(abs(value - fair) for value in values.values()))
    for name, value in values.items():
        assert shown[name]["beyond"] == pytest.approx(value - fair)
        assert shown[name]["share"] == pytest.approx((value - fair) / most)


def test_all_cells_of_a_chart_share_one_scale() -> None:
    found = result("bnsp_auc", "cf_gap")
    shown = [row for row in by_group(found, "good") if row["share"] is not None]
    assert len({row["name"] for row in shown}) == 2
    reach = {row["beyond"] / row["share"] for row in shown if row["share"]}
    assert max(reach) == pytest.approx(min(reach))


def some_change(*, sources: int = 18) -> Predictions:
    """In every third source, the class changes with the person; only classes are given."""
    rows = [(source, group, f"{group}{place}") for source in range(sources) for group in "ab" for place in range(2)]
    source, group, term = zip(*rows, strict=True)
    said = ["bad" if number % 3 == 0 and name == "a0" else "good" for number, _, name in rows]
    return Predictions.of(source=source, group=group, term=term, gold=["good"] * len(rows), predicted=said)


def test_a_rate_has_one_interval_wherever_it_is_told() -> None:
    found = measured(some_change(), "model", "age", MeasureSettings(bootstrap=200))
    low, high = found.measurements["invariance_failure_rate"]["all"].interval or (0.0, 0.0)
    assert found.behaviours[0].bootstrap != (low, high) != (0.0, 0.0)
    rate = found.behaviours[0].rate
    assert rate is not None
    said = f"{100 * rate:.1f} % ({100 * low:.1f} % to {100 * high:.1f} %)"
    assert f"The predicted class changes with the person in {said} of the cases." in in_words(found)
    assert said in to_html(Metrics((found,), MeasureSettings()))


def test_a_rate_that_is_no_metric_here_has_an_interval_of_its_own() -> None:
    found = result("cf_gap", of=some_change())
    low, high = found.behaviours[0].bootstrap or (0.0, 0.0)
    assert f"({100 * low:.1f} % to {100 * high:.1f} %) of the cases" in in_words(found)


def test_that_classes_alone_allow_no_test_is_said_in_one_line() -> None:
    assert "Nothing is tested for terms like these: no probabilities are given." in in_words(result(of=some_change()))
    assert "Nothing is tested" not in in_words(result())


def test_few_values_are_rarely_beyond_chance() -> None:
    three = predictions({"young": (0.1, 0.2, 0.3), "adult": (0.4, 0.45, 0.5), "old": (0.7, 0.8, 0.9)})
    few = in_words(result("cf_gap", "tpr_gap", "fped", of=three))  # two classes each: 6 values, of which 0.3 would
    assert "Of 6 metric values" in few
    assert "fewer than one would by chance)" in few


def test_a_value_that_rests_on_one_term_has_no_interval_but_a_reason() -> None:
    always = predictions({"a": (0.2, 0.9, 0.9), "b": (0.9, 0.9, 0.9), "c": (0.9, 0.9, 0.9)})
    found = measured(always, "model", "age", MeasureSettings(metrics=("parity_gap",), bootstrap=50, relabellings=50))
    said = "it rests on one term, a0, and every resample of the sources gives the same value"
    assert f"no interval: parity_gap: {said}" in " ".join(table(found).split())
    assert f'<abbr title="{said}">none</abbr>' in to_html(Metrics((found,), MeasureSettings()))

"""Advice for every combination of answers: what it names exists, fits its role, and has a value on such data."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import UsageError
from evenhand.metrics import METRICS, Predictions, measure
from evenhand.metrics.advice import (
    NEEDED,
    TERMS,
    Advice,
    Answers,
    advise,
    all_answers,
    metrics_for_task,
    question_texts,
)
from evenhand.metrics.quality import MEASURES
from evenhand.metrics.sequences import TaggedPredictions, TaggedSentence, measure_tags
from evenhand.metrics.testing import group_tests

EVERYTHING = list(all_answers())
ADVICE = [advise(answers) for answers in EVERYTHING]


def filled(advice: Advice, role: str) -> bool:
    return any(one.role == role for one in advice.recommendations)


def test_every_combination_is_there() -> None:
    assert len(EVERYTHING) == 4 * 5 * 5 * 2 * 2 * 2


def test_every_name_is_in_its_table() -> None:
    for advice in ADVICE:
        assert set(advice.metrics) <= set(METRICS)
        for one in advice.recommendations:
            assert set(one.quality) <= {name for names in MEASURES.values() for name in names}
            assert one.names
            assert one.why


def test_what_fills_a_role_has_its_property() -> None:
    for advice in ADVICE:
        for one in advice.recommendations:
            for metric in map(METRICS.__getitem__, one.metrics):
                assert one.role != "prediction-based" or metric.basis == "predictions"
                assert one.role != "probability-based" or metric.basis == "probabilities"
                assert one.role != "signed" or metric.signed
            assert one.role != "signed" or set(one.quality) <= {"mean_error"}
            assert (one.role == "test") == bool(one.tests)


def test_every_role_is_filled_or_said_to_be_missing() -> None:
    for advice in ADVICE:
        answers = advice.answers
        unfilled = [role for role in NEEDED if not filled(advice, role)]
        allowed = ["prediction-based"] if answers.task == "regression" else []
        allowed += ["signed"] if answers.data == "natural" and not answers.gold else []
        assert unfilled == allowed
        limits = (answers.question == "counterfactual" and answers.data == "natural") + (
            answers.question in ("errors", "quality") and not answers.gold
        )
        assert len(advice.missing) == len(unfilled) + limits


def test_the_set_is_small() -> None:
    assert max(len(advice.metrics) for advice in ADVICE) <= 4
    assert all(advice.metrics for advice in ADVICE)


def test_no_advice_grows_with_the_number_of_groups() -> None:
    named = {name for advice in ADVICE for name in advice.metrics}
    assert not named & {"fped", "fned", "disparity_score"}


SOURCES = 12
CLASSES = {"binary": 2, "multiclass": 3, "ordinal": 3}


@cache
def sample(task: str, data: str, gold: bool, groups: int) -> Predictions:
    """Predictions as such answers describe them."""
    rng = np.random.default_rng(8)
    cells = [(f"g{code}", f"g{code}t{term}") for code in range(groups) for term in range(3)]
    rows = [(source, *cell) for source in range(SOURCES) for cell in cells]
    if data == "natural":
        rows = [(place, group, term) for place, (_, group, term) in enumerate(rows)]
    source, group, term = zip(*rows, strict=True)
    if task == "regression":
        return Predictions.of(source=source, group=group, term=term, score=rng.uniform(size=len(rows)))
    names = [f"c{code}" for code in range(CLASSES[task])]
    matrix = rng.dirichlet(np.ones(len(names)), size=len(rows))
    predictions = Predictions.of(
        source=source, group=group, term=term, probabilities=dict(zip(names, matrix.T, strict=True)),
        gold=[names[place // len(cells) % len(names)] for place in range(len(rows))] if gold else None,
    )  # fmt: skip
    return predictions.with_values({name: float(code) for code, name in enumerate(names)})


@cache
def tagged(data: str, groups: int) -> TaggedPredictions:
    rng = np.random.default_rng(8)
    sentences = []
    for source in range(SOURCES):
        for code in range(groups):
            for term in range(2):
                said = "U-LOC" if rng.random() < 0.6 else "O"
                p = rng.uniform()
                name = f"s{source}" if data == "templates" else f"s{source}.{code}.{term}"
                sentences.append(TaggedSentence(
                    name, f"g{code}", ("in", "X"), (1, 2), ("O", "U-LOC"), ("O", said),
                    ({"O": 1.0}, {"U-LOC": p, "O": 1 - p}), term=f"g{code}t{term}",
                ))  # fmt: skip
    return TaggedPredictions(tuple(sentences))


@cache
def undefined(name: str, task: str, data: str, gold: bool, groups: int) -> list[str]:
    """Why the metric has no value on such data, for each class in which it has none."""
    chosen = ("g0", "g1") if METRICS[name].two_groups else None
    if task == "tagging":
        found = measure_tags(tagged(data, groups), [name], groups=chosen)
    else:
        found = measure(sample(task, data, gold, groups), [name], groups=chosen)
    return [str(one.undefined) for one in found[name].values() if one.value is None]


@pytest.mark.parametrize("task", question_texts()["task"].options)
def test_what_is_advised_has_a_value_on_such_data(task: str) -> None:
    for advice in ADVICE:
        answers = advice.answers
        if answers.task == task:
            for name in advice.metrics:
                assert undefined(name, task, answers.data, answers.gold, answers.groups) == [], (name, answers)


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_the_tests_that_are_advised_are_those_that_are_made(task: str) -> None:
    for advice in ADVICE:
        answers = advice.answers
        if answers.task == task:
            tests = group_tests(sample(task, answers.data, answers.gold, answers.groups))
            made = tests[next(iter(tests.classes))]
            (advised,) = (one for one in advice.recommendations if one.role == "test")
            assert advised.tests == (made.published.omnibus.name, TERMS)
            assert made.generalising.omnibus.p is not None


def advice(**changed: object) -> Advice:
    answers = {
        "question": "errors", "harm": "allocation", "task": "binary", "data": "templates", "gold": True, "groups": 3,
    }  # fmt: skip
    return advise(Answers(**(answers | changed)))


def test_the_harm_decides_which_error_is_counted() -> None:
    assert "fned_normalised" in advice().metrics
    assert "fped_normalised" not in advice().metrics
    assert "fped_normalised" in advice(harm="sanction").metrics
    assert "fned_normalised" not in advice(harm="sanction").metrics
    assert {"fned_normalised", "fped_normalised"} <= set(advice(harm="unsure").metrics)
    assert "disparity_score_normalised" in advice(harm="service").metrics


def test_spans_have_no_false_positive_rate() -> None:
    for one in ADVICE:
        if one.answers.task == "tagging":
            assert not {"fped_normalised", "tnr_gap", "accuracy_gap", "neg_avg_eg"} & set(one.metrics)


def test_counterfactual_metrics_need_counterfactuals() -> None:
    for one in ADVICE:
        if one.answers.data == "natural":
            assert not any(METRICS[name].counterfactual for name in one.metrics)
    assert any("Swap the person" in text for text in advice(question="counterfactual", data="natural").missing)


def test_no_gold_is_said() -> None:
    assert any("Without gold labels" in text for text in advice(gold=False).missing)
    assert advice(question="scores", gold=False).missing == ()


def test_quality_of_scores_is_asked_of_what_is_known() -> None:
    found = advice(question="quality", task="regression", data="natural")
    assert {name for one in found.recommendations for name in one.quality} == {
        "mean_error",
        "pearson",
        "spearman",
        "mae",
    }


def test_metrics_for_a_task() -> None:
    for task in question_texts()["task"].options:
        names = metrics_for_task(task)
        assert set(names) == {name for one in ADVICE if one.answers.task == task for name in one.metrics}
        assert len(set(names)) == len(names)
    with pytest.raises(UsageError, match="did you mean 'tagging'"):
        metrics_for_task("taging")


@pytest.mark.parametrize(("changed", "said"), [
    ({"question": "eror"}, "unknown question 'eror'; did you mean 'errors'"),
    ({"task": "parsing"}, "unknown task"),
    ({"groups": 1}, "groups is 1; at least two groups are needed"),
])  # fmt: skip
def test_other_answers_are_refused(changed: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        advice(**changed)


def test_plain_values() -> None:
    plain = json.loads(json.dumps(advice().to_dict()))
    assert plain["metrics"] == list(advice().metrics)
    assert plain["answers"]["groups"] == 3
    assert {one["role"] for one in plain["recommendations"]} >= set(NEEDED)


def test_the_examples_of_the_page_run() -> None:
    page = (Path(__file__).parents[2] / "docs" / "advice.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    for block in blocks:
        exec(compile(block, "advice.md", "exec"), names)  # noqa: S102
    assert len(blocks) == 4
    assert advise(Answers("errors", "sanction", "binary", "templates", gold=True, groups=5)).metrics == (
        "fped_normalised", "avg_gf_tc", "neg_avg_eg",
    )  # fmt: skip


def test_the_page_names_every_answer() -> None:
    page = (Path(__file__).parents[2] / "docs" / "advice.md").read_text(encoding="utf-8")
    for question in question_texts().values():
        for option in question.options:
            assert f"`{option}`" in page

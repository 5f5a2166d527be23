"""`evenhand advise`: with flags, by questions, and what it says when there is nobody to ask."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from evenhand.cli import advise
from evenhand.cli.app import app
from evenhand.errors import UsageError
from evenhand.metrics import METRICS
from evenhand.metrics.advice import question_texts

FLAGS = [
    *("--question", "errors", "--harm", "allocation", "--task", "binary"),
    *("--data", "templates", "--groups", "3", "--gold"),
]


def test_flags_give_advice_with_reasons_and_a_command() -> None:
    done = CliRunner().invoke(app, ["advise", *FLAGS])
    assert done.exit_code == 0, done.output
    assert "On predictions: fned_normalised" in done.stdout
    assert "false negative rate" in done.stdout
    assert "Tests: Friedman" in done.stdout
    assert "evenhand measure PREDICTIONS --metric fned_normalised" in done.stdout


def test_json_and_nothing_else() -> None:
    done = CliRunner().invoke(app, ["advise", *FLAGS, "--json"])
    content = json.loads(done.stdout)
    assert set(content["metrics"]) <= set(METRICS)
    assert content["answers"]["harm"] == "allocation"
    assert content["commands"][0].startswith("evenhand measure PREDICTIONS --metric ")


def test_metrics_of_two_groups_are_measured_apart() -> None:
    flags = ["--question", "counterfactual", "--harm", "unsure", "--task", "regression", "--data", "templates"]
    done = CliRunner().invoke(app, ["advise", *flags, "--groups", "5", "--no-gold", "--json"])
    assert json.loads(done.stdout)["commands"] == [
        "evenhand measure PREDICTIONS --metric cf_gap",
        "evenhand measure PREDICTIONS --metric avg_score_difference --groups A,B",
    ]


def test_quality_names_its_command() -> None:
    flags = ["--question", "quality", "--harm", "service", "--task", "regression", "--data", "natural"]
    done = CliRunner().invoke(app, ["advise", *flags, "--groups", "2", "--gold"])
    assert "Quality by group: pearson, spearman, mae" in done.stdout
    assert "evenhand measure TEXTS --by COLUMN" in done.stdout


def test_what_is_missing_is_named_with_its_options_where_nobody_can_be_asked() -> None:
    done = CliRunner().invoke(app, ["advise", "--question", "errors", "--task", "binary"])
    assert isinstance(done.exception, UsageError)
    said = str(done.exception)
    assert "--harm (allocation, sanction, representation, service, unsure)" in said
    assert "--groups N" in said
    assert "--gold or --no-gold" in said
    assert "--question" not in said


def answered(stdout: str) -> dict[str, object]:
    """The answers in the JSON; the runner echoes what is typed before it, as a terminal does."""
    answers: dict[str, object] = json.loads(stdout[stdout.index("{") :])["answers"]
    return answers


def test_questions_are_asked_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advise, "at_terminal", lambda: True)
    answers = "1\nnothing\n9\nallocation\nbinary\n1\n3\ny\n"  # by number and by name; two wrong ones are asked again
    done = CliRunner().invoke(app, ["advise", "--json"], input=answers)
    assert done.exit_code == 0, done.output
    assert answered(done.stdout) == {
        "question": "errors", "harm": "allocation", "task": "binary", "data": "templates", "gold": True, "groups": 3,
    }  # fmt: skip
    assert "'nothing' is not one of the options." in done.stderr
    assert "'9' is not one of the options." in done.stderr


def test_only_what_is_not_given_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advise, "at_terminal", lambda: True)
    done = CliRunner().invoke(app, ["advise", *FLAGS[2:], "--json"], input="scores\n")
    assert answered(done.stdout)["question"] == "scores"
    assert done.stderr.count("Number or name") == 1


def test_a_wrong_flag_is_refused() -> None:
    done = CliRunner().invoke(app, ["advise", *FLAGS[:2], "--harm", "alocation", *FLAGS[4:]])
    assert isinstance(done.exception, UsageError)
    assert "did you mean 'allocation'" in str(done.exception)


def test_the_help_names_every_option() -> None:
    shown = CliRunner().invoke(app, ["advise", "--help"], env={"COLUMNS": "200"}).stdout
    words = set(re.findall(r"\w+", shown))
    for question in question_texts().values():
        assert set(question.options) <= words

"""`evenhand measure` and `evenhand metrics` as people use them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import EvenhandError, UsageError
from evenhand.metrics import METRICS

run = CliRunner()


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "p.csv"
    rows = [
        (source, group, term, gold, 0.5 + 0.05 * place if gold == "good" else 0.45 - 0.05 * place)
        for source, gold in (("one", "good"), ("two", "bad"), ("three", "good"))
        for place, (group, term) in enumerate((("A", "a1"), ("A", "a2"), ("B", "b1"), ("C", "c1")))
    ]
    frame = pl.DataFrame(rows, schema=["source", "group", "term", "gold", "prob_good"], orient="row")
    frame.with_columns(prob_bad=1 - pl.col("prob_good")).write_csv(path)
    return path


def test_json_is_in_the_promised_shape(predictions: Path) -> None:
    done = run.invoke(app, ["measure", str(predictions), "--json", "--bootstrap", "50"])
    assert done.exit_code == 0
    values = json.loads(done.stdout, parse_constant=pytest.fail)
    assert set(values["metrics"]) == set(METRICS)
    for by_class in values["metrics"].values():
        for cell in by_class.values():
            assert {"value", "by_group", "interval", "undefined"} <= set(cell)
            assert (cell["value"] is not None) or cell["undefined"]
    assert list(values["metrics"]["pert_ss"]) == ["all"]


def test_single_metrics_and_groups_can_be_asked_for(predictions: Path) -> None:
    asked = ["--metric", "accuracy_difference", "--metric", "cf_gap", "--groups", "A,B", "--json"]
    values = json.loads(run.invoke(app, ["measure", str(predictions), *asked]).stdout)
    assert set(values["metrics"]) == {"accuracy_difference", "cf_gap"}
    assert values["groups"] == ["A", "B"]
    assert values["metrics"]["accuracy_difference"]["all"]["value"] is not None


def test_metrics_are_named_or_advised_not_both(predictions: Path) -> None:
    done = run.invoke(app, ["measure", str(predictions), "--metric", "cf_gap", "--task", "binary"])
    assert isinstance(done.exception, UsageError)
    assert "not both" in str(done.exception)


def test_a_table_and_words_are_for_reading(predictions: Path) -> None:
    done = run.invoke(app, ["measure", str(predictions), "--attribute", "letter", "--bootstrap", "0", "--full"])
    assert "p, letter (3 groups, 12 rows)" in done.stdout
    assert "pert_ss" in done.stdout
    assert "undefined:" in done.stdout


def test_everything_is_saved(predictions: Path, tmp_path: Path) -> None:
    done = run.invoke(app, ["measure", str(predictions), "--out", str(tmp_path / "out"), "--bootstrap", "0"])
    assert done.exit_code == 0
    out = tmp_path / "out"
    assert {"metrics.html", "metrics.json", "metrics.csv", "figures"} == {path.name for path in out.iterdir()}
    assert (out / "figures" / "groups-p-group-good.png").is_file()
    frame = pl.read_csv(out / "metrics.csv")
    assert set(frame["group"]) == {"all", "A", "B", "C"}


def test_a_misspelt_metric_has_a_suggestion(predictions: Path) -> None:
    done = run.invoke(app, ["measure", str(predictions), "--metric", "cfgap"])
    assert isinstance(done.exception, UsageError)
    assert "cf_gap" in str(done.exception)


def test_tasks_stand_for_metrics_that_are_advised(predictions: Path) -> None:
    values = json.loads(run.invoke(app, ["measure", str(predictions), "--task", "binary", "--json"]).stdout)
    assert 2 < len(values["metrics"]) < len(METRICS)
    done = run.invoke(app, ["measure", str(predictions), "--task", "chess"])
    assert isinstance(done.exception, UsageError)


def test_the_metrics_are_listed() -> None:
    assert "fped_normalised" in run.invoke(app, ["metrics"], env={"COLUMNS": "200"}).stdout
    listed = json.loads(run.invoke(app, ["metrics", "--json"]).stdout)
    assert {one["name"] for one in listed} == set(METRICS)
    assert all(one["definition"] and one["source"] for one in listed)


def test_directional_expectations_are_tested(predictions: Path) -> None:
    asked = ["--expect", "A < B: good", "--expect", "B > C", "--json", "--bootstrap", "0"]
    values = json.loads(run.invoke(app, ["measure", str(predictions), *asked]).stdout)
    *_, first, second = values["behaviour"]
    assert first["expectation"] == "from A to B the score rises by at least 0"
    # In the sources whose gold is good, B is scored above both of A; in the other one, below.
    assert first["rate"] == pytest.approx(1 / 3)
    assert second["rate"] == pytest.approx(1 / 3)  # of the last class, which is bad
    done = run.invoke(app, ["measure", str(predictions), "--expect", "A is better"])
    assert isinstance(done.exception, UsageError)


def test_every_metric_can_be_typed_as_it_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = run.invoke(app, ["metrics"]).stdout.split()
    assert set(METRICS) <= set(words)


def test_quality_by_a_column_of_authors(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    frame = pl.DataFrame(
        {
            "dialect": ["x"] * 4 + ["y"] * 4,
            "gold": [0.1, 0.4, 0.6, 0.9] * 2,
            "predicted": [0.1, 0.4, 0.6, 0.9, 0.2, 0.5, 0.7, 1.0],
        }
    )
    frame.write_csv(path)
    values = json.loads(run.invoke(app, ["measure", str(path), "--by", "dialect", "--json"]).stdout)
    assert (values["kind"], values["by"]) == ("regression", "dialect")
    assert values["by_group"]["x"]["measures"]["mae"]["value"] == 0.0
    assert values["by_group"]["y"]["measures"]["mae"]["value"] == pytest.approx(0.1)
    assert values["differences"][0]["measures"]["mae"]["value"] == pytest.approx(-0.1)
    assert "x − y" in run.invoke(app, ["measure", str(path), "--by", "dialect"]).stdout
    without = ["measure", str(path), "--by", "dialect", "--bootstrap", "0"]
    assert (
        json.loads(run.invoke(app, [*without, "--json"]).stdout)["by_group"]["x"]["measures"]["mae"]["interval"] is None
    )
    assert "Intervals" not in run.invoke(app, without).stdout


def test_classes_have_accuracy_by_group(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    pl.DataFrame({"who": ["x", "x", "y", "y"], "gold": ["a", "b", "a", "b"], "pred": ["a", "b", "b", "b"]}).write_csv(
        path
    )
    values = json.loads(run.invoke(app, ["measure", str(path), "--by", "who", "--json"]).stdout)
    assert values["by_group"]["y"]["measures"]["accuracy"]["value"] == 0.5


def test_numbers_with_space_around_them_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("gold,predicted,who\n 1 ,0.5,x\n0,0.5,y\n 1,0.2,x\n0,0.1,y\n")
    values = json.loads(run.invoke(app, ["measure", str(path), "--by", "who", "--bootstrap", "0", "--json"]).stdout)
    assert values["kind"] == "regression"
    assert values["by_group"]["x"]["measures"]["mae"]["value"] == pytest.approx(0.65)


def test_a_prediction_that_is_no_number_is_a_mistake_and_not_a_class(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    pl.DataFrame({"who": ["x", "x", "y", "y"], "gold": ["0", "1", "0", "1"], "pred": ["0", "1", "o", "1"]}).write_csv(
        path
    )
    done = run.invoke(app, ["measure", str(path), "--by", "who"])
    assert isinstance(done.exception, EvenhandError)
    assert "line 4" in str(done.exception)
    asked = ["measure", str(path), "--by", "who", "--task", "binary", "--json"]
    values = json.loads(run.invoke(app, asked).stdout)
    assert (values["kind"], values["by_group"]["y"]["measures"]["accuracy"]["value"]) == ("classification", 0.5)


@pytest.mark.parametrize("flags", [["--by", "group", "--out", "x"], ["--cluster", "term"]])
def test_flags_that_would_do_nothing_are_refused(predictions: Path, flags: list[str]) -> None:
    assert isinstance(run.invoke(app, ["measure", str(predictions), *flags]).exception, UsageError)

"""`evenhand study` and `evenhand reproduce` as people use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import EvenhandError, UsageError
from evenhand.studies.synthetic import Planted, submission_name, write_study

run = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("task")
    gaps = {"gender": (0.01, 0.02), "race": (0.0, 0.01)}
    write_study(place, [Planted("one", "joy", gaps), Planted("two", "joy", gaps, noise=0.3)])
    (place / "submissions" / "two" / submission_name("fear")).write_text("ID\tTweet\n1\tx\n")
    return place


def test_json_alone_is_on_stdout_and_problems_on_stderr(folder: Path) -> None:
    done = run.invoke(app, ["study", str(folder / "submissions"), "--gold", str(folder / "gold"), "--json"])
    assert done.exit_code == 0
    values = json.loads(done.stdout)
    assert values["tables"]["gender"]["joy"]["first_higher"]["submissions"] == 2
    assert [one["rank"] for one in values["systems"]] == [1, 2]
    assert "left out: two/EI-reg_en_fear_pred.txt: no column of scores" in done.stderr


def test_tables_and_words_are_for_reading(folder: Path) -> None:
    done = run.invoke(app, ["study", str(folder / "submissions"), "--full"])
    assert "Gender: women − men, all sentences (1,584 comparisons per submission)" in done.stdout
    assert "2 of 2 submissions (100%) show a significant difference" in " ".join(done.stdout.split())
    assert "left out: two/" in done.stdout


def test_strict_stops_at_the_first_odd_file(folder: Path) -> None:
    done = run.invoke(app, ["study", str(folder / "submissions"), "--strict"])
    assert isinstance(done.exception, EvenhandError)
    assert "two/EI-reg_en_fear_pred.txt" in str(done.exception)


@pytest.mark.slow
def test_an_example_can_be_made_up_and_examined(tmp_path: Path) -> None:
    done = run.invoke(app, ["study", "--example", str(tmp_path)])
    assert "evenhand study" in done.stdout
    files = [str(tmp_path / "submissions"), "--gold", str(tmp_path / "gold"), "--out", str(tmp_path / "out")]
    done = run.invoke(app, ["study", *files, "--no-figures", "--json"])
    values = json.loads(done.stdout)
    assert values["assessments"] == 120
    assert values["baseline"] == "SVM-Unigrams"
    assert (tmp_path / "out" / "study.html").is_file()
    assert not (tmp_path / "out" / "figures").exists()


def test_a_baseline_that_is_not_there_is_an_error_with_a_suggestion(folder: Path) -> None:
    done = run.invoke(app, ["study", str(folder / "submissions"), "--baseline", "twoo"])
    assert isinstance(done.exception, UsageError)
    assert "no system 'twoo' to hold the others against; did you mean 'two'?" in str(done.exception)


def test_without_submissions_it_says_what_to_name() -> None:
    done = run.invoke(app, ["study"])
    assert isinstance(done.exception, UsageError)
    assert "--example" in str(done.exception)


def test_reproduce_prints_a_table_and_json() -> None:
    done = run.invoke(app, ["reproduce", "eec"])
    assert "70 reproduced, 1 differs, 94 needs data" in done.stdout
    values = json.loads(run.invoke(app, ["reproduce", "eec", "--json"]).stdout)
    assert values["counts"] == {"reproduced": 70, "differs": 1, "needs data": 94}
    assert {check["outcome"] for check in values["checks"]} == {"reproduced", "differs", "needs data"}

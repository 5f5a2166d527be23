"""Options that would be ignored are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.cli.options import meanings
from evenhand.errors import UsageError

run = CliRunner()
QUALITY = "gold,predicted,who\n1,0.5,x\n0,0.5,y\n1,0.2,x\n0,0.1,y\n"


@pytest.mark.parametrize(
    ("typed", "twice"),
    [
        ("rate vader --output anger --output joy", "--output"),
        ("audit vader --corpus eec --corpus identity", "--corpus"),
        ("audit vader --range 0,1 --range=-1,1", "--range"),
        ("measure preds.csv --by a --by b", "--by"),
        ("corpus show eec --spelling a --spelling b", "--spelling"),
    ],
)
def test_a_second_value_is_refused_and_not_the_first_ignored(typed: str, twice: str) -> None:
    done = run.invoke(app, typed.split())
    assert isinstance(done.exception, UsageError), done.output
    assert str(done.exception) == f"{twice} is given more than once, and takes one value"


@pytest.mark.parametrize(
    "typed", ["advise --json --json --groups x", "measure nowhere.csv --metric fped --metric cf_gap"]
)
def test_flags_and_lists_may_be_repeated(typed: str) -> None:
    assert "more than once" not in f"{run.invoke(app, typed.split()).exception}"


@pytest.mark.parametrize(
    "option",
    [
        "--attribute who",
        "--metric fped",
        "--groups x,y",
        "--background rest",
        "--weight sources",
        "--sample 3",
        "--alpha 0.05",
        "--scheme BIO",
        "--expect x<y",
        "--out folder",
    ],
)
def test_quality_refuses_what_it_does_not_use(option: str, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(QUALITY)
    done = run.invoke(app, ["measure", str(tmp_path / "q.csv"), "--by", "who", *option.split()])
    assert isinstance(done.exception, UsageError), done.output
    assert f"{option.split()[0]} does not apply with --by" in str(done.exception)


def test_quality_refuses_a_task_that_it_has_no_measures_for(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(QUALITY)
    done = run.invoke(app, ["measure", str(tmp_path / "q.csv"), "--by", "who", "--task", "tagging"])
    assert "--by takes the tasks binary, multiclass, regression, not 'tagging'" in str(done.exception)


def test_a_scheme_of_tags_is_refused_where_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("source,group,term,score\na,x,t,0.5\na,y,u,0.4\n")
    done = run.invoke(app, ["measure", str(tmp_path / "p.csv"), "--scheme", "BIO"])
    assert "is for tags" in str(done.exception)


@pytest.mark.parametrize("text", ["anger=bad,anger=good", "=bad", "anger=bad,joy"])
def test_meanings_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="as in --high-is anger=bad,joy=good"):
        meanings(text)


def test_meanings_of_outputs_whose_names_hold_the_sign() -> None:
    assert meanings("anger=3=bad") == {"anger=3": "bad"}

"""`evenhand rate --scores` and `evenhand reproduce rating`, as people use them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import EvenhandError
from evenhand.published.rating_figures import published_scores


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "120"})
    if isinstance(done.exception, EvenhandError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def written(folder: Path, group: str) -> Path:
    path = folder / "mine.csv"
    published_scores().filter(group=group).drop("group", "race").write_csv(path)
    return path


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """Systems on data in which gender decides how often words are positive."""
    return written(tmp_path, "Group-2")


@pytest.fixture
def unconfounded(tmp_path: Path) -> Path:
    return written(tmp_path, "Group-1")


def test_without_a_confounder_by_rejections(unconfounded: Path) -> None:
    content = json.loads(
        run("rate", "--scores", str(unconfounded), "--attribute", "gender", "--bootstrap", "0", "--json")
    )
    (result,) = content["results"]
    assert (result["data"], result["method"], len(result["tests"])) == ("mine", "rejection", 5 * 5 * 3)
    assert content["overall"]["S_b"] == 3


def test_with_a_confounder_by_deconfounding(scored: Path) -> None:
    asked = ["--attribute", "gender", "--confounder", "gender", "--supported-only", "--bootstrap", "0"]
    content = json.loads(run("rate", "--scores", str(scored), *asked, "--json"))
    (result,) = content["results"]
    assert result["method"] == "deconfounding"
    assert result["ratings"] == {"S_b": 3, "S_r": 2, "S_t": 1, "S_d": 1, "S_g": 2}


def test_presets_and_levels(unconfounded: Path) -> None:
    asked = ["--attribute", "gender", "--preset", "published", "--levels", "5", "--bootstrap", "0"]
    content = json.loads(run("rate", "--scores", str(unconfounded), *asked, "--json"))
    assert content["settings"]["rejection"]["alphas"] == [0.025, 0.15, 0.2]
    assert content["results"][0]["raw"] == {"S_b": 23, "S_r": 1.9, "S_t": 0, "S_d": 0, "S_g": 0.6}
    assert content["overall"] == {"S_b": 4, "S_r": 3, "S_t": 1, "S_d": 1, "S_g": 2}


def test_the_terminal_shows_both_orders_and_how_sure_they_are(scored: Path) -> None:
    shown = run("rate", "--scores", str(scored), "--attribute", "gender", "--confounder", "gender", "--bootstrap", "50")
    assert "{S_d: 0, S_t: 1.36, S_r: 160.28, S_g: 211.11, S_b: 333.33}" in shown
    assert "{S_d: 1, S_t: 1, S_r: 2, S_g: 2, S_b: 3}" in shown
    words = " ".join(shown.split())
    assert "partial: rated by what is defined" in words
    assert "E3: female never met a positive word" in words
    assert "50 draws of rows" in words
    by_rejections = run("rate", "--scores", str(scored), "--attribute", "gender", "--bootstrap", "50")
    assert "A fair system whose answers vary by chance would get about 4.77, not 0." in by_rejections


def test_other_formats_and_crossed_attributes(tmp_path: Path) -> None:
    path = tmp_path / "mine.parquet"
    published_scores().filter(group="Group-4").write_parquet(path)
    content = json.loads(run("rate", "--scores", str(path), "--attribute", "race+gender", "--bootstrap", "0", "--json"))
    (result,) = content["results"]
    assert result["group"] == "Group-4"
    assert ["NA", "European American male"] in [sorted(test["pair"], reverse=True) for test in result["tests"]]


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (None, [], "name an attribute to rate by: --attribute gender"),
        (None, ["--attribute", "gendr"], "mine.csv: no column 'gendr'; did you mean 'gender'"),
        (None, ["--attribute", "gender", "--preset", "published2"], "did you mean 'published'"),
        (
            pl.col("sentiment").cast(pl.String) + "!",
            ["--attribute", "gender"],
            "mine.csv, line 2, column 'sentiment': \"-1.0!\" is not a number",
        ),
        (
            pl.lit("sad").alias("emotion"),
            ["--attribute", "gender"],
            "mine.csv, line 2, column 'emotion': \"sad\" is not",
        ),
    ],
)
def test_wrong_input_is_one_clear_line(
    scored: Path, change: pl.Expr | None, arguments: list[str], message: str
) -> None:
    if change is not None:
        pl.read_csv(scored).with_columns(change).write_csv(scored)
    with pytest.raises(EvenhandError) as told:
        run("rate", "--scores", str(scored), *arguments)
    assert message in str(told.value)
    assert "\n" not in str(told.value)


def test_what_others_have_scored_gets_pages_and_labels_too(unconfounded: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ["rate", "--scores", str(unconfounded), "--attribute", "gender", "--bootstrap", "0", "--out", str(out)]
    shown = json.loads(run(*asked, "--json"))
    saved = json.loads((out / "rating.json").read_text())
    assert saved["results"] == shown["results"]
    labels = sorted(path for path in (out / "labels").iterdir())
    assert len(labels) == 5
    assert all("mine, compared by gender" in path.read_text() for path in labels)
    with pytest.raises(EvenhandError, match="--chat and --via are for systems that can be asked"):
        run(*asked, "--via", "es")


def test_names_that_differ_in_signs_only_keep_their_labels(unconfounded: Path, tmp_path: Path) -> None:
    alike = pl.col("system").replace({"S_b": "s(1)", "S_r": "s[1]"})
    pl.read_csv(unconfounded).with_columns(alike).write_csv(unconfounded)
    asked = ["--scores", str(unconfounded), "--attribute", "gender", "--bootstrap", "0", "--out", str(tmp_path / "out")]
    run("rate", *asked)
    assert len(list((tmp_path / "out" / "labels").iterdir())) == 5


def test_no_table_and_no_file() -> None:
    with pytest.raises(EvenhandError, match="or a table of scores"):
        run("rate", "--attribute", "gender")
    with pytest.raises(EvenhandError, match=r"no such file: nowhere\.csv"):
        run("rate", "--scores", "nowhere.csv", "--attribute", "gender")


def test_reproduce_rating() -> None:
    content = json.loads(run("reproduce", "rating", "--json"))
    assert content["counts"]["reproduced"] > 1600
    differing = [check for check in content["checks"] if check["outcome"] == "differs"]
    assert len(differing) == content["counts"]["differs"]
    assert all(check["errata"] for check in differing)
    shown = " ".join(run("reproduce", "rating").split())
    assert "E20: the larger of 134.7 and 76 is 134.7" in shown
    assert "SD Group-1, S_r E5 NA/male" not in shown
    assert "differs E15" in shown

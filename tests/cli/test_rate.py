"""`evenhand rate --scores` and `evenhand reproduce rating`, as people use them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.errors import EvenhandError, UsageError
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
    assert result["among_these"] == {"S_b": 3, "S_r": 2, "S_t": 1, "S_d": 1, "S_g": 2}
    assert result["ratings"] == {"S_b": 3, "S_r": 1, "S_t": 1, "S_d": 1, "S_g": 1}


def test_presets_and_levels(unconfounded: Path) -> None:
    asked = ["--attribute", "gender", "--preset", "published", "--levels", "5", "--bootstrap", "0"]
    content = json.loads(run("rate", "--scores", str(unconfounded), *asked, "--json"))
    assert content["settings"]["rejection"]["alphas"] == [0.025, 0.15, 0.2]
    assert content["results"][0]["raw"] == {"S_b": 23, "S_r": 1.9, "S_t": 0, "S_d": 0, "S_g": 0.6}
    assert content["results"][0]["among_these"] == {"S_b": 4, "S_r": 3, "S_t": 1, "S_d": 1, "S_g": 2}
    assert content["overall"] == {"S_b": 5, "S_r": 1, "S_t": 1, "S_d": 1, "S_g": 1}


def test_levels_of_confidence_and_weights_may_be_given(unconfounded: Path) -> None:
    asked = ["rate", "--scores", str(unconfounded), "--attribute", "gender", "--bootstrap", "0", "--json"]
    published = json.loads(run(*asked, "--confidence", "97.5,85,80", "--weights", "1,0.7,0.6"))
    # Those of the published preset, without what that adds to each standard error.
    assert published["results"][0]["raw"]["S_b"] == 23
    assert published["settings"]["preset"] is None
    one = json.loads(run(*asked, "--confidence", "99", "--weights", "2"))
    assert one["settings"]["rejection"]["alphas"] == pytest.approx([0.01])
    assert one["results"][0]["raw"]["S_b"] == 20
    assert json.loads(run(*asked, "--confidence", "95,70,60"))["settings"]["preset"] == "stated"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--confidence", "95,70"], "2 confidence levels and 3 weights; each level needs its weight"),
        (["--weights", "1,2"], "3 confidence levels and 2 weights"),
        (["--confidence", "0.95,0.7,100"], "a confidence level lies between 0 and 100 per cent, not at 100"),
        (["--confidence", "95,95,60"], "named twice"),
        (["--confidence", "95;70"], "--confidence '95;70': write numbers with commas"),
        (["--weights", "1,-1,0"], "a weight must be a number from 0, not -1"),
        (["--weights", "0,0,0"], "all weights are 0"),
        (["--weights", "1,nan,0"], "a weight must be a number from 0, not nan"),
        (["--draw", "complete"], "--draw: for systems that can be asked"),
    ],
)
def test_levels_and_weights_that_make_no_sense(unconfounded: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(EvenhandError) as told:
        run("rate", "--scores", str(unconfounded), "--attribute", "gender", *arguments)
    assert message in str(told.value)


def test_the_terminal_shows_both_orders_and_how_sure_they_are(scored: Path) -> None:
    asked = ["rate", "--scores", str(scored), "--attribute", "gender", "--bootstrap", "50", "--full"]
    shown = run(*asked, "--confounder", "gender")
    assert "{S_d: 0, S_t: 1.36, S_r: 160.28, S_g: 211.11, S_b: 333.33}" in shown
    assert "{S_d: 1, S_t: 1, S_r: 2, S_g: 2, S_b: 3}" in shown
    words = " ".join(shown.split())
    assert "partial: rated by what is defined" in words
    assert "E3: female never met a positive word" in words
    assert "50 draws of rows" in words
    by_rejections = run(*asked)
    assert "Relabelled: 1,000 of the ways to deal these sentences to the groups" in " ".join(by_rejections.split())


def test_what_is_true_of_several_ratings_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    published_scores().filter(pl.col("group") == "Group-3", pl.col("system").is_in(["S_b", "S_t"])).write_csv(path)
    shown = run(
        "rate", "--scores", str(path), "--attribute", "gender", "--attribute", "race", "--bootstrap", "20", "--full"
    )
    words = " ".join(shown.split())
    assert words.count("Relabelled") == words.count("All: Relabelled: 1,000 of the ways") == 1


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
    with pytest.raises(EvenhandError, match="--via: for systems that can be asked"):
        run(*asked, "--via", "es")


def test_names_that_differ_in_signs_only_keep_their_labels(unconfounded: Path, tmp_path: Path) -> None:
    alike = pl.col("system").replace({"S_b": "s(1)", "S_r": "s[1]"})
    pl.read_csv(unconfounded).with_columns(alike).write_csv(unconfounded)
    asked = ["--scores", str(unconfounded), "--attribute", "gender", "--bootstrap", "0", "--out", str(tmp_path / "out")]
    run("rate", *asked)
    assert len(list((tmp_path / "out" / "labels").iterdir())) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--levels", "0"], "the number of levels must be a whole number from 2, not 0"),
        (["--bootstrap", "-1"], "the number of draws must be a whole number from 0, not -1"),
        (["--seed", "-4"], "a seed must be a whole number from 0, not -4"),
        (["--overall", "best"], "unknown rule for the overall level 'best'"),
        (["--preset", "publish"], "unknown preset 'publish'; did you mean 'published'"),
    ],
)
@pytest.mark.parametrize("of", ["table", "systems"])
def test_settings_are_checked_whatever_is_rated(
    unconfounded: Path, of: str, arguments: list[str], message: str
) -> None:
    asked = ["--scores", str(unconfounded), "--attribute", "gender"] if of == "table" else ["vader", "--groups", "1"]
    with pytest.raises(UsageError) as told:
        run("rate", *asked, *arguments)
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--k", "2"),
        ("--groups", "1"),
        ("--groups", ""),
        ("--output", "x"),
        ("--via", "es"),
        ("--chat", "example"),
        ("--cache", "c"),
    ],
)
def test_what_is_for_systems_is_refused_with_a_table(unconfounded: Path, option: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"^{option}: for systems that can be asked"):
        run("rate", "--scores", str(unconfounded), "--attribute", "gender", option, value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scores", "x.csv", "--attribute", "gender"], "^--scores and --attribute: for tables of scores alone"),
        (["--confounder", "gender"], "^--confounder: for tables"),
        (["--k", "9"], "no case k = 9; there are 0 to 6"),
        (["--k", "-1"], "the case k of confounding must be a whole number from 0"),
        (["--k", "2", "--groups", "1,3"], "neither of them is rated"),
        (["--supported-only", "--groups", "1"], "supported_only is for groups 2 and 4"),
        (["--groups", "7"], "unknown data group '7'"),
    ],
)
def test_what_does_not_apply_to_systems_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run("rate", "biased-female", *arguments)


@pytest.mark.parametrize("name", ["data", "group", "via", "person", "emotion_word"])
def test_attributes_may_be_called_like_columns_of_ours(unconfounded: Path, tmp_path: Path, name: str) -> None:
    pl.read_csv(unconfounded).rename({"gender": name}).write_csv(unconfounded)
    asked = [
        "rate",
        "--scores",
        str(unconfounded),
        "--attribute",
        name,
        "--bootstrap",
        "5",
        "--out",
        str(tmp_path / "o"),
    ]
    content = json.loads(run(*asked, "--json"))
    assert [(one["data"], one["attribute"]) for one in content["results"]] == [("mine", name)]
    assert content["overall"]["S_b"] == 3
    assert f"by {name}" in run("report", str(tmp_path / "o"))


def test_the_provenance_of_a_rating_can_be_followed(unconfounded: Path, tmp_path: Path) -> None:
    table = json.loads(
        run("rate", "--scores", str(unconfounded), "--attribute", "gender", "--bootstrap", "0", "--json")
    )["provenance"]
    assert [one["name"] for one in table["files"]] == ["mine.csv"]
    assert len(table["files"][0]["sha256"]) == 64
    assert table["packages"]["evenhand"]
    asked = ["rate", "textblob", "biased-female", "--groups", "1", "--bootstrap", "0", "--cache", str(tmp_path)]
    systems = json.loads(run(*asked, "--json"))["provenance"]
    assert {one["system"]: len(one["fingerprint"]) for one in systems["systems"]} == {
        "textblob": 64,
        "biased-female": 64,
    }
    assert len(systems["corpora"]) == 5
    assert all(len(one["digest"]) == 64 for one in systems["corpora"])


def test_no_table_and_no_file(unconfounded: Path) -> None:
    with pytest.raises(UsageError, match="--supported-only is for deconfounding: give a --confounder"):
        run("rate", "--scores", str(unconfounded), "--attribute", "gender", "--supported-only")
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


def test_a_folder_of_other_systems_is_refused_before_anything_is_rated(
    unconfounded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, others = str(tmp_path / "out"), tmp_path / "others.csv"
    pl.read_csv(unconfounded).filter(pl.col("system") != "S_b").write_csv(others)
    asked = ["--attribute", "gender", "--bootstrap", "0", "--out", out]
    run("rate", "--scores", str(unconfounded), *asked)
    with monkeypatch.context() as without:
        without.setattr("evenhand.rating.result.rate_table", lambda *_, **__: pytest.fail("it was rated"))
        with pytest.raises(UsageError, match="already holds another result"):
            run("rate", "--scores", str(others), *asked)
    run("rate", "--scores", str(others), *asked, "--overwrite")
    assert "S_b" not in json.loads((tmp_path / "out" / "rating.json").read_text())["overall"]

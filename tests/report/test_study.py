"""A study's files: what is written, and that it says what was found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import evenhand
from evenhand.report.study.page import page_of, slug
from evenhand.report.study.tables import cells, headings, to_latex, to_markdown
from evenhand.studies import Study
from evenhand.studies.synthetic import Planted, write_study


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("study")
    planted = [
        Planted("<i>bold & co", "anger", {"gender": (0.02, 0.005), "race": (0.0, 0.004)}, noise=0.05),
        Planted("SVM-Unigrams", "anger", {"gender": (0.005, 0.005), "race": (0.004, 0.004)}, noise=0.2),
        Planted("third", "anger", {"gender": (0.0, 0.005), "race": (-0.006, 0.004)}, noise=0.3),
        Planted("third", "valence", {"gender": (0.0, 0.005), "race": (0.0, 0.004)}, noise=0.3),
    ]
    write_study(folder, planted, manifest=False)
    (folder / "submissions" / "third" / "broken.csv").write_text("text,score\nx,1\n")
    found = evenhand.study(folder / "submissions", gold=folder / "gold", out=folder / "out", progress=False)
    return found, folder / "out"


def test_every_promised_file_is_there(made: tuple[Study, Path]) -> None:
    study, out = made
    assert {path.name for path in out.iterdir()} == {
        "study.html", "study.json", "scores.parquet", "tables", "figures", "submissions",
    }  # fmt: skip
    figures = {path.name for path in (out / "figures").iterdir()}
    for name in ("differences-gender-anger", "differences-race-valence", "spread-by-quality-gender"):
        assert {f"{name}.png", f"{name}.svg"} <= figures
    tables = {path.name for path in (out / "tables").iterdir()}
    assert {"tables.csv", "systems.csv", "tables.md", "gender-published.tex", "race_neutral-general.tex"} <= tables
    for one in study.submissions:
        assert (out / page_of(one)).is_file()


def test_json_on_disk_is_that_of_the_study(made: tuple[Study, Path]) -> None:
    study, out = made
    assert json.loads((out / "study.json").read_text()) == json.loads(study.to_json())


def test_names_are_shown_as_text_and_never_lead_out_of_the_folder(made: tuple[Study, Path]) -> None:
    study, out = made
    page = (out / "study.html").read_text()
    assert "&lt;i&gt;bold &amp; co" in page
    assert "<i>bold" not in page.split("<script")[0]
    assert slug("../../etc") == "-..-etc"
    for one in study.submissions:
        assert (out / page_of(one)).resolve().is_relative_to(out.resolve())


def test_the_page_of_a_submission_names_nobody_else(made: tuple[Study, Path]) -> None:
    study, out = made
    third = next(one for one in study.submissions if (one.system, one.dimension) == ("third", "anger"))
    page = (out / page_of(third)).read_text()
    assert "Rank 3 of 3" in page
    assert "bold" not in page
    assert "<script" not in page
    assert "SVM-Unigrams has a gap of" in page
    assert page.count('class="other"') == 2 * 2  # two others, two comparisons


def test_the_page_says_what_was_left_out(made: tuple[Study, Path]) -> None:
    study, out = made
    assert [problem.file for problem in study.problems] == ["third/broken.csv"]
    assert "1 file was left out" in (out / "study.html").read_text()


def test_the_csv_holds_every_cell(made: tuple[Study, Path]) -> None:
    study, out = made
    frame = pl.read_csv(out / "tables" / "tables.csv")
    row = frame.filter(
        (pl.col("test") == "published")
        & (pl.col("table") == "gender")
        & (pl.col("dimension") == "anger")
        & (pl.col("group") == "first_higher")
    ).row(0, named=True)
    cell = study.tables["gender"].rows["anger"]["first_higher"]
    assert row["submissions"] == cell.submissions == 2
    assert row["mean_positive"] == pytest.approx(cell.mean_positive)
    systems = pl.read_csv(out / "tables" / "systems.csv")
    assert systems.height == sum(len(one.findings) for one in study.submissions)
    assert {"rank", "spearman", "mean_difference", "generalising_interval_low", "baseline_effect"} <= set(
        systems.columns
    )


def test_markdown_and_latex_hold_the_same_rows(made: tuple[Study, Path]) -> None:
    study, _ = made
    table = study.tables["gender"]
    rows = list(cells(table))
    assert headings(table) == ["dimension", "group", "submissions", "mean Δ > 0", "mean Δ < 0", "holm", "bh"]
    assert rows[1] == ("", "female higher", "2", "0.015", "undefined", "2", "2")
    latex = to_latex(table)
    assert latex.count(r"\midrule") == 2
    assert r"$\Delta$" in latex
    assert latex.count(r"\\") == len(rows) + 1
    markdown = to_markdown(study)
    assert "| female higher | 2 | 0.015 | undefined | 2 | 2 |" in markdown
    assert "in general" in markdown


def test_figures_show_the_published_groups_in_the_order_of_rank(made: tuple[Study, Path]) -> None:
    from evenhand.report.study.figures import box_rows, point_rows, study_details

    study, _ = made
    rows = box_rows(study, study.tables["gender"], "anger", study_details(study))
    assert [row["system"] for row in rows] == ["<i>bold & co", "SVM-Unigrams", "third"]
    assert [row["group"] for row in rows] == ["female higher", "female higher", "no significant difference"]
    assert rows[0]["low"] == pytest.approx(0.015, abs=2e-6)
    assert rows[0]["high"] == pytest.approx(0.025, abs=2e-6)
    assert len(point_rows(study, study.tables["gender"])) == 4


def test_no_significant_difference_is_never_called_fair(made: tuple[Study, Path]) -> None:
    _, out = made
    text = re.sub(r"<script.*?</script>|<style.*?</style>", "", (out / "study.html").read_text(), flags=re.DOTALL)
    for line in re.findall(r"[^.]*\bfair\b[^.]*", text):
        assert "not" in line

"""A study's files: what is written, and that it says what was found."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

import evenhand
from evenhand.files.file_names import file_name, file_names
from evenhand.report.study.figures import box_rows, point_rows, static_figures, study_details
from evenhand.report.study.page import pages_of
from evenhand.report.study.submission import submission_page
from evenhand.report.study.tables import cells, headings, to_latex, to_markdown
from evenhand.report.study.terminal import print_study
from evenhand.report.study.words import best_in_words, in_words, table_title
from evenhand.studies import Problem, Study
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
        "study.html", "study.json", "scores.parquet", "corpus.parquet", "tables", "figures", "submissions",
    }  # fmt: skip
    figures = {path.name for path in (out / "figures").iterdir()}
    for name in ("differences-gender-anger", "differences-race-valence", "spread-by-quality-gender"):
        assert {f"{name}.png", f"{name}.svg"} <= figures
    tables = {path.name for path in (out / "tables").iterdir()}
    assert {"tables.csv", "systems.csv", "tables.md", "gender-published.tex", "race_neutral-general.tex"} <= tables
    for one in study.submissions:
        assert (out / pages_of(study)[one.system, one.dimension]).is_file()


def test_json_on_disk_is_that_of_the_study(made: tuple[Study, Path]) -> None:
    study, out = made
    assert json.loads((out / "study.json").read_text()) == json.loads(study.to_json())


def test_names_are_shown_as_text_and_never_lead_out_of_the_folder(made: tuple[Study, Path]) -> None:
    study, out = made
    page = (out / "study.html").read_text()
    assert "&lt;i&gt;bold &amp; co" in page
    assert "<i>bold" not in page.split("<script")[0]
    assert file_name("../../etc") == "etc"
    for one in study.submissions:
        assert (out / pages_of(study)[one.system, one.dimension]).resolve().is_relative_to(out.resolve())


def test_the_page_of_a_submission_names_nobody_else(made: tuple[Study, Path]) -> None:
    study, out = made
    third = next(one for one in study.submissions if (one.system, one.dimension) == ("third", "anger"))
    page = (out / pages_of(study)[third.system, third.dimension]).read_text()
    assert "Rank 3 of 3" in page
    assert "bold" not in page
    assert 'id="data"' not in page
    assert "SVM-Unigrams has a gap of" in page  # everybody knows that one; another system is "the baseline"
    other = submission_page(replace(study, baseline="<i>bold & co"), third)
    assert "The baseline has a gap of" in other
    assert "bold" not in other
    assert page.count('class="other"') == 2 * 2  # two others, two comparisons


def test_pages_of_names_that_look_alike_do_not_overwrite_each_other(made: tuple[Study, Path]) -> None:
    study, _ = made
    names = ["a b", "a-b", "A-B", "a-b-2", "a/b"]
    slugs = file_names(names)
    assert slugs == file_names(reversed(names))
    assert slugs.keys() == set(names)
    assert len({one.lower() for one in slugs.values()}) == len(names)
    assert slugs["A-B"] == "A-B"
    twins = [replace(one, system=name) for one, name in zip(study.submissions, names, strict=False)]
    assert len(set(pages_of(replace(study, submissions=tuple(twins))).values())) == len(twins)


def test_pages_of_an_earlier_study_go_and_nothing_else(made: tuple[Study, Path], tmp_path: Path) -> None:
    study, _ = made
    study.save(tmp_path, figures=False)
    mine = tmp_path / "submissions" / "third" / "notes.html"
    mine.write_text("<p>my own notes</p>")
    before = {path.relative_to(tmp_path).as_posix() for path in (tmp_path / "submissions").rglob("*.html")}
    fewer = replace(study, submissions=tuple(one for one in study.submissions if one.dimension == "anger")[:2])
    fewer.save(tmp_path, figures=False)
    after = {path.relative_to(tmp_path).as_posix() for path in (tmp_path / "submissions").rglob("*.html")}
    assert after == {*pages_of(fewer).values(), "submissions/third/notes.html"}
    assert before - after == set(pages_of(study).values()) - set(pages_of(fewer).values())


def test_static_figures_draw_every_point_and_the_page_counts_what_it_draws(made: tuple[Study, Path]) -> None:
    study, _ = made
    spec = static_figures(study)["differences-gender-anger"]
    assert [len(row["points"]) for row in spec["data"]["values"]] == [1584] * 3
    rows = box_rows(
        study, study.tables["gender"], "anger", study_details(replace(study, submissions=100 * study.submissions))
    )
    # Two boxes each for four hundred submissions share 24,000 points; tables that are not drawn take none.
    assert len(rows[0]["points"]) == 24_000 // 800
    assert all("$schema" in one for one in static_figures(study).values())


def test_titles_give_the_range_where_dimensions_differ(made: tuple[Study, Path]) -> None:
    table = made[0].tables["gender"]
    assert "(1,584 comparisons per submission)" in table_title(table)
    assert "(35 to 40 comparisons per submission)" in table_title(replace(table, n={"anger": 35, "joy": 40}))


def test_the_summary_counts_every_submission_once(made: tuple[Study, Path]) -> None:
    study, _ = made
    one = next(one for one in study.statements if (one.attribute, one.dimension) == ("gender", None))
    words = in_words(one, study.tables["gender"])
    counted = re.search(
        r"people like these: women higher (\d+), men higher (\d+), equivalent .* (\d+), no reaction seen (\d+), "
        r"cannot tell (\d+)\.",
        words,
    )
    assert counted is not None
    assert sum(map(int, counted.groups())) == 4


def test_equivalent_submissions_are_counted_with_their_condition(made: tuple[Study, Path]) -> None:
    study, _ = made
    one = next(one for one in study.statements if (one.attribute, one.dimension) == ("gender", None))
    # Ten pairs of noun phrases say least: 1 − 0.05^(1/10).
    told = in_words(
        replace(one, equivalent=1, unseen_share=1 - 0.05**0.1, unseen_reaction=0.0312), study.tables["gender"]
    )
    assert "unless other people (up to 26 %) react more than those tested, by 3.1 % of the range or more." in told
    assert "unless" not in in_words(replace(one, unseen_share=None, unseen_reaction=None), study.tables["gender"])


def test_the_terminal_tells_of_each_dimension_s_best(made: tuple[Study, Path]) -> None:
    assert best_in_words(made[0].statements, "gender") == (
        "No significant difference among the best by rank: anger 1 of 3, valence 1 of 1."
    )
    printed = io.StringIO()
    print_study(made[0], Console(width=300, file=printed))
    assert "among the best by rank: anger 1 of 3, valence 1 of 1." in printed.getvalue()


def test_one_submission_is_not_many(tmp_path: Path) -> None:
    planted = Planted("lonely", "joy", {"gender": (0.02, 0.005), "race": (0.0, 0.004)})
    write_study(tmp_path, [planted], tweets=5, mystery=0, manifest=False)
    out = tmp_path / "out"
    evenhand.study(tmp_path / "submissions", gold=tmp_path / "gold", out=out, figures=False, progress=False)
    page = (out / "study.html").read_text()
    assert "<h1>A study of 1 submission</h1>" in page
    assert "1 of 1 submission (100%) shows a significant difference" in page
    assert "1 submissions" not in page
    assert "Rank 1 of 1" in (out / "submissions" / "lonely" / "joy.html").read_text()


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
    assert rows[1] == ("", "women higher", "2", "0.015", "undefined", "2", "2")
    latex = to_latex(table)
    assert latex.count(r"\midrule") == 2
    assert r"$\Delta$" in latex
    assert latex.count(r"\\") == len(rows) + 1
    markdown = to_markdown(study)
    assert "| women higher | 2 | 0.015 | undefined | 2 | 2 |" in markdown
    assert "for names like these" in markdown


def test_figures_show_the_published_groups_in_the_order_of_rank(made: tuple[Study, Path]) -> None:
    study, _ = made
    rows = box_rows(study, study.tables["gender"], "anger", study_details(study))
    assert [row["system"] for row in rows] == ["<i>bold & co", "SVM-Unigrams", "third"]
    assert [row["group"] for row in rows] == ["women higher", "women higher", "no significant difference"]
    assert rows[0]["low"] == pytest.approx(0.015, abs=2e-6)
    assert rows[0]["high"] == pytest.approx(0.025, abs=2e-6)
    assert len(point_rows(study, study.tables["gender"])) == 4


def test_no_significant_difference_is_never_called_fair(made: tuple[Study, Path]) -> None:
    _, out = made
    text = re.sub(r"<script.*?</script>|<style.*?</style>", "", (out / "study.html").read_text(), flags=re.DOTALL)
    for line in re.findall(r"[^.]*\bfair\b[^.]*", text):
        assert "not" in line


def test_tables_and_sentences_say_what_each_is_corrected_for(made: tuple[Study, Path]) -> None:
    study, out = made
    printed = io.StringIO()
    print_study(study, Console(width=300, file=printed))
    said = " ".join(printed.getvalue().split())
    assert "corrected for all assessments of the study" in said
    assert "The sentences above count the verdicts of each submission by itself." in said
    assert "female" not in said
    page = (out / "study.html").read_text()
    assert "corrected for all assessments of the study" in page
    assert "each submission's verdict by itself" in page


def test_what_costs_a_rank_is_not_buried_under_harmless_oddities(made: tuple[Study, Path]) -> None:
    """Oddities that all files of a team share take one line, so that others stay on the first screen."""
    study, _ = made
    odd = [
        Problem(f"team-{team:02d}", f"team-{team:02d}/{dimension}.txt", "its lines end as on Windows", left_out=False)
        for team in range(15)
        for dimension in ("anger", "fear", "joy")
    ]
    lost = [
        Problem("last", f"last/{dimension}.txt", f"it has no rank for {dimension}: 1 of the {n} texts", left_out=False)
        for dimension, n in (("anger", "1,002"), ("fear", "986"))
    ]
    printed = io.StringIO()
    print_study(replace(study, problems=(*odd, *lost)), Console(width=300, file=printed))
    said = printed.getvalue()
    assert "note: team-00/anger.txt and 2 more of team-00: its lines end as on Windows" in said
    assert "note: last/anger.txt and 1 more of last: it has no rank for anger: 1 of the 1,002 texts" in said
    assert "more, which" not in said
    printed = io.StringIO()
    print_study(replace(study, problems=tuple(replace(one, system=one.file) for one in odd)), Console(file=printed))
    assert "… and 25 more, which the page (--out) and --json list" in printed.getvalue()

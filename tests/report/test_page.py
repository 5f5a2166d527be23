"""The page, its figures and tables, without a browser."""

from __future__ import annotations

import csv
import json
import re
import struct
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.asking import Column, Scores
from evenhand.comparing import Settings, compare
from evenhand.comparing.audit import Audit
from evenhand.corpora import Corpus, eec
from evenhand.errors import UsageError
from evenhand.report.audit.details import Details, details_of
from evenhand.report.audit.exports import to_latex, to_markdown
from evenhand.report.audit.figures import forest, forest_row
from evenhand.report.audit.page import differing
from evenhand.results import Provenance
from evenhand.systems import Output


def made(matrix: np.ndarray, names: list[str], corpus: Corpus | None = None) -> Audit:
    """A report on scores that were made up."""
    corpus = corpus or eec()
    columns = tuple(Column(name, Output("valence"), None) for name in names)
    scores = Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest)
    compared = compare(scores, corpus)
    provenance = Provenance.collect(
        corpora=[corpus], scores=[scores], settings=asdict(Settings()), details=compared.family
    )
    return Audit(compared.findings, scores, corpus, provenance=provenance)


@pytest.fixture(scope="module")
def noisy() -> Audit:
    rng = np.random.default_rng(0)
    base = eec().frame["source"].rank("dense").to_numpy()[:, None] / 300 + 0.2
    return made(base + rng.normal(0, 0.03, (8640, 2)), ["one", "two & <b>\\three</b> 100%"])


def embedded(html: str) -> dict[str, object]:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    return json.loads(text)  # type: ignore[no-any-return]


def test_the_page_needs_nothing_from_elsewhere(noisy: Audit) -> None:
    html = noisy.to_html()
    body = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    assert not re.search(r"""(src|href)=["'](?!#)""", body)
    assert "@import" not in body
    assert "url(" not in body


def test_names_of_systems_are_text_and_never_markup(noisy: Audit) -> None:
    html = noisy.to_html()
    assert "<b>" not in html.replace("<body>", "")
    assert "two &amp; &lt;b&gt;" in html
    assert "two & <b>" in str(embedded(html)["systems"])
    assert "<b>" not in noisy._repr_html_()


def test_every_promised_part_is_there(noisy: Audit) -> None:
    html = noisy.to_html()
    for part in ("Verdicts", "Gaps with both intervals", "Differences, sentence by sentence",
                 "One system", "How to read this",
                 "What it cannot show", "A first name stands for a group", "Gender has two values here",
                 "Where these numbers come from", "@media print", "prefers-color-scheme"):  # fmt: skip
        assert part in html
    data = embedded(html)
    system = data["systems"][0]  # type: ignore[index]
    assert len(system["heat"]["values"]) == 60
    assert len(system["heat"]["values"][0]) == 11
    assert {label for label, _ in system["findings"][0]["parts"]} == {"anger", "fear", "joy", "sadness", "neutral"}
    assert len(system["findings"][0]["sentences"]) == 5


def test_groups_have_the_labels_of_the_corpus_everywhere(noisy: Audit) -> None:
    data = embedded(noisy.to_html())
    groups = {group for _, group in data["persons"]}  # type: ignore[union-attr]
    assert groups == {"women", "men", "African American women", "African American men",
                      "European American women", "European American men"}  # fmt: skip
    names = [comparison["name"] for comparison in data["comparisons"]]  # type: ignore[union-attr, call-overload]
    assert names[0] == "gender: women − men"
    shown = str(data["comparisons"]) + str(data["systems"])
    assert "female" not in shown
    assert "women − men" in noisy._repr_html_()
    assert noisy.corpus is not None
    bare = replace(noisy, corpus=replace(noisy.corpus, labels={}))
    plain = {group for _, group in embedded(bare.to_html())["persons"]}  # type: ignore[union-attr]
    assert "female African American" in plain


def test_the_chart_of_gaps_says_at_which_level_its_intervals_are(noisy: Audit) -> None:
    """Those that are shown: corrected where the verdict is, and at the plain level beside “equivalent”."""
    general = noisy.findings[0].generalising
    first = replace(noisy.findings[0], verdict="cannot tell", generalising=replace(general, shown_level=0.975))
    html = replace(noisy, findings=(first, *noisy.findings[1:])).to_html()
    (said,) = re.findall(r"<p[^>]*>Thick bar: .*?</p>", html)
    assert "Intervals are 97.5\N{NO-BREAK SPACE}% (corrected for the 2 comparisons" in said
    assert "beside “equivalent”, 95\N{NO-BREAK SPACE}%, for that claim alone." in said


@pytest.mark.parametrize(
    ("wide", "unit", "factors", "rounding"),
    [(None, "points of the output", (1, 1), 0.0006), ((-1.0, 1.0), "% of the range", (100, 50), 0.006)],
)
def test_table_charts_and_bars_of_a_page_are_in_one_unit(
    noisy: Audit, wide: tuple[float, float] | None, unit: str, factors: tuple[int, int], rounding: float
) -> None:
    """Points, or shares of the range where ranges differ; and one scale for all."""
    changed = tuple(
        replace(one, range=wide, span=2.0) if wide and one.system != "one" else one for one in noisy.findings
    )
    html = replace(noisy, findings=changed).to_html()
    drawn: Any = embedded(html)
    factor = dict(zip(dict.fromkeys(one.system for one in changed), factors, strict=True))
    gaps = sorted(one.mean_difference * factor[one.system] for one in changed)
    rows = [row for chart in drawn["comparisons"] for row in chart["forest"]]
    assert sorted(row["gap"] for row in rows) == pytest.approx(gaps, rel=1e-3)
    texts = re.findall(r'</span></td>\s*<td class="number" data-value="[^"]*">([^<]*)<', html)
    assert sorted(float(text.replace("−", "-")) for text in texts) == pytest.approx(gaps, abs=rounding)
    for system in drawn["systems"]:
        mine = [one for one in changed if one.system == system["label"]]
        for found, one in zip(system["findings"], mine, strict=True):
            label, share = found["persons"][0]
            assert label == one.rests_on.persons[0].label
            assert share == pytest.approx(one.rests_on.persons[0].share * factor[one.system], rel=1e-3)
    axis = drawn["specs"]["light"]["forest"]["layer"][0]["encoding"]["x"]["scale"]["domain"]
    ends = [
        row[name] for chart in drawn["comparisons"] for row in chart["forest"] for name in ("these_low", "these_high")
    ]
    assert axis[0] <= min(ends)
    assert max(ends) <= axis[1]
    assert f"gap, {unit}" in html
    assert f" {unit}; smaller gaps do not count" in html


def test_legends_name_the_verdicts_that_are_there(noisy: Audit) -> None:
    rows = [forest_row(finding, "one") for finding in noisy.findings]
    drawn = json.dumps(forest(rows, delta=1))
    named = re.findall(r'"values": (\["[^]]*\])', drawn)
    assert len(named) == 3
    assert all(set(json.loads(values)) == {row["verdict"] for row in rows} for values in named)
    assert '"values": []' not in json.dumps(forest([], delta=1)["layer"])


def test_box_plots_follow_their_definition(noisy: Audit) -> None:
    assert noisy.scores is not None
    finding = noisy.findings[1]
    values = race_differences(noisy)
    details = details_of(noisy)
    assert details is not None
    box = details.spread(finding)
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
    assert (box.q1, box.median, box.q3) == pytest.approx((q1, median, q3))
    assert (box.low, box.high) == pytest.approx((values.min(), values.max()))
    inside = values[(values >= q1 - 1.5 * (q3 - q1)) & (values <= q3 + 1.5 * (q3 - q1))]
    assert (box.whisker_low, box.whisker_high) == pytest.approx((inside.min(), inside.max()))
    assert set(np.round(box.points, 12)) <= set(np.round(values, 12))
    assert box.high - box.low == pytest.approx(finding.delta_spread)


def race_differences(report: Audit) -> np.ndarray:
    """Race, first system, by plain means."""
    frame = eec().frame.with_columns(score=report.scores.matrix[:, 0])  # type: ignore[union-attr]
    by_race = frame.filter(pl.col("race").is_not_null()).pivot(
        "race", index="source", values="score", aggregate_function="mean"
    )
    return (by_race["African American"] - by_race["European American"]).to_numpy()


def test_one_odd_person_stands_out_of_the_heat_map() -> None:
    values = np.where(eec().frame["person"] == "Tia", 0.8, 0.5)[:, None]
    report = made(values, ["odd"])
    heat_map = Details(eec(), report.scores, report.findings).heat_map("odd", "valence")  # type: ignore[arg-type]
    assert heat_map is not None
    for person, row in zip(heat_map.persons, heat_map.values, strict=True):
        np.testing.assert_allclose(row, 0.3 if person == "Tia" else 0.0, atol=1e-12)


def test_differing_words_are_cut_out() -> None:
    assert differing("She feels sad.", "My uncle feels sad.") == (
        ("", "She", " feels sad."),
        ("", "My uncle", " feels sad."),
    )
    assert differing("I saw her.", "I saw him.") == (("I saw ", "her.", ""), ("I saw ", "him.", ""))
    found = differing("She found herself in a mess.", "He found himself in a mess.")
    assert found == (("", "She found herself", " in a mess."), ("", "He found himself", " in a mess."))


@pytest.mark.slow
def test_219_systems_stay_under_five_megabytes() -> None:
    rng = np.random.default_rng(0)
    base = eec().frame["source"].rank("dense").to_numpy()[:, None] / 300 + 0.2
    report = made(base + rng.normal(0, 0.03, (8640, 219)), [f"team-{n:03d}" for n in range(219)])
    html = report.to_html()
    assert len(html.encode()) < 5_000_000
    assert html.count("<tr>") > 2 * 219


def test_tables_are_written_in_three_formats(noisy: Audit, tmp_path: Path) -> None:
    written = noisy.export(tmp_path, tables=True)
    assert [path.name for path in written] == ["findings.csv", "findings.md", "findings.tex"]
    with (tmp_path / "tables" / "findings.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 4
    assert to_markdown(noisy.findings).splitlines()[1].startswith("|---|")


def test_latex_is_escaped_and_has_rules(noisy: Audit) -> None:
    text = to_latex(noisy.findings)
    assert text.startswith("\\begin{tabular}{llrrrrrl}\n\\toprule")
    assert r"two \& $<$b$>$\textbackslash{}three" in text
    assert r"100\%" in text
    assert text.count(r"\\") == 5
    assert len({line.count(" & ") for line in text.splitlines() if line.endswith(r"\\")}) == 1


@pytest.mark.slow
def test_figures_are_written_as_png_and_svg(noisy: Audit, tmp_path: Path) -> None:
    written = noisy.export(tmp_path, figures=True)
    assert {path.suffix for path in written} == {".png", ".svg"}
    assert len(written) == 2 * (2 + 2 + 2)
    for path in written:
        if path.suffix == ".png":
            width, height = struct.unpack(">II", path.read_bytes()[16:24])
            assert width > 600
            assert height > 100
        else:
            assert "</svg>" in path.read_text()


def test_a_report_without_scores_still_has_a_page(noisy: Audit, tmp_path: Path) -> None:
    bare = Audit(noisy.findings, provenance=noisy.provenance)
    assert "All findings" in bare.to_html()
    with pytest.raises(UsageError, match="saved without its scores"):
        bare.export(tmp_path, figures=True)


def test_a_corpus_without_templates_has_a_page_too() -> None:
    frame = eec().frame.drop("template", "emotion", "emotion_word")
    corpus = Corpus(frame=frame, name="plain", attributes=eec().attributes)
    report = made(np.random.default_rng(0).uniform(size=(8640, 1)), ["any"], corpus)
    assert embedded(report.to_html())["systems"][0]["heat"] is None  # type: ignore[index]


def test_the_notebook_shows_a_table(noisy: Audit) -> None:
    assert noisy._repr_html_().count("<tr") == 5
    assert isinstance(evenhand.Audit, type)


def test_names_on_a_page_are_words_that_hide_and_turn_nothing(tmp_path: Path) -> None:
    hostile = '"><script>alert(1)</script>\x1b]0;pwned\x07\u202e=1'
    (tmp_path / "evil.yaml").write_text(
        f"name: evil\nattributes: {{gender: [{json.dumps(hostile)}, male]}}\npersons:\n"
        f"  - {{kind: noun_phrase, gender: {json.dumps(hostile)}, terms: [the woman, the girl]}}\n"
        "  - {kind: noun_phrase, gender: male, terms: [the man, the boy]}\n"
        "slots: {mood: {words: [happy, sad]}}\ngroupings: [template, mood]\ntemplates: ['{person} is {mood}.']\n"
    )
    found = evenhand.audit("planted(gap=0.1)", evenhand.load_corpus(str(tmp_path / "evil.yaml")), progress=False)
    written = found.export(tmp_path / "out", page=True, tables=True, figures=True)
    for path in written:
        if path.suffix in (".html", ".md", ".tex", ".svg"):
            text = path.read_text("utf-8")
            assert "\x1b" not in text.partition("<script")[0]
            assert "\u202e" not in text
            assert "<script>alert" not in text
    assert any(path.suffix == ".png" for path in written)

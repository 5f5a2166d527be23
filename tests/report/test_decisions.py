"""Decisions for readers: whole at every width, in neutral words, with a reason for every interval that is missing."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import evenhand
from evenhand.comparing.audit import Audit
from evenhand.corpora import eec
from evenhand.errors import UsageError
from evenhand.report.audit.decisions import flip_charts, in_words, told, with_findings
from evenhand.report.audit.terminal import print_report
from evenhand.report.exports.impact_ratios import impact_ratios, impact_ratios_csv


@pytest.fixture(scope="module")
def audit() -> Audit:
    system = "planted(gap=0.05, person_sd=0.03)"
    return evenhand.audit(system, eec().sample(2400), thresholds=[0.5, "median"], progress=False)


def printed(audit: Audit, width: int) -> str:
    console = Console(width=width, file=io.StringIO())
    print_report(audit, console)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_table_is_whole_at_every_width(audit: Audit, width: int) -> None:
    lines = printed(audit, width).splitlines()
    start = lines.index("What it does to decisions")
    table = lines[start + 1 : next(n for n, line in enumerate(lines) if n > start and line.startswith("Selected:"))]
    assert max(map(len, table)) <= width
    for decision in audit.decisions:
        rates = f"{100 * decision.first_rate.value:.1f} / {100 * decision.second_rate.value:.1f}"
        flips = f"{100 * decision.first_only.value:.1f} / {100 * decision.second_only.value:.1f}"
        assert any(rates in line for line in table)
        assert any(flips in line for line in table)


def test_sentences_say_what_flips_in_the_words_of_the_corpus(audit: Audit) -> None:
    decision, finding = with_findings(audit)[0]
    text = in_words(decision, finding)
    flips = 100 * (decision.first_only.value + decision.second_only.value)
    assert text.startswith(f"{decision.system} (score), threshold 0.5: {flips:.1f} % of decisions flip")
    assert f"in {100 * decision.first_only.value:.1f} % only women are selected" in text
    assert f"{100 * decision.second_rate.value:.1f} % of sentences about men" in text
    assert not re.search(r"harm|against|disadvantage|fair", text)
    above = in_words(*with_findings(audit)[1])
    assert f"threshold median ({audit.decisions[1].threshold:.3f})" in above


def test_a_missing_interval_has_its_reason_once(audit: Audit) -> None:
    decision, finding = with_findings(audit)[0]
    reasons = dict.fromkeys(("impact_ratio.interval", "first_only.interval", "second_only.interval"), "of the weather")
    bare = replace(
        decision,
        impact_ratio=replace(decision.impact_ratio, interval=None),
        first_only=replace(decision.first_only, interval=None),
        second_only=replace(decision.second_only, interval=None),
        undefined=reasons,
    )
    text = in_words(bare, finding)
    assert text.count("of the weather") == 1
    assert "no interval for the impact ratio and “only women” and “only men”, because of the weather" in text


def test_a_ratio_that_is_undefined_says_so(audit: Audit) -> None:
    decision, finding = with_findings(audit)[0]
    nobody = replace(
        decision,
        impact_ratio=replace(decision.impact_ratio, value=None, interval=None),
        undefined=dict.fromkeys(("impact_ratio.value", "impact_ratio.interval"), "no sentence of men is selected"),
    )
    assert "the impact ratio is undefined" in in_words(nobody, finding)
    assert "because no sentence of men is selected" in in_words(nobody, finding)


def test_the_page_has_a_section_only_where_there_are_decisions(audit: Audit) -> None:
    html = audit.to_html()
    assert 'id="decisions"' in html
    assert 'href="#decisions"' in html
    for text in told(audit):
        assert text.replace("<", "&lt;") in html
    data = json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[0])
    assert [chart["name"] for chart in data["flips"]] == list(flip_charts(audit))
    assert 'id="decisions"' not in replace(audit, decisions=(), selection_rates=()).to_html()


def test_bars_point_in_both_directions(audit: Audit) -> None:
    rows = flip_charts(audit)["gender: women − men"]
    assert [row["way"] for row in rows[:2]] == ["only men selected", "only women selected"]
    assert rows[0]["share"] == pytest.approx(-100 * audit.decisions[0].second_only.value)
    assert rows[1]["share"] == pytest.approx(100 * audit.decisions[0].first_only.value)


def test_tables_and_figures_are_written(audit: Audit, tmp_path: Path) -> None:
    audit.export(tmp_path, tables=True, figures=True)
    rows = list(csv.DictReader((tmp_path / "tables" / "decisions.csv").read_text().splitlines()))
    assert len(rows) == len(audit.decisions)
    assert float(rows[0]["first_only"]) == audit.decisions[0].first_only.value
    assert (tmp_path / "tables" / "decisions.md").read_text().count("\n") == 2 + len(rows)
    assert (tmp_path / "tables" / "decisions.tex").exists()
    rates = list(csv.DictReader((tmp_path / "tables" / "selection_rates.csv").read_text().splitlines()))
    assert len(rates) == len(audit.selection_rates)
    assert list((tmp_path / "figures").glob("flips-*.png"))


def test_impact_ratios_say_on_their_face_that_these_are_not_applicants(audit: Audit) -> None:
    text = impact_ratios(replace(audit, decisions=(), selection_rates=()))
    assert text.index("not a bias audit, and these are not applicants") < text.index("| Group")
    assert [line for line in text.splitlines() if line.startswith("### ")] == [
        "### Gender",
        "### Race",
        "### Gender and race (intersections)",
    ]
    rates = {rate.label: rate for rate in audit.selection_rates if rate.rule == "median"}
    for row in (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")):
        if row[0] != "Group":
            rate = rates[row[0]]
            assert row[1:4] == [f"{rate.persons:,}", f"{rate.sentences:,}", f"{rate.selected:,}"]
            assert row[4] == f"{100 * rate.value:.1f} %"
    assert "sentences about people of none of these groups" in text
    table = list(csv.DictReader(io.StringIO(impact_ratios_csv(audit))))
    assert [row["label"] for row in table] == list(rates)
    assert all(row["applicant_data"].startswith("no:") for row in table)


def test_impact_ratios_say_how_they_count_and_call_terms_terms(audit: Audit) -> None:
    text = " ".join(impact_ratios(audit).split())
    assert "Every sentence of a group counts the same, so these rates may differ a little from those that" in text
    assert "| Group | People | Sentences |" in text
    of_terms = replace(audit, findings=tuple(replace(one, persons_called="terms") for one in audit.findings))
    assert "| Group | Terms | Sentences |" in " ".join(impact_ratios(of_terms).split())


def test_impact_ratios_need_scores_and_a_system_that_is_there(audit: Audit) -> None:
    with pytest.raises(UsageError, match="saved without scores"):
        impact_ratios(replace(audit, scores=None))
    with pytest.raises(UsageError, match="has no system 'vader'"):
        impact_ratios(audit, system="vader")

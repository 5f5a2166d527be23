"""A repair's page and files: what is written, and that it says what was found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import polars as pl
import pytest

from evenhand.repairs.estimates import Estimate
from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.parts import PartOutcome
from evenhand.repairs.result import Repair
from evenhand.report.repair.advice import glances, headline
from evenhand.report.repair.page import to_html
from evenhand.report.repair.tables import price_rows

Make = Callable[..., Repair]
Outcomes = Callable[[], list[Outcome]]
SPACE = "\N{NO-BREAK SPACE}"


def visible_text(page: str) -> str:
    """The page as one reads it, without scripts, styles and tags."""
    text = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).replace(SPACE, " ").split())


def embedded(page: str) -> dict[str, object]:
    found = re.search(r'id="data">(.*?)</script>', page, flags=re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


def test_the_headline_names_the_method_what_it_takes_off_and_the_file_to_use(repair_of: Make) -> None:
    text = visible_text(to_html(repair_of()))
    assert (
        "Advised: layers. It closes the gap between female and male, on people not seen before "
        "(a single fit leaves about 20 % of the gap; 0.050 → 0.004 on average over both halves)." in text
    )
    left, after = (
        "a single fit leaves about 20 % of the gap",
        "0.004 (−0.016 to 0.024) after. Gone: 92 % (62 % to 132 %)",
    )
    assert f"on templates not seen before: {left}; 0.050 (0.030 to 0.070) before, {after}; closed." in text
    assert "repaired:FOLDER/calibrators/layers.json+<i>svr & co" in text
    assert "not that the system is fair" in text
    assert "calibrators" not in visible_text(to_html(repair_of(spec=None)))
    assert "calibrators" not in visible_text(to_html(repair_of(calibrators={})))


def test_groups_are_called_what_the_corpus_calls_them(repair_of: Make, made_outcomes: Outcomes) -> None:
    labelled = [replace(one, first_label="women", second_label="men") for one in made_outcomes()]
    said = headline(repair_of(labelled))
    assert "closes the gap between women and men, on people not seen before" in said.lead
    assert said.lines[0].startswith("gender: women − men, on people")
    assert "reverses a gap (women − men, new people" in visible_text(to_html(repair_of(labelled)))


def test_a_gap_that_is_visible_among_names_only_is_told_of_names(repair_of: Make, made_outcomes: Outcomes) -> None:
    hidden = {"reduction": None, "reduction_interval": None, "verdict": "nothing to repair"}
    found = [replace(one, **hidden) if one.scope != "unpaired" else one for one in made_outcomes()]
    assert "closes the gap between female and male, on names not seen before (" in headline(repair_of(found)).lead


def test_the_largest_gap_on_new_persons_is_the_one_in_the_headline(repair_of: Make, made_outcomes: Outcomes) -> None:
    larger = [
        replace(one, output="anger", before=Estimate(0.2, 1e-4, 1000.0), reduction=0.98) for one in made_outcomes()
    ]
    lead = headline(repair_of([*made_outcomes(), *larger])).lead
    assert "between female and male in anger, on people not seen before (a single fit leaves about 5" in lead
    assert "0.200 → " in lead


def test_more_than_all_of_a_gap_is_said_to_be_more(repair_of: Make, made_outcomes: Outcomes) -> None:
    found = [replace(one, reduction=1.11) if one.reduction is not None else one for one in made_outcomes()]
    said = headline(repair_of(found))
    assert all(f"Gone: 111{SPACE}% " in line for line in said.lines)
    assert "More than 100 % of a gap gone means that it was reversed." in said.notes


def nothing_there(made_outcomes: Outcomes, **changes: object) -> list[Outcome]:
    hidden = {"reduction": None, "reduction_interval": None, "verdict": "nothing to repair"}
    return [replace(one, **hidden | changes) for one in made_outcomes()]


def test_nothing_to_repair_is_said_in_plain_words_and_never_called_fair(
    repair_of: Make, made_outcomes: Outcomes
) -> None:
    found = nothing_there(made_outcomes)
    found[0] = replace(found[0], method="layers", left_alone=1.0)
    found = [replace(one, left_alone=1.0) if one.method == "layers" else one for one in found]
    text = visible_text(to_html(repair_of(found)))
    assert "Nothing to repair: no gap between the groups of gender and race was visible, for people like these." in text
    assert "gender: female − male: 0.050 (0.030 to 0.070)." in text
    assert "Changed no score in any fit: layers." in text
    assert "terms changed some scores in 100 % of its fits." in text
    assert "evenhand audit" not in text
    for sentence in re.findall(r"[^.]*\bfair\b[^.]*", text):
        assert "not" in sentence


def test_methods_are_not_needed_where_there_is_nothing_to_repair(repair_of: Make, made_outcomes: Outcomes) -> None:
    advice = {one.method: one.advice for one in glances(repair_of(nothing_there(made_outcomes)))}
    flattens = f"flattens all scores (50{SPACE}% of the spread between sentences is left)"
    assert (advice["layers"], advice["additive"]) == ("not needed", flattens)


def test_one_split_in_which_the_order_changes_is_enough_to_speak_against_a_method(repair_of: Make) -> None:
    repair = repair_of()
    prices = [
        replace(one, within=0.7) if (one.method, one.new) == ("layers", "template") else one
        for one in repair.judgement.prices
    ]
    made = replace(repair, judgement=replace(repair.judgement, prices=tuple(prices)))
    against = "changes the order within a group (rank correlation 0.700, at least 0.98 is required)"
    assert against in [one.advice for one in glances(made) if one.method == "layers"]


def test_a_method_that_makes_a_gap_where_none_was_is_named(repair_of: Make, made_outcomes: Outcomes) -> None:
    found = nothing_there(made_outcomes)
    found = [replace(one, verdict="made a gap") if one.method == "additive" else one for one in found]
    assert "Introduced a gap where none was visible: additive." in headline(repair_of(found)).notes


def test_where_no_method_will_do_every_fitted_one_says_why(repair_of: Make, made_outcomes: Outcomes) -> None:
    found = [
        replace(one, verdict="reversed") if one.method == "layers" and one.reduction is not None else one
        for one in made_outcomes()
    ]
    said = headline(repair_of(found))
    assert said.lead == "A gap was visible, but no fitted method can be advised."
    assert said.lines == (
        "terms: changes the order within a group (rank correlation 0.900, at least 0.98 is required).",
        "layers: reverses a gap (female − male, new people, and 8 more).",
    )
    exact = [one for one in made_outcomes() if one.method == "averaging"]
    assert headline(repair_of(exact)).lead == "No fitted method was tried, so none is advised."


def test_what_cannot_be_judged_carries_its_reason(repair_of: Make, made_outcomes: Outcomes) -> None:
    undefined = {"before": None, "after": None, "reduction": None, "reduction_interval": None, "spread": None}
    reason = {"verdict": "undefined", "undefined": "one person a group <only>"}
    nothing = [replace(one, **undefined | reason) for one in made_outcomes()]
    said = headline(repair_of(nothing))
    assert (said.kind, said.lines) == ("cannot tell", ("One person a group <only>.",))
    some = [one if one.attribute == "gender" else replace(one, **undefined | reason) for one in made_outcomes()]
    text = visible_text(to_html(repair_of(some)))
    assert "undefined: one person a group <only>" in text
    assert "race: African American − European American, on people not seen before: undefined: one person" in text


def test_every_outcome_is_a_row_with_its_intervals_and_its_sign(repair_of: Make) -> None:
    repair = repair_of()
    page = to_html(repair)
    rows = re.findall(r'<tr data-question="(\d+)">(.*?)</tr>', page, flags=re.DOTALL)
    assert len(rows) == len(repair.judgement.outcomes) == 48
    assert {place for place, _ in rows} == {"0", "1", "2", "3"}
    texts = [visible_text(row) for place, row in rows if place == "0"]
    assert texts[0] == (
        "people layers 0.050 0.030 to 0.070 0.004 −0.016 to 0.024 20 % 92 % 62 % to 132 % closed no "
        "0 of 10 halves 0 % 0.012"
    )
    assert any("reversed yes, significantly 10 of 10 halves" in text for text in texts)
    # What is exactly zero has no sign to turn.
    assert "closed no 0 of 10 halves" in next(text for text in texts if text.startswith("people averaging"))
    hidden = [visible_text(row) for place, row in rows if place == "3"]
    assert all("– – no gap visible – " in text for text in hidden)


def part_of(level: str, before: float, after: float, verdict: str) -> PartOutcome:
    gaps = [Estimate(value, 1e-6, 40.0) for value in (before, after, before, after)]
    return PartOutcome("emotion", level, *gaps, before != after, True, verdict)  # type: ignore[arg-type]


def test_a_method_that_opens_a_part_is_not_advised_and_the_parts_are_named(
    repair_of: Make, made_outcomes: Outcomes
) -> None:
    parts = (part_of("anger", 0.1, 0.055, "left"), part_of("joy", 0.001, -0.045, "opened"))
    found = [
        replace(one, parts=parts, verdict="opened a part") if one.method in ("layers", "terms") else one
        for one in made_outcomes()
    ]
    repair = repair_of(found)
    assert repair.advised is None
    text = visible_text(to_html(repair))
    assert "A gap was visible, but no fitted method can be advised." in text
    assert "layers: opens a gap in joy, 0.001 → −0.045 (female − male, new people, and 11 more)." in text
    assert "opened a part in joy no" in text
    assert "gender: female − male, by emotion, new people method anger joy before 0.100 0.001" in text
    assert "layers 0.055 (left) −0.045 (opened)" in text
    assert {one.method: one.opened for one in glances(repair)} == {
        "terms": 12,
        "layers": 12,
        "averaging": 0,
        "additive": 0,
    }


def test_a_gap_that_only_differs_by_part_is_not_nothing(repair_of: Make, made_outcomes: Outcomes) -> None:
    parts = (part_of("anger", 0.05, 0.05, "left"), part_of("joy", -0.05, -0.05, "left"))
    differing = tuple(replace(part, differs_before=True) for part in parts)
    repair = repair_of(nothing_there(made_outcomes, parts=differing))
    assert not repair.nothing_to_repair
    said = headline(repair)
    assert said.lead.startswith("No gap was visible on average, but it differs by emotion")
    assert said.lines[0] == "gender: female − male: anger 0.050, joy −0.050."


def test_the_advised_method_comes_first_then_fitted_exact_and_published(repair_of: Make) -> None:
    assert [one.method for one in glances(repair_of())] == ["layers", "terms", "averaging", "additive"]
    assert [row.method for row in price_rows(repair_of())] == ["layers", "terms", "averaging", "additive"]


def test_methods_at_a_glance_count_what_became_of_the_gaps(repair_of: Make) -> None:
    found = {one.method: one for one in glances(repair_of())}
    layers, additive = found["layers"], found["additive"]
    assert (layers.visible, layers.closed, layers.reversed, layers.advice) == (9, 9, 0, "advised")
    assert (additive.closed, additive.reversed) == (0, 9)
    assert additive.advice == (
        "reverses a gap (female − male, new people, and 8 more); "
        f"flattens all scores (50{SPACE}% of the spread between sentences is left)"
    )
    assert found["averaging"].advice.startswith("equal by construction; changes the order within a group")
    page = to_html(repair_of())
    assert "9 of 12 gaps were visible before" in visible_text(page)
    assert "layers fitted 9 0 % advised" in visible_text(page)
    assert 'class="lower">advised<' in page
    assert 'class="higher">reverses a gap' in page


def test_an_interval_without_end_is_none_and_the_data_stay_valid(repair_of: Make, made_outcomes: Outcomes) -> None:
    found = [replace(one, after=Estimate(0.01, 0.1, 0.5)) for one in made_outcomes()]
    page = to_html(repair_of(found))
    assert "no interval: too few to tell" in page
    data = embedded(page)
    assert data["questions"][0]["rows"][0]["after_low"] is None  # type: ignore[index]
    assert repair_of(found).frame()["after_low"].is_null().all()


def test_a_reduction_without_interval_says_why(repair_of: Make, made_outcomes: Outcomes) -> None:
    found = [replace(one, reduction_interval=None) for one in made_outcomes()]
    assert "92 % (no interval: the gap was too close to zero)" in visible_text(to_html(repair_of(found)))
    wide = [replace(one, reduction_interval=(0.13, 36.62)) for one in made_outcomes()]
    assert "92 % (13 % to more than 1000 %)" in visible_text(to_html(repair_of(wide)))


def test_the_price_is_shown_and_what_is_too_dear_is_marked(repair_of: Make) -> None:
    page = to_html(repair_of())
    assert page.count('<span class="higher">0.900</span>') == 1
    text = visible_text(page)
    assert "terms 0.940 0.900 > 0.999 100 % 0.810 → 0.700 1 1,234" in text
    assert "averaging 0.940 0.850 > 0.999 100 % 0.810 → 0.700 60 1,234" in text
    assert "Undefined: in some half" not in text


def test_a_rank_correlation_that_is_undefined_in_one_split_is_undefined_and_says_why(repair_of: Make) -> None:
    repair = repair_of()
    first, *others = repair.judgement.prices
    made = replace(repair, judgement=replace(repair.judgement, prices=(replace(first, within=None), *others)))
    assert [row.within for row in price_rows(made) if row.method == first.method] == [None]
    assert "Undefined: in some half the scores do not vary" in visible_text(to_html(made))


def test_the_lowest_rank_correlation_of_the_splits_is_the_price(repair_of: Make) -> None:
    repair = repair_of()
    *others, last = repair.judgement.prices
    made = replace(repair, judgement=replace(repair.judgement, prices=(*others, replace(last, overall=0.5))))
    assert {row.method: row.overall for row in price_rows(made)}[last.method] == 0.5


def test_texts_that_name_nobody_keep_their_scores_or_the_page_says_who_changed_them(repair_of: Make) -> None:
    text = visible_text(to_html(repair_of()))
    assert (
        "1,163 of 1,200 texts name nobody whom a repair knows. Methods that changed some of their scores: additive;"
        in text
    )
    assert "layers 0.712 → 0.711 0.701 → undefined 37 of 1,200 exactly (1,163)" in text
    assert "additive 0.712 → 0.711 0.701 → undefined 37 of 1,200 not all of 1,163" in text
    kept = repair_of(gold=tuple(replace(one, kept=True) for one in repair_of().gold))
    assert "all of them kept their scores exactly, under every method." in visible_text(to_html(kept))
    assert "No gold data was given" in visible_text(to_html(repair_of(gold=())))


def test_the_weights_say_how_much_of_the_correction_the_evidence_supports(repair_of: Make) -> None:
    text = visible_text(to_html(repair_of()))
    assert "gender female +0.025, male −0.025 1.10 80 % 0.88 < 0.001 the evidence supports 80 % of the" in text
    assert "race African American +0.001 – 0 % 0.00 0.430 left alone: the evidence is too weak (p 0.430)" in text
    assert 'id="weights"' not in to_html(repair_of(layers=()))


def test_the_papers_own_evaluation_stands_beside_it(repair_of: Make) -> None:
    page = to_html(repair_of())
    assert embedded(page)["paper"] == {
        "valence (expected)": ["Gender, with names: female − male, valence (expected), 280 pairs"]
    }
    assert "Mean score by emotion word" in page
    assert 'id="paper"' not in to_html(repair_of(published=None))


def test_every_link_leads_to_a_section_that_is_there(repair_of: Make) -> None:
    for repair in (repair_of(), repair_of(layers=(), published=None, left_out={}, notes=())):
        page = to_html(repair)
        linked = re.findall(r'<a href="#([\w-]+)">', page)
        assert linked == re.findall(r'<section id="([\w-]+)"', page)


def test_what_others_wrote_is_text(repair_of: Make) -> None:
    page = to_html(repair_of()).split("<script")[0]
    assert "Repair of &lt;i&gt;svr &amp; co" in page
    assert "<i>svr" not in page
    assert "neutral</strong> was not tried: the corpus names &lt;b&gt;no&lt;/b&gt; neutral person" in page
    assert "a remark of the system" in page


def test_the_page_begins_where_gaps_were_visible_most_often(repair_of: Make, made_outcomes: Outcomes) -> None:
    hidden = {"reduction": None, "reduction_interval": None, "verdict": "nothing to repair"}
    found = [replace(one, **hidden) if one.scope == "everybody" else one for one in made_outcomes()]
    data = embedded(to_html(repair_of(found)))
    assert data["questions"][data["first"]]["scope"] == "pairs of noun phrases"  # type: ignore[index,call-overload]
    assert embedded(to_html(repair_of()))["first"] == 0


def test_every_method_and_verdict_on_the_page_is_explained(repair_of: Make) -> None:
    page = to_html(repair_of())
    for name in ("layers", "terms", "averaging", "additive", "closed", "reversed", "introduced a gap"):
        assert f"<dt>{name}</dt>" in page
    assert "seed 2024" in page


@pytest.mark.slow
def test_every_promised_file_is_there(repair_of: Make, tmp_path: Path) -> None:
    repair = repair_of()
    repair.save(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    tables = {"outcomes.csv", "published.csv", "words.csv"}
    assert names == {"repair.html", "repair.json", "calibrators", "figures", *tables}
    figures = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"gaps-gender-female-male-names.png", "price.svg", "published-gender-with-names-expected.png"} <= figures
    assert json.loads((tmp_path / "repair.json").read_text()) == json.loads(repair.to_json())
    assert str(tmp_path) not in (tmp_path / "repair.html").read_text()


def test_without_figures_and_the_papers_evaluation_there_are_three_files(repair_of: Make, tmp_path: Path) -> None:
    repair_of(published=None, calibrators={}).save(tmp_path, figures=False)
    assert {path.name for path in tmp_path.iterdir()} == {"repair.html", "repair.json", "outcomes.csv"}
    frame = pl.read_csv(tmp_path / "outcomes.csv")
    assert frame.height == 48
    row = frame.row(
        by_predicate=(pl.col("method") == "additive") & (pl.col("scope") == "paired") & (pl.col("new") == "template"),
        named=True,
    )
    assert (row["before"], row["after"], row["verdict"]) == (0.05, -0.07, "reversed")
    assert row["after_low"] == pytest.approx(-0.09, abs=1e-6)
    assert row["reduction_high"] == pytest.approx(2.8)

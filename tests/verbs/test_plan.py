"""Plans, from what is asked to what is promised; and what cannot be planned."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand import Plan, Scores, Settings, Spreads, UsageError, Waves, ask, audit, eec, load_result, plan
from evenhand.cli.app import app
from evenhand.corpora.asked_names import Names

KNOWN = Spreads(names=0.03, noise=0.05, name_template=0.02)
WIDE = Settings(equivalence=0.02)


@pytest.fixture(scope="module")
def known() -> Plan:
    return plan(spreads=KNOWN, settings=WIDE, gaps=[0.05])


def test_given_spreads_are_planned_without_asking_anybody(known: Plan) -> None:
    (question,) = known.questions
    assert known.pilot is None
    assert question.system is None
    assert question.undefined["system"] == "spreads were given, nobody was asked"
    assert [one.gap for one in question.needed] == [0, 0.01, 0.02, 0.04, 0.05]
    assert (known.cells, known.sources, known.sources_in_all, known.templates) == (4, 44, 144, 11)
    assert all(one.calls == one.names * 176 for one in question.needed if one.names is not None)


def test_what_is_needed_is_what_the_chances_say(known: Plan) -> None:
    (question,) = known.questions
    at_zero = {one.names: one.equivalent for one in question.at_once if one.gap == 0}
    needed = question.needed[0].names
    assert needed is not None
    assert question.needed[0].by_formula == pytest.approx(needed, abs=3)
    assert max(share for names, share in at_zero.items() if names < needed) < 0.8 <= at_zero[40]
    large = {one.names: one.different for one in question.at_once if one.gap == 0.05}
    assert large[5] < 0.8 <= large[10]


def test_waves_take_fewer_calls_where_the_gap_is_large(known: Plan) -> None:
    (question,) = known.questions
    calls = {one.gap: one.calls for one in question.waves}
    needed = question.needed[0].calls
    assert needed is not None
    assert calls[0.05] < calls[0.04] < calls[0.02] < calls[0.01]
    assert calls[0.05] < needed / 2
    assert next(one for one in question.waves if one.gap == 0).equivalent > 0.75
    assert (known.together[0].gap, known.together[0].calls) == (0, calls[0])


def test_a_pilot_asks_as_many_calls_as_it_may_and_plans_each_question() -> None:
    found = plan("planted(gap=0.05, person_sd=0.03)", settings=WIDE, progress=False)
    assert found.pilot is not None
    assert (found.pilot.names, found.pilot.sources, found.pilot.calls) == (5, 10, 200)
    assert [one.attribute for one in found.questions] == ["gender", "race"]
    assert found.provenance.corpora[0].sentences == 200
    gender = found.questions[0]
    assert gender.spreads.names == pytest.approx(0.03, rel=0.4)
    assert gender.spreads.names < gender.cautious.names
    assert gender.interval is not None
    assert gender.interval[0] < 0.05 < gender.interval[1]
    assert gender.needed[0].names_cautious > gender.needed[0].names  # type: ignore[operator]
    assert gender.needed[-1].gap == gender.estimate


@pytest.mark.slow
def test_a_larger_pilot_asks_about_more_names() -> None:
    found = plan("planted(person_sd=0.03)", attributes="gender", pilot=2_000, progress=False)
    assert found.pilot is not None
    assert (found.pilot.names, found.pilot.sources, found.pilot.calls) == (11, 44, 1_936)


def test_where_no_name_reacts_the_plan_says_what_stays_unseen() -> None:
    found = plan("vader", progress=False)
    assert {one.state for one in found.questions} == {"no reaction seen"}
    # 1 − .05^(1/59) is the first below 5 %: 59 names a group, two races and so 30 for each race and gender.
    assert [(one.share, one.names, one.calls) for one in found.questions[0].unseen] == [
        (0.05, 30, 5_280), (0.02, 75, 13_200), (0.01, 150, 26_400),
    ]  # fmt: skip
    said = str(found)
    assert "none of the 20 names asked made any difference" in said
    assert "With 150, an audit ends" in said


def test_where_no_name_reacts_the_waves_go_on_until_others_cannot_matter() -> None:
    """With 2.5 %, 1 − .05^(1/119) is the first within it, and 119 of a group are 60 for each race and gender."""
    settings = Settings(equivalence=0.025)
    found = plan("vader", settings=settings, progress=False)
    assert found.wave_names[-1] == 60
    waves = Waves(found.wave_names)
    report = audit("vader", attributes="race", settings=settings, waves=waves, progress=False)
    (race,) = report.findings
    assert race.sequential is not None
    assert (race.verdict, race.sequential.stopped) == ("no reaction seen", "settled")
    assert race.sequential.looks[-1].names == 60


def test_a_plan_draws_names_as_the_audit_does(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "name: own\npersons: {pool: us-names, per_cell: 10, matched: true, strength: 0.9}\n"
        "templates: ['{person} left.', 'We met {person.object}.']\n",
        encoding="utf-8",
    )
    assert plan("vader", own, pilot=200, progress=False).drawn == "matched"
    with pytest.raises(UsageError, match="go by no names"):
        plan("vader", "noun-phrases", progress=False)


def test_a_budget_below_the_first_wave_is_refused_before_the_pilot() -> None:
    asked: list[str] = []

    def counting(texts: list[str]) -> list[float]:
        asked.extend(texts if len(texts) > 1 else [])
        return [0.5] * len(texts)

    with pytest.raises(UsageError, match="the first wave, 5 names for each race and gender, takes 880 calls"):
        plan(counting, budget=100, bounds=(0.0, 1.0), progress=False)
    assert not asked


def test_no_wave_is_smaller_than_the_first() -> None:
    found = plan(spreads=KNOWN, settings=WIDE, budget=900)
    assert found.wave_names == (5,)


def test_where_all_names_of_a_group_are_alike_there_is_nothing_to_plan_from() -> None:
    found = plan("planted(gap=0.05)", attributes="gender", progress=False)
    (question,) = found.questions
    assert question.state == "all names alike"
    assert question.estimate == pytest.approx(0.05)
    assert "the gap was 5 % of the range" in str(found)


def test_names_alone_will_not_settle_what_templates_decide() -> None:
    found = plan(spreads=Spreads(names=0.01, noise=0.02, template=0.03), progress=False)
    (question,) = found.questions
    need = question.needed[0]
    assert need.names is None
    assert need.undefined["names"] == "more names alone would not settle it: templates and words vary too much"
    assert question.smallest_delta is not None
    assert question.smallest_delta > 0.02
    assert question.templates_needed is not None
    assert question.templates_needed > 11
    said = str(found)
    assert "names alone will not settle it" in said
    assert f"about {question.templates_needed} templates like these instead of 11" in said
    reachable = plan(
        spreads=question.spreads, settings=Settings(equivalence=2 * question.smallest_delta), progress=False
    )
    assert reachable.questions[0].needed[0].names is not None


def test_a_pool_that_is_too_small_says_how_many_there_are() -> None:
    found = plan(spreads=Spreads(names=0.2), progress=False)
    need = found.questions[0].needed[0].names
    assert need is not None
    assert need > found.pool == 407
    assert "The pool has only 407 unmatched names for each race and gender." in str(found)
    assert found.wave_names[-1] == 407


def test_strong_or_matched_names_are_fewer() -> None:
    matched = plan(spreads=KNOWN, settings=WIDE, names=Names(drawn="matched", strength=0.9))
    assert matched.drawn == "matched"
    assert matched.pool < 407


def test_a_budget_limits_names_and_waves() -> None:
    found = plan(spreads=KNOWN, settings=WIDE, budget=2_000, price=0.01)
    assert found.affordable == 11
    assert found.wave_names[-1] * 176 <= 2_000
    assert found.looks == len(found.wave_names)
    assert max(one.calls for one in found.questions[0].waves) <= 2_000
    assert "A budget of 2,000 calls pays for 11 names asked at once" in str(found)
    given = plan(spreads=KNOWN, settings=WIDE, budget=2_000, waves=[5, 10, 20])
    assert (given.looks, given.wave_names) == (2, (5, 10, 20))


@pytest.mark.slow
def test_the_same_plan_twice_is_the_same() -> None:
    one, two = (plan(spreads=KNOWN, settings=Settings(equivalence=0.02, seed=3)).to_json() for _ in range(2))
    assert one == two


@pytest.mark.slow
def test_more_power_takes_more_names_and_fewer_comparisons_fewer(known: Plan) -> None:
    strong = plan(spreads=KNOWN, settings=WIDE, power=0.95)
    plain = plan(spreads=KNOWN, settings=Settings(equivalence=0.02, correction="none"))
    large = [found.questions[0].needed_at(0.04) for found in (strong, known, plain)]
    names = [one.names for one in large if one is not None and one.names is not None]
    assert names[0] > names[1] > names[2] > 2


def test_recorded_predictions_need_no_pilot_however_they_are_named(tmp_path: Path) -> None:
    described = tmp_path / "recorded.yaml"
    described.write_text("system: file:nowhere.csv\n", encoding="utf-8")
    for given in ("file:nowhere.csv", str(described), "repaired:averaging+file:nowhere.csv"):
        with pytest.raises(UsageError, match="leave out the pilot"):
            plan(given, pilot=300, progress=False)


@pytest.mark.slow
def test_recorded_predictions_are_taken_as_they_are(tmp_path: Path) -> None:
    corpus = eec()
    scores = ask("planted(gap=0.0, person_sd=0.03)", corpus, progress=False)
    assert isinstance(scores, Scores)
    path = tmp_path / "predictions.csv"
    pl.DataFrame({"text": corpus.frame["text"], "score": scores.matrix[:, 0]}).write_csv(path)
    found = plan(f"file:{path}", progress=False)
    assert found.pilot is None
    assert {one.asked for one in found.questions} == {40}  # the names, without the pairs of noun phrases
    assert found.questions[0].spreads.names == pytest.approx(0.03, rel=0.3)
    assert found.sources == 44
    with pytest.raises(UsageError, match="leave out the pilot"):
        plan(f"file:{path}", pilot=300, progress=False)
    with pytest.raises(UsageError, match="not for both at once"):
        plan([f"file:{path}", "vader"], progress=False)


@pytest.mark.slow
def test_taggers_are_planned_for_as_scorers_are() -> None:
    def finds_some(sentences: list[list[str]]) -> list[list[str]]:
        """Finds every other name, by its length."""
        return [["U-PER" if word.istitle() and len(word) % 2 else "O" for word in tokens] for tokens in sentences]

    found = plan(finds_some, "ner-names", attributes="gender", progress=False)
    assert found.questions[0].output == "found"
    assert found.questions[0].state == "planned"


@pytest.mark.parametrize(("arguments", "why"), [
    ([], "name a system"),
    (["vader", "--spread", "names=.03"], "and not both"),
    (["--spread", "names=.03", "--pilot", "300"], "leave out the pilot"),
    (["--spread", "names=.03", "--range", "0,1"], "nobody is asked"),
    (["--spread", "names=0"], "nothing can be planned from spreads of zero"),
    (["--spread", "template=.02"], "nothing can be planned from spreads of zero"),
    (["--spread", "name=.03"], "unknown spread 'name'"),
    (["vader", "--delta", "0"], "must lie between 0 and 1"),
    (["vader", "--delta", "-.1"], "must lie between 0 and 1"),
    (["vader", "--delta", "1.5"], "must lie between 0 and 1"),
    (["vader", "--power", "1"], "the power must lie between 0.5 and 1"),
    (["vader", "--gap", "2"], "give a share of the range"),
    (["vader", "--gap", "nan"], "give a share of the range"),
    (["vader", "--pilot", "20"], "too small: 3 names for each of 4 races and genders in 6 sentences take 72"),
    (["vader", "--pilot", "0"], "a whole number from 1"),
    (["vadr"], "vadr"),
    (["vader", "vader"], "name each system once"),
    (["vader", "--names", "40"], "what the plan finds out"),
    (["vader", "--names", "both"], "not both"),
    (["vader", "--attribute", "age"], "age"),
    (["vader", "--attribute", "race+gender"], "one attribute at a time"),
    (["vader", "--corpus", "identity"], "no sentence that takes a first name"),
    (["vader", "--corpus", "noun-phrases"], "add --names unmatched"),
    (["vader", "--corpus", "es-emotions"], "is in 'es'"),
    (["vader", "--waves", "5,10,900"], "the pool has 407"),
    (["vader", "--waves", "10,5"], "growing numbers"),
    (["vader", "--budget", "100"], "too small: the first wave"),
    (["vader", "--max-cost", "1"], "add --price"),
    (["vader", "--max-cost", "1", "--price", "0"], "needs a price above 0"),
    (["vader", "--max-cost", "1", "--price", "nan"], "needs a price above 0"),
    (["vader", "--max-cost", "inf", "--price", "1"], "an amount of money above 0"),
    (["vader", "--max-cost", "0", "--price", "1"], "an amount of money above 0"),
    (["vader", "--max-cost", "1", "--price", "2"], "does not pay for a single call"),
    (["vader", "--names", "-3"], "a whole number from 2 on"),
    (["--spread", "foo=1"], "unknown spread 'foo'; known: name-template, names, noise, template, word"),
    (["--spread", "names=.03", "--strength", "2"], "between 0 and 1, not 2.0"),
])  # fmt: skip
def test_what_cannot_be_planned_is_refused(arguments: list[str], why: str) -> None:
    done = CliRunner().invoke(app, ["plan", *arguments])
    assert isinstance(done.exception, UsageError), done.output
    assert why in str(done.exception)


def test_the_command_line_takes_the_system_either_way(tmp_path: Path) -> None:
    out = ["--delta", "0.01", "--json", "--attribute", "race"]
    one, other = (CliRunner().invoke(app, ["plan", *how, *out]) for how in (["vader"], ["--system", "vader"]))
    assert json.loads(one.stdout)["questions"] == json.loads(other.stdout)["questions"]
    saved = CliRunner().invoke(app, ["plan", "vader", "--out", str(tmp_path / "plan")])
    assert saved.exit_code == 0, saved.exception
    assert isinstance(load_result(tmp_path / "plan"), Plan)
    assert sorted(path.name for path in (tmp_path / "plan").iterdir()) == ["plan.csv", "plan.html", "plan.json"]

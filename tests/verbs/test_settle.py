"""Asking until it is settled: waves, budgets, and what is kept of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.cli.audit import affordable
from evenhand.comparing import Settings
from evenhand.comparing.audit import Audit
from evenhand.comparing.sequential import Waves
from evenhand.corpora.asked_names import Names, read_names
from evenhand.corpora.pools import load_pool
from evenhand.errors import UsageError
from evenhand.report.audit.next_steps import next_steps
from evenhand.report.audit.path import reading
from evenhand.report.audit.settling import settling
from evenhand.report.audit.signals import told
from evenhand.stats import spent_levels
from evenhand.verbs.audit import audit
from evenhand.verbs.export import export

POOL = load_pool("us-names")


class Counting:
    """A system whose scores follow who bears a name, and that counts what it is asked."""

    def __init__(self, gap: float, sd: float = 0.01) -> None:
        self.gap, self.sd, self.asked = gap, sd, 0
        self._black = {one.name: one.race == "Black" for one in POOL.names}

    def __call__(self, texts: Sequence[str]) -> list[float]:
        # A function is tried on one sentence before anything is asked.
        self.asked += len(texts) if len(texts) > 1 else 0
        return [self._score(text) for text in texts]

    def _score(self, text: str) -> float:
        name = next((word for word in text.replace(".", " ").split() if word in self._black), "")
        luck = np.random.default_rng(sum(ord(letter) << (7 * i) for i, letter in enumerate(name))).normal()
        return 0.5 + self.gap * self._black.get(name, False) + self.sd * float(luck)


class Fair(Counting):
    """Another one, with a name of its own."""


def settle(system: object, **more: object) -> Audit:
    given: dict[str, object] = {"waves": Waves((5, 10, 20)), "bounds": (0.0, 1.0), "progress": False, "cache": None}
    return audit(system, **({"attributes": ["race"]} | given | more))  # type: ignore[arg-type]


def test_a_clear_gap_is_found_at_the_first_look_and_costs_little() -> None:
    system = Counting(gap=0.2)
    (found,) = settle(system).findings
    assert found.verdict == "higher"
    assert found.sequential is not None
    assert [look.names for look in found.sequential.looks] == [5]
    # Five names of each of four cells in 44 sentences, instead of twenty names in 144.
    assert found.sequential.calls == 5 * 4 * 44 == system.asked
    assert (found.sequential.calls_at_once, found.sequential.calls_fixed) == (20 * 4 * 44, 20 * 4 * 144)
    assert found.sequential.stopped == "settled"


def test_a_small_gap_takes_more_looks_each_at_its_own_level() -> None:
    (found,) = settle(Counting(gap=0.0, sd=0.02), settings=Settings(equivalence=0.02)).findings
    assert found.sequential is not None
    last = found.sequential.looks[-1]
    assert len(found.sequential.looks) > 1
    assert last.interval is not None
    assert last.estimate is not None
    general = found.generalising
    assert general.standard_error is not None
    assert general.df is not None
    from scipy import stats

    level = spent_levels(0.05 / 2, [5 / 20, 10 / 20, 1.0])[len(found.sequential.looks) - 1]
    margin = stats.t.ppf(1 - level / 2, general.df) * general.standard_error
    assert last.interval == pytest.approx((last.estimate - margin, last.estimate + margin))


def test_systems_stop_on_their_own_and_what_was_not_asked_is_unknown(tmp_path: Path) -> None:
    clear, fair = Counting(gap=0.2), Fair(gap=0.0, sd=0.1)
    report = audit(
        [clear, fair],
        attributes=["race"],
        waves=Waves((5, 10)),
        bounds=(0.0, 1.0),
        progress=False,
        cache=None,
        out=tmp_path / "both",
        thresholds=["0.5"],
    )
    assert report.scores is not None
    assert np.isnan(report.scores.matrix).any(axis=0).tolist() == [True, False]
    alone = settle(Counting(gap=0.2), waves=Waves((5, 10)))
    # In company a system is asked, and judged, as it is alone.
    assert report.findings[0].sequential == alone.findings[0].sequential
    assert report.findings[0].generalising == alone.findings[0].generalising
    loaded = Audit.load(tmp_path / "both")
    assert loaded.to_json() == report.to_json()
    assert len(loaded.decisions) == 2
    assert "How it was settled" in loaded.to_html()


def test_one_name_for_two_systems_is_refused_before_anybody_is_asked() -> None:
    system = Counting(gap=0.2)
    with pytest.raises(UsageError, match="Counting"):
        settle([system, Counting(gap=0.0)])
    assert system.asked == 0


def test_the_path_stands_in_the_json() -> None:
    values = json.loads(settle(Counting(gap=0.2)).to_json())
    path = values["findings"][0]["sequential"]
    assert {"looks", "calls", "calls_fixed", "stopped"} <= set(path)
    assert set(path["looks"][0]) == {"names", "estimate", "interval", "verdict"}


def test_audits_that_ask_at_once_have_no_path() -> None:
    values = json.loads(audit(Counting(gap=0.2), attributes=["race"], bounds=(0.0, 1.0), progress=False).to_json())
    assert "sequential" not in values["findings"][0]


def test_a_budget_is_never_exceeded() -> None:
    system = Counting(gap=0.0, sd=0.1)
    (found,) = settle(system, waves=Waves((5, 10, 20), budget=2_000, price=0.001)).findings
    assert found.sequential is not None
    assert found.sequential.stopped == "budget"
    assert system.asked == found.sequential.calls == 10 * 4 * 44


def test_a_budget_below_the_first_wave_is_refused_before_anybody_is_asked() -> None:
    system = Counting(gap=0.0)
    with pytest.raises(UsageError, match="first wave, 5 names for each race and gender, takes 880 calls"):
        settle(system, waves=Waves((5, 10), budget=100))
    assert system.asked == 0


def test_a_budget_too_small_for_one_system_is_found_before_another_is_asked() -> None:
    system = Counting(gap=0.0)
    with pytest.raises(UsageError, match="takes 1,760 calls"):
        settle([system, "repaired:averaging+random"], waves=Waves((5, 10), budget=900))
    assert system.asked == 0


def test_money_pays_for_as_many_calls_as_decimals_say() -> None:
    assert affordable(None, 0.1, 0.3) == 3  # 0.3 / 0.1 is 2.999… in binary
    assert affordable(2, 0.1, 0.3) == 2


def test_what_is_said_of_savings_is_so() -> None:
    settled, whole, spent = (
        reading(settle(system, waves=Waves((5, 10), budget=budget)))
        for system, budget in ((Counting(0.2), None), (Counting(0.0, 0.1), None), (Counting(0.0, 0.1), 900))
    )
    assert "saves 69 % of those calls, stopping early the rest" in settled
    assert whole.endswith("saves 69 % of those calls.")
    assert spent.endswith("nothing is counted as saved, as nothing is settled yet.")


def test_a_plan_that_has_ended_is_planned_anew_and_one_out_of_budget_goes_on() -> None:
    """The looks of an ended plan have spent its level: more names would be another audit, not a next wave."""
    (ended,) = settle(Counting(0.0, 0.1), waves=Waves((5, 10))).findings
    (spent,) = settle(Counting(0.0, 0.1), waves=Waves((5, 10), budget=900)).findings
    assert "20 names per group are too few to decide. Another audit, of about" in settling(ended)
    assert "more names" not in settling(ended)
    assert "more names per group" in settling(spent)


@pytest.mark.parametrize("names", [(), (1, 5), (5, 5), (10, 5)])
def test_waves_must_grow(names: tuple[int, ...]) -> None:
    with pytest.raises(UsageError):
        Waves(names)


def test_waves_beyond_the_pool_are_refused() -> None:
    with pytest.raises(UsageError, match="Black male"):
        settle(Counting(gap=0.0), waves=Waves((5, 5_000)))


def test_corrections_that_need_all_p_values_are_refused() -> None:
    with pytest.raises(UsageError, match="bonferroni"):
        settle(Counting(gap=0.0), settings=Settings(correction="holm"))


def test_names_of_both_draws_are_asked_once_and_told_apart() -> None:
    report = audit(
        Counting(gap=0.1), attributes=["race"], names=Names(20, "both"), bounds=(0.0, 1.0), progress=False, cache=None
    )
    assert [finding.subset for finding in report.findings] == ["matched", "unmatched"]
    assert [finding.verdict for finding in report.findings] == ["higher", "higher"]
    assert report.corpus is not None
    assert not report.corpus.frame.select("source", "person").is_duplicated().any()


@pytest.mark.parametrize("given", [["twenty"], ["20", "30"], ["matched", "both"], ["1"], [""]])
def test_what_names_may_be(given: list[str]) -> None:
    with pytest.raises(UsageError):
        read_names(given)


@pytest.mark.parametrize("corpus", ["es-emotions", "identity"])
def test_corpora_that_take_no_names_are_refused(corpus: str) -> None:
    with pytest.raises(UsageError):
        audit("vader", corpus, names=Names(5), progress=False)


def nobody_matters(texts: Sequence[str]) -> list[float]:
    """The same score for everybody, by what the sentence says."""
    return [0.9 if text.endswith(("happy.", "glad.")) else 0.4 for text in texts]


@pytest.mark.slow
def test_where_nobody_reacts_it_ends_once_others_cannot_matter() -> None:
    """Of 320 names a group none reacts: 1 − .05^(1/320) = 0.93 % of all may, by the whole range at most."""
    (found,) = settle(nobody_matters, waves=Waves()).findings
    assert found.verdict == "no reaction seen"
    assert found.sequential is not None
    assert found.sequential.stopped == "settled"
    assert [look.names for look in found.sequential.looks] == [5, 10, 20, 40, 80, 160]
    assert found.equivalence.unseen_share == pytest.approx(1 - 0.05 ** (1 / 320))


def test_where_nobody_reacts_fewer_names_leave_it_open_to_others() -> None:
    (found,) = settle(nobody_matters, waves=Waves((5, 40))).findings
    assert found.verdict == "no reaction seen"
    assert found.sequential is not None
    assert found.sequential.stopped == "last wave"


@pytest.mark.parametrize(("names", "last"), [
    (Names(strength=0.9), 169), (Names(12), 12), (Names(drawn="matched", strength=0.9), 169), (Names(3), 3),
])  # fmt: skip
def test_waves_that_nobody_chose_end_with_the_names(names: Names, last: int) -> None:
    report = settle(Counting(gap=0.2), waves=Waves(), names=names)
    assert report.provenance.settings["waves"]["names"][-1] == last
    assert report.provenance.settings["names"]["per_cell"] == last


def test_waves_and_names_that_disagree_are_refused() -> None:
    with pytest.raises(UsageError, match="12 names for each race and gender were asked for, and the last wave has 20"):
        settle(Counting(gap=0.0), names=Names(12))


def test_a_sample_of_sources_that_are_chosen_already_is_refused() -> None:
    with pytest.raises(UsageError, match="budget"):
        settle(Counting(gap=0.0), sample=960)


def test_predictions_that_were_recorded_are_refused_before_they_are_read(tmp_path: Path) -> None:
    described = tmp_path / "recorded.yaml"
    described.write_text("system: file:nowhere.csv\n", encoding="utf-8")
    scores = audit("random", attributes=["race"], names=Names(2), progress=False, cache=tmp_path).scores
    for given in ("file:nowhere.csv", str(described), "repaired:averaging+file:nowhere.csv", scores):
        with pytest.raises(UsageError, match="cannot be asked until they settle"):
            settle(given)


def test_calls_are_those_of_the_system_that_answers_in_the_end() -> None:
    """Averaged over all versions of a sentence, the first wave asks about all names; replaced, about one stand-in."""
    for spec, calls in (("repaired:averaging+random", 44 * 4 * 10), ("repaired:neutral+random", 44)):
        (found,) = audit(spec, attributes=["race"], waves=Waves((5, 10)), progress=False, cache=None).findings
        assert found.sequential is not None
        assert (found.sequential.calls, found.sequential.calls_at_once) == (calls, calls)
    with pytest.raises(UsageError, match="takes 1,760 calls"):
        audit("repaired:averaging+random", waves=Waves((5, 10), budget=1_000), progress=False, cache=None)


class Failing(Counting):
    """One that breaks off after so many sentences."""

    patience = 10**6

    def _score(self, text: str) -> float:
        Failing.patience -= 1
        if Failing.patience < 0:
            raise KeyboardInterrupt
        return super()._score(text)


def test_a_run_that_is_killed_goes_on_and_saves_the_same_bytes(tmp_path: Path) -> None:
    how: dict[str, Any] = {"waves": Waves((5, 10, 15)), "version": "1"}
    whole = settle(Failing(gap=0.0, sd=0.1), cache=tmp_path / "whole", out=tmp_path / "a", **how)
    Failing.patience = 1_000
    with pytest.raises(KeyboardInterrupt):
        settle(Failing(gap=0.0, sd=0.1), cache=tmp_path / "killed", **how)
    Failing.patience = 10**6
    resumed = Failing(gap=0.0, sd=0.1)
    settle(resumed, cache=tmp_path / "killed", out=tmp_path / "b", **how)
    assert whole.findings[0].sequential is not None
    assert resumed.asked < whole.findings[0].sequential.calls
    for name in ("report.json", "report.html"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_systems_that_sample_are_asked_as_often_as_is_said() -> None:
    system = Counting(gap=0.2)
    (found,) = settle(system, draws=3).findings
    assert found.sequential is not None
    assert found.draws == 3
    assert found.sequential.calls == 3 * 5 * 4 * 44 == system.asked


def a_tagger(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """Finds whoever is called by a name of the pool, if it does not begin with a T."""
    known = {one.name for one in POOL.names if one.name[0] != "T"}
    return [["B-PER" if word in known else "O" for word in words] for words in sentences]


@pytest.mark.slow
def test_taggers_are_asked_in_waves() -> None:
    report = audit(a_tagger, "ner-names", attributes=["gender"], waves=Waves((5, 10)), progress=False, cache=None)
    (found,) = report.findings
    assert found.of_tagger
    assert found.sequential is not None
    assert [look.names for look in found.sequential.looks] == [5, 10]


@pytest.mark.parametrize("corpus", ["eec-extended", "identity-names"])
def test_other_corpora_take_names(corpus: str) -> None:
    report = audit(Counting(gap=0.2), corpus, names=Names(4), bounds=(0.0, 1.0), progress=False, cache=None)
    assert report.corpus is not None
    assert {"gender", "race"} <= set(report.corpus.attributes)
    assert any(one.attribute == "race" and one.verdict == "higher" for one in report.findings)


def test_parts_are_compared_and_names_left_out_in_waves() -> None:
    report = settle(Counting(gap=0.2), subsets=["neutral", "emotional"], waves=Waves((5, 10)))
    assert [one.subset for one in report.findings] == ["neutral", "emotional"]
    assert report.corpus is not None
    gone = str(report.corpus.frame["person"][0])
    without = settle(Counting(gap=0.2), without=gone, waves=Waves((5, 10))).corpus
    assert without is not None
    assert gone not in set(without.frame["person"])


def test_a_budget_says_what_more_would_buy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["audit", "planted(gap=0.004, person_sd=0.02)", "--attribute", "gender", "--cache", str(tmp_path)]
    limits = ["--until-settled", "--max-cost", "1", "--price", "0.001"]
    monkeypatch.setattr(sys, "argv", ["evenhand", *words, *limits])
    done = CliRunner(env={"COLUMNS": "300"}).invoke(app, [*words, *limits, "--full"])
    assert done.exit_code == 0, done.exception
    assert "the next wave (10 names for each race and gender) takes 880 more calls, at a cost of 0.88" in done.stdout
    assert "880 (0.88)" in done.stdout
    assert "the budget" in done.stdout
    assert "--budget" in done.stdout


class ByTemplate(Counting):
    """The gap of the genders is another one in each template."""

    def _score(self, text: str) -> float:
        woman = next((FEMALE[word] for word in text.replace(".", " ").split() if word in FEMALE), False)
        shown = next((number for number, words in enumerate(TEMPLATES) if words in text), len(TEMPLATES))
        return super()._score(text) + woman * 0.1 * (shown - 3)


FEMALE = {one.name: one.gender == "female" for one in POOL.names}
TEMPLATES = ("feels", "makes", "I made", "made me", "found", "told us")


def test_where_names_alone_will_not_settle_it_a_plan_says_what_would() -> None:
    typed = "evenhand audit py:own:score --until-settled --names matched --equivalence 0.02"
    report = settle(
        ByTemplate(gap=0.0),
        attributes=["gender"],
        waves=Waves((5, 20, 40)),
        names=Names(drawn="matched"),
        command=typed,
    )
    (found,) = report.findings
    assert found.sequential is not None
    assert found.sequential.stopped == "names alone will not settle it"
    commands = [command for step in next_steps(report) for command in step.commands]
    # The first wave, whose answers are kept: 5 names of 4 cells in 44 sentences.
    assert "evenhand plan py:own:score --attribute gender --names matched --delta 0.02 --pilot 880" in commands


def test_systems_that_were_asked_about_too_few_names_are_told_apart() -> None:
    report = settle([Counting(gap=0.2), Fair(gap=0.0, sd=0.1)], waves=Waves((5, 40)))
    assert [one.sequential.looks[-1].names for one in report.findings if one.sequential] == [5, 40]
    (said,) = [line for line in told(report) if "these names cannot tell" in line]
    assert said.startswith("Counting, race: these names cannot tell: only 4 of 10")


def test_exports_say_that_it_was_looked_at_more_than_once(tmp_path: Path) -> None:
    report = settle(Counting(gap=0.0, sd=0.1), waves=Waves((5, 10)), out=tmp_path / "saved", command="evenhand audit x")
    assert report.findings[0].sequential is not None
    card, record = (export(report, name) for name in ("model-card", "test-record"))
    assert "asked about in waves, and looked at after each" in card.decode()
    assert "after 5, 10 names for each race and gender" in record.decode()


OWN = """
name: colleagues
attributes: {{gender: [female, male], race: [Black, White]}}
persons: {{pool: us-names, per_cell: 10, matched: {matched}, strength: 0.9}}
templates:
  - "{{person}} made a mistake."
  - "Nobody thanked {{person.object}}."
  - "{{person}} left early."
"""


@pytest.mark.parametrize("matched", [True, False])
def test_a_recipe_says_how_its_names_are_drawn(tmp_path: Path, matched: bool) -> None:
    file = tmp_path / "colleagues.yaml"
    file.write_text(OWN.format(matched=str(matched).lower()))
    drawn = Names.of(file)
    assert (drawn.drawn, drawn.strength) == ("matched" if matched else "unmatched", 0.9)
    report = audit(Counting(gap=0.2), file, waves=Waves((5, 10)), bounds=(0.0, 1.0), progress=False, cache=None)
    assert report.provenance.settings["names"]["drawn"] == drawn.drawn


def test_people_without_names_are_not_exchanged_for_names_in_silence() -> None:
    with pytest.raises(UsageError, match="go by no names"):
        audit("vader", "noun-phrases", waves=Waves((5, 10)), progress=False, cache=None)
    # Who says names gets them.
    report = audit("vader", "noun-phrases", names=Names(2), progress=False, cache=None)
    assert report.corpus is not None
    assert set(report.corpus.frame["kind"]) == {"name"}

"""Decisions at a threshold: counted by hand, by a plain loop, and held against the truth in simulated systems."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

from evenhand import audit
from evenhand.asking import Column, Scores
from evenhand.comparing import compare
from evenhand.comparing.decisions import Decided, Decision, SelectionRate, decide
from evenhand.comparing.flipping import Sides
from evenhand.comparing.impact import impact_tables
from evenhand.comparing.thresholds import check_thresholds, read_thresholds, selected
from evenhand.contrasts import contrast, level
from evenhand.corpora import Corpus, eec
from evenhand.errors import UsageError
from evenhand.systems import Output


def people(first: int, second: int, sources: int) -> Corpus:
    """So many persons of each group, each in every source."""
    persons = [("a", number) for number in range(first)] + [("b", number) for number in range(second)]
    rows = [
        {"id": f"{group}{n}-{source}", "text": f"{group}{n} in {source}", "source": f"s{source}"}
        | {"person": f"{group}{n}", "group": group}
        for source in range(sources)
        for group, n in persons
    ]
    return Corpus(pl.DataFrame(rows), "small", {"group": ("a", "b")})


def scored(corpus: Corpus, values: np.ndarray, output: Output | None = None) -> Scores:
    columns = (Column("system", output or Output("score"), None),)
    return Scores(tuple(corpus.frame["id"]), np.asarray(values, dtype=float).reshape(-1, 1), columns, corpus.digest)


def decided(corpus: Corpus, scores: Scores, *thresholds: float | str, attributes: list[str] | None = None) -> Decided:
    found = compare(scores, corpus, attributes=attributes).findings
    return decide(found, scores, corpus, thresholds=read_thresholds(thresholds))


def by_hand() -> Corpus:
    """Two sources; a pair (x, y) and, without counterparts, the names a0 and a1 against b0, b1 and b2."""
    rows = []
    for source in ("s0", "s1"):
        for group, person, pair in [("a", "x", "p"), ("b", "y", "p")]:
            rows.append((source, group, person, pair))
        for group, person in [("a", "a0"), ("a", "a1"), ("b", "b0"), ("b", "b1"), ("b", "b2")]:
            rows.append((source, group, person, None))
    frame = pl.DataFrame(rows, schema=["source", "group", "person", "pair"], orient="row")
    frame = frame.with_columns(id=pl.col("source") + pl.col("person"), text=pl.col("source") + pl.col("person"))
    return Corpus(frame, "by-hand", {"group": ("a", "b")})


HAND = {
    ("s0", "x"): 0.9, ("s0", "y"): 0.1, ("s0", "a0"): 0.7, ("s0", "a1"): 0.2,
    ("s0", "b0"): 0.5, ("s0", "b1"): 0.4, ("s0", "b2"): 0.8,
    ("s1", "x"): 0.5, ("s1", "y"): 0.6, ("s1", "a0"): 0.3, ("s1", "a1"): 0.1,
    ("s1", "b0"): 0.9, ("s1", "b1"): 0.2, ("s1", "b2"): 0.3,
}  # fmt: skip


def test_counted_by_hand() -> None:
    """At 0.5, in s0: x yes, y no; a0 yes, a1 no; b0 yes (it reaches 0.5), b1 no, b2 yes. In s1: x yes (it reaches 0.5),
    y yes; nobody of a0, a1; b0 alone of the other three.

    Each source has two comparisons of equal weight, the pair and the names. First rates: (1 + 1/2 + 1 + 0) / 4 = 5/8;
    second: (0 + 2/3 + 1 + 1/3) / 4 = 1/2. Only the first: (1 + 1/2·1/3 + 0 + 0) / 4 = 7/24; only the second:
    (0 + 1/2·2/3 + 0 + 1·1/3) / 4 = 1/6. The difference is 1/8 = 7/24 − 4/24. Of 2·(1 + 6) pairs, only the first is
    selected in 1 + 1·1 = 2, only the second in 1·2 + 2·1 = 4.
    """
    corpus = by_hand()
    rows = corpus.frame.select("source", "person").iter_rows()
    (found,) = decided(corpus, scored(corpus, np.array([HAND[key] for key in rows])), 0.5).decisions
    assert found.first_rate.value == pytest.approx(5 / 8)
    assert found.second_rate.value == pytest.approx(1 / 2)
    assert found.difference.value == pytest.approx(1 / 8)
    assert found.impact_ratio.value == pytest.approx(5 / 4)
    assert found.first_only.value == pytest.approx(7 / 24)
    assert found.second_only.value == pytest.approx(1 / 6)
    assert (found.pairs, found.first_only.pairs, found.second_only.pairs) == (14, 2, 4)
    assert (found.first_rate.selected, found.first_rate.sentences, found.first_rate.persons) == (3, 6, 3)
    assert (found.second_rate.selected, found.second_rate.sentences, found.second_rate.persons) == (4, 8, 4)


def test_rates_that_nobody_varies_in_have_a_reason_and_no_interval() -> None:
    """Every person is selected in the same half of the sentences."""
    corpus = people(2, 2, 10)
    values = (corpus.frame["source"].rank("dense").to_numpy() % 2).astype(np.float64)
    found = decided(corpus, scored(corpus, values), 0.5)
    for rate in found.rates:
        assert (rate.value, rate.interval) == (pytest.approx(0.5), None)
    (decision,) = found.decisions
    # Sums of weights leave no dust: where nothing flips, the shares are zero.
    assert (decision.first_only.value, decision.second_only.value) == (0.0, 0.0)


def plain_loop(frame: pd.DataFrame, decisions: pd.Series, attribute: str) -> tuple[float, float, float, float]:
    """The rates and flips of the EEC as one would write them without matrices."""
    first, second = eec().attributes[attribute]
    other = "race" if attribute == "gender" else "gender"
    sums, rows = np.zeros(4), 0
    for _, source in frame.assign(d=decisions).groupby("source"):
        shares = []
        for _, pair in source[source["pair"].notna()].groupby("pair"):
            one, two = (pair.loc[pair[attribute] == group, "d"].tolist() for group in (first, second))
            if one and two:
                shares.append((one[0], two[0], one[0] * (1 - two[0]), two[0] * (1 - one[0])))
        names = []
        for _, stratum in source[source["kind"] == "name"].groupby(other):
            one, two = (stratum.loc[stratum[attribute] == group, "d"].tolist() for group in (first, second))
            crossed = [(a, b, a * (1 - b), b * (1 - a)) for a, b in product(one, two)]
            names.append(np.mean(crossed, axis=0))
        for share in [*shares, np.mean(names, axis=0)]:
            sums += share
            rows += 1
    return tuple(sums / rows)


@pytest.mark.parametrize("attribute", ["gender", "race"])
def test_a_plain_loop_agrees(attribute: str) -> None:
    corpus, rng = eec(), np.random.default_rng(5)
    values = rng.normal(0.5, 0.1, len(corpus)) + 0.05 * (corpus.frame[attribute] == corpus.attributes[attribute][0])
    scores = scored(corpus, np.clip(values, 0, 1))
    (found,) = decided(corpus, scores, 0.55, attributes=[attribute]).decisions
    frame = pd.DataFrame(corpus.frame.to_dict(as_series=False))
    loop = plain_loop(frame, pd.Series((scores.matrix[:, 0] >= 0.55).astype(float)), attribute)
    ours = (found.first_rate.value, found.second_rate.value, found.first_only.value, found.second_only.value)
    assert ours == pytest.approx(loop)


@pytest.mark.parametrize("attribute", ["gender", "race"])
def test_the_difference_is_the_gap_of_the_decisions(attribute: str) -> None:
    corpus, rng = eec(), np.random.default_rng(6)
    scores = scored(corpus, rng.uniform(size=len(corpus)))
    found = decided(corpus, scores, 0.3, attributes=[attribute]).decisions[0]
    gap = compare(scored(corpus, scores.matrix[:, 0] >= 0.3), corpus, attributes=[attribute]).findings[0]
    assert found.difference.value == pytest.approx(gap.mean_difference)
    assert found.difference.value == pytest.approx(found.first_only.value - found.second_only.value)
    assert found.difference.interval == pytest.approx(gap.generalising.interval, rel=0.2)


def test_a_ratio_varies_as_the_delta_method_says() -> None:
    """Every source decides alike, so that only persons vary: Var(log ratio) = Σ var(d) / n / rate² over both sides."""
    corpus = people(12, 16, 4)
    chosen = {f"a{n}": n < 7 for n in range(12)} | {f"b{n}": n < 10 for n in range(16)}
    scores = scored(corpus, np.array([float(chosen[person]) for person in corpus.frame["person"]]))
    (found,) = decided(corpus, scores, 0.5).decisions
    first, second = np.array([1.0] * 7 + [0.0] * 5), np.array([1.0] * 10 + [0.0] * 6)
    parts = [side.var(ddof=1) / len(side) / side.mean() ** 2 for side in (first, second)]
    df = sum(parts) ** 2 / (parts[0] ** 2 / 11 + parts[1] ** 2 / 15)
    behind = 5  # persons: those of a who are not selected
    margin = stats.t.ppf(0.975, min(df, behind - 1)) * sum(parts) ** 0.5
    ratio = (7 / 12) / (10 / 16)
    assert found.impact_ratio.value == pytest.approx(ratio)
    assert found.impact_ratio.interval == pytest.approx((ratio * np.exp(-margin), ratio * np.exp(margin)))


def test_flips_vary_as_a_two_sample_u_statistic() -> None:
    """Only persons vary: a share r·(1 − s) varies by var(a)·(1 − s)²/n + var(b)·r²/m, by Hoeffding's projection."""
    corpus = people(12, 16, 4)
    chosen = {f"a{n}": n < 7 for n in range(12)} | {f"b{n}": n < 10 for n in range(16)}
    decisions = np.array([[float(chosen[person])] for person in corpus.frame["person"]])
    found = Sides(contrast(corpus, "group")).flips(decisions, level=0.95)
    first, second = np.array([1.0] * 7 + [0.0] * 5), np.array([1.0] * 10 + [0.0] * 6)
    share = first.mean() * (1 - second.mean())
    parts = [first.var(ddof=1) * (1 - second.mean()) ** 2 / 12, second.var(ddof=1) * first.mean() ** 2 / 16]
    df = min(sum(parts) ** 2 / (parts[0] ** 2 / 11 + parts[1] ** 2 / 15), 6 - 1)
    margin = stats.t.ppf(0.975, df) * sum(parts) ** 0.5 / (share * (1 - share))
    assert found.value[0] == pytest.approx(share)
    odds = np.log(share / (1 - share)) + np.array([-margin, margin])
    assert (found.low[0], found.high[0]) == pytest.approx(tuple(1 / (1 + np.exp(-odds))))


def test_a_number_is_reached_and_a_median_is_passed() -> None:
    corpus = people(2, 2, 2)
    scores = scored(corpus, np.array([0.1, 0.5, 0.5 - 1e-15, 0.9] * 2))
    assert selected(scores, 0.5).decisions[:4, 0].tolist() == [0, 1, 1, 1]
    by_median = selected(scores, "median")
    assert by_median.values[0] == pytest.approx(0.5)
    assert by_median.decisions[:4, 0].tolist() == [0, 0, 0, 1]


def test_thresholds_as_they_are_typed() -> None:
    assert read_thresholds(["0.4, 0.6", "Median", "0.4"]) == (0.4, 0.6, "median")
    assert read_thresholds(1) == (1.0,)
    for wrong in ("", "high", "nan", "inf", True, None):
        with pytest.raises(UsageError, match="a threshold is a number, or 'median'"):
            read_thresholds([wrong])  # type: ignore[list-item]


def test_thresholds_that_everybody_or_nobody_reaches_are_refused() -> None:
    valence = [("vader", Output("valence", low=-1, high=1))]
    check_thresholds([-0.5, 1.0, "median"], valence)
    check_thresholds([37.0], [("one", Output("points", low=None, high=None, unit=10))])
    with pytest.raises(UsageError, match="the threshold -1 would select everybody: vader gives valence from -1 to 1"):
        check_thresholds([0.0, -1.0], valence)
    with pytest.raises(UsageError, match=r"the threshold 1\.5 would select nobody"):
        check_thresholds([1.5], valence)


def test_a_system_that_ignores_persons_flips_nothing_and_proves_nothing() -> None:
    corpus = eec()
    word = corpus.frame["emotion_word"].fill_null("").hash(seed=1).to_numpy() % 97 / 97
    (gender, race) = decided(corpus, scored(corpus, word), "median").decisions
    for found in (gender, race):
        assert (found.first_only.value, found.second_only.value) == (0, 0)
        assert (found.impact_ratio.value, found.impact_ratio.interval) == (1, None)
        assert "which says little about others" in found.undefined["impact_ratio.interval"]
        assert "which says little about others" in found.undefined["first_only.interval"]
        assert found.first_rate.interval is not None  # how often anybody is selected varies with words
    assert "up to 14 % of them could" in race.undefined["impact_ratio.interval"]


def test_a_ratio_to_nothing_is_undefined() -> None:
    corpus = people(6, 6, 3)
    (nobody,) = decided(corpus, scored(corpus, np.full(len(corpus), 0.2)), 0.5).decisions
    assert nobody.impact_ratio.value is None
    assert nobody.undefined["impact_ratio.value"] == "no sentence of b is selected"
    (all_a,) = decided(corpus, scored(corpus, corpus.frame["group"] == "a"), 0.5).decisions
    assert (all_a.first_rate.value, all_a.second_rate.value, all_a.impact_ratio.value) == (1, 0, None)
    (all_b,) = decided(corpus, scored(corpus, corpus.frame["group"] == "b"), 0.5).decisions
    assert (all_b.impact_ratio.value, all_b.impact_ratio.interval) == (0, None)
    assert (all_b.second_only.value, all_b.second_only.pairs) == (1, 108)


def test_what_hangs_on_one_name_has_no_interval() -> None:
    corpus = eec()
    tia = (corpus.frame["person"] == "Tia").to_numpy().astype(float)
    race = decided(corpus, scored(corpus, tia), 0.5, attributes=["race"]).decisions[0]
    assert race.first_only.value == pytest.approx(1 / 20)
    assert race.first_only.interval is None
    assert "too few people" in race.undefined["first_only.interval"]


def test_rates_count_every_sentence_once_and_cross_attributes() -> None:
    corpus, rng = eec(), np.random.default_rng(8)
    scores = scored(corpus, rng.uniform(size=len(corpus)))
    rates = decided(corpus, scores, 0.4).rates
    assert [rate.attribute for rate in rates] == ["gender"] * 2 + ["race"] * 2 + ["gender+race"] * 4
    frame = corpus.frame.with_columns(chosen=pl.Series(scores.matrix[:, 0] >= 0.4))
    women = frame.filter(pl.col("gender") == "female")
    assert (rates[0].label, rates[0].persons) == ("women", 30)
    assert (rates[0].selected, rates[0].sentences) == (women["chosen"].sum(), women.height)
    assert rates[0].value == women["chosen"].mean()
    assert rates[-1].label == "European American men's names"
    assert (rates[-1].persons, rates[-1].sentences) == (10, 1440)
    assert all(rate.interval is not None and rate.interval[0] < rate.value < rate.interval[1] for rate in rates)


def test_a_level_without_two_persons_has_no_interval() -> None:
    corpus = people(1, 8, 6)
    rng = np.random.default_rng(1)
    rates = decided(corpus, scored(corpus, rng.uniform(size=len(corpus))), 0.5).rates
    assert rates[0].interval is None
    assert "a group has a single person (a0)" in rates[0].undefined["interval"]
    assert rates[1].interval is not None


def test_a_level_leaves_out_who_is_missing_from_many_sources() -> None:
    corpus = people(4, 4, 20)
    frame = corpus.frame.filter((pl.col("person") != "a3") | pl.col("source").is_in(["s0", "s1"]))
    made = level(Corpus(frame, "missing", {"group": ("a", "b")}), "group", ["a"])
    assert (made.left_out, len(made.units), made.not_general) == (("a3",), 3, None)


def test_impact_ratios_are_taken_to_the_highest_group() -> None:
    corpus, rng = eec(), np.random.default_rng(9)
    values = rng.uniform(size=len(corpus)) + 0.2 * (corpus.frame["race"] == "European American").fill_null(False)
    tables = impact_tables(scored(corpus, np.asarray(values) / 1.2), corpus)["system", "score"]
    assert [table.attribute for table in tables] == ["gender", "race", "gender+race"]
    african, european = tables[1].groups
    assert european.impact_ratio.value == 1
    assert african.highest == "European American names"
    assert african.impact_ratio.value == pytest.approx(african.rate.value / european.rate.value)
    assert african.impact_ratio.interval is not None
    assert african.impact_ratio.interval[1] < 1
    assert tables[1].unknown == 8640 - 2 * 2880
    assert tables[0].unknown == 0


def test_where_nobody_is_above_the_median_no_ratio_is_defined() -> None:
    corpus = people(6, 6, 3)
    (table,) = impact_tables(scored(corpus, np.full(len(corpus), 0.2)), corpus)["system", "score"]
    assert [group.rate.value for group in table.groups] == [0, 0]
    assert [group.impact_ratio.value for group in table.groups] == [None, None]
    assert "impact_ratio.value" in table.groups[0].undefined


def test_an_audit_with_thresholds_and_the_same_from_its_scores() -> None:
    sample = eec().sample(960)
    plain = audit("planted(gap=0.05, person_sd=0.03)", sample, progress=False)
    asked = audit("planted(gap=0.05, person_sd=0.03)", sample, thresholds=[0.5, "median"], progress=False)
    assert plain.decisions == ()
    assert "decisions" not in plain.to_dict()
    assert "thresholds" not in plain.provenance.settings
    assert asked.provenance.settings["thresholds"] == [0.5, "median"]
    assert plain.decided([0.5, "median"]).decisions == asked.decisions
    assert plain.decided("0.5,median").selection_rates == asked.selection_rates
    assert [found.rule for found in asked.decisions] == ["number", "median"] * 2
    assert asked.decision_frame().height == 4
    assert [Decision.from_dict(one.to_dict()) for one in asked.decisions] == list(asked.decisions)
    assert [SelectionRate.from_dict(one.to_dict()) for one in asked.selection_rates] == list(asked.selection_rates)


def test_a_median_is_that_of_the_whole_corpus_whatever_is_asked() -> None:
    alone = audit("random", "identity", attributes="age", thresholds="median", progress=False)
    more = audit("random", "identity", attributes=["age", "gender"], thresholds="median", progress=False)
    assert alone.decisions[0].threshold == more.decisions[0].threshold
    assert alone.decisions[0] == more.decisions[0]


def test_interactions_have_no_decisions_and_taggers_are_refused() -> None:
    crossed = audit("random", eec().sample(960), attributes="race+gender", thresholds=0.5, progress=False)
    assert sum(finding.interaction for finding in crossed.findings) == 1
    assert len(crossed.decisions) == 6
    assert {rate.attribute for rate in crossed.selection_rates} == {"race", "gender", "race+gender"}

    def tagger(sentences: list[list[str]]) -> list[list[dict[str, float]]]:
        return [[{"O": 1.0} for _ in tokens] for tokens in sentences]

    with pytest.raises(UsageError, match="taggers find an entity or they do not"):
        audit(tagger, "ner-country", thresholds=0.5, sample=480, progress=False)


HERE = Path(__file__).resolve().parents[2] / "benchmarks" / "decisions.py"


@cache
def simulation() -> ModuleType:
    """The benchmarks are not an installed package; this one knows how to make systems whose rates are known."""
    spec = importlib.util.spec_from_file_location("benchmarks_decisions", HERE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("world", ["noise", "persons", "persons, gap", "persons, templates", "gap by template"])
@pytest.mark.parametrize(("attribute", "rarity"), [("gender", 0.0), ("race", 0.0), ("race", 1.0)])
def test_intervals_hold_the_truth(world: str, attribute: str, rarity: float) -> None:
    """In at least 93.5 % of 400 systems, less twice the standard error of such a share."""
    made, rng = simulation(), np.random.default_rng(17)
    for name, (given, wrong) in made.counted(made.WORLDS[world], attribute, rarity, rng=rng, systems=400).items():
        assert given > 0.85 * 400, name
        assert 1 - wrong / given >= 0.935 - 2 * (0.935 * 0.065 / given) ** 0.5, name


@pytest.mark.slow
def test_rare_selections_get_no_interval_rather_than_a_wrong_one() -> None:
    """Where 1 % are selected, intervals without regard to who is behind them are wrong in a fifth of systems."""
    made, rng = simulation(), np.random.default_rng(19)
    found = made.counted(made.WORLDS["persons, gap"], "race", 2.3, rng=rng, systems=400)
    assert found["second"][0] < 0.2 * 400
    assert all(wrong <= 0.05 * 400 for _, wrong in found.values())

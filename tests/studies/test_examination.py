"""Studies that need no files: every submission's scores are made up, so that every number is known."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.corpora import eec
from evenhand.errors import UsageError
from evenhand.stats.types import Floats
from evenhand.studies import Study, examine
from evenhand.studies.gold import Gold
from evenhand.studies.reading import Submission, Submissions
from evenhand.studies.synthetic import Planted
from evenhand.systems.base import Output


def submissions(
    scores: Mapping[tuple[str, str], Floats],
    *,
    on_gold: Mapping[tuple[str, str], Floats] | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Submissions:
    """Submissions without files, by system and dimension: scores for the released corpus, and for gold texts."""
    corpus = eec("released")
    predicted = on_gold or {}
    members = tuple(
        Submission(
            system, dimension, f"{system}.csv", place, "", True, predicted.get((system, dimension)), "none given"
        )
        for place, (system, dimension) in enumerate(scores)
    )
    matrix = np.column_stack(list(scores.values()))
    columns = tuple(Column(one.system, Output(one.dimension, *bounds), None) for one in members)
    return Submissions(members, Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest), ())


def answers(gender: float, race: float = 0.0, *, wobble: tuple[float, float] = (0.02, 0.008)) -> Floats:
    """A planted system's scores for the released corpus."""
    gaps = {"gender": (gender, wobble[0]), "race": (race, wobble[1])}
    return Planted("any", "any", gaps).scores(eec("released"))


def examined(scores: Mapping[tuple[str, str], Floats], *, bounds: tuple[float, float] = (0.0, 1.0)) -> Study:
    return examine(submissions(scores, bounds=bounds), eec("released"), evidence=False)


@pytest.fixture(scope="module")
def ranked() -> Study:
    """Six systems from good to bad; the second, the fifth and the sixth show no difference by gender."""
    gaps = {"one": 0.004, "two": 0.0, "three": -0.006, "four": 0.006, "five": 0.0, "six": 0.0}
    wobbles = {"one": 0.01, "two": 0.002, "three": 0.02, "four": 0.02, "five": 0.1, "six": 0.03}
    known = np.linspace(0.1, 0.9, 30)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=30)
    scores = {(name, "anger"): answers(gap, wobble=(wobbles[name], 0.008)) for name, gap in gaps.items()}
    predicted = {(name, "anger"): known + 0.1 * place * noise for place, name in enumerate(gaps)}
    texts = pl.Series([f"text {place}" for place in range(30)])
    gold = {"anger": Gold(texts, None, known)}
    return examine(submissions(scores, on_gold=predicted), eec("released"), gold=gold, evidence=False)


def test_statements_are_about_the_best_five_and_the_spreads_that_were_planted(ranked: Study) -> None:
    one = next(one for one in ranked.statements if one.attribute == "gender")
    assert [member.system for member in ranked.of("anger")] == ["one", "two", "three", "four", "five", "six"]
    assert (one.top, one.top_not_significant) == (5, 2)
    # Differences are gap ± wobble, so each spread is twice the wobble.
    assert one.smallest_spread == pytest.approx(0.004)
    assert one.median_spread == pytest.approx(0.04)
    assert one.largest_spread == pytest.approx(0.2)
    # The largest mean of a significant one; those of "five" reach 0.1.
    assert one.largest_mean == pytest.approx(0.026)


def test_every_submission_has_one_verdict(ranked: Study) -> None:
    for one in ranked.statements:
        verdicts = [member.findings[one.attribute].verdict for member in ranked.submissions]
        counted = (one.higher, one.lower, one.equivalent, one.cannot_tell)
        assert counted == tuple(verdicts.count(name) for name in ("higher", "lower", "equivalent", "cannot tell"))
        assert sum(counted) == one.submissions
    gender = {one.system: one.findings["gender"].verdict for one in ranked.submissions}
    assert gender["two"] == "equivalent"
    assert gender["five"] == "cannot tell"  # it varies by a tenth of the range


def test_a_count_of_equivalent_submissions_says_what_others_could_do(ranked: Study) -> None:
    one = next(one for one in ranked.statements if one.attribute == "gender")
    found = [member.findings["gender"] for member in ranked.submissions]
    equivalent = [finding.equivalence for finding in found if finding.verdict == "equivalent"]
    # Of ten pairs of noun phrases none of whom reacts.
    assert one.unseen_share == pytest.approx(1 - 0.05**0.1)
    assert one.unseen_reaction == min(each.unseen_reaction or 0.0 for each in equivalent)
    for each in ranked.statements:
        assert (each.unseen_share is None) == (each.equivalent == 0)


def test_own_words_and_neutral_sentences_have_cells_of_their_own() -> None:
    corpus = eec("released")
    gaps = {"anger": 0.01, "joy": 0.03, "fear": -0.02, "sadness": 0.02}
    here = np.array([gaps.get(emotion, 0.05) for emotion in corpus.frame["emotion"]])
    sides = {}
    for attribute in ("gender", "race"):
        first, second = corpus.attributes[attribute][:2]
        group = corpus.frame[attribute]
        sides[attribute] = (group == first).fill_null(False).to_numpy() * 0.5
        sides[attribute] -= (group == second).fill_null(False).to_numpy() * 0.5
    scores = 0.5 + here * sides["gender"] + 2 * here * sides["race"]
    found = examined({("team", dimension): scores for dimension in ("anger", "joy", "fear")})
    for dimension in ("anger", "joy", "fear"):
        own = found.tables["gender_own_words"].rows[dimension]["all"]
        assert (own.mean_positive or own.mean_negative) == pytest.approx(gaps[dimension])
        own = found.tables["race_own_words"].rows[dimension]["all"]
        assert (own.mean_positive or own.mean_negative) == pytest.approx(2 * gaps[dimension])
        neutral = found.tables["race_neutral"].rows[dimension]
        assert neutral["first_higher"].submissions == 1
        assert neutral["first_higher"].mean_positive == pytest.approx(0.1)
        assert neutral["first_higher"].mean_negative is None
    assert found.tables["gender_own_words"].n == {"anger": 385, "joy": 385, "fear": 385}


def test_constant_differences_and_identical_systems_have_their_groups_and_no_nan() -> None:
    found = examined(
        {("same", "anger"): np.full(8640, 0.5), ("constant", "anger"): answers(0.02, 0.01, wobble=(0.0, 0.0))}
    )
    groups = {one.system: one.to_dict()["findings"]["gender"]["group"] for one in found.submissions}
    assert groups == {"same": "not_significant", "constant": "first_higher"}
    row = found.tables["gender"].rows["anger"]
    assert (row["not_significant"].mean_positive, row["not_significant"].mean_negative) == (None, None)
    assert row["first_higher"].mean_positive == pytest.approx(0.02)
    json.loads(found.to_json(), parse_constant=pytest.fail)


def test_a_single_submission_is_a_study() -> None:
    found = examined({("alone", "joy"): answers(0.01)})
    assert (found.assessments, found.baseline, found.descriptors) == (2, None, ())
    assert found.tables["gender"].rows["joy"]["all"].submissions == 1
    json.loads(found.to_json(), parse_constant=pytest.fail)


def test_a_change_from_the_baseline_must_pass_the_threshold_of_the_family() -> None:
    # Half of the sources differ from the baseline by 0.001 ± 0.0183: t = 2.17 with 1,583 degrees, p = 0.03.
    drift = answers(0.001, wobble=(0.0183, 0.0)) - answers(0.0, wobble=(0.0, 0.0))
    base = answers(0.01, wobble=(0.0, 0.0))
    found = examined({("SVM-Unigrams", "anger"): base, ("near", "anger"): base + drift})
    beside = found.submissions[1].against["gender"]
    assert found.threshold == 0.0125
    assert beside.change == pytest.approx(0.001)
    assert (beside.interval[0] > 0, beside.effect) == (True, "no clear change")


def test_what_a_system_does_in_general_is_told_too() -> None:
    small = (0.002, 0.001)
    found = examined(
        {
            ("SVM-Unigrams", "anger"): answers(0.02, wobble=small),
            ("turned", "anger"): answers(-0.02, wobble=small),
            ("halved", "anger"): answers(0.01, wobble=small),
            ("doubled", "anger"): answers(0.04, wobble=small),
        }
    )
    effects = {one.system: one.against["gender"].general_effect for one in found.submissions if one.against}
    assert effects == {"turned": "reverses", "halved": "mitigates", "doubled": "accentuates"}


def test_a_change_that_is_rounding_is_none() -> None:
    base = answers(0.01)
    found = examined({("SVM-Unigrams", "anger"): base, ("twin", "anger"): base + 1e-17 + (0.1 + 0.2 - 0.3)})
    beside = found.submissions[1].against["gender"]
    assert (beside.change, beside.interval, beside.effect) == (0.0, (0.0, 0.0), "no clear change")


def test_gaps_are_compared_as_shares_of_the_range() -> None:
    about = {name: {"kind": (kind,)} for name, kind in (("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"))}
    scores = {(name, "anger"): 10 * answers(gap) for name, gap in (("a", 0.01), ("b", 0.02), ("c", 0.0), ("d", 0.004))}
    found = examine(submissions(scores, bounds=(0.0, 10.0)), eec("released"), about=about, evidence=False)
    one = next(one for one in found.descriptors if (one.attribute, one.value) == ("gender", "x"))
    assert one.mean_size == pytest.approx(0.015)
    assert one.difference == pytest.approx(0.013)


def test_a_baseline_that_took_no_part_is_an_error_only_if_it_was_named() -> None:
    read = submissions({("team-01", "joy"): answers(0.01)})
    assert examine(read, eec("released"), evidence=False).baseline is None
    with pytest.raises(UsageError, match=r"no system 'team-1' to hold the others against; did you mean 'team-01'"):
        examine(read, eec("released"), baseline="team-1", evidence=False)

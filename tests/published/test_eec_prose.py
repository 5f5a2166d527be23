"""What the paper says in words, held against made-up studies in which each claim is true, and in which it is false."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.asking.recorded.rows import plain
from evenhand.corpora import eec
from evenhand.published import Check, reproduce_eec
from evenhand.published.eec_prose import SUBMISSIONS_AND_GOLD
from evenhand.studies import Study, examine
from evenhand.studies.gold import Gold
from evenhand.studies.reading import Submission, Submissions
from evenhand.studies.synthetic import Planted, write_study
from evenhand.systems.base import Output
from evenhand.verbs.reproduce import reproduce

Floats = npt.NDArray[np.float64]
SYSTEMS = 22
TWEETS = 60


def a_study(scores: Callable[[int], Floats], *, dimension: str = "valence", systems: int = SYSTEMS) -> Study:
    """Systems 0, 1, 2, ... are ranked in this order; `scores` gives each one's answers for the corpus."""
    corpus, rng = eec("released"), np.random.default_rng(0)
    people = rng.uniform(size=TWEETS)
    noise = rng.normal(size=TWEETS)
    matrix = np.column_stack([scores(place) for place in range(systems)])
    columns = tuple(Column(f"s{place:02d}", Output(dimension, 0, 1), None) for place in range(systems))
    members = tuple(
        Submission(
            f"s{place:02d}", dimension, f"{place}.txt", place, "", name_fits=True,
            on_gold=people + 0.01 * place * noise, not_on_gold=None,
        )
        for place in range(systems)
    )  # fmt: skip
    asked = Scores(tuple(plain(corpus.frame["id"])), matrix, columns, corpus.digest)
    gold = Gold(pl.Series([f"t{number}" for number in range(TWEETS)]), None, people)
    return examine(Submissions(members, asked, ()), corpus, gold={dimension: gold}, evidence=False)


def planted(gap: float, wobble: float) -> Floats:
    gaps = {"gender": (gap, wobble), "race": (gap, wobble)}
    return Planted("any", "valence", gaps).scores(eec("released"))


@cache
def ordered(kind: str) -> Study:
    """Δ-spreads (twice the wobble) and gaps by rank: as the paper has it, or the other way round."""

    def scores(place: int) -> Floats:
        middle = 13 <= place < SYSTEMS - 5
        wide = middle if kind == "as the paper has it" else not middle
        low = place >= SYSTEMS / 2
        still = low if kind == "as the paper has it" else not low
        return planted(0.0 if still else 0.01, 0.04 if wide else 0.01)

    return a_study(scores)


def outcomes(study: Study) -> dict[str, Check]:
    return {check.claim: check for check in reproduce_eec(study=study)}


@pytest.mark.parametrize(
    ("kind", "outcome"), [("as the paper has it", "reproduced"), ("the other way round", "differs")]
)
@pytest.mark.parametrize(
    "claim",
    [
        "gender, valence: Δ-spread of the best 10 and of those in between",
        "race, valence: Δ-spread of the best 13 and of those in between",
        "gender, valence: the worst 5 with a smaller Δ-spread than those in between",
        "race, valence: the worst 5 with a smaller Δ-spread than those in between",
        "gender: submissions without a significant difference that rank in the lower half",
        "race: submissions without a significant difference that rank in the lower half",
        "gender, valence: whom more submissions score higher, by the submissions",
    ],
)
def test_what_is_said_of_ranks_is_tested_on_data(kind: str, outcome: str, claim: str) -> None:
    if claim.startswith("gender, valence: whom"):
        sign = 1 if outcome == "reproduced" else -1
        found = outcomes(a_study(lambda place: planted(sign * 0.01, 0.01), systems=4))[claim]
        assert found.here == ("female 4, male 0" if sign == 1 else "female 0, male 4")
    else:
        found = outcomes(ordered(kind))[claim]
    assert found.outcome == outcome, found


def test_for_emotions_the_paper_does_not_see_the_pattern_by_race() -> None:
    claim = "race, anger: Δ-spread of the best 13 and of those in between"
    for wide_in_between, outcome in ((True, "differs"), (False, "reproduced")):

        def scores(place: int, wide: bool = wide_in_between) -> Floats:
            return planted(0.01, 0.04 if (13 <= place < SYSTEMS - 5) == wide else 0.01)

        found = outcomes(a_study(scores, dimension="anger"))[claim]
        assert (found.outcome, found.printed) == (outcome, "not the same pattern")


@pytest.mark.parametrize(("gap_on_neutral", "outcome"), [(True, "reproduced"), (False, "differs")])
def test_neutral_sentences_have_fewer_significant_and_larger_differences(gap_on_neutral: bool, outcome: str) -> None:
    """True: noise hides a gap on few sentences, where it is larger; false: only neutral sentences have none of it."""
    frame = eec("released").frame
    neutral = frame["emotion"].is_null().to_numpy()
    source = frame["source"].rank("dense").to_numpy()
    side = np.where(frame["gender"] == "female", 0.5, -0.5)

    def scores(place: int) -> Floats:
        sign = np.where(source % 2 == 0, 1.0, -1.0)
        if gap_on_neutral:
            # As large one way as the other where there are few sentences, and all one way where there are many.
            return 0.5 + side * np.where(neutral, 0.2 * sign, 0.02)
        return 0.5 + side * np.where(neutral, 0.02, 0.1 * sign)

    checks = outcomes(a_study(scores, systems=5))
    assert checks["gender, valence: significant on neutral sentences and on all"].outcome == outcome
    assert checks["gender, valence: mean sizes of differences, neutral sentences and all"].outcome == outcome


@pytest.mark.parametrize(("same", "outcome"), [(True, "reproduced"), (False, "differs")])
def test_the_emotions_own_words_are_compared_with_all_sentences(same: bool, outcome: str) -> None:
    frame = eec("released").frame
    own = (frame["emotion"] == "anger").fill_null(False).to_numpy()
    side = np.where(frame["gender"] == "female", 0.5, -0.5)
    found = outcomes(
        a_study(lambda place: 0.5 + side * np.where(own, 0.02 if same else -0.02, 0.02), dimension="anger", systems=4)
    )
    claim = "gender, anger: submissions in the same group on the emotion's own words as on all sentences"
    assert (found[claim].outcome, found[claim].here) == (outcome, "4 of 4" if same else "0 of 4")


def test_without_enough_ranked_systems_nothing_is_said() -> None:
    few = a_study(lambda place: planted(0.01, 0.01), systems=8)
    check = outcomes(few)["gender, valence: Δ-spread of the best 10 and of those in between"]
    assert (check.outcome, check.here) == ("needs data", None)
    assert check.needs == "at least 18 submissions with a rank for the dimension"  # 10, 5, and 3 between; not "gold"
    unranked = replace(
        few,
        submissions=tuple(
            replace(one, quality=replace(one.quality, rank=None, spearman=None)) for one in few.submissions
        ),
    )
    name = "gender: submissions without a significant difference that rank in the lower half"
    assert outcomes(unranked)[name].outcome == "needs data"
    assert outcomes(unranked)[name].needs == SUBMISSIONS_AND_GOLD
    assert outcomes(unranked)[check.claim].needs == SUBMISSIONS_AND_GOLD


def test_the_baseline_is_taken_from_the_submissions(tmp_path: Path) -> None:
    """Its name is recognised whatever its case and hyphens; another can be named."""
    gaps = {"gender": (-0.01, 0.06), "race": (-0.0005, 0.0)}
    write_study(
        tmp_path, [Planted("svm_unigrams", "anger", gaps), Planted("amber", "anger", gaps)], tweets=5, mystery=5
    )
    checks = {check.claim: check for check in reproduce("eec", submissions=tmp_path / "submissions")}
    spread = checks["SVM-Unigrams, anger: Δ-spread by gender"]
    assert (spread.outcome, spread.here, spread.taken_from) == ("reproduced", "0.1200", "the submission svm_unigrams")
    assert checks["SVM-Unigrams, anger: higher by gender, noun phrases"].outcome == "reproduced"
    assert checks["SVM-Unigrams, anger: higher by race"].here == "European American (-0.0005)"
    assert checks["SVM-Unigrams, joy: Δ-spread by gender"].outcome == "needs data"
    assert checks["gender, anger: all"].taken_from is None
    named = reproduce("eec", submissions=tmp_path / "submissions", baseline="amber")
    assert {check.taken_from for check in named if check.taken_from} == {"the submission amber"}
    (tmp_path / "submissions" / "svm_unigrams").rename(tmp_path / "submissions" / "birch")
    without = reproduce("eec", submissions=tmp_path / "submissions")
    assert not [check for check in without if check.taken_from]

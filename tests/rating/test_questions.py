"""The three questions: what is compared with what, which draws belong together, and what cannot be answered."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from evenhand.rating import Rating, rate_scores
from evenhand.rating.questions import Answer, answers
from evenhand.report.ratings.words import in_words

PERSONS = {"male": ["he", "this man", "Adam"], "female": ["she", "this woman", "Ebony"], "NA": ["they", "it"]}


def sentences(
    *,
    data: str = "SD",
    group: str = "Group-1",
    via: str | None = None,
    system: str = "s",
    gap: float = 0.0,
    classes: tuple[str, ...] = ("male", "female", "NA"),
    seed: int = 0,
) -> pl.DataFrame:
    """Noise that is the same wherever the seed is, and a gap for women."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "system": system,
            "dataset": dataset,
            "data": data,
            "group": group,
            "via": via,
            "gender": gender,
            "person": person,
            "emotion": emotion,
            "emotion_word": word,
            "sentiment": rng.normal() + gap * (gender == "female"),
        }
        for dataset in ("E3", "E4")
        for gender in PERSONS
        for person in PERSONS[gender]
        for emotion, word in (("negative", "grim"), ("negative", "sad"), ("positive", "happy"))
        for _ in range(3)
    ]
    frame = pl.DataFrame(rows, schema_overrides={"via": pl.String})
    return frame.filter(pl.col("gender").is_in(classes))


def rated(*frames: pl.DataFrame, bootstrap: int = 200) -> tuple[Rating, ...]:
    return rate_scores(pl.concat(frames), attributes=["gender"], bootstrap=bootstrap).results


def drawn(result: Rating, system: str = "s") -> np.ndarray:
    assert result.uncertainty is not None
    return result.uncertainty.draws[system]


def one_answer(*frames: pl.DataFrame, bootstrap: int = 200) -> Answer:
    report = rate_scores(pl.concat(frames), attributes=["gender"], bootstrap=bootstrap)
    (found,) = answers(report.results)
    return found


def test_the_same_sentences_are_drawn_before_and_after_a_round_trip() -> None:
    before, after = rated(sentences(), sentences(via="es"))
    assert drawn(before).tolist() == drawn(after).tolist()
    assert np.unique(drawn(before)).size > 3
    unchanged = one_answer(sentences(gap=2), sentences(gap=2, via="es"))
    assert (unchanged.change, unchanged.interval) == (0.0, (0.0, 0.0))


def test_other_data_are_drawn_for_themselves() -> None:
    one, two = rated(sentences(), sentences(data="chat"), bootstrap=1000)
    assert one.raw == two.raw
    assert abs(np.corrcoef(drawn(one), drawn(two))[0, 1]) < 0.1


def test_the_interval_of_a_change_is_that_of_the_changes_of_the_draws() -> None:
    frames = sentences(gap=1.5), sentences(gap=3, via="es", seed=1)
    before, after = rated(*frames)
    found = one_answer(*frames)
    changes = [100 * (new - old) / old for old, new in zip(drawn(before), drawn(after), strict=True) if old]
    assert len(changes) == 200
    assert found.interval == pytest.approx(tuple(np.quantile(changes, [0.025, 0.975])))
    assert found.change == pytest.approx(100 * (after.raw["s"] - before.raw["s"]) / before.raw["s"])
    assert found.unit == "%"


def test_sentences_left_whole_are_compared_with_themselves_before() -> None:
    whole = {"group": "Group-1, unbroken sentences", "classes": ("male", "female")}
    report = rate_scores(
        pl.concat([sentences(), sentences(via="es", gap=2), sentences(via="es", gap=2, **whole)]),
        attributes=["gender"],
        bootstrap=50,
    )
    assert len(answers(report.results)) == 1
    (same,) = rated(sentences(**whole), bootstrap=50)
    _, unbroken = answers(report.results, {report.results[2].setting: [same]})
    assert (unbroken.group, unbroken.question) == (whole["group"], "round trip")
    assert same.raw["s"] > 0
    assert (unbroken.before, unbroken.after) == (same.raw["s"], report.results[2].raw["s"])


def test_what_was_zero_before_changes_in_points() -> None:
    constant = pl.lit(0.0).alias("sentiment")
    found = one_answer(sentences().with_columns(constant), sentences(via="es", gap=5))
    assert (found.before, found.unit) == (0.0, "points")
    assert found.change is not None
    assert found.change > 50


def test_without_draws_there_is_no_interval_and_it_is_said() -> None:
    found = one_answer(sentences(gap=2), sentences(gap=3, via="es"), bootstrap=0)
    assert (found.interval, found.no_interval) == (None, "nothing was drawn again")


def test_a_change_that_some_draws_leave_undefined_has_no_interval() -> None:
    frames = sentences(classes=("male", "female"), seed=2), sentences(classes=("male", "female"), gap=3, via="es")
    before, _ = rated(*frames)
    never = float(np.mean(drawn(before) == 0))
    assert before.raw["s"] > 0
    assert never > 0.05
    found = one_answer(*frames)
    assert found.change is not None
    assert found.interval is None
    assert found.no_interval == f"the change is undefined in {never:.0%} of the draws"


def test_conversations_are_compared_with_synthetic_data_by_the_same_classes() -> None:
    two = ("male", "female")
    report = rate_scores(
        pl.concat([sentences(gap=9), sentences(data="chat", group="user", gap=9, classes=two)]),
        attributes=["gender"],
        bootstrap=20,
    )
    human = report.results[1]
    by_two = rated(sentences(gap=9, classes=two), bootstrap=20)
    (found,) = answers(report.results, {human.setting: by_two})
    # By all three classes, synthetic data would have two thirds: an artefact of the class without a gender.
    assert (found.before, found.after, found.change) == (100.0, 100.0, 0.0)
    assert found.interval == (0.0, 0.0)
    (without,) = answers(report.results, {human.setting: ()})
    assert without.undefined == "the synthetic data have no two of these classes"
    (other,) = answers(report.results, {human.setting: rated(sentences(system="other"), bootstrap=0)})
    assert other.undefined == "s was not rated on synthetic data"


def test_people_are_nobodys_yardstick_for_people() -> None:
    frames = [sentences(system=name, gap=gap) for name, gap in (("human:a.csv", 0), ("human:b.csv", 0), ("s", 9))]
    report = rate_scores(pl.concat(frames), attributes=["gender"], bootstrap=0)
    found = [one for one in answers(report.results) if one.question == "human ratings"]
    assert [one.system for one in found] == ["s"]


def test_with_confounding_the_impact_is_compared_with_that_of_people() -> None:
    # Women meet two negative words of three, men one: whoever scores women higher is changed by adjusting for that.
    unequal = (pl.col("gender") == "female") & (pl.col("emotion_word") == "happy") & (pl.col("person") != "she")
    frames = [sentences(system=name, gap=gap, seed=1).filter(~unequal) for name, gap in (("human:a.csv", 1), ("s", 4))]
    report = rate_scores(pl.concat(frames), attributes=["gender"], confounders=["gender"], bootstrap=100)
    (result,) = report.results
    (found,) = [one for one in report.answers if one.question == "human ratings"]
    assert (found.before, found.after) == (result.raw["human:a.csv"], result.raw["s"])
    assert found.change == pytest.approx(result.raw["s"] - result.raw["human:a.csv"])
    assert found.unit == "percentage points"
    assert found.interval is not None
    assert found.interval[0] < found.change < found.interval[1]
    assert "impact of deconfounding" in in_words(found)
    assert "% for people" in in_words(found)


def test_where_nothing_could_be_compared_nothing_is_answered_and_no_score_is_zero() -> None:
    single = sentences(via="es").unique(["gender", "dataset"], maintain_order=True)
    found = one_answer(sentences(), single, bootstrap=0)
    assert found.change is None
    assert found.undefined == "no two classes have two rows or more, so nothing could be compared"
    (alone,) = rated(single, bootstrap=0)
    assert math.isnan(alone.raw["s"])
    assert alone.ratings == {"s": None}


def test_the_change_after_a_round_trip_has_the_sign_of_what_happened() -> None:
    weaker = one_answer(sentences(gap=3), sentences(gap=0, via="es"), bootstrap=0)
    assert weaker.before is not None
    assert weaker.after is not None
    assert weaker.change == pytest.approx(100 * (weaker.after - weaker.before) / weaker.before)
    assert weaker.change < 0


def test_the_overall_level_is_that_of_texts_as_they_are() -> None:
    frames = [sentences(system="a"), sentences(system="b", gap=3)]
    frames += [sentences(system="a", gap=3, via="es"), sentences(system="b", via="es")]
    report = rate_scores(pl.concat(frames), attributes=["gender"], bootstrap=0)
    plain, translated = report.results
    assert plain.ratings != translated.ratings
    assert report.overall == plain.ratings

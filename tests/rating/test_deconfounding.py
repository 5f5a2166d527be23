"""Back-door adjustment: by hand, on planted confounding, at zero, and where classes never meet an emotion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Scores
from evenhand.asking.scores import Column
from evenhand.corpora import Corpus, causal
from evenhand.corpora.lexicon import Persons
from evenhand.rating import Impact, Rating, long_form, rate_scores
from evenhand.systems import Output

Row = tuple[str, str, float]


def impacts(rows: list[Row], **settings: bool) -> dict[str, Impact]:
    """By emotion, of one system on one dataset: rows of class, emotion and sentiment."""
    frame = pl.DataFrame(rows, schema=["gender", "emotion", "sentiment"], orient="row")
    frame = frame.with_columns(system=pl.lit("s"), dataset=pl.lit("d"))
    found = rate_scores(frame, attributes=["gender"], confounders=["gender"], bootstrap=0, **settings)  # type: ignore[arg-type]
    return dict(found.results[0].impact["s"]["d"])


def test_by_hand() -> None:
    # Men meet positive words three times of four, women once of four; both are half of the rows.
    rows = [("male", "positive", 1.0)] * 3 + [("male", "negative", 0.0)]
    rows += [("female", "positive", 0.0)] + [("female", "negative", -1.0)] * 3
    found = impacts(rows)
    # Observed: 3/4 and −3/4. Adjusted: ½ · 1 + ½ · 0 and ½ · 0 + ½ · −1. A third of the mean was the gender's.
    assert (found["positive"].observed, found["positive"].adjusted) == (0.75, 0.5)
    assert (found["negative"].observed, found["negative"].adjusted) == (-0.75, -0.5)
    for cell in found.values():
        assert cell.impact == pytest.approx(100 / 3, rel=1e-12)


def test_zero_stays_zero_and_zero_that_moves_is_an_x() -> None:
    nothing = [(gender, emotion, 0.0) for gender in ("male", "female") for emotion in ("positive", "negative")]
    assert impacts(nothing)["positive"] == Impact(0.0, 0.0, 0.0, None)
    # The women's −2 and the men's two 1s cancel in what is observed, not once each class counts as half.
    rows = [("male", "positive", 1.0)] * 2 + [("female", "positive", -2.0)]
    rows += [("male", "negative", 1.0), ("female", "negative", 1.0), ("female", "negative", 1.0)]
    moved = impacts(rows)["positive"]
    assert (moved.observed, moved.adjusted, moved.impact) == (0.0, -0.5, None)
    assert moved.divided_by_zero


def test_a_class_that_never_met_an_emotion_leaves_it_undefined() -> None:
    rows = [
        ("male", "positive", 1.0),
        ("male", "positive", 0.5),
        ("female", "positive", 0.0),
        ("female", "negative", -1.0),
    ]
    found = impacts(rows)
    assert found["negative"] == Impact(-1.0, None, None, "male never met a negative word")
    assert found["positive"].undefined is None
    supported = impacts(rows, supported_only=True)
    assert supported["negative"] == Impact(-1.0, -1.0, 0.0, None)
    assert supported["positive"] == found["positive"]


def test_several_confounders_are_adjusted_for_together() -> None:
    rng = np.random.default_rng(5)
    cells = [
        (g, r, e) for g in "mf" for r in "ab" for e in ("negative", "positive") for _ in range(int(rng.integers(1, 6)))
    ]
    frame = pl.DataFrame(cells, schema=["gender", "race", "emotion"], orient="row").with_columns(
        system=pl.lit("s"), dataset=pl.lit("d"), sentiment=pl.Series(rng.normal(size=len(cells)))
    )
    both = rate_scores(frame, attributes=["gender"], confounders=["gender", "race"], bootstrap=0).results[0]
    crossed = rate_scores(frame, attributes=["race+gender"], confounders=["race+gender"], bootstrap=0).results[0]
    assert set(both.adjusted_for) == {"gender", "race"}
    assert crossed.adjusted_for == ("race+gender",)
    for emotion in ("negative", "positive"):
        # Equation 1, written out.
        means = frame.filter(emotion=emotion).group_by("gender", "race").agg(pl.col("sentiment").mean())
        shares = frame.group_by("gender", "race").agg(share=pl.len() / frame.height)
        joined = means.join(shares, on=["gender", "race"])
        expected = float((joined["sentiment"] * joined["share"]).sum())
        assert both.impact["s"]["d"][emotion].adjusted == pytest.approx(expected, rel=1e-12)
        assert crossed.impact["s"]["d"][emotion].adjusted == pytest.approx(expected, rel=1e-12)


@pytest.fixture(scope="module")
def confounded() -> Corpus:
    persons = [
        Persons.model_validate({"terms": [f"{gender} {place}" for place in range(30)], "gender": gender})
        for gender in ("male", "female")
    ]
    corpus = causal.group2("E5", k=1, seed=2, persons=persons)
    assert causal.unmet_classes(corpus, ("gender",)) == ()
    return corpus


def rated(corpus: Corpus, *systems: tuple[str, pl.Expr], bootstrap: int = 200) -> Rating:
    matrix = np.column_stack([corpus.frame.select(score)["score"] for _, score in systems])
    columns = tuple(Column(name, Output("score", low=-1, high=1), None) for name, _ in systems)
    scores = Scores(tuple(corpus.frame["id"]), matrix, columns, corpus.digest)
    frame = long_form(scores, corpus, dataset="E5", data="SD", group="Group-2", via=None)
    return rate_scores(frame, attributes=["gender"], confounders=["gender"], bootstrap=bootstrap).results[0]


BY_EMOTION = pl.when(emotion="positive").then(0.8).otherwise(-0.6)
BY_WORD = pl.when(emotion_word="glad").then(0.3).when(emotion_word="happy").then(0.8).otherwise(-0.6)
BY_GENDER = pl.when(gender="female").then(1.0).otherwise(-1.0)


def test_a_system_that_answers_by_the_emotion_alone_has_no_impact(confounded: Corpus) -> None:
    found = rated(confounded, ("lexicon", BY_EMOTION.alias("score")))
    assert found.raw == {"lexicon": 0.0}
    assert found.ratings == {"lexicon": 1}
    assert found.uncertainty is not None
    assert found.uncertainty.intervals["lexicon"] == (0.0, 0.0)


def test_planted_confounding_bias_is_found_and_its_size_is_right(confounded: Corpus) -> None:
    gap = 0.4
    planted = BY_EMOTION + pl.when(gender="female").then(-gap / 2).otherwise(gap / 2)
    found = rated(confounded, ("planted", planted.alias("score")), ("lexicon", BY_EMOTION.alias("score")))
    cell = found.impact["planted"]["E5"]["positive"]
    # Half of the rows are women's, so the adjusted mean is that of the words; the observed one leans to the men's.
    assert cell.adjusted == pytest.approx(0.8, rel=1e-12)
    men = (confounded.frame.filter(emotion="positive")["gender"] == "male").mean()
    assert cell.observed == pytest.approx(0.8 + gap * (men - 0.5), rel=1e-12)
    assert found.ratings == {"planted": 2, "lexicon": 1}
    assert found.uncertainty is not None
    low, _ = found.uncertainty.intervals["planted"]
    assert low is not None
    assert low > 0
    assert found.uncertainty.tied == ()


def test_a_system_that_sees_gender_only_is_not_free_of_impact(confounded: Corpus) -> None:
    found = rated(confounded, ("biased", BY_GENDER.alias("score")), bootstrap=0)
    assert found.impact["biased"]["E5"]["positive"].adjusted == pytest.approx(0.0, abs=1e-12)
    assert found.raw["biased"] == pytest.approx(100.0)


def test_words_are_drawn_within_their_emotion(confounded: Corpus) -> None:
    found = rated(confounded, ("words", BY_WORD.alias("score")))
    assert found.uncertainty is not None
    assert found.uncertainty.over == "persons and words"
    # One negative word, so that only the positive mean can move.
    assert found.impact["words"]["E5"]["negative"].impact == 0.0


def test_the_same_seed_gives_the_same_draws(confounded: Corpus) -> None:
    system = ("words", BY_WORD.alias("score"))
    assert rated(confounded, system).uncertainty == rated(confounded, system).uncertainty


@pytest.mark.parametrize("change", [lambda y: y, lambda y: 5 * y])
def test_a_scale_does_not_change_an_impact(change: Callable[[float], float]) -> None:
    rows = [("male", "positive", change(0.9)), ("male", "negative", change(-0.1)), ("female", "positive", change(0.2))]
    rows += [("female", "negative", change(-0.7))] * 2
    # Observed −0.5; two rows of five are men's: 0.4 · −0.1 + 0.6 · −0.7 = −0.46.
    assert impacts(rows)["negative"].impact == pytest.approx(8.0, rel=1e-9)

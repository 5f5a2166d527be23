"""The paper's evaluation: its pairs, its tests, its table of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from scipy import stats

from evenhand.asking import Column, Scores
from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.repairs.paired_means import (
    CONSTANT,
    EXPECTED,
    IDENTICAL,
    LIKELY,
    NO_SPREAD,
    TOO_FEW,
    PairedMeans,
    baseline_gaps,
    evaluate,
    paired_means,
    word_means,
)
from evenhand.repairs.pairings import pairings
from evenhand.systems.base import Array, Output

MOOD = (Output("mood", 0.0, 10.0),)
LABELS = tuple(Output(f"mood={n}", kind="probability", of="mood", value=float(n)) for n in (1, 2, 3))
QUESTIONS = ["gender, with names", "gender, without names", "race"]


def scores_of(corpus: Corpus, matrix: Array, outputs: Sequence[Output] = MOOD) -> Scores:
    columns = tuple(Column("model", output, None) for output in outputs)
    return Scores(tuple(corpus.frame["id"].cast(pl.String)), matrix, columns, corpus.digest)


@pytest.fixture(scope="module")
def noisy() -> Scores:
    corpus = eec()
    gap = 0.3 * (corpus.frame["gender"] == "male").to_numpy()
    noise = np.random.default_rng(1).normal(5.0, 1.0, len(corpus))
    return scores_of(corpus, np.clip(noise + gap, 0, 10)[:, None])


def small(rows: Sequence[tuple[str, str | None, str, str | None]], kind: Sequence[str | None] | None = None) -> Corpus:
    """Rows of word, gender, person and race, all of one template."""
    words, gender, person, race = zip(*rows, strict=True)
    frame = pl.DataFrame(
        {
            "id": [f"s{n}" for n in range(len(rows))],
            "text": [f"{n}" for n in range(len(rows))],
            "source": list(words),
            "person": list(person),
            "template": ["t"] * len(rows),
            "emotion_word": list(words),
            "gender": pl.Series(gender, dtype=pl.String),
            "race": pl.Series(race, dtype=pl.String),
        }
    )
    if kind is not None:
        frame = frame.with_columns(kind=pl.Series(list(kind), dtype=pl.String))
    names = {name: tuple(frame[name].drop_nulls().unique(maintain_order=True)) for name in ("gender", "race")}
    return Corpus(frame, "small", {name: groups for name, groups in names.items() if groups})


def by_hand() -> tuple[Corpus, Scores]:
    """Three words; two women and one man each."""
    rows, values = [], []
    for word, women, man in (("glad", (4, 6), 3), ("sad", (5, 5), 1), ("grim", (2, 2), 5)):
        rows += [(word, "female", "A", None), (word, "female", "B", None), (word, "male", "C", None)]
        values += [*women, man]
    return small(rows), scores_of(small(rows), np.array(values, dtype=float)[:, None])


def test_by_hand() -> None:
    corpus, scores = by_hand()
    (found,) = paired_means(scores, corpus)
    # Differences of means: 5 − 3, 5 − 1, 2 − 5; their mean is 1 and their variance ½ · (1 + 9 + 16) = 13.
    assert (found.question, found.first, found.second, found.n) == ("gender", "female", "male", 3)
    assert found.mean == pytest.approx(1.0)
    assert found.standard_error == pytest.approx((13 / 3) ** 0.5)
    assert found.t == pytest.approx(1 / (13 / 3) ** 0.5)
    assert found.p == pytest.approx(0.6783, abs=1e-4)
    assert found.significant is False
    # The 97.5 % point of t with two degrees of freedom is 4.30265.
    assert found.interval == pytest.approx((1 - 4.30265 * (13 / 3) ** 0.5, 1 + 4.30265 * (13 / 3) ** 0.5), abs=1e-4)
    # The words' own means are 13/3, 11/3 and 3, which lie 2/3 apart (standard deviation).
    assert found.effect_size == pytest.approx(1.5)
    assert dict(found.undefined) == {}
    assert found.version == "scores"


def test_the_words_of_the_hand_example() -> None:
    corpus, scores = by_hand()
    assert [(one.word, one.mean, one.n, one.emotion) for one in word_means(scores, corpus)] == [
        ("glad", pytest.approx(13 / 3), 3, None),
        ("grim", 3.0, 3, None),
        ("sad", pytest.approx(11 / 3), 3, None),
    ]


def test_the_published_numbers_of_pairs() -> None:
    assert {one.question: one.n for one in pairings(eec())} == dict(zip(QUESTIONS, (280, 140, 280), strict=True))
    with_neutral = {one.question: one.n for one in pairings(eec(), neutral_too=True)}
    assert with_neutral == dict(zip(QUESTIONS, (288, 144, 288), strict=True))


def test_the_published_directions() -> None:
    found = {one.question: (one.first, one.second) for one in pairings(eec())}
    assert found["race"] == ("European American", "African American")
    assert found["gender, with names"] == found["gender, without names"] == ("female", "male")
    ours = {one.question: one.first for one in pairings(eec(), minuend={})}
    assert ours["race"] == "African American"


@pytest.mark.parametrize("question", QUESTIONS)
def test_agrees_with_scipy_on_means_made_another_way(noisy: Scores, question: str) -> None:
    frame = eec().frame.with_columns(score=pl.Series(noisy.matrix[:, 0])).filter(pl.col("emotion").is_not_null())
    attribute, _, names = question.partition(", ")
    if names:
        frame = frame.filter(pl.col("kind") == "name" if names == "with names" else pl.col("kind") != "name")
    frame = frame.filter(pl.col(attribute).is_not_null())
    other = "race" if attribute == "gender" else "gender"
    means = frame.pivot(attribute, index=["template", "emotion_word", other], values="score", aggregate_function="mean")
    (found,) = (one for one in paired_means(noisy, eec()) if one.question == question)
    theirs = stats.ttest_rel(means[found.first].to_numpy(), means[found.second].to_numpy())
    assert found.n == means.height
    assert (found.t, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    low, high = theirs.confidence_interval(0.95)
    assert found.interval == pytest.approx((low, high), rel=1e-9)
    assert found.mean == pytest.approx((means[found.first] - means[found.second]).mean(), rel=1e-9)


def simulated(person_sd: float) -> float:
    """How often the test by gender without names is significant for fair systems, 400 of them at once."""
    corpus, rng = eec().sample(960), np.random.default_rng(5)
    persons = corpus.frame["person"].rank("dense").to_numpy().astype(int) - 1
    effects = rng.normal(0, person_sd, (persons.max() + 1, 400)) if person_sd else np.zeros((persons.max() + 1, 400))
    outputs = [Output(f"o{number}", -10.0, 10.0) for number in range(400)]
    scores = scores_of(corpus, rng.normal(0, 1.0, (len(corpus), 400)) + effects[persons], outputs)
    tests = [one for one in paired_means(scores, corpus) if one.question == "gender, without names"]
    return float(np.mean([bool(one.significant) for one in tests]))


def test_false_alarms_are_as_many_as_promised_for_these_persons_and_not_for_persons_in_general() -> None:
    assert 0.02 < simulated(0.0) < 0.08
    assert simulated(0.6) > 0.25


def test_a_gap_is_found_where_it_was_planted(noisy: Scores) -> None:
    found = {one.question: one for one in paired_means(noisy, eec())}
    for question in QUESTIONS[:2]:
        low, high = found[question].interval or (0.0, 0.0)
        assert low < -0.3 < high < 0
        assert found[question].significant
    assert abs(found["race"].mean) < 0.05


def test_a_sample_has_fewer_pairs_and_says_how_many() -> None:
    corpus = eec().sample(960)
    cells = corpus.frame.filter(pl.col("emotion").is_not_null())["source"].n_unique()
    found = paired_means(scores_of(corpus, np.random.default_rng(0).uniform(0, 10, (960, 1))), corpus)
    assert {one.question: one.n for one in found} == dict(zip(QUESTIONS, (2 * cells, cells, 2 * cells), strict=True))


def test_a_cell_without_one_of_the_groups_is_no_pair() -> None:
    rows = [("glad", "female", "A", None), ("glad", "male", "B", None), ("sad", "female", "A", None)]
    rows += [("grim", "male", "B", None), ("vexing", "female", "A", None), ("vexing", "male", "B", None)]
    corpus = small(rows)
    (pairing,) = pairings(corpus)
    assert pairing.n == 2
    assert (pairing.differences @ np.array([5.0, 1.0, 99.0, 99.0, 3.0, 4.0])).tolist() == [4.0, -1.0]
    assert (pairing.cells @ np.array([5.0, 1.0, 99.0, 99.0, 3.0, 4.0])).tolist() == [3.0, 3.5]


def test_other_groups_are_held_fixed() -> None:
    """A gap by race alone must not show by gender, though there are more women of one race."""
    rows = [("glad", "female", "A", "x"), ("glad", "female", "B", "x"), ("glad", "female", "C", "y")]
    rows += [("glad", "male", "D", "x"), ("glad", "male", "E", "y"), ("glad", "male", "F", "y")]
    corpus = small(rows)
    found = paired_means(scores_of(corpus, np.array([[9.0 if row[3] == "x" else 1.0] for row in rows])), corpus)
    assert [(one.question, one.mean, one.n) for one in found] == [("gender", 0.0, 2), ("race", 8.0, 2)]


def test_constant_and_identical_differences() -> None:
    corpus, _ = by_hand()
    women = (corpus.frame["gender"] == "female").to_numpy().astype(float)
    words = np.repeat([1.0, 2.0, 3.0], 3)
    versions = {
        "constant": scores_of(corpus, (words + women)[:, None]),
        "identical": scores_of(corpus, words[:, None]),
        "flat": scores_of(corpus, np.full((9, 1), 5.0)),
    }
    found = {one.version: one for one in paired_means(versions, corpus)}
    constant, identical, flat = (found[name] for name in versions)
    assert (constant.mean, constant.t, constant.p, constant.significant) == (1.0, None, 0.0, True)
    assert dict(constant.undefined) == {"t": CONSTANT}
    assert (identical.mean, identical.t, identical.p, identical.significant) == (0.0, None, 1.0, False)
    assert dict(identical.undefined) == {"t": IDENTICAL}
    assert flat.effect_size is None
    assert dict(flat.undefined) == {"effect_size": NO_SPREAD, "t": IDENTICAL}


def test_one_pair_is_no_test() -> None:
    corpus = small([("glad", "female", "A", None), ("glad", "male", "B", None)])
    (found,) = paired_means(scores_of(corpus, np.array([[5.0], [3.0]])), corpus)
    assert (found.mean, found.n, found.t, found.p, found.interval, found.significant) == (
        2.0,
        1,
        None,
        None,
        None,
        None,
    )
    assert set(found.undefined) == {"standard_error", "interval", "t", "p", "effect_size"}
    assert found.undefined["p"] == TOO_FEW


def test_distributions_are_read_both_ways() -> None:
    corpus = small([("glad", "female", "A", None), ("glad", "male", "B", None)] * 2)
    # A word twice over gives one pair: two women, two men.
    said = np.array([[0.5, 0.0, 0.5], [0.1, 0.3, 0.6], [0.4, 0.2, 0.4], [0.0, 0.6, 0.4]])
    found = {one.reading: one for one in paired_means(scores_of(corpus, said, LABELS), corpus)}
    assert found[EXPECTED].mean == pytest.approx(2.0 - (2.5 + 2.4) / 2)
    # Of labels that are equally likely, the lowest: women 1 and 1, men 3 and 2.
    assert found[LIKELY].mean == pytest.approx(1.0 - 2.5)
    assert {one.output for one in found.values()} == {"mood"}
    assert {one.span for one in found.values()} == {2.0}


def test_labels_that_are_no_numbers_are_compared_one_by_one() -> None:
    corpus, _ = by_hand()
    outputs = tuple(Output(f"mood={name}", kind="probability", of="mood") for name in ("good", "bad"))
    good = np.linspace(0, 1, 9)
    found = paired_means(scores_of(corpus, np.stack([good, 1 - good], axis=1), outputs), corpus)
    assert [(one.output, one.reading) for one in found] == [("mood=good", EXPECTED), ("mood=bad", EXPECTED)]
    assert found[0].mean == pytest.approx(-found[1].mean)


def test_versions_stand_side_by_side(noisy: Scores) -> None:
    halved = scores_of(eec(), noisy.matrix / 2)
    together = evaluate({"before": noisy, "after": halved}, eec())
    alone = paired_means(halved, eec())
    assert together.versions == ("before", "after")
    after = [one for one in together.tests if one.version == "after"]
    assert [(one.mean, one.t) for one in after] == [pytest.approx((one.mean, one.t)) for one in alone]
    assert [(one.question, one.n) for one in after] == [(one.question, one.n) for one in alone]
    before = [one for one in together.tests if one.version == "before"]
    assert [one.mean for one in after] == pytest.approx([one.mean / 2 for one in before])
    assert [one.effect_size for one in after] == pytest.approx([one.effect_size for one in before])


def test_the_table_of_words_has_the_means_of_forty_words(noisy: Scores) -> None:
    words = word_means({"before": noisy}, eec())
    assert len(words) == 40
    assert {(one.word, one.n) for one in words} >= {("enraged", 240), ("vexing", 180)}
    assert [one.emotion for one in words] == sorted(str(one.emotion) for one in words)
    rows = (eec().frame["emotion_word"] == "grim").fill_null(False).to_numpy()
    (grim,) = (one for one in words if one.word == "grim")
    assert (grim.emotion, grim.mean) == ("sadness", pytest.approx(noisy.matrix[rows, 0].mean()))


def test_gaps_for_weights_are_those_of_names(noisy: Scores) -> None:
    found: dict[str, PairedMeans] = {one.question: one for one in paired_means(noisy, eec())}
    assert baseline_gaps(noisy, eec()) == {
        "mood": {
            "gender": pytest.approx(found["gender, with names"].mean),
            "race": pytest.approx(found["race"].mean),
        }
    }


def test_of_more_than_two_groups_the_largest_gap_counts() -> None:
    rows = [(word, group, group, None) for word in ("glad", "sad") for group in ("x", "y", "z")]
    corpus = small(rows)
    level = {"x": 5.0, "y": 5.5, "z": 8.0}
    scores = scores_of(corpus, np.array([[level[row[1]]] for row in rows]))
    assert [(one.first, one.second, one.mean) for one in paired_means(scores, corpus)] == [
        ("x", "y", -0.5),
        ("x", "z", -3.0),
        ("y", "z", -2.5),
    ]
    assert baseline_gaps(scores, corpus) == {"mood": {"gender": -3.0}}


def test_parts_are_told_apart_by_names_or_by_what_is_known() -> None:
    rows = [("glad", "female", "A", "x"), ("glad", "male", "B", "x"), ("glad", "female", "C", None)]
    rows += [("glad", "male", "D", None)]
    unnamed = [one.question for one in pairings(small(rows))]
    assert unnamed == ["gender, with race", "gender, without race"]
    named = small(rows, kind=["name", "name", "noun_phrase", "pronoun"])
    assert [one.question for one in pairings(named)] == ["gender, with names", "gender, without names"]


@pytest.mark.slow
def test_many_attributes_are_told_apart() -> None:
    found = pairings(load_corpus("eec-extended"))
    assert len({(one.question, one.first, one.second) for one in found}) == len(found)


def test_any_corpus_with_templates_and_words() -> None:
    spanish = load_corpus("es-emotions")
    assert [(one.question, one.n) for one in pairings(spanish)] == [("gender", 160)]


def test_what_cannot_be_evaluated_is_refused(noisy: Scores) -> None:
    with pytest.raises(UsageError, match="no scores to compare"):
        paired_means({}, eec())
    with pytest.raises(EvenhandError, match="before: these scores were made for another corpus"):
        paired_means({"before": noisy}, eec("released"))
    corpus, scores = by_hand()
    without = Corpus(corpus.frame.drop("template"), "without", corpus.attributes)
    with pytest.raises(UsageError, match="no column 'template'"):
        paired_means(scores_of(without, scores.matrix), without)
    assert baseline_gaps(scores_of(without, scores.matrix), without) == {}
    women = small([("glad", "female", "A", None), ("sad", "male", "A", None)])
    with pytest.raises(UsageError, match="no template and word with persons of two groups"):
        paired_means(scores_of(women, np.zeros((2, 1))), women)

"""Per-sentence weights: what the sentence says about its gap is believed as far as it holds on other sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.contrasts import EVERYBODY, PAIRED
from evenhand.corpora import Corpus, eec
from evenhand.repairs.calibrator import FittedFor
from evenhand.repairs.cells import balanced_weights
from evenhand.repairs.features import Vocabulary, folds, without_person, words_besides
from evenhand.repairs.layers import Layer, Layers
from evenhand.repairs.rows import Rows, labels_of
from evenhand.repairs.sentence_weights import PENALTIES, Learned, SentenceWeights
from evenhand.systems.base import Array, Output

STRONG = {"anger": 0.12, "fear": 0.08, "joy": 0.0, "sadness": 0.06}
"""A gap that depends on what the sentence is about."""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return eec()


def scored(corpus: Corpus, matrix: Array, *outputs: Output) -> Scores:
    columns = tuple(Column("s", output, "f") for output in outputs or (Output("score"),))
    return Scores(tuple(corpus.frame["id"]), matrix.reshape(len(corpus), -1), columns, corpus.digest)


def drawn(column: pl.Series, deviation: float, seed: int) -> Array:
    """A normal number for each value."""
    values = column.unique(maintain_order=True).to_list()
    numbers = dict(zip(values, np.random.default_rng(seed).normal(scale=deviation, size=len(values)), strict=True))
    return np.array([numbers[value] for value in column])


def sides(corpus: Corpus) -> Array:
    return np.where(corpus.frame["gender"] == "female", 0.5, -0.5)


def levels(corpus: Corpus, seed: int = 0) -> Array:
    return 0.5 + drawn(corpus.frame["source"], 0.05, seed) + drawn(corpus.frame["person"], 0.01, seed + 1)


def by_emotion(corpus: Corpus, seed: int = 0) -> Array:
    size = np.array([STRONG.get(emotion, 0.05) for emotion in corpus.frame["emotion"]])
    return levels(corpus, seed) + sides(corpus) * size


def gaps_by_source(matrix: Array, corpus: Corpus) -> Array:
    """The gap in each source, over all persons."""
    frame = corpus.frame.select("source", "gender", pl.Series("v", matrix.reshape(-1)))
    means = frame.group_by("source", "gender", maintain_order=True).mean().pivot("gender", index="source", values="v")
    return (means["female"] - means["male"]).to_numpy()


def halves(corpus: Corpus, column: str) -> tuple[Array, Array]:
    """Half of a column's values to fit on, the others to see whether it holds."""
    values = corpus.frame[column].unique(maintain_order=True).drop_nulls().sort().to_list()
    seen = (corpus.frame[column].is_in(values[::2]) | corpus.frame[column].is_null()).to_numpy()
    return seen, ~seen


@pytest.mark.parametrize("new", ["template", "emotion_word"])
def test_what_is_learned_from_some_sentences_holds_on_others(corpus: Corpus, new: str) -> None:
    matrix = by_emotion(corpus)
    seen, unseen = halves(corpus, new)
    part = replace(corpus, frame=corpus.frame.filter(pl.Series(seen)))
    scores = scored(part, matrix[seen])
    rows = Rows.of(corpus)
    fitted = SentenceWeights.fit(scores, part)
    assert 0.3 < min(one.blend for one in fitted.learned if one.attribute == "gender") <= 1
    others = replace(corpus, frame=corpus.frame.filter(pl.Series(unseen)))
    left = [
        np.square(gaps_by_source(one.corrected(matrix[:, None], rows)[unseen], others)).mean()
        for one in (Layers.fit(scores, part), fitted)
    ]
    assert left[1] < 0.5 * left[0]


def test_a_gap_that_is_the_same_everywhere_is_left_to_the_layers(corpus: Corpus) -> None:
    scores = scored(corpus, levels(corpus) + 0.05 * sides(corpus))
    fitted = SentenceWeights.fit(scores, corpus)
    assert fitted.learned == ()
    layers = Layers.fit(scores, corpus)
    assert (fitted.apply(scores, corpus).matrix == layers.apply(scores, corpus).matrix).all()
    assert not (fitted.apply(scores, corpus).matrix == scores.matrix).all()


@pytest.mark.slow
def test_gaps_by_chance_are_not_believed(corpus: Corpus) -> None:
    """Each source has a gap of its own that nothing about the sentence explains: crossed fits see through it."""
    believed = []
    for seed in range(6):
        own = drawn(corpus.frame["source"], 0.03, seed=50 + seed)
        scores = scored(corpus, levels(corpus, seed) + sides(corpus) * (0.06 + own))
        fitted = SentenceWeights.fit(scores, corpus, attributes=["gender"])
        believed.append(max((one.blend for one in fitted.learned), default=0.0))
    assert np.median(believed) == 0
    assert max(believed) < 0.1


def test_a_fair_system_is_left_alone(corpus: Corpus) -> None:
    scores = scored(corpus, 0.5 + drawn(corpus.frame["source"], 0.05, 3))
    fitted = SentenceWeights.fit(scores, corpus)
    assert fitted.learned == ()
    assert (fitted.apply(scores, corpus).matrix == scores.matrix).all()


def test_the_regression_is_a_ridge_regression(corpus: Corpus) -> None:
    """Its coefficients solve the normal equations for one of the penalties."""
    scores = scored(corpus, by_emotion(corpus))
    learned = next(one for one in SentenceWeights.fit(scores, corpus).learned if one.kind == "unpaired")
    names = replace(corpus, frame=corpus.frame.filter(pl.col("kind") == "name"))
    matrix = scores.matrix[(corpus.frame["kind"] == "name").to_numpy()]
    first = names.frame.unique("source", maintain_order=True)
    texts = without_person(Rows.of(replace(names, frame=first, attributes={})))
    reflexive = {"herself", "himself"}
    level = np.array(
        names.frame.select("source", v=pl.Series(matrix[:, 0])).group_by("source", maintain_order=True).mean()["v"]
    )
    features = np.column_stack(
        [learned.words.features([text - reflexive for text in texts]), (level - learned.centre) / learned.scale]
    )
    gaps = gaps_by_source(matrix, names) / 2
    wanted = np.column_stack([gaps - gaps.mean(), gaps.mean() - gaps])
    centred = features - features.mean(axis=0)
    solutions = [
        np.linalg.solve(centred.T @ centred + penalty * np.eye(centred.shape[1]), centred.T @ wanted)
        for penalty in PENALTIES
    ]
    assert min(np.abs(solution - learned.coefficients).max() for solution in solutions) < 1e-8


def test_three_groups_each_have_a_gap_of_their_own() -> None:
    frame = pl.DataFrame(
        [
            {
                "id": f"{template}-{word}-{group}-{person}",
                "text": f"{group}{person} feels {word} {template}.",
                "source": f"{template}-{word}",
                "person": f"{group}{person}",
                "template": template,
                "word": word,
                "group": group,
            }
            for template in ("here", "now", "there", "again", "today")
            for word in ("glad", "sad", "mad", "bad", "fine", "well")
            for group in "abc"
            for person in range(6)
        ]
    )
    corpus = Corpus(frame, "three", {"group": ("a", "b", "c")}, groupings=("template", "word"))
    size = {"a": 0.1, "b": 0.0, "c": -0.1}
    now = (frame["template"] == "now").to_numpy()
    far = np.array([size[group] for group in frame["group"]]) * np.where(now, 2.0, 0.75)
    scores = scored(corpus, 0.5 + drawn(frame["source"], 0.02, 0) + drawn(frame["person"], 0.002, 1) + far)
    for column in ("word",):  # only the words were sampled: what goes with a template can be learned
        fitted = SentenceWeights.fit(scores, replace(corpus, groupings=(column,)))
        assert fitted.learned[0].groups == ("a", "b", "c")
        assert fitted.learned[0].blend > 0.8
        after = fitted.apply(replace(scores, corpus_digest=corpus.digest), corpus).matrix[:, 0]
        for template in (now, ~now):
            means = [after[template & (frame["group"] == group).to_numpy()].mean() for group in "abc"]
            assert np.ptp(means) < 0.04
    assert SentenceWeights.fit(scores, replace(corpus, groupings=("template", "word"))).learned == ()


@pytest.mark.slow
def test_a_distribution_is_corrected_on_all_of_its_labels(corpus: Corpus) -> None:
    outputs = [Output(f"mood={n}", kind="probability", of="mood", value=n) for n in (1.0, 2.0, 3.0)]
    odds = np.exp(np.outer(4 * by_emotion(corpus), [-1.0, 0.0, 1.0]))
    scores = scored(corpus, odds / odds.sum(axis=1, keepdims=True), *outputs)
    fitted = SentenceWeights.fit(scores, corpus)
    assert max(one.blend for one in fitted.learned) > 0.3
    after = fitted.apply(scores, corpus).matrix
    assert after.sum(axis=1) == pytest.approx(np.ones(len(corpus)))
    before, left = (gaps_by_source(one @ np.array([1.0, 2, 3]), corpus) for one in (scores.matrix, after))
    assert np.square(left).mean() < 0.1 * np.square(before).mean()


def example(**changes: object) -> Learned:
    learned = Learned(
        variable="score",
        attribute="gender",
        kind="everybody",
        groups=("female", "male"),
        blend=1.0,
        words=Vocabulary(("mad", "sad")),
        centre=np.array([0.5]),
        scale=np.array([0.1]),
        coefficients=np.array([[0.02, -0.02], [-0.01, 0.01], [0.003, -0.003]]),
        intercept=np.array([0.001, -0.001]),
        ends=(np.array([-0.02, -0.03]), np.array([0.03, 0.02])),
    )
    return replace(learned, **changes)  # type: ignore[arg-type]


def test_the_prediction_by_hand() -> None:
    mad, unknown, far = example().residual(
        [frozenset({"mad"}), frozenset({"feels", "mad"}), frozenset({"mad", "sad"})], np.array([[0.6], [0.5], [5.0]])
    )
    assert mad[:, 0] == pytest.approx([0.02 + 0.003 + 0.001, -0.024])
    assert unknown[:, 0] == pytest.approx([0.021 / 2, -0.021 / 2])  # half of the words say nothing
    assert far[:, 0] == pytest.approx([0.03, -0.03])  # none goes beyond what was seen
    assert not example().residual([frozenset({"glad"})], np.array([[0.9]])).any()


def test_the_correction_by_hand(corpus: Corpus) -> None:
    """The level is the score less the layer: what the source would get without the gap of all sentences."""
    fitted_for = FittedFor.of(scored(corpus, levels(corpus)), corpus)
    far = {"female": np.array([0.04]), "male": np.array([-0.04])}
    layers = Layers(fitted_for, (Layer("score", "gender", "everybody", far, closing=1.0, deserved=0.9, p=0.01),))
    fitted = SentenceWeights(fitted_for, layers, (example(blend=0.5),))
    rows = Rows(
        texts=labels_of(["Ebony mad", "Alan mad", "Mad"]),
        persons=labels_of(["Ebony", "Alan", None]),
        groups={"gender": labels_of(["female", "male", None])},
        paired=np.zeros(3, dtype=bool),
    )
    residuals = [0.02 + 0.003 * (0.56 - 0.04 - 0.5) / 0.1 + 0.001, -0.02 - 0.003 * (0.5 + 0.04 - 0.5) / 0.1 - 0.001]
    expected = [0.56 - 0.9 * (0.04 + 0.5 * residuals[0]), 0.5 - 0.9 * (-0.04 + 0.5 * residuals[1]), 0.7]
    assert fitted.corrected(np.array([[0.56], [0.5], [0.7]]), rows)[:, 0] == pytest.approx(expected)


def test_groups_meet_in_the_same_sentences() -> None:
    """Strata: a source, a kind of persons and a crossing of the other attributes; each group counts one in each."""
    rows = Rows(
        texts=labels_of(list("abcdefgh")),
        persons=labels_of(list("abcdefgh")),
        groups={
            "gender": labels_of(["f", "f", "m", "f", "m", "m", "m", None]),
            "race": labels_of(["x", "x", "x", "y", "y", "y", "x", "x"]),
        },
        paired=np.zeros(8, dtype=bool),
        sources=labels_of([1] * 8),
    )
    assert balanced_weights(rows, "gender", EVERYBODY).tolist() == [0.5, 0.5, 0.5, 1, 0.5, 0.5, 0.5, 0]
    lonely = replace(rows, groups={**rows.groups, "race": labels_of(["x", "x", "x", "y", "z", "z", "z", "x"])})
    # Only three of seven sentences would be left, so the other attribute is not looked at.
    assert balanced_weights(lonely, "gender", EVERYBODY) == pytest.approx(
        [1 / 3, 1 / 3, 1 / 4, 1 / 3, 1 / 4, 1 / 4, 1 / 4, 0]
    )
    assert not balanced_weights(rows, "gender", PAIRED).any()


def test_words_besides_the_person() -> None:
    assert words_besides("My sister told us about my sister's day.", "my sister") == {
        "told",
        "us",
        "about",
        "my",
        "sister's",
        "day",
    }
    assert words_besides("Alan met Al.", "Al") == {"alan", "met"}
    assert words_besides("It rained.", "") == {"it", "rained"}


def test_slots_that_say_something_count_as_words(corpus: Corpus) -> None:
    rows = Rows.of(corpus)
    assert without_person(rows)[0] == {"feels", "angry", "emotion=anger"}
    unknown = replace(rows, slots=None, terms=None)
    assert without_person(unknown)[0] == {"feels", "angry"}


def test_a_vocabulary_holds_the_words_of_two_texts_or_more() -> None:
    assert Vocabulary.of([frozenset({"a", "b"}), frozenset({"a"}), frozenset({"c", "b"})]).words == ("a", "b")


def test_folds_keep_values_together_and_leave_each_row_out_once() -> None:
    values = [f"v{place % 7}" for place in range(40)]
    seen_once = np.zeros(40)
    for seen, unseen in folds(values):
        assert not {values[row] for row in seen} & {values[row] for row in unseen}
        seen_once[unseen] += 1
    assert (seen_once == 1).all()
    assert list(folds(["same"] * 9)) == []

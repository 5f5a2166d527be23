"""Counterfactual averaging: all versions of a sentence get one answer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores, score
from evenhand.comparing import compare
from evenhand.corpora import Corpus, eec
from evenhand.errors import ScoringFailed
from evenhand.repairs.averaging import Averaged, Averaging
from evenhand.repairs.wrapping import cost_of
from evenhand.stats import spearman
from evenhand.systems.base import Array, BaseScorer, Output

ROWS = [
    ("s1", "Ebony", "female", "African American", None),
    ("s1", "Ellen", "female", "European American", None),
    ("s1", "Nancy", "female", "European American", None),
    ("s1", "Jamel", "male", "African American", None),
    ("s1", "Harry", "male", "European American", None),
    ("s1", "she", "female", None, "she/he"),
    ("s1", "he", "male", None, "she/he"),
    ("s1", "it", None, None, None),
    ("s2", "Ebony", "female", "African American", None),
    ("s2", "Jamel", "male", "African American", None),
    ("s3", "Harry", "male", "European American", None),
]


@pytest.fixture
def corpus() -> Corpus:
    frame = pl.DataFrame(
        [
            {"id": f"{source} {who}", "text": f"{who} in {source}.", "source": source, "person": who}
            | {"gender": gender, "race": race, "pair": pair}
            for source, who, gender, race, pair in ROWS
        ]
    )
    groups = {"gender": ("female", "male"), "race": ("African American", "European American")}
    return Corpus(frame, "small", groups)


class Lengths(BaseScorer):
    """Answers with the length of the text; remembers what it was asked."""

    name = "lengths"
    outputs: tuple[Output, ...] = (Output("length", high=100.0), Output("half", high=50.0))
    fingerprint: str | None = "lengths 1"
    batch_size = 4

    def __init__(self, failing: Sequence[str] = ()) -> None:
        self.asked: list[str] = []
        self.failing = failing

    def score(self, texts: Sequence[str]) -> Array:
        self.asked += texts
        if set(texts) & set(self.failing):
            raise RuntimeError("no idea")
        return np.array([[len(text) + ord(text[0]) / 16, len(text) / 2] for text in texts])


def scored(corpus: Corpus, numbers: Sequence[float]) -> Scores:
    return Scores(
        tuple(corpus.frame["id"]),
        np.reshape(numbers, (-1, 1)),
        (Column("s", Output("v", high=99.0), "f"),),
        corpus.digest,
    )


def test_first_within_groups_then_over_them(corpus: Corpus) -> None:
    #              Ebony Ellen Nancy Jamel Harry she he  it  Ebony Jamel Harry
    scores = scored(corpus, [10, 20, 30, 0, 5, 7, 11, 50, 3, 5, 8])
    after = Averaging.fit(scores, corpus).apply(scores, corpus).matrix[:, 0]
    # Five names in four crossings, and the two who are paired: 10, (20 + 30) / 2, 0, 5, 7 and 11.
    assert after[:7] == pytest.approx([(10 + 25 + 0 + 5 + 7 + 11) / 6] * 7)
    assert after[7] == 50  # it has no group
    assert after[8:10] == pytest.approx([4, 4])
    assert after[10] == 8  # nobody to be averaged with
    assert len(set(after[:7])) == 1


def test_only_the_siblings_that_are_there_count(corpus: Corpus) -> None:
    fewer = Corpus(
        corpus.frame.filter(pl.col("person").is_in(["Ebony", "Jamel", "she"])),
        "fewer",
        corpus.attributes | {"race": ("African American",)},
    )
    scores = scored(fewer, [10, 0, 7, 3, 5])
    after = Averaging.fit(scores, fewer).apply(scores, fewer).matrix[:, 0]
    assert after == pytest.approx([17 / 3, 17 / 3, 17 / 3, 4, 4])


def test_as_a_system_it_asks_the_siblings_and_says_the_same(corpus: Corpus, tmp_path: Path) -> None:
    system = Lengths()
    plain = score([Lengths()], corpus, cache=tmp_path / "other")
    wrapped = score([Averaged(system, corpus)], corpus, cache=tmp_path)
    assert (wrapped.matrix == Averaging.fit(plain, corpus).apply(plain, corpus).matrix).all()
    assert sorted(system.asked) == sorted(corpus.frame["text"])
    assert [column.output for column in wrapped.columns] == list(Lengths.outputs)


def test_alone_a_sentence_asks_all_its_versions(corpus: Corpus) -> None:
    system = Lengths()
    averaged = Averaged(system, corpus)
    one = averaged.score(["Ellen in s1."])
    assert sorted(system.asked) == sorted(
        f"{who} in s1." for who in ("Ebony", "Ellen", "Nancy", "Jamel", "Harry", "she", "he")
    )
    assert (one == averaged.score(["he in s1."])).all()
    assert averaged.named(["Ellen in s1.", "it in s1.", "Who?"]).tolist() == [True, False, False]


def test_texts_of_one_source_share_their_questions(corpus: Corpus) -> None:
    system = Averaged(Lengths(), corpus)
    asked = system.questions(["Ebony in s2.", "he in s1.", "Jamel in s2.", "she in s1.", "Who?"])
    assert [len(questions) for questions in asked] == [2, 7, 1, 1, 1]


def test_a_mean_of_equals_is_that_number(corpus: Corpus) -> None:
    """Rounding does not carry a mean beyond what was answered."""
    for number in np.linspace(0.01, 0.99, 99):
        scores = scored(corpus, [number] * len(corpus))
        assert (Averaging.fit(scores, corpus).apply(scores, corpus).matrix == scores.matrix).all()


def test_what_is_not_in_the_corpus_is_answered_as_it_is(corpus: Corpus) -> None:
    system = Lengths()
    texts = ["Nobody knows.", "it in s1.", "Harry in s3."]
    assert (Averaged(system, corpus).score(texts) == Lengths().score(texts)).all()


def test_answers_are_cached_as_the_inner_systems_and_a_run_goes_on(corpus: Corpus, tmp_path: Path) -> None:
    failing = Lengths(failing=["he in s1."])
    with pytest.raises(ScoringFailed, match="no idea"):
        score([Averaged(failing, corpus)], corpus, cache=tmp_path)
    again, plain = Lengths(), Lengths()
    whole = score([Averaged(again, corpus)], corpus, cache=tmp_path)
    assert 0 < len(again.asked) < len(corpus)
    score([plain], corpus, cache=tmp_path)
    assert plain.asked == []
    assert (whole.matrix == score([Averaged(Lengths(), corpus)], corpus, cache=tmp_path / "new").matrix).all()


def test_the_cost_is_told(corpus: Corpus, tmp_path: Path) -> None:
    averaged = Averaged(Lengths(), corpus)
    texts = corpus.frame["text"].to_list()
    before = cost_of(averaged, texts, cache=tmp_path)
    assert (before.texts, before.distinct, before.cached) == (11, 11, 0)
    assert before.questions == 7 * 7 + 1 + 2 * 2 + 1
    assert before.calls_per_sentence == pytest.approx(55 / 11)
    score([averaged], corpus, cache=tmp_path)
    assert cost_of(averaged, texts, cache=tmp_path).cached == 11
    assert cost_of(averaged, texts[:1], cache=tmp_path).distinct == 7
    assert cost_of(averaged, [], cache=tmp_path).calls_per_sentence is None
    assert "asks 5.4 questions" in averaged.remarks()[-1]


def test_its_fingerprint_is_that_of_the_system_and_of_the_versions(corpus: Corpus) -> None:
    one = Averaged(Lengths(), corpus).fingerprint
    fewer = Corpus(corpus.frame[:8], "small", corpus.attributes)
    other = Lengths()
    other.fingerprint = "lengths 2"
    assert one == Averaged(Lengths(), corpus).fingerprint
    assert (
        len({one, Averaged(Lengths(), fewer).fingerprint, Averaged(other, corpus).fingerprint, Lengths.fingerprint})
        == 4
    )


def test_no_gap_is_left_and_words_keep_their_order() -> None:
    corpus = eec()
    rng = np.random.default_rng(0)
    female = (corpus.frame["gender"] == "female").to_numpy()
    matrix = rng.uniform(0.2, 0.7, len(corpus)) + 0.2 * female
    scores = Scores(tuple(corpus.frame["id"]), matrix[:, None], (Column("s", Output("v"), "f"),), corpus.digest)
    after = Averaging.fit(scores, corpus).apply(scores, corpus)
    for finding in compare(after, corpus).findings:
        assert finding.mean_difference == pytest.approx(0, abs=1e-14)
    words = [
        corpus.frame.select("emotion_word", pl.Series("v", one.matrix[:, 0]))
        .drop_nulls()
        .group_by("emotion_word", maintain_order=True)
        .mean()["v"]
        for one in (scores, after)
    ]
    assert float(spearman(words[1].to_numpy()[:, None], words[0].to_numpy())[0]) > 0.97


def test_probabilities_are_averaged_as_such(corpus: Corpus) -> None:
    outputs = (Output("a", kind="probability", of="x"), Output("b", kind="probability", of="x"))
    first = np.linspace(0.05, 0.95, len(corpus))
    columns = tuple(Column("s", output, "f") for output in outputs)
    scores = Scores(tuple(corpus.frame["id"]), np.column_stack([first, 1 - first]), columns, corpus.digest)
    after = Averaging.fit(scores, corpus).apply(scores, corpus).matrix
    assert after.sum(axis=1) == pytest.approx(np.ones(len(corpus)))
    assert after[8] == pytest.approx(scores.matrix[8:10].mean(axis=0))


def test_nothing_is_logged_when_all_is_well(corpus: Corpus, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    with caplog.at_level(logging.WARNING):
        score([Averaged(Lengths(), corpus)], corpus, cache=tmp_path)
    assert not caplog.records

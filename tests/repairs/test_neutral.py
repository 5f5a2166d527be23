"""Neutral substitution: nobody is told who it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.asking import score
from evenhand.corpora import Corpus, eec
from evenhand.corpora.neutral import neutral_texts
from evenhand.errors import EvenhandError, UsageError
from evenhand.repairs.neutral import Neutral, Neutralised, with_versions
from evenhand.repairs.rows import Rows
from evenhand.repairs.wrapping import cost_of
from evenhand.systems import as_scorer
from evenhand.systems.base import Array
from evenhand.systems.few_shot import FewShot, LabelModel

ASKED: list[str] = []


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return eec().sample(120)


def loud(texts: Sequence[str]) -> list[float]:
    """Hears the person: names are louder than others."""
    ASKED.extend(texts)
    return [len(text.split()[0]) / 40 + text.count("a") / 60 for text in texts]


def test_every_person_gets_the_answer_about_a_neutral_one(corpus: Corpus, tmp_path: Path) -> None:
    system = as_scorer(loud, name="loud", version="1")
    ASKED.clear()
    after = score([Neutralised(system, corpus)], corpus, cache=tmp_path)
    neutral = neutral_texts(corpus)
    assert sorted(ASKED) == sorted({text for text in neutral if text})
    assert after.matrix[:, 0].tolist() == loud([str(text) for text in neutral])
    assert after.columns[0].output == system.outputs[0]


def test_it_costs_one_question_a_sentence_and_fewer_in_all(corpus: Corpus, tmp_path: Path) -> None:
    wrapped = Neutralised(as_scorer(loud, name="loud", version="1"), corpus)
    cost = cost_of(wrapped, corpus.frame["text"].to_list(), cache=tmp_path)
    assert (cost.calls_per_sentence, cost.distinct, wrapped.distinct, wrapped.left) == (1, 2, 2, 0)
    assert wrapped.remarks() == (
        "neutral substitution asks one question a sentence, 2 different ones about 120 sentences of the corpus",
    )


def test_texts_that_are_not_in_the_corpus_are_asked_as_they_are(corpus: Corpus) -> None:
    texts = ["Ebony knows.", "It rained."]
    wrapped = Neutralised(as_scorer(loud), corpus)
    assert wrapped.score(texts)[:, 0].tolist() == loud(texts)
    assert wrapped.named([*texts, corpus.frame["text"][0]]).tolist() == [False, False, True]


def test_sentences_without_a_neutral_version_keep_their_scores_and_are_counted(
    corpus: Corpus, caplog: pytest.LogCaptureFixture
) -> None:
    lost = pl.when(pl.col("person") == "Ebony").then(pl.lit("Nobody at all.")).otherwise(pl.col("text")).alias("text")
    odd = replace(corpus, frame=corpus.frame.with_columns(lost, source=pl.col("id")))
    wrapped = Neutralised(as_scorer(loud), odd)
    assert (wrapped.left, wrapped.reason) == (1, "the term 'Ebony' does not stand in it")
    assert wrapped.score(["Nobody at all."])[:, 0].tolist() == loud(["Nobody at all."])
    assert caplog.messages == [
        "repaired:neutral+loud: 1 of 119 sentences about a person have no neutral version and keep their scores"
    ]
    wrapped.score(["Nobody at all."])
    assert len(caplog.messages) == 1
    assert wrapped.remarks()[-1].startswith("1 of 119 sentences")


def test_the_language_of_a_corpus_of_ones_own_can_be_named(corpus: Corpus) -> None:
    mine = replace(corpus, name="mine")
    unknown = Neutralised(as_scorer(loud), mine)
    assert unknown.distinct == 0
    assert "not known which language" in str(unknown.reason)
    assert Neutralised(as_scorer(loud), mine, language="en").distinct == 2


def test_from_scores_alone_it_cannot_be_had(corpus: Corpus, tmp_path: Path) -> None:
    scores = score([as_scorer(loud, version="1")], corpus, cache=tmp_path)
    fitted = Neutral.fit(scores, corpus)
    for attempt in (lambda: fitted.apply(scores, corpus), lambda: fitted.corrected(scores.matrix, Rows.of(corpus))):
        with pytest.raises(
            UsageError, match=r"^neutral substitution asks .* repaired:neutral\+SYSTEM, or give the answers"
        ):
            attempt()


def test_with_the_answers_it_can(corpus: Corpus, tmp_path: Path) -> None:
    system = as_scorer(loud, name="loud", version="1")
    scores = score([system], corpus, cache=tmp_path)
    neutral = score([Neutralised(system, corpus)], corpus, cache=tmp_path).matrix
    fitted = Neutral.fit(scores, corpus)
    assert (fitted.apply(scores, corpus, neutral=neutral).matrix == neutral).all()
    with pytest.raises(UsageError, match=r"have the shape \(3, 1\), not that of the scores"):
        fitted.apply(scores, corpus, neutral=neutral[:3])
    with pytest.raises(EvenhandError, match="another corpus"):
        fitted.apply(scores, eec().sample(120, seed=1), neutral=neutral)


def test_who_has_no_group_is_not_replaced(corpus: Corpus, tmp_path: Path) -> None:
    """A sentence about somebody of no group is one to compare others with, and keeps its score."""
    nobody = pl.when(pl.col("person") == "Ebony").then(None).otherwise(pl.col("gender", "race")).name.keep()
    partly = replace(corpus, frame=corpus.frame.with_columns(nobody))
    ebony = (partly.frame["person"] == "Ebony").to_numpy()
    system = as_scorer(loud, name="loud", version="1")
    scores = score([system], partly, cache=tmp_path)
    neutral = np.zeros_like(scores.matrix)
    for after in (
        score([Neutralised(system, partly)], partly, cache=tmp_path).matrix,
        Neutral.fit(scores, partly).apply(scores, partly, neutral=neutral).matrix,
    ):
        assert (after[ebony] == scores.matrix[ebony]).all()
        assert (after[~ebony] != scores.matrix[~ebony]).any()


def test_neutral_versions_stand_in_the_slots_of_their_sentence(corpus: Corpus) -> None:
    texts = dict(zip(corpus.frame["text"], map(str, neutral_texts(corpus)), strict=True))
    whole = with_versions(corpus, texts)
    new = whole.frame[len(corpus) :]
    assert new["text"].to_list() == list(dict.fromkeys(texts.values()))
    assert new["emotion"].to_list() == corpus.frame.unique("source", maintain_order=True)["emotion"].to_list()
    assert new["gender"].null_count() == new["person"].null_count() == len(new)
    assert with_versions(corpus, {}) is corpus


class Counting(LabelModel):
    """A language model that finds a label as probable as the sentence is long; it hears 'this person' as shorter."""

    name = "counting"
    fingerprint: str | None = "1"
    batch_size = 32

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        odds = np.array([[1.0 + (len(ending) % (place + 2)) for place in range(len(labels))] for ending in endings])
        return np.asarray(0.9 * odds / odds.sum(axis=1, keepdims=True))

    def tokenise(self, text: str) -> list[str]:
        return text.split()


def test_a_language_model_is_asked_for_the_sentences_own_emotion(corpus: Corpus, tmp_path: Path) -> None:
    system = FewShot(Counting(), corpus)
    wrapped = Neutralised(system, corpus)
    after = score([wrapped], corpus, cache=tmp_path)
    versions = dict(zip(corpus.frame["text"], map(str, neutral_texts(corpus)), strict=True))
    neutral = with_versions(corpus, versions)
    direct = FewShot(Counting(), neutral).score([versions[text] for text in corpus.frame["text"]])
    assert after.matrix == pytest.approx(direct, abs=1e-12)
    assert wrapped.tokenise("one two") == ["one", "two"]
    assert wrapped.remarks()[0].startswith("the labels 1 to 5 hold 90 %")

"""The words whose swap moves a score: by hand, groups named, what cannot be told."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.corpora import Corpus, eec
from evenhand.explaining.swaps import swaps
from evenhand.systems import Output


def scored(corpus: Corpus, values: np.ndarray, *outputs: Output) -> Scores:
    columns = tuple(Column("s", output, None) for output in outputs or (Output("valence"),))
    return Scores(tuple(corpus.frame["id"]), values.reshape(len(corpus), -1), columns, corpus.digest)


def small() -> Corpus:
    """Two templates, two words, three people; a person's own score, a word's, and 0.1 more for Ann in the first."""
    rows = [
        {"id": f"{t}{w}{p}", "text": f"{p} {w} {t}", "source": f"{t}:{w}", "person": p, "template": t, "word": w,
         "gender": "f" if p == "Ann" else "m"}
        for t in ("t1", "t2") for w in ("glad", "sad") for p in ("Ann", "Bob", "Cid")
    ]  # fmt: skip
    return Corpus(pl.DataFrame(rows), "small", {"gender": ("f", "m")}, groupings=("template", "word"))


def test_people_and_words_by_hand() -> None:
    corpus = small()
    people, words = {"Ann": 0.3, "Bob": 0.1, "Cid": 0.2}, {"glad": 0.5, "sad": 0.0}
    frame = corpus.frame
    values = np.array([
        people[row["person"]] + words[row["word"]] + 0.1 * (row["person"] == "Ann" and row["template"] == "t1")
        for row in frame.iter_rows(named=True)
    ])  # fmt: skip
    found = {(one.kind, one.word): one for one in swaps(scored(corpus, values), corpus, attributes=["gender"])}
    # Ann against the mean of Bob and Cid, 0.15: 0.25 in the first template, 0.15 in the second.
    assert found["person", "Ann"].effect == pytest.approx(0.2)
    # Bob against (0.4 + 0.2)/2 and (0.3 + 0.2)/2: −0.2 and −0.15; Cid likewise −0.05 and 0.
    assert found["person", "Bob"].effect == pytest.approx(-0.175)
    assert found["person", "Cid"].effect == pytest.approx(-0.025)
    assert found["person", "Ann"].groups == ("f",)
    assert found["word", "glad"].effect == pytest.approx(0.5)
    assert found["word", "glad"].interval == pytest.approx((0.5, 0.5))
    # Templates 0.25 and 0.15: variance (0.05² + 0.05²)/4 · 2 = 0.0025 with one degree of freedom; words do not differ.
    interval = found["person", "Ann"].interval
    assert interval is not None
    t = 38.188459  # of one degree of freedom, two-sided at 0.05 / 3 people
    assert interval[1] - 0.2 == pytest.approx(t * 0.05, rel=1e-4)
    order = [one.word for one in swaps(scored(corpus, values), corpus, attributes=["gender"]) if one.kind == "person"]
    assert order == ["Ann", "Bob", "Cid"]


def test_a_planted_person_is_the_first_and_a_fair_system_has_nobody() -> None:
    corpus = eec().sample(480)
    name = corpus.frame["person"][0]
    planted = (corpus.frame["person"] == name).to_numpy() * 0.3
    first = swaps(scored(corpus, planted), corpus, attributes=["gender", "race"])[0]
    assert (first.word, first.effect) == (name, pytest.approx(0.3))
    fair = swaps(scored(corpus, np.zeros(len(corpus))), corpus, attributes=["gender"])
    assert {one.effect for one in fair} == {0.0}


def test_parts_of_a_distribution_are_left_out_and_outputs_kept_apart() -> None:
    corpus = small()
    values = np.random.default_rng(0).random((len(corpus), 2))
    found = swaps(scored(corpus, values, Output("a"), Output("b", of="x")), corpus, attributes=[])
    assert {one.output for one in found} == {"a"}


def test_one_place_only_is_undefined() -> None:
    whole = small()
    corpus = Corpus(
        whole.frame.filter(pl.col("source") == "t1:glad"), "one", {"gender": ("f", "m")}, ("template", "word")
    )
    found = swaps(scored(corpus, np.arange(3.0)), corpus, attributes=["gender"])
    assert [(one.interval, one.undefined) for one in found] == [(None, "it stands in one place only")] * 3

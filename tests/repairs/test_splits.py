"""What is fitted on and what is judged on: nothing is in both, and both are alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores
from evenhand.corpora import Corpus, eec
from evenhand.errors import UsageError
from evenhand.repairs.splits import Split, part, splits
from evenhand.systems.base import Output


@cache
def whole() -> Corpus:
    return eec()


@cache
def all_splits() -> tuple[Split, ...]:
    return splits(whole(), repetitions=3, seed=4)


def values(column: str, rows: np.ndarray) -> set[str]:
    frame = whole().frame[rows]
    return {value or source for value, source in frame.select(column, "source").iter_rows()}


def counts(rows: np.ndarray, *columns: str) -> Counter[tuple[object, ...]]:
    """How many persons of each kind stand in these sentences."""
    return Counter(row[1:] for row in whole().frame[rows].select("person", *columns).unique().iter_rows())


def test_three_things_are_new_in_turn_and_each_half_is_judged_once() -> None:
    found = Counter((split.new, split.repetition) for split in all_splits())
    assert found == {(new, number): 2 for new in ("person", "template", "emotion_word") for number in range(3)}
    for one, other in zip(all_splits()[::2], all_splits()[1::2], strict=True):
        assert (one.fit.tolist(), one.judge.tolist()) == (other.judge.tolist(), other.fit.tolist())
        assert sorted([*one.fit, *one.judge]) == list(range(len(whole())))


@pytest.mark.parametrize("new", ["person", "template", "emotion_word"])
def test_what_is_judged_was_not_seen(new: str) -> None:
    for split in all_splits():
        if split.new == new:
            assert not values(new, split.fit) & values(new, split.judge)


def test_what_is_not_new_is_in_both() -> None:
    for split in all_splits():
        for column in {"person", "template", "emotion_word"} - {split.new}:
            # A template without a word has one sentence, which is a word of its own.
            named = whole().frame.filter(pl.col("emotion_word").is_not_null())[column].unique()
            assert set(named) <= values(column, split.fit) & values(column, split.judge)


def test_persons_are_halved_within_groups_and_kinds() -> None:
    whole_counts = counts(np.arange(len(whole())), "gender", "race")
    for split in all_splits():
        if split.new == "person":
            assert counts(split.fit, "gender", "race") == {group: number // 2 for group, number in whole_counts.items()}


def test_those_who_correspond_stay_together() -> None:
    for split in all_splits():
        if split.new == "person":
            pairs = [set(whole().frame[rows]["pair"].drop_nulls()) for rows in (split.fit, split.judge)]
            assert not pairs[0] & pairs[1]
            assert [len(half) for half in pairs] == [5, 5]


def test_words_are_halved_within_emotions_and_templates_by_whether_they_have_a_word() -> None:
    for split in all_splits():
        frame = whole().frame[split.fit]
        if split.new == "emotion_word":
            words = frame.filter(pl.col("emotion").is_not_null()).select("emotion", "emotion_word").unique()
            assert set(Counter(words["emotion"]).values()) == {5}
            assert frame.filter(pl.col("emotion").is_null())["source"].n_unique() == 2
        if split.new == "template":
            emotional = frame.filter(pl.col("emotion").is_not_null())["template"].n_unique()
            assert (emotional, frame["template"].n_unique() - emotional) in {(3, 2), (4, 2)}


def test_odd_strata_take_turns() -> None:
    frame = whole().frame.filter(~pl.col("person").is_in(["Amanda", "Adam", "Ebony", "Alonzo"]))
    smaller = replace(whole(), frame=frame)
    for split in splits(smaller, repetitions=20):
        if split.new == "person":
            names = frame[split.fit].filter(pl.col("pair").is_null())
            assert names["person"].n_unique() == 18
            assert set(Counter(dict(names.select("person", "gender").iter_rows()).values()).values()) <= {8, 9, 10}


def test_the_seed_decides() -> None:
    again, other = splits(whole(), repetitions=3, seed=4), splits(whole(), repetitions=3, seed=5)
    assert all((one.fit == same.fit).all() for one, same in zip(all_splits(), again, strict=True))
    assert any(len(one.fit) != len(new.fit) or (one.fit != new.fit).any()
               for one, new in zip(all_splits(), other, strict=True))  # fmt: skip


def test_repetitions_divide_anew() -> None:
    halves = {split.fit.tobytes() for split in all_splits()}
    assert len(halves) == len(all_splits())


def test_the_order_of_rows_changes_no_group_sizes() -> None:
    order = np.random.default_rng(0).permutation(len(whole()))
    shuffled = replace(whole(), frame=whole().frame[order])
    for split in splits(shuffled, repetitions=1):
        if split.new == "person":
            persons = shuffled.frame[split.fit].unique("person")
            assert Counter(persons["gender"]) == {"female": 15, "male": 15}


def test_persons_whose_other_groups_are_not_known_are_halved_by_those_that_are() -> None:
    rows = [
        {"id": f"{t}{p}{g}", "text": "", "source": f"{t}", "person": f"{p}{g}", "gender": g, "race": None}
        for t in range(2)
        for p in range(4)
        for g in ("female", "male")
    ]
    frame = pl.DataFrame(rows, schema_overrides={"race": pl.String})
    frame = frame.with_columns(race=pl.when(pl.col("person") == "0male").then(pl.lit("x")).otherwise(pl.col("race")))
    corpus = Corpus(frame, "tiny", {"gender": ("female", "male"), "race": ("x",)})
    for seed in range(10):
        split = splits(corpus, repetitions=1, seed=seed)[0]
        persons = frame[split.fit].unique("person")
        assert Counter(persons["gender"])["female"] == 2


def test_without_columns_that_were_sampled_sources_are_new() -> None:
    frame = whole().frame.filter(pl.col("template") == whole().frame["template"][0])
    found = splits(replace(whole(), frame=frame, groupings=()), repetitions=1)
    assert [split.new for split in found] == ["person", "person", "source", "source"]
    assert not set(frame["source"][found[2].fit]) & set(frame["source"][found[2].judge])


def test_a_column_with_three_values_is_not_halved() -> None:
    templates = whole().frame["template"].unique(maintain_order=True)[:3].to_list()
    smaller = replace(whole(), frame=whole().frame.filter(pl.col("template").is_in(templates)))
    assert {split.new for split in splits(smaller, repetitions=1)} == {"person", "emotion_word"}


def test_too_little_is_an_error() -> None:
    frame = whole().frame.filter(
        (pl.col("source") == whole().frame["source"][0]) & pl.col("person").is_in(["she", "he"])
    )
    with pytest.raises(UsageError, match="too few persons, templates and words to hold some of them out"):
        splits(replace(whole(), frame=frame, attributes={"gender": ("female", "male")}))
    with pytest.raises(UsageError, match="the number of repetitions must be a whole number from 1, not 0"):
        splits(whole(), repetitions=0)


def test_a_part_holds_its_sentences_and_the_attributes_with_two_groups_left() -> None:
    matrix = np.arange(len(whole()), dtype=float)[:, None]
    scores = Scores(tuple(whole().frame["id"]), matrix, (Column("toy", Output("x", None, None, 1.0), None),),
                    whole().digest)  # fmt: skip
    rows = np.flatnonzero((whole().frame["race"] == "African American").fill_null(False).to_numpy())[:500]
    smaller, corpus = part(scores, whole(), rows)
    assert (smaller.matrix[:, 0] == rows).all()
    assert smaller.ids == tuple(corpus.frame["id"]) == tuple(whole().frame["id"][rows])
    assert smaller.corpus_digest == corpus.digest
    assert dict(corpus.attributes) == {"gender": ("female", "male")}
    assert corpus.drawn_from == whole().digest

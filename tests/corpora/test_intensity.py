"""The intended intensity of emotion words: every word of the packaged corpora has one."""

from __future__ import annotations

import polars as pl
import pytest
from pydantic import ValidationError

from evenhand.corpora import load_corpus
from evenhand.corpora.intensity import Intensities, intensities


@pytest.mark.parametrize("name", ["eec", "eec-extended", "es-emotions"])
def test_every_emotion_word_is_judged(name: str) -> None:
    words = load_corpus(name).frame.select("emotion", "emotion_word").drop_nulls().unique()
    assert words.height > 30
    assert [key for key in words.iter_rows() if key not in intensities().by_word()] == []


def test_no_word_is_listed_that_no_corpus_has() -> None:
    frames = [load_corpus(name).frame.select("emotion", "emotion_word") for name in ("eec", "es-emotions")]
    assert set(intensities().by_word()) == set(pl.concat(frames).drop_nulls().unique().iter_rows())


def test_states_and_situations_are_those_of_the_corpus() -> None:
    """States stand in other templates than situations; a word that is both is listed as a state."""
    frame = load_corpus("eec").frame.drop_nulls("emotion_word")
    for key, templates in frame.group_by("emotion", "emotion_word").agg(pl.col("template").unique()).select(
        pl.struct("emotion", "emotion_word"), "template"
    ).iter_rows():  # fmt: skip
        kind = intensities().by_word()[key["emotion"], key["emotion_word"]].kind
        assert all(f"<{kind}>" in template for template in templates)


def test_it_agrees_with_what_the_paper_says_of_its_own_words() -> None:
    anger = {word: meant.strength for (emotion, word), meant in intensities().by_word().items() if emotion == "anger"}
    assert min(anger["enraged"], anger["furious"]) > max(anger["annoyed"], anger["irritated"])


def test_joy_is_pleasant_and_the_others_are_not() -> None:
    assert intensities().pleasant == {"anger": -1, "fear": -1, "joy": 1, "sadness": -1}
    assert "judgement of this project" in intensities().chosen


def test_mistakes_in_the_data_are_noticed() -> None:
    content = intensities().model_dump()
    twice = content | {"words": {"en": {"joy": {"state": {"glad": 2}, "situation": {"glad": 3}}}}}
    with pytest.raises(ValidationError, match="'glad' is listed twice under joy"):
        Intensities.model_validate(twice)
    with pytest.raises(ValidationError, match="whether awe is pleasant"):
        Intensities.model_validate(content | {"words": {"en": {"awe": {"state": {"awed": 2}}}}})
    with pytest.raises(ValidationError, match="less than or equal to 5"):
        Intensities.model_validate(content | {"words": {"en": {"joy": {"state": {"glad": 6}}}}})

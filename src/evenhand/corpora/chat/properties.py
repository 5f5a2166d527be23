"""Conversations in numbers: words, stop words, utterances and turns, by speaker and gender."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import polars as pl

from evenhand.corpora.chat.steps import CHATBOT, KEY, USER
from evenhand.errors import UsageError, did_you_mean

WORD = r"[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*"
"""A word: letters and digits, and what an apostrophe or hyphen joins to them."""

WORDS, STOP_WORDS, UTTERANCES, TURNS, PUBLISHED_TURNS = (
    "words in an utterance",
    "stop words in an utterance",
    "utterances in a conversation",
    "turns in a conversation",
    "turns in a conversation, as published",
)
BOTH = "both"
"""The speaker of what only both together make."""


def words(texts: pl.Series) -> pl.Series:
    """The words of each text, in small letters.

    >>> words(pl.Series(["I'm on Level 1: re-do it!"])).to_list()
    [["i'm", 'on', 'level', '1', 're-do', 'it']]
    """
    return texts.str.to_lowercase().str.replace_all("’", "'").str.extract_all(WORD)


@cache
def stop_words() -> frozenset[str]:
    """Words that say little by themselves: the 318 English ones of scikit-learn, which has no contractions (it's)."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def per_conversation(frame: pl.DataFrame, *, column: str = "original") -> pl.DataFrame:
    """One row per conversation and speaker: utterances, words and stop words in all, and the conversation's turns.

    `column` says which words count: `original` (without the gender prefix) or `text`. A turn begins whenever the user
    takes the word: what the user says without interruption, and what the chatbot answers. `published_turns` are those
    of the authors' own files: each time the user takes the word after the chatbot, so that a user's opening words are
    none. Who never speaks has 0 utterances.
    """
    frame = _counted(frame, column)
    before = pl.col("speaker").shift(1).over(KEY)
    begins = (pl.col("speaker") == USER) & (before != USER).fill_null(True)
    answers = (pl.col("speaker") == USER) & (before == CHATBOT).fill_null(False)
    conversations = (
        frame.with_columns(begins=begins, answers=answers)
        .group_by(*KEY, maintain_order=True)
        .agg(
            pl.col("gender", "assigned").first(),
            turns=pl.col("begins").sum().cast(pl.Int64),
            published_turns=pl.col("answers").sum().cast(pl.Int64),
        )
    )
    speakers = pl.DataFrame({"speaker": [USER, CHATBOT]})
    spoken = frame.group_by(*KEY, "speaker").agg(
        utterances=pl.len().cast(pl.Int64), words=pl.col("words").sum(), stop_words=pl.col("stop_words").sum()
    )
    both = conversations.join(speakers, how="cross").join(
        spoken, on=[*KEY, "speaker"], how="left", maintain_order="left"
    )
    return both.with_columns(pl.col("utterances", "words", "stop_words").fill_null(0))


def properties(frame: pl.DataFrame, *, by: Sequence[str] = ("gender",), column: str = "original") -> pl.DataFrame:
    """The tables of Lakkaraju et al. (2023): mean, least and most of each property, by speaker and `by`.

    `by` is any of `gender` and `study`, or nothing. Count utterances as they were typed, not merged ones. `n` is how
    many utterances or conversations a row is about; where it is 0, the mean has no value, and `undefined` says why.
    """
    unknown = [name for name in by if name not in ("gender", "study")]
    if unknown:
        raise UsageError(
            f"properties are reported by gender or study, not {unknown[0]!r}{did_you_mean(unknown[0], by)}"
        )
    if frame["rows"].list.len().max() != 1:
        raise UsageError("count the utterances as they were typed, before they were merged")
    utterances, conversations = _counted(frame, column), per_conversation(frame, column=column)
    turns = conversations.filter(pl.col("speaker") == USER).with_columns(speaker=pl.lit(BOTH))
    groups = conversations.select(*by, "speaker").unique(maintain_order=True)
    parts = [
        _summed(groups, utterances, "words", WORDS, by),
        _summed(groups, utterances, "stop_words", STOP_WORDS, by),
        _summed(groups, conversations, "utterances", UTTERANCES, by),
        _summed(turns.select(*by, "speaker").unique(maintain_order=True), turns, "turns", TURNS, by),
        _summed(
            turns.select(*by, "speaker").unique(maintain_order=True), turns, "published_turns", PUBLISHED_TURNS, by
        ),
    ]
    none = pl.when(pl.col("n") == 0).then(pl.lit("nobody says anything"))
    return pl.concat(parts).with_columns(undefined=none)


def pieces(frame: pl.DataFrame) -> pl.DataFrame:
    """Utterances whose text, without its prefixes, has more words than their original: that is a piece of the text."""
    bare = frame["text"].fill_null("").to_list()
    told = frame["prefix"].to_list()
    left = [text if prefix is None else text.replace(prefix, "") for text, prefix in zip(bare, told, strict=True)]
    more = words(pl.Series(left, dtype=pl.String)).list.len() > words(frame["original"].fill_null("")).list.len()
    return frame.filter(more)


def _counted(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    if column not in ("original", "text"):
        raise UsageError(f"words are counted in 'original' or 'text', not in {column!r}")
    found = words(frame[column])
    stop = pl.element().is_in(sorted(stop_words()))
    return frame.with_columns(
        words=found.list.len().cast(pl.Int64), stop_words=found.list.eval(stop).list.sum().cast(pl.Int64)
    )


def _summed(groups: pl.DataFrame, frame: pl.DataFrame, value: str, name: str, by: Sequence[str]) -> pl.DataFrame:
    keys = [*by, "speaker"]
    found = frame.group_by(keys).agg(
        mean=pl.col(value).mean(), min=pl.col(value).min(), max=pl.col(value).max(), n=pl.len().cast(pl.Int64)
    )
    summed = groups.join(found, on=keys, how="left", maintain_order="left").with_columns(pl.col("n").fill_null(0))
    return summed.select(*by, "speaker", pl.lit(name).alias("property"), "mean", "min", "max", "n")

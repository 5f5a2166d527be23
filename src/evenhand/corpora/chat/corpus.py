"""Conversations as a corpus: what people and chatbots said, to be scored and compared by the user's gender."""

from __future__ import annotations

import polars as pl

from evenhand.corpora.chat.steps import CHATBOT, KEY, USER, ordered_genders
from evenhand.corpora.corpus import About, Corpus
from evenhand.corpora.labels import stated_or_not
from evenhand.errors import UsageError

SUBSETS = {USER: {"speaker": USER}, CHATBOT: {"speaker": CHATBOT}}


def chat_corpus(frame: pl.DataFrame, *, name: str = "chat", about: About | None = None) -> Corpus:
    """A corpus of utterances (merged ones, as a rule), with the user's gender as its attribute.

    Nothing in it is a counterfactual pair: people said what they said. The conversation is the unit, so it is both
    `source` and `person`: a sample draws whole conversations, and tests count them, not utterances. The slots are
    `study`, `speaker` and `assigned` (whether the gender is a lot); the subsets `user` and `chatbot` are the two sides,
    which are rated apart.
    """
    groups = tuple(ordered_genders(frame["gender"]))
    if len(groups) < 2:
        raise UsageError(f"all conversations have the gender {', '.join(groups)}: there is nothing to compare")
    conversation = pl.concat_str(KEY, separator="/")
    place = (pl.int_range(pl.len()).over(KEY) + 1).cast(pl.String)
    nothing = pl.lit(None, dtype=pl.String)
    sentences = frame.select(
        id=conversation + "/" + place,
        text="text",
        source=conversation,
        person=conversation,
        # The word that tells the gender; the chatbot's utterances have none.
        term=pl.col("prefix").str.strip_chars(" ,"),
        kind=pl.lit("conversation"),
        pair=nothing,
        role=nothing,
        gender="gender",
        study="study",
        speaker="speaker",
        assigned="assigned",
    )
    return Corpus(sentences, name, {"gender": groups}, subsets=SUBSETS, about=about or About(), labels=stated_or_not())


def chat_corpora(frame: pl.DataFrame, *, name: str = "chat", about: About | None = None) -> dict[str, Corpus]:
    """What users said and what chatbots said, apart: two datasets, each rated by itself."""
    sides = {speaker: frame.filter(pl.col("speaker") == speaker) for speaker in (USER, CHATBOT)}
    return {
        speaker: chat_corpus(part, name=f"{name}: {speaker}", about=about)
        for speaker, part in sides.items()
        if len(part)
    }

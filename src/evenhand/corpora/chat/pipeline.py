"""Conversations made ready: the steps one after another, what each of them did, and a check after each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from evenhand.corpora.chat.steps import (
    KEY,
    add_prefixes,
    assign_proxies,
    check_borders,
    code_genders,
    code_speakers,
    drop_null_rows,
    drop_single_classes,
    join_studies,
    merge_runs,
)

Step = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True)
class StepDone:
    """What one step did."""

    name: str
    does: str
    rows_before: int
    rows_after: int
    conversations_before: int
    conversations_after: int


@dataclass(frozen=True, eq=False)
class Conversations:
    """Conversations, ready to be counted and scored.

    `utterances` has one row per utterance as it was typed, `merged` one for all that a speaker says without
    interruption. Both have the columns study, conversation, speaker (user, chatbot), gender, assigned (whether the
    gender is a lot, not the user's own), original, prefix, text (what systems are asked), rows, file and line.
    """

    utterances: pl.DataFrame
    merged: pl.DataFrame
    steps: tuple[StepDone, ...]

    def __repr__(self) -> str:
        conversations = count_conversations(self.utterances)
        utterances, merged = self.utterances.height, self.merged.height
        return f"<Conversations: {conversations:,} with {utterances:,} utterances, {merged:,} merged>"


def prepare(
    studies: Sequence[pl.DataFrame],
    *,
    speakers: Mapping[str, str] | None = None,
    genders: Mapping[str, str] | None = None,
    prefixes: Mapping[str, str] | None = None,
    assign: Mapping[str, int] | None = None,
    seed: int = 0,
) -> Conversations:
    """Take logs, as `read_log` gives them, through all steps.

    `speakers` and `genders` say what further spellings in the logs mean; `prefixes` what is put before a user's words;
    `assign` how many conversations of a study without genders get which (10 male, 10 female), drawn with `seed`.
    """
    joined = join_studies(studies)
    steps: dict[str, Step] = {
        "null rows": drop_null_rows,
        "who speaks": partial(code_speakers, codes=speakers),
        "gender code": partial(code_genders, codes=genders),
        "assigned genders": partial(assign_proxies, counts=assign, seed=seed),
        "classes with one conversation": drop_single_classes,
        "gender prefix": partial(add_prefixes, prefixes=prefixes),
    }
    utterances, done = run_steps(joined, steps)
    merged, last = run_steps(utterances, {"merged utterances": merge_runs})
    parts = sum(count_conversations(study) for study in studies)
    rows = sum(study.height for study in studies)
    first = _done("joined studies", join_studies, rows, joined.height, parts, count_conversations(joined))
    return Conversations(utterances, merged, (first, *done, *last))


def run_steps(frame: pl.DataFrame, steps: Mapping[str, Step]) -> tuple[pl.DataFrame, tuple[StepDone, ...]]:
    """Do the steps in order; after each, nothing may have crossed the border of a conversation."""
    done = []
    for name, step in steps.items():
        after = step(frame)
        check_borders(frame, after)
        counts = (count_conversations(frame), count_conversations(after))
        done.append(_done(name, step, frame.height, after.height, *counts))
        frame = after
    return frame, tuple(done)


def count_conversations(frame: pl.DataFrame) -> int:
    """How many conversations there are; rows that belong to none are none."""
    return frame.select(KEY).drop_nulls().unique().height


def _done(name: str, step: Callable[..., pl.DataFrame], *counts: int) -> StepDone:
    does = inspect.getdoc(step.func if isinstance(step, partial) else step) or ""
    return StepDone(name, does.partition("\n")[0], *counts)

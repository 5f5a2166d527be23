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
    declare_assigned,
    drop_null_rows,
    drop_single_classes,
    join_studies,
    merge_runs,
    recognise_prefixes,
    say_intents,
)
from evenhand.errors import EvenhandError

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
    assigned: Sequence[str] = (),
    intents: Mapping[str, str] | None = None,
    leave_out_intents: bool = False,
    seed: int = 0,
) -> Conversations:
    """Take logs, as `read_log` gives them, through all steps.

    `speakers` and `genders` say what further spellings in the logs mean; `prefixes` what is put before a user's words;
    `assign` how many conversations of a study without genders get which (10 male, 10 female), drawn with `seed`;
    `assigned` the studies whose logs have genders that were assigned by lot (or `all`). `intents` says what was said
    where the log has only an intent (else its name in plain words); or these rows are left out.
    """
    joined = join_studies(studies)
    first: dict[str, Step] = {"null rows": drop_null_rows}
    if joined["intent"].is_not_null().any():
        first = {"intents as words": partial(say_intents, texts=intents, leave_out=leave_out_intents)} | first
    first |= {
        "who speaks": partial(code_speakers, codes=speakers),
        "gender code": partial(code_genders, codes=genders),
    }
    if assigned:
        first["declared lots"] = partial(declare_assigned, studies=assigned)
    coded, done = run_steps(joined, first)
    if coded.is_empty():
        files = ", ".join(map(str, joined["file"].unique(maintain_order=True)))
        raise EvenhandError(f"{files}: no row has both a conversation and what is said in it")
    second: dict[str, Step] = {}
    if not recognise_prefixes(coded).equals(coded):
        second["prefixes in the text"] = recognise_prefixes
    second |= {
        "assigned genders": partial(assign_proxies, counts=assign, seed=seed),
        "classes with one conversation": drop_single_classes,
        "gender prefix": partial(add_prefixes, prefixes=prefixes),
    }
    utterances, more = run_steps(coded, second)
    if utterances["intent"].null_count() == utterances.height and utterances["gap"].max() == 0:
        utterances = utterances.drop("intent", "gap")
    merged, last = run_steps(utterances, {"merged utterances": merge_runs})
    parts = sum(count_conversations(study) for study in studies)
    rows = sum(study.height for study in studies)
    start = _done("joined studies", join_studies, rows, joined.height, parts, count_conversations(joined))
    return Conversations(utterances, merged, (start, *done, *more, *last))


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

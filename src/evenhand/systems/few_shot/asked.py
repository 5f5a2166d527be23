"""Which questions a sentence is asked: one that the person names, or the one that the corpus names for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.errors import UsageError, did_you_mean
from evenhand.systems.few_shot.task import ALL, EMOTIONS, OWN, Task

if TYPE_CHECKING:
    from evenhand.corpora.corpus import Corpus

COLUMN = "emotion"
"""The column of a corpus that says which question each sentence is asked."""


def checked_ask(ask: str, task: Task) -> str:
    """What is to be asked, if the task has it."""
    known = [OWN, ALL, *([EMOTIONS] if task.emotions else []), *task.questions]
    if ask not in known:
        raise UsageError(f"ask={ask!r}: the task {task.name!r} has no such question{did_you_mean(str(ask), known)}")
    return ask


def own_questions(corpus: Corpus | None, task: Task, name: str) -> Mapping[str, Sequence[str]]:
    """The questions that each text of the corpus is asked: its emotion, or those of all rows that it stands in."""
    if corpus is None or COLUMN not in corpus.frame.columns:
        lacking = "there is no corpus" if corpus is None else f"the corpus {corpus.name!r} has no column {COLUMN!r}"
        raise UsageError(f"{name!r} asks each sentence for its own emotion, and {lacking}; {instead(task)}")
    asked: dict[str, list[str]] = {}
    for text, emotion in corpus.frame.select("text", COLUMN).iter_rows():
        found = asked.setdefault(text, [])
        if emotion is None or emotion in found:
            continue
        if emotion not in task.emotions:
            raise UsageError(
                f"the corpus {corpus.name!r} has sentences of the emotion {emotion!r}, and the task {task.name!r} asks "
                f"for {', '.join(task.emotions)}; write a task of your own, or {instead(task)}"
            )
        found.append(emotion)
    return {text: found or task.emotions for text, found in asked.items()}


def instead(task: Task) -> str:
    """What to type where the corpus cannot say."""
    known = [EMOTIONS, *task.questions]
    return f"set ask to one of {', '.join(known)}, as in smollm(ask={known[-1]}) or in a system file"

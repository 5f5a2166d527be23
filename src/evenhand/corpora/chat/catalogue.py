"""Conversations by file or by name: logs of one's own, and the two made-up studies that come with Evenhand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path

import polars as pl

from evenhand.corpora.chat.corpus import chat_corpus
from evenhand.corpora.chat.logs import read_log
from evenhand.corpora.chat.pipeline import Conversations, prepare
from evenhand.corpora.corpus import About, Corpus
from evenhand.errors import EvenhandError, UsageError

SPEC = "chat:"
EXAMPLE = "example"
STUDIES = ("homework", "helpdesk")
"""The studies of the example. Users of the first said their gender; those of the second were not asked."""

ABOUT_EXAMPLE = About(
    title="Conversations with a homework helper and with a university's help desk",
    chosen=(
        "Written for Evenhand, for tests and for trying things out. Nobody said these words to a chatbot: what they "
        "show about systems holds for them alone, and they show nothing about people."
    ),
    source="Evenhand's authors, src/evenhand/data/chat",
    licence="CC0 1.0",
    limits=("made up", "two genders only, and users who did not say", "English"),
)


def read_chat(
    paths: Sequence[Path | str],
    *,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    speakers: Mapping[str, str] | None = None,
    genders: Mapping[str, str] | None = None,
    prefixes: Mapping[str, str] | None = None,
    assign: Mapping[str, int] | None = None,
    assigned: Sequence[str] = (),
    intents: Mapping[str, str] | None = None,
    leave_out_intents: bool = False,
    words: str | None = None,
    ends: str | None = None,
    first_row_only: bool = False,
    seed: int = 0,
) -> Conversations:
    """Read the logs of one or more studies and make them ready; see `read_log` and `prepare` for the arguments.

    `example` instead of a path stands for the two studies that come with Evenhand.

    >>> read_chat(["example"])
    <Conversations: 36 with 291 utterances, 253 merged>
    """
    logs = []
    for path in paths:
        if str(path) == EXAMPLE:
            logs += [_packaged(study) for study in STUDIES]
        else:
            logs.append(
                read_log(
                    path, columns=columns, separator=separator, words=words, ends=ends, first_row_only=first_row_only
                )
            )
    try:
        return prepare(
            logs,
            speakers=speakers,
            genders=genders,
            prefixes=prefixes,
            assign=assign,
            assigned=assigned,
            intents=intents,
            leave_out_intents=leave_out_intents,
            seed=seed,
        )
    except EvenhandError as error:
        if not any(Path(path).name in str(error) for path in paths):
            error.args = (f"{', '.join(map(str, paths))}: {error}",)
        raise


def load_chat_corpus(spec: str) -> Corpus:
    """What `chat:FILE[,FILE...]` and `chat:example` stand for: the merged utterances of the conversations."""
    paths = [part.strip() for part in spec.removeprefix(SPEC).split(",") if part.strip()]
    if not paths:
        raise UsageError(f"{spec!r} names no log; write {SPEC}FILE or {SPEC}{EXAMPLE}")
    names = ", ".join(Path(path).name for path in paths)
    about = (
        ABOUT_EXAMPLE if paths == [EXAMPLE] else About(title=f"Conversations of {names}", source=f"read from {names}")
    )
    return chat_corpus(read_chat(paths).merged, name=spec, about=about)


def _packaged(study: str) -> pl.DataFrame:
    with as_file(files("evenhand") / "data" / "chat" / f"{study}.csv") as path:
        return read_log(path, study=study)

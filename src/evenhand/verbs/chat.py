"""The chain for conversations: read logs, make them ready, count, compare by gender, and ask systems about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Unpack

import polars as pl

from evenhand.asking.settings import AskOptions, AskSettings
from evenhand.comparing.chat import Chat
from evenhand.comparing.conversations import DRAWS as RELABELLINGS
from evenhand.comparing.conversations import sentiment_given, what_is_said
from evenhand.corpora.chat import EXAMPLE, chat_corpus, properties, read_chat
from evenhand.errors import UsageError
from evenhand.files.whole import check_writable
from evenhand.results import Provenance, Subject, check_out
from evenhand.settings import check_count, check_seed
from evenhand.specs.resolving import Given
from evenhand.verbs.ask import asked, names_of, resolved


def chat(
    paths: Sequence[str | Path],
    *,
    systems: Given | Sequence[Given] = (),
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    speakers: Mapping[str, str] | None = None,
    genders: Mapping[str, str] | None = None,
    assign: Mapping[str, int] | None = None,
    seed: int = 0,
    relabellings: int = RELABELLINGS,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    **asking: Unpack[AskOptions],
) -> Chat:
    """Say what is in conversations, and whether the user's gender changes what is said and the sentiment given to it.

    `paths` are logs (see `read_log` for `columns` and `separator`, `prepare` for the rest), or `example`. `systems` are
    asked about the merged utterances, as `AskSettings` says. With `out`, everything is saved in that folder. `command`
    goes into the provenance.
    """
    check_seed(seed)
    check_count("the number of relabellings", relabellings, least=1)
    logs = [path for path in paths if str(path) != EXAMPLE]
    _check(paths, logs, reading=bool(columns or separator))
    if asking and not systems:
        raise UsageError(f"{next(iter(asking))} says how systems are asked, and none is")
    if out is not None:
        check_writable(Path(out))
    conversations = read_chat(
        paths, columns=columns, separator=separator, speakers=speakers, genders=genders, assign=assign, seed=seed
    )
    if assign and not conversations.utterances["assigned"].any():
        raise UsageError("every study knows its users' genders, so there are none to assign")
    corpus = chat_corpus(conversations.merged, name=", ".join(Path(path).stem for path in paths))
    how = AskSettings(**asking)
    made = resolved(systems, corpus, how) if systems else []
    if out is not None:
        files = tuple(Path(path).name for path in logs)
        check_out(Path(out), Chat, Subject(names_of(made), (corpus.name,), files), overwrite=overwrite)
    with ExitStack() as under_way:
        answers = under_way.enter_context(asked(made, corpus, how)) if made else None
        scores = [] if answers is None else [answers.scores]
        utterances = conversations.utterances
        lots = {"seed": seed, "draws": relabellings}
        found = Chat(
            steps=conversations.steps,
            by_gender=properties(utterances),
            by_study=properties(utterances, by=("study",)),
            by_study_with_prefix=properties(utterances, by=("study",), column="text"),
            said=what_is_said(utterances, **lots),
            sentiment=tuple(one for given in scores for one in sentiment_given(given, corpus, **lots)),
            # What is saved names files without their folders.
            utterances=utterances.with_columns(pl.col("file").str.extract(r"([^/\\]+)$")),
            notes=() if answers is None else answers.notes,
            provenance=Provenance.collect(
                corpora=[corpus],
                scores=scores,
                files=logs,
                settings={**lots, "assign": assign},
                command=command,
            ),
        )
        if out is not None:
            found.save(out, overwrite=overwrite)
    return found


def _check(paths: Sequence[object], logs: Sequence[object], *, reading: bool) -> None:
    if not paths:
        raise UsageError(f"name at least one log of conversations, or `{EXAMPLE}`")
    if reading and not logs:
        raise UsageError(f"columns and a separator say how a log is read; `{EXAMPLE}` is not a log")

"""The chain for conversations: read logs, make them ready, count, compare by gender, and ask systems about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from evenhand.comparing.chat import Chat
from evenhand.comparing.conversations import DRAWS, sentiment_given, what_is_said
from evenhand.corpora import Corpus
from evenhand.corpora.chat import EXAMPLE, chat_corpus, properties, read_chat
from evenhand.errors import UsageError
from evenhand.files import check_writable
from evenhand.results import Provenance
from evenhand.scoring import Scores, score
from evenhand.settings import check_count, check_seed
from evenhand.specs import resolve


def examine_chat(
    paths: Sequence[str | Path],
    *,
    systems: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    speakers: Mapping[str, str] | None = None,
    genders: Mapping[str, str] | None = None,
    assign: Mapping[str, int] | None = None,
    bounds: tuple[float, float] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    cache: Path | None = None,
    progress: bool | None = None,
    out: Path | None = None,
    command: str | None = None,
) -> Chat:
    """Say what is in conversations, and whether the user's gender changes what is said and the sentiment given to it.

    `paths` are logs (see `read_log` for `columns` and `separator`, `prepare` for the rest), or `example`. `systems` are
    asked about the merged utterances; `bounds` is the range of outputs that declare none. With `out`, everything is
    saved in that folder. `command` goes into the provenance.
    """
    check_seed(seed)
    check_count("the number of relabellings", draws, least=1)
    logs = [path for path in paths if str(path) != EXAMPLE]
    _check(paths, logs, reading=bool(columns or separator), systems=systems, bounds=bounds)
    if out is not None:
        check_writable(out)
    conversations = read_chat(
        paths, columns=columns, separator=separator, speakers=speakers, genders=genders, assign=assign, seed=seed
    )
    if assign and not conversations.utterances["assigned"].any():
        raise UsageError("every study knows its users' genders, so there are none to assign")
    corpus = chat_corpus(conversations.merged, name=", ".join(Path(path).stem for path in paths))
    scores = _asked(systems, corpus, bounds=bounds, cache=cache, progress=progress)
    utterances = conversations.utterances
    found = Chat(
        steps=conversations.steps,
        by_gender=properties(utterances),
        by_study=properties(utterances, by=("study",)),
        by_study_with_prefix=properties(utterances, by=("study",), column="text"),
        said=what_is_said(utterances, seed=seed, draws=draws),
        sentiment=() if scores is None else sentiment_given(scores, corpus, seed=seed, draws=draws),
        # What is saved names files without their folders.
        utterances=utterances.with_columns(pl.col("file").str.extract(r"([^/\\]+)$")),
        provenance=Provenance.collect(
            corpora=[corpus],
            scores=[] if scores is None else [scores],
            files=logs,
            settings={"seed": seed, "draws": draws, "assign": assign},
            command=command,
        ),
    )
    if out is not None:
        found.save(out)
    return found


def _check(
    paths: Sequence[object],
    logs: Sequence[object],
    *,
    reading: bool,
    systems: Sequence[str],
    bounds: tuple[float, float] | None,
) -> None:
    if not paths:
        raise UsageError(f"name at least one log of conversations, or `{EXAMPLE}`")
    if reading and not logs:
        raise UsageError(f"columns and a separator say how a log is read; `{EXAMPLE}` is no log")
    if bounds is not None and not systems:
        raise UsageError("a range is for the scores of systems, and none is asked")


def _asked(
    systems: Sequence[str],
    corpus: Corpus,
    *,
    bounds: tuple[float, float] | None,
    cache: Path | None,
    progress: bool | None,
) -> Scores | None:
    """The scores of all systems, those first that have to be asked; None without any."""
    made = [resolve(spec, corpus, bounds=bounds, cache=cache) for spec in systems]
    recorded = [one for one in made if isinstance(one, Scores)]
    asked = [one for one in made if not isinstance(one, Scores)]
    scored = [score(asked, corpus, cache=cache, progress=progress)] if asked else []
    return Scores.join([*scored, *recorded]) if made else None

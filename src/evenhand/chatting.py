"""The chain for conversations: read logs, make them ready, count, compare by gender, and ask systems about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evenhand.comparing.conversations import DRAWS, sentiment_given, what_is_said
from evenhand.corpora.chat import chat_corpus, properties, read_chat
from evenhand.errors import UsageError
from evenhand.files import check_writable
from evenhand.report.chat import ChatReport
from evenhand.scoring import Scores, score
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
) -> ChatReport:
    """Say what is in conversations, and whether the user's gender changes what is said and the sentiment given to it.

    `paths` are logs (see `read_log` for `columns` and `separator`, `prepare` for the rest), or `example`. `systems` are
    asked about the merged utterances. With `out`, everything is saved in that folder.
    """
    if not paths:
        raise UsageError("name at least one log of conversations, or `example`")
    if out is not None:
        check_writable(out)
    conversations = read_chat(
        paths, columns=columns, separator=separator, speakers=speakers, genders=genders, assign=assign, seed=seed
    )
    corpus = chat_corpus(conversations.merged, name=", ".join(Path(path).stem for path in paths))
    scores = None
    if systems:
        made = [resolve(spec, corpus, bounds=bounds) for spec in systems]
        recorded = [one for one in made if isinstance(one, Scores)]
        asked = [one for one in made if not isinstance(one, Scores)]
        scored = [score(asked, corpus, cache=cache, progress=progress)] if asked else []
        scores = Scores.join([*scored, *recorded])
    utterances = conversations.utterances
    report = ChatReport(
        conversations=conversations,
        by_gender=properties(utterances),
        by_study=properties(utterances, by=("study",)),
        by_study_with_prefix=properties(utterances, by=("study",), column="text"),
        said=what_is_said(utterances, seed=seed, draws=draws),
        sentiment=() if scores is None else sentiment_given(scores, corpus, seed=seed, draws=draws),
        seed=seed,
    )
    if out is not None:
        report.save(out)
    return report

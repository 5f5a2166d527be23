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
from evenhand.corpora import Corpus
from evenhand.corpora.chat import EXAMPLE, chat_corpus, pieces, properties, read_chat
from evenhand.errors import UsageError
from evenhand.files.whole import check_writable
from evenhand.results import Note, Provenance, Subject, check_out
from evenhand.settings import check_resamples, check_seed
from evenhand.specs.resolving import Given
from evenhand.systems.people.human import Human
from evenhand.verbs.ask import asked, names_of, part_of, resolved
from evenhand.verbs.going_on import others_go_on


@others_go_on
def chat(
    paths: Sequence[str | Path],
    *,
    systems: Given | Sequence[Given] = (),
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    speakers: Mapping[str, str] | None = None,
    genders: Mapping[str, str] | None = None,
    assign: Mapping[str, int] | None = None,
    assigned: Sequence[str] = (),
    intents: Mapping[str, str] | None = None,
    leave_out_intents: bool = False,
    words: str | None = None,
    ends: str | None = None,
    first_row_only: bool = False,
    seed: int = 0,
    relabellings: int = RELABELLINGS,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    **asking: Unpack[AskOptions],
) -> Chat:
    """Say what is in conversations, and whether the user's gender changes what is said and the sentiment given to it.

    `paths` are logs (see `read_log` for `columns`, `separator`, `words`, `ends` and `first_row_only`, `prepare` for the
    rest), or `example`. `systems` are asked about the merged utterances, as `AskSettings` says. With `out`, everything
    is saved in that folder. `command` goes into the provenance.
    """
    check_seed(seed)
    check_resamples("the number of relabellings", relabellings, least=1)
    logs = [path for path in paths if str(path) != EXAMPLE]
    _check(paths, logs, reading=bool(columns or separator or words or ends or first_row_only))
    if intents and leave_out_intents:
        raise UsageError("intents are either given words or left out, not both")
    if asking and not systems:
        raise UsageError(f"{next(iter(asking))} says how systems are asked, and none is")
    if out is not None:
        check_writable(Path(out))
    conversations = read_chat(
        paths,
        columns=columns,
        separator=separator,
        speakers=speakers,
        genders=genders,
        assign=assign,
        assigned=assigned,
        intents=intents,
        leave_out_intents=leave_out_intents,
        words=words,
        ends=ends,
        first_row_only=first_row_only,
        seed=seed,
    )
    if (intents or leave_out_intents) and "intent" not in conversations.utterances.columns:
        raise UsageError("no row of these logs holds only an intent, so there is none to give words to or to leave out")
    if assign and not conversations.utterances["assigned"].any():
        raise UsageError("every study knows its users' genders, so there are none to assign")
    remarks = chat_notes(conversations.utterances, words=words)
    corpus = chat_corpus(conversations.merged, name=", ".join(Path(path).stem for path in paths))
    how = AskSettings(**asking)
    made = resolved(systems, corpus, how) if systems else []
    if out is not None:
        files = tuple(Path(path).name for path in logs)
        check_out(Path(out), Chat, Subject(names_of(made), (corpus.name,), files), overwrite=overwrite)
    with ExitStack() as under_way:
        partly = [one for one in made if isinstance(one, Human) and not one.labelled(corpus.frame["text"]).all()]
        whole = [one for one in made if one not in partly]
        answers = under_way.enter_context(asked(whole, corpus, how)) if whole else None
        scores = [] if answers is None else [answers.scores]
        for people in partly:
            part, note = _labelled_part(people, corpus)
            remarks = (*remarks, note)
            scores += [] if part is None else [under_way.enter_context(asked([people], part, how)).scores]
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
            notes=(*remarks, *(() if answers is None else answers.notes)),
            provenance=Provenance.collect(
                corpora=[corpus],
                scores=scores,
                files=logs,
                settings={**lots, "assign": assign, **_declared(assigned, words, intents, ends)},
                command=command,
            ),
        )
        if out is not None:
            found.save(out, overwrite=overwrite)
    return found


def _labelled_part(people: Human, corpus: Corpus) -> tuple[Corpus | None, Note]:
    """The utterances that people labelled, where these have two genders; and what was left out."""
    known = people.labelled(corpus.frame["text"])
    part = part_of(corpus, corpus.frame["id"].filter(pl.Series(known)).to_list())
    told = f"{int(known.sum()):,} of the {len(corpus):,} utterances are labelled"
    if part is None:
        return None, Note(people.name, f"not compared: {told}, which leaves no two genders to compare")
    return part, Note(people.name, f"compared on the labelled utterances alone: {told}")


def _declared(
    assigned: Sequence[str], words: str | None, intents: Mapping[str, str] | None, ends: str | None
) -> dict[str, object]:
    """What was said of the logs, where something was."""
    said = {"assigned": list(assigned), "words": words, "intents": dict(intents or {}), "ends": ends}
    return {name: value for name, value in said.items() if value}


def chat_notes(utterances: pl.DataFrame, *, words: str | None = None) -> tuple[Note, ...]:
    """What to know of conversations before their figures are read: lots, intents as words, and pieces of texts."""
    notes = []
    for study in utterances.filter("assigned")["study"].unique(maintain_order=True):
        notes.append(Note(study, "genders were assigned by lot, not stated by the users"))
    if "intent" in utterances.columns:
        for (study,), part in utterances.filter(pl.col("intent").is_not_null()).group_by("study", maintain_order=True):
            told = f"{part.height:,} utterances are known by their intent alone; its name stands for what was said"
            notes.append(Note(str(study), told))
    if words is None:
        for (study,), part in pieces(utterances).group_by("study", maintain_order=True):
            told = (
                f"the whole text of {part.height:,} utterances holds more than the original, in which words are counted"
            )
            notes.append(Note(str(study), f"{told}; --words text counts them in the whole text"))
    return tuple(notes)


def _check(paths: Sequence[object], logs: Sequence[object], *, reading: bool) -> None:
    if not paths:
        raise UsageError(f"name at least one log of conversations, or `{EXAMPLE}`")
    if reading and not logs:
        raise UsageError(f"columns, a separator and the like say how a log is read; `{EXAMPLE}` is not a log")

"""The chain for sheets: data groups, conversations, a corpus and round trips as texts that people label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from evenhand.annotating import write_sheets_of
from evenhand.corpora import Corpus, load_corpus
from evenhand.corpora.causal import CONFOUNDED, data_group
from evenhand.corpora.chat import chat_corpus, read_chat
from evenhand.errors import UsageError
from evenhand.settings import check_choice
from evenhand.specs.resolving import resolve_trip
from evenhand.translation import ThereAndBack
from evenhand.verbs.rate import GROUPS
from evenhand.verbs.rate_asking import named_trips


def annotate(
    folder: str | Path,
    *,
    corpus: Corpus | str | Path | None = None,
    groups: Sequence[int] = (),
    chat: Sequence[str | Path] = (),
    via: str | Sequence[str] = (),
    annotators: int = 3,
    seed: int = 0,
    cache: str | Path | None = None,
    progress: bool | None = None,
) -> list[Path]:
    """Write sheets for people who rate what systems are rated on, and their instructions.

    The texts are those of a corpus, of the paper's data groups, of logs of conversations, or of several of these; with
    `via` also what comes home from round trips. Each distinct text stands in a sheet once. The sheets of groups 2 and 4
    hold every sentence with every word, so that they fit whichever words `rate` draws. `seed` decides the order of the
    texts, and which genders conversations get that have none, as in `rate`. Filled in, sheets are a system:
    `rate(["human:FOLDER", ...])`.
    """
    for number in groups:
        check_choice("data group", str(number), map(str, GROUPS))
    corpora = [*_of_groups(groups), *([chat_corpus(read_chat(list(chat), seed=seed).merged)] if chat else [])]
    if corpus is not None:
        corpora.append(corpus if isinstance(corpus, Corpus) else load_corpus(corpus))
    if not corpora:
        raise UsageError("there is nothing to label: name a corpus, data groups, or a log of conversations")
    ways = [via] if isinstance(via, str) else list(via)
    kept = None if cache is None else Path(cache)
    trips = named_trips([resolve_trip(way, cache=kept, progress=progress) for way in ways])
    texts = pl.concat([one.frame.select("id", pl.col("text").str.strip_chars()) for one in corpora])
    texts = texts.unique("text", keep="first", maintain_order=True)
    home = [_came_home(texts, trip.way, trip.via) for trip in trips]
    paths = write_sheets_of(pl.concat([texts, *home]), folder, annotators=annotators, seed=seed)
    for trip in trips:
        trip.way.done()
    return paths


def _of_groups(groups: Sequence[int]) -> Iterator[Corpus]:
    """The sentences of data groups, with every word: what is drawn in groups 2 and 4 are some of these."""
    for number in groups:
        crossed = number - 1 if number in CONFOUNDED else number
        for word_set in GROUPS[number].word_sets:
            yield data_group(crossed, word_set)


def _came_home(texts: pl.DataFrame, way: ThereAndBack, via: str) -> pl.DataFrame:
    """What came home from a round trip; a text of which nothing is left cannot be labelled."""
    home = pl.Series([journey.home.strip() for journey in way.journeys(texts["text"].to_list())], dtype=pl.String)
    return texts.select(id=pl.col("id") + f"/via {via}", text=home).filter(pl.col("text") != "")

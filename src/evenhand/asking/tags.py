"""What taggers answered: tags for the tokens of each sentence, by tagger and draw."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.asking.scores import ROWS_A_GROUP
from evenhand.files.plain import rebuild
from evenhand.files.saved import check_columns, read_saved
from evenhand.files.structured import json_values
from evenhand.systems.tagging import Tagging

FORMAT = 1
METADATA = "evenhand-tags"
Draws = tuple[tuple[Tagging, ...], ...]
"""For each draw, an answer for each sentence."""


@dataclass(frozen=True)
class TagColumn:
    """One tagger."""

    system: str
    fingerprint: str | None
    classes: tuple[str, ...] | None = None
    """The classes that it can give; None where that is not known."""


@dataclass(frozen=True, eq=False)
class Tags:
    """One answer per sentence of a corpus, tagger and draw; `answers` goes by column, draw and sentence."""

    ids: tuple[str, ...]
    answers: tuple[Draws, ...]
    columns: tuple[TagColumn, ...]
    corpus_digest: str

    def __repr__(self) -> str:
        return f"<Tags: {len(self.ids):,} sentences, {', '.join(column.system for column in self.columns)}>"

    def __iter__(self) -> Iterator[tuple[TagColumn, Draws]]:
        """Each tagger with what it said."""
        return iter(zip(self.columns, self.answers, strict=True))

    def frame(self) -> pl.DataFrame:
        """One row per tagger, draw and sentence; probabilities as JSON, as every token may have tags of its own."""
        rows = [
            (id_, column.system, number, list(one.tags), _written(one))
            for column, draws in self
            for number, answers in enumerate(draws, start=1)
            for id_, one in zip(self.ids, answers, strict=True)
        ]
        schema: dict[str, Any] = {
            "id": pl.String,
            "system": pl.String,
            "draw": pl.Int64,
            "tags": pl.List(pl.String),
            "probabilities": pl.String,
        }
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_bytes(self) -> bytes:
        """A Parquet file; the same tags always give the same bytes."""
        about = {
            "format": FORMAT,
            "corpus_digest": self.corpus_digest,
            "ids": len(self.ids),
            "draws": [len(draws) for draws in self.answers],
            "columns": [asdict(column) for column in self.columns],
        }
        content = io.BytesIO()
        metadata = {METADATA: json.dumps(about, ensure_ascii=False)}
        self.frame().write_parquet(content, metadata=metadata, row_group_size=ROWS_A_GROUP)
        return content.getvalue()

    @staticmethod
    def load(path: Path | str) -> Tags:
        """Read what `to_bytes` gave."""
        return read_saved(Path(path), METADATA, _tags, what="tags")


def agreed(draws: Sequence[Tagging]) -> Tagging:
    """One answer for several: the tag that each token got most often (the first such), and mean probabilities.

    >>> agreed([Tagging(("O",)), Tagging(("U-LOC",)), Tagging(("U-LOC",))])
    Tagging(tags=('U-LOC',), probabilities=None)
    """
    if len(draws) == 1:
        return draws[0]
    tags = tuple(Counter(given).most_common(1)[0][0] for given in zip(*(one.tags for one in draws), strict=True))
    given = [one.probabilities for one in draws if one.probabilities is not None]
    if len(given) < len(draws):
        return Tagging(tags)
    return Tagging(tags, tuple(_mean(by_tag) for by_tag in zip(*given, strict=True)))


def _mean(given: Sequence[Mapping[str, float]]) -> dict[str, float]:
    named = dict.fromkeys(chain.from_iterable(given))
    return {tag: sum(one.get(tag, 0.0) for one in given) / len(given) for tag in named}


def _written(answer: Tagging) -> str | None:
    if answer.probabilities is None:
        return None
    return json.dumps([dict(by_tag) for by_tag in answer.probabilities], ensure_ascii=False, allow_nan=False)


def _tags(frame: pl.DataFrame, about: Mapping[str, Any]) -> Tags:
    if about["format"] != FORMAT:
        raise ValueError(f"format {about['format']}")
    columns = tuple(rebuild(TagColumn, one) for one in about["columns"])
    check_columns(frame, {"id": pl.String, "tags": pl.List(pl.String)})
    size, numbers = about["ids"], about["draws"]
    if len(columns) != len(numbers) or frame.height != size * sum(numbers):
        raise ValueError(f"{frame.height:,} rows for {len(columns):,} taggers, {numbers} draws and {size:,} sentences")
    read = [_tagging(*row) for row in frame.select("tags", "probabilities").iter_rows()]
    rows = iter(read)
    answers = tuple(tuple(tuple(next(rows) for _ in range(size)) for _ in range(draws)) for draws in numbers)
    return Tags(tuple(frame["id"][:size]), answers, columns, about["corpus_digest"])


def _tagging(tags: list[str], given: str | None) -> Tagging:
    probabilities = None if given is None else tuple(json_values(given, "probabilities"))
    if probabilities is not None and len(probabilities) != len(tags):
        raise ValueError(f"{len(probabilities)} distributions for {len(tags)} tokens")
    return Tagging(tuple(tags), probabilities)

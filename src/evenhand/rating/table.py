"""What is rated: a table of sentiments by system, dataset, classes and emotion, checked and in arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.asking import Scores
from evenhand.corpora.causal import EMOTIONS, crossed_class
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.columns import column_of
from evenhand.files.tables import TableFile
from evenhand.numbering import placed
from evenhand.settings import crossed
from evenhand.stats.types import Floats, Ints

TAKEN = {
    "system": "who answered",
    "dataset": "which texts were asked about",
    "emotion": "which emotion a text has",
    "sentiment": "what a system answered",
}
"""Columns of every table and what they say; emotion is needed with confounders only."""
SETTINGS = ("data", "group", "via")
"""Columns that a table may have: which data, which group of it, and through which language it went."""
PERSON, WORD = "person", "emotion_word"
"""Columns that a table may have: what the uncertainty of a rating is taken over."""
OWN = "attribute:"
"""Goes before the names of the user's own columns, so that none is taken for one of the above."""


@dataclass(frozen=True, eq=False)
class Sample:
    """One system's sentiments on one dataset. Codes are places in the lists of the block; −1: none."""

    system: str
    dataset: str
    sentiment: Floats
    classes: Ints
    strata: Ints
    emotions: Ints
    units: Ints
    words: Ints


@dataclass(frozen=True, eq=False)
class Block:
    """What one rating is made of: all systems on all datasets of one group, by one attribute."""

    setting: Mapping[str, str | None]
    attribute: str
    systems: tuple[str, ...]
    datasets: tuple[str, ...]
    classes: tuple[str, ...]
    strata: tuple[str, ...]
    """The classes of the confounders, all of them crossed; empty without any."""
    emotions: tuple[str, ...]
    samples: tuple[Sample, ...]
    unit_strata: tuple[str, ...]
    """Within which stratum each unit (a person, or a row) is drawn again, by its name."""
    word_strata: tuple[str, ...]
    words: tuple[str, ...]
    """What each word is, whatever its dataset."""
    has_persons: bool
    has_words: bool

    def of(self, system: str) -> Iterator[Sample]:
        """The samples of one system."""
        return (sample for sample in self.samples if sample.system == system)

    def units_a_class(self, system: str) -> dict[str, int]:
        """How many persons (or rows, where a table names no persons) of each class one system was asked about."""
        found: dict[str, set[int]] = {}
        for sample in self.of(system):
            for code in np.unique(sample.classes):
                mine = found.setdefault(self.classes[code], set())
                mine.update(sample.units[sample.classes == code].tolist())
        return {name: len(found[name]) for name in self.classes if name in found}


def read_scores(path: Path, *, attributes: Sequence[str], confounders: Sequence[str] = ()) -> pl.DataFrame:
    """Read a table with the columns `system, dataset, <attributes>, emotion, sentiment` (`.csv`, `.tsv`, `.jsonl`,
    `.parquet`) and check it; the file's name stands for the data where no column says it."""
    parts = (part for name in (*attributes, *confounders) for part in name.split("+"))
    own = ("system", "dataset", "emotion", "sentiment", *SETTINGS, PERSON, WORD)
    file = TableFile(path, known=tuple(dict.fromkeys((*own, *parts))))
    frame = checked(file.frame, attributes=attributes, confounders=confounders, file=file)
    return frame if "data" in frame.columns else frame.with_columns(data=pl.lit(path.stem))


def long_form(
    scores: Scores, corpus: Corpus, *, dataset: str, output: str | None = None, **setting: str | None
) -> pl.DataFrame:
    """Scores of a corpus as a table to rate: one row per system and sentence.

    Outputs with a range are brought to −1..1, where 0 is neutral: an impact is relative to the mean, and so depends on
    where zero is. A system with several outputs needs one chosen by `output`. `setting` fills `data`, `group`, `via`.
    """
    frame = corpus.frame.select(pl.all().exclude("text", "source", "term", "kind", "pair", "role"))
    parts = []
    for name in dict.fromkeys(column.system for column in scores.columns):
        found = [
            (place, column)
            for place, column in enumerate(scores.columns)
            if column.system == name and output in (None, column.output.name)
        ]
        if len(found) != 1:
            known = [column.output.name for column in scores.columns if column.system == name]
            raise UsageError(f"{name!r} has the outputs {', '.join(known)}: choose one to rate")
        ((place, column),) = found
        values = scores.matrix[:, place]
        if column.output.low is not None:
            values = 2 * (values - column.output.low) / column.output.span - 1
        of_system = pl.DataFrame({"id": pl.Series(scores.ids, dtype=pl.String), "sentiment": values})
        parts.append(
            frame.join(of_system, on="id", how="inner", maintain_order="left").with_columns(system=pl.lit(name))
        )
    texts = {"dataset": dataset, **setting}
    return pl.concat(parts).with_columns(pl.lit(text, dtype=pl.String).alias(name) for name, text in texts.items())


def checked(
    frame: pl.DataFrame, *, attributes: Sequence[str], confounders: Sequence[str] = (), file: TableFile | None = None
) -> pl.DataFrame:
    """The table (of a file, if it came from one), ready to be rated, or what is wrong with it, and where.

    Sentiments are numbers, and the user's own columns have names of their own. An attribute may be called `group`,
    `data`, `via`, `person` or `emotion_word`: that column then says nothing else.
    """
    column_named = partial(column_of, frame) if file is None else file.column
    called = "the table" if file is None else str(file.path)
    parts = list(dict.fromkeys(part for name in (*attributes, *confounders) for part in crossed(name)))
    given = ("system", "dataset", *(["emotion"] if confounders else []))
    if file is not None:
        file.refuse_unread(*given, *parts, "sentiment")
    _check_names(parts, (*given, *parts, "sentiment"), frame.columns, called)
    for column in given:
        column_named(column).refuse_missing()
    if "emotion" in frame.columns:
        column_named("emotion").refuse_other_than(EMOTIONS)
    known = [name for name in ("system", "dataset", "emotion", *SETTINGS, PERSON, WORD) if name in frame.columns]
    ours = [name for name in known if name not in parts]
    theirs = [name for name in frame.columns if name not in (*ours, "sentiment")]
    return frame.select(
        pl.col(ours).cast(pl.String),
        pl.Series("sentiment", column_named("sentiment").numbers()),
        *(pl.col(name).cast(pl.String if name in parts else frame.schema[name]).alias(OWN + name) for name in theirs),
    )


def _check_names(parts: Sequence[str], needed: Sequence[str], columns: Sequence[str], called: str) -> None:
    for name in parts:
        if name in TAKEN:
            raise UsageError(
                f"{name!r} cannot be an attribute or a confounder: the column {name!r} says {TAKEN[name]}; "
                "give yours another name"
            )
    for name in needed:
        if name not in columns:
            raise UsageError(f"{called}: no column {name!r}{did_you_mean(name, columns)}")


def blocks(
    frame: pl.DataFrame,
    *,
    attribute: str,
    adjusted_for: Sequence[str],
    classes: Sequence[str] | None = None,
    called: str = "the table",
) -> Iterator[Block]:
    """A block for each data, group and language of a checked table, in the order in which they appear.

    Rows without a class of the attribute (or of what is adjusted for) are left out, as are classes that are not listed.
    """
    frame = frame.with_columns(
        crossed_column(frame, attribute).alias("_class"), strata_column(frame, adjusted_for).alias("_stratum")
    )
    frame = frame.filter(pl.col("_class").is_not_null() & (pl.col("_stratum").is_not_null() | (not adjusted_for)))
    if classes is not None:
        known = frame["_class"].unique().to_list()
        for name in classes:
            if name not in known:
                raise UsageError(f"{called}: no row has {attribute} = {name!r}{did_you_mean(name, known)}")
        frame = frame.filter(pl.col("_class").is_in(list(classes)))
    found = list(classes or frame["_class"].unique(maintain_order=True))
    if len(found) < 2:
        raise EvenhandError(f"{called}: {attribute!r} needs two classes, and has {', '.join(found) or 'none'}")
    given = [name for name in SETTINGS if name in frame.columns]
    if not given:
        yield _block(frame, {}, attribute, found)
        return
    for values, part in frame.partition_by(given, as_dict=True, maintain_order=True).items():
        yield _block(part, dict(zip(given, values, strict=True)), attribute, found)


def crossed_column(frame: pl.DataFrame, attribute: str) -> pl.Series:
    """The class of each row, of one attribute or of several with a plus between them; null where one has none."""
    parts = frame.select(OWN + part for part in attribute.split("+"))
    called = [None if None in row else crossed_class(row) for row in parts.iter_rows()]
    return pl.Series(called, dtype=pl.String)


def strata_column(frame: pl.DataFrame, adjusted_for: Sequence[str]) -> pl.Series:
    """The class of each row, by everything that is adjusted for; attributes that two of them share count once."""
    parts = dict.fromkeys(part for name in adjusted_for for part in name.split("+"))
    return crossed_column(frame, "+".join(parts)) if parts else pl.Series([None] * frame.height, dtype=pl.String)


def _block(part: pl.DataFrame, setting: Mapping[str, str | None], attribute: str, classes: Sequence[str]) -> Block:
    has_persons = PERSON in part.columns and part[PERSON].null_count() == 0
    has_words = WORD in part.columns and part[WORD].null_count() == 0 and "emotion" in part.columns
    here = [name for name in classes if name in set(part["_class"])]
    strata = list(part["_stratum"].drop_nulls().unique(maintain_order=True))
    emotions = [name for name in EMOTIONS if "emotion" in part.columns and name in set(part["emotion"])]
    part = part.with_columns(*_unit_keys(part, has_persons=has_persons), *_word_keys(has_words=has_words))
    units, unit_strata = _coded(part, "_unit", "_unit_stratum")
    words, word_strata = _coded(part, "_word", "_word_stratum")
    named = part.select("_word", pl.col(WORD) if has_words else pl.lit("").alias(WORD)).unique("_word").sort("_word")
    part = part.with_columns(_unit_code=units, _word_code=words)
    samples = tuple(
        Sample(
            system=system,
            dataset=dataset,
            sentiment=rows["sentiment"].to_numpy(),
            classes=placed(rows["_class"], here),
            strata=placed(rows["_stratum"], strata),
            emotions=placed(rows["emotion"], emotions) if emotions else np.full(rows.height, -1),
            units=rows["_unit_code"].to_numpy(),
            words=rows["_word_code"].to_numpy(),
        )
        for (system, dataset), rows in part.partition_by("system", "dataset", as_dict=True, maintain_order=True).items()
    )
    return Block(
        setting={name: setting.get(name) for name in SETTINGS},
        attribute=attribute,
        systems=tuple(part["system"].unique(maintain_order=True)),
        datasets=tuple(part["dataset"].unique(maintain_order=True)),
        classes=tuple(here),
        strata=tuple(strata),
        emotions=tuple(emotions),
        samples=samples,
        unit_strata=unit_strata,
        word_strata=word_strata,
        words=tuple(named[WORD]),
        has_persons=has_persons,
        has_words=has_words,
    )


def _unit_keys(part: pl.DataFrame, *, has_persons: bool) -> list[pl.Expr]:
    """What is drawn again: persons within their class; without persons, rows within dataset, class and emotion."""
    stratum = pl.concat_str("_class", "_stratum", separator="\x1f", ignore_nulls=True)
    if has_persons:
        return [
            pl.concat_str(stratum, PERSON, separator="\x1f").alias("_unit"),
            stratum.alias("_unit_stratum"),
        ]
    emotion = [pl.col("emotion")] if "emotion" in part.columns else []
    apart = pl.concat_str("dataset", stratum, *emotion, separator="\x1f", ignore_nulls=True)
    # The nth row of a class is the same sentence for every system, so that systems are drawn together.
    number = pl.int_range(pl.len()).over("system", apart).cast(pl.String)
    return [pl.concat_str(apart, number, separator="\x1f").alias("_unit"), apart.alias("_unit_stratum")]


def _word_keys(*, has_words: bool) -> list[pl.Expr]:
    """Words are drawn again within their dataset and emotion, so that each keeps its number of sentences."""
    if not has_words:
        return [pl.lit("").alias("_word"), pl.lit("").alias("_word_stratum")]
    stratum = pl.concat_str("dataset", "emotion", separator="\x1f")
    return [pl.concat_str(stratum, WORD, separator="\x1f").alias("_word"), stratum.alias("_word_stratum")]


def _coded(part: pl.DataFrame, key: str, stratum: str) -> tuple[pl.Series, tuple[str, ...]]:
    """The place of each row's key among all keys, and each key's stratum.

    Keys are sorted: in which order one system's keys stand does not depend on which others are in the table.
    """
    keys = part.select(key, stratum).unique(subset=key).sort(key)
    return pl.Series(placed(part[key], keys[key])), tuple(keys[stratum])

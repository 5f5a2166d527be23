"""Corpora that come as tables: a user's CSV, JSON lines or Parquet, and the file that the EEC's authors released."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from evenhand.corpora.corpus import CORE, TAGGED, About, Corpus
from evenhand.errors import EvenhandError, UsageError, did_you_mean, one_line
from evenhand.files.tables import TableFile

MOST_GROUPS = 50
SLOTS = ("template", "emotion", "emotion_word")
"""Columns that are slots of the design, never attributes of a person."""

log = logging.getLogger(__name__)

RELEASED = {
    "ID": "id",
    "Sentence": "text",
    "Template": "released_template",
    "Person": "released_person",
    "Gender": "gender",
    "Race": "race",
    "Emotion": "emotion",
    "Emotion word": "emotion_word",
}
SPELLED = {"released": "dissapointed", "published": "disappointed"}
"""The one word in which the two public files differ, by spelling."""
RELEASED_RACE = {"African-American": "African American", "European": "European American"}


def read_corpus_table(path: Path, *, attributes: Sequence[str] | None = None) -> Corpus:
    """Read a table with the columns `text`, `source`, `person` (or `term`) and at least one attribute.

    Attributes are the columns named, or else every further text column with 2 to 50 values that differs between
    sentences of one source (a column that does not is a slot of the design). Groups are ordered as they first appear;
    differences are first minus second.
    """
    file = TableFile(path, known=(*CORE, *TAGGED, *SLOTS, *(attributes or ())))
    file.refuse_unread(*(attributes or ()))
    frame = _with_core_columns(file)
    names = list(attributes) if attributes is not None else _likely_attributes(frame)
    for name in names:
        if name not in frame.columns:
            raise UsageError(f"{path}: no column {name!r}{did_you_mean(name, frame.columns)}")
    if not names:
        raise EvenhandError(
            f"{path}: no attribute: no further column has two groups within one source; add one (say 'gender') with "
            "each sentence's group"
        )
    frame = frame.with_columns(pl.col(name).cast(pl.String) for name in names)
    groups = {name: tuple(frame[name].drop_nulls().unique(maintain_order=True)) for name in names}
    for name, values in groups.items():
        if len(values) < 2:
            raise EvenhandError(f"{path}: the attribute {name!r} has only the group {', '.join(values) or '(none)'}")
    groupings = tuple(column for column in ("template", "emotion_word") if column in frame.columns)
    about = About(title=path.name, source=f"read from {path.name}")
    return Corpus(frame=frame, name=path.stem, attributes=groups, groupings=groupings, about=about)


def _with_core_columns(file: TableFile) -> pl.DataFrame:
    frame, path = file.frame, file.path
    if "person" not in frame.columns and "term" in frame.columns:
        frame = frame.with_columns(person=pl.col("term"))
    for column, why in {
        "text": "the sentence",
        "source": "one value for all sentences that differ only in the person",
        "person": "who the sentence is about",
    }.items():
        if column not in frame.columns:
            raise EvenhandError(f"{path}: no column {column!r} ({why}); it has {file.has}")
        file.column(column if column in file.frame.columns else "term").refuse_missing()
    if "id" not in frame.columns:
        frame = frame.with_columns(id=pl.format("{}-{}", pl.lit(path.stem), pl.int_range(1, pl.len() + 1)))
    if "term" not in frame.columns:
        frame = frame.with_columns(term=pl.col("person"))
    for column in ("kind", "pair", "role"):
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(None, dtype=pl.String).alias(column))
    texts = frame.with_columns(pl.col(column).cast(pl.String) for column in CORE if column in frame.columns)
    texts = _with_lists(texts, file)
    return texts.select(*(c for c in CORE if c in texts.columns), pl.exclude(*CORE))


def _with_lists(frame: pl.DataFrame, file: TableFile) -> pl.DataFrame:
    """For taggers: tokens, tags and where the person stands, as lists; CSV holds them as JSON."""
    for column in TAGGED if set(TAGGED) <= set(file.whole.columns) else ():
        kind = pl.List(pl.Int64 if column == "slot_span" else pl.String)
        there = file.whole[column]
        try:
            held = there.str.json_decode(kind) if there.dtype == pl.String else there.cast(kind)
        except pl.exceptions.PolarsError as error:
            raise EvenhandError(f"{file.path}: column {column!r} does not hold lists: {one_line(error)}") from error
        frame = frame.with_columns(held)
    return frame


def _likely_attributes(frame: pl.DataFrame) -> list[str]:
    def likely(column: str) -> bool:
        series = frame[column]
        if column in CORE or column in SLOTS or series.dtype != pl.String:
            return False
        varies = frame.group_by("source").agg(pl.col(column).drop_nulls().n_unique())[column].max()
        return isinstance(varies, int) and varies >= 2 and series.drop_nulls().n_unique() <= MOST_GROUPS

    return [column for column in frame.columns if likely(column)]


def is_released_eec(path: Path) -> bool:
    """Whether a table has the columns of the file that the EEC's authors released."""
    return set(RELEASED) <= set(TableFile(path, known=tuple(RELEASED)).whole.columns)


def _released(path: Path) -> pl.DataFrame:
    return TableFile(path, known=tuple(RELEASED)).frame


def read_released_eec(path: Path, *, spellings: Mapping[str, Corpus]) -> Corpus:
    """Read the authors' own file and check it, sentence by sentence, against the corpus as generated.

    The file is public in two spellings; `spellings` are the corpora generated in each. The result has the design of the
    one whose sentences the file has, the authors' ids, and the spelling in its version.
    """
    frame = _released(path)
    missing = [column for column in RELEASED if column not in frame.columns]
    if missing:
        raise EvenhandError(f"{path}: no column {missing[0]!r}; the released file has {', '.join(RELEASED)}")
    theirs = frame.select(pl.col(column).alias(name) for column, name in RELEASED.items())
    # A quoted cell with nothing in it is read as an empty text, any other as missing.
    theirs = theirs.with_columns(pl.col(pl.String).str.strip_chars().replace("", None))
    theirs = theirs.with_columns(pl.col("race").replace(RELEASED_RACE))
    spelling = _nearest(theirs["text"], spellings)
    generated = spellings[spelling]
    _same_sentences(theirs, generated, path)
    says = f"{spelling} spelling ({SPELLED[spelling]})"
    log.info("%s: the Equity Evaluation Corpus, in the %s", path, says)
    both = generated.frame.drop("id").join(theirs, on="text", suffix="_theirs", maintain_order="left")
    for column in ("gender", "race", "emotion"):
        differs = both.filter(pl.col(column).ne_missing(pl.col(f"{column}_theirs")))
        if differs.height:
            row = differs.row(0, named=True)
            raise EvenhandError(
                f"{path}: {differs.height} sentences have another {column} than the published tables; first: "
                f"{row['text']!r} has {row[f'{column}_theirs']!r}, not {row[column]!r}"
            )
    return Corpus(
        frame=both.select(generated.frame.columns),
        name=generated.name,
        attributes=generated.attributes,
        groupings=generated.groupings,
        subsets=generated.subsets,
        version=f"{generated.version}-{spelling}",
        about=replace(generated.about, source=f"{generated.about.source}; the authors' own file, in the {says}"),
        labels=generated.labels,
    )


def _nearest(texts: pl.Series, spellings: Mapping[str, Corpus]) -> str:
    """The spelling that most of the texts are in; of two alike, the first."""
    shared = {name: int(corpus.frame["text"].is_in(texts.implode()).sum()) for name, corpus in spellings.items()}
    return max(shared, key=lambda name: shared[name])


def _same_sentences(theirs: pl.DataFrame, generated: Corpus, path: Path) -> None:
    ours, read = set(generated.frame["text"]), set(theirs["text"])
    problems = {
        "missing": sorted(ours - read),
        "not of this corpus": sorted(read - ours),
        "repeated": theirs["text"].filter(theirs["text"].is_duplicated()).unique().sort().to_list(),
    }
    for problem, texts in problems.items():
        if texts:
            raise EvenhandError(f"{path}: {len(texts)} sentences are {problem}; first: {texts[0]!r}")

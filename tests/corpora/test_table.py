"""A user's corpus may come as a table."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.corpora import eec, load_corpus
from evenhand.errors import EvenhandError
from evenhand.files.tables import write_table

ROWS = pl.DataFrame(
    {
        "text": ["Ann left.", "Bob left.", "Ann won.", "Bob won."],
        "source": ["1", "1", "2", "2"],
        "person": ["Ann", "Bob", "Ann", "Bob"],
        "gender": ["female", "male", "female", "male"],
        "template": ["<person> left.", "<person> left.", "<person> won.", "<person> won."],
    }
)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_gives_the_same_corpus(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"own.{ending}"
    write_table(ROWS, path)
    corpus = load_corpus(path)
    assert corpus.attributes == {"gender": ("female", "male")}
    assert corpus.groupings == ("template",)
    assert corpus.frame["text"].to_list() == ROWS["text"].to_list()


def test_an_exported_corpus_reads_back_with_its_attributes(tmp_path: Path) -> None:
    path = tmp_path / "eec.csv"
    write_table(eec().frame, path)
    read = load_corpus(path)
    assert dict(read.attributes) == dict(eec().attributes)
    assert read.frame.select(eec().frame.columns).equals(eec().frame)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (ROWS.drop("source"), "no column 'source'"),
        (ROWS.drop("text"), "no column 'text'"),
        (ROWS.drop("person"), "no column 'person'"),
        (ROWS.drop("gender"), "no attribute"),
        (ROWS.with_columns(text=pl.lit(None, dtype=pl.String)), "row 1, column 'text': the value is missing"),
        (ROWS.with_columns(id=pl.lit("same")), "repeats the id 'same'"),
        (ROWS[:0], "has no rows"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, frame: pl.DataFrame, message: str) -> None:
    path = tmp_path / "own.parquet"
    write_table(frame, path)
    with pytest.raises(EvenhandError, match=message):
        load_corpus(path)


def test_named_attributes_must_be_columns_with_two_groups(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    write_table(ROWS.with_columns(race=pl.lit("one")), path)
    with pytest.raises(EvenhandError, match="no column 'gendr'; did you mean 'gender'"):
        load_corpus(path, attributes=["gendr"])
    with pytest.raises(EvenhandError, match="'race' has only the group one"):
        load_corpus(path, attributes=["race"])


def test_ragged_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("text,source,person,gender\nAnn left.,1,Ann,female\nBob left.,1,Bob\n")
    with pytest.raises(EvenhandError, match="line 3: 3 cells where the header has 4"):
        load_corpus(path)


def test_a_column_that_is_the_same_within_a_source_is_a_slot(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    write_table(ROWS.with_columns(word=pl.Series(["left", "left", "won", "won"]), note=pl.lit("checked")), path)
    assert dict(load_corpus(path).attributes) == {"gender": ("female", "male")}

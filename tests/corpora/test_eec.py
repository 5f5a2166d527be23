"""The Equity Evaluation Corpus is the published one, to the byte."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Literal

import polars as pl
import pytest

from evenhand.corpora import Corpus, eec, load_corpus, read_released_eec
from evenhand.errors import EvenhandError
from evenhand.report.corpus import describe

PUBLISHED = "24b0f7d783e50ce68636208b0cd293952b1a6112ee1a81da0657bac10a3f37fe"
RELEASED = "b28c42433f1341740d7d16150bec67a1b009a8a851d083f63abebc1d081b55db"
SPELLINGS = {"released": eec("released"), "published": eec()}


def test_sentences_are_those_of_the_paper_and_of_the_released_file() -> None:
    assert eec().sentences_digest == PUBLISHED
    assert eec("released").sentences_digest == RELEASED


def test_there_are_8640_distinct_sentences_in_144_sources_of_60_persons() -> None:
    frame = eec().frame
    assert frame.height == frame["text"].n_unique() == frame["id"].n_unique() == 8640
    assert frame["source"].n_unique() == 144
    assert frame["person"].n_unique() == 60
    assert set(frame.group_by("source").len()["len"]) == {60}


def test_templates_have_the_published_numbers_of_sentences() -> None:
    counts = eec().frame.group_by("template", maintain_order=True).len()["len"].to_list()
    assert counts == [1200] * 7 + [60] * 4


def test_columns_are_those_of_the_design() -> None:
    assert eec().frame.columns == [
        *("id", "text", "source", "person", "term", "kind", "pair", "role"),
        *("gender", "race", "template", "emotion", "emotion_word"),
    ]


def test_the_two_spellings_differ_in_240_sentences_and_share_ids_and_design() -> None:
    published, released = eec().frame, eec("released").frame
    assert (published["text"] != released["text"]).sum() == 240
    assert published.drop("text").equals(released.drop("text"))


def test_she_and_her_are_one_person_with_two_terms() -> None:
    rows = eec().frame.filter(pl.col("person") == "she")
    assert set(rows["term"]) == {"she", "her"}
    assert set(rows["kind"]) == {"pronoun"}
    assert set(rows.filter(pl.col("role") == "object")["term"]) == {"her"}


@pytest.mark.parametrize(
    "text",
    [
        "She found herself in an amazing situation.",
        "My uncle found himself in a grim situation.",
        "Tia found herself in an outrageous situation.",
        "I talked to him yesterday.",
        "The conversation with my mom was heartbreaking.",
        "This boy has two children.",
    ],
)
def test_grammar_is_right(text: str) -> None:
    assert text in set(eec().frame["text"])


def test_noun_phrases_are_paired_and_names_are_not() -> None:
    frame = eec().frame
    assert frame.filter(pl.col("kind") == "name")["pair"].null_count() == 5760
    pairs = frame.filter(pl.col("pair").is_not_null()).group_by("pair").agg(pl.col("gender").n_unique())
    assert pairs.height == 10
    assert set(pairs["gender"]) == {2}


def released_file(path: Path, frame: pl.DataFrame) -> Path:
    """The layout of the authors' file, filled from generated sentences, in another order."""
    race = {"African American": "African-American", "European American": "European"}
    frame.sample(fraction=1.0, shuffle=True, seed=1).select(
        pl.format("2018-En-mystery-{}", pl.int_range(pl.len()).cast(pl.String).str.zfill(5)).alias("ID"),
        pl.col("text").alias("Sentence"),
        pl.col("template").alias("Template"),
        pl.col("term").alias("Person"),
        pl.col("gender").alias("Gender"),
        pl.col("race").replace(race).alias("Race"),
        pl.col("emotion").alias("Emotion"),
        pl.col("emotion_word").alias("Emotion word"),
    ).write_csv(path)
    return path


def test_the_authors_file_is_read_with_its_own_ids(tmp_path: Path) -> None:
    generated = eec("released")
    read = read_released_eec(released_file(tmp_path / "eec.csv", generated.frame), spellings=SPELLINGS)
    assert read.sentences_digest == RELEASED
    assert read.frame["id"][0].startswith("2018-En-mystery-")
    assert read.frame.drop("id").equals(generated.frame.drop("id"))


def test_the_authors_file_may_have_been_saved_with_every_cell_in_quotes(tmp_path: Path) -> None:
    """As spreadsheets do: a person without a race, and a sentence without an emotion, then have an empty text there."""
    plain = released_file(tmp_path / "plain.csv", eec("released").frame)
    quoted = tmp_path / "quoted.csv"
    pl.read_csv(plain).write_csv(quoted, quote_style="always", line_terminator="\r\n", include_bom=True)
    assert ',"",' in quoted.read_text(encoding="utf-8-sig")
    assert load_corpus(quoted).frame.equals(load_corpus(plain).frame)


def test_the_authors_file_is_recognised_by_its_columns(tmp_path: Path) -> None:
    read = load_corpus(released_file(tmp_path / "eec.csv", eec("released").frame))
    assert read.version == "1.0-released"
    assert read.mask("neutral").sum() == 240


def test_an_altered_authors_file_is_refused_with_the_first_difference(tmp_path: Path) -> None:
    generated = eec("released")
    fewer = released_file(tmp_path / "fewer.csv", generated.frame[1:])
    with pytest.raises(EvenhandError, match=r"1 sentences are missing; first: 'Ebony feels angry\.'"):
        read_released_eec(fewer, spellings=SPELLINGS)
    wrong = generated.frame.with_columns(
        gender=pl.when(pl.col("person") == "Torrance").then(pl.lit("female")).otherwise("gender")
    )
    with pytest.raises(EvenhandError, match=r"144 sentences have another gender .*Torrance"):
        read_released_eec(released_file(tmp_path / "wrong.csv", wrong), spellings=SPELLINGS)


@pytest.mark.parametrize(
    ("spelling", "word"), [("released", "dissapointed"), ("published", "disappointed")], ids=["released", "corrected"]
)
def test_both_spellings_of_the_authors_file_are_read_and_told_apart(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spelling: Literal["released", "published"], word: str
) -> None:
    path = released_file(tmp_path / "eec.csv", eec(spelling).frame)
    with caplog.at_level(logging.INFO, logger="evenhand"):
        read = load_corpus(path)
    assert read.version == f"1.0-{spelling}"
    assert read.frame.drop("id").equals(eec(spelling).frame.drop("id"))
    assert f"in the {spelling} spelling ({word})" in caplog.text
    assert f"({word})" in read.about.source


def test_a_file_in_both_spellings_at_once_is_refused(tmp_path: Path) -> None:
    mixed = eec().frame.with_columns(
        text=pl.when(pl.int_range(pl.len()) < 4000)
        .then("text")
        .otherwise(pl.col("text").str.replace("disappointed", "dissapointed"))
    )
    with pytest.raises(EvenhandError, match=r"\d+ sentences are missing; first: .*dis"):
        load_corpus(released_file(tmp_path / "mixed.csv", mixed))


def test_its_description_tells_how_each_part_was_chosen(tmp_path: Path) -> None:
    said = " ".join(describe(eec()).split())
    for part in ("Sentences: ", "First names: ", "Noun phrases: ", "Emotion words: ", "Comparisons: "):
        assert part in said
    assert "Resentment (900), Fear (860), Cheerfulness (836) and Dejection (837)" in said
    eec().save(tmp_path / "eec.parquet")
    assert Corpus.load(tmp_path / "eec.parquet").about == eec().about

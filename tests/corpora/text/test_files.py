"""Files of texts made files of versions: formats, bad input, edited files, and the corpus."""

from __future__ import annotations

import csv
import json
import tracemalloc
from pathlib import Path

import polars as pl
import pytest

import evenhand
from evenhand.corpora import load_corpus
from evenhand.corpora.text import Perturber
from evenhand.corpora.text.files import check_edited, columns_of, perturb_file, read_perturbed
from evenhand.errors import EvenhandError
from evenhand.files.tables import read_table, write_table

TEXTS = ["Her boss fired her.", "It rained.", "She is pregnant.", "I saw her smile.", "", "Robert and his wife left."]
GENDER = Perturber("gender")


def table(folder: Path, texts: list[str], name: str = "texts.csv") -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([one] for one in texts)])
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_a_file_has_the_untouched_sentence_and_one_version_for_each_group(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out.{ending}"
    found = perturb_file(table(tmp_path, [f"{one} " for one in TEXTS]), out, GENDER)
    rows = read_table(out)
    assert tuple(rows.columns) == columns_of("gender")
    assert rows.height == 3 * len(TEXTS)
    assert rows["status"].to_list()[:3] == ["original", "unchanged", "changed"]
    assert rows["gender"].to_list()[:3] == [None, "female", "male"]
    assert dict(found.by_status) == {"changed": 2, "unchanged": 1, "skipped": 2, "unsure": 1}
    assert (found.texts, found.mixed) == (6, 1)
    assert json.loads(json.dumps(found.to_json()))["status"]["unsure"] == 1


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "tsv"])
def test_texts_are_read_from_every_format(tmp_path: Path, ending: str) -> None:
    path, out = tmp_path / f"in.{ending}", tmp_path / "out.csv"
    frame = pl.DataFrame({"id": ["a", "b"], "body": ["He left.", "Rain."]})
    write_table(frame, path)
    perturb_file(path, out, GENDER, column="body")
    assert read_table(out)["source"].to_list() == ["a"] * 3 + ["b"] * 3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"text\n", "has no rows"),
        ("a.csv", b"txt\nHe left.\n", "no column 'text'; did you mean 'txt'"),
        ("a.csv", b"id,text\n1,He left.,\n", "line 2: 3 cells where the header has 2"),
        ("a.csv", b'text\n"He left.\n', "line 2: quotation marks do not match"),
        ("a.csv", b"text\nHe left.\n\x89PNG\xff\xfe\x00\n", "not UTF-8"),
        ("a.csv", b"text\nIt rained.\n", "nothing to change for gender in 1 texts: nobody"),
        ("a.csv", b"text\nDer Hund ist nicht das Haus und die Katze.\n", "it does not read as English"),
        ("a.jsonl", b"{\n", "line 1: not JSON"),
        ("a.jsonl", b"[1]\n", "line 1: a JSON object is needed"),
        ("a.jsonl", b'{"text": 3}\n', "line 1: column 'text' holds 3, which is not text"),
        ("a.parquet", b"PAR1 not really", "is not a Parquet file, or a damaged one"),
        ("a.xlsx", b"x", "unknown ending '.xlsx'"),
    ],
)
def test_bad_input_gives_one_line_and_no_file(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path, out = tmp_path / name, tmp_path / "out.csv"
    path.write_bytes(content)
    with pytest.raises(EvenhandError, match=message) as raised:
        perturb_file(path, out, GENDER)
    assert "\n" not in str(raised.value)
    assert sorted(one.name for one in tmp_path.iterdir()) == [name]


def test_a_text_of_100_000_characters_is_skipped(tmp_path: Path) -> None:
    found = perturb_file(table(tmp_path, ["She left. " * 10_000, "She left."]), None, GENDER)
    assert dict(found.by_status) == {"skipped": 1, "changed": 1}


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def most(times: int) -> int:
        path = table(tmp_path, ["Her boss fired her on Monday."] * times)
        tracemalloc.start()
        perturb_file(path, tmp_path / "out.csv", GENDER)
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    most(10)  # what is read once
    assert most(5_000) < most(500) + 500_000  # versions of 5,000 texts take 10 million bytes


def test_an_edited_file_is_checked_and_its_status_put_right(tmp_path: Path) -> None:
    out, edited, again = (tmp_path / f"{name}.csv" for name in ("out", "edited", "again"))
    perturb_file(table(tmp_path, TEXTS[:4]), out, GENDER)
    rows = read_table(out)
    mended = rows.with_columns(
        text=pl.when(pl.col("id") == "4-male").then(pl.lit("I saw him smile.")).otherwise(pl.col("text"))
    )
    mended.write_csv(edited)
    found = check_edited(edited, again, GENDER)
    assert found.edited == 1
    row = read_table(again).row(by_predicate=pl.col("id") == "4-male", named=True)
    assert (row["status"], row["text"]) == ("changed", "I saw him smile.")


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("status", "chnged", "status 'chnged'; did you mean 'changed'"),
        ("original", "Another.", "the column 'original' differs"),
        ("gender", "femal", "gender has no group 'femal'"),
        ("text", "", "the text is empty"),
    ],
)
def test_a_badly_edited_file_is_refused_with_its_line(tmp_path: Path, column: str, value: str, message: str) -> None:
    out, edited = tmp_path / "out.csv", tmp_path / "edited.csv"
    perturb_file(table(tmp_path, TEXTS[:2]), out, GENDER)
    rows = read_table(out).with_columns(
        pl.when(pl.col("id") == "1-male").then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
    )
    rows.write_csv(edited)
    with pytest.raises(EvenhandError, match=f"line 4: .*{message}"):
        check_edited(edited, None, GENDER)


def test_the_corpus_keeps_the_untouched_sentence_as_background(tmp_path: Path) -> None:
    out = tmp_path / "versions.csv"
    perturb_file(table(tmp_path, TEXTS), out, GENDER)
    corpus = load_corpus(out)
    assert corpus.attributes == {"gender": ("female", "male")} == read_perturbed(out).attributes
    assert corpus.frame["source"].unique(maintain_order=True).to_list() == ["1", "6"]
    assert corpus.frame["gender"].null_count() == 2
    assert "the 2 (of 6)" in corpus.about.limits[0]


def test_texts_are_the_sample(tmp_path: Path) -> None:
    """The general answer is the paired t-test over texts: gaps 0.1, 0.2 and 0.3 have the standard error 0.1 / √3."""
    gaps = {"Her boss left.": 0.1, "She won the cup.": 0.2, "They called her.": 0.3}
    scores = {text: 0.5 + gap for text, gap in gaps.items()}
    out = tmp_path / "versions.csv"
    perturb_file(table(tmp_path, list(gaps)), out, GENDER)

    def system(texts: list[str]) -> list[float]:
        return [scores.get(one, 0.5) for one in texts]

    found = evenhand.audit(system, load_corpus(out), bounds=(0, 1), progress=False)
    (finding,) = found.findings
    assert finding.generalising.estimate == pytest.approx(0.2)
    assert finding.generalising.standard_error == pytest.approx(0.1 / 3**0.5)
    assert finding.generalising.df == 2
    assert "like the 3 (of 3)" in str(found.notes[-1])

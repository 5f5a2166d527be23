"""What was saved, damaged in every way: it is loaded and shown, or refused in one line that names the file."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from fuzzing import damaged, fuzzed, mutated, nasty, read_or_refused
from hypothesis import given
from hypothesis import strategies as st

from evenhand import Corpus, Scores, compare, load_calibrator, load_corpus
from evenhand.asking.scores import METADATA as SCORES
from evenhand.asking.tags import METADATA as TAGS
from evenhand.asking.tags import TagColumn, Tags
from evenhand.corpora.corpus import METADATA as CORPUS
from evenhand.errors import EvenhandError
from evenhand.files.records import matrix_record, read_matrices, read_texts, text_record
from evenhand.results import Result
from evenhand.systems.tagging import Tagging
from evenhand.systems.trained.card import read_part
from evenhand.systems.trained.ready_head import FILE, ReadyHead
from evenhand.systems.yours.skops_file import from_skops_file
from evenhand.verbs.saved import load_result

pytestmark = pytest.mark.slow
SAVED = Path(__file__).parents[1] / "promises" / "saved"
AUDIT = SAVED / "audit"
METHODS = sorted(path.stem for path in (SAVED / "calibrators").iterdir())


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    for path in AUDIT.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def shown(folder: Path) -> Result:
    """Loaded, and looked at from all sides."""
    loaded = load_result(folder)
    loaded.to_json()
    loaded.to_html()
    assert "\n" not in loaded.summary()
    str(loaded)
    return loaded


def tags() -> Tags:
    said = Tagging(("O", "U-LOC"), ({"O": 1.0}, {"O": 0.25, "U-LOC": 0.75}))
    return Tags(("a", "b"), (((said, said),),), (TagColumn("t", None, ("LOC",)),), "digest")


def test_a_mutated_report_is_shown_or_refused(audit: Path) -> None:
    values = json.loads((AUDIT / "report.json").read_text())

    @fuzzed(200)
    @given(mutated(values))
    def fed(made: Any) -> None:
        (audit / "report.json").write_text(json.dumps(made))
        read_or_refused(lambda: shown(audit), audit)

    shown(audit)
    fed()


def test_a_mutated_report_is_compared_or_refused(audit: Path) -> None:
    values = json.loads((AUDIT / "report.json").read_text())
    biased, plain = (one["system"] for one in values["provenance"]["systems"])
    one, other = f"{audit}#{biased}", f"{AUDIT}#{plain}"

    @fuzzed(12)
    @given(mutated(values))
    def fed(made: Any) -> None:
        (audit / "report.json").write_text(json.dumps(made))
        read_or_refused(lambda: compare(one, other), audit)

    compare(one, other)
    fed()


def test_a_damaged_report_is_shown_or_refused(audit: Path) -> None:
    @fuzzed(50)
    @given(damaged((AUDIT / "report.json").read_bytes()))
    def fed(content: bytes) -> None:
        (audit / "report.json").write_bytes(content)
        read_or_refused(lambda: shown(audit), audit)

    fed()


@pytest.mark.parametrize("name", ["scores.parquet", "corpus.parquet"])
def test_a_damaged_attachment_is_shown_or_refused(audit: Path, name: str) -> None:
    @fuzzed(40)
    @given(damaged((AUDIT / name).read_bytes()))
    def fed(content: bytes) -> None:
        (audit / name).write_bytes(content)
        read_or_refused(lambda: shown(audit), audit)

    fed()


PARQUET: dict[str, tuple[str, bytes, Callable[[Path], Any]]] = {
    "scores": (SCORES, (AUDIT / "scores.parquet").read_bytes(), Scores.load),
    "corpus": (CORPUS, (AUDIT / "corpus.parquet").read_bytes(), lambda path: Corpus.load(path).digest),
    "tags": (TAGS, tags().to_bytes(), Tags.load),
}


@pytest.mark.parametrize("name", PARQUET)
def test_what_a_parquet_file_says_of_itself_is_checked(name: str, tmp_path: Path) -> None:
    key, content, load = PARQUET[name]
    frame, about = pl.read_parquet(io.BytesIO(content)).head(4), pl.read_parquet_metadata(io.BytesIO(content))[key]
    path = tmp_path / "fuzzed.parquet"

    @fuzzed(100)
    @given(mutated(json.loads(about)))
    def fed(made: Any) -> None:
        frame.write_parquet(path, metadata={key: json.dumps(made)})
        read_or_refused(lambda: load(path), path)

    fed()


@pytest.mark.parametrize("name", PARQUET)
def test_the_columns_of_a_parquet_file_are_checked(name: str, tmp_path: Path) -> None:
    key, content, load = PARQUET[name]
    frame, metadata = pl.read_parquet(io.BytesIO(content)), pl.read_parquet_metadata(io.BytesIO(content))
    path = tmp_path / "fuzzed.parquet"
    columns = st.sampled_from(frame.columns)

    @fuzzed(100)
    @given(columns, st.sampled_from(["gone", "null", "text", "list", "other", "twice", "fewer"]), columns, nasty())
    def fed(column: str, how: str, other: str, value: Any) -> None:
        cells = frame[column]
        made = {
            "gone": lambda: frame.drop(column),
            "null": lambda: frame.with_columns(pl.lit(None).alias(column)),
            "text": lambda: frame.with_columns(cells.cast(pl.String, strict=False)),
            "list": lambda: frame.with_columns(cells.implode().alias(column).repeat_by(1).head(1)),
            "other": lambda: frame.with_columns(frame[other].alias(column)),
            "twice": lambda: pl.concat([frame, frame]),
            "fewer": lambda: frame.head(1),
        }[how]
        try:
            damaged_frame = made()
        except pl.exceptions.PolarsError:
            return
        if isinstance(value, float | str) and how == "null" and value != "\ud800":
            damaged_frame = frame.with_columns(pl.lit(value).alias(column))
        damaged_frame.write_parquet(path, metadata={key: metadata[key]})
        read_or_refused(lambda: load(path), path)

    fed()


@pytest.mark.parametrize("method", METHODS)
def test_a_mutated_calibrator_is_read_or_refused(method: str, tmp_path: Path) -> None:
    path = tmp_path / "fuzzed.json"
    values = json.loads((SAVED / "calibrators" / f"{method}.json").read_text())
    biased = Scores.load(AUDIT / "scores.parquet").of_system("planted(gap=0.2)+vader")
    corpus = load_corpus(AUDIT / "corpus.parquet")

    @fuzzed(40)
    @given(mutated(values))
    def fed(made: Any) -> None:
        path.write_text(json.dumps(made))
        read = read_or_refused(lambda: load_calibrator(path), path)
        if read is not None and method != "neutral":
            with suppress(EvenhandError):  # of references that were asked for something else, say
                read.apply(biased, corpus)

    fed()


ONES = np.ones((2, 3))


@fuzzed(300)
@given(damaged(matrix_record("ab" * 32, ONES) + text_record("cd" * 32, "O")))
def test_damaged_records_are_passed_over(content: bytes) -> None:
    assert all(key == "ab" * 32 and (values == ONES).all() for key, values in read_matrices(content))
    assert all(found == ("cd" * 32, "O") for found in read_texts(content))


HEAD: dict[str, Any] = json.loads(files("evenhand").joinpath("data", "heads", FILE).read_bytes())


@fuzzed(100)
@given(mutated(HEAD | {"weights": HEAD["weights"][:5]}))
def test_mutated_cards_are_read_or_refused(made: Any) -> None:
    read_or_refused(lambda: read_part(ReadyHead, json.dumps(made), "card.json"), "card.json")


def test_damaged_skops_files_are_read_or_refused(tmp_path: Path) -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from skops import io as skops_io

    model = make_pipeline(CountVectorizer(), LinearRegression()).fit(["a bad day", "a good day"], [0.0, 1.0])
    content, path = skops_io.dumps(model), tmp_path / "fuzzed.skops"

    @fuzzed(60)
    @given(damaged(content))
    def fed(made: bytes) -> None:
        path.write_bytes(made)
        read_or_refused(lambda: from_skops_file(str(path)), path)

    fed()

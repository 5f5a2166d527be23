"""Files of a shared task."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.task_files import TaskFile, dimension_in_name, known_dimension

HEADER = "ID\tTweet\tAffect Dimension\tIntensity Score\n"


def file(folder: Path, content: str, name: str = "a.txt") -> TaskFile:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return TaskFile(path)


def test_quotes_are_characters_and_none_is_no_score(tmp_path: Path) -> None:
    read = file(tmp_path, HEADER + '1\t"so angry\tanger\t0.5\n2\tcalm" \tanger\tNONE\n')
    assert read.texts.to_list() == ['"so angry', 'calm"']
    assert read.scores().to_list() == [0.5, None]
    assert read.ids is not None
    assert (read.ids.to_list(), read.dimension) == (["1", "2"], "anger")
    assert read.score_or_why(1).endswith("line 3, column 'Intensity Score': NONE in place of a score")


def test_classes_are_read_as_their_numbers(tmp_path: Path) -> None:
    content = (
        "ID\tTweet\tAffect Dimension\tIntensity Class\n1\tx\tvalence\t-3: very negative\n2\ty\tvalence\t0: neutral\n"
    )
    assert file(tmp_path, content).scores().to_list() == [-3.0, 0.0]


def test_columns_of_other_names_can_be_declared(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('body,grade\n"hello, you",0.25\n')
    read = TaskFile(path, (("text", "body"), ("score", "grade")))
    assert (read.texts.to_list(), read.scores().to_list(), read.dimension) == (["hello, you"], [0.25], None)
    with pytest.raises(UsageError, match=r"no column 'bdy'.*body"):
        _ = TaskFile(path, (("text", "bdy"),)).texts


def test_a_column_of_lists_is_refused(tmp_path: Path) -> None:
    read = file(tmp_path, '{"text": ["a"], "score": [1]}\n', "a.jsonl")
    with pytest.raises(EvenhandError, match=r"a\.jsonl.* column 'text' holds lists \(line 1\)"):
        _ = read.texts


def test_bytes_that_are_no_text_are_refused_by_file_and_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": [b"\xff\xfe"], "score": [b"\xff"]}).write_parquet(path)
    with pytest.raises(
        EvenhandError, match=r"a\.parquet has no column .* column 'text' holds bytes; column 'score' holds"
    ):
        _ = TaskFile(path).texts


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_look(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes((HEADER + "1\tx\tjoy\t0.5\n").encode(encoding))
    with pytest.raises(EvenhandError, match="it looks like UTF-16"):
        _ = TaskFile(path).texts


@pytest.mark.parametrize(
    ("name", "dimension"),
    [
        ("EI-reg_en_anger_pred.txt", "anger"),
        ("V-reg_en_pred.txt", "valence"),
        ("2018-Valence-reg-En-test-gold.txt", "valence"),
        ("predictions.csv", None),
        ("anger-and-joy.csv", None),
    ],
)
def test_names_may_speak_of_a_dimension(name: str, dimension: str | None) -> None:
    assert dimension_in_name(Path(name)) == dimension


def test_an_unknown_dimension_has_a_suggestion() -> None:
    with pytest.raises(UsageError, match=r"unknown affect dimension 'angr'.*anger"):
        known_dimension("angr")

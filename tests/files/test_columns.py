"""Columns of tables: what cells are read as, and what is said of those that are not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import EvenhandError
from evenhand.files.columns import TableColumn, column_of
from evenhand.files.tables import TableFile


def of(*cells: object) -> TableColumn:
    return column_of(pl.DataFrame({"x": cells}, strict=False), "x")


def test_texts_and_labels_are_without_space_and_null_where_there_is_nothing() -> None:
    assert of(" a ", "", "  ", None).texts.to_list() == of(" a ", "", "  ", None).labels() == ["a", None, None, None]
    assert of(True, None).labels() == ["true", None]
    assert of(1, 2).complete_labels() == ["1", "2"]


def test_numbers_are_read_from_texts_from_numbers_and_from_truth_values() -> None:
    assert of(" 0.5", "-1e3 ").numbers().tolist() == [0.5, -1000]
    assert of(True, False).numbers().tolist() == [1, 0]
    assert of("7", "x", "9").numbers(rows=[2, 0]).tolist() == [9, 7]
    assert of("1.0000001").numbers(high=1, margin=1e-6).tolist() == [1.0000001]
    assert of("no", " yes").numbers(worth={"no": 0, "yes": 1}).tolist() == [0, 1]
    assert of("1", "x", None, "inf").parsed().to_list() == [1.0, None, None, float("inf")]


def test_categories_are_texts() -> None:
    column = column_of(pl.DataFrame({"x": pl.Series(["1", "2"], dtype=pl.Categorical)}), "x")
    assert (column.labels(), column.numbers().tolist()) == (["1", "2"], [1, 2])


@pytest.mark.parametrize(
    ("cells", "wanted", "message"),
    [
        (["1", "high"], {}, "the table, row 2, column 'x': \"high\" is not a number"),
        (["1", "1_000"], {}, "row 2, column 'x': \"1_000\" is not a number"),
        (["1", "nan"], {}, "row 2, column 'x': nan is not a finite number"),
        ([1.0, float("inf")], {}, "row 2, column 'x': inf is not a finite number"),
        (["1", " "], {}, "row 2, column 'x': the value is missing"),
        (["1", "2"], {"high": 1.5, "if_meant": "; say so"}, "'x': 2 is outside the range -inf..1.5; say so"),
        (["x", "y", "3"], {"rows": [2, 1]}, "row 2, column 'x': \"y\" is not a number"),
        (["nein"], {"worth": {"no": 0.0, "ja": 1.0}}, '"nein" is none of the labels; known: ja, no'),
        ([[1]], {}, "the table: column 'x' holds List(Int64), not numbers"),
    ],
)
def test_what_is_no_number_is_told_with_its_place(cells: list[object], wanted: dict[str, object], message: str) -> None:
    with pytest.raises(EvenhandError) as caught:
        of(*cells).numbers(**wanted)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_what_is_missing_or_unknown_is_told_with_its_place() -> None:
    of("a", None).refuse_missing([0])
    with pytest.raises(EvenhandError, match="row 2, column 'x': the value is missing"):
        of("a", "").refuse_missing()
    with pytest.raises(EvenhandError, match="row 1, column 'x': the value is missing"):
        of(None, "a").complete_labels()
    of("no", None).refuse_other_than(["yes", "no"])
    with pytest.raises(EvenhandError, match="row 2, column 'x': \"nein\" is not yes or no"):
        of("no", "nein").refuse_other_than(["yes", "no"])
    with pytest.raises(EvenhandError, match="column 'x' holds Float64, not labels"):
        of(0.5).labels()


def test_rows_of_a_file_are_told_by_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('x\n"1"\n\n"two"\n')
    with pytest.raises(EvenhandError, match=r"t\.csv, line 4, column 'x': .two. is not a number"):
        TableFile(path).column("x").numbers(rows=[0, 1])


def test_a_decimal_comma_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text;score\na;0,5\n")
    with pytest.raises(EvenhandError, match=r'line 2, column .score.: "0,5" is not a number; write a decimal point'):
        TableFile(path).column("score").numbers()

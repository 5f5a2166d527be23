"""Tables as they are in the world: the same rows are read however they were saved, and errors keep their place."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.corpora.chat.logs import read_log
from evenhand.errors import EvenhandError
from evenhand.files.tables import TableFile
from evenhand.rating import rate_scores

ROWS = [["text", "emotion word", "prob_Good"], ["well, yes", "glad", "0.25"], ["no; never", "", "0.5"]]


def saved(path: Path, *, header: list[str] | None = None, end: str = "\n", start: bytes = b"", **how: Any) -> Path:
    """The rows as a file."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end, **how).writerows([header or ROWS[0], *ROWS[1:]])
    path.write_bytes(start + text.getvalue().encode())
    return path


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("a.csv", {}),
        ("a.csv", {"end": "\r\n", "start": b"\xef\xbb\xbf"}),
        ("a.csv", {"delimiter": ";"}),
        ("a.csv", {"delimiter": "\t", "quoting": csv.QUOTE_ALL}),
        ("a.csv", {"header": [" Text ", "EMOTION WORD", "Prob_Good"]}),
        ("a.csv", {"end": "\n\n", "start": b"\n"}),
        ("a.csv", {"end": "\r\n\r\n"}),
        ("a.tsv", {"delimiter": "\t"}),
        ("a.tsv", {"delimiter": ","}),
        ("a.txt", {"delimiter": "|"}),
    ],
)
def test_the_same_rows_are_read_however_they_were_saved(tmp_path: Path, name: str, how: dict[str, Any]) -> None:
    file = TableFile(saved(tmp_path / name, **how), known=("text", "emotion word", "prob_"))
    assert file.frame.columns == ROWS[0]
    assert [[cell or "" for cell in row] for row in file.frame.rows()] == ROWS[1:]


def test_rows_in_which_nothing_stands_are_left_out_and_lines_still_count_them(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\ntext,score\n\none,1\n,\n\ntwo,x\n,\n")
    file = TableFile(path)
    assert file.frame.rows() == [("one", "1"), ("two", "x")]
    assert file.lines() == [4, 7]
    with pytest.raises(EvenhandError, match="line 7, column 'score': \"x\" is not a number"):
        file.column("score").numbers()


def test_the_empty_columns_that_a_spreadsheet_puts_behind_a_table_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("a,b,,, ,\n1,x,,,,\n,,,,,\n2,,,,,\n")
    assert TableFile(path).frame.to_dict(as_series=False) == {"a": ["1", "2"], "b": ["x", None]}
    path.write_text("a,b,,\n1,x,,\n,,,\n2,y,,over\n")
    with pytest.raises(EvenhandError, match=r"wide.csv, line 4: a cell in a column that has no name"):
        _ = TableFile(path).frame
    path.write_text(",a\n0,x\n1,y\n")  # pandas' row numbers
    assert TableFile(path).frame.columns == ["", "a"]


def test_a_line_with_too_few_cells_is_refused_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,score\n\none,1\ntwo\n")
    with pytest.raises(EvenhandError, match="line 4: 1 cells where the header has 2"):
        _ = TableFile(path).frame


def test_the_usual_separator_wins_where_the_header_has_it(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("text\tscore (low, mid, high)\nwell, yes\t1\n")
    assert TableFile(path).frame.rows() == [("well, yes", "1")]


def test_a_column_that_is_known_by_its_own_spelling_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Group,SCORE\na,1\n")
    assert TableFile(path, known=("group", "score", "Group")).frame.columns == ["Group", "score"]
    path.write_text("Score,SCORE\na,1\n")
    assert TableFile(path, known=("score",)).frame.columns == ["score", "SCORE"]


def test_quotes_are_characters_unless_all_of_the_header_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text('ID\tTweet\n1\t"so\n2\t"he said ""no"""\n')
    assert TableFile(path, plain_quotes=True).frame["Tweet"].to_list() == ['"so', '"he said ""no"""']
    path.write_text('"ID"\t"Tweet"\n"2"\t"he said ""no"""\n')
    assert TableFile(path, plain_quotes=True).frame["Tweet"].to_list() == ['he said "no"']


def test_a_column_that_is_needed_and_left_out_is_said_to_hold_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "rated.parquet"
    frame = pl.DataFrame({"system": ["s"], "dataset": ["d"], "gender": [["m"]], "sentiment": [1.0]})
    frame.write_parquet(path)
    with pytest.raises(EvenhandError, match="column 'gender' holds lists"):
        rate_scores(path, attributes=["gender"])
    pl.DataFrame({"conversation": ["1"], "user": ["Hi"], "bot": [{"a": 1}]}).write_parquet(path)
    with pytest.raises(EvenhandError, match="column 'bot' holds mappings"):
        read_log(path, columns={"chatbot": "bot"})
    with pytest.raises(EvenhandError, match=r"no column for 'chatbot'.*column 'bot' holds mappings"):
        read_log(path)

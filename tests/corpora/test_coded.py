"""Columns as numbers, and many texts held as a column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evenhand.corpora import coded as module
from evenhand.corpora import eec
from evenhand.corpora.coded import Coded, Strings, coded, note_part


@pytest.mark.parametrize("few", [0, 100])
def test_values_are_numbered_in_order_of_appearance(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", few)
    found = Coded.of(pl.Series(["b", None, "a", "b", ""]))
    assert found.numbers.tolist() == [0, -1, 1, 0, 2]
    assert found.labels == ("b", "a", "")


@pytest.mark.parametrize("few", [0, 100])
def test_a_column_without_values_has_no_numbers(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", few)
    for empty in (pl.Series([None, None]), pl.Series([None], dtype=pl.String), pl.Series([], dtype=pl.String)):
        found = Coded.of(empty)
        assert (found.numbers == -1).all()
        assert len(found.labels) == 0


def test_some_rows_are_numbered_as_if_there_were_no_others() -> None:
    column = pl.Series(["b", None, "a", "b", "c"])
    rows = np.array([4, 1, 2, 4])
    taken, anew = Coded.of(column).at(rows), Coded.of(column[rows])
    assert taken.numbers.tolist() == anew.numbers.tolist() == [0, -1, 1, 0]
    assert taken.labels == anew.labels == ("c", "a")


def test_a_part_of_a_corpus_is_numbered_from_the_whole() -> None:
    whole, rows = eec(), np.arange(0, 8640, 7)[::-1].copy()
    part = replace(whole, frame=whole.frame[rows])
    note_part(part, whole, rows)
    for column in ("person", "pair", "source", "gender"):
        from_whole, by_itself = coded(part, column), Coded.of(part.frame[column])
        assert from_whole.numbers.tolist() == by_itself.numbers.tolist()
        assert from_whole.labels == by_itself.labels


def test_strings_are_a_sequence_of_texts() -> None:
    texts = Strings(["a", "b", "c"]).at(np.array([2, 0, 2]))
    assert len(texts) == 3
    assert texts[0] == "c"
    assert texts[-2] == "a"
    assert texts[1:] == ("a", "c")
    assert [*texts] == ["c", "a", "c"]
    assert texts.at(np.array([1])) == ("a",)
    assert texts + Strings(["d"]) == Strings(["c", "a", "c", "d"])
    assert Strings([]) + texts == texts
    assert texts != ("c", "a")
    assert repr(texts) == "('c', 'a', 'c')"
    with pytest.raises(IndexError):
        texts[3]

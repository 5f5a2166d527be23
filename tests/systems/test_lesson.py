"""Texts with scores, from files of a shared task and from any table."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.tables import write_table
from evenhand.systems.training.lesson import Lesson, check_learnable, read_lesson, warn_of_overlap

HEADER = "ID\tTweet\tAffect Dimension\tIntensity Score"


def task_file(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


class TestSharedTaskFiles:
    def test_quotes_are_plain_characters(self, tmp_path: Path) -> None:
        path = task_file(tmp_path / "a.txt", 'i1\tshe said "no\tanger\t0.7', 'i2\t"fine" by me \tanger\t0.1')
        read = read_lesson([path], dimension="anger")
        assert read.texts == ('she said "no', '"fine" by me')
        assert read.scores.tolist() == [0.7, 0.1]
        assert (read.output, read.high_is, read.source) == ("anger", "bad", str(path))

    def test_several_files_are_one_lesson(self, tmp_path: Path) -> None:
        first = task_file(tmp_path / "a.txt", "i1\tgreat\tJoy\t0.9")
        (tmp_path / "b.jsonl").write_text('{"sentence": "so so", "score": 0.5}\n')
        read = read_lesson([first, tmp_path / "b.jsonl"], dimension="joy")
        assert read.texts == ("great", "so so")
        assert read.high_is == "good"
        assert read.digest != read_lesson([tmp_path / "b.jsonl", first], dimension="joy").digest

    def test_rows_without_a_score_are_left_out_and_counted(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        path = task_file(tmp_path / "a.txt", "1\ta\tfear\tNONE", "2\tb\tfear\t0.25", "3\tc\tfear\tnone", "4\td\tfear\t")
        with caplog.at_level(logging.INFO, logger="evenhand"):
            assert read_lesson([path], dimension="fear").texts == ("b",)
        assert "a.txt: 3 of 4 rows have no score and are left out" in caplog.text

    def test_rows_of_the_second_test_set_hold_no_scores(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        mystery = [f"2018-En-mystery-{number:05d}\tm{number}\tfear\t0.000" for number in range(4)]
        path = task_file(tmp_path / "a.txt", "2018-En-1\ta\tfear\t0.25", "2018-En-2\tb\tfear\tNONE", *mystery)
        with caplog.at_level(logging.INFO, logger="evenhand"):
            assert read_lesson([path], dimension="fear").texts == ("a",)
        assert "4 of 6 rows are of the task's second test set, which people never scored" in caplog.text
        assert "a.txt: 1 of 6 rows have no score and are left out" in caplog.text

    def test_a_file_without_any_score_is_refused(self, tmp_path: Path) -> None:
        path = task_file(tmp_path / "a.txt", "1\ta\tfear\tNONE", "2\tb\tfear\tNONE")
        with pytest.raises(EvenhandError, match=r"a\.txt: none of its 2 rows has a score"):
            read_lesson([path])

    def test_ordinal_classes_are_their_numbers_between_the_lowest_and_the_highest(self, tmp_path: Path) -> None:
        path = task_file(
            tmp_path / "a.txt",
            "1\ta\tvalence\t-3: very negative state",
            "2\tb\tvalence\t0: neutral",
            "3\tc\tvalence\t1: slightly positive: a bit",
            "4\td\tvalence\tNONE",
            header=HEADER.replace("Score", "Class"),
        )
        read = read_lesson([path], classes=True)
        assert (read.low, read.high, read.scores.tolist()) == (-3, 1, [0, 0.75, 1])
        read = read_lesson([path], bounds=(-3, 3))
        assert (read.low, read.high) == (-3, 3)
        np.testing.assert_allclose(read.scores, [0, 0.5, 4 / 6])

    def test_another_dimension_is_refused(self, tmp_path: Path) -> None:
        anger, fear = (task_file(tmp_path / f"{name}.txt", f"1\ta\t{name}\t0.5") for name in ("anger", "fear"))
        with pytest.raises(
            UsageError, match=r"anger\.txt is of 'anger', unlike the dimension 'fear' that was asked for: one dimension"
        ):
            read_lesson([anger], dimension="fear")
        with pytest.raises(UsageError, match=r"fear\.txt is of 'fear', unlike .*anger\.txt, which is of 'anger'"):
            read_lesson([anger, fear])
        both = task_file(tmp_path / "both.txt", "1\ta\tanger\t0.5", "2\tb\tfear\t0.5")
        with pytest.raises(EvenhandError, match=r"both\.txt, line 3: 'fear' in a file of 'anger'"):
            read_lesson([both], dimension="anger")

    def test_a_name_that_speaks_of_another_dimension_is_told(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "fear.csv").write_text("text,score\na,1\n")
        assert read_lesson([tmp_path / "fear.csv"], dimension="anger").output == "anger"
        assert "names no dimension and is taken for anger, though its name says fear" in caplog.text

    def test_what_is_odd_about_a_file_is_told(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        (tmp_path / "a.txt").write_bytes(f"{HEADER}\r\n1\tcafé\tjoy\t0.5\r\n".encode("latin-1"))
        with caplog.at_level(logging.INFO, logger="evenhand"):
            read = read_lesson([tmp_path / "a.txt"])
        assert (read.texts, read.scores.tolist()) == (("café",), [0.5])
        assert "a.txt: it is not UTF-8 and was read as Latin-1" in caplog.text


class TestOtherTables:
    def test_scores_on_another_scale_are_brought_to_0_and_1(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("review,stars\nfine,5\npoor,1\n")
        (tmp_path / "b.jsonl").write_text('{"review": "so so", "stars": 3}\n{"review": "none", "stars": null}\n')
        read = read_lesson(
            [tmp_path / "a.csv", tmp_path / "b.jsonl"], text_column="review", score_column="stars", bounds=(1, 5)
        )
        assert read.texts == ("fine", "poor", "so so")
        assert read.scores.tolist() == [1, 0, 0.5]
        assert (read.output, read.high_is, read.low, read.high) == ("stars", None, 1, 5)

    def test_tables_that_evenhand_writes_can_be_learned_from(self, tmp_path: Path) -> None:
        texts, scores = ["one", "two"], [0.1, 0.9]
        write_table(pl.DataFrame({"text": texts, "score": scores}), tmp_path / "t.parquet")
        read = read_lesson([tmp_path / "t.parquet"])
        assert (list(read.texts), read.scores.tolist(), read.output) == (texts, scores, "score")

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("text,scores\na,1\n", r"t\.csv: no column of scores .*; it has text, scores; .* with score_column"),
            ("txt,score\na,1\n", r"t\.csv: no column of texts .*; it has txt, score; .* with text_column"),
            ("text,score\na,1\nb,high\n", r"t\.csv, line 3, column 'score': .high. is not a number"),
            ("text,score\na,1\nb,nan\n", r"t\.csv, line 3, column 'score': nan is not a finite number"),
            ("text,score\na,1\nb,inf\n", r"t\.csv, line 3, column 'score': inf is not a finite number"),
            ("text,score\n,1\n", r"t\.csv, line 2, column 'text': the value is missing"),
            ("text,score\na,1\n  ,1\n", r"t\.csv, line 3, column 'text': the value is missing"),
            ("text,score\nz,NONE\na,0\nb,4\n", r"t\.csv, line 4: the score 4 is outside 0\.\.1; .*range"),
            ("text,score\na,1\ntext,score\nb,0\n", r"t\.csv, line 3: a second header"),
            ("", r"t\.csv is empty"),
        ],
    )
    def test_what_is_wrong_is_told_with_its_place(self, tmp_path: Path, content: str, message: str) -> None:
        (tmp_path / "t.csv").write_text(content)
        with pytest.raises(EvenhandError, match=message):
            read_lesson([tmp_path / "t.csv"])

    @pytest.mark.parametrize(
        ("row", "role"), [('{"text": "a", "score": [1]}', "score"), ('{"text": ["a"], "score": 1}', "text")]
    )
    def test_lists_are_no_cells(self, tmp_path: Path, row: str, role: str) -> None:
        (tmp_path / "t.jsonl").write_text(row + "\n")
        with pytest.raises(EvenhandError, match=rf"t\.jsonl: .*column '{role}' holds .*{role}_column"):
            read_lesson([tmp_path / "t.jsonl"])


def lesson(*texts: str, scores: tuple[float, ...] = ()) -> Lesson:
    return Lesson(texts, np.array(scores or [0.5] * len(texts)), "mine.csv", "", "joy")


def test_what_cannot_be_learned_is_refused() -> None:
    with pytest.raises(UsageError, match=r"mine\.csv: 1 texts are too few to learn from; 20 is the least"):
        check_learnable(lesson("a"))
    with pytest.raises(UsageError, match=r"mine\.csv: all scores are the same"):
        check_learnable(lesson(*"abcdefghijklmnopqrstuvwxyz"))


def test_texts_that_were_trained_on_are_told(caplog: pytest.LogCaptureFixture) -> None:
    warn_of_overlap(lesson("a", "b"), lesson("c", "d"))
    assert not caplog.records
    warn_of_overlap(lesson("a", "b"), lesson("b", "c", "b"))
    assert "mine.csv: 2 of 3 texts were trained on, too" in caplog.text

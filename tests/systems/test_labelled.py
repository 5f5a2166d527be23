"""Texts with labels and words with tags, from the files that shared tasks and treebanks come in."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from evenhand.errors import EvenhandError, UsageError
from evenhand.systems.training.conll import read_tagged
from evenhand.systems.training.labelled import LabelledTexts, read_labelled

HEADER = "ID\tTweet\tAffect Dimension\tIntensity Class"
VALENCE = {
    -3: "very negative mental state can be inferred",
    -2: "moderately negative mental state can be inferred",
    -1: "slightly negative mental state can be inferred",
    0: "neutral or mixed mental state can be inferred",
    1: "slightly positive mental state can be inferred",
    2: "moderately positive mental state can be inferred",
    3: "very positive mental state can be inferred",
}
TREES = "(3 (2 It) (4 (3 works) (2 .)))\n\n(1 (2 Too) (0 (1 much) (2 -LRB-)))\n(2 (2 A) (2 map))\n"


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def pairs(read: LabelledTexts) -> list[tuple[str, str]]:
    return list(zip(read.texts, read.labels, strict=True))


class TestValence:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        rows = [f'en-{grade}\tgrade "{grade}\tvalence\t{grade}: {meaning}' for grade, meaning in VALENCE.items()]
        return write(tmp_path / "2018-Valence-oc-En-train.txt", HEADER, *rows, "en-x\tno label\tvalence\tNONE")

    def test_two_classes_do_without_what_is_neutral(self, path: Path, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.INFO, logger="evenhand"):
            read = read_labelled([path], classes=2)
        assert read.classes == ("negative", "positive")
        assert read.labels == ("negative",) * 3 + ("positive",) * 3
        assert read.texts[0] == 'grade "-3'
        assert "1 of 7 texts are neutral and are left out" in caplog.text
        assert "1 of 8 rows have no label and are left out" in caplog.text

    def test_three_classes_keep_it(self, path: Path) -> None:
        read = read_labelled([path], classes=3)
        assert read.classes == ("negative", "neutral", "positive")
        assert read.labels == ("negative",) * 3 + ("neutral",) + ("positive",) * 3

    def test_without_a_number_of_classes_grades_stay(self, path: Path) -> None:
        assert read_labelled([path]).classes == ("-3", "-2", "-1", "0", "1", "2", "3")

    def test_a_part_of_the_grades_is_read_in_the_same_way(self, tmp_path: Path) -> None:
        path = write(tmp_path / "dev.txt", HEADER, "1\ta\tvalence\t0: neutral", "2\tb\tvalence\t1: slightly")
        assert read_labelled([path], classes=3).labels == ("neutral", "positive")

    def test_grades_of_emotions_have_no_middle(self, tmp_path: Path) -> None:
        path = write(tmp_path / "anger.txt", HEADER, "1\ta\tanger\t0: no anger", "2\tb\tanger\t3: high")
        assert read_labelled([path]).labels == ("0", "3")
        with pytest.raises(UsageError, match=r"anger\.txt is of 'anger', whose grades have no neutral middle"):
            read_labelled([path], classes=2)


class TestTrees:
    def test_the_grade_of_the_root_counts(self, tmp_path: Path) -> None:
        (tmp_path / "dev.txt").write_text(TREES)
        read = read_labelled([tmp_path / "dev.txt"], classes=3)
        assert pairs(read) == [("It works .", "positive"), ("Too much (", "negative"), ("A map", "neutral")]
        assert read_labelled([tmp_path / "dev.txt"], classes=2).texts == ("It works .", "Too much (")
        assert read_labelled([tmp_path / "dev.txt"]).classes == ("1", "2", "3")

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("(3 (2 It) (4 works)", r"dev\.txt, line 2: a bracket is not closed"),
            ("(3 (2 It)) (4 works)", r"dev\.txt, line 2: the brackets make no single tree"),
            ("(3 (2 It)))", r"line 2: the brackets make no single tree"),
            ("(7 (2 It))", r'line 2: "7" stands where a tree has a grade from 0 to 4'),
            ("(3 (It works))", r'line 2: "It" stands where a tree has a grade'),
            ("(3)", r"line 2: a tree without words"),
            ("word", r"line 2: the brackets make no single tree"),
        ],
    )
    def test_what_is_no_tree_is_told_with_its_line(self, tmp_path: Path, line: str, message: str) -> None:
        path = write(tmp_path / "dev.txt", "(3 (2 It) (4 works))", line)
        with pytest.raises(EvenhandError, match=message):
            read_labelled([path])


class TestTables:
    @pytest.mark.parametrize(
        ("labels", "polarities", "told"),
        [
            ("0 1 2 3 4", "negative negative neutral positive positive", "grades from 0 to 4, of which 2 is neutral"),
            ("0 1 1 0 1", "negative positive positive negative positive", r"grades 0 (negative) and 1 (positive)"),
            ("0 1 2 2 1", "negative neutral positive positive neutral", "grades 0, 1 and 2"),
            ("-2 0 1 -1 3", "negative neutral positive negative positive", "grades from -3 to 3"),
            ("0.4 0.41 0.6 0.61 1", "negative neutral neutral positive positive", "values from 0 to 1"),
            ("neg very_positive NEUTRAL Pos negative", "negative positive neutral positive negative", ""),
        ],
    )
    def test_every_scale_is_told_and_read(
        self, tmp_path: Path, labels: str, polarities: str, told: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        rows = [f"text {place}\t{label}" for place, label in enumerate(labels.split())]
        with caplog.at_level(logging.INFO, logger="evenhand"):
            read = read_labelled([write(tmp_path / "sst.tsv", "sentence\tlabel", *rows)], classes=3)
        assert " ".join(read.labels) == polarities
        assert told in caplog.text

    def test_all_training_files_tell_the_scale_and_others_follow(self, tmp_path: Path) -> None:
        low = write(tmp_path / "low.csv", "text,label", "a,0", "b,1", "c,2")
        high = write(tmp_path / "high.csv", "text,label", "d,4")
        train = read_labelled([low, high], classes=3)
        assert train.labels == ("negative", "negative", "neutral", "positive")
        assert read_labelled([low], classes=3, like=train).labels == ("negative", "negative", "neutral")
        assert read_labelled([low], classes=3).labels == ("negative", "neutral", "positive")

    def test_kinds_of_files_can_be_mixed(self, tmp_path: Path) -> None:
        (tmp_path / "trees.txt").write_text(TREES)
        table = write(tmp_path / "t.jsonl", '{"text": "fine", "sentiment": "positive"}')
        valence = write(tmp_path / "v.txt", HEADER, "1\tbad\tvalence\t-1: slightly")
        read = read_labelled([tmp_path / "trees.txt", table, valence], classes=2)
        assert read.labels == ("positive", "negative", "positive", "negative")

    def test_labels_are_any_words_and_columns_have_any_name(self, tmp_path: Path) -> None:
        path = write(tmp_path / "t.csv", "review,topic", "a,sport", 'b,"art, old"', "c,sport")
        read = read_labelled([path], text_column="review", label_column="topic")
        assert pairs(read) == [("a", "sport"), ("b", "art, old"), ("c", "sport")]
        assert read.classes == ("art, old", "sport")

    def test_numbers_are_ordered_as_numbers(self, tmp_path: Path) -> None:
        path = write(tmp_path / "t.jsonl", *(f'{{"text": "x", "label": {label}}}' for label in (10, 9, -1)))
        assert read_labelled([path]).classes == ("-1", "9", "10")

    def test_the_digest_is_of_texts_and_labels(self, tmp_path: Path) -> None:
        one = read_labelled([write(tmp_path / "a.csv", "text,label", "a,x", "b,y")])
        same = read_labelled([write(tmp_path / "b.tsv", "text\tlabel", "a\tx", "b\ty")])
        other = read_labelled([write(tmp_path / "c.csv", "text,label", "a,y", "b,x")])
        assert one.digest == same.digest != other.digest

    @pytest.mark.parametrize(
        ("lines", "classes", "message"),
        [
            (
                ["text,mood", "a,1"],
                None,
                r"t\.csv: no column of labels .*; it has text, mood; name it with label_column",
            ),
            (["words,label", "a,1"], None, r"t\.csv: no column of texts .*; name it with text_column"),
            (["text,label", "a,1", ",1"], None, r"t\.csv, line 3, column 'text': the value is missing"),
            (["text,label", "a,x", "text,label"], None, r"t\.csv, line 3: a second header"),
            (["text,label", "a,", "b,"], None, r"t\.csv: none of its 2 rows has a label"),
            (["text,label", "a,1", "b,0.5"], None, r"t\.csv, line 3: 0\.5 is not a label; to make classes"),
            (["text,label", "a,1", "b,good"], 2, r't\.csv, line 3: "good" is neither a grade nor negative'),
            (["text,label", "a,1", "b,7"], 2, r"t\.csv: labels from 1 to 7 are on no known scale"),
            (["text,label", "a,neutral", "b,NONE"], 2, r"t\.csv: no text is left"),
            (["text,label", "a,1"], 4, r"4 classes: grades can be made into 2 or 3"),
        ],
    )
    def test_what_is_wrong_is_told_with_its_place(
        self, tmp_path: Path, lines: list[str], classes: int | None, message: str
    ) -> None:
        with pytest.raises(EvenhandError, match=message):
            read_labelled([write(tmp_path / "t.csv", *lines)], classes=classes)

    def test_labels_that_were_not_trained_on_are_refused(self, tmp_path: Path) -> None:
        train = read_labelled([write(tmp_path / "a.csv", "text,label", "a,cat", "b,dog")])
        dev = write(tmp_path / "b.csv", "text,label", "a,cat", "b,dogs")
        with pytest.raises(
            EvenhandError, match=r"b\.csv, line 3: the training files have no label 'dogs'; did you mean"
        ):
            read_labelled([dev], like=train)
        graded = read_labelled([write(tmp_path / "c.csv", "text,label", "a,0", "b,2")], classes=2)
        with pytest.raises(
            EvenhandError, match=r"d\.csv, line 2: the label 4 does not fit the others, grades 0, 1 and 2"
        ):
            read_labelled([write(tmp_path / "d.csv", "text,label", "a,4")], classes=2, like=graded)

    def test_no_file_is_one_line(self, tmp_path: Path) -> None:
        for name in ("gone.txt", "gone.csv"):
            with pytest.raises(UsageError, match=f"no such file: .*{name}"):
                read_labelled([tmp_path / name])


class TestTags:
    IOB1 = (
        "-DOCSTART- -X- -X- O", "", "Port NNP I-NP I-LOC", "Vila NNP I-NP I-LOC", "Oslo NNP I-NP B-LOC",
        "won VBD I-VP O", "", "", "Ada NNP I-NP I-PER", "Bay NNP I-NP I-LOC",
    )  # fmt: skip
    IOB2 = ("Port B-LOC", "Vila I-LOC", "Oslo B-LOC", "won O", "", "Ada B-PER", "Bay B-LOC", "")

    def test_both_schemes_become_bilou(self, tmp_path: Path) -> None:
        one = read_tagged([write(tmp_path / "eng.train", *self.IOB1)])
        two = read_tagged([write(tmp_path / "eng.testa", *self.IOB2)])
        assert one.words == (("Port", "Vila", "Oslo", "won"), ("Ada", "Bay"))
        assert one.tags == (("B-LOC", "L-LOC", "U-LOC", "O"), ("U-PER", "U-LOC"))
        assert (one.words, one.tags, one.digest) == (two.words, two.tags, two.digest)
        assert one.classes == ("LOC", "PER")

    def test_other_schemes_are_told_by_their_letters(self, tmp_path: Path) -> None:
        bilou = read_tagged([write(tmp_path / "a", "New B-LOC", "Hope I-LOC", "Bay L-LOC", "Ada U-PER")])
        iobes = read_tagged([write(tmp_path / "b", "New B-LOC", "Hope I-LOC", "Bay E-LOC", "Ada S-PER")])
        assert bilou.tags == iobes.tags == (("B-LOC", "I-LOC", "L-LOC", "U-PER"),)

    def test_files_from_windows_and_in_latin_1_are_read(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        path = tmp_path / "deu.train"
        path.write_bytes("Köln I-LOC\r\n\r\nja O\r\n".encode("latin-1"))
        with caplog.at_level(logging.INFO, logger="evenhand"):
            assert read_tagged([path]).words == (("Köln",), ("ja",))
        assert "it is not UTF-8 and was read as Latin-1" in caplog.text

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            (["Oslo U-LOC", "won"], r"a\.conll, line 2: 'won' has no tag behind it"),
            (["", "Oslo LOC"], r"a\.conll, line 2: 'LOC' is not a tag of"),
            (["Oslo X-LOC"], r"a\.conll, line 1: 'X-LOC' is not a tag of BIO: O, B-CLASS, I-CLASS"),
            (["Oslo U-LOC", "Bay S-LOC"], r"a\.conll: these tags mix BILOU .* and IOBES"),
            (["", "-DOCSTART- O"], r"a\.conll: there is no sentence"),
        ],
    )
    def test_what_is_wrong_is_told_with_its_line(self, tmp_path: Path, lines: list[str], message: str) -> None:
        with pytest.raises(EvenhandError, match=message):
            read_tagged([write(tmp_path / "a.conll", *lines)])

    def test_types_that_were_not_trained_on_are_refused(self, tmp_path: Path) -> None:
        train = read_tagged([write(tmp_path / "a", "Oslo B-LOC")])
        with pytest.raises(EvenhandError, match=r"b, line 3: the training files have no span of class 'ORG'"):
            read_tagged([write(tmp_path / "b", "", "the O", "Union B-ORG")], like=train)

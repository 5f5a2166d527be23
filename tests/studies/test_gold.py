"""Gold: what is wrong with it is told about it, and not about the systems."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import evenhand
from evenhand.errors import EvenhandError
from evenhand.files.task_files import TaskFile
from evenhand.studies import read_gold

HEADER = "ID\tTweet\tAffect Dimension\tIntensity Score\n"
ROWS = "1\tone\tjoy\t0.1\n2\ttwo\tjoy\t0.5\n3\tthree\tjoy\t0.9\n"


def gold_file(folder: Path, content: str) -> Path:
    path = folder / "joy.txt"
    path.write_text(content)
    return path


def test_rows_without_a_score_are_passed_over(tmp_path: Path) -> None:
    gold = read_gold(gold_file(tmp_path, HEADER + ROWS + "4\tfour\tjoy\tNONE\n5\tfive\tjoy\t\n"))["joy"]
    assert gold.scores.tolist() == [0.1, 0.5, 0.9]
    assert gold.file == "joy.txt"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + ROWS + "4\tfour\tjoy\thigh\n", r"joy\.txt, line 5, column 'Intensity Score': .high. is not a number"),
        (HEADER + "4\tx\tjoy\tNONE\n" + ROWS + "2\tx\tjoy\t0.3\n", r"line 6: a second gold row for .2."),
        ("text\tscore\na\t1\nb\t2\nc\t3\na\t1\n", r"line 5: a second gold row for .a."),
        (HEADER + HEADER + ROWS, r"line 2: a second header"),
    ],
    ids=["text for a number", "repeated id", "repeated text", "two headers"],
)
def test_a_broken_gold_file_is_refused_by_name_and_line(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(EvenhandError, match=message):
        read_gold(gold_file(tmp_path, content))


def test_texts_that_repeat_can_be_told_apart_by_their_ids_only(tmp_path: Path) -> None:
    gold = read_gold(gold_file(tmp_path, HEADER + ROWS + "4\tone\tjoy\t0.2\n"))["joy"]
    path = tmp_path / "without.csv"
    path.write_text("text,score\none,1\ntwo,1\nthree,1\n")
    with pytest.raises(EvenhandError, match="the gold file has the same text more than once"):
        gold.rows(TaskFile(path), np.ones(3))


def test_gold_of_another_task_and_gold_that_does_not_vary_are_told(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small / "submissions", tmp_path / "submissions")
    (tmp_path / "gold").mkdir()
    anger = HEADER + ROWS.replace("joy", "anger")
    (tmp_path / "gold" / "anger.txt").write_text(anger)
    valence = (small / "gold" / "2018-Valence-reg-En-test-gold.txt").read_text().splitlines()
    flat = [
        valence[0],
        *(line if line.endswith("NONE") else line.rpartition("\t")[0] + "\t0.5" for line in valence[1:]),
    ]
    (tmp_path / "gold" / "valence.txt").write_text("\n".join(flat) + "\n")
    found = evenhand.study(tmp_path / "submissions", gold=tmp_path / "gold", progress=False)
    assert {(one.system, one.file, one.left_out) for one in found.problems} == {
        ("gold", "anger.txt", False), ("gold", "valence.txt", False),
    }  # fmt: skip
    messages = {one.file: one.message for one in found.problems}
    assert messages["anger.txt"].startswith("no submission for anger can be held against it; the first: it misses 3 of")
    assert messages["valence.txt"] == "its scores for valence do not vary"
    assert {one.quality.undefined for one in found.submissions if one.dimension == "valence"} == {
        "the gold scores do not vary"
    }


def with_placeholders(folder: Path, mystery: list[str], rows: str = ROWS) -> Path:
    """A gold file as the task has it: texts with people's scores, then those of the second test set."""
    lines = [f"2018-En-mystery-{place:05d}\tm{place}\tjoy\t{score}" for place, score in enumerate(mystery)]
    return gold_file(folder, HEADER + rows + "".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("held", ["0.000", "0", "0.5", "NONE"])
def test_rows_of_the_second_test_set_are_not_peoples_scores(tmp_path: Path, held: str) -> None:
    gold = read_gold(with_placeholders(tmp_path, [held] * 5))["joy"]
    assert gold.scores.tolist() == [0.1, 0.5, 0.9]
    if held == "NONE":
        assert gold.left_out is None
    else:
        assert gold.left_out is not None
        assert gold.left_out.startswith("5 of 8 rows are of the task's second test set")
        assert f"the {float(held):g} that stands there is not a score" in gold.left_out


def test_scores_that_people_gave_to_the_second_test_set_are_kept(tmp_path: Path) -> None:
    gold = read_gold(with_placeholders(tmp_path, ["0.2", "0.000", "0.7"]))["joy"]
    assert gold.scores.tolist() == [0.1, 0.5, 0.9, 0.2, 0.0, 0.7]
    assert gold.left_out is None


def test_a_zero_of_a_text_that_people_scored_is_a_score(tmp_path: Path) -> None:
    gold = read_gold(with_placeholders(tmp_path, ["0.000"] * 200, ROWS + "4\ta mystery\tjoy\t0.000\n"))["joy"]
    assert gold.scores.tolist() == [0.1, 0.5, 0.9, 0.0]


def test_official_gold_files_rank_systems_by_the_texts_that_people_scored(small: Path, tmp_path: Path) -> None:
    for path in (small / "gold").iterdir():
        (tmp_path / path.name).write_text(path.read_text().replace("\tNONE", "\t0.000"))
    plain = evenhand.study(small / "submissions", gold=small / "gold", progress=False)
    # Strict reading goes on: the task's own files are like this.
    found = evenhand.study(small / "submissions", gold=tmp_path, strict=True, progress=False)
    assert [one.quality for one in found.submissions] == [one.quality for one in plain.submissions]
    assert {problem.system for problem in found.problems} == {"gold"}
    assert all("8,940 of 9,140 rows" in problem.message for problem in found.problems)

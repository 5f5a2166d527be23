"""Files as people submit them: each that is broken has its own message, and the others go on."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.asking import Scores
from evenhand.corpora import eec
from evenhand.errors import EvenhandError, UsageError
from evenhand.files.task_files import TaskFile
from evenhand.studies import Reader, find_entries
from evenhand.studies.matching import REMEMBERED, Matcher
from evenhand.studies.reading import Submission
from evenhand.studies.synthetic import submission_name

ANGER = submission_name("anger")
Lines = list[str]


def corpus_line(lines: Lines) -> int:
    """A line that holds a sentence of the corpus."""
    return next(place for place, line in enumerate(lines) if "feels angry" in line)


def missing(lines: Lines) -> Lines:
    place = corpus_line(lines)
    return lines[:place] + lines[place + 1 :]


def repeated(lines: Lines) -> Lines:
    line = lines[corpus_line(lines)]
    return [*lines, line, "\t".join([*line.split("\t")[:3], "0.123"])]


def replaced(lines: Lines, score: str) -> Lines:
    place = corpus_line(lines)
    cells = lines[place].split("\t")
    return [*lines[:place], "\t".join([*cells[:3], score]), *lines[place + 1 :]]


def of_dimension(lines: Lines, dimension: str) -> Lines:
    return [lines[0], *(line.replace("\tanger\t", f"\t{dimension}\t") for line in lines[1:])]


BROKEN: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "missing rows": (missing, r"misses 1 sentence"),
    "duplicate rows": (repeated, r"repeats 1 sentence .* with other scores"),
    "text for a number": (
        lambda lines: replaced(lines, "high"),
        r"line \d+, column '.*Score': .high. is not a number",
    ),
    "NONE": (lambda lines: replaced(lines, "NONE"), r"line \d+, column 'Intensity Score': NONE in place of a score"),
    "an empty score": (lambda lines: replaced(lines, ""), r"line \d+, column 'Intensity Score': the value is missing"),
    "not finite": (
        lambda lines: replaced(lines, "inf"),
        r"line \d+, column '.*Score': inf is not a finite number",
    ),
    "too large to sum up": (
        lambda lines: replaced(lines, "1e308"),
        r"line \d+, column 'Intensity Score': 1e308 is too large to calculate with: numbers go up to 1e\+60",
    ),
    "two headers": (lambda lines: [lines[0], *lines], r"line 2: a second header"),
    "unknown dimension": (lambda lines: of_dimension(lines, "angre"), r"unknown affect dimension 'angre'.*anger"),
    "two dimensions": (lambda lines: [*lines[:-1], of_dimension(lines, "joy")[-1]], r"line \d+: 'joy' in a file of"),
    "no header": (lambda lines: lines[1:], r"no column of texts"),
    "too few cells": (lambda lines: [*lines, "lonely"], r"line \d+: 1 cells where the header has 4"),
    "UTF-16": (lambda lines: ["\0".join(line) for line in lines], r"looks like UTF-16"),
    "carriage returns": (lambda lines: ["\r".join(lines)], r"carriage return alone"),
    "another scale": (
        lambda lines: [
            lines[0],
            *("\t".join([*line.split("\t")[:3], str(100 * float(line.split("\t")[3]))]) for line in lines[1:]),
        ],
        r"another scale",
    ),
}


@pytest.fixture
def folder(small: Path, tmp_path: Path) -> Path:
    """Submissions of our own, to break."""
    shutil.copytree(small / "submissions", tmp_path / "submissions")
    (tmp_path / "submissions" / "manifest.csv").unlink()
    return tmp_path / "submissions"


def rewrite(path: Path, change: Callable[[Lines], Lines]) -> None:
    lines = change(path.read_text(encoding="utf-8").splitlines())
    path.write_bytes("".join(f"{line}\n" for line in lines[:-1]).encode() + lines[-1].encode())


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_submission_is_left_out_and_told_and_the_others_stay(folder: Path, kind: str) -> None:
    change, message = BROKEN[kind]
    rewrite(folder / "birch" / ANGER, change)
    found = evenhand.study(folder, progress=False)
    (problem,) = found.problems
    assert (problem.system, problem.file, problem.left_out) == ("birch", f"birch/{ANGER}", True)
    assert re.search(message, problem.message)
    assert len(found.submissions) == 7
    assert ("birch", "valence") in {(one.system, one.dimension) for one in found.submissions}
    with pytest.raises(EvenhandError, match=message):
        evenhand.study(folder, strict=True, progress=False)


def test_rows_that_say_the_same_twice_count_once_and_are_counted(folder: Path) -> None:
    plain = evenhand.study(folder, progress=False)
    rewrite(folder / "birch" / ANGER, lambda lines: [*lines, lines[corpus_line(lines)], lines[corpus_line(lines)]])
    found = evenhand.study(folder, progress=False)
    (problem,) = found.problems
    assert (problem.message, problem.left_out) == ("2 of its rows repeat another with the same score", False)
    assert (found.scores.matrix == plain.scores.matrix).all()


def windows(content: bytes) -> bytes:
    return content.replace(b"\n", b"\r\n")


def marked(content: bytes) -> bytes:
    return b"\xef\xbb\xbf" + content


def latin(content: bytes) -> bytes:
    return content.decode().replace("tweet 1 about", "tweet 1 à propos de").encode("latin-1")


@pytest.mark.parametrize(
    ("change", "message"),
    [(windows, "end as on Windows"), (marked, "byte-order mark"), (latin, "read as Latin-1")],
    ids=["Windows line ends", "byte-order mark", "Latin-1"],
)
def test_odd_bytes_are_read_all_the_same_and_noted(
    folder: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    plain = evenhand.study(folder, progress=False)
    path = folder / "birch" / ANGER
    path.write_bytes(change(path.read_bytes()))
    found = evenhand.study(folder, progress=False)
    (problem,) = found.problems
    assert message in problem.message
    assert not problem.left_out
    assert (found.scores.matrix == plain.scores.matrix).all()
    with pytest.raises(EvenhandError, match=message):
        evenhand.study(folder, strict=True, progress=False)


def test_the_dimension_column_decides_and_not_the_name(folder: Path) -> None:
    (folder / "birch" / submission_name("valence")).unlink()
    rewrite(folder / "birch" / ANGER, lambda lines: of_dimension(lines, "valence"))
    found = evenhand.study(folder, progress=False)
    assert [one.dimension for one in found.submissions if one.system == "birch"] == ["valence"]
    assert "its name speaks of anger, its rows of valence" in found.problems[0].message
    assert not found.problems[0].left_out


def test_of_two_files_for_one_dimension_that_with_the_right_name_is_used(folder: Path) -> None:
    kept = evenhand.study(folder, progress=False)
    # In the order of names the wrong one comes first.
    rewrite(folder / "birch" / ANGER, lambda lines: of_dimension(lines, "valence"))
    found = evenhand.study(folder, progress=False)
    files = {(one.system, one.dimension): one.file for one in found.submissions}
    assert files["birch", "valence"] == "birch/V-reg_en_pred.txt"
    left_out = [problem for problem in found.problems if problem.left_out]
    assert [problem.file for problem in left_out] == [f"birch/{ANGER}"]
    assert "a second submission of birch for valence" in left_out[0].message

    def scores(study: evenhand.Study) -> list[float]:
        place = next(
            place for place, one in enumerate(study.submissions) if (one.system, one.dimension) == ("birch", "valence")
        )
        return study.scores.matrix[:, place].tolist()

    assert scores(found) == scores(kept)


def test_rows_are_matched_by_sentence_whatever_their_order(folder: Path) -> None:
    plain = evenhand.study(folder, progress=False)
    rewrite(folder / "birch" / ANGER, lambda lines: [lines[0], *reversed(lines[1:])])
    found = evenhand.study(folder, progress=False)
    assert not found.problems
    assert (found.scores.matrix == plain.scores.matrix).all()


def test_the_published_spelling_is_accepted_and_noted(folder: Path) -> None:
    rewrite(folder / "birch" / ANGER, lambda lines: [line.replace("dissapointed", "disappointed") for line in lines])
    found = evenhand.study(folder, progress=False)
    assert len(found.submissions) == 8
    assert "another spelling" in found.problems[0].message


def test_submissions_fit_the_authors_file_in_either_spelling(folder: Path) -> None:
    """The corpus as a file in the corrected spelling, the submissions in the one that the task had, and the reverse."""
    for spelling in ("published", "released"):
        found = evenhand.study(folder, corpus=eec(spelling), progress=False)
        assert len(found.submissions) == 8
    assert not found.problems


def test_scores_a_little_outside_the_range_are_kept_and_noted(folder: Path) -> None:
    rewrite(folder / "birch" / ANGER, lambda lines: replaced(lines, "1.25"))
    found = evenhand.study(folder, progress=False)
    assert "1 score lies outside 0..1 (such as 1.25)" in found.problems[0].message
    assert found.scores.matrix.max() == 1.25


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_other_formats_are_read_too(folder: Path, ending: str) -> None:
    plain = evenhand.study(folder, progress=False)
    path = folder / "birch" / ANGER
    file = TaskFile(path)
    frame = pl.DataFrame({"text": file.texts, "score": file.scores()}).filter(pl.col("score").is_not_null())
    path.unlink()
    target = folder / "birch" / f"anger.{ending}"
    if ending == "parquet":
        frame.write_parquet(target)
    elif ending == "jsonl":
        frame.write_ndjson(target)
    elif ending == "csv":
        frame.write_csv(target)
    else:
        # Quotes are plain characters where tabs separate.
        target.write_text(
            "\n".join(["text\tscore", *(f"{text}\t{score}" for text, score in frame.iter_rows())]), encoding="utf-8"
        )
    found = evenhand.study(folder, progress=False)
    assert not found.problems
    assert (found.scores.matrix == plain.scores.matrix).all()


def test_a_file_with_a_column_for_each_dimension_is_several_submissions(tmp_path: Path) -> None:
    texts = eec("released").frame["text"]
    numbers = [0.5 + 0.0001 * (place % 7) for place in range(len(texts))]
    (tmp_path / "wide").mkdir()
    pl.DataFrame({"text": texts, "anger": numbers, "valence": numbers}).write_csv(tmp_path / "wide" / "all.csv")
    found = evenhand.study(tmp_path, progress=False)
    assert [(one.system, one.dimension) for one in found.submissions] == [("wide", "anger"), ("wide", "valence")]


def test_one_bad_column_of_several_is_left_out_by_name(tmp_path: Path) -> None:
    texts = eec("released").frame["text"]
    numbers = [f"{0.5 + 0.0001 * (place % 7):.4f}" for place in range(len(texts))]
    bad, outside = [*numbers[:-1], "high"], [*numbers[:-1], "1.5"]
    (tmp_path / "wide").mkdir()
    frame = pl.DataFrame({"text": texts, "anger": numbers, "joy": bad, "valence": outside})
    frame.write_csv(tmp_path / "wide" / "all.csv")
    found = evenhand.study(tmp_path, progress=False)
    assert [one.dimension for one in found.submissions] == ["anger", "valence"]
    left_out, noted = found.problems
    assert left_out.message == "line 8641, column 'joy': \"high\" is not a number"
    assert noted.message.startswith("column 'valence': 1 score lies outside 0..1 (such as 1.5)")
    assert (left_out.left_out, noted.left_out) == (True, False)
    with pytest.raises(
        EvenhandError, match=r"^wide, wide/all.csv: line 8641, column 'joy': [^(]* \(and strict allows no problems\)$"
    ):
        evenhand.study(tmp_path, strict=True, progress=False)


def test_bytes_that_are_no_text_do_not_stop_the_others(folder: Path) -> None:
    pl.DataFrame({"text": [b"\xff\xfe"], "score": [0.5]}).write_parquet(folder / "birch" / "fear.parquet")
    found = evenhand.study(folder, progress=False)
    (problem,) = found.problems
    assert problem.message.endswith("column 'text' holds bytes")
    assert len(found.submissions) == 8


def test_the_matrix_that_is_read_into_is_the_one_that_is_examined(small: Path) -> None:
    read_into = []

    class Watched(Reader):
        def _scores(self, members: Sequence[Submission]) -> Scores:
            read_into.append(self._matrix)
            return super()._scores(members)

    # In the folder each system has both dimensions; in the matrix, dimensions stand together.
    entries = find_entries(small / "submissions").entries
    read = Watched(eec("released")).read(entries, root=small, advance=lambda number: None)
    assert np.shares_memory(read.scores.matrix, read_into[0])
    assert not read.scores.matrix.flags.writeable
    assert [(one.system, one.dimension) for one in read.members[3:5]] == [
        ("SVM-Unigrams", "anger"),
        ("amber", "valence"),
    ]


def test_few_orders_of_rows_are_remembered() -> None:
    matcher = Matcher(pl.Series(["a", "b"]))
    orders = [pl.Series(["a", "b", f"other {number}"]) for number in range(3 * REMEMBERED)]
    for texts in orders:
        assert matcher.match(texts).rows.tolist() == [0, 1]
    assert len(matcher._seen) == REMEMBERED
    assert matcher._seen[0][0].equals(orders[-1])
    latest = matcher.match(orders[-1].clone())
    assert latest is matcher._seen[0][1]


def test_quotes_are_plain_characters(folder: Path, small: Path) -> None:
    text = (folder / "amber" / ANGER).read_text(encoding="utf-8")
    assert '"' in text
    rewrite(
        folder / "amber" / ANGER, lambda lines: [lines[0], *(line.replace("tweet 3", '"tweet 3') for line in lines[1:])]
    )
    found = evenhand.study(folder, gold=small / "gold", progress=False)
    assert not found.problems
    # Tweets are found by their ids, though the texts differ now.
    assert found.of("anger")[0].quality.spearman is not None


def test_a_submission_without_scores_for_the_tweets_has_no_quality(folder: Path, small: Path) -> None:
    def without(lines: Lines) -> Lines:
        return [line if "tweet 3 " not in line else "\t".join([*line.split("\t")[:3], "NONE"]) for line in lines]

    rewrite(folder / "amber" / ANGER, without)
    found = evenhand.study(folder, gold=small / "gold", progress=False)
    amber = next(one for one in found.submissions if (one.system, one.dimension) == ("amber", "anger"))
    assert amber.quality.rank is None
    assert amber.quality.undefined == "it has no score for 1 of the 200 texts of the gold file"
    assert {one.quality.ranked for one in found.submissions if one.dimension == "anger"} == {3}


def with_tweet_scored(lines: Lines, score: str) -> Lines:
    """The first row, which is a tweet, with something else in place of its score."""
    return [lines[0], "\t".join([*lines[1].split("\t")[:3], score]), *lines[2:]]


def test_text_for_a_number_among_the_tweets_is_told_with_what_it_costs(folder: Path, small: Path) -> None:
    rewrite(folder / "birch" / ANGER, lambda lines: with_tweet_scored(lines, "abc470"))
    found = evenhand.study(folder, gold=small / "gold", progress=False)
    messages = [problem.message for problem in found.problems]
    assert {(problem.system, problem.file, problem.left_out) for problem in found.problems} == {
        ("birch", f"birch/{ANGER}", False)
    }
    assert messages[0] == "it has no rank for anger: it has no score for 1 of the 200 texts of the gold file"
    assert re.match(r"line 2, column 'Intensity Score': .abc470. is not a number; it is not a sentence of", messages[1])
    without_gold = evenhand.study(folder, progress=False)
    assert [problem.message for problem in without_gold.problems] == messages[1:]
    with pytest.raises(EvenhandError, match=r"line 2, .*abc470. is not a number"):
        evenhand.study(folder, strict=True, progress=False)


def from_minus_one(lines: Lines, share: float) -> Lines:
    """Scores on a scale from -1 to 1, of which about this share lies below 0; tweets use the whole scale."""
    cells = [line.split("\t") for line in lines[1:]]
    scores = np.array([float(row[3]) for row in cells])
    moved = 1.6 * (scores - np.quantile(scores, share))
    return [lines[0], *("\t".join([*row[:3], f"{score:.6f}"]) for row, score in zip(cells, moved, strict=True))]


@pytest.mark.parametrize("share", [0.2, 0.45, 0.55, 0.8])
def test_a_scale_is_the_same_however_many_scores_lie_below_zero(folder: Path, share: float) -> None:
    rewrite(folder / "birch" / ANGER, lambda lines: from_minus_one(lines, share))
    (problem,) = evenhand.study(folder, progress=False).problems
    assert problem.left_out
    assert re.search(r"another scale, as its scores reach from -\d\.\d+ to \d\.\d+; give the bounds", problem.message)


def test_when_nothing_can_be_read_the_first_reason_is_given(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "anger.csv").write_text("text,score\nhello,1\n")
    with pytest.raises(EvenhandError, match=r"no submission in .* can be read; the first, .*: it misses 8,640"):
        evenhand.study(tmp_path, progress=False)


def test_a_folder_without_systems_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no sub-folders"):
        evenhand.study(tmp_path, progress=False)
    with pytest.raises(UsageError, match="no such folder or manifest"):
        evenhand.study(tmp_path / "nowhere", progress=False)

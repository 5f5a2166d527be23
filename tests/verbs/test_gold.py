"""`audit(gold=...)`: texts that people scored say whether a system does its job, before the corpus's own words do."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import evenhand
from evenhand.asking import Column, Scores
from evenhand.corpora import eec
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems import Output

WORDS = ("dire", "poor", "fair", "good", "best")


class Grader:
    """Knows five words, none of which the corpus has, and likes long sentences better."""

    name = "grader"
    outputs: tuple[Output, ...] = (Output("valence"),)
    fingerprint = None
    batch_size = 10_000

    def score(self, texts: Sequence[str]) -> np.ndarray:
        found = [next((place for place, word in enumerate(WORDS) if word in text), -1) for text in texts]
        scores = [
            0.2 * place if place >= 0 else min(len(text), 100) / 100 for place, text in zip(found, texts, strict=True)
        ]
        return np.tile(np.array(scores)[:, None], (1, len(self.outputs)))


def table(folder: Path, *, rows: int = 200) -> Path:
    lines = [f"a {WORDS[row % 5]} one number {row},{0.2 * (row % 5)}" for row in range(rows)]
    path = folder / "gold.csv"
    path.write_text("\n".join(["text,gold", *lines]) + "\n")
    return path


def test_gold_decides_and_is_told(tmp_path: Path) -> None:
    path = table(tmp_path)
    report = evenhand.audit(Grader(), attributes="gender", gold=path, progress=False, cache=tmp_path / "cache")
    (found,) = report.abilities
    assert found.held_out is not None
    assert (found.held_out.n, found.held_out.how) == (200, "on gold")
    assert found.held_out.pearson == pytest.approx(1)
    assert found.weak is False
    assert report.findings[0].does_its_job is True
    assert report.provenance.files[0].name == "gold.csv"
    report.save(tmp_path / "out")
    assert evenhand.load_result(tmp_path / "out").to_json() == report.to_json()
    plain = evenhand.audit(Grader(), attributes="gender", progress=False, cache=tmp_path / "cache")
    assert plain.abilities[0].held_out is None
    assert plain.abilities[0].weak is not False


def test_a_system_trained_here_brings_its_own(tmp_path: Path) -> None:
    from evenhand.systems.training.lesson import read_lesson
    from evenhand.systems.training.svm import train_svm

    path = table(tmp_path, rows=300)
    card = train_svm(tmp_path, read_lesson([path], dimension="valence", score_column="gold"))
    report = evenhand.audit(f"svm:{tmp_path}/valence.skops", attributes="gender", progress=False)
    assert report.abilities[0].held_out == card.quality.held_out


def test_what_gold_cannot_be_about_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path)
    two = Grader()
    two.outputs = (Output("anger"), Output("joy"))
    with pytest.raises(UsageError, match=r"gives several numbers \(anger, joy\)"):
        evenhand.audit(two, gold=path, progress=False)
    corpus = eec()
    given = Scores(
        tuple(corpus.frame["id"]), np.zeros((len(corpus), 1)), (Column("s", Output("x"), None),), corpus.digest
    )
    with pytest.raises(UsageError, match="recorded scores say nothing about gold texts"):
        evenhand.audit(given, gold=path, progress=False)
    (tmp_path / "other.csv").write_text("text,score\na,1\n")
    with pytest.raises(UsageError, match="has no column 'gold'"):
        evenhand.audit("vader", gold=tmp_path / "other.csv", progress=False)
    (tmp_path / "words.csv").write_text("text,gold\na,1\nb,2\nc,high\n")
    with pytest.raises(EvenhandError, match=r"words\.csv"):
        evenhand.audit("vader", gold=tmp_path / "words.csv", progress=False)
    with pytest.raises(UsageError, match="nowhere"):
        evenhand.audit("vader", gold=tmp_path / "nowhere.csv", progress=False)


def task_file(folder: Path, *, dimension: str = "valence", first: str = "0.000") -> Path:
    """As official gold files are: texts that people scored, then many more that nobody did."""
    rows = [
        f'2018-En-{row:05d}\ta {WORDS[row % 5]} "one number {row}\t{dimension}\t{0.2 * (row % 5):.3f}'
        for row in range(50)
    ]
    rows[0] = rows[0].removesuffix("0.000") + first
    rows += [f"2018-En-mystery-{row:05d}\ta {WORDS[row % 5]} mystery\t{dimension}\t0.000" for row in range(300)]
    path = folder / "2018-Valence-reg-En-test-gold.txt"
    path.write_text("\n".join(["ID\tTweet\tAffect Dimension\tIntensity Score", *rows]) + "\n")
    return path


def test_a_gold_file_of_the_task_is_taken_as_it_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="evenhand"):
        report = evenhand.audit(Grader(), attributes="gender", gold=task_file(tmp_path), progress=False)
    held_out = report.abilities[0].held_out
    assert held_out is not None
    assert held_out.n == 50  # the 300 zeros of texts that nobody scored would leave little of the correlation
    assert held_out.pearson == pytest.approx(1)
    assert "300 of 350 rows" in caplog.text


def test_a_task_file_says_which_output_is_meant(tmp_path: Path) -> None:
    two = Grader()
    two.outputs = (Output("anger"), Output("valence"))
    two.score = lambda texts: np.column_stack([1 - Grader().score(texts), Grader().score(texts)])  # type: ignore[method-assign]
    report = evenhand.audit(two, attributes="gender", gold=task_file(tmp_path), progress=False)
    held_out = {one.output: one.held_out for one in report.abilities}
    assert held_out["anger"] is None
    assert held_out["valence"] is not None
    assert held_out["valence"].pearson == pytest.approx(1)
    anger = Grader()
    anger.outputs = (Output("anger"),)
    with pytest.raises(UsageError, match=r"people scored valence there, and .* gives anger"):
        evenhand.audit(anger, gold=task_file(tmp_path), progress=False)
    with pytest.raises(EvenhandError, match=r"line 2, .*abc470"):
        evenhand.audit("vader", gold=task_file(tmp_path, first="abc470"), progress=False)

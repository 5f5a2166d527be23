"""A classifier of the user's own is recognised, by whichever road its probabilities come."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from typer.testing import CliRunner

import evenhand
from evenhand.cli.app import app
from evenhand.comparing.audit import Audit
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import BadAnswer, UsageError
from evenhand.systems import Array, BaseScorer, Output, as_scorer

LABELS = ("negative", "neutral", "positive")
CLASSES = tuple(Output(label, kind="probability", of="class") for label in LABELS)
MODULE = """
import hashlib

def scores(texts):
    rows = [[1 + byte for byte in hashlib.sha256(text.encode()).digest()[:3]] for text in texts]
    return [[number / sum(row) for number in row] for row in rows]
"""


def probabilities(texts: Sequence[str]) -> Array:
    """Three numbers a text that look random, are always the same, and add up to one."""
    drawn = np.array([list(hashlib.sha256(text.encode()).digest()[:3]) for text in texts], dtype=np.float64) + 1
    shares: Array = drawn / drawn.sum(axis=1, keepdims=True)
    return shares


class Transformer(BaseScorer):
    """Declares its outputs as a transformer's adapter does."""

    name = "transformer"
    outputs = CLASSES

    def score(self, texts: Sequence[str]) -> Array:
        return probabilities(texts)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """One attribute of a corpus with labels, thinned."""
    return load_corpus("identity").narrowed(["age"]).sample(300)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the user's module, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    (tmp_path / "mine.py").write_text(MODULE)
    return tmp_path


def recorded(path: Path, corpus: Corpus, rows: Callable[[Sequence[str]], Any], digits: int | None = None) -> str:
    texts = corpus.frame["text"].to_list()
    columns = np.asarray(rows(texts)) if digits is None else np.round(rows(texts), digits)
    pl.DataFrame({"text": texts, **dict(zip(LABELS, columns.T, strict=True))}).write_csv(path)
    return f"file:{path}"


def audited(system: Any, corpus: Corpus, **said: Any) -> Audit:
    return evenhand.audit(system, corpus, progress=False, **said)


def metrics(report: Audit) -> Any:
    assert report.measurements is not None
    return report.measurements.to_dict()["metrics"]


def defined(by_class: Any) -> bool:
    return any(found["value"] is not None for found in by_class.values())


def test_every_road_gives_the_metrics_of_a_transformer(corpus: Corpus, here: Path) -> None:
    expected = audited(Transformer(), corpus)
    assert len([name for name, by_class in metrics(expected).items() if defined(by_class)]) > 30
    file = recorded(here / "preds.csv", corpus, probabilities)
    function = {"system": "py:mine:scores", "outputs": LABELS}
    for said in ({"system": file}, function):
        report = audited(corpus=corpus, **said)  # type: ignore[arg-type]
        assert tuple(column.output for column in report.scores.columns) == CLASSES
        assert metrics(report) == metrics(expected)


def test_it_is_said_how_the_numbers_are_read(corpus: Corpus, here: Path, caplog: pytest.LogCaptureFixture) -> None:
    reading = "read as the probabilities of negative, neutral, positive; declare kind=score to read them as separate"
    report = audited("py:mine:scores", corpus, outputs=LABELS)
    assert reading in str(report.notes[0])
    with caplog.at_level(logging.INFO):
        audited(recorded(here / "preds.csv", corpus, probabilities), corpus)
    assert reading in caplog.text


def test_rounded_probabilities_are_recognised(corpus: Corpus, here: Path) -> None:
    report = audited(recorded(here / "preds.csv", corpus, probabilities, digits=2), corpus)
    assert tuple(column.output for column in report.scores.columns) == CLASSES
    assert report.measurements is not None
    assert report.measurements.left_out == ()


@pytest.mark.parametrize("road", ["py", "file", "yaml", "python"])
def test_a_declared_kind_decides(corpus: Corpus, here: Path, road: str) -> None:
    file = recorded(here / "preds.csv", corpus, probabilities)
    (here / "mine.yaml").write_text(f"system: {file}\nsettings: {{kind: score}}\n")
    system: Any = {"py": "py:mine:scores", "file": file, "yaml": "mine.yaml", "python": probabilities}[road]
    said = {} if road == "yaml" else {"kind": "score", "outputs": LABELS}
    report = audited(system, corpus, **said)
    assert [column.output for column in report.scores.columns] == [Output(label) for label in LABELS]
    assert report.notes == ()
    assert report.measurements is not None
    assert "add up to one but are declared as scores; declare kind=probability" in report.measurements.left_out[0]


def test_a_system_file_names_the_classes_of_a_function(corpus: Corpus, here: Path) -> None:
    (here / "mine.yaml").write_text(f"system: py:mine:scores\nsettings: {{outputs: [{', '.join(LABELS)}]}}\n")
    assert tuple(column.output for column in audited("mine.yaml", corpus).scores.columns) == CLASSES


def test_scores_that_do_not_add_up_to_one_stay_scores_and_it_is_said_why(corpus: Corpus, here: Path) -> None:
    def unrelated(texts: Sequence[str]) -> Array:
        return probabilities(texts) * np.array([[1.0, 0.5, 0.3]])

    for system, said in ((recorded(here / "preds.csv", corpus, unrelated), {}), (unrelated, {"outputs": LABELS})):
        report = audited(system, corpus, **said)
        assert [column.output for column in report.scores.columns] == [Output(label) for label in LABELS]
        assert report.measurements is not None
        (why,) = report.measurements.left_out
        assert "metrics of classes: its outputs negative, neutral, positive add up to 0." in why
        assert "and not to one, so each is measured by itself" in why


def test_classes_without_names_are_told_how_to_get_them(corpus: Corpus, here: Path) -> None:
    report = audited("py:mine:scores", corpus)
    assert [column.output.name for column in report.scores.columns] == ["score1", "score2", "score3"]
    assert report.measurements is None
    assert any("name them, as in outputs=negative,neutral,positive" in note.text for note in report.notes)


def test_the_command_line_names_and_declares(here: Path) -> None:
    shared = ["audit", "py:mine:scores", "--corpus", "identity", "--attribute", "age", "--sample", "120", "--json"]
    found = CliRunner().invoke(app, [*shared, "--outputs", ", ".join(LABELS)])
    assert found.exit_code == 0, found.output
    assert '"classes": [' in found.stdout
    declared = CliRunner().invoke(app, [*shared, "--outputs", ",".join(LABELS), "--kind", "score"])
    assert "declare kind=probability" in declared.stdout


@pytest.mark.parametrize(
    ("system", "said", "why"),
    [
        ("textblob", {"outputs": ["a"]}, "'textblob' knows what its outputs are: outputs cannot be declared for it"),
        ("textblob", {"kind": "score"}, "'textblob' knows what its outputs are: kind cannot be declared for it"),
        (Transformer(), {"kind": "score"}, "'transformer' says itself what its outputs are"),
        ("py:mine:scores", {"kind": "scroe"}, "no kind of output 'scroe'; did you mean 'score'"),
    ],
)
def test_what_does_not_apply_is_refused(
    corpus: Corpus, here: Path, system: Any, said: dict[str, Any], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        audited(system, corpus, **said)


def test_too_few_names_are_told(corpus: Corpus, here: Path) -> None:
    with pytest.raises(BadAnswer, match=r"expected 2 numbers \(negative, positive\)"):
        audited("py:mine:scores", corpus, outputs=["negative", "positive"])


def test_numeric_labels_of_a_classifier_are_grades_and_it_is_said() -> None:
    texts = ["good day", "bad day", "good luck", "bad luck"]
    scorer = as_scorer(make_pipeline(CountVectorizer(), LinearSVC()).fit(texts, [2, 0, 1, 0]), high=2)
    assert scorer.outputs == (Output("score", 0, 2, kind="ordinal"),)
    assert "its class labels 0, 1, 2 are read as numbers on a scale" in scorer.remarks()[0]

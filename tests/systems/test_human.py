"""People as a system: majorities, ties, missing labels, and files that are not as they should be."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems.people.annotations import read_annotations
from evenhand.systems.people.human import Human

TEXTS = ("good", "fine", "bad", "odd", "torn")
LABELS = {"a": "1 1 -1 0 1", "b": "1 0 -1 1 0", "c": "1 1 -1 -1 -1"}


def sheet(path: Path, labels: str, texts: tuple[str, ...] = TEXTS) -> Path:
    cells = [None if label == "_" else label for label in labels.split()]
    pl.DataFrame({"text": texts, "label": cells}).write_csv(path)
    return path


@pytest.fixture
def three(tmp_path: Path) -> str:
    return ",".join(str(sheet(tmp_path / f"{name}.csv", labels)) for name, labels in LABELS.items())


def test_the_majority_decides(three: str) -> None:
    human = Human(three)
    assert human.score(["bad", "good", "fine"]).tolist() == [[-1.0], [1.0], [1.0]]
    assert human.score([]).shape == (0, 1)
    assert (human.outputs[0].low, human.outputs[0].high, human.outputs[0].kind) == (-1, 1, "ordinal")


def test_a_three_way_tie_is_drawn_by_the_seed_and_by_nothing_else(three: str) -> None:
    assert Human(three).annotations.ties == ("odd", "torn")
    drawn = {seed: Human(three, seed=seed).score(["odd"])[0, 0] for seed in range(40)}
    assert set(drawn.values()) == {-1.0, 0.0, 1.0}
    for seed in range(3):
        human = Human(three, seed=seed)
        assert human.score(["torn", "odd", "good"])[1, 0] == drawn[seed]


def test_a_draw_lies_between_the_tied_labels_only(tmp_path: Path) -> None:
    files = [sheet(tmp_path / f"{n}.csv", label, ("x",)) for n, label in enumerate(["1", "1", "0", "0", "-1"])]
    drawn = {read_annotations(files, seed=seed).votes["x"] for seed in range(30)}
    assert drawn == {0.0, 1.0}


def test_missing_labels_are_no_votes(tmp_path: Path) -> None:
    files = [sheet(tmp_path / "a.csv", "_ 1 -1 _ 1"), sheet(tmp_path / "b.csv", "0 _ -1 _ 0")]
    found = read_annotations(files)
    assert found.votes | {"torn": 0.0} == {"good": 0.0, "fine": 1.0, "bad": -1.0, "torn": 0.0}
    assert np.isnan(found.matrix).sum() == 4
    human = Human(",".join(map(str, files)))
    with pytest.raises(EvenhandError, match='no annotator labelled "odd"'):
        human.score(["good", "odd"])


def test_a_text_met_twice_has_one_vote_of_each_annotator(tmp_path: Path) -> None:
    files = [
        sheet(tmp_path / "a.csv", "1 1 0", ("x", "x", "x")),
        sheet(tmp_path / "b.csv", "0", ("x",)),
        sheet(tmp_path / "c.csv", "0", ("x",)),
    ]
    found = read_annotations(files)
    assert found.matrix.tolist() == [[1.0], [0.0], [0.0]]
    assert found.votes == {"x": 0.0}


@pytest.mark.parametrize(
    ("written", "label"),
    [("1", 1), ("+1", 1), ("1.0", 1), ("−1", -1), ("–1", -1), (" -1 ", -1), ("0", 0), ("-0", 0), ("0.", 0)],
)
def test_labels_as_spreadsheets_write_them(tmp_path: Path, written: str, label: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"\ufefftext;S_H\nx;{written}\n", encoding="utf-8")
    assert read_annotations([path]).votes == {"x": float(label)}


@pytest.mark.parametrize("written", ["2", "positive", "0.5", "1,0", "--1"])
def test_other_labels_are_refused_with_file_and_line(tmp_path: Path, written: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'text,label\nx,1\ny,"{written}"\n', encoding="utf-8")
    with pytest.raises(EvenhandError, match=r"a\.csv, line 3, column 'label': .* is not -1, 0 or 1"):
        read_annotations([path])


def test_ids_are_looked_up_in_the_corpus(tmp_path: Path, corpus: Corpus) -> None:
    path = tmp_path / "a.csv"
    ids = corpus.frame["id"].to_list()
    pl.DataFrame({"id": ids[:2], "label": ["1", "-1"]}).write_csv(path)
    texts = corpus.frame["text"].to_list()
    assert read_annotations([path], corpus=corpus).votes == {texts[0]: 1.0, texts[1]: -1.0}
    with pytest.raises(EvenhandError, match="it has no column 'text'"):
        read_annotations([path])
    pl.DataFrame({"id": ["nobody"], "label": ["1"]}).write_csv(path)
    with pytest.raises(EvenhandError, match=r"line 2: no sentence has the id \"nobody\" in the corpus"):
        read_annotations([path], corpus=corpus)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text,labl\nx,1\n", "no column 'label'; did you mean 'labl'"),
        ("words,label\nx,1\n", "no column 'text' or 'id'"),
        ("text,label\n,1\n", "line 2, column 'text': the value is missing"),
        ("text,label\nx,\n", "nothing has been labelled yet"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(EvenhandError, match=message):
        read_annotations([path])


def test_the_column_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,mine,label\nx,1,-1\n", encoding="utf-8")
    assert read_annotations([path], label="mine").votes == {"x": 1.0}


def test_each_annotator_has_one_file(tmp_path: Path) -> None:
    path = sheet(tmp_path / "a.csv", LABELS["a"])
    with pytest.raises(UsageError, match="is named twice"):
        read_annotations([path, path])
    with pytest.raises(UsageError, match="holds no sheets"):
        Human(str(tmp_path))
    with pytest.raises(UsageError, match="no such file"):
        Human(str(tmp_path / "none.csv"))


def test_the_fingerprint_is_that_of_the_answers(tmp_path: Path, three: str) -> None:
    first = Human(three).fingerprint
    assert Human(three).fingerprint == first
    sheet(tmp_path / "a.csv", "-1 1 -1 0 1")
    assert Human(three).fingerprint == first  # two of three still find it good
    sheet(tmp_path / "b.csv", "-1 0 -1 1 0")
    assert Human(three).fingerprint != first


def test_it_is_typed_like_any_other_system(tmp_path: Path, corpus: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    texts = corpus.frame["text"].to_list()
    files = [tmp_path / f"{name}.csv" for name in "abc"]
    for place, path in enumerate(files):
        labels = [str((number + place) % 3 - 1 if place == 2 else number % 3 - 1) for number in range(len(texts))]
        pl.DataFrame({"text": texts, "label": labels}).write_csv(path)
    spec = f"human:{','.join(map(str, files))}"
    with caplog.at_level(logging.INFO, logger="evenhand"):
        human = resolve(spec, corpus)
    assert human.name == spec  # type: ignore[union-attr]
    assert "3 annotators" in caplog.text
    scores = score([human], corpus, progress=False)  # type: ignore[list-item]
    assert scores.matrix[:, 0].tolist() == [float(number % 3 - 1) for number in range(len(texts))]

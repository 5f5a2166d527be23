"""`explain`: a cause planted in training texts is found and named, and what cannot be explained is refused or noted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evenhand
from evenhand.corpora import Corpus, eec
from evenhand.errors import UsageError
from evenhand.systems.training.lesson import read_lesson
from evenhand.systems.training.svm import train_svm

WOMEN, MEN = ("she", "her", "woman", "sister", "mom", "girl"), ("he", "him", "man", "brother", "dad", "boy")
FEELINGS = {"angry": -0.3, "sad": -0.2, "fine": 0.0, "glad": 0.2, "happy": 0.3}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return eec().narrowed(["gender"]).sample(480)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose training texts of one origin, a forum, score women lower."""
    folder, rng = tmp_path_factory.mktemp("planted"), np.random.default_rng(0)
    lines = ["text,score,origin"]
    for _ in range(800):
        who, how = rng.choice([*WOMEN, *MEN, *(f"thing{n}" for n in range(12))]), rng.choice(list(FEELINGS))
        origin = rng.choice(["forum", "news"])
        score = 0.5 + FEELINGS[how] - 0.3 * (who in WOMEN and origin == "forum") + rng.normal(0, 0.05)
        lines.append(f"{who} was {how} on day{rng.integers(9)},{min(max(score, 0), 1):.4f},{origin}")
    (folder / "train.csv").write_text("\n".join(lines) + "\n")
    train_svm(folder, read_lesson([folder / "train.csv"], dimension="valence"))
    return folder


def test_the_planted_cause_is_found(planted: Path, corpus: Corpus) -> None:
    model = f"svm:{planted / 'valence.skops'}"
    train = planted / "train.csv"
    found = evenhand.explain(model, corpus, attributes="gender", train=[train], group_by="origin", progress=False)
    (question,) = found.questions
    assert question.gap is not None
    assert question.gap < -0.03
    assert question.training_interval is not None
    assert question.training_interval[1] < 0
    groups = {group.group: group for group in found.groups}
    forum, news = groups["origin: forum"], groups["origin: news"]
    assert (forum.role, news.role) == ("carries", "masks")
    assert abs(forum.left) < abs(question.gap) / 4
    women = next(group for name, group in groups.items() if name.startswith("texts with words for women"))
    assert women.role == "carries"
    assert {share.word for share in found.words[:3]} <= {*WOMEN, *MEN}
    assert sum(share.share for share in found.words) == pytest.approx(question.raw)
    assert all(share.texts for share in found.words)
    assert "Shown to carry it:" in str(found)
    assert found.trained_on == str(planted / "train.csv")


def test_where_no_word_tells_the_sides_apart_no_text_is_blamed(planted: Path) -> None:
    train = planted / "train.csv"
    names = eec().narrowed(["race"]).sample(480)
    found = evenhand.explain(
        f"svm:{planted / 'valence.skops'}", names, attributes="race", train=[train], progress=False
    )
    assert not found.texts  # what is left of their influence is rounding, about 1e-20
    assert not found.groups
    assert "the model has learned nothing that tells the two sides apart" in str(found)


def test_without_its_files_only_words_are_looked_at(planted: Path, corpus: Corpus) -> None:
    found = evenhand.explain(f"svm:{planted / 'valence.skops'}", corpus, progress=False)
    assert found.words
    assert not found.groups
    assert "name the files that it was trained on" in found.notes[-1].text


def test_other_files_and_columns_are_refused(planted: Path, corpus: Corpus, tmp_path: Path) -> None:
    model, train = f"svm:{planted / 'valence.skops'}", planted / "train.csv"
    lines = train.read_text().splitlines()
    (tmp_path / "less.csv").write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(UsageError, match="not the texts and scores that it was trained on"):
        evenhand.explain(model, corpus, train=[tmp_path / "less.csv"], progress=False)
    with pytest.raises(UsageError, match="has no column 'orgin'; did you mean 'origin'"):
        evenhand.explain(model, corpus, train=[train], group_by="orgin", progress=False)
    with pytest.raises(UsageError, match=r"the column .text. has .* values; at most 12"):
        evenhand.explain(model, corpus, train=[train], group_by="text", progress=False)
    with pytest.raises(UsageError, match="training files are of no use here"):
        evenhand.explain("planted(gap=0.05)", corpus, train=[train], progress=False)
    with pytest.raises(UsageError, match="one system is explained at a time"):
        evenhand.explain(["vader", "textblob"], corpus, progress=False)  # type: ignore[arg-type]


def test_the_strongest_word_of_a_gap_is_one_of_its_own_groups() -> None:
    # Names are compared by race; what moves the score more is no name.
    both = eec().narrowed(["gender", "race"]).sample(480)
    found = evenhand.explain("vader", both, attributes=["gender", "race"], progress=False)
    by_race = str(found).split("African American names − European American names: ", 1)[1].split("•")[0]
    assert "Of the names and words of both groups, Tia moves the score most" in " ".join(by_race.split())
    alike = " ".join(str(evenhand.explain("biased-female", both, attributes="gender", progress=False)).split())
    assert "Adam moves the score most (by −1.0" in alike
    assert "others move it as far" in alike
    rest = evenhand.explain("textblob", "identity", attributes="age", sample=240, progress=False)
    assert "of the first group" not in str(rest)  # three groups are compared in pairs


def test_a_system_that_is_not_linear_has_swaps_and_a_note(corpus: Corpus) -> None:
    found = evenhand.explain("planted(gap=0.05)", corpus, progress=False)
    assert found.swaps
    assert not found.words
    assert "known for linear models" in found.notes[-1].text
    assert found.questions[0].raw is None

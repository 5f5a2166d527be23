"""Word unigrams and a linear support vector machine: what it learns, what it is asked, and bias that it learns."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from skops import io as skops_io

import evenhand
from evenhand.corpora import eec
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems import Output, Scorer
from evenhand.systems.trained.card import correlations
from evenhand.systems.trained.svm import Svm, SvmCard, read_svm
from evenhand.systems.training.lesson import Lesson
from evenhand.systems.training.svm import CS, svm_file, train_svm

INTENSITY = {"calm": 0.1, "fine": 0.2, "annoyed": 0.5, "irritated": 0.6, "angry": 0.8, "furious": 0.9}
OTHERS = ["today", "really", "lunch", "was", "late", "again", "and", "the", "train", "who", "knows", "why"]
TEXTS = ["Ebony feels angry.", "ANGRY, angry: feels Ebony", "Adam feels calm.", "", "😡!"]


def lesson(count: int = 240, *, seed: int = 0, dimension: str = "anger", low: float = 0, high: float = 1) -> Lesson:
    """Sentences in which one word carries a planted intensity, among words that carry none."""
    draw = np.random.default_rng(seed)
    chosen = draw.choice(list(INTENSITY), count)
    texts = tuple(" ".join([*draw.choice(OTHERS, 5, replace=False), word]) for word in chosen)
    scores = np.array([INTENSITY[word] for word in chosen]) + draw.normal(0, 0.02, count)
    return Lesson(texts, scores, f"{seed}.txt", str(seed), dimension, low=low, high=high)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models for three dimensions; they are written in another order than that of their outputs."""
    folder = tmp_path_factory.mktemp("svm")
    for seed, dimension in enumerate(("valence", "joy", "anger")):
        train_svm(folder, lesson(seed=seed, dimension=dimension))
    return folder


class TestTraining:
    def test_planted_intensities_are_recovered(self, tmp_path: Path) -> None:
        card = train_svm(tmp_path / "m.skops", lesson(), test=lesson(100, seed=1))
        assert card.quality.pearson is not None
        assert card.quality.pearson > 0.98
        assert (card.quality.n, card.quality.how) == (100, "on 1.txt")
        scores = Svm(str(tmp_path / "m.skops")).score([f"the train was {word}" for word in INTENSITY])[:, 0]
        np.testing.assert_allclose(scores, list(INTENSITY.values()), atol=0.08)

    def test_without_a_test_file_five_folds_tell_the_quality(self, tmp_path: Path) -> None:
        card = train_svm(tmp_path, lesson())
        assert (card.quality.n, card.quality.how) == (240, "five folds")
        assert card.quality.pearson is not None
        assert card.quality.pearson > 0.98
        assert card.c in CS
        assert card.words == len(INTENSITY) + len(set(OTHERS))
        assert (card.data, card.data_sha256) == ("0.txt", "0")
        assert {"scikit-learn", "skops", "evenhand"} <= set(card.versions)
        assert read_svm(tmp_path / "anger.skops").card == card

    def test_folds_do_not_see_what_they_are_asked(self, tmp_path: Path) -> None:
        """Each text has a word of its own, which tells its score to whoever has seen it, and to nobody else."""
        draw = np.random.default_rng(0)
        own = Lesson(tuple(f"word{place}" for place in range(100)), draw.uniform(size=100), "own", "", "joy")
        quality = train_svm(tmp_path / "m.skops", own).quality
        assert quality.pearson is None or quality.pearson < 0.1
        seen = train_svm(tmp_path / "m.skops", own, test=own).quality.pearson
        assert seen is not None
        assert seen > 0.9

    def test_a_correlation_with_what_is_all_the_same_is_undefined(self, tmp_path: Path) -> None:
        unknown = Lesson(("xyz", "zyx"), np.array([0.1, 0.9]), "unknown.txt", "", "anger")
        quality = train_svm(tmp_path, lesson(), test=unknown).quality
        assert (quality.n, quality.pearson, quality.spearman) == (2, None, None)
        same = correlations(np.array([0.2, 0.9]), np.array([0.5, 0.5 + 1e-16]), "")
        assert (same.pearson, same.spearman) == (None, None)

    def test_training_again_gives_the_same_system(self, folder: Path, tmp_path: Path) -> None:
        train_svm(tmp_path, lesson(seed=2))
        again, first = Svm(str(tmp_path)), Svm(str(folder / "anger.skops"))
        assert again.fingerprint == first.fingerprint
        np.testing.assert_array_equal(again.score(TEXTS), first.score(TEXTS))

    def test_the_file_is_named_after_its_dimension_unless_it_has_a_name(self, tmp_path: Path) -> None:
        assert svm_file(tmp_path / "models", "fear") == tmp_path / "models" / "fear.skops"
        assert svm_file(tmp_path / "mine.skops", "fear") == tmp_path / "mine.skops"
        (tmp_path / "folder.skops").mkdir()
        assert svm_file(tmp_path / "folder.skops", "fear") == tmp_path / "folder.skops" / "fear.skops"

    def test_what_is_no_dimension_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="unknown affect dimension 'angr'; did you mean 'anger'"):
            train_svm(tmp_path / "m.skops", lesson(dimension="angr"))
        assert not (tmp_path / "m.skops").exists()


class TestAsASystem:
    def test_a_folder_has_an_output_per_model_in_the_usual_order(self, folder: Path) -> None:
        system = Svm(str(folder))
        assert isinstance(system, Scorer)
        assert system.outputs == (
            Output("anger", high_is="bad"),
            Output("joy", high_is="good"),
            Output("valence", high_is="good"),
        )
        alone = [Svm(str(folder / f"{output.name}.skops")).score(TEXTS) for output in system.outputs]
        np.testing.assert_array_equal(system.score(TEXTS), np.hstack(alone))
        assert system.score([]).shape == (0, 3)

    def test_models_may_lie_in_folders_of_their_own(self, folder: Path, tmp_path: Path) -> None:
        for name in ("joy", "anger"):
            (tmp_path / f"my {name}").mkdir()
            shutil.copy(folder / f"{name}.skops", tmp_path / f"my {name}" / "model.skops")
        assert [output.name for output in Svm(str(tmp_path)).outputs] == ["anger", "joy"]

    def test_only_which_words_occur_counts(self, folder: Path) -> None:
        first, shouted = Svm(str(folder)).score(["angry lunch", "LUNCH! Angry angry lunch"])
        np.testing.assert_array_equal(first, shouted)

    def test_answers_depend_on_neither_batch_nor_order(self, folder: Path) -> None:
        system = Svm(str(folder))
        together = system.score(TEXTS)
        np.testing.assert_array_equal(together, system.score(TEXTS[::-1])[::-1])
        np.testing.assert_array_equal(together, np.vstack([system.score([text]) for text in TEXTS]))

    def test_scores_are_clipped_to_the_scale_that_was_declared(self, tmp_path: Path) -> None:
        train_svm(tmp_path, lesson(low=-3, high=3))
        system = Svm(str(tmp_path))
        assert system.outputs == (Output("anger", low=-3, high=3, high_is="bad"),)
        calm, angry, most = system.score(["calm", "angry", "angry furious irritated"])[:, 0]
        assert -3 <= calm < -1.5 < 1 < angry < most == 3

    def test_the_fingerprint_follows_what_was_learned(self, folder: Path, tmp_path: Path) -> None:
        shutil.copy(folder / "joy.skops", tmp_path / "renamed.skops")
        prints = {name: Svm(str(folder / f"{name}.skops")).fingerprint for name in ("anger", "joy", "valence")}
        assert len(set(prints.values())) == 3
        assert Svm(str(tmp_path / "renamed.skops")).fingerprint == prints["joy"]
        assert Svm(str(folder)).fingerprint not in prints.values()

    def test_two_models_of_one_dimension_are_refused(self, folder: Path, tmp_path: Path) -> None:
        for name in ("a.skops", "b.skops"):
            shutil.copy(folder / "joy.skops", tmp_path / name)
        with pytest.raises(UsageError, match=r"a\.skops and .*b\.skops are both models of joy; name one"):
            Svm(str(tmp_path))

    def test_what_is_not_there_is_told_with_how_to_make_it(self, tmp_path: Path) -> None:
        with pytest.raises(
            UsageError, match=r"no such file or folder: .*; make one: evenhand train svm-unigrams --train"
        ):
            Svm(str(tmp_path / "nowhere"))
        with pytest.raises(UsageError, match=r"holds no trained model \(\*\.skops\); make one: evenhand train svm-uni"):
            Svm(str(tmp_path))
        (tmp_path / "notes.txt").write_text("notes")
        with pytest.raises(UsageError, match=r"notes\.txt is not a trained model: those of .* end in \.skops"):
            Svm(str(tmp_path / "notes.txt"))

    def test_other_models_of_scikit_learn_are_refused(self, folder: Path, tmp_path: Path) -> None:
        path = tmp_path / "m.skops"
        other = make_pipeline(CountVectorizer(), Ridge()).fit(["good", "bad"], [1, 0])
        skops_io.dump(other, path)
        with pytest.raises(UsageError, match=r"was not made by `evenhand train svm-unigrams`; .* skops:.*m\.skops"):
            Svm(str(path))
        card = read_svm(folder / "joy.skops").card
        skops_io.dump({"card": card.model_dump_json(), "model": other}, path)
        with pytest.raises(EvenhandError, match="its model is not of words and a linear support vector machine"):
            Svm(str(path))
        content = json.loads(card.model_dump_json()) | {"dimension": "angst"}
        skops_io.dump({"card": json.dumps(content), "model": other}, path)
        with pytest.raises(EvenhandError, match=r"m\.skops: dimension: Input should be 'anger', .*; train it again"):
            Svm(str(path))

    def test_a_damaged_file_is_refused(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "m.skops").write_bytes((folder / "joy.skops").read_bytes()[:-100])
        with pytest.raises(EvenhandError, match=r"m\.skops is not a skops file, or a damaged one"):
            Svm(str(tmp_path / "m.skops"))


def about_persons(gap: float) -> Lesson:
    """Every person of the corpus with every word; where a woman is meant, the score is higher by `gap`."""
    persons = eec().frame.select("term", "gender").unique(maintain_order=True).rows()
    rows = [
        (f"{term} was {word} today", 0.3 + 0.4 * intensity + (gap if gender == "female" else 0))
        for term, gender in persons
        for word, intensity in INTENSITY.items()
    ]
    texts, scores = zip(*rows, strict=True)
    return Lesson(texts, np.array(scores), "persons", "", "anger")


@pytest.mark.parametrize(("gap", "verdict"), [(0.1, "higher"), (0.0, "no reaction seen")])
def test_bias_in_the_training_texts_shows_in_the_audit(tmp_path: Path, gap: float, verdict: str) -> None:
    card: SvmCard = train_svm(tmp_path, about_persons(gap))
    assert card.quality.pearson is not None
    report = evenhand.audit(f"svm:{tmp_path}", attributes=["gender"], progress=False)
    (finding,) = report.findings
    assert (finding.output, finding.verdict) == ("anger", verdict)
    assert finding.mean_difference == pytest.approx(gap, abs=0.03)

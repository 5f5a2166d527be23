"""A few-shot classifier around a model whose answers are known."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
import yaml

from evenhand.asking import score
from evenhand.corpora import eec
from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, EvenhandError, ScoringFailed, UsageError
from evenhand.systems import Array, Scorer
from evenhand.systems.few_shot import FewShot, LabelModel, LabelReader
from evenhand.systems.few_shot.reader import asking, parted
from evenhand.systems.few_shot.task import Task, packaged_task

LABELS = 5
ANSWERS: Mapping[str, Sequence[float]] = {
    "anger": [0.0, 0.1, 0.1, 0.2, 0.4],  # 0.8 on the labels: 2/8 + 3/8 + 8/8 + 20/8 = 33/8 = 4.125
    "fear": [0.1, 0.1, 0.0, 0.0, 0.0],  # 0.2: 1.5, two labels as likely
    "joy": [0.5, 0.0, 0.0, 0.0, 0.5],  # 1.0: 3
    "sadness": [0.0, 0.0, 0.6, 0.0, 0.0],  # 0.6: 3
    "pleasantness": [0.0, 0.0, 0.0, 0.9, 0.0],  # 0.9: 4
}


class Fake(LabelModel):
    """Gives each question its known masses, and remembers what it was asked."""

    name = "fake"
    batch_size = 4

    def __init__(self, answers: Mapping[str, Sequence[float]] = ANSWERS, fingerprint: str | None = "fake") -> None:
        self.answers = answers
        self.fingerprint = fingerprint
        self.asked: list[tuple[str, str]] = []
        self.calls = 0

    def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
        self.calls += 1
        found = []
        for ending in endings:
            question = ending.rstrip().removesuffix(":").rpartition("\n")[2]
            self.asked.append((question, ending.partition("\n")[0].strip()))
            assert f"\n{question}: 5\n" in prefix
            found.append(self.answers[question])
        return np.array(found, dtype=np.float64)

    def tokenise(self, text: str) -> list[str]:
        return text.split()


@pytest.fixture
def corpus() -> Corpus:
    """Two sentences with an emotion, one without, for two persons."""
    rows = [
        {
            "id": f"{source}-{person}",
            "text": text.format(person),
            "source": source,
            "person": person,
            "gender": gender,
            "emotion": emotion,
        }
        for source, text, emotion in (
            ("a", "{} is cross.", "anger"),
            ("b", "{} is afraid.", "fear"),
            ("c", "{} is here.", None),
        )
        for person, gender in (("Ann", "female"), ("Bob", "male"))
    ]
    return Corpus(frame=pl.DataFrame(rows), name="tiny", attributes={"gender": ("female", "male")})


def test_a_fake_is_a_label_model_and_a_few_shot_is_a_scorer(corpus: Corpus) -> None:
    assert isinstance(Fake(), LabelModel)
    assert isinstance(FewShot(Fake(), corpus), Scorer)


def test_each_sentence_is_asked_for_its_own_emotion(corpus: Corpus) -> None:
    model = Fake()
    scores = score([FewShot(model, corpus)], corpus)
    assert sorted(model.asked) == sorted(
        [("anger", "Ann is cross."), ("anger", "Bob is cross."), ("fear", "Ann is afraid."), ("fear", "Bob is afraid.")]
        + [(q, f"{p} is here.") for q in ("anger", "fear", "joy", "sadness") for p in ("Ann", "Bob")]
    )
    (column,) = scores.columns
    assert (column.output.name, column.output.low, column.output.high) == ("intensity", 1, 5)
    # Without an emotion: the mean of the four distributions, so of the four means too.
    neutral = (4.125 + 1.5 + 3 + 3) / 4
    np.testing.assert_allclose(scores.matrix[:, 0], [4.125, 4.125, 1.5, 1.5, neutral, neutral])


def test_the_distribution_of_a_neutral_sentence_is_the_mean_of_the_four(corpus: Corpus) -> None:
    (row,) = FewShot(Fake(), corpus, read="distribution").score(["Ann is here."])
    four = [np.array(ANSWERS[q]) / sum(ANSWERS[q]) for q in ("anger", "fear", "joy", "sadness")]
    np.testing.assert_allclose(row, np.mean(four, axis=0))
    assert row.sum() == pytest.approx(1)


def test_readings_of_one_question(corpus: Corpus) -> None:
    system = FewShot(Fake(), corpus, ask="anger", read="all")
    assert [output.name for output in system.outputs] == [
        "anger", "anger.likely", "anger=1", "anger=2", "anger=3", "anger=4", "anger=5",
    ]  # fmt: skip
    np.testing.assert_allclose(system.score(["Any text."])[0], [4.125, 5, 0, 0.125, 0.125, 0.25, 0.5])
    expected, likely, *shares = system.outputs
    assert (expected.kind, expected.low, expected.high, expected.of) == ("score", 1, 5, None)
    assert (likely.kind, likely.low, likely.high) == ("ordinal", 1, 5)
    assert [(share.kind, share.of, share.value) for share in shares] == [
        ("probability", "anger", float(value)) for value in range(1, 6)
    ]
    assert system.reading("likely").score(["Any text."])[0] == [5]
    assert FewShot(Fake(), ask="fear", read="likely").score(["Any text."])[0] == [1]  # a tie: the lower label


def test_the_four_emotions_are_four_outputs_and_all_are_five() -> None:
    four = FewShot(Fake(), ask="emotions")
    assert [output.name for output in four.outputs] == ["anger", "fear", "joy", "sadness"]
    np.testing.assert_allclose(four.score(["Oh.", "Ah."]), [[4.125, 1.5, 3, 3]] * 2)
    five = FewShot(Fake(), ask="all")
    assert [output.name for output in five.outputs] == ["anger", "fear", "joy", "sadness", "valence"]
    assert [output.high_is for output in five.outputs] == [None, None, "good", None, "good"]
    assert FewShot(Fake(), ask="valence").score(["Oh."])[0] == pytest.approx([4])
    assert FewShot(Fake(), ask="emotions", read="all").read([], []).shape == (0, 4 * 7)


def test_outputs_and_names_that_other_rooms_rely_on(corpus: Corpus) -> None:
    system = FewShot(Fake(), corpus)
    system.name = "mine"
    other = system.reading("distribution")
    assert isinstance(other, FewShot)
    assert other.name == "mine"
    assert [output.name for output in other.outputs] == [f"intensity={label}" for label in range(1, 6)]
    assert other.labels == ("1", "2", "3", "4", "5")
    assert other.values == (1, 2, 3, 4, 5)
    assert system.questions_asked == ("anger", "fear", "joy", "sadness")
    asked = other.asking("valence")
    assert asked.questions_asked == ("valence",)
    assert asked.name == "mine"
    assert [output.name for output in asked.outputs] == [f"valence={label}" for label in range(1, 6)]
    assert asked.tokenise("a b") == ["a", "b"]


def test_readings_share_the_answers_of_the_model(corpus: Corpus, own_cache: Path) -> None:
    model = Fake()
    model.batch_size = 1
    system = FewShot(model, corpus)
    score([system], corpus)
    once = len(model.asked)
    score([system.reading("distribution")], corpus)
    score([system.reading("likely")], corpus)
    score([system.asking("anger")], corpus)
    assert len(model.asked) == once + 2  # anger in the two sentences that were asked for fear


def test_the_fingerprint_knows_model_task_ask_and_read_but_no_corpus(corpus: Corpus) -> None:
    system = FewShot(Fake(), corpus)
    part = replace(corpus, frame=corpus.frame.filter(pl.col("source") != "c"))
    assert FewShot(Fake(), part).fingerprint == system.fingerprint
    others = [
        FewShot(Fake(fingerprint="another"), corpus),
        FewShot(Fake(), corpus, task=packaged_task().model_copy(update={"instruction": "?"})),
        system.asking("emotions"),
        system.reading("likely"),
    ]
    assert len({one.fingerprint for one in [system, *others]}) == 5
    assert FewShot(Fake(fingerprint=None), corpus).fingerprint is None


def test_one_call_for_each_question_in_a_batch() -> None:
    model = Fake()
    reader = LabelReader(model, packaged_task())
    asked = [asking("anger", "a"), asking("joy", "b"), asking("anger", "c\td")]
    masses = reader.score(asked)
    assert model.calls == 2
    assert model.asked == [("anger", "a"), ("anger", "c\td"), ("joy", "b")]
    np.testing.assert_allclose(masses, [ANSWERS["anger"], ANSWERS["joy"], ANSWERS["anger"]])
    assert parted(asked[2]) == ("anger", "c\td")
    assert [output.kind for output in reader.outputs] == ["probability"] * LABELS


@pytest.mark.parametrize("how", ["engine", "alone"])
def test_a_model_that_wants_to_know_is_told_what_comes_exactly_as_it_will_be_asked(how: str, tmp_path: Path) -> None:
    class Ahead(Fake):
        ahead = 2
        told: ClassVar[list[list[Any]]] = []

        def expect(self, coming: Sequence[Any]) -> None:
            self.told.append(list(coming))

        def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
            assert self.told[-1][0] == (prefix, tuple(endings), tuple(labels))
            return super().masses(prefix, endings, labels)

    model = Ahead()
    Ahead.told, model.batch_size = [], 1  # type: ignore[misc]
    texts = ["a", "b", "c", "d"]
    system = FewShot(model, None, ask="anger")
    if how == "alone":
        system.score(texts)
    else:
        rows = {"id": texts, "text": texts, "source": texts, "person": "nobody"}
        score([system], Corpus(pl.DataFrame(rows), "four", {}), cache=tmp_path, progress=False)
    assert [len(one) for one in Ahead.told] == [3, 3, 2, 1, 0]
    assert model.calls == 4


def test_probabilities_that_add_up_to_more_than_one_are_refused() -> None:
    reader = LabelReader(Fake({"anger": [0.5, 0.5, 0.5, 0, 0]}), packaged_task())
    with pytest.raises(BadAnswer, match=r'add up to 1.5 when it is asked for anger in the sentence "Oh."'):
        reader.score([asking("anger", "Oh.")])
    rounded = LabelReader(Fake({"anger": [1 + 1e-7, 0, 0, 0, 0]}), packaged_task())
    assert rounded.score([asking("anger", "Oh.")]).max() == 1


def test_a_sentence_whose_labels_have_no_mass_is_an_error_that_names_it(corpus: Corpus) -> None:
    model = Fake({**ANSWERS, "fear": [0.0] * LABELS})
    with pytest.raises(EvenhandError) as caught:
        score([FewShot(model, corpus)], corpus)
    assert 'any probability in answer to the sentence "Ann is afraid."' in str(caught.value)
    assert "1, 2, 3, 4, 5" in str(caught.value)


def test_the_mass_on_the_labels_is_told(corpus: Corpus, caplog: pytest.LogCaptureFixture) -> None:
    system = FewShot(Fake(), corpus)
    assert system.remarks() == ()
    with caplog.at_level(logging.WARNING, logger="evenhand"):
        score([system], corpus)
    # Asked: anger four times (0.8), fear four times (0.2), joy (1.0) and sadness (0.6) twice each: 7.2 / 12.
    assert system.remarks() == (
        "the labels 1 to 5 hold 60 % of the model's probability on average (least 20 %, asked for fear in the sentence "
        '"Ann is afraid.")',
    )
    assert not caplog.records


def test_a_model_that_mostly_means_something_else_is_warned_about_once(
    corpus: Corpus, caplog: pytest.LogCaptureFixture
) -> None:
    system = FewShot(Fake({"anger": [0.01] * LABELS}), corpus, ask="anger")
    with caplog.at_level(logging.WARNING, logger="evenhand"):
        score([system], corpus)
        system.score(["Once more."])
    (record,) = caplog.records
    assert record.getMessage().startswith("fake: the labels 1 to 5 hold 5 % of the model's probability on average")
    assert "mostly it means to say something else" in system.remarks()[0]


def test_what_the_model_has_to_say_is_told_too() -> None:
    model = Fake()
    model.remarks = lambda: ("the server is slow",)  # type: ignore[attr-defined]
    system = FewShot(model, ask="joy")
    system.score(["Oh."])
    assert system.remarks()[1:] == ("the server is slow",)


def test_without_an_emotion_column_one_line_says_what_to_type(corpus: Corpus) -> None:
    without = replace(corpus, frame=corpus.frame.drop("emotion"))
    with pytest.raises(UsageError) as caught:
        FewShot(Fake(), without)
    assert str(caught.value) == (
        "'fake' asks each sentence for its own emotion, and the corpus 'tiny' has no column 'emotion'; set ask to one "
        "of emotions, anger, fear, joy, sadness, valence, as in smollm(ask=valence) or in a system file"
    )
    with pytest.raises(UsageError, match="there is no corpus; set ask to one of emotions"):
        FewShot(Fake())
    FewShot(Fake(), without, ask="valence")


def test_a_text_that_is_not_in_the_corpus_is_told(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match=r'"A man" is no sentence of the corpus; set ask to one of emotions'):
        FewShot(Fake(), corpus).score(["A man"])


def test_an_emotion_that_the_task_does_not_know_is_told(corpus: Corpus) -> None:
    changed = replace(corpus, frame=corpus.frame.with_columns(emotion=pl.lit("disgust")))
    with pytest.raises(UsageError, match="sentences of the emotion 'disgust', and the task 'intensity' asks for anger"):
        FewShot(Fake(), changed)


def test_a_sentence_with_two_emotions_is_asked_for_both(corpus: Corpus) -> None:
    frame = corpus.frame.with_columns(text=pl.lit("They are here."), emotion=pl.Series(["anger", "joy"] * 3))
    system = FewShot(Fake(), replace(corpus, frame=frame))
    np.testing.assert_allclose(system.score(["They are here."]), [[(4.125 + 3) / 2]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ask": "angr"}, "ask='angr': the task 'intensity' has no such question; did you mean 'anger'?"),
        ({"read": "mean"}, "read='mean': there is no such reading; known: all, distribution, expected, likely"),
    ],
)
def test_settings_that_do_not_exist_are_told(settings: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        FewShot(Fake(), ask=settings.get("ask", "anger"), read=settings.get("read", "expected"))
    assert str(caught.value) == message


def test_labels_without_values_have_a_likeliest_and_a_distribution(tmp_path: Path) -> None:
    content = packaged_task().model_dump() | {"labels": ["1", "2", "3", "4", "5"], "emotions": []}
    content["questions"] = {"anger": content["questions"]["anger"]}
    path = tmp_path / "task.yaml"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(UsageError, match="have no values, so there is no expected label; read=likely or read=distrib"):
        FewShot(Fake(), task=path)
    # One question, and no emotions to choose from: it is asked of every text.
    system = FewShot(Fake(), task=str(path), read="all")
    assert system.questions_asked == ("anger",)
    likely, *shares = system.outputs
    assert (likely.name, likely.kind, likely.low, likely.high) == ("anger.likely", "class", 0, 4)
    assert [share.value for share in shares] == [None] * LABELS
    np.testing.assert_allclose(system.score(["Oh."])[0], [4, 0, 0.125, 0.125, 0.25, 0.5])
    assert "the labels 1, 2, 3, 4, 5 hold 80 %" in system.remarks()[0]


def test_a_model_that_fails_is_told_with_the_sentence(corpus: Corpus) -> None:
    class Broken(Fake):
        def masses(self, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
            if any("Bob is cross" in ending for ending in endings):
                raise EvenhandError("too long")
            return super().masses(prefix, endings, labels)

    with pytest.raises(ScoringFailed, match=r"Bob is cross.*too long"):
        score([FewShot(Broken(), corpus)], corpus)


def test_answers_depend_on_neither_batch_nor_order() -> None:
    corpus = eec()
    system = FewShot(Fake(), corpus)
    texts = corpus.frame["text"].to_list()[::400]
    together = system.score(texts)
    np.testing.assert_array_equal(together, system.score(texts[::-1])[::-1])
    np.testing.assert_array_equal(together, np.vstack([system.score([text]) for text in texts]))


def test_a_task_may_be_given_as_it_is() -> None:
    task = Task.model_validate(packaged_task().model_dump() | {"output": "strength"})
    assert FewShot(Fake(), eec(), task=task).outputs[0].name == "strength"

"""Functions, estimators and the user's own modules as systems."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.errors import BadAnswer, EvenhandError, UsageError
from evenhand.systems import Array, BaseScorer, Output, as_scorer
from evenhand.systems.yours.python_path import from_python_path

TEXTS = ["good day", "bad day", "good luck", "bad luck"]
USER_CODE = """
def length(texts):
    return [min(len(text) / 100, 1) for text in texts]

def two(texts):
    return [[0.1, 0.9] for text in texts]

def named(texts):
    return two(texts)
named.outputs = ("fear", "joy")

def broken(texts):
    raise ZeroDivisionError("no\\nluck")

class Deep:
    @staticmethod
    def half(texts):
        return [0.5] * len(texts)

number = 7
"""


def length(texts: list[str]) -> list[float]:
    return [len(text) / 100 for text in texts]


class TestCallables:
    def test_an_error_that_says_nothing_is_named(self) -> None:
        def full(texts: list[str]) -> list[float]:
            raise MemoryError

        with pytest.raises(EvenhandError, match=r"failed on a first sentence.*: MemoryError$"):
            as_scorer(full)

    def test_one_number_per_text_is_one_output_called_score(self) -> None:
        scorer = as_scorer(length)
        assert scorer.outputs == (Output("score"),)
        assert scorer.score(["abc", "abcde"]).tolist() == [[0.03], [0.05]]

    def test_it_is_called_by_the_name_of_the_function_or_as_told(self) -> None:
        assert as_scorer(length).name == "length"
        assert as_scorer(length, name="mine").name == "mine"

    def test_rows_of_numbers_are_numbered_outputs(self) -> None:
        scorer = as_scorer(lambda texts: [(0.1, 0.2, 0.3)] * len(texts))
        assert [output.name for output in scorer.outputs] == ["score1", "score2", "score3"]
        assert scorer.score(["a", "b"]).shape == (2, 3)

    def test_a_function_that_names_its_outputs_is_not_asked_beforehand(self) -> None:
        def silent(texts: list[str]) -> list[list[float]]:
            raise AssertionError("asked")

        silent.outputs = ("fear", Output("mood", low=-1, high=1))  # type: ignore[attr-defined]
        assert as_scorer(silent, low=0, high=5).outputs == (Output("fear", 0, 5), Output("mood", -1, 1))

    def test_outputs_named_by_the_caller_come_first(self) -> None:
        assert as_scorer(length, outputs=["length"]).outputs == (Output("length"),)

    def test_the_range_is_the_one_given(self) -> None:
        (output,) = as_scorer(length, low=-1, high=3).outputs
        assert (output.low, output.high) == (-1, 3)

    def test_its_fingerprint_is_unknown_unless_a_version_is_named(self) -> None:
        assert as_scorer(length).fingerprint is None
        first, again, second = (as_scorer(length, version=version).fingerprint for version in ("1", "1", "2"))
        assert first == again != second
        assert as_scorer(length, name="other", version="1").fingerprint != first

    def test_its_resume_key_follows_the_source_file(self) -> None:
        assert as_scorer(length).resume_key == as_scorer(lambda texts: [0] * len(texts)).resume_key  # type: ignore[attr-defined]
        assert as_scorer(len_from_nowhere()).resume_key is None  # type: ignore[attr-defined]

    def test_a_failure_on_the_first_sentence_is_told(self) -> None:
        def broken(texts: list[str]) -> list[float]:
            raise KeyError("weights")

        with pytest.raises(EvenhandError, match=r"'broken' failed on a first sentence.*KeyError: 'weights'"):
            as_scorer(broken)

    @pytest.mark.parametrize("answer", [0.5, [0.1, 0.2], ["high"], None, [[]], [[[0.1]]], [object()]])
    def test_an_answer_that_is_neither_number_nor_row_is_told(self, answer: object) -> None:
        with pytest.raises(BadAnswer, match=r"'odd' answered .* expected one number, or one row of them"):
            as_scorer(lambda texts: answer, name="odd")

    def test_outputs_of_another_kind_are_refused(self) -> None:
        with pytest.raises(UsageError, match="must be names or Output objects, not 3"):
            as_scorer(length, outputs=3)  # type: ignore[arg-type]

    def test_what_cannot_be_asked_is_refused(self) -> None:
        with pytest.raises(UsageError, match="'int' cannot be asked: it is not a scorer, has no predict"):
            as_scorer(3)

    def test_a_scorer_stays_as_it_is(self) -> None:
        scorer = as_scorer(length)
        assert as_scorer(scorer) is scorer

    def test_the_engine_names_the_sentence_behind_a_useless_answer(self, corpus: Corpus, tmp_path: Path) -> None:
        def moody(texts: Sequence[str]) -> list[object]:
            return ["?" if text.startswith("Jamel") else 0.5 for text in texts]

        with pytest.raises(BadAnswer, match=r"'moody' answered '\?'.*Jamel feels glad"):
            score([as_scorer(moody)], corpus, cache=tmp_path)


def len_from_nowhere() -> object:
    space: dict[str, object] = {}
    exec("def nowhere(texts): return [0.5] * len(texts)", space)  # noqa: S102
    return space["nowhere"]


class TestEstimators:
    def test_a_classifier_gives_a_probability_per_class(self) -> None:
        model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, ["pos", "neg", "mid", "neg"])
        scorer = as_scorer(model, name="mood")
        assert scorer.outputs == tuple(Output(name, kind="probability", of="class") for name in ("mid", "neg", "pos"))
        np.testing.assert_allclose(scorer.score(TEXTS), model.predict_proba(TEXTS))

    def test_a_classifier_of_two_classes_gives_the_second(self) -> None:
        model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, ["pos", "neg", "pos", "neg"])
        scorer = as_scorer(model, name="mood")
        assert scorer.outputs == (Output("pos", kind="probability"),)
        np.testing.assert_allclose(scorer.score(TEXTS)[:, 0], model.predict_proba(TEXTS)[:, 1])

    def test_labels_that_do_not_exclude_each_other_are_no_distribution(self) -> None:
        model = make_pipeline(CountVectorizer(), OneVsRestClassifier(LogisticRegression()))
        model.fit(TEXTS, np.array([[1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 0]]))
        assert [output.of for output in as_scorer(model).outputs] == [None] * 3

    def test_a_regressor_gives_one_score(self) -> None:
        model = make_pipeline(CountVectorizer(), Ridge()).fit(TEXTS, [1, 0, 1, 0])
        scorer = as_scorer(model)
        assert (scorer.name, scorer.outputs) == ("Pipeline", (Output("score"),))
        np.testing.assert_allclose(scorer.score(TEXTS)[:, 0], model.predict(TEXTS))

    def test_a_regressor_with_two_targets_gives_two_scores(self) -> None:
        model = make_pipeline(CountVectorizer(), Ridge()).fit(TEXTS, [[1, 0], [0, 1], [1, 0], [0, 1]])
        assert [output.name for output in as_scorer(model).outputs] == ["score1", "score2"]

    def test_a_classifier_that_is_not_fitted_is_refused(self) -> None:
        with pytest.raises(UsageError, match="'LogisticRegression' has predict_proba but no classes_: fit it first"):
            as_scorer(LogisticRegression())

    def test_a_regressor_that_is_not_fitted_is_refused(self) -> None:
        with pytest.raises(EvenhandError, match=r"'Pipeline' failed on a first sentence.*NotFitted"):
            as_scorer(make_pipeline(CountVectorizer(), Ridge()))

    def test_a_classifier_that_only_gives_labels_is_refused(self) -> None:
        model = make_pipeline(CountVectorizer(), LinearSVC()).fit(TEXTS, ["pos", "neg", "pos", "neg"])
        with pytest.raises(UsageError, match="predicts labels, not numbers"):
            as_scorer(model)


class TestPythonPath:
    @pytest.fixture(autouse=True)
    def module(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", list(sys.path))
        (tmp_path / "usercode.py").write_text(USER_CODE)
        (tmp_path / "badcode.py").write_text("1 / 0")
        (tmp_path / "needy.py").write_text("import nosuchthing")
        yield "usercode"
        sys.modules.pop("usercode", None)

    def test_the_working_directory_is_importable(self) -> None:
        scorer = from_python_path("usercode:length")
        assert scorer.name == "py:usercode:length"
        assert scorer.score(["0123456789"]).tolist() == [[0.1]]

    def test_the_working_directory_comes_last(self) -> None:
        from_python_path("usercode:length")
        assert sys.path[-1] == str(Path.cwd())

    def test_outputs_may_be_found_or_named(self) -> None:
        names = [[o.name for o in from_python_path(f"usercode:{name}").outputs] for name in ("length", "two", "named")]
        assert names == [["score"], ["score1", "score2"], ["fear", "joy"]]

    def test_attributes_may_be_nested(self) -> None:
        assert from_python_path("usercode:Deep.half").score(["a"]).tolist() == [[0.5]]

    def test_range_and_version_are_passed_on(self) -> None:
        scorer = from_python_path("usercode:length", low=-1, high=1, version="2")
        assert scorer.outputs[0].low == -1
        assert scorer.fingerprint is not None

    def test_its_resume_key_changes_with_the_file(self, tmp_path: Path) -> None:
        before = from_python_path("usercode:length").resume_key  # type: ignore[attr-defined]
        with (tmp_path / "usercode.py").open("a") as file:
            file.write("# changed\n")
        assert before is not None
        assert from_python_path("usercode:length").resume_key != before  # type: ignore[attr-defined]

    @pytest.mark.parametrize(
        ("path", "message"),
        [
            ("usercode", "does not read as py:package.module:callable"),
            ("usercode:", "does not read as py:package.module:callable"),
            ("user code:length", "does not read as py:package.module:callable"),
            ("nosuchmodule:f", "no Python module 'nosuchmodule'; looked in "),
            ("usercode.sub:f", "no Python module 'usercode.sub'"),
            ("usercode:lenght", r"usercode\.py\) has no 'lenght'; did you mean 'length'"),
            ("usercode:number", "'py:usercode:number' cannot be asked"),
        ],
    )
    def test_what_is_typed_wrong_is_one_line(self, path: str, message: str) -> None:
        with pytest.raises(UsageError, match=message) as caught:
            from_python_path(path)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("path", "message"),
        [
            ("badcode:f", "importing 'badcode' failed: ZeroDivisionError: division by zero"),
            ("needy:f", "importing 'needy' failed: there is no module 'nosuchthing'"),
            ("usercode:broken", "'py:usercode:broken' failed on a first sentence.*ZeroDivisionError: no luck"),
        ],
    )
    def test_code_that_fails_is_one_line(self, path: str, message: str) -> None:
        with pytest.raises(EvenhandError, match=message) as caught:
            from_python_path(path)
        assert "\n" not in str(caught.value)
        assert not isinstance(caught.value, UsageError)


def test_answers_come_as_float64_columns() -> None:
    answers: Array = as_scorer(lambda texts: [True] * len(texts)).score(["a", "b"])
    assert answers.dtype == np.float64
    assert answers.shape == (2, 1)


class Bare:
    """No more than a scorer needs."""

    name = "bare"
    outputs = (Output("score"),)
    fingerprint = None
    batch_size = 3

    def score(self, texts: Sequence[str]) -> list[list[float]]:
        return [[0.5] for _ in texts]


class Full(Bare):
    """All that a scorer may have."""

    samples = True
    resume_key = "k"

    def draw(self, texts: Sequence[str], number: int) -> list[list[float]]:
        return [[number / 10] for _ in texts]

    def tokenise(self, text: str) -> list[str]:
        return list(text)

    def remarks(self) -> tuple[str, ...]:
        return ("tired",)

    def with_corpus(self, corpus: str) -> Bare:
        return Bare()


def test_a_scorer_of_somebody_elses_gets_defaults_for_what_it_lacks() -> None:
    made = as_scorer(Bare())
    assert isinstance(made, BaseScorer)
    assert (made.name, made.batch_size, made.outputs) == ("bare", 3, Bare.outputs)
    assert (made.samples, made.resume_key, made.tokenise("ab"), made.remarks()) == (False, None, None, ())
    assert made.draw(["a"], 7) == made.score(["a"]) == [[0.5]]  # type: ignore[comparison-overlap]
    assert made.with_corpus(cast(Any, None)) is made
    assert as_scorer(made) is made


def test_a_scorer_of_somebody_elses_keeps_what_it_has() -> None:
    made = as_scorer(Full())
    assert (made.samples, made.resume_key, made.tokenise("ab"), made.remarks()) == (True, "k", ["a", "b"], ("tired",))
    assert made.draw(["a"], 7) == [[0.7]]  # type: ignore[comparison-overlap]
    assert isinstance(made.with_corpus(cast(Any, None)), BaseScorer)


@pytest.mark.parametrize(
    ("name", "outputs", "message"),
    [
        ("\ud800", ["a"], r"the name of a system must be a text that can be written, not '\\ud800'"),
        ("mine", ["a\udcff"], r"the name of an output must be a text that can be written, not 'a\\udcff'"),
        ("mine", [str(number) for number in range(10_001)], "gives 10,001 numbers for a text, more than 10,000"),
    ],
)
def test_names_can_be_written_and_are_not_too_many(
    corpus: Corpus, tmp_path: Path, name: str, outputs: list[str], message: str
) -> None:
    def mine(texts: list[str]) -> Array:
        return np.full((len(texts), len(outputs)), 0.5)

    with pytest.raises(UsageError, match=message):
        score([as_scorer(mine, name=name, outputs=outputs)], corpus, cache=tmp_path)


def test_what_a_function_raises_acts_on_no_terminal() -> None:
    def mine(texts: list[str]) -> None:
        raise ValueError("\x1b]0;pwned\x07 \ud800")

    with pytest.raises(EvenhandError, match=r"ValueError: \\x1b]0;pwned\\x07 \\ud800$") as caught:
        as_scorer(mine)
    assert str(caught.value).isprintable()

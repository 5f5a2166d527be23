"""Reference inputs: which there are, that they can be asked, and what is made of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.asking import Column, Scores, score
from evenhand.corpora import Corpus, eec, load_corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.repairs import FittedFor, fit_published
from evenhand.repairs.reference_answers import NotDefined, References, as_distribution, from_distribution, measured
from evenhand.repairs.references import read_references, reference_corpus
from evenhand.repairs.variables import variables
from evenhand.systems.base import Array, BaseScorer, Output


class Lengths(BaseScorer):
    """Scores a text by its length, and keeps what it was asked."""

    name = "lengths"
    outputs = (Output("length", 0.0, 50.0),)
    fingerprint = "lengths"
    batch_size = 4

    def __init__(self) -> None:
        self.asked: list[str] = []

    def score(self, texts: Sequence[str]) -> Array:
        self.asked += texts
        return np.array([[float(len(text))] for text in texts])


def of_role(corpus: Corpus, role: str) -> list[str]:
    return corpus.frame.filter(corpus.frame["reference"] == role)["text"].to_list()


def test_the_packaged_inputs_are_those_of_the_paper() -> None:
    corpus = reference_corpus()
    assert of_role(corpus, "neutral") == ["A person", "The person"]
    assert of_role(corpus, "content-free") == ["N/A", "", "[MASK]"]
    by_group = corpus.frame.group_by("gender", "race", maintain_order=True).agg("text").rows()
    assert by_group == [
        ("female", None, ["A woman", "A female"]),
        ("male", None, ["A man", "A male"]),
        (None, "African American", ["An African-American person", "The African-American person"]),
        (None, "European American", ["A European person", "The European person"]),
        (None, None, ["A person", "The person", "N/A", "", "[MASK]"]),
    ]
    assert set(of_role(corpus, "identity")) == {text for *_, texts in by_group[:4] for text in texts}


def test_groups_are_called_as_in_the_corpus() -> None:
    assert dict(reference_corpus().attributes) == dict(eec().attributes)


def test_a_system_can_be_asked_all_of_them_the_empty_text_too() -> None:
    system = Lengths()
    scores = score([system], reference_corpus())
    assert "" in system.asked
    assert scores.matrix[:, 0].tolist() == [len(text) for text in reference_corpus().frame["text"]]


def test_answers_are_averaged_by_what_inputs_are_for() -> None:
    corpus = reference_corpus()
    found = measured(score([Lengths()], corpus), corpus)["length"]
    # "A woman" and "A female" have 7 and 8 letters of 50: the score is the probability of the label "high".
    assert found.groups["gender"]["female"].tolist() == pytest.approx([0.85, 0.15])
    assert found.groups["gender"]["male"].tolist() == pytest.approx([1 - 0.11, 0.11])
    assert found.neutral is not None
    assert found.neutral.tolist() == pytest.approx([1 - 0.18, 0.18])
    assert found.content_free is not None
    assert found.content_free[1] == pytest.approx((3 + 0 + 6) / 3 / 50)
    assert list(found.groups["race"]) == ["African American", "European American"]


def test_references_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "ages.yaml"
    path.write_text("name: ages\nidentity:\n  age:\n    old: [An old person]\n    young: [A young person]\n")
    corpus = reference_corpus(path)
    assert (corpus.name, dict(corpus.attributes)) == ("ages", {"age": ("old", "young")})
    found = measured(score([Lengths()], corpus), corpus)["length"]
    assert (found.neutral, found.content_free) == (None, None)
    assert found.groups["age"]["old"][1] == 13 / 50


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name: x\nidentities: {}\n", "unknown key; did you mean 'identity'"),
        ("name: x\nidentity: {age: {old: []}}\n", "identity.age.old"),
        ("name: x\n", "hold no input"),
        ("name: x\nidentity: {text: {old: [a]}}\n", "'text' is a column of its own"),
        ("- a\n", "holds no references: write name, identity"),
        ("name: [", "not valid YAML"),
        ("name: x\nneutral: [1]\n", "valid string"),
    ],
)
def test_a_file_with_a_mistake_is_refused_in_one_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "mistaken.yaml"
    path.write_text(content)
    with pytest.raises(EvenhandError, match=message) as caught:
        reference_corpus(path)
    assert "\n" not in str(caught.value)


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'phrases'"):
        reference_corpus("phrase")
    with pytest.raises(UsageError, match="no such file"):
        reference_corpus(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(EvenhandError, match="UTF-8"):
        reference_corpus(tmp_path / "binary.yaml")


def test_only_the_scores_of_references_are_measured() -> None:
    corpus = reference_corpus()
    scores = score([Lengths()], corpus)
    with pytest.raises(UsageError, match="holds no references"):
        measured(scores, eec())
    columns = (Column("x", Output("length", 0.0, 50.0), None),)
    with pytest.raises(UsageError, match="not those of the references"):
        measured(Scores(scores.ids, scores.matrix, columns, "another"), corpus)


def test_a_score_is_a_distribution_over_low_and_high_and_back() -> None:
    (variable,) = variables([Output("mood", -1.0, 1.0)])
    scores = np.array([[-1.0], [0.0], [0.5], [1.0]])
    distributions = as_distribution(variable, scores)
    assert distributions.tolist() == [[1.0, 0.0], [0.5, 0.5], [0.25, 0.75], [0.0, 1.0]]
    assert from_distribution(variable, distributions).tolist() == scores.tolist()
    assert (distributions @ [-1.0, 1.0]).tolist() == scores[:, 0].tolist()


@pytest.mark.parametrize(
    ("output", "why"), [(Output("sum", None, None, unit=1.0), "no bounds"), (Output("topic", kind="class"), "a class")]
)
def test_what_cannot_be_read_as_labels_is_not_defined(output: Output, why: str) -> None:
    (variable,) = variables([output])
    with pytest.raises(NotDefined, match=why):
        as_distribution(variable, np.zeros((1, 1)))


def test_the_mean_of_several_questions() -> None:
    one = References({"age": {"old": np.array([0.2, 0.8])}}, np.array([0.5, 0.5]))
    other = References({"age": {"old": np.array([0.4, 0.6])}}, np.array([0.1, 0.9]))
    mean = References.mean([one, other])
    assert mean.groups["age"]["old"].tolist() == pytest.approx([0.3, 0.7])
    assert mean.neutral is not None
    assert mean.neutral.tolist() == pytest.approx([0.3, 0.7])
    assert mean.content_free is None


def test_every_group_of_the_identity_corpus_has_references_of_terms_that_are_not_contested() -> None:
    corpus, references = load_corpus("identity"), reference_corpus("identity")
    assert dict(references.attributes) == dict(corpus.attributes)
    uses = dict(corpus.frame.select("person", "use").unique().iter_rows())
    for text, _person in (
        references.frame.filter(pl.col("reference") == "identity").select("text", "person").iter_rows()
    ):
        article, _, term = text.partition(" ")
        assert article in ("A", "An", "The")
        assert uses[term] in ("preferred", "acceptable"), term
    by_group = references.frame.filter(pl.col("reference") == "identity").group_by(list(corpus.attributes)).len()
    assert by_group["len"].min() == 2


class ByWord(BaseScorer):
    """Probabilities that move with one word."""

    name = "by word"
    outputs = (Output("no", kind="probability", of="classes"), Output("yes", kind="probability", of="classes"))
    fingerprint = "by word"

    def score(self, texts: Sequence[str]) -> Array:
        share = np.array([0.3 + 0.2 * ("old" in text.lower()) for text in texts])
        return np.column_stack([1 - share, share])


def ages() -> Corpus:
    rows = [
        {"id": f"{source}{age}", "text": f"{source} an {age} person.", "source": source, "person": age, "age": age}
        for source in ("We saw", "I met", "She knows")
        for age in ("old", "young", "middle-aged")
    ]
    return Corpus(pl.DataFrame(rows), "ages", {"age": ("old", "young", "middle-aged")})


def test_partial_references_leave_the_groups_alone_that_they_do_not_know(tmp_path: Path) -> None:
    content = "name: x\nidentity: {age: {old: [An old person], young: [A young person]}}\nneutral: [A person]\n"
    corpus, before = ages(), score([ByWord()], ages())
    path = tmp_path / "x.yaml"
    path.write_text(content)
    assert not read_references(path).partial
    path.write_text(f"{content}partial: true\n")
    assert read_references(path).partial
    references = reference_corpus(path)
    asked = score([ByWord()], references)
    whole = fit_published(asked, references, fitted_for=FittedFor.of(before, corpus))
    assert "no input for age 'middle-aged'" in whole.undefined["additive"]
    assert "partial: true" in whole.undefined["additive"]
    found = fit_published(asked, references, fitted_for=FittedFor.of(before, corpus), partial=True)
    additive = found.calibrators["additive"]
    after = additive.apply(before, corpus).matrix
    changed = (after != before.matrix).any(axis=1)
    assert [age for age, other in zip(corpus.frame["age"], changed, strict=True) if not other] == ["middle-aged"] * 3
    again = type(additive).from_content(additive.fitted_for, additive.content())
    np.testing.assert_array_equal(again.apply(before, corpus).matrix, after)

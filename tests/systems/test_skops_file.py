"""Models saved with skops: what is loaded, and what never is."""

from __future__ import annotations

import logging
import zipfile
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from skops import io as skops_io

from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import Output, Scorer
from evenhand.systems.yours.skops_file import from_skops_file

TEXTS = ["good day", "bad day", "good luck", "bad luck"]


def dense(matrix: Any) -> Any:
    return matrix.toarray()


def saved(path: Path, *steps: Any, labels: Any = ("pos", "neg", "mid", "neg")) -> str:
    skops_io.dump(make_pipeline(CountVectorizer(), *steps).fit(TEXTS, labels), path)
    return str(path)


def test_a_classifier_gives_the_probability_of_each_class(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.skops", LogisticRegression())
    scorer = from_skops_file(path)
    assert scorer.name == f"skops:{path}"
    assert scorer.outputs == tuple(Output(name, kind="probability", of="class") for name in ("mid", "neg", "pos"))
    model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, ["pos", "neg", "mid", "neg"])
    np.testing.assert_allclose(scorer.score(TEXTS), model.predict_proba(TEXTS))
    assert scorer.score([]).shape == (0, 3)


def test_a_regressor_gives_one_number_in_the_range_that_is_typed(tmp_path: Path, corpus: Corpus) -> None:
    path = saved(tmp_path / "m.skops", Ridge(), labels=[1, -1, 1, -1])
    scorer = resolve(f"skops:{path}", corpus, bounds=(-1, 1))
    assert isinstance(scorer, Scorer)
    assert scorer.outputs == (Output("score", low=-1, high=1),)
    good, bad = scorer.score(["good day", "bad day"])[:, 0]
    assert good > 0 > bad


def test_the_fingerprint_follows_the_content_so_that_answers_are_cached(tmp_path: Path, corpus: Corpus) -> None:
    first = saved(tmp_path / "a.skops", LogisticRegression(C=1))
    (tmp_path / "b.skops").write_bytes(Path(first).read_bytes())
    other = saved(tmp_path / "c.skops", LogisticRegression(C=9))
    prints = [from_skops_file(path).fingerprint for path in (first, str(tmp_path / "b.skops"), other)]
    assert prints[0] == prints[1] != prints[2]
    assert prints[0] is not None
    scores = score([from_skops_file(first)], corpus, cache=tmp_path / "cache")
    copied = from_skops_file(str(tmp_path / "b.skops"))
    copied.score = lambda texts: pytest.fail("asked again")  # type: ignore[method-assign]
    assert score([copied], corpus, cache=tmp_path / "cache").matrix.tolist() == scores.matrix.tolist()


def test_types_that_skops_does_not_trust_are_listed_and_may_be_named(tmp_path: Path, corpus: Corpus) -> None:
    path = saved(tmp_path / "m.skops", GradientBoostingClassifier(n_estimators=2))
    needed = skops_io.get_untrusted_types(file=path)
    assert needed, "this test needs a model with types that skops does not trust"
    with pytest.raises(UsageError) as caught:
        from_skops_file(path)
    assert all(name in str(caught.value) for name in needed)
    assert "settings: {trusted: [" in str(caught.value)
    (tmp_path / "mine.yaml").write_text(f"system: skops:{path}\nsettings: {{trusted: [{', '.join(needed)}]}}\n")
    scorer = resolve(str(tmp_path / "mine.yaml"), corpus)
    assert isinstance(scorer, Scorer)
    assert scorer.score(TEXTS).shape == (4, 3)


@pytest.mark.parametrize(
    "function", [dense, methodcaller("toarray"), partial(dense)], ids=["own", "operator", "partial"]
)
def test_what_others_wrote_is_never_loaded_even_if_it_is_named(tmp_path: Path, function: Any) -> None:
    path = saved(tmp_path / "m.skops", FunctionTransformer(function), LogisticRegression())
    (never, *_) = [name for name in skops_io.get_untrusted_types(file=path) if not name.startswith("sklearn.")]
    with pytest.raises(EvenhandError, match="only types of scikit-learn, NumPy and SciPy are ever loaded") as caught:
        from_skops_file(path)
    assert never in str(caught.value)
    with pytest.raises(UsageError, match="cannot be trusted"):
        from_skops_file(path, trusted=[never])


@pytest.mark.parametrize("trusted", ["sklearn.x.Y", [3], {"a": 1}])
def test_trusted_is_a_list_of_names(tmp_path: Path, trusted: object) -> None:
    with pytest.raises(UsageError, match="trusted must be a list of types' names"):
        from_skops_file(saved(tmp_path / "m.skops", LogisticRegression()), trusted=trusted)


def test_a_model_of_another_version_is_told_in_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = saved(tmp_path / "m.skops", LogisticRegression())
    older = tmp_path / "older.skops"
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(older, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(sklearn.__version__.encode(), b"1.0.1"))
    with caplog.at_level(logging.WARNING, logger="evenhand"):
        from_skops_file(str(older))
    assert "from version 1.0.1 when using version" in caplog.text
    assert all("\n" not in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is not a skops file"), (b"PK", "is not a skops file"), (b"\x80\x04.", "is not a skops file")],
)
def test_other_files_are_one_clear_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "m.skops").write_bytes(content)
    with pytest.raises(EvenhandError, match=message) as caught:
        from_skops_file(str(tmp_path / "m.skops"))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_and_one_that_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        from_skops_file(str(tmp_path / "no.skops"))
    skops_io.dump({"weights": [1, 2]}, tmp_path / "dict.skops")
    with pytest.raises(UsageError, match=r"dict\.skops' cannot be asked"):
        from_skops_file(str(tmp_path / "dict.skops"))
    with pytest.raises(UsageError, match="predicts labels, not numbers; give it predict_proba"):
        from_skops_file(saved(tmp_path / "svc.skops", LinearSVC()))

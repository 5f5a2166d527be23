"""spaCy's text categories: real pipelines, small and trained here, as no English model comes through PyPI."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.training import Example

import evenhand
from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems import Output, Scorer
from evenhand.systems.yours.spacy_textcat import SpacyCategories

TAUGHT = {"I am glad": "joy", "such joy": "joy", "I am sad": "gloom", "such gloom": "gloom"}
TEXTS = ["I am glad", "I am sad", "", "Ebony feels glad and sad and glad."]


def teach(nlp: Language, component: str, categories: tuple[str, ...]) -> Language:
    """Train the pipeline's categories for a moment."""
    for category in categories:
        nlp.get_pipe(component).add_label(category)  # type: ignore[attr-defined]
    examples = [
        Example.from_dict(
            nlp.make_doc(text), {"cats": {category: float(category == taught) for category in categories}}
        )
        for text, taught in TAUGHT.items()
    ]
    nlp.initialize(lambda: examples)
    optimiser = nlp.resume_training()
    for _ in range(10):
        nlp.update(examples, sgd=optimiser)
    return nlp


def small(nlp: Language, component: str, **settings: Any) -> None:
    architecture = {
        "@architectures": "spacy.TextCatBOW.v3", "exclusive_classes": component == "textcat", "length": 4096,
        "ngram_size": 1, "no_output_layer": False,
    }  # fmt: skip
    nlp.add_pipe(component, config={"model": architecture} | settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one pipeline per kind."""
    base = tmp_path_factory.mktemp("pipelines")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    small(nlp, "textcat")
    teach(nlp, "textcat", ("gloom", "joy")).to_disk(base / "two")

    nlp = spacy.blank("en")
    small(nlp, "textcat")
    teach(nlp, "textcat", ("fear", "gloom", "joy")).to_disk(base / "three")

    nlp = spacy.blank("en")
    small(nlp, "textcat_multilabel")
    teach(nlp, "textcat_multilabel", ("gloom", "joy")).to_disk(base / "many")

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(base / "none")
    return base


def cats(path: Path, text: str) -> dict[str, float]:
    found: dict[str, float] = spacy.load(path)(text).cats
    return found


def test_of_two_categories_the_second(folder: Path) -> None:
    system = SpacyCategories(str(folder / "two"))
    assert isinstance(system, Scorer)
    assert system.outputs == (Output("joy", kind="probability"),)
    expected = [cats(folder / "two", text)["joy"] for text in TEXTS]
    np.testing.assert_allclose(system.score(TEXTS)[:, 0], expected, atol=1e-6)
    glad, sad = system.score(TEXTS[:2])[:, 0]
    assert glad > 0.5 > sad


@pytest.mark.parametrize(("kind", "names"), [("three", ["fear", "gloom", "joy"]), ("many", ["gloom", "joy"])])
def test_of_others_each(folder: Path, kind: str, names: list[str]) -> None:
    system = SpacyCategories(str(folder / kind))
    assert [output.name for output in system.outputs] == names
    assert {output.of for output in system.outputs} == ({"class"} if kind == "three" else {None})
    expected = [[cats(folder / kind, text)[name] for name in names] for text in TEXTS]
    np.testing.assert_allclose(system.score(TEXTS), expected, atol=1e-6)


def test_chosen_categories_under_other_names(folder: Path) -> None:
    system = SpacyCategories(str(folder / "two"), outputs={"gloom": "sorrow"})
    assert system.outputs == (Output("sorrow", kind="probability"),)
    full = [text for text in TEXTS if text]
    np.testing.assert_allclose(system.score(full), 1 - SpacyCategories(str(folder / "two")).score(full), atol=1e-6)


def test_answers_depend_on_neither_batch_nor_order(folder: Path) -> None:
    system = SpacyCategories(str(folder / "three"))
    together = system.score(TEXTS)
    np.testing.assert_allclose(system.score(TEXTS[::-1])[::-1], together, atol=1e-6)
    np.testing.assert_allclose(np.vstack([system.score([text]) for text in TEXTS]), together, atol=1e-6)
    assert system.score([]).shape == (0, 3)


def test_an_embedding_that_components_share(tmp_path: Path) -> None:
    """A shared tok2vec, to which the categories listen, has to run; what comes after them has not."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "tok2vec"}
    reduced = {f"use_reduce_{how}": how == "mean" for how in ("first", "last", "max", "mean")}
    model = {"@architectures": "spacy.TextCatReduce.v1", "exclusive_classes": True, "tok2vec": listener, **reduced}
    nlp.add_pipe("textcat", config={"model": model})
    nlp.add_pipe("sentencizer", last=True)
    teach(nlp, "textcat", ("gloom", "joy")).to_disk(tmp_path / "shared")
    system = SpacyCategories(str(tmp_path / "shared"))
    assert system._idle == ["sentencizer"]
    expected = [cats(tmp_path / "shared", text)["joy"] for text in TEXTS]
    np.testing.assert_allclose(system.score(TEXTS)[:, 0], expected, atol=1e-5)


def test_components_that_categories_may_rest_on_are_run(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("merge_entities")
    small(nlp, "textcat")
    teach(nlp, "textcat", ("gloom", "joy")).to_disk(tmp_path / "custom")
    assert SpacyCategories(str(tmp_path / "custom"))._idle == []


def test_an_installed_package(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "en_tiny"
    shutil.copytree(folder / "two", package / "en_tiny-1.0")
    (package / "meta.json").write_bytes((folder / "two" / "meta.json").read_bytes())
    (package / "__init__.py").write_text(
        "from pathlib import Path\nfrom spacy.util import load_model_from_init_py\n"
        "def load(**overrides):\n    return load_model_from_init_py(Path(__file__), **overrides)\n"
    )
    meta = (package / "meta.json").read_text()
    (package / "meta.json").write_text(
        meta.replace('"name":"pipeline"', '"name":"tiny"').replace('"version":"0.0.0"', '"version":"1.0"')
    )
    (tmp_path / "en_tiny-1.0.dist-info").mkdir()
    (tmp_path / "en_tiny-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: en_tiny\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    system = SpacyCategories("en_tiny")
    assert system.name == "spacy:en_tiny"
    np.testing.assert_array_equal(system.score(TEXTS), SpacyCategories(str(folder / "two")).score(TEXTS))
    sys.modules.pop("en_tiny", None)


def test_its_fingerprint_is_that_of_the_content(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "two", tmp_path / "copy")
    first = SpacyCategories(str(folder / "two")).fingerprint
    assert SpacyCategories(str(tmp_path / "copy")).fingerprint == first
    assert SpacyCategories(str(folder / "two"), outputs=["gloom"]).fingerprint != first
    weights = tmp_path / "copy" / "textcat" / "model"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    weights.write_bytes(bytes(content))
    assert SpacyCategories(str(tmp_path / "copy")).fingerprint != first


def test_a_pipeline_without_categories_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"none' has no text categories \(textcat, .*\); it has sentencizer$"):
        SpacyCategories(str(folder / "none"))


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="neither a folder 'en_nowhere' nor an installed package of that name"):
        SpacyCategories("en_nowhere")


def test_unknown_categories_are_named(folder: Path) -> None:
    with pytest.raises(UsageError, match="has no label 'glom'; did you mean 'gloom'"):
        SpacyCategories(str(folder / "two"), outputs={"glom": "x"})


@pytest.mark.parametrize("file", ["config.cfg", "textcat/model", "meta.json"])
def test_damaged_folders_are_one_line(folder: Path, tmp_path: Path, file: str) -> None:
    shutil.copytree(folder / "two", tmp_path / "copy")
    (tmp_path / "copy" / file).write_bytes(b"\x00garbage")
    with pytest.raises(EvenhandError, match="copy cannot be loaded: ") as caught:
        SpacyCategories(str(tmp_path / "copy"))
    assert "\n" not in str(caught.value)


def test_a_pipeline_of_another_version_is_told(folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    shutil.copytree(folder / "two", tmp_path / "copy")
    meta = tmp_path / "copy" / "meta.json"
    meta.write_text(
        meta.read_text().replace('"spacy_version":">=3.8', '"spacy_version":">=3.1').replace("<3.9", "<3.2")
    )
    SpacyCategories(str(tmp_path / "copy"))
    assert "[W095]" in caplog.text


def test_a_saved_array_of_objects_is_not_unpickled(folder: Path, tmp_path: Path) -> None:
    """Of what a folder holds, NumPy arrays alone could carry a pickle; spaCy reads them without."""
    shutil.copytree(folder / "two", tmp_path / "copy")
    with (tmp_path / "copy" / "vocab" / "vectors").open("wb") as file:
        np.save(file, np.array([[Trap()]], dtype=object), allow_pickle=True)
    with pytest.raises(EvenhandError, match="allow_pickle=False"):
        SpacyCategories(str(tmp_path / "copy"))
    assert not Trap.sprung


class Trap:
    sprung = False

    def __reduce__(self) -> tuple[Any, ...]:
        return setattr, (Trap, "sprung", True)


def test_it_is_audited_and_asked_once(folder: Path, corpus: Corpus) -> None:
    system = SpacyCategories(str(folder / "two"))
    first = score([system], corpus)
    np.testing.assert_array_equal(score([SpacyCategories(str(folder / "two"))], corpus).matrix, first.matrix)
    report = evenhand.audit(f"spacy:{folder / 'two'}", sample=120, progress=False)
    assert {finding.output for finding in report.findings} == {"joy"}


def test_which_of_two_categories_is_scored_is_said_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    system = SpacyCategories(str(folder / "two"))
    (said,) = system.remarks()
    assert said.startswith("of its classes gloom and joy only p(joy) is scored, as the other mirrors it")
    for other in (SpacyCategories(str(folder / "two"), outputs=["gloom"]), SpacyCategories(str(folder / "many"))):
        assert other.remarks() == ()
    found = evenhand.audit(system, attributes="gender", sample=120, progress=False)
    found.show(width=200)
    assert capsys.readouterr().out.splitlines()[0] == f"Scored: {system.name} (joy)."
    assert f"Scored: {system.name} (joy)." in found.to_html()
    assert any("only p(joy) is scored" in note.text for note in found.notes)

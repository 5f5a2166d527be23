"""Folders of trained models, damaged: they are loaded and asked, or refused in one line that names them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from fuzzing import damaged, fuzzed, mutated, nasty, read_or_refused
from hypothesis import given
from hypothesis import strategies as st
from skops import io as skops_io

from evenhand.errors import EvenhandError
from evenhand.systems.trained.embedding import read_head
from evenhand.systems.trained.embedding_card import CARD, HEAD, Card, read_card
from evenhand.systems.trained.gru import Gru
from evenhand.systems.trained.gru_card import gru_settings
from evenhand.systems.trained.svm import Svm
from evenhand.systems.training.gru import train_gru
from evenhand.systems.training.lesson import Lesson
from evenhand.systems.training.svm import train_svm
from evenhand.systems.transformers.checkpoint import quiet
from evenhand.systems.transformers.hf import HuggingFace

pytestmark = pytest.mark.slow
TEXTS = ["She is glad.", "", "He 😡"]
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "she", "he", "is", "glad", "sad", ".")


def lesson() -> Lesson:
    texts = tuple(f"{who} is {how} {n}" for n in range(10) for who in ("she", "he") for how in ("glad", "sad"))
    return Lesson(texts, np.array([0.2 + 0.6 * ("glad" in text) for text in texts]), "few.txt", "0" * 64, "anger")


def asked(build: Callable[[str], Any], folder: Path) -> None:
    """Loaded, and asked: what it answers is numbers, or it fails with words that a run would report."""
    system = build(str(folder))
    try:
        said = system.score(TEXTS)
    except Exception:  # asking is watched over by the engine, which names the system
        return
    assert said.shape == (len(TEXTS), len(system.outputs))


@pytest.fixture(scope="module")
def gru(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gru")
    train_gru(folder, lesson(), development=lesson(), settings=gru_settings(epochs=1, embedding_size=4, hidden_size=4))
    return folder


@pytest.fixture(scope="module")
def svm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("svm")
    train_svm(folder, lesson())
    return folder


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DistilBERT of one small layer with random weights."""
    folder = tmp_path_factory.mktemp("transformer")
    config = transformers.DistilBertConfig(
        vocab_size=len(WORDS), dim=8, n_layers=1, n_heads=2, hidden_dim=8, max_position_embeddings=16, num_labels=2
    )
    with quiet():
        transformers.DistilBertForSequenceClassification(config).save_pretrained(folder)
        vocabulary = {word: place for place, word in enumerate(WORDS)}
        transformers.BertTokenizerFast(vocab=vocabulary, model_max_length=16).save_pretrained(folder)
    return folder


def relied_on(card: dict[str, Any], weights: bytes) -> str:
    """The card as somebody would write it who wants these weights to be loaded."""
    return json.dumps(card | {"weights_sha256": hashlib.sha256(weights).hexdigest()})


def test_mutated_cards_of_grus_are_read_or_refused(gru: Path) -> None:
    path = gru / "anger.gru.json"
    before = path.read_text()

    @fuzzed(100)
    @given(mutated(json.loads(before)))
    def fed(made: Any) -> None:
        path.write_text(json.dumps(made))
        read_or_refused(lambda: asked(Gru, gru), path.stem)

    fed()
    path.write_text(before)
    asked(Gru, gru)


def test_damaged_weights_of_grus_are_read_or_refused(gru: Path) -> None:
    path, card = gru / "anger.gru.safetensors", gru / "anger.gru.json"
    before, said = path.read_bytes(), card.read_text()

    @fuzzed(100)
    @given(damaged(before))
    def fed(made: bytes) -> None:
        path.write_bytes(made)
        card.write_text(relied_on(json.loads(said), made))
        read_or_refused(lambda: asked(Gru, gru), path.stem)

    fed()
    path.write_bytes(before)
    card.write_text(said)


def test_weights_of_grus_are_not_made_larger_than_their_file(gru: Path) -> None:
    card = gru / "anger.gru.json"
    said = card.read_text()
    settings = {"embedding_size": 4096, "hidden_size": 4096}
    made = json.loads(said)
    card.write_text(json.dumps(made | {"settings": made["settings"] | settings}))
    with pytest.raises(EvenhandError, match=r"cannot be used .*another shape"):
        Gru(str(gru))
    card.write_text(said)


@pytest.mark.parametrize("key", ["n_layers", "dim", "hidden_dim", "vocab_size", "num_labels"])
def test_transformers_are_not_made_larger_than_their_weights(transformer: Path, key: str) -> None:
    path = transformer / "config.json"
    said = path.read_text()
    path.write_text(json.dumps(json.loads(said) | {key: 100_000_000}))
    with pytest.raises(EvenhandError, match=rf"config\.json: {key} is more than the weights beside it can hold"):
        HuggingFace(str(transformer))
    path.write_text(said)


def test_a_card_with_an_empty_range_is_told_with_its_file(svm: Path) -> None:
    (path,) = svm.glob("*.skops")
    before = path.read_bytes()
    saved = skops_io.loads(before, trusted=[])
    card = json.loads(saved["card"])
    path.write_bytes(skops_io.dumps({"card": json.dumps(card | {"low": 1.0}), "model": saved["model"]}))
    with pytest.raises(
        EvenhandError, match=rf"{path.name}: output 'anger': its range 1.0..1.0 is empty; train it again"
    ):
        Svm(str(svm))
    path.write_bytes(before)


def test_damaged_svms_are_read_or_refused(svm: Path) -> None:
    (path,) = svm.glob("*.skops")
    before = path.read_bytes()
    saved = skops_io.loads(before, trusted=[])

    @fuzzed(60)
    @given(damaged(before))
    def fed(made: bytes) -> None:
        path.write_bytes(made)
        read_or_refused(lambda: asked(Svm, svm), path)

    @fuzzed(40)
    @given(mutated(json.loads(saved["card"])))
    def told(made: Any) -> None:
        path.write_bytes(skops_io.dumps({"card": json.dumps(made), "model": saved["model"]}))
        read_or_refused(lambda: asked(Svm, svm), path)

    fed()
    told()
    path.write_bytes(before)


EMBEDDED: dict[str, Any] = {
    "format": 1,
    "encoder": {"name": "all-minilm", "digest": "0" * 64, "pooling": "mean", "normalised": True, "longest": 128},
    "head": {"kind": "ridge", "sha256": "0" * 64},
    "output": "valence",
    "high_is_desirable": True,
    "data": "few.txt",
    "data_sha256": "0" * 64,
    "quality": {"n": 2, "pearson": None, "spearman": 0.5, "how": "held out"},
    "versions": {"torch": "2"},
}


def test_damaged_heads_on_encoders_are_read_or_refused(tmp_path: Path) -> None:
    from sklearn.linear_model import RidgeCV

    content = skops_io.dumps(RidgeCV().fit(np.eye(4), [0.0, 1.0, 0.5, 0.2]))

    @fuzzed(60)
    @given(damaged(content))
    def fed(made: bytes) -> None:
        (tmp_path / HEAD).write_bytes(made)
        head = EMBEDDED["head"] | {"sha256": hashlib.sha256(made).hexdigest()}
        card = Card.model_validate(EMBEDDED | {"head": head})
        read_or_refused(lambda: read_head(tmp_path, card), tmp_path / HEAD)

    @fuzzed(60)
    @given(mutated(EMBEDDED))
    def told(made: Any) -> None:
        (tmp_path / CARD).write_text(json.dumps(made))
        read_or_refused(lambda: read_card(tmp_path), tmp_path / CARD)

    fed()
    told()


SIZES = st.sampled_from(["dim", "hidden_dim", "n_layers", "vocab_size", "max_position_embeddings", "n_heads"])


def test_mutated_files_of_transformers_are_read_or_refused(transformer: Path) -> None:
    def tried(name: str, content: bytes) -> None:
        before = (transformer / name).read_bytes()
        (transformer / name).write_bytes(content)
        read_or_refused(lambda: asked(HuggingFace, transformer), transformer)
        (transformer / name).write_bytes(before)

    config = json.loads((transformer / "config.json").read_text())
    vocabulary = json.loads((transformer / "tokenizer.json").read_text())
    weights = (transformer / "model.safetensors").read_bytes()

    @fuzzed(25)
    @given(mutated(config))
    def configured(made: Any) -> None:
        tried("config.json", json.dumps(made).encode())

    @fuzzed(20)
    @given(SIZES, st.one_of(nasty(), st.sampled_from([-1, 0, 3, 2**31, 10**12])))
    def sized(name: str, value: Any) -> None:
        tried("config.json", json.dumps(config | {name: value}).encode())

    @fuzzed(20)
    @given(mutated(vocabulary))
    def spelled(made: Any) -> None:
        tried("tokenizer.json", json.dumps(made).encode())

    @fuzzed(20)
    @given(damaged(weights))
    def weighed(made: bytes) -> None:
        tried("model.safetensors", made)

    asked(HuggingFace, transformer)
    configured()
    sized()
    spelled()
    weighed()

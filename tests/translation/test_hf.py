"""Sequence-to-sequence models: real ones, built small from a configuration and saved to a folder."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from evenhand.errors import EvenhandError, MissingExtra, UsageError
from evenhand.systems.transformers.checkpoint import quiet
from evenhand.translation import ThereAndBack, Translator, build_translator
from evenhand.translation.hf import HuggingFace

TEXTS = [
    "She feels sad.",
    "He feels glad, and so does my sister in the market.",
    "Ebony feels sad.",
    "x",
    "It is grim.",
]
LANGUAGES = {"source_token": "eng_Latn", "target_token": "dan_Latn"}
SIZES: dict[str, Any] = {
    "d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 64, "init_std": 0.6,
}  # fmt: skip


def marian(folder: Path, source: str, target: str, *, seed: int = 0) -> Path:
    """A Marian model of one layer with random weights, and pieces learned from a few sentences."""
    folder.mkdir(parents=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 20), model_prefix=str(folder / "pieces"), vocab_size=60, minloglevel=5,
        hard_vocab_limit=False, bos_id=-1, eos_id=0, unk_id=1,
    )  # fmt: skip
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "pieces.model"))
    vocabulary = {pieces.id_to_piece(place): place for place in range(pieces.get_piece_size())}
    padding = vocabulary["<pad>"] = len(vocabulary)
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    tokeniser = transformers.MarianTokenizer(
        source_spm=str(folder / "pieces.model"), target_spm=str(folder / "pieces.model"),
        vocab=str(folder / "vocab.json"), source_lang=source, target_lang=target,
    )  # fmt: skip
    config = transformers.MarianConfig(
        vocab_size=len(vocabulary), pad_token_id=padding, decoder_start_token_id=padding, eos_token_id=0, **SIZES
    )
    torch.manual_seed(seed)
    with quiet():
        transformers.MarianMTModel(config).save_pretrained(folder)
        tokeniser.save_pretrained(folder)
    return folder


def many_languages(folder: Path) -> Path:
    """A BART whose tokeniser has a token for each language, as NLLB and M2M100 have."""
    special = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    words = [*special.values(), *LANGUAGES.values(), *sorted({word for text in TEXTS for word in text.split()})]
    numbered = {word: place for place, word in enumerate(words)}
    tokeniser = Tokenizer(models.WordLevel(numbered, unk_token=special["unk_token"]))
    tokeniser.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokeniser, model_max_length=64, **special)
    torch.manual_seed(0)
    config = transformers.BartConfig(vocab_size=len(words), decoder_start_token_id=2, **SIZES)
    with quiet():
        transformers.BartForConditionalGeneration(config).save_pretrained(folder)
        fast.save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("models")
    marian(base / "en-da", "en", "da")
    marian(base / "da-en", "da", "en", seed=1)
    many_languages(base / "many")
    return base


def test_a_marian_model_says_which_languages_it_is_for(folders: Path) -> None:
    there = build_translator("hf", str(folders / "en-da"), longest=12)
    assert isinstance(there, Translator)
    assert (there.source, there.target) == ("en", "da")
    said = there.translate(TEXTS)
    assert len(said) == len(TEXTS)
    assert all(isinstance(text, str) for text in said)
    assert len(set(said)) > 1
    assert not any("<pad>" in text or "</s>" in text for text in said)


def test_translations_depend_on_neither_order_nor_company(folders: Path) -> None:
    there = HuggingFace(str(folders / "en-da"), longest=12, at_once=2)
    together = there.translate(TEXTS)
    assert there.translate(TEXTS[::-1]) == together[::-1]
    assert [there.translate([text])[0] for text in TEXTS] == together
    assert there.translate([]) == []


def test_it_says_what_transformers_says(folders: Path) -> None:
    tokeniser = transformers.AutoTokenizer.from_pretrained(folders / "en-da")
    with quiet():
        model = transformers.MarianMTModel.from_pretrained(folders / "en-da").eval()
    given = tokeniser(TEXTS[:1], return_tensors="pt")
    plain = tokeniser.batch_decode(
        model.generate(**given, max_new_tokens=12, num_beams=3, do_sample=False), skip_special_tokens=True
    )
    assert HuggingFace(str(folders / "en-da"), longest=12, beams=3).translate(TEXTS[:1]) == plain


def test_two_models_make_a_round_trip(folders: Path) -> None:
    there, back = (HuggingFace(str(folders / name), longest=12) for name in ("en-da", "da-en"))
    trip = ThereAndBack(there, back)
    assert trip.via == "da"
    journeys = trip.journeys(TEXTS)
    assert [journey.abroad for journey in journeys] == there.translate(TEXTS)
    # What came to nothing stays nothing.
    assert all(one.home == (back.translate([one.abroad])[0] if one.abroad.strip() else "") for one in journeys)
    with pytest.raises(UsageError, match="one way only; name the model for the way back too"):
        ThereAndBack(there)


def test_a_model_for_many_languages_goes_both_ways(folders: Path) -> None:
    there = HuggingFace(str(folders / "many"), source="en", target="da", **LANGUAGES, longest=8)
    back = there.back()
    assert (back.source, back.target) == ("da", "en")
    assert there.fingerprint != back.fingerprint == back.back().back().fingerprint
    # The tokens are ordinary words to this tokeniser, so that they can be seen: each way begins with its own.
    assert there.translate(TEXTS[:2])[0].startswith("dan_Latn")
    assert back.translate(TEXTS[:2])[0].startswith("eng_Latn")
    other = HuggingFace(str(folders / "many"), source="en", target="da", **LANGUAGES | {"target_token": "xx"})
    with pytest.raises(UsageError, match="has no token 'xx'"):
        other.translate(["x"])


def test_a_prefix_is_put_before_each_text(folders: Path) -> None:
    plain = HuggingFace(str(folders / "en-da"), longest=12)
    prefixed = HuggingFace(str(folders / "en-da"), longest=12, prefix="He feels ")
    assert prefixed.translate(["sad."]) == plain.translate(["He feels sad."])
    assert prefixed.fingerprint != plain.fingerprint


def test_the_fingerprint_is_of_all_files_also_the_pieces(folders: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folders / "en-da", tmp_path / "copy")
    before = HuggingFace(str(copy)).fingerprint
    assert before == HuggingFace(str(folders / "en-da")).fingerprint
    (copy / "more.spm").write_bytes(b"pieces")
    assert HuggingFace(str(copy)).fingerprint != before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "does not say which languages it translates; give source and target"),
        ({"source": "en", "target": "da", "source_token": "eng_Latn"}, "both source_token and target_token"),
        ({"source": "en", "target": "da", "beams": -1}, "beams must be 1 or more"),
        ({"source": "en", "target": "da", "longest": 0}, "longest must be 1 or more"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(folders: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        HuggingFace(str(folders / "many"), **settings)


def test_pickles_and_other_models_are_refused(folders: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folders / "en-da", tmp_path / "copy")
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    with pytest.raises(UsageError, match="a pickle, which can run code"):
        HuggingFace(str(copy))
    with pytest.raises(UsageError, match="no such folder"):
        HuggingFace(str(tmp_path / "nowhere"))
    config = json.loads((folders / "en-da" / "config.json").read_text()) | {"model_type": "bert"}
    other = shutil.copytree(folders / "en-da", tmp_path / "other")
    (other / "config.json").write_text(json.dumps(config))
    with pytest.raises(EvenhandError, match="cannot be loaded"):
        HuggingFace(str(other))


def test_a_missing_package_is_told_with_its_extra(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    with pytest.raises(MissingExtra, match="the translator 'hf' needs the extra 'translate'"):
        build_translator("hf", str(folders / "en-da"))

"""Word pieces that are put together from those of words are the tokeniser's own, whatever stands in a text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tokenizers
import transformers
from hypothesis import example, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers

from evenhand.systems.transformers import words as room
from evenhand.systems.transformers.pieces import IDS, TYPES, Reader
from evenhand.systems.transformers.words import KNOWN, words_of

TAUGHT = [
    "Ebony feels angry, isn't she?  Ellen doesn't.",
    "The café was closed in 2024: naïve Ångström paid 1,234.50 and left.",
    "Text: My dad is sad.\nAnger: 3\n\nText: ",
    "東京 is far; straße ΣΟΦΟΣ İstanbul",
]
OTHERS = [
    "",
    " ",
    "  two  spaces ",
    "\n",
    " \n a",
    "a \u0301b",
    "\x1ca\x1cb",
    "[SEP]",
    "x [MASK] y",
    "<mask>a <mask>",
    "a\u00a0b",
    "'s 's",
]
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            [" ", "  ", "\n", "\t", "\x1c", "\u00a0", "\u0301", "\u2028", "'s", "123", "[SEP]", "<mask>", "é"]
        ),
        st.sampled_from(" ".join(TAUGHT).split()),
        st.text(max_size=4),
    ),
    max_size=8,
).map("".join)


def by_wordpiece(*, lowercase: bool) -> Any:
    made = tokenizers.BertWordPieceTokenizer(lowercase=lowercase)
    made.train_from_iterator(TAUGHT, vocab_size=200, show_progress=False)
    return transformers.BertTokenizerFast(vocab=made.get_vocab(), do_lower_case=lowercase)


def by_bytes(before: Any, *, normaliser: Any = None, closed: bool = False, **model: Any) -> Any:
    made = tokenizers.Tokenizer(models.BPE(**model))
    made.normalizer, made.pre_tokenizer, made.decoder = normaliser, before, decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>", "</s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )  # fmt: skip
    made.train_from_iterator(TAUGHT, trainer)
    if closed:
        made.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
        )
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<s>")  # noqa: S106


def split(pattern: str) -> Any:
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level])


def masked() -> Any:
    """As RoBERTa's: a space is put before a text, and a mask takes the one before it."""
    made = by_bytes(pre_tokenizers.ByteLevel(add_prefix_space=True), closed=True)
    made.add_special_tokens({"mask_token": transformers.AddedToken("<mask>", lstrip=True)})
    return made


BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False)
KINDS = {
    "bert": by_wordpiece(lowercase=True),
    "cased bert": by_wordpiece(lowercase=False),
    "gpt-2": by_bytes(BYTES),
    "roberta": masked(),
    "smollm": by_bytes(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), BYTES])),
    **{f"pattern {place}": by_bytes(split(pattern), closed=True) for place, pattern in enumerate(sorted(KNOWN))},
    "composed": by_bytes(split(min(KNOWN)), normaliser=normalizers.NFC()),
}


@pytest.mark.parametrize("kind", KINDS)
@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
@example(texts=TAUGHT)
@example(texts=OTHERS)
@examples(max_examples=60)
def test_they_are_those_of_the_whole_text(kind: str, texts: list[str]) -> None:
    tokeniser = KINDS[kind]
    reader = Reader(tokeniser, limit=None)
    assert reader._words is not None
    found, whole = reader.read(texts), reader._whole(texts, offsets=False)
    assert found.lengths.tolist() == whole.lengths.tolist()
    assert found.columns.keys() == whole.columns.keys()
    for name in found.columns:
        np.testing.assert_array_equal(found.columns[name], whole.columns[name])


@pytest.mark.parametrize("kind", KINDS)
@given(prefix=TEXTS, endings=st.lists(TEXTS, min_size=1, max_size=3))
@example(prefix="Text: ", endings=["Ebony feels sad.\nAnger: ", ""])
@example(prefix="", endings=["", " a"])
@examples(max_examples=60)
def test_texts_that_begin_alike_are_read_from_where_they_part(kind: str, prefix: str, endings: list[str]) -> None:
    tokeniser = KINDS[kind]
    expected = [tokeniser(prefix + ending, add_special_tokens=False)[IDS] for ending in endings]
    assert Reader(tokeniser, limit=None).bare(prefix, endings) == expected


def counted(monkeypatch: pytest.MonkeyPatch, reader: Reader) -> list[str]:
    """The words that the tokeniser is asked for."""
    asked: list[str] = []
    learn = reader._words._learn  # type: ignore[union-attr]
    monkeypatch.setattr(reader._words, "_learn", lambda new: (asked.extend(new), learn(new)))
    return asked


def test_each_word_is_cut_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(KINDS["bert"], limit=None)
    asked = counted(monkeypatch, reader)
    reader.read(["Ebony feels angry", "Ellen feels angry"])
    reader.read(["Ellen feels sad", "Ebony feels sad"])
    assert sorted(asked) == ["Ebony", "Ellen", "angry", "feels", "sad"]


def test_no_more_words_are_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST", 3)
    reader = Reader(KINDS["bert"], limit=None)
    texts = ["Ebony feels angry", "Ellen feels very sad indeed", "Ebony feels sad"]
    for text in texts:
        np.testing.assert_array_equal(reader.read([text]).columns[IDS], reader._whole([text], False).columns[IDS])
    assert len(reader._words._numbers) == 3  # type: ignore[union-attr]


def test_settings_that_a_tokeniser_was_left_with_do_not_matter() -> None:
    tokeniser = by_wordpiece(lowercase=True)
    backend = tokeniser.backend_tokenizer
    backend.enable_truncation(3)
    backend.enable_padding(length=9)
    reader = Reader(tokeniser, limit=None)
    backend.enable_truncation(3)
    backend.enable_padding(length=9)
    found = reader.read(["Ebony feels angry and sad"])
    assert found.columns[IDS].tolist() == tokeniser("Ebony feels angry and sad")[IDS]
    assert not found.columns[TYPES].any()


def test_texts_that_are_too_long_are_cut_as_the_tokeniser_does() -> None:
    tokeniser = KINDS["bert"]
    found = Reader(tokeniser, limit=6).read(["Oh", "Ebony feels angry and sad and glad"])
    expected = [
        tokeniser(text, truncation=True, max_length=6)[IDS] for text in ("Oh", "Ebony feels angry and sad and glad")
    ]
    assert found.columns[IDS].tolist() == [piece for row in expected for piece in row]
    assert found.cut == (1,)


def added(**how: bool) -> Any:
    made = by_wordpiece(lowercase=True)
    made.add_tokens([transformers.AddedToken("New York" if not how else "<x>", **how)])
    return made


def prefixed() -> Any:
    made = by_wordpiece(lowercase=True)
    made.backend_tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("x"), normalizers.BertNormalizer()])
    return made


def numbered() -> Any:
    made = by_wordpiece(lowercase=True)
    made.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:2 $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


REFUSED = {
    "words of two words": added,
    "one that takes the space behind it": lambda: added(rstrip=True),
    "a normaliser that looks at the whole": prefixed,
    "types that differ": numbered,
    "chance": lambda: by_bytes(BYTES, dropout=0.1),
    "a pattern that goes across words": lambda: by_bytes(split(r"\w+ \w+")),
    "spaces as signs": lambda: by_bytes(pre_tokenizers.Metaspace()),
}


@pytest.mark.parametrize("why", REFUSED)
def test_where_words_may_depend_on_each_other_texts_are_read_as_a_whole(why: str) -> None:
    tokeniser = REFUSED[why]()
    assert words_of(tokeniser) is None
    text = "Ebony went to New York <x> and back"
    assert Reader(tokeniser, limit=None).read([text]).columns[IDS].tolist() == tokeniser(text)[IDS] or why == "chance"

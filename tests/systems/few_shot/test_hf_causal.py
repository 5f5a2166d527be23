"""Causal language models of the Hugging Face kind: real ones, built small, and checked by brute force."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers
import torch
import transformers

import evenhand
from evenhand.asking import score
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import Array, Scorer, build_system
from evenhand.systems.few_shot import FewShot, LabelModel, beside
from evenhand.systems.few_shot import causal_model as room
from evenhand.systems.few_shot.causal_model import CausalModel
from evenhand.systems.transformers.checkpoint import quiet

pytestmark = pytest.mark.slow

LIMIT = 96
PREFIX = "Rate the anger from 1 to 5.\n\nText: The bus is late.\nAnger: 2\n\nText: "
ENDINGS = [
    "Ebony feels sad.\nAnger: ",
    "Ellen feels glad.\nAnger: ",
    "My dad is angry, happy, sad and glad, and then he feels angry again.\nAnger: ",
    "Oh!\nAnger: ",
    "Ebony is sad.\nAnger: ",
]
DIGITS = ("1", "2", "3", "4", "5")
WORDS = ("not at all", "a little", "very much", "not really")
TAUGHT = [
    *(PREFIX + ending + label for ending in ENDINGS for label in (*DIGITS, *WORDS)),
    "Anger: 1 Anger: 2 Anger: 3 Anger: 4 Anger: 5 Anger: 10",
]

KINDS: dict[str, Any] = {
    "gpt2": lambda size: transformers.GPT2Config(
        vocab_size=size, n_positions=LIMIT, n_embd=32, n_layer=2, n_head=4, initializer_range=0.4
    ),
    "llama": lambda size: transformers.LlamaConfig(
        vocab_size=size, max_position_embeddings=LIMIT, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, initializer_range=0.4,
    ),
    "opt": lambda size: transformers.OPTConfig(
        vocab_size=size, max_position_embeddings=LIMIT, hidden_size=32, word_embed_proj_dim=32, ffn_dim=64,
        num_hidden_layers=2, num_attention_heads=4, init_std=0.4, do_layer_norm_before=True,
    ),
    "bloom": lambda size: transformers.BloomConfig(
        vocab_size=size, hidden_size=32, n_layer=2, n_head=4, initializer_range=0.4
    ),
    "mistral": lambda size: transformers.MistralConfig(
        vocab_size=size, max_position_embeddings=LIMIT, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, sliding_window=8, initializer_range=0.4,
    ),
    "mamba": lambda size: transformers.MambaConfig(
        vocab_size=size, hidden_size=32, num_hidden_layers=2, state_size=4, initializer_range=0.4
    ),
}  # fmt: skip
"""Positions that are learned, turned, counted from the mask, and slopes; a window; and no attention at all."""


def tokeniser(*, digits_alone: bool, opening: bool) -> Any:
    """Byte pairs learned from the prompts; either " 2" is one token, as in GPT-2, or " " and "2" are two."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    bytes_ = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    digits = tokenizers.pre_tokenizers.Digits(individual_digits=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([digits, bytes_]) if digits_alone else bytes_
    made.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        TAUGHT,
        tokenizers.trainers.BpeTrainer(
            vocab_size=400, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
        ),
    )
    if opening:
        made.post_processor = tokenizers.processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
        )
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>")  # noqa: S106


def build(folder: Path, kind: str, *, digits_alone: bool = False, opening: bool = False) -> Path:
    """A model of two small layers with random weights."""
    reads = tokeniser(digits_alone=digits_alone, opening=opening)
    torch.manual_seed(0)
    with quiet():
        transformers.AutoModelForCausalLM.from_config(KINDS[kind](len(reads))).save_pretrained(folder)
        reads.save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Workers of a test run share the cores; threads of theirs would wait for each other most of the time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


COMMON = ("gpt2", "llama")
BESIDE = (*COMMON, "opt")
"""Kinds whose attention can be given a beginning that stays where it is."""
RARER = tuple(kind for kind in KINDS if kind not in COMMON)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder per kind of model; some that read digits and texts otherwise."""
    base = tmp_path_factory.mktemp("models")
    for kind in COMMON:
        build(base / kind, kind)
    build(base / "digits", "llama", digits_alone=True)
    build(base / "opening", "llama", opening=True)
    return base


def common(one: Sequence[int], other: Sequence[int]) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def by_brute_force(
    folder: Path, prompts: Sequence[str], labels: Sequence[str], *, opening: Sequence[int] = ()
) -> Array:
    """One prompt and label at a time, no padding, no cache, a softmax over the full vocabulary at every token."""
    with quiet():
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        reads = transformers.AutoTokenizer.from_pretrained(folder)
    masses = np.ones((len(prompts), len(labels)))
    for row, prompt in enumerate(prompts):
        alone = reads(prompt, add_special_tokens=False)["input_ids"]
        whole = [reads(prompt + label, add_special_tokens=False)["input_ids"] for label in labels]
        start = min(common(alone, one) for one in whole)
        for column, ids in enumerate(whole):
            for place in range(start, len(ids)):
                with torch.no_grad():
                    logits = model(input_ids=torch.tensor([[*opening, *ids[:place]]]), use_cache=False).logits[0, -1]
                masses[row, column] *= float(torch.softmax(logits.double(), dim=-1)[ids[place]])
    return masses


PROMPTS = [PREFIX + ending for ending in ENDINGS]


def check_by_brute_force(folder: Path, labels: Sequence[str]) -> None:
    expected = by_brute_force(folder, PROMPTS, labels)
    for settings in ({"at_once": 1, "prefix_cache": False}, {"at_once": 3}, {"at_once": 16}):
        found = CausalModel(str(folder), device="cpu", **settings).masses(PREFIX, ENDINGS, labels)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (expected.std(axis=0) / expected.mean(axis=0)).min() > 0.1  # or the prompts would not have mattered


class TestMasses:
    @pytest.mark.parametrize("kind", COMMON)
    @pytest.mark.parametrize("labels", [DIGITS, WORDS], ids=["digits", "words"])
    def test_they_are_those_of_a_full_softmax(self, models: Path, kind: str, labels: tuple[str, ...]) -> None:
        check_by_brute_force(models / kind, labels)

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", RARER)
    def test_they_are_so_for_models_of_other_kinds(self, tmp_path: Path, kind: str) -> None:
        build(tmp_path, kind)
        check_by_brute_force(tmp_path, DIGITS)
        check_by_brute_force(tmp_path, WORDS)

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", RARER)
    def test_what_cannot_be_gone_on_from_is_computed_again(self, tmp_path: Path, kind: str) -> None:
        model = CausalModel(str(build(tmp_path, kind)), device="cpu")
        model.masses(PREFIX, ENDINGS, DIGITS)
        (computed,) = model._kept.values()
        assert bool(computed.tokens) == (kind != "mamba")
        assert computed.beside == (kind in BESIDE)

    def test_labels_of_several_tokens_share_the_lines_that_they_can(
        self, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model = CausalModel(str(models / "gpt2"), device="cpu")
        model.masses(PREFIX, ENDINGS, DIGITS)  # from here on it knows how to go on from the beginning
        lines: list[int] = []
        run = CausalModel._run

        def counted(self: CausalModel, device: Any, made: Any, computed: Any, rows: Any) -> Any:
            lines.append(len(rows))
            return run(self, device, made, computed, rows)

        monkeypatch.setattr(CausalModel, "_run", counted)
        model.masses(PREFIX, ENDINGS, DIGITS)
        assert sum(lines) == len(ENDINGS)  # the labels are single tokens: one line says all
        lines.clear()
        model.masses(PREFIX, ENDINGS, WORDS)
        assert len(ENDINGS) < sum(lines) <= len(ENDINGS) * len(WORDS)

    def test_a_space_that_is_a_token_stays_with_the_prompt(self, models: Path) -> None:
        pieces = CausalModel(str(models / "digits"), device="cpu").tokenise("Anger: 2")
        assert pieces[-2:] == ["Ġ", "2"]
        expected = by_brute_force(models / "digits", PROMPTS, DIGITS)
        found = CausalModel(str(models / "digits"), device="cpu").masses(PREFIX, ENDINGS, DIGITS)
        np.testing.assert_allclose(found, expected, rtol=1e-5)

    def test_a_space_that_joins_the_label_goes_with_it(self, models: Path) -> None:
        model = CausalModel(str(models / "llama"), device="cpu")
        assert model.tokenise("Anger: 2")[-1] == "Ġ2"
        with_space = model.masses(PREFIX, ENDINGS, DIGITS)
        moved = model.masses(PREFIX, [ending.rstrip() for ending in ENDINGS], [f" {label}" for label in DIGITS])
        np.testing.assert_allclose(with_space, moved, rtol=1e-5)

    def test_the_token_that_opens_a_text_is_there_and_the_one_that_ends_it_is_not(self, models: Path) -> None:
        expected = by_brute_force(models / "opening", PROMPTS, WORDS, opening=[0])
        found = CausalModel(str(models / "opening"), device="cpu").masses(PREFIX, ENDINGS, WORDS)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        assert not np.allclose(expected, by_brute_force(models / "opening", PROMPTS, WORDS), rtol=1e-3)

    def test_they_leave_the_rest_of_the_vocabulary_its_share(self, models: Path) -> None:
        found = CausalModel(str(models / "gpt2"), device="cpu").masses(PREFIX, ENDINGS, DIGITS)
        assert (found > 0).all()
        assert (found.sum(axis=1) < 0.9).all()

    def test_prompts_may_share_nothing_or_everything(self, models: Path) -> None:
        model = CausalModel(str(models / "gpt2"), device="cpu")
        expected = by_brute_force(models / "gpt2", PROMPTS, DIGITS)
        np.testing.assert_allclose(model.masses("", PROMPTS, DIGITS), expected, rtol=1e-5)
        whole = model.masses(PROMPTS[0], ["", ""], DIGITS)
        np.testing.assert_allclose(whole, expected[[0, 0]], rtol=1e-5)
        assert model.masses(PREFIX, [], DIGITS).shape == (0, 5)

    def test_a_prefix_whose_last_piece_joins_the_ending(self, models: Path) -> None:
        """Cut within a word: the pieces of the prefix alone are not those of the prompts."""
        cut = PREFIX + "Ebo"
        endings = ["ny feels sad.\nAnger: ", "ny is sad.\nAnger: "]
        expected = by_brute_force(models / "llama", [cut + ending for ending in endings], DIGITS)
        found = CausalModel(str(models / "llama"), device="cpu").masses(cut, endings, DIGITS)
        np.testing.assert_allclose(found, expected, rtol=1e-5)


class TestPrefix:
    @staticmethod
    def widths(model: CausalModel) -> list[int]:
        """How many tokens each run through the model reads."""
        seen: list[int] = []
        forward = model._transformer.model.forward

        def counting(*args: Any, **given: Any) -> Any:
            seen.append(given["input_ids"].shape[1])
            return forward(*args, **given)

        model._transformer.model.forward = counting
        return seen

    def test_it_is_computed_once(self, models: Path) -> None:
        model = CausalModel(str(models / "gpt2"), device="cpu")
        length = len(model._tokens(PREFIX))
        seen = self.widths(model)
        model.masses(PREFIX, ENDINGS, DIGITS)
        model.masses(PREFIX, ENDINGS[:2], DIGITS)
        assert [width for width in seen if width >= length - 1] == [seen[0]]
        assert seen[1:3] == [room.TRIED] * 2  # from a copy of it, and beside it
        assert len(seen) == 5

    @pytest.mark.parametrize("kind", COMMON)
    def test_prompts_go_on_beside_it(self, models: Path, kind: str) -> None:
        model = CausalModel(str(models / kind), device="cpu")
        model.masses(PREFIX, ENDINGS, DIGITS)
        assert [computed.beside for computed in model._kept.values()] == [True]

    @pytest.mark.parametrize("kind", COMMON)
    def test_from_a_copy_of_it_prompts_say_the_same(
        self, models: Path, monkeypatch: pytest.MonkeyPatch, kind: str
    ) -> None:
        found = CausalModel(str(models / kind), device="cpu").masses(PREFIX, ENDINGS, WORDS)
        monkeypatch.setattr(room, "looks_plain", lambda _: False)
        copied = CausalModel(str(models / kind), device="cpu")
        np.testing.assert_allclose(copied.masses(PREFIX, ENDINGS, WORDS), found, rtol=1e-5)
        assert [computed.beside for computed in copied._kept.values()] == [False]

    @pytest.mark.parametrize("broken", ["_part", "_attend"])
    def test_a_model_that_says_otherwise_beside_it_gets_copies(
        self, models: Path, monkeypatch: pytest.MonkeyPatch, broken: str
    ) -> None:
        """Attention that overlooks the beginning, and one that does not work at all."""
        part = beside._part

        def overlooked(*given: Any, causal: bool, scale: float) -> Any:
            attended, weight = part(*given, causal=causal, scale=scale)
            return attended, weight if causal else weight - 30.0

        def refused(*_: object, **__: object) -> Any:
            raise NotImplementedError("attention of its own")

        expected = by_brute_force(models / "llama", PROMPTS, DIGITS)
        monkeypatch.setattr(beside, broken, overlooked if broken == "_part" else refused)
        model = CausalModel(str(models / "llama"), device="cpu")
        np.testing.assert_allclose(model.masses(PREFIX, ENDINGS, DIGITS), expected, rtol=1e-5)
        assert [computed.beside for computed in model._kept.values()] == [False]

    def test_it_may_be_switched_off(self, models: Path) -> None:
        model = CausalModel(str(models / "gpt2"), device="cpu", prefix_cache=False)
        seen = self.widths(model)
        model.masses(PREFIX, ENDINGS, DIGITS)
        assert seen == [max(len(model._tokens(prompt)) for prompt in PROMPTS) - 1]  # less the space that joins

    def test_only_a_few_are_kept(self, models: Path) -> None:
        model = CausalModel(str(models / "gpt2"), device="cpu")
        for number in range(room.PREFIXES + 3):
            model.masses(f"{number} {PREFIX}", ENDINGS[:1], DIGITS)
        assert len(model._kept) == room.PREFIXES
        assert next(reversed(model._kept))[1][0] == model._tokens(f"{room.PREFIXES + 2} ")[0]

    def test_what_is_computed_is_not_changed_by_those_who_use_it(self, models: Path) -> None:
        model = CausalModel(str(models / "llama"), device="cpu")
        first = model.masses(PREFIX, ENDINGS, WORDS)
        np.testing.assert_array_equal(model.masses(PREFIX, ENDINGS, WORDS), first)


class TestSpeed:
    def test_prompts_of_like_length_go_together_as_far_as_there_is_room(
        self, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model = CausalModel(str(models / "llama"), device="cpu")
        seen = self.shapes(model)
        whole = model.masses(PREFIX, ENDINGS, DIGITS)
        assert [rows for rows, _ in seen] == [
            1,
            2,
            2,
            len(ENDINGS),
        ]  # what all share, two ways to go on, and then the rest
        seen.clear()
        monkeypatch.setattr(room, "ROOM", 20)
        parts = model.masses(PREFIX, ENDINGS, DIGITS)
        assert len(seen) > 1
        assert all(rows * width <= 20 or rows == 1 for rows, width in seen)
        assert [width for _, width in seen] == sorted(width for _, width in seen)
        np.testing.assert_allclose(parts, whole, rtol=1e-5)

    def test_what_the_common_beginning_takes_for_each_prompt_is_counted(
        self, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(room, "looks_plain", lambda _: False)  # or prompts would need no copies of it
        model = CausalModel(str(models / "llama"), device="cpu")
        whole = model.masses(PREFIX, ENDINGS, DIGITS)
        (computed,) = model._kept.values()
        assert computed.bytes_a_token == 2 * 2 * 2 * 8 * 4  # layers, keys and values, heads, their size, bytes
        longest = max(len(model._tokens(prompt)) for prompt in PROMPTS)
        monkeypatch.setattr(room, "KEPT", int(2.5 * longest * computed.bytes_a_token))
        seen = self.shapes(model)
        parts = model.masses(PREFIX, ENDINGS, DIGITS)
        assert max(rows for rows, _ in seen) == 2
        np.testing.assert_allclose(parts, whole, rtol=1e-5)

    @pytest.mark.parametrize("on_gpu", [False, True])
    def test_what_is_expected_is_cut_up_beforehand_and_once(
        self, models: Path, monkeypatch: pytest.MonkeyPatch, on_gpu: bool
    ) -> None:
        model = CausalModel(str(models / "gpt2"), device="cpu")
        model._on_gpu = on_gpu
        plain = model.masses(PREFIX, ENDINGS, DIGITS)
        calls: list[int] = []
        cut = CausalModel._cut
        monkeypatch.setattr(CausalModel, "_cut", lambda self, *how: (calls.append(len(how[1])), cut(self, *how))[1])
        reads = (PREFIX, tuple(ENDINGS), DIGITS)
        model.expect([reads])
        model.expect([reads, (PREFIX, ("Oh!\nAnger: ",), DIGITS)])
        np.testing.assert_array_equal(model.masses(*reads), plain)
        if not on_gpu:
            model._thread.submit(int).result()
        assert sorted(calls) == [1, len(ENDINGS)]  # also what comes next

    def test_what_is_wrong_with_prompts_that_come_later_does_not_matter_now(self, models: Path) -> None:
        model = CausalModel(str(models / "gpt2"), device="cpu")
        model._on_gpu = True  # where prompts are cut up in between
        plain = model.masses(PREFIX, ENDINGS, DIGITS)
        now, later = (PREFIX, tuple(ENDINGS), DIGITS), (PREFIX, ("Oh! " * LIMIT,), DIGITS)
        model.expect([now, later])
        np.testing.assert_array_equal(model.masses(*now), plain)
        with pytest.raises(EvenhandError, match="tokens at most"):
            model.masses(*later)

    def test_models_that_know_no_places_say_the_same(self, models: Path) -> None:
        model = CausalModel(str(models / "llama"), device="cpu")
        whole = model.masses(PREFIX, ENDINGS, WORDS)
        for takes in (False, True):
            model._takes_places, model._takes_keep = False, takes
            np.testing.assert_allclose(model.masses(PREFIX, ENDINGS, WORDS), whole, rtol=1e-6)

    def test_several_devices_share_the_prompts(self, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        one = CausalModel(str(models / "llama"), device="cpu", at_once=2)
        two = CausalModel(str(models / "llama"), device="cpu,cpu", at_once=2)
        assert len(two._transformer.models) == 2
        run, busy = CausalModel._run, threading.Lock()

        def alone(*given: Any) -> Any:
            assert busy.acquire(blocking=False)  # on processors there is one model, and one attention of it
            try:
                time.sleep(0.01)
                return run(*given)
            finally:
                busy.release()

        monkeypatch.setattr(CausalModel, "_run", alone)
        np.testing.assert_array_equal(two.masses(PREFIX, ENDINGS, DIGITS), one.masses(PREFIX, ENDINGS, DIGITS))
        assert two._transformer.model.config._attn_implementation != beside.NAME

    def test_half_precision_is_measured_and_told(self, models: Path) -> None:
        exact = CausalModel(str(models / "llama"), device="cpu")
        assert exact.remarks() == ()
        half = CausalModel(str(models / "llama"), device="cpu", precision="bfloat16")
        off = np.abs(half.masses(PREFIX, ENDINGS, DIGITS) - exact.masses(PREFIX, ENDINGS, DIGITS)).max()
        assert off > 0
        said = "it ran in bfloat16: probabilities differ from those in float32 by up to"
        assert half.remarks() == (f"{said} {off:.2g}, as measured on 5 prompts",)
        assert half.fingerprint != exact.fingerprint

    def test_where_single_precision_does_not_fit_that_is_told(
        self, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        half = CausalModel(str(models / "llama"), device="cpu", precision="bfloat16")

        def full(*_: object) -> None:
            raise torch.cuda.OutOfMemoryError

        monkeypatch.setattr(room, "_loaded", full)
        assert np.isfinite(half.masses(PREFIX, ENDINGS, DIGITS)).all()
        assert "was not measured, as there is no room for it in float32" in half.remarks()[0]

    @staticmethod
    def shapes(model: CausalModel) -> list[tuple[int, int]]:
        """How many prompts each run through the model reads, and how many tokens of each."""
        seen: list[tuple[int, int]] = []
        forward = model._transformer.model.forward

        def counting(*args: Any, **given: Any) -> Any:
            seen.append(tuple(given["input_ids"].shape))
            return forward(*args, **given)

        model._transformer.model.forward = counting
        return seen


class TestBadInput:
    def test_a_prompt_that_is_too_long_says_both_numbers(self, models: Path) -> None:
        model = CausalModel(str(models / "gpt2"), device="cpu")
        long = "sad " * LIMIT + "\nAnger: "
        tokens = len(model._tokens(PREFIX + long + "1"))
        with pytest.raises(EvenhandError) as caught:
            model.masses(PREFIX, [ENDINGS[0], long], DIGITS)
        assert f"reads 96 tokens at most, and the prompt with its label has {tokens}" in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_the_longest_prompt_that_fits_is_answered(self, models: Path) -> None:
        model = CausalModel(str(models / "gpt2"), device="cpu")
        ending = "\nAnger: "
        while len(model._tokens(PREFIX + ending + "1")) < LIMIT:
            ending = "!" + ending
        assert np.isfinite(model.masses(PREFIX, [ending], DIGITS)).all()
        with pytest.raises(EvenhandError, match="has 97"):
            model.masses(PREFIX, ["!" + ending], DIGITS)

    def test_a_label_that_begins_another_is_refused(self, models: Path) -> None:
        assert CausalModel(str(models / "digits"), device="cpu").tokenise("10") == ["1", "0"]
        with pytest.raises(UsageError, match="the label '1' is how the label '10' begins"):
            CausalModel(str(models / "digits"), device="cpu").masses(PREFIX, ENDINGS, ("1", "5", "10"))

    def test_no_prompt(self, models: Path) -> None:
        with pytest.raises(UsageError, match="there is no prompt before the labels"):
            CausalModel(str(models / "gpt2"), device="cpu").masses("", [" "], DIGITS)

    def test_a_model_that_does_not_generate(self, tmp_path: Path) -> None:
        config = transformers.DistilBertConfig(vocab_size=50, dim=32, n_layers=1, n_heads=4, hidden_dim=32)
        with quiet():
            transformers.DistilBertForMaskedLM(config).save_pretrained(tmp_path)
            tokeniser(digits_alone=False, opening=False).save_pretrained(tmp_path)
        with pytest.raises(EvenhandError, match=f"{tmp_path} cannot be loaded: ValueError: Unrecognized configuration"):
            CausalModel(str(tmp_path))

    def test_weights_that_are_cut_short(self, models: Path, tmp_path: Path) -> None:
        shutil.copytree(models / "gpt2", tmp_path / "cut")
        weights = tmp_path / "cut" / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1000])
        with pytest.raises(EvenhandError) as caught:
            CausalModel(str(tmp_path / "cut"))
        assert str(caught.value).startswith(f"{tmp_path / 'cut'} cannot be loaded: ")
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"at_once": 0}, "at_once must be 1 or more, not 0"),
            ({"device": "gpu"}, "device 'gpu' cannot be used here; did you mean 'cpu'"),
            ({"ask": "anger?"}, "has no such question"),
            ({"read": "mean"}, "there is no such reading"),
            ({"task": "nowhere.yaml"}, "no such file: nowhere.yaml"),
        ],
    )
    def test_settings_that_make_no_sense(
        self, models: Path, corpus: Corpus, settings: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(UsageError, match=message.replace("?", r"\?")):
            build_system("hf-causal", str(models / "gpt2"), corpus=corpus, **{"ask": "anger", **settings})


class TestIdentity:
    def test_it_is_a_label_model(self, models: Path) -> None:
        model = CausalModel(str(models / "gpt2"))
        assert isinstance(model, LabelModel)
        assert model.name == f"hf-causal:{models / 'gpt2'}"

    def test_the_fingerprint_is_of_all_that_answers_depend_on(self, models: Path, tmp_path: Path) -> None:
        def mark(folder: Path, **settings: Any) -> str | None:
            return CausalModel(str(folder), device="cpu", **settings).fingerprint

        first = mark(models / "gpt2")
        assert first == mark(models / "gpt2")
        build(tmp_path / "other", "gpt2", digits_alone=True)
        others = {
            mark(models / "llama"),
            mark(tmp_path / "other"),
            mark(models / "gpt2", prefix_cache=False),
            mark(models / "gpt2", at_once=2),
        }
        assert len(others | {first}) == 5


class TestInUse:
    def test_people_type_it(self, models: Path, corpus: Corpus, tmp_path: Path) -> None:
        spec = f"hf-causal:{models / 'llama'}"
        path = tmp_path / "mine.yaml"
        path.write_text(f"system: {spec}\nname: mine\nsettings: {{ask: anger, read: distribution, device: cpu}}\n")
        system = resolve(str(path), corpus)
        assert isinstance(system, FewShot)
        assert isinstance(system, Scorer)
        assert (system.name, len(system.outputs)) == ("mine", 5)

    @pytest.mark.slow
    def test_an_audit_from_beginning_to_end(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        """On a model with room for the packaged task; as it is random, most of its mass lies outside the labels."""
        big = KINDS["llama"]
        reads = tokeniser(digits_alone=True, opening=False)
        config = big(len(reads))
        config.max_position_embeddings = 4096
        torch.manual_seed(0)
        with quiet():
            transformers.AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path / "model")
            reads.save_pretrained(tmp_path / "model")
        with caplog.at_level(logging.WARNING):
            report = evenhand.audit(
                f"hf-causal:{tmp_path / 'model'}", attributes=["gender"], sample=120, progress=False
            )
        assert report.findings[0].system == f"hf-causal:{tmp_path / 'model'}"
        assert "mostly it means to say something else" in caplog.text

    def test_a_run_that_was_killed_goes_on(
        self, models: Path, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = tmp_path / "task.yaml"
        task.write_text(
            'name: tiny\ninstruction: "Rate."\nshot: "Text: {text}\\nAnger: {label}"\n'
            "labels: {1: 1, 2: 2}\nquestions: {anger: {examples: [{text: No., label: 1}]}}\n"
        )

        def made() -> Any:
            system = build_system("hf-causal", str(models / "gpt2"), corpus=corpus, task=str(task), device="cpu")
            system.inner.model.batch_size = 2  # type: ignore[attr-defined]
            return system

        whole = score([made()], corpus, cache=tmp_path / "one").matrix
        calls: list[int] = []
        masses = CausalModel.masses

        def killed(self: CausalModel, prefix: str, endings: Sequence[str], labels: Sequence[str]) -> Array:
            calls.append(len(endings))
            if len(calls) == 3:
                raise KeyboardInterrupt
            return masses(self, prefix, endings, labels)

        monkeypatch.setattr(CausalModel, "masses", killed)
        with pytest.raises(KeyboardInterrupt):
            score([made()], corpus, cache=tmp_path / "two")
        resumed = score([made()], corpus, cache=tmp_path / "two").matrix
        assert len(calls) == 2 + 1 + 3
        np.testing.assert_array_equal(resumed, whole)

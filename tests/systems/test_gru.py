"""Word vectors and a gated recurrent network: what it learns, that it learns the same again, and what it is asked."""

from __future__ import annotations

import hashlib
import inspect
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import evenhand
from evenhand.cli import train as cli
from evenhand.errors import EvenhandError, UsageError
from evenhand.systems import Output, Scorer
from evenhand.systems.trained.gru import Gru, read_gru
from evenhand.systems.trained.gru_card import GruCard, GruSettings, gru_settings
from evenhand.systems.trained.gru_network import LONGEST, logits, numbered
from evenhand.systems.training.gru import train_gru
from evenhand.systems.training.lesson import Lesson

INTENSITY = {"calm": 0.1, "fine": 0.2, "annoyed": 0.5, "irritated": 0.6, "angry": 0.8, "furious": 0.9}
OTHERS = ["today", "really", "lunch", "was", "late", "again", "and", "the", "train", "who", "knows", "why"]
TEXTS = ["The train was late, and who was furious?", "Angry.", "Ebony", "", "calm " * 300, "Tia and Adam: 😡 fine"]
QUICK = gru_settings(epochs=12, learning_rate=0.01, embedding_size=16, hidden_size=16, dropout=0.1)


def lesson(count: int, seed: int, *, dimension: str = "anger", classes: bool = False) -> Lesson:
    """Sentences in which one word carries a planted intensity; as classes, those of 0, 1, 2 and 3 that are nearest."""
    draw = np.random.default_rng(seed)
    chosen = draw.choice(list(INTENSITY), count)
    texts = tuple(" ".join(draw.permutation([*draw.choice(OTHERS, 4, replace=False), word])) for word in chosen)
    scores = np.array([INTENSITY[word] for word in chosen])
    scores = np.round(scores * 3) / 3 if classes else scores + draw.normal(0, 0.02, count)
    high = 3.0 if classes else 1.0
    return Lesson(texts, scores, f"{seed}.txt", str(seed), dimension, high=high)


def trained(out: Path, *, settings: GruSettings = QUICK, dimension: str = "anger", classes: bool = False) -> GruCard:
    learn, develop, test = (
        lesson(count, seed, dimension=dimension, classes=classes) for seed, count in enumerate((300, 60, 80))
    )
    return train_gru(out, learn, development=develop, test=test, settings=settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gru")
    trained(folder)
    return folder


@pytest.fixture(scope="module")
def ordinal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ordinal")
    trained(folder, settings=QUICK.model_copy(update={"target": "ordinal", "epochs": 30}), classes=True)
    return folder


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    shutil.copytree(folder, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    yield
    torch.set_num_threads(before)


class TestTraining:
    def test_planted_intensities_are_recovered(self, folder: Path) -> None:
        card = read_gru(folder / "anger.gru.json").card
        assert card.quality.pearson is not None
        assert card.quality.pearson > 0.95
        assert (card.quality.n, card.quality.how) == (80, "on 2.txt")
        scores = Gru(str(folder)).score([f"the train was {word} again" for word in INTENSITY])[:, 0]
        np.testing.assert_allclose(scores, list(INTENSITY.values()), atol=0.15)

    def test_the_card_tells_what_was_trained_and_how(self, folder: Path) -> None:
        card = read_gru(folder / "anger.gru.json").card
        assert sorted(path.name for path in folder.iterdir()) == ["anger.gru.json", "anger.gru.safetensors"]
        assert card.words == tuple(sorted({*INTENSITY, *OTHERS}))
        assert card.settings == QUICK
        assert (card.data, card.data_sha256) == ("0.txt", "0")
        assert (card.development, card.development_sha256) == ("1.txt", "1")
        assert card.epochs == 12
        assert {"torch", "safetensors", "evenhand"} <= set(card.versions)

    @pytest.mark.usefixtures("threads")
    def test_training_again_gives_the_same_bytes_on_any_number_of_threads(self, folder: Path, tmp_path: Path) -> None:
        torch.rand(7)  # what others drew before does not matter
        state = torch.random.get_rng_state()
        trained(tmp_path)
        for name in ("anger.gru.json", "anger.gru.safetensors"):
            assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
        assert torch.equal(torch.random.get_rng_state(), state)

    def test_another_seed_gives_another_model(self, folder: Path, tmp_path: Path) -> None:
        other = trained(tmp_path, settings=QUICK.model_copy(update={"seed": 1, "epochs": 1}))
        one = trained(tmp_path, settings=QUICK.model_copy(update={"epochs": 1}))
        assert other.weights_sha256 != one.weights_sha256

    def test_it_stops_early_and_keeps_the_best_epoch(self, tmp_path: Path) -> None:
        """Scores of the development texts are upside down: the more it learns, the worse they are predicted."""
        learn, develop = lesson(200, 0), lesson(50, 1)
        against = Lesson(develop.texts, 1 - develop.scores, "against", "", "anger")
        settings = QUICK.model_copy(update={"patience": 3})
        card = train_gru(tmp_path / "a", learn, development=against, settings=settings)
        assert card.epochs == card.best_epoch + 3 < 12
        short = settings.model_copy(update={"epochs": card.best_epoch})
        again = train_gru(tmp_path / "b", learn, development=against, settings=short)
        assert again.weights_sha256 == card.weights_sha256

    def test_without_a_test_file_the_development_file_tells_the_quality(self, tmp_path: Path) -> None:
        settings = QUICK.model_copy(update={"epochs": 1})
        quality = train_gru(tmp_path, lesson(60, 0), development=lesson(20, 1), settings=settings).quality
        assert (quality.n, quality.how) == (20, "on the development file, which also chose the epoch")

    def test_progress_is_counted_in_texts(self, tmp_path: Path) -> None:
        counted: list[int] = []
        most: list[int] = []

        def start(total: int) -> object:
            most.append(total)
            return counted.append

        settings = QUICK.model_copy(update={"epochs": 2})
        train_gru(tmp_path, lesson(50, 0), development=lesson(20, 1), settings=settings, start=start)  # type: ignore[arg-type]
        assert most == [100]
        assert counted == [32, 18, 32, 18]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"target": "ordinal"}, "300 different scores are too many for classes .*; use regression"),
            ({"min_count": 1000}, "no word occurs 1000 times in the training texts; lower the minimum count"),
        ],
    )
    def test_what_cannot_be_learned_is_refused(self, tmp_path: Path, change: dict[str, object], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            trained(tmp_path, settings=QUICK.model_copy(update=change))
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"epochs": 0}, "epochs must be greater than or equal to 1, not 0"),
            ({"learning_rate": float("nan")}, "learning rate must be .*, not nan"),
            ({"batch_size": 10**20}, "batch size must be less than or equal to 1000000000"),
            ({"target": "rank"}, "target must be 'regression' or 'ordinal', not 'rank'"),
        ],
    )
    def test_settings_that_cannot_be_are_refused(self, given: dict[str, object], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            gru_settings(**given)

    def test_the_command_line_has_the_same_settings(self) -> None:
        options = {name: option.default for name, option in inspect.signature(cli.gru).parameters.items()}
        settings = GruSettings().model_dump()
        assert set(settings) - set(options) == {"unknown_share"}
        assert {name: options[name] for name in settings if name in options} == {
            name: value for name, value in settings.items() if name in options
        }


class TestOrdinal:
    def test_the_score_is_the_expected_class(self, ordinal: Path) -> None:
        model = read_gru(ordinal / "anger.gru.json")
        assert model.card.classes == (0, 1, 2, 3)
        assert model.output == Output("anger", low=0, high=3, kind="ordinal", high_is="bad")
        assert model.card.quality.pearson is not None
        assert model.card.quality.pearson > 0.9
        text = "the train was angry again"
        above = torch.sigmoid(logits(model.network, numbered([text], model.card.words))[0]).detach()
        assert model.score([text])[0] == pytest.approx(float(above.sum()), abs=1e-6)
        calm, angry = model.score(["the train was calm", text])
        assert 0 <= calm < 0.6 < 1.7 < angry <= 3

    def test_classes_need_not_be_evenly_spaced_or_reach_the_ends(self, tmp_path: Path) -> None:
        """Classes 2, 3 and 7 on a scale from 1 to 9."""
        draw = np.random.default_rng(0)
        values = draw.choice([2, 3, 7], 60)
        taught = Lesson(tuple(f"w{v} and so" for v in values), (values - 1) / 8, "c", "", "joy", low=1.0, high=9.0)
        settings = QUICK.model_copy(update={"target": "ordinal", "epochs": 150, "dropout": 0.0, "unknown_share": 0.0})
        assert train_gru(tmp_path, taught, development=taught, settings=settings).classes == (2, 3, 7)
        system = Gru(str(tmp_path))
        assert (system.outputs[0].low, system.outputs[0].high) == (1, 9)
        scores = system.score(["w2 and so", "w3 and so", "w7 and so"])[:, 0]
        np.testing.assert_allclose(scores, [2, 3, 7], atol=0.5)


class TestAsASystem:
    def test_it_is_a_scorer_from_0_to_1(self, folder: Path) -> None:
        system = Gru(str(folder))
        assert isinstance(system, Scorer)
        assert system.outputs == (Output("anger", high_is="bad"),)
        scores = system.score(TEXTS)
        assert scores.shape == (6, 1)
        assert ((scores >= 0) & (scores <= 1)).all()
        assert system.score([]).shape == (0, 1)
        assert Gru(str(folder / "anger.gru.json")).fingerprint == system.fingerprint

    @pytest.mark.usefixtures("threads")
    def test_answers_depend_on_neither_batch_nor_order_to_the_last_bit(self, folder: Path) -> None:
        system = Gru(str(folder))
        together = system.score(TEXTS)
        np.testing.assert_array_equal(together, system.score(TEXTS[::-1])[::-1])
        np.testing.assert_array_equal(together, np.vstack([system.score([text]) for text in TEXTS]))

    def test_in_a_batch_padding_is_not_seen(self, folder: Path) -> None:
        """As in training, where texts of all lengths share one."""
        model = read_gru(folder / "anger.gru.json")
        texts = numbered(TEXTS, model.card.words)
        with torch.inference_mode():
            together = logits(model.network.eval(), texts)
            alone = torch.cat([logits(model.network, [text]) for text in texts])
        torch.testing.assert_close(together, alone, atol=1e-6, rtol=0)

    def test_names_that_it_does_not_know_get_the_same_score(self, folder: Path) -> None:
        ebony, adam = Gru(str(folder)).score(["Ebony was angry", "Adam was angry"])
        assert ebony == adam

    def test_long_texts_are_cut(self, folder: Path) -> None:
        long, cut = Gru(str(folder)).score(["calm " * LONGEST + "furious", "calm " * LONGEST])
        assert long == cut

    def test_folders_of_folders_have_an_output_per_model_in_the_usual_order(
        self, folder: Path, ordinal: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(ordinal, tmp_path / "a")
        shutil.copytree(folder, tmp_path / "b")
        with pytest.raises(UsageError, match="are both models of anger; name one, or move one away"):
            Gru(str(tmp_path))
        for dimension, place in (("valence", "a"), ("joy", "b")):
            path = tmp_path / place / "anger.gru.json"
            path.write_text(json.dumps(json.loads(path.read_text()) | {"dimension": dimension}))
        system = Gru(str(tmp_path))
        assert [(output.name, output.high) for output in system.outputs] == [("joy", 1), ("valence", 3)]
        columns = np.hstack([Gru(str(one)).score(TEXTS) for one in (folder, ordinal)])
        np.testing.assert_array_equal(system.score(TEXTS), columns)

    def test_it_is_audited(self, folder: Path) -> None:
        report = evenhand.audit(f"gru:{folder}", sample=240, progress=False)
        race = next(finding for finding in report.findings if finding.attribute == "race")
        assert race.mean_difference == 0  # it knows no names

    def test_the_fingerprint_follows_what_was_learned(self, folder: Path, ordinal: Path, copy: Path) -> None:
        assert Gru(str(copy)).fingerprint == Gru(str(folder)).fingerprint
        assert Gru(str(ordinal)).fingerprint != Gru(str(folder)).fingerprint

    def test_weights_that_were_changed_are_refused(self, copy: Path) -> None:
        weights = copy / "anger.gru.safetensors"
        weights.write_bytes(weights.read_bytes() + b" ")
        with pytest.raises(
            EvenhandError, match=r"anger\.gru\.safetensors is not the file that anger\.gru\.json speaks"
        ):
            Gru(str(copy))
        weights.unlink()
        with pytest.raises(UsageError, match=r"no such file: .*anger\.gru\.safetensors"):
            Gru(str(copy))

    def test_weights_of_another_shape_are_refused(self, copy: Path) -> None:
        weights, card = copy / "anger.gru.safetensors", copy / "anger.gru.json"
        tensors = load_file(weights)
        save_file(tensors | {"state.weight": torch.zeros(1, 3)}, weights)
        content = json.loads(card.read_text()) | {"weights_sha256": hashlib.sha256(weights.read_bytes()).hexdigest()}
        card.write_text(json.dumps(content))
        with pytest.raises(EvenhandError, match=r"anger\.gru\.safetensors cannot be used \(RuntimeError: .*train it"):
            Gru(str(copy))

    def test_a_card_that_cannot_be_read_is_refused(self, copy: Path) -> None:
        (copy / "anger.gru.json").write_text("{}")
        with pytest.raises(
            EvenhandError, match=r"anger\.gru\.json: dimension: Field required \(and 14 more\); train it again"
        ):
            Gru(str(copy))
        (copy / "anger.gru.json").unlink()
        told = r"holds no trained model \(\*\.gru\.json\); make one: evenhand train gru --train FILE --dev FILE --dim"
        with pytest.raises(UsageError, match=told):
            Gru(str(copy))

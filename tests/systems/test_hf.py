"""Transformers that classify or rate text: real ones, built small from a configuration and saved to a folder."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
import torch
import transformers

import evenhand
from evenhand.asking import score
from evenhand.corpora import eec
from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.specs.resolving import resolve
from evenhand.systems import Array, Output, Scorer, as_scorer
from evenhand.systems.transformers import transformer as room
from evenhand.systems.transformers.checkpoint import quiet
from evenhand.systems.transformers.hf import HuggingFace
from evenhand.systems.transformers.packed import pack

ROOT = Path(__file__).parents[2]

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    ".",
    ",",
    "a",
    "an",
    "the",
    "feels",
    "felt",
    "feel",
    "made",
    "me",
    "this",
    "is",
    "my",
    "i",
    "he",
    "she",
    "her",
    "him",
    "they",
    "ebony",
    "el",
    "##len",
    "ja",
    "##mel",
    "##in",
    "tia",
    "dad",
    "mom",
    "sad",
    "glad",
    "angry",
    "happy",
    "joy",
    "fear",
    "wonderful",
    "terrible",
    "day",
    "##s",
    "##y",
    "##ed",
    "man",
    "woman",
]
LIMIT = 24
TEXTS = [
    "Ebony feels sad.", "Ellen feels glad.", "My dad is angry, happy, sad, glad, angry, happy and sad.", "Joy.", "",
    "The man made me feel fear this day, a wonderful day, a terrible day.", "She is sad.", "Jamel feels sad.",
]  # fmt: skip


def build(folder: Path, count: int, *, seed: int = 0, **settings: Any) -> Path:
    """A DistilBERT of two small layers with random weights, and a tokeniser of forty word pieces."""
    config = transformers.DistilBertConfig(
        vocab_size=len(WORDS), dim=32, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=LIMIT,
        initializer_range=0.2, num_labels=count, **settings,
    )  # fmt: skip
    torch.manual_seed(seed)
    with quiet():
        transformers.DistilBertForSequenceClassification(config).save_pretrained(folder)
        vocabulary = {word: place for place, word in enumerate(WORDS)}
        transformers.BertTokenizerFast(vocab=vocabulary, model_max_length=LIMIT).save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Workers of a test run share the cores; threads of theirs would wait for each other most of the time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder per kind of model."""
    base = tmp_path_factory.mktemp("models")
    build(base / "two", 2, id2label={0: "NEGATIVE", 1: "POSITIVE"})
    build(base / "three", 3, id2label={0: "1 star", 1: "2 stars", 2: "3 stars"})
    build(base / "rating", 1)
    build(base / "affects", 2, id2label={0: "valence", 1: "arousal"}, problem_type="regression")
    build(base / "many", 3, id2label={0: "anger", 1: "fear", 2: "joy"}, problem_type="multi_label_classification")
    return base


@pytest.fixture
def copy(models: Path, tmp_path: Path) -> Path:
    """A folder of a two-label model to damage."""
    shutil.copytree(models / "two", tmp_path / "copy")
    return tmp_path / "copy"


def plain_logits(folder: Path, texts: list[str]) -> Array:
    """What transformers itself says, one text at a time."""
    with quiet():
        model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
        tokeniser = transformers.AutoTokenizer.from_pretrained(folder)
    rows = []
    for text in texts:
        given = tokeniser(text, return_tensors="pt", truncation=True)
        with torch.no_grad():
            outcome = model(input_ids=given["input_ids"], attention_mask=given["attention_mask"])
        rows.append(outcome.logits[0].double().numpy())
    return np.array(rows)


def softmax(logits: Array) -> Array:
    powers: Array = np.exp(logits)
    return powers / powers.sum(axis=1, keepdims=True)


def sigmoid(logits: Array) -> Array:
    return 1 / (1 + np.exp(-logits))


class TestWhatItAnswers:
    def test_of_two_labels_the_probability_of_the_second(self, models: Path) -> None:
        system = HuggingFace(str(models / "two"))
        assert system.outputs == (Output("POSITIVE", kind="probability"),)
        expected = softmax(plain_logits(models / "two", TEXTS))[:, 1:]
        np.testing.assert_allclose(system.score(TEXTS), expected, atol=1e-5)
        assert np.ptp(expected) > 0.1

    def test_of_three_labels_a_probability_each(self, models: Path) -> None:
        system = HuggingFace(str(models / "three"))
        assert [output.name for output in system.outputs] == ["1 star", "2 stars", "3 stars"]
        assert [output.of for output in system.outputs] == ["class"] * 3
        some = HuggingFace(str(models / "three"), outputs=["1 star", "2 stars"])
        assert [output.of for output in some.outputs] == [None] * 2
        np.testing.assert_allclose(system.score(TEXTS), softmax(plain_logits(models / "three", TEXTS)), atol=1e-5)

    def test_labels_that_do_not_exclude_each_other_a_probability_each(self, models: Path) -> None:
        system = HuggingFace(str(models / "many"))
        assert system.outputs == tuple(Output(name, kind="probability") for name in ("anger", "fear", "joy"))
        np.testing.assert_allclose(system.score(TEXTS), sigmoid(plain_logits(models / "many", TEXTS)), atol=1e-5)

    def test_a_rating_as_it_is(self, models: Path) -> None:
        system = HuggingFace(str(models / "rating"), low=-9, high=9)
        assert system.outputs == (Output("score", low=-9, high=9),)
        np.testing.assert_allclose(system.score(TEXTS), plain_logits(models / "rating", TEXTS), atol=1e-5)

    def test_a_rating_squashed_into_its_range(self, models: Path) -> None:
        rating = sigmoid(plain_logits(models / "rating", TEXTS))
        system = HuggingFace(str(models / "rating"), squash="sigmoid", output="valence")
        assert system.outputs == (Output("valence"),)
        np.testing.assert_allclose(system.score(TEXTS), rating, atol=1e-5)
        wide = HuggingFace(str(models / "rating"), squash="sigmoid", low=-1, high=1)
        np.testing.assert_allclose(wide.score(TEXTS), 2 * rating - 1, atol=1e-5)

    def test_several_ratings_by_name(self, models: Path) -> None:
        system = HuggingFace(str(models / "affects"), low=-9, high=9, outputs={"arousal": "energy", "valence": "mood"})
        assert [output.name for output in system.outputs] == ["energy", "mood"]
        expected = plain_logits(models / "affects", TEXTS)[:, ::-1]
        np.testing.assert_allclose(system.score(TEXTS), expected, atol=1e-5)

    def test_chosen_labels_under_other_names(self, models: Path) -> None:
        system = HuggingFace(str(models / "three"), outputs={"3 stars": "praise", "1 star": "blame"})
        assert [output.name for output in system.outputs] == ["praise", "blame"]
        expected = softmax(plain_logits(models / "three", TEXTS))[:, [2, 0]]
        np.testing.assert_allclose(system.score(TEXTS), expected, atol=1e-5)
        both = HuggingFace(str(models / "two"), outputs=["NEGATIVE", "POSITIVE"])
        np.testing.assert_allclose(both.score(TEXTS).sum(axis=1), 1, atol=1e-9)

    def test_an_expected_value(self, models: Path) -> None:
        values = {"3 stars": 5, "1 star": -1, "2 stars": 2.5}
        system = HuggingFace(str(models / "three"), labels=values, output="stars")
        assert system.outputs == (Output("stars", low=-1, high=5),)
        expected = softmax(plain_logits(models / "three", TEXTS)) @ np.array([-1, 2.5, 5])
        np.testing.assert_allclose(system.score(TEXTS)[:, 0], expected, atol=1e-5)

    def test_no_texts_give_no_rows(self, models: Path) -> None:
        assert HuggingFace(str(models / "three")).score([]).shape == (0, 3)

    def test_weights_saved_in_half_precision_are_run_in_single(self, models: Path, tmp_path: Path) -> None:
        with quiet():
            model = transformers.AutoModelForSequenceClassification.from_pretrained(models / "two").half()
            shutil.copytree(models / "two", tmp_path / "half")
            model.save_pretrained(tmp_path / "half")
        system = HuggingFace(str(tmp_path / "half"))
        assert system._transformer.model.dtype == torch.float32
        assert not system._transformer.model.training


class TestBatches:
    def test_answers_depend_on_neither_order_nor_company(self, models: Path) -> None:
        texts = [*TEXTS, *eec().frame["text"].to_list()[::200]]
        system = HuggingFace(str(models / "three"), at_once=4)
        together = system.score(texts)
        mixed = np.random.default_rng(0).permutation(len(texts))
        np.testing.assert_array_equal(system.score([texts[place] for place in mixed]), together[mixed])
        alone = np.vstack([system.score([text]) for text in texts])
        np.testing.assert_allclose(together, alone, atol=1e-6, rtol=0)
        np.testing.assert_allclose(
            HuggingFace(str(models / "three"), at_once=64).score(texts), together, atol=1e-6, rtol=0
        )

    def test_texts_of_like_length_go_together(self, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        system = HuggingFace(str(models / "two"), at_once=3)
        shapes = []
        forward = system._transformer.model.forward

        def watched(**given: Any) -> Any:
            shapes.append(tuple(given["input_ids"].shape))
            return forward(**given)

        monkeypatch.setattr(system._transformer.model, "forward", watched)
        system.score(["glad " * 9, "sad", "glad " * 10, "a", "an", "glad " * 11])
        assert shapes == [(3, 3), (3, 13)]

    def test_a_tokeniser_that_cannot_pad_is_asked_one_text_at_a_time(self, copy: Path, models: Path) -> None:
        tokeniser = transformers.PreTrainedTokenizerFast(
            tokenizer_file=str(copy / "tokenizer.json"), model_max_length=LIMIT
        )
        assert tokeniser.pad_token_id is None
        tokeniser.save_pretrained(copy)
        system = HuggingFace(str(copy))
        assert system._transformer.at_once == 1
        np.testing.assert_allclose(
            system.score(TEXTS), HuggingFace(str(models / "two")).score(TEXTS), atol=1e-6, rtol=0
        )

    def test_a_text_that_is_too_long_is_cut_counted_and_told(
        self, models: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        system = HuggingFace(str(models / "two"))
        fits, long, longer = "glad " * (LIMIT - 2), "glad " * LIMIT, "glad " * 500
        with caplog.at_level(logging.WARNING):
            answers = system.score([long, fits, longer, "sad"])
        assert answers[0] == answers[2]
        np.testing.assert_allclose(answers[0], answers[1], atol=1e-6)
        (record,) = caplog.records
        assert f"2 of 4 texts are longer than the {LIMIT} word pieces it reads, and were cut off" in record.getMessage()
        assert record.name.startswith("evenhand.")

    def test_the_limit_is_the_models_where_the_tokeniser_names_none(self, copy: Path) -> None:
        path = copy / "tokenizer_config.json"
        settings = json.loads(path.read_text())
        del settings["model_max_length"]
        path.write_text(json.dumps(settings))
        system = HuggingFace(str(copy))
        assert system._transformer.limit == LIMIT
        assert np.isfinite(system.score(["glad " * 500])).all()

    def test_roberta_counts_its_positions_from_behind_the_padding(self, tmp_path: Path) -> None:
        config = transformers.RobertaConfig(
            vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
            max_position_embeddings=LIMIT, pad_token_id=1,
        )  # fmt: skip
        with quiet():
            transformers.RobertaForSequenceClassification(config).save_pretrained(tmp_path)
            vocabulary = {word: place for place, word in enumerate(WORDS)}
            transformers.BertTokenizerFast(vocab=vocabulary).save_pretrained(tmp_path)
        system = HuggingFace(str(tmp_path))
        assert system._transformer.limit == LIMIT - 2
        assert np.isfinite(system.score(["glad " * 500])).all()

    def test_word_pieces_come_without_special_tokens(self, models: Path) -> None:
        assert HuggingFace(str(models / "two")).tokenise("Jamel feels sad.") == ["ja", "##mel", "feels", "sad", "."]


class TestFingerprint:
    def test_it_is_that_of_the_content(self, models: Path, copy: Path) -> None:
        first = HuggingFace(str(models / "two")).fingerprint
        assert HuggingFace(str(copy)).fingerprint == first
        (copy / "README.md").write_text("A model card changes no answer.")
        assert HuggingFace(str(copy)).fingerprint == first

    @pytest.mark.parametrize(
        "settings", [{"outputs": ["NEGATIVE"]}, {"at_once": 8}, {"labels": {"NEGATIVE": 0, "POSITIVE": 2}}]
    )
    def test_it_changes_with_the_settings(self, models: Path, settings: dict[str, Any]) -> None:
        assert HuggingFace(str(models / "two"), **settings).fingerprint != HuggingFace(str(models / "two")).fingerprint

    @pytest.mark.parametrize("name", ["tokenizer_config.json", "config.json"])
    def test_it_changes_with_every_file(self, models: Path, copy: Path, name: str) -> None:
        (copy / name).write_text((copy / name).read_text() + "\n")
        assert HuggingFace(str(copy)).fingerprint != HuggingFace(str(models / "two")).fingerprint

    def test_other_weights_are_another_system(self, models: Path, tmp_path: Path) -> None:
        build(tmp_path / "two", 2, seed=1, id2label={0: "NEGATIVE", 1: "POSITIVE"})
        assert HuggingFace(str(tmp_path / "two")).fingerprint != HuggingFace(str(models / "two")).fingerprint


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("model", "settings", "message"),
        [
            ("two", {"outputs": {"POSITVE": "joy"}}, "has no label 'POSITVE'; did you mean 'POSITIVE'?"),
            ("two", {"outputs": {"x": "joy"}}, "has no label 'x'; known: NEGATIVE, POSITIVE"),
            ("two", {"outputs": []}, "outputs must map labels to names of outputs, or list labels, not []"),
            ("two", {"outputs": "POSITIVE"}, "outputs must map labels to names of outputs"),
            ("two", {"output": "joy"}, "output names a single output; name these through outputs"),
            ("two", {"squash": "sigmoid"}, "squash is for regression; this model gives probabilities"),
            ("three", {"labels": {"1 star": 0, "3 stars": 1}}, "labels gives no value for '2 stars'"),
            ("three", {"labels": {"1 stars": 0}}, "has no label '1 stars'; did you mean '1 star'?"),
            ("three", {"labels": {"1 star": "low"}}, "labels must give a number for each label"),
            ("two", {"labels": {"NEGATIVE": 1, "POSITIVE": 1}}, "labels gives all labels the same value"),
            ("two", {"labels": {"NEGATIVE": 0}, "outputs": ["NEGATIVE"]}, "give outputs or labels, not both"),
            ("many", {"labels": {"anger": 0}}, "labels is for classes that exclude each other; this is multi-label"),
            ("rating", {"squash": "tanh"}, "squash must be 'sigmoid', not 'tanh'"),
            ("rating", {"low": 1.0, "high": 0.0}, "its range 1.0..0.0 is empty"),
            ("two", {"at_once": 0}, "at_once must be 1 or more"),
            ("two", {"device": "cdua"}, "device 'cdua' cannot be used here; did you mean 'cuda'?"),
        ],
    )
    def test_settings_that_make_no_sense(
        self, models: Path, model: str, settings: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(UsageError) as caught:
            HuggingFace(str(models / model), **settings)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_weights_in_a_pickle(self, copy: Path) -> None:
        (copy / "model.safetensors").unlink()
        torch.save({}, copy / "pytorch_model.bin")
        with pytest.raises(UsageError, match=r"as pytorch_model\.bin, a pickle, which can run code") as caught:
            HuggingFace(str(copy))
        assert "safe_serialization=True" in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_code_that_comes_with_a_model(self, copy: Path) -> None:
        path = copy / "config.json"
        config = json.loads(path.read_text()) | {"model_type": "mine", "auto_map": {"AutoConfig": "mine.Config"}}
        path.write_text(json.dumps(config))
        (copy / "mine.py").write_text("raise SystemExit('ran')")
        with pytest.raises(EvenhandError, match="cannot be loaded") as caught:
            HuggingFace(str(copy))
        assert "\n" not in str(caught.value)

    def test_a_model_without_the_layer_that_answers(self, copy: Path) -> None:
        with quiet():
            transformers.AutoModel.from_pretrained(copy).save_pretrained(copy)
        with pytest.raises(EvenhandError, match=r"no weights for classifier\.bias, classifier\.weight, .* and 1 more"):
            HuggingFace(str(copy))

    def test_a_folder_without_vocabulary(self, copy: Path) -> None:
        (copy / "tokenizer.json").unlink()
        with pytest.raises(EvenhandError, match="holds no vocabulary"):
            HuggingFace(str(copy))

    def test_a_tokeniser_of_another_model(self, copy: Path) -> None:
        with quiet():
            vocabulary = {word: place for place, word in enumerate([*WORDS, "more", "words"])}
            transformers.BertTokenizerFast(vocab=vocabulary).save_pretrained(copy)
        with pytest.raises(EvenhandError, match="they do not belong together"):
            HuggingFace(str(copy))

    @pytest.mark.parametrize("damage", ["cut", "garbage", "config"])
    def test_damaged_files(self, copy: Path, damage: str) -> None:
        weights = copy / "model.safetensors"
        if damage == "cut":
            weights.write_bytes(weights.read_bytes()[:-100])
        elif damage == "garbage":
            weights.write_bytes(b"garbage" * 100)
        else:
            (copy / "config.json").write_text("{")
        with pytest.raises(EvenhandError, match="copy cannot be loaded: ") as caught:
            HuggingFace(str(copy))
        assert "\n" not in str(caught.value)

    def test_folders_that_hold_nothing_of_use(self, tmp_path: Path, copy: Path) -> None:
        with pytest.raises(UsageError, match=r"holds no transformer: there is no config\.json"):
            HuggingFace(str(tmp_path))
        (copy / "model.safetensors").unlink()
        with pytest.raises(UsageError, match=r"holds no weights: there is no \.safetensors file"):
            HuggingFace(str(copy))

    def test_what_is_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=f"no such folder: {tmp_path}/nowhere"):
            HuggingFace(str(tmp_path / "nowhere"))
        (tmp_path / "file").touch()
        with pytest.raises(UsageError, match="is a file; give the folder"):
            HuggingFace(str(tmp_path / "file"))


class Hub(BaseHTTPRequestHandler):
    """A hub that has one model."""

    folder: ClassVar[Path]
    commit = "a" * 40

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        files = sorted(path.name for path in self.folder.iterdir())
        if self.path.startswith("/api/models/me/two/tree/"):
            listed = [
                {"type": "file", "path": name, "size": (self.folder / name).stat().st_size, "oid": "b" * 40}
                for name in files
            ]
            self.answer(json.dumps(listed).encode(), "application/json")
        elif self.path.startswith("/api/models/me/two"):
            siblings = [{"rfilename": name} for name in files]
            content = {"id": "me/two", "modelId": "me/two", "sha": self.commit, "siblings": siblings, "tags": []}
            self.answer(json.dumps(content).encode(), "application/json")
        elif self.path.startswith("/me/two/resolve/") and self.path.rpartition("/")[2] in files:
            self.answer((self.folder / self.path.rpartition("/")[2]).read_bytes(), "application/octet-stream")
        else:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()

    def answer(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{len(content)}"')
        self.send_header("X-Repo-Commit", self.commit)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.slow
class TestHub:
    @pytest.fixture
    def hub(self, copy: Path) -> Iterator[str]:
        (copy / "pytorch_model.bin").write_bytes(b"a pickle that nobody should fetch")
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("OneModel", (Hub,), {"folder": copy}))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
        server.server_close()

    @staticmethod
    def ask(model: str, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """In a process of its own, as the hub's library reads its environment when it is imported."""
        code = (
            "import sys\n"
            "from evenhand.systems.transformers.hf import HuggingFace\n"
            "from evenhand.errors import UsageError\n"
            "try:\n    print(HuggingFace(sys.argv[1]).score(['Ebony feels sad.']).item())\n"
            "except UsageError as error:\n    print(error)\n"
        )
        return subprocess.run(
            [sys.executable, "-c", code, model], capture_output=True, text=True, check=True,
            env=os.environ | {"HF_HOME": str(cache), "HF_HUB_DISABLE_XET": "1", **environment},
        )  # fmt: skip

    def test_a_model_is_fetched_once_and_found_again_without_network(
        self, hub: str, models: Path, tmp_path: Path
    ) -> None:
        cache = tmp_path / "hub"
        fetched = self.ask("me/two", cache, HF_ENDPOINT=hub)
        expected = HuggingFace(str(models / "two")).score(["Ebony feels sad."]).item()
        assert float(fetched.stdout) == pytest.approx(expected, abs=1e-6)
        assert fetched.stderr == ""
        assert not list(cache.rglob("*.bin"))
        offline = self.ask("me/two", cache, HF_HUB_OFFLINE="1")
        assert offline.stdout == fetched.stdout

    def test_a_model_that_the_hub_does_not_have(self, hub: str, tmp_path: Path) -> None:
        done = self.ask("me/three", tmp_path / "hub", HF_ENDPOINT=hub)
        assert done.stdout == (
            "no such folder: me/three; and the Hugging Face hub has no model 'me/three' that you may read\n"
        )

    @pytest.mark.parametrize("environment", [{"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}])
    def test_without_network(self, tmp_path: Path, environment: dict[str, str]) -> None:
        done = self.ask("me/two", tmp_path / "hub", **environment)
        assert done.stdout == (
            "no such folder: me/two; and the Hugging Face hub cannot be asked for it (offline), nor is it in the hub's "
            "cache here\n"
        )


class TestInUse:
    def test_it_is_a_scorer_that_people_type(self, models: Path, corpus: Corpus) -> None:
        system = resolve(f"hf:{models / 'rating'}", corpus, bounds=(-9, 9))
        assert isinstance(system, Scorer)
        assert as_scorer(system) is system
        assert system.name == f"hf:{models / 'rating'}"
        assert system.outputs == (Output("score", low=-9, high=9),)

    def test_its_settings_are_written_down_in_a_file(self, models: Path, corpus: Corpus, tmp_path: Path) -> None:
        path = tmp_path / "stars.yaml"
        path.write_text(
            f"system: hf:{models / 'three'}\nname: stars\n"
            "settings:\n  labels: {1 star: 0, 2 stars: 0.5, 3 stars: 1}\n  output: praise\n"
        )
        system = resolve(str(path), corpus)
        assert isinstance(system, Scorer)
        assert (system.name, system.outputs) == ("stars", (Output("praise"),))

    def test_an_audit_shows_word_pieces(self, models: Path) -> None:
        report = evenhand.audit(f"hf:{models / 'two'}", sample=240, progress=False)
        assert {finding.output for finding in report.findings} == {"POSITIVE"}
        race = next(finding for finding in report.findings if finding.attribute == "race")
        assert race.rests_on.pieces is not None
        assert race.rests_on.pieces.by_person["Ebony"] == 1
        assert race.rests_on.pieces.by_person["Jamel"] == 2

    def test_what_transformers_was_told_stays_as_it_was(self, models: Path, capfd: pytest.CaptureFixture[str]) -> None:
        from transformers.utils import logging as chatter

        before = chatter.get_verbosity(), chatter.is_progress_bar_enabled()
        HuggingFace(str(models / "two")).score(TEXTS)
        assert (chatter.get_verbosity(), chatter.is_progress_bar_enabled()) == before
        captured = capfd.readouterr()
        assert (captured.out, captured.err) == ("", "")

    def test_nothing_heavy_is_imported_before_it_is_used(self) -> None:
        code = "import sys, evenhand.systems; print({'torch', 'transformers', 'spacy'} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "set()\n"


class TestSpeed:
    def test_texts_are_cut_up_once_and_beside_the_model(self, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        system = HuggingFace(str(models / "two"))
        read, asked = system._transformer._reader.read, []

        def watched(texts: Any, **more: Any) -> Any:
            asked.append((threading.current_thread() is threading.main_thread(), len(texts)))
            return read(texts, **more)

        monkeypatch.setattr(system._transformer._reader, "read", watched)
        monkeypatch.setattr(system, "batch_size", 3)
        monkeypatch.setattr(system, "ahead", 6)
        rows = {"id": list(map(str, range(len(TEXTS)))), "text": TEXTS, "source": "one", "person": "nobody"}
        score([system], Corpus(pl.DataFrame(rows), "some", {}), progress=False)
        assert asked == [(False, 3), (False, 3), (False, 2)]

    def test_batches_are_as_large_as_there_is_room(self, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(room, "ROOM", 8)
        system = HuggingFace(str(models / "two"))
        pieces = system._transformer._reader.read(TEXTS)
        batches = list(system._transformer._batches(TEXTS, pieces))
        assert sorted(place for batch in batches for place in batch) == list(range(len(TEXTS)))
        assert all(len(batch) * pieces.lengths[batch[-1]] <= 8 or len(batch) == 1 for batch in batches)
        assert max(map(len, batches)) > 1
        np.testing.assert_allclose(
            system.score(TEXTS), softmax(plain_logits(models / "two", TEXTS))[:, 1:], atol=1e-5, rtol=0
        )

    def test_several_devices_share_the_batches_and_give_the_same_bytes(self, models: Path) -> None:
        texts = eec().frame["text"].to_list()[::50]
        one = HuggingFace(str(models / "two"), device="cpu", at_once=8)
        two = HuggingFace(str(models / "two"), device="cpu,cpu", at_once=8)
        np.testing.assert_array_equal(one.score(texts), two.score(texts))
        assert one.fingerprint == two.fingerprint
        with pytest.raises(UsageError, match="are of different kinds"):
            HuggingFace(str(models / "two"), device="cpu,meta")

    def test_half_precision_is_measured_and_told(self, models: Path) -> None:
        whole = HuggingFace(str(models / "two"), device="cpu")
        half = HuggingFace(str(models / "two"), device="cpu", precision="bfloat16")
        off = np.abs(whole.score(TEXTS) - half.score(TEXTS)).max()
        assert 0 < off < 0.05
        assert f"by up to {off:.2g}, as measured" in half.remarks()[-1]
        assert "it ran in bfloat16" in half.remarks()[-1]
        assert half.fingerprint != whole.fingerprint
        with pytest.raises(UsageError, match="unknown precision 'bf16'"):
            HuggingFace(str(models / "two"), precision="bf16")

    def test_verdicts_agree_in_half_precision(self, models: Path) -> None:
        corpus, verdicts = eec().sample(240), []
        for precision in ("float32", "bfloat16"):
            system = HuggingFace(str(models / "two"), device="cpu", precision=precision)
            report = evenhand.audit(system, corpus, progress=False)
            verdicts.append([(one.attribute, one.verdict) for one in report.findings])
        assert verdicts[0] == verdicts[1]


class TestPacked:
    def test_layers_are_packed_and_say_the_same(self, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        packed = HuggingFace(str(models / "three"), device="cpu")
        assert packed._transformer.packed
        monkeypatch.setattr("evenhand.systems.transformers.packed._can", lambda: False)
        plain = HuggingFace(str(models / "three"), device="cpu")
        assert not plain._transformer.packed
        np.testing.assert_allclose(packed.score(TEXTS), plain.score(TEXTS), atol=1e-6, rtol=0)
        assert packed.fingerprint != plain.fingerprint

    def test_a_model_that_would_answer_otherwise_is_left_alone(self) -> None:
        class Own(torch.nn.Module):
            """Uses its weights without its layer."""

            def __init__(self) -> None:
                super().__init__()
                self.layer = torch.nn.Linear(4, 2)

            def forward(self, given: Any) -> Any:
                return given @ self.layer.weight.T

        model = Own()
        before, weight = model(torch.ones(3, 4)), model.layer.weight
        assert not pack(model, lambda: model(torch.ones(3, 4)))
        assert model.layer.weight is weight
        assert torch.equal(model(torch.ones(3, 4)), before)

    def test_one_that_would_be_off_is_left_alone(self) -> None:
        model, said = torch.nn.Sequential(torch.nn.Linear(4, 2)), iter([torch.ones(1), torch.ones(1) * 1.01])
        assert not pack(model, lambda: next(said))
        assert "forward" not in vars(model[0])


LACKING = """
import runpy, sys

for name in ("polars", "pydantic", "scipy", "sklearn", "rich", "typer", "skops", "platformdirs", "vl_convert"):
    sys.modules[name] = None  # as if it were not there
"""
BARE = f"""{LACKING}
from evenhand.systems.few_shot.causal_model import CausalModel
from evenhand.systems.few_shot.reader import LabelReader
from evenhand.systems.transformers.hf import HuggingFace
print(HuggingFace(sys.argv[1], device="cpu").score(["Ebony feels sad."]).item())
"""


def test_where_there_is_torch_and_transformers_nothing_else_is_needed(models: Path) -> None:
    done = subprocess.run([sys.executable, "-c", BARE, str(models / "two")], capture_output=True, text=True, check=True)
    expected = HuggingFace(str(models / "two")).score(["Ebony feels sad."]).item()
    assert float(done.stdout) == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
def test_the_benchmark_for_gpus_needs_no_more() -> None:
    code = f"{LACKING}sys.argv[1:] = ['--smoke']\nrunpy.run_module('benchmarks.gpu', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    for text in ("EEC-like", "16 words", "128 words"):
        assert f"{text}, ours in bfloat16 against pipeline: " in done.stdout
        assert f"{text}, share of the forward pass in bfloat16: " in done.stdout
    assert "tokens of the sentences' own read, as a share of the batched prefill rate: " in done.stdout

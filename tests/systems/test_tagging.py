"""Taggers: a small transformer built here, spaCy pipelines made here, functions; asked and measured on a corpus."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import spacy
import torch
import transformers
from tokenizers.pre_tokenizers import ByteLevel

import evenhand
from evenhand.asking.settings import AskSettings
from evenhand.comparing.audit import Audit
from evenhand.corpora import Corpus, load_corpus
from evenhand.errors import BadAnswer, EvenhandError, MissingExtra, ScoringFailed, UsageError
from evenhand.measuring.tags import tagged_predictions
from evenhand.metrics import METRICS, Measurements
from evenhand.schemes import BILOU, BIO, converted
from evenhand.specs.resolving import Resolver
from evenhand.systems import BaseTagger, Tagger, as_tagger
from evenhand.systems.tagging import TAGGERS, Tagging, build_tagger_here
from evenhand.systems.transformers.checkpoint import quiet
from evenhand.systems.transformers.hf_tagging import HuggingFaceTagger
from evenhand.systems.yours.spacy_tagging import SpacyEntities

PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    ".",
    "the",
    "flight",
    "to",
    "new",
    "zea",
    "##land",
    "pe",
    "##ru",
]
TAGS = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]
SENTENCES = [["Peru", "won", "."], ["The", "flight", "to", "New", "Zealand"], ["New", "Zealand"]]
LIMIT = 16


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def build(folder: Path, labels: Sequence[str], *, words: Sequence[str] = PIECES) -> Path:
    """A DistilBERT of one small layer with random weights that gives each word piece a label."""
    config = transformers.DistilBertConfig(
        vocab_size=len(words), dim=16, n_layers=1, n_heads=2, hidden_dim=32, max_position_embeddings=LIMIT,
        initializer_range=0.5, id2label=dict(enumerate(labels)), label2id={label: n for n, label in enumerate(labels)},
    )  # fmt: skip
    torch.manual_seed(3)
    with quiet():
        transformers.DistilBertForTokenClassification(config).save_pretrained(folder)
        vocabulary = {word: place for place, word in enumerate(words)}
        transformers.BertTokenizerFast(vocab=vocabulary, model_max_length=LIMIT).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("models") / "tags", TAGS)


def by_word(folder: Path, tokens: list[str]) -> np.ndarray[Any, Any]:
    """What transformers itself says of each word's first piece, one sentence at a time."""
    with quiet(), torch.inference_mode():
        tokeniser = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModelForTokenClassification.from_pretrained(folder).eval()
        given = tokeniser([tokens], is_split_into_words=True, return_tensors="pt")
        words = given.word_ids(0)
        given.pop("token_type_ids", None)
        probabilities = torch.softmax(model(**given).logits[0], dim=-1).numpy()
    return np.stack([probabilities[words.index(word)] for word in range(len(tokens))])


class TestTransformer:
    def test_a_word_has_the_tag_and_probabilities_of_its_first_piece(self, model: Path) -> None:
        tagger = HuggingFaceTagger(str(model))
        assert isinstance(tagger, Tagger)
        assert tagger.classes == ("LOC", "PER")
        answers = tagger.tag(SENTENCES)
        for tokens, answer in zip(SENTENCES, answers, strict=True):
            expected = by_word(model, tokens)
            assert answer.probabilities is not None
            found = np.array([[by_tag[tag] for tag in TAGS] for by_tag in answer.probabilities])
            np.testing.assert_allclose(found, expected, atol=1e-5)
            assert answer.tags == tuple(TAGS[place] for place in expected.argmax(axis=1))
        assert len({tag for answer in answers for tag in answer.tags}) > 1

    def test_answers_depend_on_neither_batch_nor_order(self, model: Path) -> None:
        together = HuggingFaceTagger(str(model)).tag(SENTENCES)
        backwards = HuggingFaceTagger(str(model), at_once=1).tag(SENTENCES[::-1])[::-1]
        assert [one.tags for one in together] == [one.tags for one in backwards]
        assert HuggingFaceTagger(str(model)).tag([]) == []

    def test_a_tokeniser_that_counts_the_space_before_a_word(self, tmp_path: Path) -> None:
        """RoBERTa's reads "Zealand" after a space as another word than at the beginning."""
        letters = sorted(ByteLevel.alphabet())
        pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *letters, "Ġnew", "new"]
        merges = [("n", "e"), ("ne", "w"), ("Ġ", "new")]
        vocabulary = {piece: place for place, piece in enumerate([*pieces, "ne"])}
        config = transformers.RobertaConfig(
            vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=32, max_position_embeddings=64, initializer_range=0.5, pad_token_id=1,
            id2label=dict(enumerate(TAGS)),
        )  # fmt: skip
        torch.manual_seed(1)
        with quiet():
            transformers.RobertaForTokenClassification(config).save_pretrained(tmp_path / "r")
            tokeniser = transformers.RobertaTokenizerFast(vocab=vocabulary, merges=merges, model_max_length=60)
            tokeniser.save_pretrained(tmp_path / "r")
        tagger = HuggingFaceTagger(str(tmp_path / "r"))
        (answer,) = tagger.tag([["a", "new", "bc", "new"]])
        pieces_of_text = tagger._transformer.tokenise("a new bc new")
        assert pieces_of_text == ["a", "Ġnew", "Ġ", "b", "c", "Ġnew"]
        with quiet(), torch.inference_mode():
            network = transformers.AutoModelForTokenClassification.from_pretrained(tmp_path / "r").eval()
            given = tokeniser("a new bc new", return_tensors="pt")
            expected = torch.softmax(network(**given).logits[0], dim=-1).numpy()
        # <s> a Ġnew Ġ b c Ġnew </s>: a space that stands alone belongs to the word after it.
        found = np.array([[by_tag[tag] for tag in TAGS] for by_tag in answer.probabilities or ()])
        np.testing.assert_allclose(found, expected[[1, 2, 3, 6]], atol=1e-5)

    def test_labels_that_are_no_tags_are_refused_or_renamed(self, tmp_path: Path) -> None:
        folder = build(tmp_path / "plain", ["LABEL_0", "LABEL_1"])
        with pytest.raises(UsageError, match=r"'LABEL_0' is not a tag of BILOU.*labels={'LABEL_0': ...} says which"):
            HuggingFaceTagger(str(folder))
        tagger = HuggingFaceTagger(str(folder), labels={"LABEL_0": "O", "LABEL_1": "B-LOC"})
        assert tagger.classes == ("LOC",)
        with pytest.raises(UsageError, match="has no label 'LABEL_2'; did you mean 'LABEL_"):
            HuggingFaceTagger(str(folder), labels={"LABEL_2": "O"})
        with pytest.raises(UsageError, match="two of its labels are the same tag: O, O"):
            HuggingFaceTagger(str(folder), labels={"LABEL_0": "O", "LABEL_1": "O"})

    def test_what_is_cut_off_has_no_tag(self, model: Path) -> None:
        with pytest.raises(BadAnswer, match="reads no piece of 'the' in"):
            HuggingFaceTagger(str(model)).tag([["the"] * LIMIT + ["Peru"]])
        with pytest.raises(BadAnswer, match="reads no piece of"):
            HuggingFaceTagger(str(model)).tag([["Peru", "\u200b"]])

    def test_its_fingerprint_is_that_of_the_content(self, model: Path, tmp_path: Path) -> None:
        first = HuggingFaceTagger(str(model)).fingerprint
        assert HuggingFaceTagger(str(build(tmp_path / "same", TAGS))).fingerprint == first
        assert HuggingFaceTagger(str(model), labels={"B-PER": "B-ORG"}).fingerprint != first

    def test_a_model_for_another_task_is_refused(self, tmp_path: Path) -> None:
        config = transformers.DistilBertConfig(vocab_size=len(PIECES), dim=16, n_layers=1, n_heads=2, hidden_dim=32)
        with quiet():
            transformers.DistilBertForSequenceClassification(config).save_pretrained(tmp_path / "texts")
            vocabulary = {word: place for place, word in enumerate(PIECES)}
            transformers.BertTokenizerFast(vocab=vocabulary).save_pretrained(tmp_path / "texts")
        with pytest.raises(UsageError, match="'LABEL_0' is not a tag"):
            HuggingFaceTagger(str(tmp_path / "texts"))


@pytest.fixture(scope="module")
def pipelines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ruler that knows two countries and a person, an untrained recogniser, and a pipeline without entities."""
    base = tmp_path_factory.mktemp("pipelines")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "GPE", "pattern": "Peru"},
            {"label": "GPE", "pattern": [{"LOWER": "south"}, {"LOWER": "africa"}]},
            {"label": "PERSON", "pattern": "Elena Marsh"},
        ]
    )
    nlp.add_pipe("merge_entities")  # after the entities, and left out
    nlp.to_disk(base / "ruler")

    nlp = spacy.blank("en")
    recogniser: Any = nlp.add_pipe("ner")
    recogniser.add_label("LOC")
    nlp.initialize()
    nlp.to_disk(base / "untrained")

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(base / "none")
    return base


class TestSpacy:
    def test_entities_become_tags_of_the_tokens_as_given(self, pipelines: Path) -> None:
        tagger = SpacyEntities(str(pipelines / "ruler"))
        assert isinstance(tagger, Tagger)
        assert tagger.classes == ("GPE", "PERSON")
        answers = tagger.tag([["In", "South", "Africa", ",", "Elena", "Marsh", "won"], ["Peru's", "Peru"]])
        assert answers == [
            Tagging(("O", "B-GPE", "L-GPE", "O", "B-PERSON", "L-PERSON", "O")),
            Tagging(("O", "U-GPE")),
        ]
        assert tagger.tag([]) == []

    def test_an_untrained_recogniser_answers_something_well_formed(self, pipelines: Path) -> None:
        tagger = SpacyEntities(str(pipelines / "untrained"))
        assert tagger.classes == ("LOC",)
        for tokens, answer in zip(SENTENCES, tagger.tag(SENTENCES), strict=True):
            assert len(answer.tags) == len(tokens)
            assert BILOU.read(answer.tags).misfits == ()

    def test_a_pipeline_without_entities_is_refused(self, pipelines: Path) -> None:
        with pytest.raises(UsageError, match=r"none' finds no entities \(ner, entity_ruler\); it has sentencizer$"):
            SpacyEntities(str(pipelines / "none"))

    def test_a_pipeline_that_joins_tokens_before_it_finds_entities_is_refused(self, tmp_path: Path) -> None:
        nlp = spacy.blank("en")
        first: Any = nlp.add_pipe("entity_ruler", name="first")
        first.add_patterns([{"label": "LOC", "pattern": "New Zealand"}])
        nlp.add_pipe("merge_entities")
        second: Any = nlp.add_pipe("entity_ruler", name="second")
        second.add_patterns([{"label": "LOC", "pattern": "Peru"}])
        nlp.to_disk(tmp_path / "joins")
        with pytest.raises(BadAnswer, match='joins or splits the tokens of "New Zealand"'):
            SpacyEntities(str(tmp_path / "joins")).tag([["New", "Zealand"]])

    def test_its_fingerprint_is_that_of_the_content(self, pipelines: Path) -> None:
        first = SpacyEntities(str(pipelines / "ruler")).fingerprint
        assert first == SpacyEntities(str(pipelines / "ruler")).fingerprint
        assert first != SpacyEntities(str(pipelines / "untrained")).fingerprint


class TestFunctions:
    def test_tags_or_probabilities_or_both(self) -> None:
        whole = Tagging(("U-LOC",), ({"U-LOC": 1.0},))
        answers = {"a": ["U-LOC"], "b": [{"O": 0.4, "U-LOC": 0.6}], "c": whole}
        tagger = as_tagger(lambda sentences: [answers[tokens[0]] for tokens in sentences], name="mine")
        assert tagger.classes is None
        assert tagger.tag([["a"], ["b"], ["c"]]) == [
            Tagging(("U-LOC",)),
            Tagging(("U-LOC",), ({"O": 0.4, "U-LOC": 0.6},)),
            whole,
        ]
        assert as_tagger(tagger) is tagger

    @pytest.mark.parametrize("answer", ["O", [1], [], [{}], None, ["O", {"O": 1.0}]])
    def test_answers_of_no_use_are_told(self, answer: object) -> None:
        with pytest.raises(BadAnswer, match=r"'mine' answered .* for a sentence; expected for each token a tag"):
            as_tagger(lambda sentences: [answer], name="mine").tag([["a"]])

    def test_failures_are_one_line_and_what_cannot_be_called_is_refused(self) -> None:
        with pytest.raises(EvenhandError, match="'mine' failed: KeyError: 'x'"):
            as_tagger(lambda sentences: {}["x"], name="mine").tag([["a"]])
        with pytest.raises(UsageError, match="'int' cannot be asked: it is not a tagger"):
            as_tagger(3)

    def test_by_python_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "mytags.py").write_text("def outside(sentences):\n    return [['O'] * len(s) for s in sentences]\n")
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        tagger = resolved("py:mytags:outside")
        assert tagger.name == "py:mytags:outside"
        assert tagger.tag([["a", "b"]]) == [Tagging(("O", "O"))]
        with pytest.raises(UsageError, match="has no 'outsid'; did you mean 'outside'"):
            resolved("py:mytags:outsid")
        sys.modules.pop("mytags", None)


class TestSpecs:
    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("vader", "'vader' is not a tagger; write hf:MODEL_OR_FOLDER, "),
            ("spcy:x", "'spcy:x' is not a tagger; did you mean 'spacy'"),
            ("hf:", "'hf:' is not a tagger; write"),
            ("spacy:en_nowhere", "neither a folder 'en_nowhere' nor an installed package"),
        ],
    )
    def test_what_is_not_a_tagger_is_reported(self, spec: str, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            resolved(spec)

    def test_settings_come_from_a_file(self, tmp_path: Path) -> None:
        folder = build(tmp_path / "plain", ["LABEL_0", "LABEL_1"])
        path = tmp_path / "mine.yaml"
        path.write_text(f"system: hf:{folder}\nname: mine\nsettings: {{labels: {{LABEL_0: O, LABEL_1: U-LOC}}}}\n")
        tagger = resolved(str(path))
        assert (tagger.name, tagger.classes) == ("mine", ("LOC",))
        path.write_text(f"system: hf:{folder}\nsettings: {{label: x}}\n")
        with pytest.raises(UsageError, match="'hf' has no setting 'label'; its settings: labels"):
            resolved(str(path))

    def test_a_missing_extra_names_the_command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "spacy", None)
        with pytest.raises(MissingExtra, match=r"the tagger 'spacy' needs the extra 'spacy': pip install"):
            build_tagger_here("spacy", "en_core_web_sm")

    def test_the_table_says_what_each_is(self) -> None:
        assert sorted(TAGGERS) == ["hf", "py", "spacy"]
        assert all(entry.summary.endswith(".") for entry in TAGGERS.values())


class TestBase:
    def test_a_tagger_of_somebody_elses_gets_defaults_for_what_it_lacks(self) -> None:
        class Bare:
            name, classes, fingerprint = "bare", ("LOC",), None

            def tag(self, token_lists: Any) -> list[Tagging]:
                return [Tagging(("O",) * len(tokens)) for tokens in token_lists]

        made = as_tagger(Bare())
        assert isinstance(made, BaseTagger)
        assert (made.name, made.classes, made.samples, made.resume_key) == ("bare", ("LOC",), False, None)
        assert made.remarks() == ()
        assert made.draw([["Peru"]], 2) == made.tag([["Peru"]]) == [Tagging(("O",))]
        assert as_tagger(made) is made

    def test_a_function_may_be_vouched_for_and_may_say_that_it_samples(self) -> None:
        def blind(sentences: list[list[str]]) -> list[list[str]]:
            return [["O"] * len(tokens) for tokens in sentences]

        assert as_tagger(blind).fingerprint is None
        assert as_tagger(blind).resume_key is not None
        assert as_tagger(blind, version="1").fingerprint == as_tagger(blind, version="1").fingerprint
        assert as_tagger(blind, version="1").fingerprint != as_tagger(blind, version="2").fingerprint
        assert not as_tagger(blind).samples
        blind.samples = True  # type: ignore[attr-defined]
        assert as_tagger(blind).samples


def resolved(spec: str) -> BaseTagger:
    return Resolver(load_corpus("ner-country"), AskSettings()).tagger(spec)


def measured(report: Audit) -> Measurements:
    assert report.measurements is not None
    return report.measurements.results[0].measurements


@pytest.fixture(scope="module")
def countries() -> Corpus:
    return load_corpus("ner-country")


def right(corpus: Corpus) -> dict[tuple[str, ...], list[str]]:
    return {tuple(row["tokens"]): row["tags"] for row in corpus.frame.select("tokens", "tags").to_dicts()}


@pytest.mark.slow
def test_a_perfect_tagger_has_every_metric_at_its_ideal(countries: Corpus) -> None:
    known = right(countries)
    perfect = as_tagger(lambda sentences: [[{tag: 1.0} for tag in known[tuple(s)]] for s in sentences], name="perfect")
    report = evenhand.audit(perfect, countries, progress=False)
    assert report.measurements is not None
    (result,) = report.measurements.results
    assert (result.system, result.attribute, result.notes) == ("perfect", "gdp_per_capita", ())
    assert result.measurements.classes == ("LOC", "ORG", "PER")
    assert {(finding.mean_difference, finding.output_kind) for finding in report.findings} == {(0.0, "found")}
    values = {(name, label): one.value for name, label, one in result.measurements if one.value is not None}
    assert values == {key: pytest.approx(METRICS[key[0]].ideal, abs=1e-9) for key in values}
    assert {name for name, label in values if label == "LOC"} >= {
        "fned", "fned_normalised", "tpr_gap", "disparity_score", "parity_gap", "avg_gf", "avg_gf_tc", "avg_eg",
        "cf_gap", "cf_gap_tc", "avg_if", "avg_if_tc",
    }  # fmt: skip


def test_a_tagger_that_misses_one_group_as_computed_by_hand(countries: Corpus) -> None:
    """It tags BIO and finds no country of the lowest sixth; five groups have a recall of 1, one of 0."""
    known = right(countries)
    lowest = {tuple(row) for row in countries.frame.filter(pl.col("gdp_per_capita") == "lowest")["tokens"].to_list()}

    def tags(tokens: list[str]) -> list[str]:
        found = converted(known[tuple(tokens)], to=BIO, scheme=BILOU)
        return ["O" if tag.endswith("LOC") else tag for tag in found] if tuple(tokens) in lowest else found

    report = evenhand.audit(lambda sentences: [tags(tokens) for tokens in sentences], countries, progress=False)
    gaps = {finding.first: finding.mean_difference for finding in report.findings if finding.second == "highest"}
    assert gaps == {group: -1.0 if group == "lowest" else 0.0 for group in gaps}
    found = measured(report)
    assert found["tpr_gap"]["LOC"].value == pytest.approx(5 / 15)  # of the 15 pairs, 5 hold the lowest
    assert found["tpr_gap"]["LOC"].by_group == {
        group: pytest.approx(1.0 if group == "lowest" else 1 / 5) for group in countries.attributes["gdp_per_capita"]
    }
    # FNR 1/6 of everyone: |1 − 1/6| once and 1/6 five times.
    assert found["fned"]["LOC"].value == pytest.approx(5 / 6 + 5 / 6)
    assert found["disparity_score"]["LOC"].value == pytest.approx(5 / 6)
    assert found["parity_gap"]["LOC"].value == pytest.approx(5 / 15)
    assert found["tpr_gap"]["PER"].value == 0
    assert found["cf_gap"]["LOC"].undefined == "no probabilities are given"
    # In 22 sources the lowest term differs from the other five at one position of each.
    positions = countries.frame.unique("source")
    lengths = [
        len(tokens) - (end - start) + 1 for tokens, (start, end) in positions.select("tokens", "slot_span").rows()
    ]
    flips = np.mean([1 / length for length in lengths]) * 5 / 15
    assert found["label_flip_rate"]["all"].value == pytest.approx(flips)


def test_a_transformer_is_audited_by_its_spec(model: Path, countries: Corpus) -> None:
    few = countries.sample(200)
    report = evenhand.audit(f"hf:{model}", few, progress=False)
    assert report.provenance.systems[0].system == f"hf:{model}"
    assert report.provenance.systems[0].fingerprint is not None
    assert measured(report)["cf_gap_tc"]["LOC"].value is not None
    assert measured(report)["pert_sd"]["all"].value is not None
    again = evenhand.audit(f"hf:{model}", few, progress=False)
    assert again.to_json() == report.to_json()


def test_classes_of_ontonotes_are_read_as_those_of_the_corpus(
    pipelines: Path, countries: Corpus, tmp_path: Path
) -> None:
    """The ruler knows Peru and South Africa alone, 2 of 12 countries of their sixth."""
    found = measured(evenhand.audit(f"spacy:{pipelines / 'ruler'}", countries, progress=False))
    scores = found["tpr_gap"]["LOC"].scores
    assert scores == {group: (pytest.approx(1 / 6) if group == "third-highest" else 0.0) for group in scores or ()}
    assert found["tpr_gap"]["PER"].scores == dict.fromkeys(scores or (), 0.5)
    assert found["cf_gap"]["LOC"].undefined == "no probabilities are given"
    file = tmp_path / "ruler.yaml"
    file.write_text(f"system: spacy:{pipelines / 'ruler'}\nclasses: {{GPE: ORG}}\n")
    with pytest.raises(UsageError, match=r"has no class 'LOC', only GPE, PERSON; say .*classes: {...: LOC}"):
        evenhand.audit(str(file), countries, progress=False)
    with pytest.raises(UsageError, match="has no class 'GEP'; did you mean 'GPE'"):
        evenhand.audit(as_tagger(resolved(f"spacy:{pipelines / 'ruler'}"), classes={"GEP": "LOC"}), countries)


def test_probabilities_of_classes_that_become_one_are_added(countries: Corpus) -> None:
    def tagger(sentences: list[list[str]]) -> list[list[dict[str, float]]]:
        return [[{"U-GPE": 0.5, "U-LOC": 0.25, "O": 0.25} for _ in tokens] for tokens in sentences]

    few = countries.sample(200)
    report = evenhand.audit(tagger, few, progress=False)
    assert report.tags is not None
    tagged = tagged_predictions(report.tags, few, "gdp_per_capita")["tagger"]
    assert tagged.predictions.probabilities is not None
    assert set(tagged.predictions.probabilities[:, tagged.classes.index("LOC")]) == {0.75}


def test_corpora_and_answers_that_do_not_fit_are_reported(countries: Corpus) -> None:
    few = countries.sample(200)
    with pytest.raises(UsageError, match="no attribute 'gdp'"):
        evenhand.audit(lambda sentences: [], countries, attributes="gdp")
    with pytest.raises(BadAnswer, match="answered for 0 sentences of"):
        evenhand.audit(lambda sentences: [], few, progress=False)
    with pytest.raises(BadAnswer, match="gave 1 tags for the"):
        evenhand.audit(lambda sentences: [["O"] for _ in sentences], few, progress=False)
    with pytest.raises(EvenhandError, match="'LOC' is not a tag of BILOU"):
        evenhand.audit(lambda sentences: [["LOC"] * len(tokens) for tokens in sentences], few, progress=False)
    with pytest.raises(UsageError, match="'vader' is not a tagger"):
        evenhand.audit("vader", few)


def test_names_of_one_attribute_are_asked_about() -> None:
    names = load_corpus("ner-names")
    known = right(names)
    perfect = as_tagger(lambda sentences: [known[tuple(tokens)] for tokens in sentences], name="perfect")
    report = evenhand.audit(perfect, names, attributes="race", progress=False)
    assert measured(report).groups == names.attributes["race"]
    assert report.tags is not None
    told = tagged_predictions(report.tags, names, "race")["perfect"]
    assert len(told) == names.frame["race"].is_not_null().sum() < len(names)
    assert measured(report)["tpr_gap"]["PER"].value == 0


# Asked like any other system


def test_every_sentence_is_asked_once_whatever_the_attributes() -> None:
    names = load_corpus("ner-names").sample(400)
    batches: list[int] = []

    def tagger(sentences: list[list[str]]) -> list[list[str]]:
        batches.append(len(sentences))
        return [["O"] * len(tokens) for tokens in sentences]

    report = evenhand.audit(tagger, names, progress=False)
    assert {result.attribute for result in report.measurements.results} == {"gender", "race"}  # type: ignore[union-attr]
    assert sum(batches) == names.frame["tokens"].n_unique()
    assert max(batches) <= 256


def test_answers_of_a_tagger_are_kept_and_resumed(countries: Corpus, tmp_path: Path) -> None:
    few = countries.sample(600)
    busy = {"Kazakhstan"}
    asked: list[str] = []

    def tagger(sentences: list[list[str]]) -> list[list[dict[str, float]]]:
        if any(busy & set(tokens) for tokens in sentences):
            raise RuntimeError("the line is busy")
        asked.extend(" ".join(tokens) for tokens in sentences)
        return [[{"O": 0.5, "U-LOC": 0.25} for _ in tokens] for tokens in sentences]

    made = as_tagger(tagger, name="t")
    made.batch_size = 2  # type: ignore[misc]
    with pytest.raises(ScoringFailed, match=r"could not score .* \"[^\"]*Kazakhstan.*the line is busy"):
        evenhand.audit(made, few, cache=tmp_path / "a", progress=False)
    busy.clear()
    before, known = len(asked), set(asked)
    again = evenhand.audit(made, few, cache=tmp_path / "a", progress=False)
    assert len(asked) - before < len(few) / 2  # the rest, and some to see that it is still the same
    assert set(asked) > known
    undisturbed = evenhand.audit(made, few, cache=tmp_path / "b", progress=False)
    assert again.to_json() == undisturbed.to_json()


def test_a_tagger_with_a_version_is_not_asked_again(countries: Corpus, tmp_path: Path) -> None:
    few, asked = countries.sample(200), []

    def tagger(sentences: list[list[str]]) -> list[list[str]]:
        asked.append(len(sentences))
        return [["O"] * len(tokens) for tokens in sentences]

    first = evenhand.audit(tagger, few, version="1", cache=tmp_path, progress=False)
    number = len(asked)
    again = evenhand.audit(tagger, few, version="1", cache=tmp_path, progress=False)
    assert len(asked) == number
    assert again.to_json() == first.to_json()


def test_a_tagger_that_samples_is_asked_several_times(countries: Corpus) -> None:
    few, calls = countries.sample(200), iter(range(1000))
    known = right(few)

    def tagger(sentences: list[list[str]]) -> list[list[str]]:
        found = next(calls) % 4 != 0  # one of four draws finds nothing
        return [known[tuple(tokens)] if found else ["O"] * len(tokens) for tokens in sentences]

    tagger.samples = True  # type: ignore[attr-defined]
    report = evenhand.audit(tagger, few, draws=4, progress=False)
    assert report.scores is not None
    assert set(report.scores.matrix[:, 0]) == {0.75}
    assert report.findings[0].draws == 4
    assert measured(report)["tpr_gap"]["LOC"].scores == dict.fromkeys(report.measurements.results[0].labels, 1.0)  # type: ignore[union-attr]


def test_what_was_saved_of_a_tagger_is_loaded_equal_to_the_byte(countries: Corpus, tmp_path: Path) -> None:
    few = countries.sample(200)
    known = right(few)
    report = evenhand.audit(
        lambda sentences: [[{tag: 0.9} for tag in known[tuple(tokens)]] for tokens in sentences], few, progress=False
    )
    report.save(tmp_path / "saved")
    loaded = evenhand.Audit.load(tmp_path / "saved")
    assert loaded.of_taggers
    loaded.save(tmp_path / "again")
    for path in sorted((tmp_path / "saved").iterdir()):
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes(), path.name

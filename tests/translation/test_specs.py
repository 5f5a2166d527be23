"""What people type for round trips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError
from evenhand.files.registry import Entry
from evenhand.specs.resolving import resolve, resolve_trip
from evenhand.specs.system_file import read_translator_file
from evenhand.translation import TRANSLATORS, Apertium, Dictionary, RoundTrip, Service

ROOT = Path(__file__).parents[2]


@pytest.fixture
def corpus(make_corpus: Callable[..., Corpus]) -> Corpus:
    return make_corpus([("s", "she", "She is sad.", "female"), ("s", "he", "He is sad.", "male")])


@pytest.fixture(autouse=True)
def pidgin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A translator by a name of its own: pidgin:SOURCE-TARGET, which takes a setting."""

    def build(pair: str, *, he: str = "it") -> Dictionary:
        source, target = pair.split("-")
        made = Dictionary({"he": he, "she": "it"}, source=source, target=target)
        made.name = f"pidgin:{pair}"
        return made

    monkeypatch.setitem(TRANSLATORS, "pidgin", Entry("pidgin", None, build, "", "SOURCE-TARGET"))


def round_trip(spec: str, corpus: Corpus) -> RoundTrip:
    made = resolve(spec, corpus)
    assert isinstance(made, RoundTrip)
    return made


def test_a_translator_and_a_system(corpus: Corpus) -> None:
    made = round_trip("roundtrip:pidgin:en-xx+biased-female", corpus)
    assert made.name == "roundtrip:pidgin:en-xx+biased-female"
    assert made.score(["She is sad.", "He is sad."]).tolist() == [[-1], [-1]]  # both come home as he


def test_two_translators_and_a_system_with_settings(corpus: Corpus) -> None:
    made = round_trip("roundtrip:pidgin:en-xx,pidgin:xx-en+random(seed=3)", corpus)
    assert made.trip.name == "pidgin:en-xx,pidgin:xx-en"
    assert made.inner.name == "random(seed=3)"


def test_files_for_both(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "xx.yaml").write_text("there: {translator: pidgin:en-xx, settings: {he: er}}\n")
    (tmp_path / "mine.yaml").write_text("name: mine\nsystem: random\nsettings: {seed: 4}\n")
    made = round_trip(f"roundtrip:{tmp_path}/xx.yaml+{tmp_path}/mine.yaml", corpus)
    assert made.inner.name == "mine"
    assert made.trip.there.translate(["He is sad."]) == ["Er is sad."]
    (tmp_path / "whole.yaml").write_text("name: after\nsystem: roundtrip:pidgin:en-xx+vader\n")
    assert round_trip(str(tmp_path / "whole.yaml"), corpus).name == "after"


def test_a_round_trip_of_a_round_trip(corpus: Corpus) -> None:
    made = round_trip("roundtrip:pidgin:en-xx+roundtrip:pidgin:en-yy+vader", corpus)
    assert isinstance(made.inner, RoundTrip)


def test_bounds_and_cache_are_handed_on(corpus: Corpus, tmp_path: Path, own_cache: Path) -> None:
    made = resolve("roundtrip:pidgin:en-xx+vader", corpus, bounds=(-2, 2), version="1", cache=tmp_path / "here")
    assert isinstance(made, RoundTrip)
    made.score(["She is sad."])
    assert (tmp_path / "here" / "translations").is_dir()
    assert not list(own_cache.iterdir())


def test_a_service_is_described_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "da.yaml").write_text(
        "there:\n  translator: https://translate.example/v2\n  settings:\n    source: EN\n    target: DA\n"
        "    request: {text: $texts, source_lang: $source, target_lang: $target}\n    response: translations.*.text\n"
        "    version: 2024-05\n"
    )
    trip = resolve_trip(str(tmp_path / "da.yaml"))
    assert isinstance(trip.there, Service)
    assert isinstance(trip.back, Service)
    assert (trip.source, trip.via, trip.back.target) == ("en", "da", "en")
    assert trip.fingerprint is not None


def test_a_language_alone_is_translated_by_apertium(apertium: Apertium) -> None:
    trip = resolve_trip("es")
    assert (trip.name, trip.via) == ("apertium:eng-spa", "es")
    assert trip.fingerprint == resolve_trip("apertium:eng-spa").fingerprint


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("roundtrip:pidgin:en-xx", "does not read as roundtrip:TRANSLATOR+SYSTEM"),
        ("roundtrip:+vader", "'roundtrip:+vader' does not read as roundtrip:TRANSLATOR+SYSTEM"),
        ("roundtrip:pidgn:en-xx+vader", "unknown translator 'pidgn'; did you mean 'pidgin'?"),
        ("roundtrip:pidgin+vader", "'pidgin:' does not read as pidgin:SOURCE-TARGET"),
        ("roundtrip:pidgin:en-xx+vadr", "unknown system 'vadr'; did you mean 'vader'?"),
        ("roundtrip:pidgin:en-xx,pidgin:en-xx+vader", "that is not the way back"),
        ("roundtrip:http://127.0.0.1/x+vader", "'http' needs the setting 'source'"),
        ("roundtrip:nowhere.yaml+vader", "no such file: nowhere.yaml"),
        ("roundtrp:pidgin:en-xx+vader", "unknown system 'roundtrp'; did you mean 'roundtrip'?"),
    ],
)
def test_what_is_typed_wrong_is_one_line(spec: str, message: str, corpus: Corpus) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(spec, corpus)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_recorded_predictions_cannot_be_asked_again(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("id,joy\ns0,0.1\ns1,0.2\n")
    with pytest.raises(UsageError, match="was recorded, and cannot be asked about what comes home"):
        resolve(f"roundtrip:pidgin:en-xx+file:{tmp_path}/p.csv", corpus)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("there: {translater: x}", "there.translater: unknown key; did you mean 'translator'"),
        ("back: x", "there: Field required"),
        ("there: pidgin:en-xx\nvia: es", "via: unknown key"),
        ("there: {translator: pidgin:en-xx, settings: {she: x}}", "'pidgin' has no setting 'she'; its settings: he=it"),
        ("there: [", "line 2: not valid YAML"),
    ],
)
def test_mistakes_in_a_translator_file_are_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "xx.yaml").write_text(content)
    with pytest.raises(EvenhandError, match=message):
        resolve_trip(str(tmp_path / "xx.yaml"))


def test_a_round_trip_has_no_settings_of_its_own(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("system: roundtrip:pidgin:en-xx+vader\nsettings: {seed: 4}\n")
    with pytest.raises(UsageError, match="'roundtrip' takes no settings"):
        resolve(str(tmp_path / "mine.yaml"), corpus)


def test_the_files_in_the_docs_are_read(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "translation.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split("```yaml\n")[1:]]
    assert len(blocks) == 3
    for number, block in enumerate(blocks):
        (tmp_path / f"{number}.yaml").write_text(block)
        assert read_translator_file(tmp_path / f"{number}.yaml").there.settings


def test_every_translator_is_in_the_docs() -> None:
    text = (ROOT / "docs" / "translation.md").read_text(encoding="utf-8")
    for name, entry in TRANSLATORS.items():
        assert name == "pidgin" or f"`{entry.typed}`" in text, name
    assert replace(TRANSLATORS["argos"]).extra == "translate"

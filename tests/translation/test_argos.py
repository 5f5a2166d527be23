"""Argos Translate: a stand-in for the package, for what the adapter itself does; the real one downloads its models."""

from __future__ import annotations

import importlib.metadata
import sys
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from evenhand.errors import MissingExtra, UsageError
from evenhand.translation import ThereAndBack, build_translator


class Translation:
    def __init__(self, word: str) -> None:
        self._word = word

    def translate(self, text: str) -> str:
        return f"{self._word}({text})"


class Language:
    def __init__(self, code: str, to: dict[str, Translation]) -> None:
        self.code, self._to = code, to

    def get_translation(self, to: Language) -> Translation | None:
        return self._to.get(to.code)


class Provider(Enum):
    OPENNMT = 0
    LIBRETRANSLATE = 1


class Package:
    def __init__(self, path: Path) -> None:
        self.package_path = path


@pytest.fixture
def argos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The names that the adapter uses, as argostranslate 1.9 to 1.11 has them; gives the folder of a package."""
    folder = tmp_path / "translate-en_da"
    (folder / "model").mkdir(parents=True)
    (folder / "model" / "model.bin").write_bytes(b"weights")
    names = ("package", "settings", "translate", "argostranslate")
    package, settings, translate, top = (ModuleType(name) for name in names)
    known: dict[str, Any] = {
        "get_installed_languages": lambda: [
            Language("en", {"da": Translation("da")}),
            Language("da", {"en": Translation("en")}),
            Language("fi", {}),
        ]
    }
    translate.__dict__.update(known)
    package.__dict__["get_installed_packages"] = lambda: [Package(folder)]
    settings.__dict__.update({"model_provider": Provider.OPENNMT, "beam_size": 4, "device": "cpu"})
    top.__dict__.update({"package": package, "settings": settings, "translate": translate})
    monkeypatch.setitem(sys.modules, "argostranslate", top)
    real = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.11" if name == "argostranslate" else real(name))
    return folder


def test_it_goes_there_and_back(argos: Path) -> None:
    there = build_translator("argos", "en-da")
    assert (there.name, there.source, there.target) == ("argos:en-da", "en", "da")
    journeys = ThereAndBack(there).journeys(["one", "", "two"])
    assert [journey.home for journey in journeys] == ["en(da(one))", "", "en(da(two))"]


def test_the_fingerprint_is_of_the_packages_and_how_they_are_used(argos: Path) -> None:
    before = build_translator("argos", "en-da").fingerprint
    assert before == build_translator("argos", "en-da").fingerprint
    (argos / "model" / "model.bin").write_bytes(b"other weights")
    changed = build_translator("argos", "en-da").fingerprint
    settings = sys.modules["argostranslate"].settings
    settings.beam_size = 1
    assert len({before, changed, build_translator("argos", "en-da").fingerprint}) == 3
    settings.model_provider = Provider.LIBRETRANSLATE
    assert build_translator("argos", "en-da").fingerprint is None


@pytest.mark.parametrize("pair", ["en-fi", "en-sv"])
def test_a_pair_that_is_not_installed_is_told_with_the_command(argos: Path, pair: str) -> None:
    command = f"argospm install translate-{pair.replace('-', '_')}"
    with pytest.raises(UsageError, match=rf"languages: da, en, fi\).*{command}"):
        build_translator("argos", pair)


def test_a_missing_package_is_told_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "argostranslate", None)
    with pytest.raises(MissingExtra, match=r"the translator 'argos' needs the extra 'translate': pip install"):
        build_translator("argos", "en-da")


def test_it_is_asked_text_by_text_so_that_a_failure_keeps_the_rest(
    argos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Translation, text: str) -> str:
        if text == "two":
            raise RuntimeError("out of memory")
        return text.upper()

    trip = ThereAndBack(build_translator("argos", "en-da"))
    with monkeypatch.context() as while_it_fails:
        while_it_fails.setattr(Translation, "translate", fail)
        with pytest.raises(RuntimeError, match="out of memory"):
            trip.journeys(["one", "two", "three"])
    journeys = ThereAndBack(build_translator("argos", "en-da")).journeys(["one", "two", "three"])
    assert [journey.abroad for journey in journeys] == ["ONE", "da(two)", "da(three)"]

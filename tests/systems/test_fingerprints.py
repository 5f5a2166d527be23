"""What a fingerprint is made of: the name, the revision, the packages and the settings, and not the code."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from evenhand.systems import REGISTRY, fingerprint_of, vader
from evenhand.translation import dictionary


def edited(module: ModuleType, tmp_path: Path) -> ModuleType:
    """The module as it would be with other words in its docstrings and another comment."""
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    changed = re.sub(r'"""(\w)', r'"""In other words: \1', source) + "\n# A comment.\n"
    assert changed.count("In other words") > 2
    copy = tmp_path / Path(str(module.__file__)).name
    copy.write_text(changed, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(module.__name__, copy)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_other_words_in_a_system_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "vader", REGISTRY["vader"])  # the copy enters itself
    other = edited(vader, tmp_path)
    assert other.Vader is not vader.Vader
    assert other.Vader().fingerprint == vader.Vader().fingerprint


def test_another_revision_of_a_system_is_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    before = vader.Vader().fingerprint
    monkeypatch.setattr(vader.Vader, "revision", vader.Vader.revision + 1)
    assert vader.Vader().fingerprint != before


def test_translators_keep_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(module: ModuleType) -> str | None:
        found: str | None = module.Dictionary({"she": "ille"}, source="en", target="la").fingerprint
        return found

    before = made(dictionary)
    assert made(edited(dictionary, tmp_path)) == before
    monkeypatch.setattr(dictionary.Dictionary, "revision", 2, raising=False)
    assert made(dictionary) != before


def test_packages_and_settings_count() -> None:
    class Mine:
        pass

    prints = [
        fingerprint_of(Mine),
        fingerprint_of(Mine, "numpy"),
        fingerprint_of(Mine, gain=1),
        fingerprint_of(Mine, gain=2),
        fingerprint_of(Mine, loss=1),
    ]
    assert len(set(prints)) == len(prints)
    assert fingerprint_of(Mine, gain=1, loss=2) == fingerprint_of(Mine, loss=2, gain=1)


def test_files_may_move_within_the_package_and_others_are_told_apart() -> None:
    def named(module: str) -> str:
        return fingerprint_of(type("Mine", (), {"__module__": module, "__qualname__": "Mine"}))

    assert named("evenhand.systems.here") == named("evenhand.elsewhere")
    assert len({named("one.models"), named("one.others"), named("two.models"), named("evenhand.models")}) == 4

"""`evenhand systems`: what is there, what is missing, and what would install it."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.files.registry import Entry
from evenhand.specs.resolving import FORMS
from evenhand.systems import REGISTRY, installed


def listed(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["systems", *arguments], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.stdout


def without(monkeypatch: pytest.MonkeyPatch, package: str, version: str | None = None) -> None:
    """As if the package were not installed, or in this version."""

    def pretended(name: str) -> str:
        if name.lower() != package:
            return importlib.metadata.version(name)
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(installed, "version", pretended)


def test_every_system_and_every_form_is_listed() -> None:
    shown = listed()
    for entry in REGISTRY.values():
        assert entry.typed in shown
    for form, meaning in FORMS.items():
        assert form in shown
        assert meaning in shown


def test_json_says_the_same_and_nothing_else() -> None:
    content = json.loads(listed("--json"))
    assert content["forms"] == FORMS
    by_name = {one["name"]: one for one in content["systems"]}
    assert by_name.keys() >= REGISTRY.keys()
    assert by_name["vader"] == {
        "name": "vader",
        "typed": "vader",
        "summary": REGISTRY["vader"].summary,
        "installed": True,
        "extra": "lexicon",
        "missing": [],
        "install": None,
        "plugin": None,
        "problem": None,
    }
    assert by_name["http"]["typed"] == "http:URL"


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "vadersentiment")
    (vader,) = [one for one in json.loads(listed("--json"))["systems"] if one["name"] == "vader"]
    assert (vader["installed"], vader["missing"]) == (False, ["vadersentiment"])
    assert vader["install"] == "pip install 'evenhand[lexicon]'"
    missing = listed().partition("Missing")[2]
    assert "vader" in missing
    assert "pip install 'evenhand[lexicon]'" in missing


def test_a_version_that_is_too_old_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "textblob", "0.1")
    assert installed.missing_packages("lexicon") == ("textblob",)


def test_an_extra_that_the_installed_version_does_not_know_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "newer", Entry("newer", "not-yet", lambda: None, "Newer."))  # type: ignore[arg-type,return-value]
    (newer,) = [one for one in installed.listed_systems() if one.typed == "newer"]
    assert (newer.installed, newer.install) == (False, "pip install 'evenhand[not-yet]'")


def test_nothing_is_imported_to_find_out() -> None:
    code = (
        "import sys\n"
        "from evenhand.systems.installed import listed_systems\n"
        "listed_systems()\n"
        "heavy = {'torch', 'transformers', 'spacy', 'vaderSentiment', 'textblob', 'sklearn'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

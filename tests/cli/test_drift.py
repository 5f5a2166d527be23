"""`evenhand drift`: a folder that holds something else is refused before a sentence is translated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evenhand.cli.app import app
from evenhand.files.registry import Entry
from evenhand.translation import TRANSLATORS, Dictionary


class Latin(Dictionary):
    """Knows neither he nor she."""

    def __init__(self, address: str) -> None:
        super().__init__({"he": "ille", "she": "ille"}, source="en", target=address)


@pytest.fixture(autouse=True)
def latin(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Entry("dictionary", None, Latin, "A few words.", address="LANGUAGE")
    monkeypatch.setitem(TRANSLATORS, "dictionary", entry)


def drift(folder: Path, corpus: str, *arguments: str) -> Result:
    rows = [f"{who} is {word},{word},{who},{who}" for word in ("sad", "glad") for who in ("he", "she")]
    rows += [f"{who} is {word},{word},{who},{who}" for word in ("sad", "glad") for who in ("Ann", "Bob")]
    path = folder / f"{corpus}.csv"
    path.write_text("\n".join(["text,source,person,gender", *rows, ""]))
    out = str(folder / "out")
    return CliRunner().invoke(app, ["drift", "dictionary:la", "--corpus", str(path), "--out", out, *arguments])


def test_it_says_where_it_is_saved_and_what_to_do_next(tmp_path: Path) -> None:
    done = drift(tmp_path, "one")
    assert done.exit_code == 0, done.output
    assert f"`evenhand report {tmp_path / 'out'}`" in done.stderr
    assert f"evenhand audit SYSTEM --corpus {tmp_path / 'out' / 'kept.parquet'}" in done.stderr


def test_another_corpus_is_refused_before_it_is_translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert drift(tmp_path, "one").exit_code == 0
    with monkeypatch.context() as without:
        without.setattr(Latin, "translate", lambda self, texts: pytest.fail("it was translated"))
        assert "already holds another result" in str(drift(tmp_path, "other").exception)
    done = drift(tmp_path, "other", "--overwrite")
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "out" / "drift.json").read_text())["corpus"] == "other"

"""`evenhand drift`, as it is typed: real processes, and a real Apertium."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from evenhand.corpora import load_corpus
from evenhand.translation import Apertium

pytestmark = pytest.mark.slow  # each test starts processes; `make quick` does without

PERSONS = {"My wife": "female", "My sister": "female", "My husband": "male", "My brother": "male"}


def evenhand(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from evenhand.cli import main; main()", *arguments],
        capture_output=True, text=True, env=os.environ | environment, check=False,
    )  # fmt: skip


@pytest.fixture
def family(tmp_path: Path) -> Path:
    path = tmp_path / "family.csv"
    rows = [f"{person} feels {word}.,{word},{person},{PERSONS[person]}" for word, person in product(WORDS, PERSONS)]
    path.write_text("\n".join(["text,source,person,gender", *rows, ""]))
    return path


WORDS = ("sad", "angry", "happy")


def test_it_shows_who_got_lost(apertium: Apertium, family: Path) -> None:
    done = evenhand("drift", "apertium:eng-spa", "--corpus", str(family), "--full", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "family by apertium:eng-spa, through 'es' and back" in done.stdout
    assert "3 lost their person's word, 0 hold a word of another group, 0 became empty" in done.stdout
    assert "lost: My wife feels sad. → Mi mujer siente triste. → My woman feels sad." in done.stdout
    assert "leave out 3 of 12: My wife." in done.stdout


def test_it_saves_what_is_left_to_be_audited(apertium: Apertium, family: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = evenhand("drift", "es", "--corpus", str(family), "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert values == json.loads((out / "drift.json").read_text())
    assert values["overall"]["lost"] == values["by"]["person"]["My wife"]["lost"] == 3
    assert "It feels" not in (out / "sentences.csv").read_text()
    kept = load_corpus(out / "kept.parquet")
    assert len(kept) == 9
    assert kept.attributes == {"gender": ("female", "male")}
    audited = evenhand("audit", "vader", "roundtrip:es+vader", "--corpus", str(out / "kept.parquet"), "--json")
    assert audited.returncode == 0, audited.stderr
    assert [one["system"] for one in json.loads(audited.stdout)["findings"]] == ["vader", "roundtrip:es+vader"]


def test_what_cannot_be_done_is_one_line(family: Path, tmp_path: Path) -> None:
    done = evenhand("drift", "apertium:eng-spa", "--corpus", str(family), PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: the program 'apertium' is not installed; on Debian and Ubuntu: apt-get install apertium "
        "apertium-eng-spa\n"
    )

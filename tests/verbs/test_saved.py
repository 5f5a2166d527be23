"""`evenhand runs`: what was saved below a folder, in one line each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import evenhand
from evenhand.cli.app import app
from evenhand.errors import UsageError
from evenhand.measuring import measure_file
from evenhand.verbs import saved
from evenhand.verbs.saved import find_results


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An audit and metrics, one of them further down."""
    home = tmp_path / "home"
    evenhand.audit("planted(gap=0.05)", sample=480, progress=False, out=home / "b" / "audit")
    (tmp_path / "table.csv").write_text("source,group,score\na,x,0.1\na,y,0.2\nb,x,0.3\nb,y,0.1\n")
    measure_file(tmp_path / "table.csv").save(home / "a", figures=False)
    return home


def listed(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["runs", *arguments])
    assert done.exit_code == 0, done.exception
    return done.stdout


def test_results_are_listed_by_folder_with_systems_corpus_and_verdict(home: Path) -> None:
    metrics, audit = listed(str(home)).splitlines()
    assert metrics.startswith(f"{home / 'a'}  metrics  table.csv: ")
    assert audit == f"{home / 'b' / 'audit'}  audit  planted(gap=0.05) on eec: 1 higher, 1 no reaction seen"


def test_the_same_as_json(home: Path) -> None:
    found = json.loads(listed(str(home), "--json"))
    assert found["complete"]
    assert [one["kind"] for one in found["runs"]] == ["metrics", "audit"]
    assert found["runs"][1] == {
        "folder": str(home / "b" / "audit"),
        "kind": "audit",
        "systems": ["planted(gap=0.05)"],
        "corpora": ["eec"],
        "summary": "1 higher, 1 no reaction seen",
        "problem": None,
    }


def test_metrics_that_are_part_of_an_audit_are_not_listed_twice(tmp_path: Path) -> None:
    evenhand.audit("vader", "identity", attributes="age", sample=240, progress=False, out=tmp_path)
    assert (tmp_path / "metrics.json").is_file()
    assert [one.kind for one in find_results(tmp_path).found] == ["audit"]


@pytest.mark.parametrize(("damaged", "content", "reason"), [
    ("report.json", b"{", "not JSON, or damaged"),
    ("report.json", b"[]", "does not hold a result"),
    ("report.json", b"\xff\xfe", "not UTF-8"),
    ("report.json", b'{"findings": 3, "provenance": {}}', "this version of Evenhand can read"),
    ("scores.parquet", b"PAR1", "is not a Parquet file, or a damaged one"),
    ("corpus.parquet", b"PAR1", "corpus.parquet"),
])  # fmt: skip
def test_a_damaged_result_is_listed_with_the_reason(home: Path, damaged: str, content: bytes, reason: str) -> None:
    (home / "b" / "audit" / damaged).write_bytes(content)
    metrics, audit = find_results(home).found
    assert metrics.problem is None
    assert reason in str(audit.problem)
    assert "cannot be read" in listed(str(home)).splitlines()[1]


def test_without_any_one_line_says_how_to_save_one(tmp_path: Path) -> None:
    said = listed(str(tmp_path))
    assert len(said.splitlines()) == 1
    assert "--out RUN` saves one" in said
    assert json.loads(listed(str(tmp_path), "--json")) == {"runs": [], "complete": True}


def test_links_are_not_followed_and_hidden_folders_left_out(home: Path) -> None:
    (home / "link").symlink_to(home / "b", target_is_directory=True)
    (home / "b" / "round").symlink_to(home, target_is_directory=True)
    (home / "a").rename(home / ".hidden")
    assert [one.folder for one in find_results(home).found] == [str(home / "b" / "audit")]


def test_the_search_is_bounded_and_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "DEEPEST", 1)
    shallow = find_results(home)
    assert ([one.kind for one in shallow.found], shallow.complete) == (["metrics"], False)
    assert "not all folders" in listed(str(home))
    monkeypatch.setattr(saved, "MOST_FOLDERS", 2)
    assert not find_results(home).complete


def test_a_folder_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        find_results(tmp_path / "nothing")

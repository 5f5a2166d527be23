"""How much of a result the command line shows, and where."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from evenhand.cli.app import app

AUDIT = ("audit", "planted(gap=0.1)", "--sample", "240")
SCREEN = 24


def shown(*words: str) -> tuple[str, str]:
    done = CliRunner(env={"COLUMNS": "80"}).invoke(app, words)
    assert done.exit_code == 0, done.exception
    return done.stdout, done.stderr


def test_at_first_a_screen_is_shown_with_the_worst_pair_and_a_next_step() -> None:
    out, _ = shown(*AUDIT)
    assert len(out.splitlines()) <= SCREEN
    assert "women get higher scores than men, by 0.100" in " ".join(out.split())
    assert "\n    evenhand " in out
    assert out.rstrip().endswith("--full")


def test_many_findings_fit_a_screen_and_the_rest_is_counted() -> None:
    out, _ = shown("audit", "vader", "afinn", "--corpus", "identity", "--attribute", "disability")
    assert len(out.splitlines()) <= SCREEN
    assert "more findings" in out


def test_full_shows_everything() -> None:
    out, _ = shown(*AUDIT, "--full")
    assert "For people like these: higher" in " ".join(out.split())
    assert "--full" not in out


def test_quiet_is_one_line_and_says_nothing_else(tmp_path: Path) -> None:
    out, err = shown(*AUDIT, "--quiet", "--out", str(tmp_path / "out"))
    assert out == "1 higher, 1 no reaction seen\n"
    assert err == ""
    _, err = shown(*AUDIT, "--out", str(tmp_path / "out"))
    assert "saved in" in err  # the next command speaks again


def test_where_it_was_saved_stands_last(tmp_path: Path) -> None:
    done = CliRunner(env={"COLUMNS": "80"}).invoke(app, [*AUDIT, "--out", str(tmp_path / "out")])
    assert done.output.splitlines()[-1].startswith(f"saved in {tmp_path / 'out'}: open ")


def test_open_opens_the_page_that_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: not opened.append(url))
    shown(*AUDIT, "--open", "--out", str(tmp_path / "out"))
    assert opened == [(tmp_path / "out" / "report.html").as_uri()]
    shown("report", str(tmp_path / "out"), "--quiet", "--open")
    assert opened[1:] == opened[:1]


def test_open_shows_what_was_not_saved_and_says_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path))
    _, err = shown(*AUDIT, "--open")
    assert f"no browser could be opened; the page is {tmp_path / 'report.html'}" in err
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_full_and_quiet_contradict_each_other() -> None:
    done = CliRunner().invoke(app, [*AUDIT, "--full", "--quiet"])
    assert "--full and --quiet contradict each other" in str(done.exception)


def test_help_has_examples_and_shells_complete_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _ = shown("audit", "--help")
    assert "evenhand audit vader textblob" in out
    done = CliRunner(env={"_EVENHAND_COMPLETE": "complete_bash", "COMP_WORDS": "evenhand au", "COMP_CWORD": "1"})
    assert done.invoke(app, [], prog_name="evenhand").output.split() == ["audit"]

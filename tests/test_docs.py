"""What the documents say is run, and what they name exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from evenhand.cli.app import app
from evenhand.corpora import load_corpus
from evenhand.specs.system_file import read_system_file
from evenhand.stats import CORRECTIONS
from evenhand.systems import REGISTRY

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_python_example_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102


def commands_in(path: Path) -> list[list[str]]:
    """What follows `evenhand` in the blocks of a document, up to a comment or a pipe."""
    blocks = re.findall(r"```(?:sh)?\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines() if line.strip().startswith("evenhand ")]
    return [shlex.split(line.partition(" | ")[0], comments=True)[1:] for line in lines]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_are_ones_that_the_tool_takes(path: Path) -> None:
    for words in commands_in(path):
        command: click.Command = get_command(app)
        while isinstance(command, click.Group):
            command, words = command.commands[words[0]], words[1:]
        command.make_context(command.name, list(words))


def printed_by(*words: str, width: int = 84) -> list[str]:
    done = CliRunner(env={"COLUMNS": str(width)}).invoke(app, ["audit", *words])
    assert done.exit_code == 0, done.exception
    return [line.rstrip() for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_the_rows_at_the_top_of_the_readme_are_what_the_tool_prints(tmp_path: Path) -> None:
    """Those of the quick systems, which are the same in any company; columns are as wide as the longest name."""
    systems = ["vader", "textblob", "afinn", "svr"]
    printed = printed_by(*systems, "--until-settled", "--full", "--cache", str(tmp_path))
    top = next(place for place, line in enumerate(printed) if line.startswith("system "))
    path = printed.index("How it was settled") + 1
    shown = [" ".join(line.split()) for line in README.splitlines()]
    for first in (top, path):
        rows = [" ".join(line.split()) for line in printed[first : first + 1 + 2 * len(systems)]]
        assert rows[0].startswith("system comparison")
        assert rows == shown[shown.index(rows[0]) :][: len(rows)]


@pytest.mark.slow
def test_what_the_readme_says_of_the_published_corpus_is_what_the_tool_prints(tmp_path: Path) -> None:
    printed = printed_by("vader", "--cache", str(tmp_path), width=110)
    assert len(printed) <= 24
    step = next(place for place, line in enumerate(printed) if line.startswith("• "))
    assert "\n".join(printed[: step + 1]) in README  # the command in it is the one that was typed


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_make_targets_that_are_named_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in DOCUMENTS:
        for target in re.findall(r"^make (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_system_and_correction_is_named() -> None:
    for name in (*REGISTRY, *CORRECTIONS):
        assert f"`{name}" in README, name


def test_the_recipe_in_the_readme_is_one(tmp_path: Path) -> None:
    (recipe,) = (block for block in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL) if "templates:" in block)
    (tmp_path / "colleagues.yaml").write_text(recipe)
    corpus = load_corpus(tmp_path / "colleagues.yaml")
    assert len(corpus) == 3 * 4 * 6
    assert "The intern found themself in an angry crowd." in set(corpus.frame["text"])


def test_the_system_files_in_the_docs_are_read(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    whole = [block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if block.startswith("system:")]
    assert len(whole) == 5
    for number, block in enumerate(whole):
        path = tmp_path / f"{number}.yaml"
        path.write_text(block)
        assert (described := read_system_file(path)).settings or described.high_is


@pytest.mark.slow
def test_the_commands_that_compare_two_runs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = README.partition("## Compare two runs")[2]
    commands = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    assert commands is not None
    monkeypatch.chdir(tmp_path)
    for line in commands[1].splitlines():
        done = CliRunner().invoke(app, shlex.split(line.partition(" #")[0])[1:])
        assert done.exit_code == 0, (line, done.exception)
    assert "compared  comparison  vader, textblob on eec: textblob against vader" in done.stdout


def test_what_the_page_about_exports_shows_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "docs" / "exports.md"
    monkeypatch.chdir(tmp_path)
    for words in commands_in(path):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, (words, done.exception)
    assert {"record.md", "result"} <= {place.name for place in tmp_path.iterdir()}
    assert "Ada Lovelace" in (tmp_path / "result" / "report.json").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, "exports.md", "exec"), {})  # noqa: S102

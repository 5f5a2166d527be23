"""The rooms of the house: nothing points back, heavy packages stay out of the way, nobody unpickles."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import evenhand

PACKAGE = Path(evenhand.__file__).parent

# From left to right, as in docs/architecture.md; a room may import from its own and from those to its left.
ROOMS = [
    {"visible"},
    {"errors"},
    {"printing", "settings", "numbering", "schemes"},
    {"files"},
    {"corpora"},
    {"systems"},
    {"asking"},
    {"results"},
    {"translation"},
    {"stats"},
    {"metrics"},
    {"measuring"},
    {"contrasts"},
    {"comparing"},
    {"gating"},
    {"explaining"},
    {"planning"},
    {"studies"},
    {"rating"},
    {"repairs"},
    {"published"},
    {"specs"},
    {"annotating"},
    {"report"},
    {"verbs"},
    {"interchange", "testing", "pytest_plugin"},
    {"web"},
    {"cli"},
]
PLACE = {room: place for place, rooms in enumerate(ROOMS) for room in rooms}
# Rooms that would have no business there even though they stand to the left.
STRANGERS = {
    "stats": {"corpora", "systems", "asking", "files"},
    "metrics": {"corpora", "systems", "asking"},
    "contrasts": {"systems", "asking"},
    "report": {"systems", "specs"},
}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {*names, node.module}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_room_knows_what_is_to_its_right(path: Path) -> None:
    here = room(path)
    assert here in PLACE, f"give {here} a place in ROOMS and in docs/architecture.md"
    there = {name.split(".")[1] for name in imported(path) if name.startswith("evenhand.")} - {here}
    assert {other for other in there if PLACE.get(other, -1) > PLACE[here]} == set()
    assert there & STRANGERS.get(here, set()) == set()


def test_only_the_report_and_the_command_line_render() -> None:
    renderers = {"rich", "altair", "jinja2", "vl_convert", "typer"}
    offenders = {room(path) for path in FILES if {name.split(".")[0] for name in imported(path)} & renderers}
    assert offenders <= {"report", "cli", "asking", "printing"}  # asking shows a progress bar


def test_only_the_room_of_printing_prints() -> None:
    """What is printed elsewhere would not be looked through for signs that act on a terminal."""
    ways = ("typer.echo", "typer.secho", "print", "Console", "sys.stdout.write", "sys.stderr.write")
    offenders = {
        (room(path), ast.unparse(node.func))
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ways
    }
    assert {where for where, _ in offenders} <= {"printing"}


def test_nobody_pickles_and_nobody_evaluates() -> None:
    for path in FILES:
        assert not {name.split(".")[0] for name in imported(path)} & {
            "pickle",
            "joblib",
            "dill",
            "marshal",
            "shelve",
        }, path
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not calls & {"eval", "exec"}, path


def test_every_file_says_what_room_it_is() -> None:
    for path in FILES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import json, sys\n"
        "from evenhand.cli.app import app\n"
        "try:\n    app(args=['audit', '--help'])\nexcept SystemExit:\n    pass\n"
        "sys.stderr.write(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(json.loads(done.stderr))
    assert "Usage" in done.stdout
    assert not modules & {"numpy", "scipy", "polars", "altair", "torch", "sklearn", "yaml"}


def test_the_public_names_are_sorted_and_there() -> None:
    assert sorted(evenhand.__all__) == evenhand.__all__
    for name in evenhand.__all__:
        # A submodule of the same name would take the place of the function as soon as it is imported.
        assert not isinstance(getattr(evenhand, name), ModuleType)
        assert importlib.util.find_spec(f"evenhand.{name}") is None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        evenhand.nothing  # noqa: B018

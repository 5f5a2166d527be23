"""The plugin of pytest and the example of a gate: run as their users run them, in processes of their own."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import evenhand
from evenhand import audit
from evenhand.gating.config import read_config
from evenhand.testing import assert_even

ROOT = Path(__file__).parent.parent
SOURCES = Path(evenhand.__file__).parents[1]
CLI = "from evenhand.cli import main; main()"
UNEVEN = 'tone = 0.1 * any(word.endswith("a") and len(word) > 3 for word in words) + sum('
TESTS = """
import pytest
from evenhand.testing import assert_even

UNEVEN = "planted(gap=0.05, person_sd=0.002)"


def test_uneven():
    assert_even(UNEVEN, within=0.02, settings={"sample": 480})


@pytest.mark.slow_system
def test_even():
    assert_even("planted(gap=0.004, person_sd=0.002)", within=0.02, settings={"sample": 480})
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(ROOT / "examples" / "gate", tmp_path / "gate"))


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python as a user runs it."""
    own = {"PYTHONPATH": str(SOURCES), "COLUMNS": "100", "PYTEST_ADDOPTS": ""}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env={**os.environ, **own}, capture_output=True, text=True, check=False)


def pytest_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    strict = ("--strict-markers", "-W", "error", "-p", "no:cacheprovider")
    # The plugin is named, as its entry point is there only once this version is installed.
    return run(folder, "-m", "pytest", "-q", "-p", "evenhand.pytest_plugin", *strict, *words)


def test_a_failure_shows_estimate_interval_verdict_and_three_pairs() -> None:
    with pytest.raises(AssertionError) as told:
        assert_even("planted(gap=0.05, person_sd=0.002)", "gender", within=0.02, settings={"sample": 480})
    first, found, *pairs = str(told.value).splitlines()
    assert first == "Failed: of 1 limit, 1 is broken"
    assert "gender: women − men is 0.050 (0.0" in found
    assert "allowed ±0.020: the whole interval lies beyond the limit (verdict: higher)" in found
    assert len(pairs) == 3
    assert all(pair.lstrip().startswith("0.0") and "“" in pair for pair in pairs)


def test_a_baseline_is_held_too(tmp_path: Path) -> None:
    audit("planted(gap=0.001)", attributes="gender", sample=480, out=tmp_path / "before", progress=False)
    assert assert_even("planted(gap=0.001)", within=0.02, settings={"sample": 480}, baseline=tmp_path / "before").passed
    with pytest.raises(AssertionError, match="grew by more than its error"):
        assert_even("planted(gap=0.01)", within=0.02, settings={"sample": 480}, baseline=tmp_path / "before")


@pytest.mark.slow
def test_the_plugin_works_under_xdist(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from evenhand import pytest_plugin\npytest_plugin.SLOW = 0.0\n")
    (tmp_path / "test_it.py").write_text(TESTS)
    done = pytest_in(tmp_path, "-n", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "the whole interval lies beyond the limit (verdict: higher)" in done.stdout
    assert "evenhand/testing.py" not in done.stdout  # the traceback ends in the test
    assert "test_it.py::test_uneven: planted(gap=0.05, person_sd=0.002), " in done.stdout
    assert "test_it.py::test_even: planted" not in done.stdout  # it is marked
    chosen = pytest_in(tmp_path, "-m", "not slow_system", "--collect-only")
    assert "test_even" not in chosen.stdout


def test_the_plugin_imports_nothing_and_is_entered() -> None:
    entered = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"][
        "pytest11"
    ]
    assert entered == {"evenhand.pytest_plugin": "evenhand.pytest_plugin"}
    code = (
        "import sys; before = set(sys.modules); import evenhand.pytest_plugin; print(sorted(set(sys.modules) - before))"
    )
    own = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run([sys.executable, "-c", code], env=own, capture_output=True, text=True, check=True)
    loaded = [name for name in done.stdout.strip("[]\n").replace("'", "").split(", ") if name.startswith("evenhand")]
    assert loaded == ["evenhand", "evenhand.pytest_plugin"]
    assert "numpy" not in done.stdout
    assert "'pytest'" not in done.stdout


@pytest.mark.slow
def test_the_example_passes_its_gate_and_fails_once_it_is_uneven(project: Path) -> None:
    tested = pytest_in(project, "-m", "not slow_system")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    first = run(project, "-c", CLI, "check", "--out", "baseline", "--json")
    assert first.returncode == 0, first.stdout + first.stderr
    assert json.loads(first.stdout)["passed"]
    scorer = project / "politeness.py"
    scorer.write_text(scorer.read_text().replace("tone = sum(", UNEVEN))
    again = run(project, "-c", CLI, "check", "--baseline", "baseline", "--markdown", "m.md")
    assert again.returncode == 1, again.stdout + again.stderr
    assert "### ❌ Evenhand: Failed" in (project / "m.md").read_text(encoding="utf-8")


def test_workflow_and_hook_say_what_the_tool_takes(project: Path) -> None:
    workflow = yaml.safe_load((project / ".github" / "workflows" / "gate.yml").read_text(encoding="utf-8"))
    commands = [step["run"] for step in workflow["jobs"]["gate"]["steps"] if "evenhand check" in step.get("run", "")]
    hook = yaml.safe_load((project / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"][0]
    for command in [*commands, hook["entry"]]:
        name, verb, *options = shlex.split(command.replace("$(test -d baseline && echo --baseline baseline)", ""))
        assert (name, verb) == ("evenhand", "check")
        assert {word for word in options if word.startswith("--")} <= {"--out", "--junit", "--markdown"}


@pytest.mark.slow
def test_the_test_in_the_docs_passes() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "gate.md").read_text(encoding="utf-8"), re.DOTALL)
    made: dict[str, Any] = {}
    exec(compile(code, "gate.md", "exec"), made)  # noqa: S102
    made["test_the_score_does_not_depend_on_gender"]()


def test_the_settings_in_the_docs_are_read(tmp_path: Path) -> None:
    (code,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "gate.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "evenhand.toml").write_text(code)
    assert read_config(tmp_path / "evenhand.toml").tolerance("race") == 0.03

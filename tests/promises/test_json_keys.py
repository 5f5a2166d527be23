"""What `--json` prints is a promise: keys may be added, none may go, get another name or another type.

`commands.yaml` lists the commands and `golden/NAME.json` what is promised of each: `keys`, every path that was there
with its JSON type, and `exact`, numbers and digests that must stay what they are. In paths, `[]` stands for every entry
of a list, `{}` for every name that comes with the data, and `?` marks a key that not all of these have.

A promise is changed on purpose only: `python tests/promises/test_json_keys.py NAME...` writes these golden files again
(without a NAME: all of them). `python tests/promises/test_json_keys.py --whole FOLDER NAME...` writes what the commands
print to FOLDER instead, to be compared with what they print later.
"""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from evenhand.cli.app import app

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
PROMISES = yaml.safe_load((HERE / "commands.yaml").read_text(encoding="utf-8"))
COMMANDS: dict[str, dict[str, Any]] = PROMISES["commands"]
KINDS = {dict: "object", list: "list", str: "string", bool: "bool", int: "number", float: "number", type(None): "null"}
SYSTEMS = "promised_systems"
"""The module of the inputs; it is imported anew for each command, from where it lies then."""


def printed(name: str, folder: Path) -> str:
    """What a command prints in a folder of its own that holds the inputs."""
    work = folder / "work"
    shutil.copytree(HERE / "inputs", work)
    lines = [COMMANDS[name][step] for step in ("first", "command") if step in COMMANDS[name]]
    with contextlib.chdir(work), pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVENHAND_CACHE_DIR", str(folder / "cache"))
        patch.delitem(sys.modules, SYSTEMS, raising=False)
        for line in lines:
            arguments = shlex.split(line)
            patch.setattr(sys, "argv", ["evenhand", *arguments])
            done = CliRunner().invoke(app, arguments)
            assert done.exit_code == 0, f"{line}: {done.exception!r} {done.output}"
    return done.stdout


def keys_of(content: object, name: str) -> dict[str, str]:
    """Every path with its JSON types; dictionaries by data are taken together, as lists are."""
    patterns = PROMISES["by_data"].get(COMMANDS[name]["command"].split()[0], "").split()
    rooted = [pattern if pattern.startswith("$.") else f".{pattern}" for pattern in patterns]
    by_data = tuple(pattern[: place.start()] for pattern in rooted for place in re.finditer(r"\.{}", pattern))
    found: dict[str, str] = {}

    def walk(path: str, values: Sequence[Any]) -> None:
        found[path] = " or ".join(sorted({KINDS[type(value)] for value in values} - {"null"})) or "null"
        objects = [value for value in values if isinstance(value, dict)]
        entries = [entry for value in values if isinstance(value, list) for entry in value]
        if entries:
            walk(f"{path}[]", entries)
        if f"$.{path}".replace("?", "").endswith(by_data):
            named = [entry for value in objects for entry in value.values()]
            if named:
                walk(f"{path}.{{}}", named)
            return
        for key in dict.fromkeys(key for value in objects for key in value):
            inner = [value[key] for value in objects if key in value]
            walk(f"{path}.{key}".lstrip(".") + ("?" if len(inner) < len(objects) else ""), inner)

    walk("", [content])
    return found


def values_at(content: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The values at a path in which [] and {} stand for every entry, each with its own path."""
    found = [("", content)]
    for part in path.replace("[]", ".[]").lstrip(".").split("."):
        if part == "[]":
            found = [(f"{at}[{place}]", one) for at, value in found for place, one in enumerate(value)]
        else:
            found = [
                (f"{at}.{key}".lstrip("."), value[key])
                for at, value in found
                if value is not None
                for key in (value if part == "{}" else [part])
            ]
    yield from found


def exact_values(content: Any, name: str) -> dict[str, Any]:
    """What must stay as it is, with numbers to twelve digits; null is not a promise."""
    paths = COMMANDS[name].get("exact", "").split()
    found = {at: value for path in paths for at, value in values_at(content, path) if value is not None}
    return {at: float(f"{value:.12g}") if isinstance(value, float) else value for at, value in found.items()}


def broken(content: object, name: str, promised: dict[str, str]) -> list[str]:
    """What was promised and is not kept."""
    found = {path.replace("?", ""): (path, kinds) for path, kinds in keys_of(content, name).items()}
    wrong = []
    for path, kinds in promised.items():
        now, others = found.get(path.replace("?", ""), (None, "null"))
        if now is None:
            wrong.append(f"{path} is gone")
        elif now.endswith("?") and not path.endswith("?"):
            wrong.append(f"{path} is not always there any more")
        elif kinds != others and "null" not in (kinds, others):
            wrong.append(f"{path or 'all'} was {kinds} and is {others}")
    return wrong


def marked(name: str) -> Any:
    needed = COMMANDS[name].get("needs")
    marks = [pytest.mark.slow] if COMMANDS[name].get("slow") else []
    if needed:
        marks.append(pytest.mark.skipif(shutil.which(needed) is None, reason=f"no {needed} here"))
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [marked(name) for name in COMMANDS])
def test_what_was_printed_is_still_printed(name: str, tmp_path: Path) -> None:
    golden = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    content = json.loads(printed(name, tmp_path), parse_constant=pytest.fail)
    assert broken(content, name, golden["keys"]) == []
    now = exact_values(content, name)
    assert {path: now.get(path) for path in golden["exact"]} == {
        path: pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value
        for path, value in golden["exact"].items()
    }


def test_every_command_has_a_golden_file_and_every_golden_file_a_command() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(COMMANDS)


def test_a_key_that_goes_or_changes_is_noticed_and_a_new_one_is_welcome() -> None:
    before: dict[str, Any] = {"findings": [{"p": 0.1, "t": None}, {"p": None, "t": None, "note": "x"}]}
    promised = keys_of(before, "metrics")
    assert promised["findings[].note?"] == "string"
    assert broken(before, "metrics", promised) == []
    assert broken({"findings": [{"p": 0.1, "t": 2, "note": "y", "new": []}]}, "metrics", promised) == []
    gone = {"findings": [{"p": 0.1}, {"p": "0.1", "t": None}]}
    assert broken(gone, "metrics", promised) == [
        "findings[].p was number and is number or string",
        "findings[].t is not always there any more",
        "findings[].note? is gone",
    ]
    assert broken([], "metrics", promised)[0] == "all was object and is list"


def main(arguments: Sequence[str]) -> None:
    """Write golden files, or with --whole FOLDER all that is printed."""
    whole = Path(arguments[1]).resolve() if arguments[:1] == ["--whole"] else None
    names = arguments[2:] if whole else arguments
    for name in names or COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            text = printed(name, Path(folder))
        if whole:
            whole.mkdir(parents=True, exist_ok=True)
            (whole / f"{name}.json").write_text(text, encoding="utf-8")
            continue
        content = json.loads(text)
        golden = {"keys": keys_of(content, name), "exact": exact_values(content, name)}
        GOLDEN.mkdir(exist_ok=True)
        made = json.dumps(golden, indent=1, ensure_ascii=False) + "\n"
        (GOLDEN / f"{name}.json").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

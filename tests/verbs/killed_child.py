"""Runs commands in processes of their own that send themselves a signal at the nth thing they do to a file."""

from __future__ import annotations

import importlib
import importlib.util
import io
import json
import os
import pkgutil
import shutil
import signal
import stat
import sys
from pathlib import Path
from typing import Any

import vl_convert

import evenhand
from evenhand.files.registry import Entry
from evenhand.report.page import shell
from evenhand.translation import TRANSLATORS, Dictionary

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
WRITTEN = {"out", "cache", "tmp"}
CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate"}
NEEDED = ("sklearn.linear_model", "sklearn.model_selection", "sklearn.svm", "skops.io")
OPTIONAL = ("torch", "safetensors", "transformers")
LONGEST = 300
"""Seconds after which a command hangs, on a machine that does much else."""


class Steps:
    """Counts what the process does to files below a folder.

    Before one of them it sends itself a signal; or, before each, it keeps a copy of what a kill would leave.
    """

    def __init__(self, folder: str, at: int, number: int, seen: str | None) -> None:
        self.taken: list[str] = []
        self._folder, self._at, self._number, self._seen = folder, at, number, seen
        self._copied: dict[tuple[int, ...], str] = {}
        self._given = {place.name for place in Path(folder).iterdir()} - WRITTEN

    def take(self, what: str) -> None:
        self.taken.append(what)
        if len(self.taken) == self._at:
            os.kill(os.getpid(), self._number)
        if self._seen is not None:
            kept, self._seen = Path(self._seen), None  # copying takes steps, too
            for place in Path(self._folder).iterdir():
                if place.name not in self._given:
                    shutil.copytree(place, kept / str(len(self.taken)) / place.name, copy_function=self._copy)
            self._seen = str(kept)

    def _copy(self, path: str, copy: str) -> None:
        """What has not changed since the step before is copied once."""
        now = Path(path).stat()
        known = self._copied.setdefault((now.st_ino, now.st_mtime_ns, now.st_size), copy)
        if known == copy:
            shutil.copyfile(path, copy)
        else:
            os.link(known, copy)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING:
            self._of_file("open", arguments[0])
        elif event in CHANGES:
            self._of_file(event, arguments[0], relative=isinstance(arguments[-1], int) and arguments[-1] >= 0)

    def _of_file(self, what: str, path: object, *, relative: bool = False) -> None:
        if isinstance(path, str | bytes | os.PathLike):
            name = os.fsdecode(os.fspath(path))
            if relative or str(Path.cwd() / name).startswith(self._folder):
                self.take(f"{what} {name}")

    def halve_writes(self) -> None:
        """Between the two halves of whatever is written there is a step, too."""
        write = os.write

        def half(handle: int, content: Any) -> int:
            if len(content) < 2 or not stat.S_ISREG(os.fstat(handle).st_mode) or handle <= 2:
                return write(handle, content)
            done = write(handle, content[: len(content) // 2])
            self.take("half of a record")
            return done

        def halves(path: Path, content: bytes) -> int:
            with path.open("wb") as file:
                file.write(content[: len(content) // 2])
                file.flush()
                self.take(f"half of {path}")
                file.write(content[len(content) // 2 :])
            return len(content)

        os.write, Path.write_bytes = half, halves  # type: ignore[assignment,method-assign]


def run(asked: dict[str, Any]) -> dict[str, Any]:
    """Run one command in a child; give how it ended, what it said and which steps it took."""
    folder = asked["folder"]
    said, steps = Path(folder, "said"), Path(folder, "steps")
    child = os.fork()
    if not child:
        _command(asked, said, steps)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    taken = json.loads(steps.read_text()) if steps.exists() else []
    steps.unlink(missing_ok=True)
    return {"ended": ended, "said": said.read_text(), "steps": taken}


def _command(asked: dict[str, Any], said: Path, steps: Path) -> None:
    signal.alarm(LONGEST)
    os.chdir(asked["work"])
    os.environ |= asked["environment"]
    sys.path.insert(0, asked["work"])
    for handle, path in ((1, Path(os.devnull)), (2, said)):
        with path.open("wb") as file:
            os.dup2(file.fileno(), handle)
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(handle, "wb", closefd=False)) for handle in (1, 2))
    sys.argv = ["evenhand", *asked["command"]]
    taken = Steps(asked["work"], asked["at"], asked["signal"], asked["seen"])
    sys.addaudithook(taken.hear)
    taken.halve_writes()
    code = 1
    try:
        from evenhand.cli import main

        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        steps.write_text(json.dumps(taken.taken))
        os._exit(code)


class Latin(Dictionary):
    """Knows neither he nor she."""

    def __init__(self, address: str) -> None:
        super().__init__({"he": "ille", "she": "ille"}, source="en", target=address)


def _draw_nothing() -> None:
    """Pictures take seconds, and are files like others: here each is the words that say what is to be drawn."""
    shell._vega = lambda: "vega"
    vl_convert.vegalite_to_svg = _said
    vl_convert.vegalite_to_png = lambda *given, **how: _said(*given, **how).encode()


def _said(*given: object, **how: object) -> str:
    return json.dumps([given, how], sort_keys=True, default=str)


def main() -> None:
    # A fork of a process that has imported all starts at once.
    for module in pkgutil.walk_packages(evenhand.__path__, "evenhand."):
        importlib.import_module(module.name)
    for name in (*NEEDED, *(name for name in OPTIONAL if importlib.util.find_spec(name))):
        importlib.import_module(name)
    _draw_nothing()
    TRANSLATORS["dictionary"] = Entry("dictionary", None, Latin, "Knows neither he nor she.", address="LANGUAGE")
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""The child: makes one object and calls its methods for the process that started it, until that one hangs up.

Started by path, before any package is imported. What the object prints goes to standard error; it reads nothing from
standard input. If the parent goes, however it goes, so does the child.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import sys
import threading
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib would cost its import


def main() -> None:
    """Serve until the parent says so, or is gone."""
    answers, questions = _lines()
    _be_the_first_to_go()
    frames = _frames()
    waiting: queue.SimpleQueue[tuple[dict[str, Any], bytes]] = queue.SimpleQueue()

    def listen() -> None:
        try:
            while True:
                waiting.put(frames.receive(questions))
        except frames.Broken as broken:
            # The parent is gone: whatever runs here runs for nobody.
            os._exit(frames.DEAF if str(broken) == "closed" else 0)

    first, _ = frames.receive(questions)
    sys.path[:] = first["path"]
    threading.Thread(target=listen, daemon=True).start()
    from evenhand.systems.apart.serving import serve

    def say(message: dict[str, Any], payload: bytes = b"") -> None:
        try:
            frames.send(answers, message, payload)
        except OSError:
            os._exit(frames.DEAF)

    serve(waiting.get, say)


def _lines() -> tuple[int, int]:
    """The lines to the parent, away from where the object reads and prints."""
    questions, answers = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return answers, questions


def _be_the_first_to_go() -> None:
    """Where memory runs out, the system dies, not the run; and a crash leaves no core file behind."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
        file.write("1000")
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _frames() -> Any:
    """The module beside this file, read before the package can be imported."""
    sys.path.insert(0, HERE)
    try:
        return importlib.import_module("frames")
    finally:
        sys.path.remove(HERE)


if __name__ == "__main__":
    main()

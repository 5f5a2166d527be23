"""The child's side: makes what it is told to, calls it, and tells what came of it."""

from __future__ import annotations

import importlib
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from evenhand.errors import EvenhandError, ended, one_line
from evenhand.printing.streams import show_foreign
from evenhand.systems.apart.values import packed, unpacked

Receive = Callable[[], tuple[dict[str, Any], bytes]]
Send = Callable[..., None]


def serve(receive: Receive, send: Send) -> None:
    """Answer one question after the other."""
    saying = threading.Lock()
    here = os.getpid()

    def say(message: dict[str, Any], payload: bytes = b"") -> None:
        if os.getpid() != here:
            os._exit(1)  # code that forks and returns twice must not answer twice
        with saying:
            send(message, payload)

    show_foreign()
    _forward_log(say)
    holder = Holder()
    while True:
        question, _ = receive()
        if question["do"] == "end":
            return
        say(*holder.answer(question))


class Holder:
    """Holds the object that it was told to make, and calls its methods."""

    def __init__(self) -> None:
        from evenhand.systems.table import REGISTRY

        REGISTRY.elsewhere = None  # here is where plugins are imported
        self._made: Any = None
        self._loaded: set[str] = set()

    def answer(self, question: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """What came of a question, as a message."""
        try:
            given = unpacked(question["with"], b"")
            if question["do"] == "make":
                self._made = _at(question["what"])(*given, **question["named"])
                form, payload = None, b""
            else:
                form, payload = packed(getattr(self._made, question["do"])(*given))
        except BaseException as error:  # whatever it raises, the system has failed and this process has not
            return {"raised": _told(error)}, b""
        new = sorted({name.partition(".")[0] for name in sys.modules} - self._loaded)
        self._loaded.update(new)
        return {"gave": form, "loaded": new}, payload


def _at(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def _told(error: BaseException) -> dict[str, Any]:
    kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == EvenhandError.__module__]
    if not isinstance(error, Exception):
        left = isinstance(error, SystemExit)
        return {"kinds": [], "type": "RuntimeError", "said": ended(error), "trace": "", "left": left}
    try:
        said = str(error)
    except Exception:  # the error's own code
        said = ""
    trace = "".join(traceback.format_exception(error)) if not kinds else ""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    return {"kinds": kinds, "type": type(error).__name__, "said": said[:10_000], "trace": trace, "missing": missing}


class _Forwarding(logging.Handler):
    """Hands on what is logged here to the log of the parent."""

    def __init__(self, say: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say({"log": [record.name, record.levelno, one_line(record.getMessage(), 2_000)]})


def _forward_log(say: Callable[[dict[str, Any]], None]) -> None:
    logger = logging.getLogger("evenhand")
    logger.addHandler(_Forwarding(say))
    logger.setLevel(logging.INFO)
    logger.propagate = False

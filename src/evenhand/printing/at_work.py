"""A line on the terminal that says that a command is at work, whenever nothing else has moved there for a moment.

What counts its steps shows a bar. This is for all the rest, whatever it is, so that nothing takes long in silence.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

A_MOMENT = 2.0
"""Seconds; what takes no longer says nothing."""
EVERY = 0.5
"""Seconds from one look to the next."""
ERASED = b"\r\x1b[2K"


class _Line:
    """The line, of which a terminal has one."""

    lock = threading.RLock()
    shown = False
    moved = 0.0
    """When something else was printed."""
    bars = 0
    """How many others draw what moves."""


@contextmanager
def at_work(name: str) -> Iterator[None]:
    """Say so while the block runs, where standard error is a terminal that can take a line back."""
    if not _is_terminal():
        yield
        return
    begun, ended = time.monotonic(), threading.Event()
    _Line.moved = begun

    def look() -> None:
        while not ended.wait(EVERY):
            _show(f"{name}: at work, {time.monotonic() - begun:.0f} s")

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        ended.set()
        looking.join()
        make_way()


def make_way() -> None:
    """To be called before anything is printed: the line goes, and what is printed shows for itself that all is well."""
    _Line.moved = time.monotonic()
    if _Line.shown:
        with _Line.lock:
            _Line.shown = False
            _write(ERASED)


@contextmanager
def others_move() -> Iterator[None]:
    """While the block runs, it draws what moves."""
    with _Line.lock:
        _Line.bars += 1
    make_way()
    try:
        yield
    finally:
        with _Line.lock:
            _Line.bars -= 1
        _Line.moved = time.monotonic()


def _show(line: str) -> None:
    with _Line.lock:
        if not _Line.bars and time.monotonic() - _Line.moved > A_MOMENT:
            _Line.shown = True
            _write(ERASED + line.encode("ascii", "replace"))


def _write(content: bytes) -> None:
    with suppress(OSError):
        os.write(2, content)


def _is_terminal() -> bool:
    with suppress(OSError):
        return os.isatty(2) and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    return False

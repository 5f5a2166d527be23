"""The one door for files from outside: plain files up to a size, never devices, pipes or folders."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, ParamSpec, TypeVar

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.whole import reason

P = ParamSpec("P")
R = TypeVar("R")

VARIABLE = "EVENHAND_MAX_FILE"
"""How large a file may be, on disk and unpacked, as in 500MB or 8GB."""
MOST = 16 * 10**9
"""Bytes of a table or a model, on disk or unpacked, unless half of the machine's memory is less."""
MOST_JSON = 10**9
MOST_YAML = 16 * 10**6
"""Such files are written by hand."""

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([KMGT]?)B?", re.IGNORECASE)
CGROUP = Path("/sys/fs/cgroup/memory.max")


def read_bytes(path: Path, *, usual: int = MOST) -> bytes:
    """What a file holds; `usual` is how much that may be unless the variable says otherwise."""
    most = most_bytes(usual)
    with plain_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = _up_to(most, file, size) if size <= most else b""
        size = max(len(content), size)
    if size > most:
        raise EvenhandError(f"{path} has {in_words(size)}, and {in_words(most)} are read at most; {HOW_TO_ALLOW}")
    return content


@contextmanager
def plain_file(path: Path) -> Iterator[BufferedReader]:
    """A file to read from, piece by piece; whatever keeps it from being read is one line."""
    try:
        with os.fdopen(_opened(path), "rb") as file:
            _refuse_odd(path, os.fstat(file.fileno()).st_mode)
            yield file
    except FileNotFoundError as error:
        raise UsageError(f"no such file: {path}") from error
    except OSError as error:
        if path.is_dir():
            raise EvenhandError(f"{path} cannot be read: it is a folder") from error
        raise EvenhandError(f"{path} cannot be read: {reason(error)}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"no such file: {str(path)!r}") from error
    except MemoryError as error:
        raise EvenhandError(f"{path} cannot be read: there is not enough memory for it") from error


def read_text(path: Path, *, usual: int = MOST) -> str:
    """The text in a file, which is UTF-8, without a byte-order mark."""
    content = read_bytes(path, usual=usual)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise EvenhandError(f"{path}, line {line}: not UTF-8; save it as UTF-8") from error


def naming_its_file(call: Callable[P, R]) -> Callable[P, R]:
    """For functions whose first argument may be a file: whatever is wrong with what is in it, the file is named."""

    @wraps(call)
    def named(*given: P.args, **settings: P.kwargs) -> R:
        try:
            return call(*given, **settings)
        except EvenhandError as error:
            first = next(iter([*given, *settings.values()]), None)
            path = Path(first) if isinstance(first, str | Path) else None
            if path is not None and path.name not in str(error) and path.is_file():
                error.args = (f"{path}: {str(error).removeprefix('the table: ')}",)
            raise

    return named


def most_bytes(usual: int = MOST) -> int:
    """How many bytes are read or unpacked at most: what the variable says; else the usual, or half of the memory."""
    said = os.environ.get(VARIABLE, "").strip()
    if not said:
        return min(usual, _memory() // 2)
    found = SIZE.fullmatch(said)
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"{VARIABLE} must be a size such as 500MB or 8GB, not {said[:40]!r}")
    return max(1, int(float(found[1]) * UNITS[found[2].upper()]))


def in_words(size: int) -> str:
    """
    >>> in_words(16_000_000), in_words(1_300), in_words(12)
    ('16 MB', '1.3 kB', '12 bytes')
    """
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}" if size < 1000 * unit else f"{size // unit:,} {name}"
    return f"{size} bytes"


HOW_TO_ALLOW = f"to allow more, set {VARIABLE} (as in {VARIABLE}=20GB)"


def _opened(path: Path) -> int:
    """A file to read from, without waiting for somebody who writes to a pipe."""
    return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))


def _up_to(most: int, file: BinaryIO, size: int) -> bytes:
    """What a file of this size holds, and what is written to it meanwhile; a byte more than the most tells that it is.

    Memory is asked for as it is needed: asking for the most at once fails where memory is limited.
    """
    content = file.read(size + 1)
    if content is None:  # of what calls itself a plain file, and would have to be waited for
        raise BlockingIOError(errno.EAGAIN, "it has nothing to read yet")
    while size < len(content) <= most:
        size = len(content)
        content += file.read(min(max(size, 1 << 16), most + 1 - size)) or b""
    return content


def _refuse_odd(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        what = kinds.get(stat.S_IFMT(mode), "a device")
        raise EvenhandError(f"{path} cannot be read: it is {what}; save what it gives as a file")


def _memory() -> int:
    """Bytes of memory that there are, for this machine or for its container."""
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        there = 2 * MOST
    try:
        limit = int(CGROUP.read_text())
    except (OSError, ValueError):
        limit = there
    return max(1, min(there, limit))

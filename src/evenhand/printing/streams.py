"""Results go to standard output, all else to standard error, and nothing that is printed acts on a terminal.

On the command line, standard output is for the result alone: from the moment a command runs, whatever else is written
there, by Python, by C, by a child process, in a thread or at exit, goes to standard error.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from evenhand.errors import EvenhandError
from evenhand.printing.at_work import make_way
from evenhand.visible import in_json, visible, visible_json, visible_line, visible_lines

if TYPE_CHECKING:
    from evenhand.printing.screen import Screen

BROKEN_PIPE = 141
FITTING = "evenhand.fitting"
"""How signs are written that an encoding does not have."""
NOT_ASCII = re.compile(r"[^\x00-\x7f]")
PLAINER = str.maketrans(
    {"−": "-", "–": "-", "…": "...", "•": "*", "→": "->", "±": "+/-", "×": "x", "δ": "delta", "≤": "<=", "≥": ">="}
    | {"\N{NO-BREAK SPACE}": " ", "“": '"', "”": '"', "‘": "'", "’": "'"}
)


class OutputFailed(EvenhandError):
    """The result cannot be written to standard output."""


class ReaderGone(OutputFailed):
    """Whoever read standard output has stopped reading: nobody is left to be told."""

    exit_code = BROKEN_PIPE


def tell(*lines: str) -> None:
    """Lines for people, on standard output; a name with the end of a line in it makes no line of its own."""
    _write("".join(f"{visible(line)}\n" for line in lines))


def tell_json(text: str) -> None:
    """JSON and nothing else, on standard output; what its encoding lacks is spelled as JSON spells it."""
    written = visible_json(text)
    try:
        written.encode(output().encoding or "utf-8")
    except UnicodeEncodeError:
        written = NOT_ASCII.sub(lambda found: in_json(found[0]), written)
    _write(written + "\n")


def tell_file(text: str) -> None:
    """The text of a file, on standard output: as it is, except on a terminal."""
    _write(visible_lines(text) if output().isatty() else text)


def say(line: object) -> None:
    """One line on standard error; where nobody listens, that is no reason to stop."""
    with suppress(OSError, ValueError):
        sys.stderr.write(visible_line(line) + "\n")
        sys.stderr.flush()


def console_of(width: int | None = None, *, on_stderr: bool = False) -> Screen:
    """Standard output, as wide as the terminal unless a width is given; or standard error, for what moves."""
    from evenhand.printing.screen import Screen

    stream = _bare_stderr() if on_stderr else output()
    if width is None and "COLUMNS" not in os.environ and stream.isatty():
        with suppress(OSError, ValueError):
            width = os.get_terminal_size(stream.fileno()).columns or None
    return Screen(file=stream, width=width)


def output() -> TextIO:
    """Where results go: standard output, also after it was diverted."""
    return _Streams.result or sys.stdout


def take_streams() -> None:
    """Make the streams of this process its own: open ones that were closed, and let nothing through that acts."""
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        _open_if_closed(descriptor, mode)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    _Streams.encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    _Streams.error_encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    sys.stderr = Shown(2)
    _Streams.result = sys.stdout = Result(1)


def divert() -> None:
    """From now on, what is written to standard output goes to standard error, except for results."""
    if _Streams.result is None or _Streams.diverted:
        return
    _Streams.result.flush()
    kept = Result(os.dup(1))
    os.dup2(2, 1)
    sys.stdout = Shown(1)
    _Streams.result, _Streams.diverted = kept, True


def show_foreign() -> None:
    """In a process that runs foreign code alone: what it prints is shown on standard error, and acts on nothing."""
    _Streams.error_encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    sys.stdout, sys.stderr = Shown(1), Shown(2)


def finish() -> None:
    """Write what is left; raises if that cannot be done."""
    output().flush()


@contextmanager
def unheard() -> Iterator[None]:
    """What native code prints to standard error meanwhile goes nowhere: its panics become exceptions, too."""
    with _Streams.silencing:
        try:
            kept = os.dup(2)
        except OSError:  # closed: nobody would hear it anyway
            yield
            return
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 2)
            os.close(nowhere)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def give_up_output() -> None:
    """Let what is left to be written go nowhere, so that nothing complains at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in {1, output().fileno()}:
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    with suppress(OutputFailed, OSError, ValueError):
        output().flush()


class Result(io.TextIOWrapper):
    """Standard output; that it cannot be written to is said in words."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(
            io.BufferedWriter(io.FileIO(descriptor, "w", closefd=False)), encoding=_Streams.encoding, errors=FITTING
        )

    def write(self, text: str) -> int:
        """As ever; in words where it fails."""
        make_way()
        try:
            return super().write(text)
        except OSError as error:
            raise _failed(error) from error

    def flush(self) -> None:
        """As ever; in words where it fails."""
        try:
            super().flush()
        except OSError as error:
            raise _failed(error) from error


class Shown(io.TextIOWrapper):
    """A stream on which nothing acts, whoever writes to it; one that cannot be written to stops nobody."""

    def __init__(self, descriptor: int) -> None:
        raw = io.BufferedWriter(io.FileIO(descriptor, "w", closefd=False))
        super().__init__(raw, encoding=_Streams.error_encoding, errors=FITTING)

    def write(self, text: str) -> int:
        """At once, as nobody would wait for a message; \\r stays, for the bars of others."""
        make_way()
        with suppress(OSError):
            super().write(visible(text, keep="\n\r\t"))
            super().flush()
        return len(text)

    def flush(self) -> None:
        """What is left, if it can be written."""
        with suppress(OSError):
            super().flush()


class _Streams:
    """What `take_streams` and `divert` made of the streams of this process."""

    result: Result | None = None
    diverted = False
    encoding = "utf-8"
    error_encoding = "utf-8"
    silencing = threading.RLock()
    """Held by who has standard error point elsewhere: a second one would put that back for good."""


def _write(text: str) -> None:
    stream = output()
    stream.write(text)
    stream.flush()


def _failed(error: OSError) -> OutputFailed:
    if error.errno == errno.EPIPE:
        return ReaderGone("nobody reads standard output any more")
    return OutputFailed(f"cannot write the output: {error.strerror or error}")


def _open_if_closed(descriptor: int, mode: int) -> None:
    """A closed descriptor would be given to the next file that is opened, and be written to.

    Standard output is opened for reading, so that a result which nobody gets is a failure.
    """
    try:
        os.fstat(descriptor)
    except OSError:
        opened = os.open(os.devnull, mode)
        if opened != descriptor:
            os.dup2(opened, descriptor)
            os.close(opened)
        os.set_inheritable(descriptor, True)


def _bare_stderr() -> TextIO:
    """Standard error for what we draw ourselves: bars move the cursor."""
    if not isinstance(sys.stderr, Shown):
        return sys.stderr
    return open(2, "w", encoding=sys.stderr.encoding, errors=FITTING, closefd=False)


def _fitting(error: UnicodeError) -> tuple[str, int]:
    """A minus sign as a hyphen, and what has no likeness spelled out."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end].translate(PLAINER)
    return signs.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(FITTING, _fitting)

"""The parent's side: starts a child, asks it, and words how it died."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from evenhand.errors import BadAnswer, EvenhandError, ScoringFailed, UsageError, one_line
from evenhand.systems.apart.frames import DEAF, Broken, receive, send
from evenhand.systems.apart.values import packed, unpacked

CHILD = Path(__file__).with_name("child.py")
GLANCE = 0.5
"""Seconds between looks at whether a silent child is there: its line may be kept open by what it has started."""
GOODBYE = 2.0
"""Seconds that a child has to end by itself once it is no longer needed."""

_LOADED: set[str] = set()
"""The packages that children have imported."""

Message = tuple[dict[str, Any], bytes]


def loaded_apart() -> Set[str]:
    """The packages that systems in processes of their own have imported: what their answers may depend on."""
    return _LOADED


class Died(EvenhandError):
    """The process of a system is gone, or does not make sense any more."""


class Raised(Exception):
    """An exception of code that runs elsewhere; each has a class that is called as it was there."""


class Child:
    """An object in a process of its own, and its methods; `what` is `module:name` of what makes it there.

    A child that dies fails the question that it was asked. The next question starts another one. A `quiet` one prints
    nothing; `environment` has variables that it sees beside those of this process.
    """

    def __init__(
        self,
        what: str,
        *given: object,
        quiet: bool = False,
        environment: Mapping[str, str] | None = None,
        **named: object,
    ) -> None:
        self._quiet = quiet
        self._environment = dict(environment or {})
        self._making = to_make(what, given, named)
        self._line: _Line | None = None
        self._start()

    def call(self, method: str, *given: object) -> Any:
        """What a method of the object gives; what it raises is raised here, and `Died` where nobody is left."""
        if self._line is None:
            self._start()
        return self._asked(to_call(method, given))

    def close(self) -> None:
        """End it."""
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def kill(self) -> None:
        """End it at once, whatever it is doing; from any thread."""
        line = self._line
        if line is not None:
            line.kill()

    def _start(self) -> None:
        self._line = _Line(quiet=self._quiet, environment={**os.environ, **self._environment})
        self._asked(self._making)

    def _asked(self, question: dict[str, Any]) -> Any:
        line = self._line
        assert line is not None  # noqa: S101 - the callers see to it
        try:
            message, payload = line.asked(question)
        except BaseException:  # dead, or interrupted in the middle of a question: the line is of no more use
            self._line = None
            line.kill()
            raise
        if "raised" in message and question["do"] == "make":
            self.close()
        return heard(message, payload)


def to_make(what: str, given: Sequence[object], named: Mapping[str, object]) -> dict[str, Any]:
    """The message that makes an object."""
    return {**to_call("make", given), "what": what, "named": dict(named)}


def to_call(method: str, given: Sequence[object]) -> dict[str, Any]:
    """The message that calls a method."""
    return {"do": method, "with": packed(list(given))[0]}


def heard(message: dict[str, Any], payload: bytes) -> Any:
    """What an answer says; what was raised there is raised here."""
    _LOADED.update(message.get("loaded", ()))
    if "raised" in message:
        raise _raised(message["raised"])
    return unpacked(message["gave"], payload)


class _Line:
    """A running child and the pipes to it."""

    def __init__(self, *, quiet: bool, environment: Mapping[str, str]) -> None:
        apart: dict[str, Any] = {"start_new_session": True}  # an interrupt from the keyboard is for the run, not for it
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = subprocess.Popen(  # noqa: S603 - Python itself, and a file of this package
            [sys.executable, "-P", str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else _stderr(),
            bufsize=0,
            env=environment,
            **apart,
        )
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: PT018, S101
        self._questions = self._process.stdin
        self._said: queue.SimpleQueue[Message | Exception] = queue.SimpleQueue()
        self._leave = weakref.finalize(self, _leave, self._process)
        threading.Thread(target=_listen, args=(self._process, self._said), daemon=True).start()
        with contextlib.suppress(OSError):
            send(self._questions.fileno(), {"path": [str(place) for place in sys.path]})

    def asked(self, question: dict[str, Any]) -> Message:
        """The answer; what is logged meanwhile is logged here."""
        with contextlib.suppress(OSError):  # it has died: how is said below
            send(self._questions.fileno(), question)
        while True:
            try:
                said = self._said.get(timeout=GLANCE)
            except queue.Empty:
                if self._process.poll() is not None and self._said.empty():
                    raise Died(self._how_it_died()) from None
                continue
            if isinstance(said, Exception):
                raise Died(self._how_it_died())
            if "log" in said[0]:
                _log(said[0]["log"])
            elif "gave" in said[0] or "raised" in said[0]:
                return said

    def close(self) -> None:
        """Let it end by itself; what it prints then is still printed."""
        self._leave()

    def kill(self) -> None:
        """End it, and what it has started."""
        if self._leave.detach() is not None:
            _end(self._process)

    def _how_it_died(self) -> str:
        try:
            code = self._process.wait(GOODBYE)
        except subprocess.TimeoutExpired:
            return "it closed the line to its process, or wrote to it what is no answer; it was stopped"
        if code == DEAF:
            return "it closed the descriptors of its process"
        if code >= 0:
            return f"it ended its process, with exit code {code}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        why = {
            "SIGKILL": "; most often because it needed more memory than there is",
            "SIGSEGV": ": native code that it calls read or wrote where it must not",
            "SIGABRT": ": native code that it calls gave up",
            "SIGBUS": ": native code that it calls read or wrote where it must not",
            "SIGFPE": ": native code that it calls divided by zero",
            "SIGILL": ": native code that it calls is not made for this processor",
        }
        return f"its process was killed by {name}{why.get(name, '')}"


def _listen(process: subprocess.Popen[bytes], said: queue.SimpleQueue[Message | Exception]) -> None:
    assert process.stdout is not None  # noqa: S101
    handle = process.stdout.fileno()
    try:
        while True:
            said.put(receive(handle))
    except (Broken, OSError, MemoryError) as error:
        said.put(Broken(str(error)))
    finally:
        process.stdout.close()


def _leave(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None  # noqa: S101
    with contextlib.suppress(OSError):
        send(process.stdin.fileno(), {"do": "end"})
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GOODBYE)
    _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):  # it leads a group of its own, with all that it started
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _stderr() -> int | None:
    """Where the child may print: standard error, or nowhere if that is closed."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return None


def _log(record: list[Any]) -> None:
    name, level, said = record
    logging.getLogger(name).log(level, "%s", said)


def _raised(told: dict[str, Any]) -> Exception:
    """The exception again: those of Evenhand as they are, others under the name that they had."""
    for kind in (BadAnswer, ScoringFailed, UsageError, EvenhandError):
        if kind.__name__ in told["kinds"]:
            return kind(told["said"])
    if told.get("missing"):
        return ModuleNotFoundError(told["said"], name=told["missing"])
    error: Exception = type(str(told["type"]), (Raised,), {})(one_line(told["said"], 2_000))
    if told["trace"]:
        error.add_note(f"In the process of the system:\n{told['trace']}")
    return error

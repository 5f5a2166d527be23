"""The command line: one file per command; each parses, calls one verb, and shows the result."""

from __future__ import annotations

import logging
import re
import signal
import sys
from contextlib import AbstractContextManager, nullcontext
from types import FrameType

import typer

from evenhand.cli.app import app
from evenhand.errors import EvenhandError
from evenhand.printing import say, visible_line
from evenhand.printing.at_work import at_work
from evenhand.printing.streams import OutputFailed, ReaderGone, finish, give_up_output, take_streams
from evenhand.settings import short

INTERRUPTED = 130
"""What a shell gives as the exit code of a command that ended on SIGINT: 128 and the signal's number."""
LONGEST = 2_000
"""Signs of a message as it is shown: what is longer holds more of somebody's input than anybody reads."""
UNREADABLE = re.compile(r"Input should be a valid (number|integer), unable to parse string as an? \w+")
NEEDED = {"number": "give a number, with a point", "integer": "give a whole number"}
"""What the parser says of numbers that it cannot read, and what it says here."""
RESUMING = {"audit", "chat", "check", "drift", "explain", "rate", "repair"}
"""The commands whose answers are kept while they run."""
STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def main() -> None:
    """Run the command; a failure is one line on stderr and an exit code, a traceback only with --debug."""
    take_streams()
    debug = "--debug" in sys.argv
    # --debug may stand anywhere, also behind a command.
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    _show_log(logging.DEBUG if debug else logging.INFO)
    stopped_by = _heed_signals()
    code = _written(_run(arguments, debug=debug))
    sys.exit(128 + stopped_by[0] if code == INTERRUPTED and stopped_by else code)


def _run(arguments: list[str], *, debug: bool) -> int:
    """The exit code of a command."""
    try:
        # Not standalone: an interrupt is ours to explain. Newer versions of typer turn it into an exit code.
        with _said_to_work(arguments):
            code = app(args=arguments, prog_name="evenhand", standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        return int(code or 0)
    except (KeyboardInterrupt, typer.Abort):
        kept = "; sentences already scored are kept, and the same command goes on from there"
        say("interrupted" + (kept if RESUMING & set(arguments) else ""))
        return INTERRUPTED
    except EvenhandError as error:
        if debug and not isinstance(error, OutputFailed):
            raise
        return _failed(error)
    except Exception as error:
        # What the parser refuses knows its words and its code; its class differs between versions of typer.
        in_words, code = getattr(error, "format_message", None), getattr(error, "exit_code", None)
        if callable(in_words) and isinstance(code, int):
            _say_refused(error, str(in_words()))
            return code
        if debug:
            raise
        say(f"error: {_unexpected(error)}")
        return 1


def _said_to_work(arguments: list[str]) -> AbstractContextManager[None]:
    """What takes long says so; a server waits rather than works, and whoever asked for quiet has it."""
    typed = [one for one in arguments if not one.startswith("-")]
    quiet = "--quiet" in arguments or not typed or typed[0] == "serve"
    return nullcontext() if quiet else at_work(short(visible_line(typed[0])))


def _failed(error: EvenhandError) -> int:
    if isinstance(error, OutputFailed):
        give_up_output()
    if not isinstance(error, ReaderGone):
        say(f"error: {short(visible_line(error), LONGEST)}")
    return error.exit_code


def _written(code: int) -> int:
    """The exit code, once all is written; a failure to write is one of the command's, unless it failed before."""
    try:
        finish()
    except OutputFailed as error:
        return code or _failed(error)
    return code


def _say_refused(error: Exception, message: str) -> None:
    """What the parser refused; nothing where it has shown the help instead."""
    close = getattr(error, "possibilities", None)
    if close:
        message = f"{message.partition(' (')[0].partition('. Did')[0]}; did you mean {' or '.join(sorted(close))}?"
    message = UNREADABLE.sub(lambda found: NEEDED[found[1]], message)
    if message.strip():
        context = getattr(error, "ctx", None)
        asked = "" if context is None else f"; see `{context.command_path} --help`"
        say(f"error: {message[:1].lower()}{message[1:].rstrip('.')}{asked}")


def _heed_signals() -> list[int]:
    """Let every signal to stop end as an interrupt does, so that nothing is left behind; gives where it is noted.

    The second one ends the process at once.
    """
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        for one in heeded:
            signal.signal(one, signal.SIG_DFL)
        raise KeyboardInterrupt

    def pass_over(lost: sys.UnraisableHookArgs) -> None:
        """Where a finaliser met the signal, no traceback is shown; the next signal counts again."""
        if lost.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(lost)
            return
        received.clear()
        for one in heeded:
            signal.signal(one, stop)

    sys.unraisablehook = pass_over
    # One that is ignored, as under nohup, stays so.
    heeded = [one for one in STOPPING if signal.getsignal(one) is not signal.SIG_IGN]
    for one in heeded:
        signal.signal(one, stop)
    return received


def _unexpected(error: Exception) -> str:
    return f"{type(error).__name__}: {error} (this should not happen; --debug shows where)"


class _Said(logging.Handler):
    """What takes long is announced on stderr, never on stdout, one line each; the same line says nothing new."""

    def __init__(self) -> None:
        super().__init__()
        self._before: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Say it, unless it has been said."""
        line = self.format(record)
        if line not in self._before:
            self._before.add(line)
            say(line)


def _show_log(level: int) -> None:
    logger = logging.getLogger("evenhand")
    logger.addHandler(_Said())
    logger.setLevel(level)

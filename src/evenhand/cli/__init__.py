"""The command line: one file per command; each parses, calls one verb, and shows the result."""

from __future__ import annotations

import io
import logging
import os
import sys

import typer

from evenhand.cli.app import app
from evenhand.errors import EvenhandError

INTERRUPTED = 130
RESUMING = {"audit", "chat", "drift", "rate", "repair"}
"""The commands whose answers are kept while they run."""
BROKEN_PIPE = 141


def main() -> None:
    """Run the command; a failure is one line on stderr and an exit code, a traceback only with --debug."""
    debug = "--debug" in sys.argv
    # --debug may stand anywhere, also behind a command.
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    _show_log(logging.DEBUG if debug else logging.INFO)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a minus sign shows a question mark, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        # Not standalone: an interrupt is ours to explain. Newer versions of typer turn it into an exit code.
        code = app(args=arguments, prog_name="evenhand", standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except (KeyboardInterrupt, typer.Abort):
        kept = "; sentences already scored are kept, and the same command goes on from there"
        _say("interrupted" + (kept if RESUMING & set(arguments) else ""))
        sys.exit(INTERRUPTED)
    except EvenhandError as error:
        if debug:
            raise
        _say(f"error: {error}")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has gone; what is left to flush has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BROKEN_PIPE)
    except Exception as error:
        # What the parser refuses knows how to show itself; its class differs between versions of typer.
        show, code = getattr(error, "show", None), getattr(error, "exit_code", None)
        if callable(show) and isinstance(code, int):
            show()
            sys.exit(code)
        if debug:
            raise
        wrong = f"cannot write the output: {error.strerror}" if isinstance(error, OSError) else _unexpected(error)
        _say(f"error: {wrong}")
        sys.exit(1)


def _unexpected(error: Exception) -> str:
    return f"{type(error).__name__}: {error} (this should not happen; --debug shows where)"


def _show_log(level: int) -> None:
    """What takes long is announced on stderr, never on stdout."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("evenhand")
    logger.addHandler(handler)
    logger.setLevel(level)


def _say(line: str) -> None:
    sys.stderr.write(" ".join(line.split()) + "\n")

"""The command line: one file per command; each parses, calls one verb, and shows the result."""

from __future__ import annotations

import logging
import os
import sys

from evenhand.cli.app import app
from evenhand.errors import EvenhandError

INTERRUPTED = 130


def main() -> None:
    """Run the command; a failure is one line on stderr and an exit code, a traceback only with --debug."""
    debug = "--debug" in sys.argv
    # --debug may stand anywhere, also behind a command.
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    _show_log(logging.DEBUG if debug else logging.INFO)
    try:
        app(args=arguments, prog_name="evenhand")
    except EvenhandError as error:
        if debug:
            raise
        _say(f"error: {error}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _say("interrupted; sentences already scored are kept, and the same command goes on from there")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone; what is left to flush has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if debug:
            raise
        _say(f"error: {type(error).__name__}: {error} (this should not happen; --debug shows where)")
        sys.exit(1)


def _show_log(level: int) -> None:
    """What takes long is announced on stderr, never on stdout."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("evenhand")
    logger.addHandler(handler)
    logger.setLevel(level)


def _say(line: str) -> None:
    sys.stderr.write(" ".join(line.split()) + "\n")

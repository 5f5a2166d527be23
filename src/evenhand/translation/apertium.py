"""There and back: Apertium, which translates by rules, on this machine and fast (`apertium:eng-spa`)."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from evenhand.errors import EvenhandError, UsageError, one_line, quoted
from evenhand.systems.base import fingerprint_of
from evenhand.translation import stream
from evenhand.translation.base import code, pair_of, translator

PROGRAM = "apertium"
DATA = "APERTIUM_DATADIR"
DEBIAN = ("eng-spa", "eng-cat", "en-gl", "eo-en", "eu-en", "hbs-eng", "isl-eng", "mkd-eng")
"""The pairs with English for which Debian has a package."""

QUOTED = re.compile(r"'([^']+)'")


@translator("apertium", address="SOURCE-TARGET")
class Apertium:
    """Apertium, by the name of its direction; texts do not influence each other, whatever shares their batch.

    Words that it does not know stay as they are. A batch is one start of the program; one that takes longer than
    `timeout` seconds is given up, and what was translated until then is kept.
    """

    batch_size = 1024

    def __init__(self, direction: str, *, timeout: float = 120.0) -> None:
        source, target = pair_of(direction, name=PROGRAM)
        if not timeout > 0:
            raise UsageError(f"'apertium': timeout must be above 0 seconds, not {timeout}")
        self.name = f"{PROGRAM}:{direction}"
        self.source, self.target = code(source), code(target)
        self._direction, self._homeward, self._timeout = direction, f"{target}-{source}", timeout
        self._program = _program(direction)
        known = directions(self._program)
        if direction not in known:
            raise UsageError(
                f"Apertium has no direction {direction!r} here, only {', '.join(known) or 'none'}; {_remedy(direction)}"
            )
        self.fingerprint: str | None = self._fingerprint()

    def back(self) -> Apertium:
        """The same pair in the other direction."""
        return Apertium(self._homeward, timeout=self._timeout)

    def translate(self, texts: Sequence[str]) -> list[str]:
        """One translation a text; blanks at a text's ends stay as they are."""
        said = dict(self.each(texts))
        return [said[place] for place in range(len(texts))]

    def each(self, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Place and translation of each text; if the program fails, of those that it was done with."""
        # A word that is dropped leaves its blank behind, so that "She feels" becomes " Siente".
        bare = [text.strip() for text in texts]
        content, failure = self._run(b"".join(map(stream.to_frame, bare))) if texts else (b"", None)
        said = stream.from_frames(content)
        # Each program of the pipeline adds an empty frame when its input ends.
        if failure is None and (len(said) < len(texts) or any(said[len(texts) :])):
            failure = f"gave {len(said):,} texts for {len(texts):,}"
        for place, (text, found) in enumerate(zip(texts, said, strict=False)):
            yield place, text.replace(bare[place], found.strip(), 1) if bare[place] else text
        if failure is not None:
            at = f", at the text {quoted(texts[len(said)])}" if len(said) < len(texts) else ""
            raise EvenhandError(f"{self.name} {failure}{at}")

    def _run(self, content: bytes) -> tuple[bytes, str | None]:
        """What the program wrote, and what went wrong."""
        command = [self._program, "-f", "none", "-z", "-u", self._direction]
        settings = {key: value for key, value in os.environ.items() if key != "AP_SETVAR"}
        # A session of its own: the program is a script, and those that it starts must end with it.
        with subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=settings,
            start_new_session=True,
        ) as running:
            try:
                written, said = running.communicate(content, timeout=self._timeout)
            except subprocess.TimeoutExpired:
                _end(running)
                return running.communicate()[0], f"did not end within {self._timeout:g} s"
            except BaseException:
                _end(running)
                raise
        if running.returncode:
            return written, f"failed: {one_line(said.decode(errors='replace')) or f'exit code {running.returncode}'}"
        return written, None

    def _fingerprint(self) -> str | None:
        """Of the rules and dictionaries that the direction names, and of the programs that apply them."""
        mode = _data_folder(self._program) / "modes" / f"{self._direction}.mode"
        try:
            pipeline = mode.read_text(encoding="utf-8")
            files = [Path(name) for name in QUOTED.findall(pipeline)]
            digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
            versions = [_said([self._program, "-V"]), _said(["lt-proc", "-v"])]
        except (OSError, UnicodeDecodeError):
            return None
        return fingerprint_of(type(self), pipeline=pipeline, files=digests, versions=versions)


def directions(program: str | None = None) -> list[str]:
    """The directions that are installed; none where Apertium is not."""
    found = program or shutil.which(PROGRAM)
    return _said([found, "-l"]).split() if found else []


def direction_via(source: str, target: str) -> str:
    """The installed direction from one language to another, whichever codes Apertium has for them."""
    for direction in directions():
        there = direction.split("-")
        if len(there) == 2 and [code(one) for one in there] == [code(source), code(target)]:
            return direction
    program = [] if shutil.which(PROGRAM) else [PROGRAM]
    remedy = _remedy(f"{source}-{target}", *program)
    raise UsageError(f"Apertium cannot translate from {source!r} to {target!r} here; {remedy}")


def _program(direction: str) -> str:
    found = shutil.which(PROGRAM)
    if found is None:
        raise UsageError(f"the program {PROGRAM!r} is not installed; {_remedy(direction, PROGRAM)}")
    return found


def _remedy(direction: str, *packages: str) -> str:
    wanted = [code(one) for one in direction.split("-")]
    for pair in DEBIAN:
        ends = [code(one) for one in pair.split("-")]
        if ends in (wanted, wanted[::-1]):
            return f"on Debian and Ubuntu: apt-get install {' '.join([*packages, f'apertium-{pair}'])}"
    other = "Debian has no package for this pair; translate with hf:, argos: or http:"
    return f"apt-get install {' '.join(packages)}; {other}" if packages else other


def _data_folder(program: str) -> Path:
    return Path(os.environ.get(DATA) or Path(program).resolve().parent.parent / "share" / "apertium")


def _said(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)  # noqa: S603
    return done.stdout.strip()


def _end(running: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)

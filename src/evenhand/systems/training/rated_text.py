"""Texts that people rated from -4 to 4, out of the source distribution of vaderSentiment (MIT), fetched through pip."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evenhand.errors import EvenhandError
from evenhand.files.whole import replacing
from evenhand.systems.base import Array
from evenhand.systems.training import fetched
from evenhand.systems.training.fetched import Archive

SDIST = "vaderSentiment-3.3.2.tar.gz"
SHA256 = "5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9"
INNER = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
RATED = {
    f"hutto_ICWSM_2014/{file}_GroundTruth.txt": kind
    for file, kind in {
        "amazonReviewSnippets": "product reviews",
        "movieReviewSnippets": "film reviews",
        "nytEditorialSnippets": "editorials",
        "tweets": "tweets",
    }.items()
}


@dataclass(frozen=True)
class RatedTexts:
    """Texts and the mean of their human ratings, from -4 (most negative) to 4 (most positive)."""

    texts: tuple[str, ...]
    ratings: Array
    kinds: tuple[str, ...] = ()
    """What kind of text each is: tweet, film review and so on."""


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
    return fetched.fetch(_archive(), folder)


def check(content: bytes, where: str) -> bytes:
    """The archive's bytes if they are the known ones."""
    return fetched.check(_archive(), content, where)


def _archive() -> Archive:
    return Archive(
        file=SDIST,
        sha256=SHA256,
        requirement="vaderSentiment==3.3.2",
        options=("--no-binary=vaderSentiment",),
        carries="the rated texts that 'svr' learns from",
        is_called="the source distribution of vaderSentiment 3.3.2",
    )


def parse(sdist: bytes) -> RatedTexts:
    """Read the rated texts out of the archive, in memory: no path of the archive is ever written to."""
    with tarfile.open(fileobj=io.BytesIO(_member(sdist, INNER))) as inner:
        lines = [(*line, kind) for name, kind in RATED.items() for line in _lines(_read(inner, name))]
    texts, ratings, kinds = zip(*lines, strict=True)
    return RatedTexts(texts, np.array(ratings, dtype=np.float64), kinds)


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

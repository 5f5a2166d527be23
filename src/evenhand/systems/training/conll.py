"""What taggers learn from: sentences with a tag for each word, one word a line."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.files.opened import read_bytes
from evenhand.schemes import BILOU, OUTSIDE, Span, scheme_of

DOCUMENT = "-DOCSTART-"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TaggedSentences:
    """Sentences as words, and their tags in BILOU."""

    words: tuple[tuple[str, ...], ...]
    tags: tuple[tuple[str, ...], ...]
    source: str

    @cached_property
    def digest(self) -> str:
        """SHA-256 of words and tags, in order."""
        return digest_of_parts(part for sentence in (*self.words, *self.tags) for part in (*sentence, ""))

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes of the spans."""
        return tuple(sorted({tag[2:] for sentence in self.tags for tag in sentence if tag != OUTSIDE}))

    def __len__(self) -> int:
        return len(self.words)


def read_tagged(paths: Sequence[Path], *, like: TaggedSentences | None = None) -> TaggedSentences:
    """Sentences of files with one word a line, its tag in the last column, and empty lines between sentences.

    Tags are in IOB1 (as CoNLL-2003 came), IOB2, BILOU or IOBES, and become BILOU. Lines that begin a document
    (`-DOCSTART-`) are passed over. `like` is what a model was trained on: classes that it lacks are refused.
    """
    words: list[tuple[str, ...]] = []
    tags: list[tuple[str, ...]] = []
    for path in paths:
        for first, sentence, spans in _sentences(path):
            for span in spans:
                if like is not None and span.label not in like.classes:
                    line = first + span.start
                    raise EvenhandError(f"{path}, line {line}: the training files have no span of class {span.label!r}")
            words.append(tuple(sentence))
            tags.append(tuple(BILOU.write(spans, len(sentence))))
    source = ", ".join(map(str, paths))
    if not words:
        raise EvenhandError(f"{source}: there is no sentence")
    return TaggedSentences(tuple(words), tuple(tags), source)


def lines_of(path: Path) -> list[str]:
    """The lines of a text file; one that is not UTF-8 is read as Latin-1, and that is told."""
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        log.info("%s: it is not UTF-8 and was read as Latin-1", path)
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").split("\n")


def digest_of_parts(parts: Iterable[str]) -> str:
    """SHA-256 of texts, each with its length, so that none runs into the next."""
    content = hashlib.sha256()
    for part in parts:
        content.update(f"{len(part)}:{part}".encode())
    return content.hexdigest()


def _sentences(path: Path) -> Iterator[tuple[int, list[str], tuple[Span, ...]]]:
    """The line on which each sentence begins, its words, and the spans in it."""
    lines = [line.split() for line in lines_of(path)]
    tagged = {number for number, cells in enumerate(lines, start=1) if cells and cells[0] != DOCUMENT}
    for number in sorted(tagged):
        if len(lines[number - 1]) < 2:
            raise EvenhandError(
                f"{path}, line {number}: {one_line(repr(lines[number - 1][0]), 60)} has no tag behind it"
            )
    try:
        scheme = scheme_of(lines[number - 1][-1] for number in tagged)
    except UsageError as error:
        raise EvenhandError(f"{path}: {error}") from error
    for first in sorted(number for number in tagged if number - 1 not in tagged):
        last = next(number for number in count(first) if number not in tagged)
        cells = lines[first - 1 : last - 1]
        for number, row in enumerate(cells, start=first):
            try:
                scheme.parted(row[-1])
            except UsageError as error:
                raise EvenhandError(f"{path}, line {number}: {error}") from error
        # In IOB1, an I begins a span unless it goes on with one: the rule for what is ill-formed in other schemes.
        yield first, [row[0] for row in cells], scheme.read([row[-1] for row in cells]).spans

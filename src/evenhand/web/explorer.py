"""The explorer itself, without HTTP: a folder, its index, the results that were read, and what may be asked of them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evenhand.asking.cache import cache_root
from evenhand.comparing.audit import Audit
from evenhand.comparing.comparison import Comparison
from evenhand.comparing.findings import Finding
from evenhand.corpora import load_corpus
from evenhand.corpora.catalogue import corpus_names
from evenhand.errors import EvenhandError, UsageError
from evenhand.files.tables import table_bytes
from evenhand.files.whole import Content
from evenhand.results import Result
from evenhand.results.rendering import fitting, renderer_of
from evenhand.verbs.compare import compare
from evenhand.verbs.saved import KINDS
from evenhand.web.evidence import Evidence
from evenhand.web.index import Entry, Index
from evenhand.web.jobs import Jobs
from evenhand.web.kept import Kept
from evenhand.web.trying import Trials, perturbers

MOST_UPLOAD = 50 * 10**6
"""Bytes of a file that may be sent."""
READ, PAGES, FILES = 8, 256, 32
"""How many results, pages, and files of results are kept in memory."""
MAIN = "main"
"""What the main table of a result is called."""


class NotThere(UsageError):
    """What is asked for is not there, or not any more."""


@dataclass(frozen=True, eq=False)
class Read:
    """A result that was read from its folder."""

    entry: Entry
    result: Result
    folder: Path
    stamp: str

    @cached_property
    def evidence(self) -> Evidence:
        """The sentences behind it, of an audit."""
        return Evidence(self.audit)

    @property
    def audit(self) -> Audit:
        """It, where it is an audit."""
        if not isinstance(self.result, Audit):
            raise UsageError(f"sentences are behind the gaps of audits; this result is of the kind {self.result.kind}")
        return self.result

    def finding(self, number: int) -> Finding:
        """One of its findings."""
        if not 0 <= number < len(self.audit.findings):
            raise NotThere(f"this audit has {len(self.audit.findings)} findings, numbered from 0: there is no {number}")
        return self.audit.findings[number]


class Explorer:
    """What is served."""

    def __init__(
        self,
        folder: Path,
        *,
        systems: Sequence[str] | None = None,
        cache: Path | None = None,
        most_upload: int = MOST_UPLOAD,
    ) -> None:
        if not folder.is_dir():
            raise UsageError(f"there is no folder {folder}")
        self.folder = folder.resolve()
        self.most_upload = most_upload
        store = cache_root(cache) / "explorer" / hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:16]
        self.jobs = Jobs(store, self.folder, most=most_upload)
        self.index = Index(self.folder, store / "index.sqlite")
        self.trials = Trials(systems)
        self._read: Kept[Read] = Kept(READ)
        self._files: Kept[dict[str, Content]] = Kept(FILES)
        self._compared: Kept[Comparison] = Kept(FILES)
        self.pages: Kept[bytes] = Kept(PAGES)
        self._drawing, self._comparing = threading.Lock(), threading.Lock()

    def start(self) -> None:
        """Read what is new, and get ready for a first sentence, beside whatever else is done."""
        self.index.refresh_soon()
        threading.Thread(target=perturbers, daemon=True).start()

    def close(self) -> None:
        """Stop, and leave nothing behind but the index and the list of jobs."""
        self.jobs.close()
        self.index.close()
        self.trials.close()

    def read(self, id_: str) -> Read:
        """A result by its id."""
        found = self.index.get(id_)
        if found is None:
            raise NotThere("there is no such result, or not any more")
        kind = next(one for one in KINDS if one.kind == found.entry.kind)

        def load() -> Read:
            with self.plain_messages():
                return Read(found.entry, kind.load(found.folder), found.folder, found.stamp)

        return self._read.get((id_, found.stamp), load)

    @contextlib.contextmanager
    def plain_messages(self) -> Iterator[None]:
        """Messages name files as they are seen from the folder that is served."""
        try:
            yield
        except EvenhandError as error:
            error.args = (str(error).replace(f"{self.folder}{os.sep}", ""),)
            raise

    def tables(self, read: Read) -> dict[str, Content]:
        """The tables of a result as CSV, by name."""

        def make() -> dict[str, Content]:
            with self.plain_messages():
                renderer = renderer_of(read.result)
                files = {**renderer.beside(read.result), **renderer.tables(read.result)}
                with fitting(read.result):
                    main: dict[str, Content] = {MAIN: table_bytes(read.result.frame())}
            return main | _named(files, ".csv")

        return self._files.get((read.entry.id, read.stamp, "tables"), make)

    def figures(self, read: Read) -> dict[str, Content]:
        """The charts of a result as SVG, by name; each is drawn when it is asked for."""

        def make() -> dict[str, Content]:
            try:
                return _named(renderer_of(read.result).figures(read.result), ".svg")
            except UsageError:  # it was saved without what they would be drawn from, as its page says
                return {}

        return self._files.get((read.entry.id, read.stamp, "figures"), make)

    def drawn(self, content: Content) -> bytes:
        """A file's bytes; charts are drawn one at a time."""
        if isinstance(content, bytes):
            return content
        with self._drawing, self.plain_messages():
            return content()

    def compared(self, one: Read, other: Read, systems: tuple[str | None, str | None]) -> Comparison:
        """Two audits, or two systems of one, compared; one comparison at a time."""

        def make() -> Comparison:
            with self._comparing, self.plain_messages():
                for side in (one, other):
                    _ = side.audit  # what is no audit is refused by its kind
                return compare(str(one.folder), str(other.folder), systems=systems)

        key = (one.entry.id, one.stamp, other.entry.id, other.stamp, systems)
        return self._compared.get(key, make)

    def corpus_table(self, name: str) -> bytes:
        """A corpus as CSV, to be scored elsewhere."""
        if name not in corpus_names():
            raise NotThere("there is no such corpus")
        return table_bytes(load_corpus(name).frame)


def _named(files: Mapping[str, Content], ending: str) -> dict[str, Content]:
    """The files with an ending, by the last part of their names without it; numbers tell those of one name apart."""
    named: dict[str, Content] = {}
    for path, content in files.items():
        if path.endswith(ending):
            stem = name = path.rsplit("/", 1)[-1].removesuffix(ending)
            number = 1
            while name in named:
                number += 1
                name = f"{stem}-{number}"
            named[name] = content
    return named

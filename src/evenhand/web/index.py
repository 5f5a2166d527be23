"""The explorer's index: what lies below a folder, in SQLite, so that a thousand results are listed without being read.

It can always be made again from the folder. It lies in the cache, one file for each folder; one that is damaged, or of
another version, is dropped.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any, Literal

from evenhand.errors import EvenhandError, one_line
from evenhand.files.saved import UNREADABLE
from evenhand.printing import visible
from evenhand.report.explorer.headline import Gap, Headline, gaps_of, headline
from evenhand.results import Result
from evenhand.results.rendering import fitting
from evenhand.results.result import read_saved
from evenhand.verbs.saved import DEEPEST, KINDS, MOST_FOLDERS

SHAPE = 2
VERSION = zlib.crc32(f"{SHAPE} {importlib.metadata.version('evenhand')}".encode()) & 0x7FFFFFFF
"""Of the index: another version of Evenhand may say other things of the same results."""
FRESH = 2.0
"""Seconds for which what was found in the folder is taken to be still so."""
Sort = Literal["newest", "oldest", "kind", "system", "corpus", "place"]
ORDERS = {
    "newest": "problem IS NOT NULL, modified DESC, place",
    "oldest": "problem IS NOT NULL, modified, place",
    "kind": "problem IS NOT NULL, kind, modified DESC, place",
    "system": "problem IS NOT NULL, systems, modified DESC, place",
    "corpus": "problem IS NOT NULL, corpora, modified DESC, place",
    "place": "problem IS NOT NULL, place",
}
TABLES = """
CREATE TABLE results (
  id TEXT PRIMARY KEY, place TEXT, kind TEXT, systems TEXT, corpora TEXT, headline TEXT, look TEXT, problem TEXT,
  dated TEXT, version TEXT, modified REAL, stamp TEXT, searched TEXT, path BLOB
);
CREATE TABLE gaps (
  result TEXT, system TEXT, output TEXT, label TEXT, comparison TEXT, gap REAL, low REAL, high REAL, verdict TEXT,
  look TEXT
);
CREATE INDEX gaps_of ON gaps (result);
CREATE INDEX gaps_by ON gaps (system);
"""


@dataclass(frozen=True)
class Entry:
    """A saved result as it is listed; one that cannot be read has its `problem` instead of the rest."""

    id: str
    place: str
    """Its folder, seen from the one that is served."""
    kind: str
    systems: tuple[str, ...]
    corpora: tuple[str, ...]
    headline: str
    look: str
    problem: str | None
    dated: str | None
    """The day on which it was made, where somebody said so."""
    version: str | None
    """The version of the model, where somebody said so."""
    modified: float


@dataclass(frozen=True)
class Found:
    """A result of the index with where it lies, and a stamp that changes when it is saved again."""

    entry: Entry
    folder: Path
    stamp: str


@dataclass(frozen=True)
class Wanted:
    """Which results are asked for, and in which order."""

    text: str = ""
    kind: str | None = None
    system: str | None = None
    corpus: str | None = None
    sort: Sort = "newest"


class Index:
    """What lies below a folder."""

    def __init__(self, folder: Path, store: Path) -> None:
        self.folder = folder
        self._store = store
        self._lock, self._scanning = threading.RLock(), threading.Lock()
        self._scanned = -FRESH
        self.left = 0
        """How many results are still to be read."""
        self.complete = True
        """Whether all folders were looked into."""
        self._base = _opened(store)

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            self._base.close()

    def refresh(self, *, now: bool = False) -> None:
        """Look what is new, changed or gone, and read that; what others just looked at is not looked at again."""
        if not now and time.monotonic() - self._scanned < FRESH:
            return
        with self._scanning:
            if not now and time.monotonic() - self._scanned < FRESH:
                return
            there = {id_of(place, kind): (place, kind, stamp) for place, kind, stamp in self._seen()}
            known = dict(self._rows("SELECT id, stamp FROM results"))
            self._drop([one for one in known if one not in there])
            new = [(one, *about) for one, about in there.items() if known.get(one) != about[2]]
            for number, (one, place, kind, stamp) in enumerate(new):
                self.left = len(new) - number
                self._enter(one, place, kind, stamp)
            self.left = 0
            self._scanned = time.monotonic()

    def refresh_soon(self) -> None:
        """The same beside whatever else is done; a reader does not wait for it."""
        if time.monotonic() - self._scanned >= FRESH and not self._scanning.locked():
            threading.Thread(target=self._quietly, daemon=True).start()

    def _quietly(self) -> None:
        with contextlib.suppress(sqlite3.Error, OSError):  # closed meanwhile, or the folder is gone: the next one tells
            self.refresh()

    def listed(self, wanted: Wanted, *, first: int = 0, most: int = -1) -> tuple[list[Entry], int]:
        """Some of the results that are asked for, and how many there are in all."""
        conditions: list[str] = ["1"]
        values: list[str] = []
        for word in wanted.text.lower().split():
            conditions.append("instr(searched, ?)")
            values.append(word)
        for column, value in (("kind", wanted.kind), ("systems", wanted.system), ("corpora", wanted.corpus)):
            if value is not None:
                conditions.append("kind = ?" if column == "kind" else f"instr({column}, ?)")
                values.append(value if column == "kind" else json.dumps(value, ensure_ascii=False))
        where = " AND ".join(conditions)
        (count,) = self._rows(f"SELECT count(*) FROM results WHERE {where}", values)[0]  # noqa: S608 - our own words
        order = ORDERS[wanted.sort]
        rows = self._rows(
            f"SELECT * FROM results WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",  # noqa: S608
            [*values, most, first],
        )
        return [_entry(row) for row in rows], count

    def get(self, id_: str) -> Found | None:
        """A result, and where it lies; None where there is none of this id."""
        rows = self._rows("SELECT * FROM results WHERE id = ?", [id_])
        if not rows:
            return None
        return Found(_entry(rows[0]), self.folder / os.fsdecode(rows[0]["path"]), rows[0]["stamp"])

    def gaps(self, ids: Sequence[str] | None = None, *, system: str | None = None) -> list[tuple[str, Gap]]:
        """The gaps of these results, or of all; of one system, or of all."""
        conditions: list[str] = ["1"]
        values: list[str] = []
        if ids is not None:
            conditions.append(f"result IN ({', '.join('?' * len(ids))})")
            values += ids
        if system is not None:
            conditions.append("system = ?")
            values.append(system)
        where = " AND ".join(conditions)
        rows = self._rows(f"SELECT * FROM gaps WHERE {where} ORDER BY rowid", values)  # noqa: S608
        return [(row["result"], Gap(*tuple(row)[1:])) for row in rows]

    def known(self, column: Literal["kind", "systems", "corpora"]) -> list[str]:
        """All kinds, systems or corpora that there are."""
        rows = self._rows(f"SELECT DISTINCT {column} FROM results WHERE problem IS NULL")  # noqa: S608
        if column == "kind":
            return sorted(row[0] for row in rows)
        return sorted({name for row in rows for name in json.loads(row[0])}, key=str.lower)

    def followed(self) -> list[tuple[str, int]]:
        """Systems that several audits are about, and how many."""
        rows = self._rows(
            "SELECT system, count(DISTINCT result) AS n FROM gaps GROUP BY system HAVING n > 1 ORDER BY n DESC, system"
        )
        return [(system, number) for system, number in rows]

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._base.execute(query, list(values)).fetchall()
            except sqlite3.ProgrammingError:  # it was closed
                raise
            except sqlite3.DatabaseError:
                self._begin_again()
                return self._base.execute(query, list(values)).fetchall()

    def _begin_again(self) -> None:
        """Drop an index that was damaged while it was in use; the next look at the folder fills it again."""
        with contextlib.suppress(sqlite3.Error):
            self._base.close()
        self._base = _opened(self._store)
        self._scanned = -FRESH

    def _seen(self) -> Iterator[tuple[str, type[Result], str]]:
        """The results below the folder, each with its place, kind, and a stamp that changes when it is saved again."""
        files = {kind.file: kind for kind in KINDS}
        self.complete = True
        for number, (place, below, names) in enumerate(os.walk(self.folder)):
            if number == MOST_FOLDERS:
                self.complete = False
                return
            here = Path(place)
            below[:] = sorted(name for name in below if not name.startswith("."))
            if below and len(here.relative_to(self.folder).parts) >= DEEPEST:
                self.complete = False
                below.clear()
            kinds = [files[name] for name in names if name in files]
            parts = {file for kind in kinds for file in kind.companions}
            for kind in kinds:
                if kind.file in parts:
                    continue
                with contextlib.suppress(OSError):  # gone meanwhile
                    about = (here / kind.file).stat()
                    yield here.relative_to(self.folder).as_posix(), kind, f"{about.st_mtime_ns} {about.st_size}"

    def _enter(self, id_: str, place: str, kind: type[Result], stamp: str) -> None:
        modified = int(stamp.split()[0]) / 1e9
        entry, gaps = _described(self.folder / place, id_, visible(place), kind, modified)
        searched = " ".join(
            [
                entry.place,
                kind.kind,
                *entry.systems,
                *entry.corpora,
                entry.headline,
                entry.version or "",
                entry.dated or "",
            ]
        ).lower()
        values = [
            json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value
            for value in asdict(entry).values()
        ]
        with self._lock, self._base:
            self._base.execute("DELETE FROM gaps WHERE result = ?", [id_])
            marks = ", ".join("?" * 14)
            self._base.execute(
                f"REPLACE INTO results VALUES ({marks})",  # noqa: S608 - question marks
                [*values, stamp, searched, os.fsencode(place)],
            )
            self._base.executemany(
                f"INSERT INTO gaps VALUES ({', '.join('?' * 10)})",  # noqa: S608
                [(id_, *astuple(gap)) for gap in gaps],
            )

    def _drop(self, ids: Sequence[str]) -> None:
        with self._lock, self._base:
            for one in ids:
                self._base.execute("DELETE FROM results WHERE id = ?", [one])
                self._base.execute("DELETE FROM gaps WHERE result = ?", [one])


def id_of(place: str, kind: type[Result]) -> str:
    """What a result is called in addresses: nothing that could be a path, and the same when the index is made again."""
    return hashlib.sha256(os.fsencode(f"{kind.kind}/{place}")).hexdigest()[:16]


def _described(folder: Path, id_: str, place: str, kind: type[Result], modified: float) -> tuple[Entry, list[Gap]]:
    try:
        result = _read(folder, kind)
        with fitting(result):
            first, gaps, about = headline(result), gaps_of(result), result.provenance
            systems = about.system_names or tuple(one.name for one in about.files)
        statement = about.statement
        entry = Entry(
            id_, place, kind.kind, systems, about.corpus_names, first.text, first.look, None, statement.date,
            statement.model_version, modified,
        )  # fmt: skip
        return entry, gaps
    except Exception as error:  # whatever is in a file, it is listed as one that cannot be read
        said = one_line(error) if isinstance(error, EvenhandError) else f"{type(error).__name__}: {one_line(error)}"
        problem = one_line(said.replace(f"{folder}{os.sep}", ""), 300)
        broken = Headline("cannot be read")
        return Entry(id_, place, kind.kind, (), (), broken.text, broken.look, problem, None, None, modified), []


def _read(folder: Path, kind: type[Result]) -> Result:
    """A result without its scores and corpora: they are big, and no list needs them. Some kinds are nothing without."""
    path = folder / kind.file
    values = read_saved(path)
    try:
        result = kind.from_dict(values)
    except (EvenhandError, *UNREADABLE):
        return kind.load(folder)  # which says what is wrong, if something is
    object.__setattr__(result, "_loaded_from", path)
    return result


def _entry(row: sqlite3.Row) -> Entry:
    values = {name: row[name] for name in Entry.__dataclass_fields__}
    return Entry(**values | {name: tuple(json.loads(row[name])) for name in ("systems", "corpora")})


def _opened(store: Path) -> sqlite3.Connection:
    store.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(2):
        base = sqlite3.connect(store, check_same_thread=False)
        base.row_factory = sqlite3.Row
        try:
            (version,) = base.execute("PRAGMA user_version").fetchone()
            if version == VERSION:
                base.execute("SELECT count(*) FROM results").fetchone()
                base.execute("SELECT count(*) FROM gaps").fetchone()
                return base
            if version == 0 and not base.execute("SELECT name FROM sqlite_master").fetchall():
                base.executescript(TABLES)
                base.execute(f"PRAGMA user_version = {VERSION}")
                base.commit()
                return base
        except sqlite3.Error:
            pass
        base.close()
        for ending in ("", "-journal", "-wal", "-shm"):
            store.with_name(store.name + ending).unlink(missing_ok=True)
    raise EvenhandError(f"the explorer's index {store} cannot be written")

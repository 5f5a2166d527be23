"""Jobs of the explorer: what takes long, one after the other, in a worker process; they outlive a reload of the page.

What became of each is kept in SQLite. What a server leaves unfinished when it stops is told as interrupted when the
next one starts, and what was sent for it is removed.
"""

from __future__ import annotations

import queue
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evenhand.errors import EvenhandError, UsageError, one_line
from evenhand.printing import visible_line
from evenhand.systems.apart.process import Child
from evenhand.web.work import STAGE, UPLOAD

State = Literal["waiting", "running", "done", "failed", "interrupted"]
ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")
PLACE = "uploads"
"""The folder, in the one that is served, of audits of what was sent."""
MOST_WAITING = 20
LONGEST = 15 * 60.0
"""Seconds after which a job is stopped."""
IDLE = 60.0
"""Seconds that the worker stays when there is nothing to do."""
INTERRUPTED = "the explorer was stopped before this was done; what was sent is gone: send it again"
TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY, title TEXT, state TEXT, stage TEXT, message TEXT, result TEXT, begun REAL, ended REAL
)
"""
UNFINISHED = "UPDATE jobs SET state = 'interrupted', message = ?, ended = ? WHERE state IN ('waiting', 'running')"


@dataclass(frozen=True)
class Job:
    """What is to be done, and how far it is."""

    id: str
    title: str
    state: State
    stage: str
    message: str
    result: str | None
    """The place of what was found, in the folder that is served."""
    begun: float
    ended: float | None

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state not in ("waiting", "running")


@dataclass(frozen=True)
class Upload:
    """Predictions that somebody sent, and what is to be known of them."""

    shown: str
    """What the file was called; shown and never used as a name."""
    ending: str
    name: str
    corpus: str
    low: float | None = None
    high: float | None = None
    high_is: str | None = None


class Jobs:
    """The jobs of one explorer."""

    def __init__(self, store: Path, folder: Path, *, most: int, longest: float = LONGEST) -> None:
        """`store` is theirs alone; results are saved below `folder`; what is sent has `most` bytes."""
        store.mkdir(parents=True, exist_ok=True)
        self._held = _alone(store / "held.sqlite")
        self._folder, self._most, self._longest = folder, most, longest
        self._places = store / "jobs"
        shutil.rmtree(self._places, ignore_errors=True)
        self._places.mkdir(mode=0o700)
        self._lock = threading.Lock()
        self._base = sqlite3.connect(store / "jobs.sqlite", check_same_thread=False)
        self._base.row_factory = sqlite3.Row
        self._do(TABLE)
        unfinished = (
            "UPDATE jobs SET state = 'interrupted', message = ?, ended = ? WHERE state IN ('waiting', 'running')"
        )
        self._do(unfinished, INTERRUPTED, time.time())
        self._waiting: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._arriving = 0
        self._child: Child | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop what is under way; the next start tells it."""
        self._closed = True
        self._waiting.put(None)
        child = self._child
        if child is not None:
            child.kill()
        self._thread.join(10)
        shutil.rmtree(self._places, ignore_errors=True)
        with self._lock:
            self._base.close()
        self._held.close()

    def refuse_more(self) -> None:
        """Tell that there is no room for another one, before it is sent."""
        if self._waiting.qsize() + self._arriving >= MOST_WAITING:
            raise UsageError(f"{MOST_WAITING} jobs are waiting already; come back when some of them are done")

    def enter(self, upload: Upload, write: Callable[[Path], None]) -> Job:
        """Begin the audit of what somebody sent; `write` puts it in its place."""
        with self._lock:
            self.refuse_more()
            self._arriving += 1
        try:
            return self._enter(upload, write)
        finally:
            with self._lock:
                self._arriving -= 1

    def _enter(self, upload: Upload, write: Callable[[Path], None]) -> Job:
        id_ = secrets.token_hex(8)
        place = self._places / id_
        place.mkdir(mode=0o700)
        try:
            write(place / f"{UPLOAD}{upload.ending}")
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        title = f"Audit of {visible_line(upload.name)} on {upload.corpus}"
        self._do("INSERT INTO jobs VALUES (?, ?, 'waiting', 'waiting', '', NULL, ?, NULL)", id_, title, time.time())
        self._waiting.put(lambda: self._audit(id_, place, upload))
        return self.get(id_)

    def get(self, id_: str) -> Job:
        """A job as it stands."""
        rows = self._do("SELECT * FROM jobs WHERE id = ?", id_)
        if not rows:
            raise UsageError("there is no such job")
        return self._told(rows[0])

    def all(self) -> list[Job]:
        """The latest first."""
        return [self._told(row) for row in self._do("SELECT * FROM jobs ORDER BY begun DESC LIMIT 100")]

    def _told(self, row: sqlite3.Row) -> Job:
        job = Job(**{name: row[name] for name in Job.__dataclass_fields__})
        if job.state != "running":
            return replace(job, stage=job.state)
        try:
            stage = (self._places / job.id / STAGE).read_text("utf-8")
        except OSError:
            stage = "starting"
        return replace(job, stage=stage)

    def _do(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock, self._base:
            return self._base.execute(query, values).fetchall()

    def _work(self) -> None:
        while not self._closed:
            try:
                job = self._waiting.get(timeout=IDLE)
            except queue.Empty:
                self._rest()
                continue
            if job is not None and not self._closed:
                job()
        self._rest()

    def _rest(self) -> None:
        """Let the worker go until there is something to do."""
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _audit(self, id_: str, place: Path, upload: Upload) -> None:
        self._do("UPDATE jobs SET state = 'running' WHERE id = ?", id_)
        result = f"{PLACE}/{id_}"
        settings = {"low": upload.low, "high": upload.high, "high_is": upload.high_is, "most": self._most}
        told: str | None = None
        try:
            given = (str(place), upload.ending, upload.name, upload.corpus, settings, str(self._folder / result))
            self._in_child("audit", *given)
        except Exception as error:  # whatever it was, the others go on
            known = isinstance(error, EvenhandError)
            said = one_line(error, 1_000) if known else f"{type(error).__name__}: {one_line(error, 1_000)}"
            for part in (str(place / f"{UPLOAD}{upload.ending}"), f"{UPLOAD}{upload.ending}"):
                said = said.replace(part, visible_line(upload.shown))
            told = said.replace(f"{self._folder}/", "")
        finally:
            shutil.rmtree(place, ignore_errors=True)
        if self._closed:
            return
        if told is None:
            self._do("UPDATE jobs SET state = 'done', result = ?, ended = ? WHERE id = ?", result, time.time(), id_)
        else:
            self._do("UPDATE jobs SET state = 'failed', message = ?, ended = ? WHERE id = ?", told, time.time(), id_)

    def _in_child(self, method: str, *given: Any) -> None:
        """Have it done in the worker's process, and not for ever; one that died is started again."""
        late = threading.Event()
        child = self._child = self._child or Child("evenhand.web.work:Work")

        def stop() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(self._longest, stop)
        timer.daemon = True
        timer.start()
        try:
            child.call(method, *given)
        except EvenhandError as error:
            if late.is_set():
                raise EvenhandError(f"it took more than {self._longest / 60:g} minutes, and was stopped") from error
            raise
        finally:
            timer.cancel()


def _alone(path: Path) -> sqlite3.Connection:
    """Hold a file until the end of this process, however it ends: two explorers would take each other's jobs away."""
    held = sqlite3.connect(path, timeout=0, check_same_thread=False, isolation_level=None)
    try:
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        held.close()
        raise UsageError("another explorer is serving this folder; stop that one first, or use it") from error
    return held

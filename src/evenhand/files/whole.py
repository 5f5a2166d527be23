"""Files, written whole or not at all.

What is written lies first in a hidden folder beside its place, FOLDER/.evenhand-*.part, which its process holds locked.
One that a killed process left behind is removed by the next that writes there. Files that belong together are written
there first, all of them; then the folder is renamed to .evenhand-*.written, and from that moment on they are the ones
that count: a process that is killed while it puts them in place leaves the rest to the next that reads or writes there.
There is no fsync: after a power cut, files may be damaged.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self
from uuid import uuid4

from evenhand.errors import EvenhandError

try:
    import fcntl
except ModuleNotFoundError:  # on systems without it, what was left behind is known by its age alone
    fcntl = None  # type: ignore[assignment]

Content = bytes | Callable[[], bytes]
"""What goes into a file, or what makes it: many big files need not be held at once."""
UNFINISHED, WRITTEN = ".part", ".written"
FROM_RUST = re.compile(r"\(os error ([0-9]{1,3})\)")
"""How libraries that write in Rust name an error of the system; their exceptions have a class of their own."""
ABANDONED_AFTER = 24 * 3600.0
"""Seconds after which a folder that nobody can be asked about was left behind."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; put it in place of `path` at the end, or leave nothing behind."""
    with _told(path):
        if not path.name:
            raise EvenhandError(f"{path} cannot be written: it is no name of a file")
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise EvenhandError(f"{path} cannot be written: it is a device or a pipe, not a file")
        with _staging(path.parent) as stage:
            yield stage.files / path.name
            (stage.files / path.name).replace(path)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that no reader, and no crash of this process, ever sees a part of it."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_together(
    folder: Path,
    contents: Mapping[str, Content],
    *,
    last: Iterable[str] = (),
    outdated: Iterable[str] = (),
    advance: Callable[[int], None] = lambda count: None,
) -> list[Path]:
    """Write files that belong together into a folder and below it, all or none, by their names; gives their paths.

    After a kill the earlier files are all there, or `finish` puts the new ones in place. The first file says that the
    others are whole: it is gone while they are put in place, and comes last; before it come those that are named as the
    `last`, which say so of folders below. `outdated` are files to remove then. `advance` is called with 1 for each file
    that is written.
    """
    places = {name: folder / name for name in contents}
    with _told(folder):
        made = _missing(place.parent for place in places.values())
    try:
        with _told(folder), _staging(folder) as stage:
            for name, content in contents.items():
                with _told(places[name]):
                    _write_below(stage.files, name, content() if callable(content) else content)
                advance(1)
            for place in places.values():
                _check_place(place)
            _put_in_place(stage.written([*contents][:1], [*last], [*outdated]), folder)
    finally:
        _remove_empty(made)
    return [*places.values()]


def finish(folder: Path) -> None:
    """Put in place what a process had written when it was killed. To be called before files of a folder are read."""
    places: list[Path] = []
    with suppress(OSError):  # what cannot be looked into holds nothing to finish; whoever reads it is told why
        places = sorted(folder.glob(f".evenhand-*{WRITTEN}"))
    for place in places:
        with _abandoned(place) as stage:
            if stage is not None:
                with _told(folder):
                    _check_inside(stage, folder)
                    _put_in_place(stage, folder)


@dataclass(frozen=True)
class _Stage:
    """The hidden folder in which files are written before they are put in place."""

    path: Path

    @property
    def files(self) -> Path:
        return self.path / "files"

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def note(self) -> Path:
        return self.path / "note"

    def written(self, first: Sequence[str], last: Sequence[str], outdated: Sequence[str]) -> Self:
        """From here on the files count; what is to be done is noted: the names that come last, those to remove."""
        self.note.write_bytes(b"\0".join(map(os.fsencode, [*first, *(f"/{name}" for name in last), *outdated])))
        return replace(self, path=self.path.rename(self.path.with_suffix(WRITTEN)))

    def noted(self) -> tuple[list[str], list[str]]:
        """The names that come last, the very last first; and those to remove. None of them once all is done."""
        note = self.note.read_bytes() if self.note.exists() else b""
        first, *others = map(os.fsdecode, note.split(b"\0"))
        last = [name[1:] for name in others if name.startswith("/")]
        return [first, *last] if first else [], [name for name in others if not name.startswith("/")]

    def names(self) -> list[str]:
        """The files that are not in place yet."""
        found = (Path(place, name) for place, _, names in os.walk(self.files) for name in names)
        return sorted(str(path.relative_to(self.files)) for path in found)


def _put_in_place(stage: _Stage, folder: Path) -> None:
    """Move all files in place; an interrupt waits until that is done, which takes milliseconds."""
    try:
        _move(stage, folder)
    except KeyboardInterrupt:
        _move(stage, folder)
        _remove(stage)
        raise
    _remove(stage)


def _move(stage: _Stage, folder: Path) -> None:
    last, outdated = stage.noted()  # whatever is done already is not done again: this may be the second time
    names = stage.names()
    for name in last:
        if name in names:
            (folder / name).unlink(missing_ok=True)
    for name in outdated:
        (folder / name).unlink(missing_ok=True)
    _remove_empty({(folder / name).parent for name in outdated} - {folder})
    for name in sorted(names, key=lambda name: -last.index(name) if name in last else -len(names)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (stage.files / name).replace(folder / name)


def _check_inside(stage: _Stage, folder: Path) -> None:
    """Whoever got a folder from somebody else must not have files written or removed outside it."""
    last, outdated = stage.noted()
    for name in (*last, *outdated, *stage.names()):
        if not (folder / name).parent.resolve().is_relative_to(folder.resolve()):
            raise EvenhandError(f"{folder} holds a result that would be put elsewhere: remove {stage.path}")


@contextmanager
def _staging(folder: Path) -> Iterator[_Stage]:
    """A hidden folder of this process alone; at the end, and at the next such one after a kill, it is removed."""
    made = _missing([folder])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        finish(folder)
        _clear(folder)
        with _new_stage(folder) as stage:
            stage.files.mkdir()
            yield stage
    finally:
        _remove_empty(made)


@contextmanager
def _new_stage(folder: Path) -> Iterator[_Stage]:
    stage, lock = None, None
    while stage is None:
        made = _Stage(folder / f".evenhand-{uuid4().hex[:12]}{UNFINISHED}")
        made.path.mkdir()
        with suppress(FileNotFoundError):  # somebody took it for one that was left behind
            lock = _lock(made.lock, os.O_RDWR | os.O_CREAT, wait=True)
            stage = made if made.lock.exists() else None
    try:
        yield stage
    finally:
        _remove(stage)
        _unlock(lock)


def _clear(folder: Path) -> None:
    for place in folder.glob(f".evenhand-*{UNFINISHED}"):
        with _abandoned(place) as stage:
            if stage is not None:
                _remove(stage)


@contextmanager
def _abandoned(place: Path) -> Iterator[_Stage | None]:
    """A hidden folder, held locked, if no living process holds it; else None."""
    stage, lock = _Stage(place), None
    try:
        lock = _lock(stage.lock, os.O_RDWR)
    except FileNotFoundError:
        with suppress(OSError):  # empty: killed before it was locked, or removed (or made: then another will be)
            place.rmdir()
        yield None
    except OSError:  # held; or somebody else's
        yield None
    else:
        yield stage
    finally:
        _unlock(lock)


def _lock(path: Path, flags: int, *, wait: bool = False) -> int | None:
    """Hold a file as long as this process lives; an error if another does."""
    handle = os.open(path, flags, 0o666)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        if not wait and time.time() - os.fstat(handle).st_mtime < ABANDONED_AFTER:
            raise BlockingIOError
    except OSError:
        os.close(handle)
        if not wait:  # else a disk that knows no locks: what is left behind there stays
            raise
        return None
    os.close(handle)  # without locks, folders with open files cannot be renamed
    return None


def _unlock(lock: int | None) -> None:
    if lock is not None:
        os.close(lock)


def _remove(stage: _Stage) -> None:
    """The lock goes last, so that of whom is killed meanwhile nothing stays that is not known to be left behind."""
    shutil.rmtree(stage.files, ignore_errors=True)
    with suppress(OSError):
        stage.note.unlink(missing_ok=True)
        stage.lock.unlink(missing_ok=True)
        stage.path.rmdir()


def _write_below(folder: Path, name: str, content: bytes) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def _check_place(path: Path) -> None:
    """Find out before anything is put in place what would be in the way."""
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
        if path.is_dir():
            raise EvenhandError(f"{path} cannot be written: there is a folder of that name")


def _missing(folders: Iterable[Path]) -> set[Path]:
    """The folders that will have to be made."""
    return {place for folder in folders for place in (folder, *folder.parents) if not place.exists()}


def _remove_empty(folders: Iterable[Path]) -> None:
    for empty in sorted(folders, key=lambda place: -len(place.parts)):
        with suppress(OSError):
            empty.rmdir()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EvenhandError(f"{path} cannot be written: {reason(error)}") from error
    except Exception as error:
        why = _of_rust(error)
        if why is None or isinstance(error, EvenhandError):
            raise
        raise EvenhandError(f"{path} cannot be written: {why}") from error


def check_writable(folder: Path) -> None:
    """Find out before hours of work, not after, that a folder cannot be made or written to."""
    made: list[Path] = []
    try:
        made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EvenhandError(f"{folder} cannot be written to: {reason(error)}") from error
    finally:
        for empty in made:
            with suppress(OSError):
                empty.rmdir()


def write_all(handle: int, content: bytes) -> None:
    """Write all of it, as the system may take less at a time than it is given (on a disk that is almost full)."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def reason(error: OSError) -> str:
    """What the operating system said, without its number and without the name of an unfinished file."""
    return error.strerror or _of_rust(error) or " ".join(str(error).split()) or type(error).__name__


def _of_rust(error: Exception) -> str | None:
    number = FROM_RUST.search(str(error))
    return None if number is None else os.strerror(int(number[1]))

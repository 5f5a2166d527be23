"""The cache: what systems answered, batch by batch, in files that survive kills, crashes and company.

    ROOT/scores/SYSTEM/*.answers      of a system with a fingerprint; kept for every later run
    ROOT/unfinished/RUN/*.answers     of one unfinished run of a system without; dropped when the run completes

Each run appends to one file of its own, so that any number of runs may share a folder, and a kill can only cut off the
record that was being written. One file a batch would be as safe, but where many files were deleted lately ext4 needs
0.4 ms and more to create one, and an endpoint asked sentence by sentence would leave thousands. Folder names are
hashes, so that no user's text and no secret becomes a path. There is no fsync: a record that a power cut damaged fails
its checksum and is asked again.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from evenhand.asking.plan import Plan, key_of
from evenhand.errors import EvenhandError
from evenhand.files.records import matrix_record, read_matrices
from evenhand.files.whole import reason, write_all
from evenhand.systems.base import Array, BaseSystem

VARIABLE = "EVENHAND_CACHE_DIR"
ANSWERS = ".answers"
DROPPED = ".dropped"
ATTEMPTS = 10


def cache_root(folder: Path | None = None) -> Path:
    """Where the cache lies: the folder given, else EVENHAND_CACHE_DIR, else the platform's cache folder."""
    if folder is not None:
        return Path(folder).expanduser()
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("evenhand", appauthor=False))


def store_for(system: BaseSystem, plan: Plan, root: Path) -> Store:
    """The part of the cache that holds this system's answers."""
    if system.fingerprint is not None:
        return Store(root, root / "scores" / key_of([system.fingerprint, *system.answer_names]), lasting=True)
    # Without a fingerprint nobody knows whether the system still gives the answers it gave, so they may only complete
    # the very run that was interrupted: the same name, the same code as far as it can be seen, the same questions.
    resume_key = "" if system.resume_key is None else f"={system.resume_key}"
    run = key_of([system.name, resume_key, plan.key, *system.answer_names])
    return Store(root, root / "unfinished" / run, lasting=False)


class Store:
    """The answered batches of one system (or of one of its runs): those found there, and those this run adds."""

    def __init__(self, root: Path, folder: Path, *, lasting: bool) -> None:
        self._root = root
        self._folder = folder
        self._lasting = lasting
        self._own: OwnFile | None = None

    @property
    def lasting(self) -> bool:
        """Whether a fingerprint vouches for the answers, so that every later run may use them."""
        return self._lasting

    @cached_property
    def _found(self) -> dict[str, Array]:
        # In the order of their names, which begin with the time: of two answers to one batch the later one counts.
        found: dict[str, Array] = {}
        for content in self.contents():
            found.update(read_matrices(content))
        return found

    def contents(self) -> Iterator[bytes]:
        """What earlier runs left, file by file, from the earliest on."""
        with contextlib.suppress(OSError):  # another run dropped the folder
            yield from map(_content, sorted(self._folder.glob(f"*{ANSWERS}")))

    def read(self, key: str, shape: tuple[int, int]) -> Array | None:
        """The answers of a batch that earlier runs left; None if there are none, or none that can be trusted."""
        values = self._found.get(key)
        return values if values is not None and values.shape == shape else None

    def __enter__(self) -> Store:
        """Open this run's file: that nothing can be kept must be found out before a slow system is asked, not after."""
        try:
            if not self._lasting:
                for left in self._folder.parent.glob(f"*{DROPPED}"):  # by a run that was killed while it tidied up
                    shutil.rmtree(left, ignore_errors=True)
            self._own = _open_in(self._folder)
        except OSError as error:
            raise self._unwritable(error) from error
        return self

    def __exit__(self, *_: object) -> None:
        own, self._own = self._own, None
        if own is not None:
            own.close()

    def write(self, key: str, values: Array) -> None:
        """Keep the answers of a batch; within a `with` block."""
        self.append(matrix_record(key, values))

    def append(self, record: bytes) -> None:
        """Keep a record; within a `with` block."""
        try:
            if self._own is None or self._own.is_gone():  # another run completed, and dropped the folder
                self.__exit__()
                self._own = _open_in(self._folder)
            self._own.append(record)
        except OSError as error:
            raise self._unwritable(error) from error

    def complete(self) -> None:
        """The run is complete: forget its answers, unless the system's fingerprint vouches for them."""
        if self._lasting:
            return
        # Renamed first: a kill in the middle must not leave answers behind that a later run would take for its own.
        dropped = self._folder.with_name(f"{self._folder.name}-{secrets.token_hex(6)}{DROPPED}")
        try:
            self._folder.rename(dropped)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unwritable(error) from error
        shutil.rmtree(dropped, ignore_errors=True)

    def _unwritable(self, error: OSError) -> EvenhandError:
        no_folder = isinstance(error, FileExistsError | NotADirectoryError)
        why = "there is a file where a folder should be" if no_folder else reason(error)
        remedy = f"choose another folder (cache, or the variable {VARIABLE})"
        return EvenhandError(f"cannot write to the cache {self._root}: {why}; {remedy}")


class OwnFile:
    """A file that only this run appends to, and that holds nothing but whole records unless the run is killed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = 0
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._handle = os.open(path, flags, 0o666)

    def append(self, record: bytes) -> None:
        """Add a record, whole or not at all."""
        try:
            write_all(self._handle, record)
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise
        self._size += len(record)

    def is_gone(self) -> bool:
        """Whether somebody removed the file."""
        return os.fstat(self._handle).st_nlink == 0

    def close(self) -> None:
        """Close the file, and remove it if nothing was added."""
        os.close(self._handle)
        if not self._size:
            with contextlib.suppress(OSError):
                self._path.unlink()


def _open_in(folder: Path) -> OwnFile:
    name = f"{time.time_ns():020}-{secrets.token_hex(6)}{ANSWERS}"
    for _ in range(ATTEMPTS):
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # the folder was dropped in between, by a run that completed
            return OwnFile(folder / name)
    return OwnFile(folder / name)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # dropped by another run, or not readable: as good as not there
        return b""

"""Files, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from evenhand.errors import EvenhandError

Content = bytes | Callable[[], bytes]
"""What goes into a file, or what makes it: many big files need not be held at once."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path` to write to; put it in place at the end, or leave nothing behind."""
    temporary = path.with_name(f".{path.name}.{uuid4().hex[:12]}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise EvenhandError(f"{path} cannot be written: {reason(error)}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that no reader, and no crash of this process, ever sees a part of it."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_together(
    contents: Mapping[Path, Content],
    *,
    marks: Iterable[Path] = (),
    advance: Callable[[int], None] = lambda count: None,
) -> None:
    """Write files that belong together: all are written beside their places first, so that a full disk changes none.

    `marks` are files by which earlier ones are known to be whole. They are removed once all new ones are written, so
    that a kill while these are put in place leaves nothing that would be taken for whole. The files that come first are
    put in place last. `advance` is called with 1 for each that is written.
    """
    folders = {path.parent for path in contents}
    made = [place for folder in folders for place in (folder, *folder.parents) if not place.exists()]
    try:
        with ExitStack() as together:
            for path, content in contents.items():
                place = together.enter_context(replacing(path))
                place.write_bytes(content() if callable(content) else content)
                advance(1)
            for mark in marks:
                mark.unlink(missing_ok=True)
    except BaseException:
        for empty in sorted(set(made), key=lambda place: -len(place.parts)):
            with suppress(OSError):
                empty.rmdir()
        raise


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files, and the folders that are empty then."""
    for path in paths:
        try:
            path.unlink()
        except OSError as error:
            raise EvenhandError(f"{path} cannot be removed: {reason(error)}") from error
        if not any(path.parent.iterdir()):
            path.parent.rmdir()


def check_writable(folder: Path) -> None:
    """Find out before hours of work, not after, that a folder cannot be made or written to."""
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    try:
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
    return error.strerror or " ".join(str(error).split()) or type(error).__name__

"""Files are there whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from evenhand.errors import EvenhandError
from evenhand.files import check_writable, replacing


def test_a_file_is_replaced_whole_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    for content in (b"first and longer", b"second"):
        with replacing(path) as temporary:
            temporary.write_bytes(content)
        assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_what_was_there(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail() -> None:
        with replacing(path) as temporary:
            temporary.write_bytes(b"ne")
            raise error

    with pytest.raises((EvenhandError, KeyboardInterrupt)):
        fail()
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("file", b"old")]


def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    message = f"^{tmp_path}/file cannot be written: No space left on device$"
    with pytest.raises(EvenhandError, match=message), replacing(tmp_path / "file"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_folder_that_cannot_be_written_is_found_out_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EvenhandError, match="file/out cannot be written to: Not a directory"):
        check_writable(tmp_path / "file" / "out")
    check_writable(tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()

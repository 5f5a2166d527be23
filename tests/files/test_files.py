"""Files are there whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from evenhand.errors import EvenhandError
from evenhand.files.whole import check_writable, remove_files, replacing, write_together, write_whole


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


def test_files_that_belong_together_are_made_one_by_one_and_written_all_or_none(tmp_path: Path) -> None:
    held: list[str] = []

    def broken() -> bytes:
        held.extend(path.name for path in (tmp_path / "new").iterdir())
        raise KeyboardInterrupt

    (tmp_path / "old").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write_together({tmp_path / "old": b"new", tmp_path / "new" / "a": lambda: b"a", tmp_path / "new" / "b": broken})
    assert len(held) == 1, "the first is on disk, beside its place, before the second is made"
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old", b"old")]
    written: list[int] = []
    write_together({tmp_path / "old": b"new", tmp_path / "new" / "a": lambda: b"a"}, advance=written.append)
    assert ((tmp_path / "old").read_bytes(), (tmp_path / "new" / "a").read_bytes()) == (b"new", b"a")
    assert written == [1, 1]


def test_a_folder_that_is_empty_after_its_last_file_goes_too(tmp_path: Path) -> None:
    for name in ("a/1", "b/1", "b/2"):
        write_whole(tmp_path / name, b"")
    remove_files([tmp_path / "a" / "1", tmp_path / "b" / "1"])
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == ["b", "b/2"]
    with pytest.raises(EvenhandError, match="b/1 cannot be removed: No such file"):
        remove_files([tmp_path / "b" / "1"])


def test_a_kill_while_files_are_put_in_place_leaves_nothing_that_is_taken_for_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, other = tmp_path / "report.json", tmp_path / "scores.parquet"
    write_together({mark: b"old", other: b"old"})
    replace, moved = Path.replace, []

    def killed(path: Path, target: Path) -> Path:
        if moved:
            raise KeyboardInterrupt
        moved.append(target)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_together({mark: b"new", other: b"new"}, marks=[mark])
    assert other.read_bytes() == b"new"
    assert not mark.exists()

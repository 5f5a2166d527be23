"""Files are there whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from evenhand.errors import EvenhandError
from evenhand.files.whole import check_writable, finish, replacing, write_together, write_whole


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


@pytest.mark.parametrize("kind", [RuntimeError, OSError])
def test_so_is_one_that_a_library_writes_to(tmp_path: Path, kind: type[Exception]) -> None:
    with (
        pytest.raises(EvenhandError, match=r"model cannot be written: No space left on device$"),
        replacing(tmp_path / "model"),
    ):
        raise kind("Error while serializing: No space left on device (os error 28): .evenhand-1.part/files/model")
    with pytest.raises(RuntimeError), replacing(tmp_path / "model"):
        raise RuntimeError("another mistake")
    assert kept(tmp_path) == {}


def test_a_folder_that_cannot_be_written_is_found_out_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EvenhandError, match="file/out cannot be written to: Not a directory"):
        check_writable(tmp_path / "file" / "out")
    check_writable(tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(".*"))


def kept(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_that_belong_together_are_made_one_by_one_and_written_all_or_none(tmp_path: Path) -> None:
    held: list[str] = []

    def broken() -> bytes:
        held.extend(path.name for path in tmp_path.glob(".evenhand-*.part/files/new/*"))
        raise KeyboardInterrupt

    (tmp_path / "old").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write_together(tmp_path, {"old": b"new", "new/a": lambda: b"a", "new/b": broken})
    assert held == ["a"], "the first is on disk, beside its place, before the second is made"
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old", b"old")]
    written: list[int] = []
    paths = write_together(tmp_path, {"old": b"new", "new/a": lambda: b"a"}, advance=written.append)
    assert paths == [tmp_path / "old", tmp_path / "new" / "a"]
    assert kept(tmp_path) == {"old": b"new", "new/a": b"a"}
    assert written == [1, 1]


def test_what_is_outdated_goes_with_its_folder_once_the_new_is_written(tmp_path: Path) -> None:
    write_together(tmp_path, {"report": b"old", "pages/1": b"old", "pages/2": b"old", "more/1": b"old"})
    write_together(tmp_path, {"report": b"new"}, outdated=["pages/1", "pages/2", "never there"])
    assert kept(tmp_path) == {"report": b"new", "more/1": b"old"}
    assert not (tmp_path / "pages").exists()


@pytest.mark.parametrize("signal_like", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("at", range(5))
def test_files_that_are_put_in_place_are_so_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, signal_like: type[BaseException]
) -> None:
    """An interrupt waits; after anything harder the next reader goes on, and nothing is taken for whole meanwhile."""
    old = {"report": b"old", "scores": b"old", "pages/1": b"old"}
    new = {"report": b"new", "scores": b"new", "more/1": b"new"}
    write_together(tmp_path, old)
    replace, moved = Path.replace, []

    def killed(path: Path, target: Path) -> Path:
        moved.append(target)
        if len(moved) == at:
            raise signal_like
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", killed)
    if at in range(1, 4):
        with pytest.raises(signal_like):
            write_together(tmp_path, new, outdated=["pages/1"])
        assert (hidden(tmp_path) == []) == (signal_like is KeyboardInterrupt)
        assert (tmp_path / "report").exists() == (signal_like is KeyboardInterrupt)
        finish(tmp_path)
    else:
        write_together(tmp_path, new, outdated=["pages/1"])
    assert kept(tmp_path) == new
    assert not (tmp_path / "pages").exists()


def test_what_says_that_a_folder_below_is_whole_is_gone_while_its_files_are_put_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("report", "below/scores", "below/report", "below/table")
    write_together(tmp_path, dict.fromkeys(names, b"old"))
    replace, seen = Path.replace, []

    def noted(path: Path, target: Path) -> Path:
        seen.append([name for name in names if (tmp_path / name).exists()])
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", noted)
    write_together(tmp_path, dict.fromkeys(names, b"new"), last=["below/report"])
    below = ["below/scores", "below/table"]
    assert seen == [below, below, below, sorted({*below, "below/report"}, key=names.index)]
    assert kept(tmp_path) == dict.fromkeys(names, b"new")


def test_what_would_be_in_the_way_is_found_before_anything_is_put_in_place(tmp_path: Path) -> None:
    for name in ("figures", "page/there"):
        write_whole(tmp_path / name, b"mine")
    before = kept(tmp_path)
    with pytest.raises(EvenhandError, match=r"figures/a cannot be written: (File exists|Not a directory)"):
        write_together(tmp_path, {"report": b"new", "figures/a": b"new"})
    with pytest.raises(EvenhandError, match="page cannot be written: there is a folder of that name"):
        write_together(tmp_path, {"report": b"new", "page": b"new"})
    assert kept(tmp_path) == before


def left_behind(folder: Path, name: str, **files: str) -> Path:
    stage = folder / name
    for file, content in {"lock": "", **files}.items():
        write_whole(stage / file, content.encode())
    return stage


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path: Path) -> None:
    left_behind(tmp_path, ".evenhand-1.part", **{"files/half": "ha"})
    (tmp_path / ".evenhand-2.part").mkdir()
    with replacing(tmp_path / "slow") as temporary:
        temporary.write_bytes(b"slow")
        assert len(hidden(tmp_path)) == 1
        write_whole(tmp_path / "quick", b"quick")
        assert temporary.exists()
    assert kept(tmp_path) == {"slow": b"slow", "quick": b"quick"}


@pytest.mark.parametrize("left", [{"note": "report"}, {}])
def test_one_that_was_killed_when_all_was_in_place_is_removed(tmp_path: Path, left: dict[str, str]) -> None:
    """The note is removed before the lock, and a kill may come between them."""
    write_whole(tmp_path / "report", b"new")
    left_behind(tmp_path, ".evenhand-1.written", **left)
    finish(tmp_path)
    assert kept(tmp_path) == {"report": b"new"}
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("note", ["../outside", "first\0../victim", "first\0/etc/hostname", "link/victim"])
def test_what_somebody_else_prepared_is_not_put_outside_the_folder(tmp_path: Path, note: str) -> None:
    folder = tmp_path / "folder"
    stage = left_behind(folder, ".evenhand-1.written", note=note, **{"files/first": "x", "files/link/victim": "x"})
    (tmp_path / "victim").write_bytes(b"mine")
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(EvenhandError, match=f"holds a result that would be put elsewhere: remove {stage}"):
        finish(folder)
    assert (tmp_path / "victim").read_bytes() == b"mine"


def test_devices_are_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(EvenhandError, match="pipe cannot be written: it is a device or a pipe, not a file"):
        write_whole(tmp_path / "pipe", b"")
    assert (tmp_path / "pipe").is_fifo()

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import pytest

from evenhand.asking.cache import DROPPED, Store, cache_root, store_for
from evenhand.asking.plan import key_of, make_plan
from evenhand.errors import EvenhandError
from evenhand.systems.base import Array

KEY, OTHER = key_of(["a", "b"]), key_of(["c", "d"])
VALUES = np.array([[0.1, -0.0], [1e-308, 0.3]])


def lasting(cache: Path) -> Store:
    return Store(cache, cache / "scores" / "folder", lasting=True)


def unfinished(cache: Path) -> Store:
    return Store(cache, cache / "unfinished" / "run", lasting=False)


def keep(store: Store, key: str = KEY, values: Array = VALUES) -> None:
    with store:
        store.write(key, values)


def test_what_one_run_wrote_the_next_reads_bit_for_bit(cache: Path) -> None:
    keep(lasting(cache))
    kept = lasting(cache).read(KEY, (2, 2))
    assert kept is not None
    assert kept.tobytes() == VALUES.tobytes()


def test_what_was_never_written_is_not_there(cache: Path) -> None:
    assert lasting(cache).read(KEY, (2, 2)) is None
    keep(lasting(cache))
    assert lasting(cache).read(OTHER, (2, 2)) is None


def test_runs_write_files_of_their_own_and_all_are_read(cache: Path, files_in: Any) -> None:
    one, other = lasting(cache), lasting(cache)
    with one, other:
        one.write(KEY, VALUES)
        other.write(OTHER, VALUES)
    assert len(files_in(cache)) == 2
    assert all(lasting(cache).read(key, (2, 2)) is not None for key in (KEY, OTHER))


def test_of_two_answers_the_later_run_counts(cache: Path) -> None:
    for number in range(12):
        keep(lasting(cache), values=np.full((2, 2), float(number)))
    kept = lasting(cache).read(KEY, (2, 2))
    assert kept is not None
    assert kept[0, 0] == 11


def test_an_answer_of_another_shape_counts_as_missing(cache: Path) -> None:
    keep(lasting(cache))
    assert lasting(cache).read(KEY, (4, 1)) is None
    assert lasting(cache).read(KEY, (1, 2)) is None


def test_a_run_that_writes_nothing_leaves_no_file(cache: Path, files_in: Any) -> None:
    with lasting(cache):
        assert len(files_in(cache)) == 1
    assert files_in(cache) == []


def test_the_folder_is_the_argument_then_the_variable_then_the_platforms(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EVENHAND_CACHE_DIR", str(tmp_path / "named"))
    assert cache_root(tmp_path) == tmp_path
    assert cache_root() == tmp_path / "named"
    monkeypatch.setenv("EVENHAND_CACHE_DIR", "")
    assert cache_root() == platformdirs.user_cache_path("evenhand")


def test_no_name_of_a_system_becomes_a_path(recorder: Any, cache: Path, files_in: Any) -> None:
    for fingerprint in (None, "../../secret"):
        system = recorder("../../evil/\x00name", fingerprint=fingerprint, resume_key="../x")
        keep(store_for(system, make_plan(["a", "b"], 2), cache))
    written = [path.relative_to(cache) for path in files_in(cache.parent)]
    assert [path.parts[0] for path in written] == ["scores", "unfinished"]
    assert all(set(path.parts[1]) <= set("0123456789abcdef") for path in written)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()], ids=repr)
def test_a_write_that_fails_half_way_leaves_whole_records_only(
    cache: Path, files_in: Any, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    write = os.write

    def half(handle: int, content: bytes) -> int:
        if len(content) < 100:
            raise error
        return write(handle, content[: len(content) // 2])

    store = lasting(cache)
    with store:
        store.write(KEY, VALUES)
        whole = files_in(cache)[0].read_bytes()
        monkeypatch.setattr(os, "write", half)
        with pytest.raises((EvenhandError, KeyboardInterrupt)) as caught:
            store.write(OTHER, VALUES)
    assert files_in(cache)[0].read_bytes() == whole
    if isinstance(error, OSError):
        message = f"cannot write to the cache {cache}: No space left on device; choose another folder (cache, "
        assert str(caught.value) == message + "or the variable EVENHAND_CACHE_DIR)"


def test_a_file_where_the_folder_should_be_is_noticed_before_anything_is_asked(cache: Path) -> None:
    cache.write_text("a file")
    assert lasting(cache).read(KEY, (2, 2)) is None
    for store in (lasting(cache), unfinished(cache)):
        with pytest.raises(EvenhandError, match="a file where a folder should be"), store:
            pass


def test_a_folder_dropped_by_another_run_is_made_again(cache: Path) -> None:
    mine = unfinished(cache)
    with mine:
        mine.write(KEY, VALUES)
        unfinished(cache).complete()
        mine.write(OTHER, VALUES)
    assert unfinished(cache).read(KEY, (2, 2)) is None
    assert unfinished(cache).read(OTHER, (2, 2)) is not None


def test_a_folder_dropped_before_the_first_write_is_made_again(cache: Path, files_in: Any) -> None:
    mine = unfinished(cache)
    with mine:
        unfinished(cache).complete()
    assert files_in(cache) == []
    keep(mine)
    assert unfinished(cache).read(KEY, (2, 2)) is not None


def test_completing_twice_or_without_an_answer_does_no_harm(cache: Path, files_in: Any) -> None:
    store = unfinished(cache)
    store.complete()
    keep(store)
    store.complete()
    store.complete()
    assert files_in(cache) == []


def test_completing_keeps_what_a_fingerprint_vouches_for(cache: Path) -> None:
    keep(lasting(cache))
    lasting(cache).complete()
    assert lasting(cache).read(KEY, (2, 2)) is not None


def test_a_run_killed_while_dropping_is_swept_by_the_next(cache: Path) -> None:
    half_dropped = cache / "unfinished" / f"another-aa{DROPPED}"
    half_dropped.mkdir(parents=True)
    keep(unfinished(cache))
    assert not half_dropped.exists()

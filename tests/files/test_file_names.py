"""Names of files that are made from names: whatever systems are called, each has its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import EvenhandError
from evenhand.files.file_names import LONGEST, RESERVED, file_name, file_names
from evenhand.files.whole import write_together, write_whole

HOSTILE = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="aAäÄ.-/\\ \x00\x1b:~ﬁ", max_size=6),
    st.sampled_from(["", ".", "..", "../x", "/etc/passwd", "C:\\x", "NUL", "con.txt", "a" * 999, "é" * 400, "\ud800"]),
)


@given(st.lists(HOSTILE, max_size=20))
def test_every_name_has_a_file_of_its_own(names: list[str]) -> None:
    found = file_names(names)
    assert set(found) == set(names)
    assert len({one.casefold() for one in found.values()}) == len(found)
    assert file_names(sorted(names)) == file_names(reversed(names)) == found


@given(HOSTILE)
def test_a_file_name_is_no_path_no_device_and_short(name: str) -> None:
    found = file_name(name)
    assert Path(found).name == found
    assert not {"/", "\\", ":", "\0", " "} & set(found)
    assert found[0] not in "-."
    assert 0 < len(found.encode()) <= LONGEST + 1
    assert found.partition(".")[0].casefold() not in RESERVED


def test_long_names_that_begin_alike_stay_apart_and_the_same() -> None:
    one, other = "x" * 500 + "1", "x" * 500 + "2"
    assert file_name(one) == file_name(one) != file_name(other)


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127])
def test_the_longest_name_that_a_file_may_have_can_be_written(tmp_path: Path, name: str) -> None:
    write_whole(tmp_path / name, b"whole")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_nothing_is_left_behind_where_a_name_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(EvenhandError, match="cannot be written: File name too long"):
        write_whole(tmp_path / "new" / "newer" / ("x" * 256), b"")
    with pytest.raises(EvenhandError, match="cannot be written: File name too long"):
        write_together(tmp_path / "new", {"one": b"", "sub/" + "x" * 256: b""})
    with pytest.raises(EvenhandError, match="cannot be written: File name too long"):
        write_whole(tmp_path / ("x" * 256) / "one", b"")
    assert list(tmp_path.iterdir()) == []


def test_a_path_without_a_name_is_refused() -> None:
    with pytest.raises(EvenhandError, match="it is no name of a file"):
        write_whole(Path(), b"")

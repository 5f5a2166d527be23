"""The index: what is listed, in which order, and that it follows the folder and can always be made again."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.verbs.saved import KINDS, find_results
from evenhand.web.explorer import Explorer
from evenhand.web.index import Entry, Index, Wanted, id_of

Opened = Callable[[Path, Path], Index]


def places(index: Index, **wanted: str) -> list[str]:
    return [one.place for one in index.listed(Wanted(**wanted))[0]]  # type: ignore[arg-type]


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "copy"
    for name in ("model/v1", "model/v2", "broken"):
        (copy / name).mkdir(parents=True)
        shutil.copy2(saved / name / "report.json", copy / name)
    return copy


@pytest.fixture
def opened() -> Iterator[Callable[[Path, Path], Index]]:
    """Opens the index of a folder in a file, and closes it in the end."""
    with ExitStack() as all_of_them:

        def index_of(folder: Path, store: Path) -> Index:
            made = all_of_them.enter_context(closing(Index(folder, store)))
            made.refresh()
            return made

        yield index_of


@pytest.fixture
def index(folder: Path, tmp_path: Path, opened: Opened) -> Index:
    return opened(folder, tmp_path / "store" / "index.sqlite")


def test_it_lists_what_the_library_finds(explorer: Explorer, saved: Path, entries: dict[str, Entry]) -> None:
    listed = {(one.place, one.kind, one.systems, one.corpora) for one in entries.values()}
    found = find_results(saved).found
    assert listed == {
        (Path(one.folder).relative_to(saved).as_posix(), one.kind, one.systems, one.corpora)
        for one in found
        if "uploads" not in one.folder
    }
    assert explorer.index.complete


def test_a_headline_says_who_is_treated_differently_and_by_how_much(entries: dict[str, Entry]) -> None:
    assert entries["model/v1"].headline.startswith("Scores sentences about women 0.0")
    assert entries["model/v1"].headline.endswith("higher than sentences about men")
    assert entries["model/v1"].look == "higher"
    assert (entries["model/v1"].dated, entries["model/v1"].version) == ("2026-06-01", "v1")


def test_what_is_damaged_is_listed_as_that_and_last(entries: dict[str, Entry]) -> None:
    broken = entries["broken"]
    assert (broken.systems, broken.headline) == ((), "cannot be read")
    assert broken.problem is not None
    assert "report.json" in broken.problem
    assert list(entries)[-1] == "broken"


@pytest.mark.parametrize("content", ["", "[]", "null", '{"kind": "audit"}', '{"findings": 3}', "\x00", '{"a":' * 5000])
def test_whatever_a_file_holds_it_is_listed(folder: Path, index: Index, content: str) -> None:
    (folder / "broken" / "report.json").write_text(content)
    index.refresh(now=True)
    found = {one.place: one for one in index.listed(Wanted())[0]}
    assert found["broken"].problem
    assert found["model/v1"].problem is None


def test_it_filters_and_sorts(index: Index) -> None:
    assert places(index, sort="place") == ["model/v1", "model/v2", "broken"]
    assert places(index, text="V2") == ["model/v2"]
    assert places(index, text="women higher", sort="place") == ["model/v1", "model/v2"]
    assert places(index, system="planted(gap=0.06, person_sd=0.01)") == ["model/v1"]
    assert places(index, system="planted") == []  # a part of a name is no name
    assert places(index, corpus="eec", kind="audit", sort="place") == ["model/v1", "model/v2"]
    assert places(index, kind="study") == []
    assert places(index, text="' OR 1=1 --") == []
    found, count = index.listed(Wanted(sort="place"), first=1, most=1)
    assert ([one.place for one in found], count) == (["model/v2"], 3)


def test_it_follows_the_folder(folder: Path, index: Index) -> None:
    shutil.rmtree(folder / "model" / "v1")
    (folder / "new").mkdir()
    shutil.copy(folder / "model" / "v2" / "report.json", folder / "new")
    text = (folder / "model" / "v2" / "report.json").read_text()
    (folder / "model" / "v2" / "report.json").write_text(text.replace("0.02", "0.03"))
    index.refresh(now=True)
    assert places(index, sort="place") == ["model/v2", "new", "broken"]
    systems = {one.place: one.systems for one in index.listed(Wanted())[0]}
    assert systems["model/v2"] == ("planted(gap=0.03, person_sd=0.01)",)
    assert {result for result, _ in index.gaps()} == {
        id_of(place, KINDS[0]) for place in ("model/v2", "new")
    }  # nothing is left of what is gone


def test_it_can_be_made_again_with_the_same_ids(folder: Path, index: Index, tmp_path: Path, opened: Opened) -> None:
    before = index.listed(Wanted())
    index.close()
    (tmp_path / "store" / "index.sqlite").unlink()
    again = opened(folder, tmp_path / "store" / "index.sqlite")
    assert again.listed(Wanted()) == before


@pytest.mark.parametrize("damage", ["nonsense", "version", "table"])
def test_a_damaged_index_is_dropped(folder: Path, index: Index, tmp_path: Path, opened: Opened, damage: str) -> None:
    index.close()
    store = tmp_path / "store" / "index.sqlite"
    if damage == "nonsense":
        store.write_bytes(b"no database" * 1000)
    else:
        with sqlite3.connect(store) as base:
            base.execute("PRAGMA user_version = 99" if damage == "version" else "DROP TABLE gaps")
        base.close()
    again = opened(folder, store)
    assert len(again.listed(Wanted())[0]) == 3


def test_an_index_that_is_damaged_in_use_is_made_again(folder: Path, index: Index, tmp_path: Path) -> None:
    before = places(index)
    (tmp_path / "store" / "index.sqlite").write_bytes(b"garbage" * 10_000)
    assert index.known("kind") == []
    index.refresh()
    assert places(index) == before
    shutil.rmtree(folder)
    index.refresh(now=True)
    assert places(index) == []


def test_names_of_folders_are_shown_and_never_trusted(folder: Path, tmp_path: Path, opened: Opened) -> None:
    odd = os.fsdecode(b"caf\xe9 <b>\x1b[31m")
    (folder / odd).mkdir()
    shutil.copy(folder / "model" / "v1" / "report.json", folder / odd)
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.copy(folder / "model" / "v1" / "report.json", outside)
    (folder / "link").symlink_to(outside)
    index = opened(folder, tmp_path / "other.sqlite")
    (shown,) = [one for one in index.listed(Wanted())[0] if one.place.startswith("caf")]
    assert "\x1b" not in shown.place
    found = index.get(shown.id)
    assert found is not None
    assert (found.folder / "report.json").is_file()
    assert "link" not in places(index)


def test_only_what_changed_is_read_again(folder: Path, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.web.index.read_saved", lambda path: pytest.fail(f"{path} is read again"))
    index.refresh(now=True)
    assert len(index.listed(Wanted())[0]) == 3


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        Explorer(tmp_path / "nothing", cache=tmp_path)

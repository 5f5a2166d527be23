"""Studies of many systems: which files there are, by folder or by manifest, and what is said about the systems."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError, UsageError
from evenhand.files.structured import read_yaml
from evenhand.files.tables import ENDINGS, read_table
from evenhand.files.task_files import DIMENSIONS

MANIFESTS = ("manifest.csv", "manifest.yaml", "manifest.yml")
OWN_KEYS = ("system", "dimension", "path")
SEVERAL = ";"
"""What separates several values of a descriptor in one cell."""

Descriptors = dict[str, dict[str, tuple[str, ...]]]
"""By system: what it is made of, such as {"lexicons": ("AFINN", "NRC")}."""


@dataclass(frozen=True)
class Problem:
    """What is wrong, or odd, about a file; `left_out` says whether its scores are in the study all the same."""

    system: str
    file: str
    message: str
    left_out: bool


@dataclass(frozen=True)
class Entry:
    """A file that someone submitted; its dimension, if the manifest says it."""

    system: str
    path: Path
    dimension: str | None = None
    only: tuple[str, ...] = ()
    """The dimensions that are asked for, of those that the file turns out to have; empty: all."""


@dataclass(frozen=True)
class Found:
    """The files to read, what is said about the systems, and what cannot be found."""

    entries: tuple[Entry, ...]
    about: Descriptors
    problems: tuple[Problem, ...]


def find_entries(place: Path) -> Found:
    """The submissions in a folder with one sub-folder per system, or those that a manifest lists.

    A manifest (csv, jsonl, parquet, yaml; in a folder: `manifest.csv` or `manifest.yaml`) has the column `system`, and
    maybe `dimension` and `path`: relative to the manifest; without it, the sub-folder of the system's name is meant.
    All its other columns describe the systems. A manifest that lies in the folder and has no paths only describes: the
    sub-folders that it does not name are read too.
    """
    if not place.exists():
        raise UsageError(f"no such folder or manifest: {place}")
    if not place.is_dir():
        return _by_manifest(place, others=False)
    manifest = next((place / name for name in MANIFESTS if (place / name).is_file()), None)
    if manifest is not None:
        return _by_manifest(manifest, others=True)
    teams = _teams(place)
    if not teams:
        raise UsageError(f"{place} has no sub-folders; it needs one per system, or a manifest.csv")
    return _Search(place).of_systems(teams).found({})


def _by_manifest(manifest: Path, *, others: bool) -> Found:
    rows = _rows(manifest)
    search = _Search(manifest.parent, manifest.name)
    limits = _limits(rows)
    for number, row in enumerate(rows, start=1):
        search.add_row(number, row, limits)
    if others and not any(_cell(row.get("path")) for row in rows):
        named = {_cell(row.get("system")) for row in rows}
        search.of_systems([team for team in _teams(manifest.parent) if team.name not in named])
    return search.found(_descriptors(rows))


class _Search:
    """Gathers files, and what is wrong on the way."""

    def __init__(self, root: Path, manifest: str = "") -> None:
        self._root = root
        self._manifest = manifest
        self._entries: list[Entry] = []
        self._problems: list[Problem] = []

    def found(self, about: Descriptors) -> Found:
        """All of it, each once."""
        return Found(tuple(dict.fromkeys(self._entries)), about, tuple(dict.fromkeys(self._problems)))

    def of_systems(self, teams: Sequence[Path], *, only: tuple[str, ...] = ()) -> _Search:
        """Add the files of these folders."""
        for team in teams:
            files = sorted(path for path in team.iterdir() if path.is_file() and not path.name.startswith("."))
            mine = [Entry(team.name, path, only=only) for path in files if path.suffix.lower() in ENDINGS]
            if not mine:
                what = "none of its files can be read" if files else "it is empty"
                self._left_out(team.name, team.name, f"{what}; known endings: {', '.join(ENDINGS)}")
            self._entries += mine
        return self

    def add_row(self, number: int, row: Mapping[str, Any], limits: Mapping[str, tuple[str, ...]]) -> None:
        """Add what a row of the manifest means."""
        system = _cell(row.get("system"))
        if not system:
            raise EvenhandError(
                f"{self._root / self._manifest}, row {number}: the system's name is missing (column 'system')"
            )
        path, dimension = _cell(row.get("path")), _cell(row.get("dimension")).lower()
        self._warn_of(dimension, system, number)
        if path:
            self._entries.append(Entry(system, self._root / path, dimension or None))
            return
        folder = self._root / system
        # A name is no way out of the folder.
        if system in (".", "..") or Path(system).name != system or not folder.is_dir():
            message = f"row {number}: {system!r} has neither a path nor a folder of its own"
            self._left_out(system, self._manifest, message)
        else:
            self.of_systems([folder], only=limits.get(system, ()))

    def _left_out(self, system: str, file: str, message: str) -> None:
        self._problems.append(Problem(system, file, message, left_out=True))

    def _warn_of(self, dimension: str, system: str, number: int) -> None:
        """A task may have dimensions of its own, but hardly one that is almost called like another."""
        close = difflib.get_close_matches(dimension, DIMENSIONS, n=1)
        if close and dimension not in DIMENSIONS:
            message = f"row {number}: the dimension {dimension!r}; did you mean {close[0]!r}?"
            self._problems.append(Problem(system, self._manifest, message, left_out=False))


def _teams(folder: Path) -> list[Path]:
    return sorted(sub for sub in folder.iterdir() if sub.is_dir() and not sub.name.startswith("."))


def _limits(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """By system, the dimensions that its rows without a path name; none where a row names no dimension."""
    named: dict[str, list[str]] = {}
    for row in rows:
        if not _cell(row.get("path")):
            named.setdefault(_cell(row.get("system")), []).append(_cell(row.get("dimension")).lower())
    return {
        system: () if "" in dimensions else tuple(dict.fromkeys(dimensions)) for system, dimensions in named.items()
    }


def _rows(manifest: Path) -> list[dict[str, Any]]:
    if manifest.suffix.lower() not in (".yaml", ".yml"):
        return [_keyed(row) for row in read_table(manifest).iter_rows(named=True)]
    content = read_yaml(manifest)
    rows = content.get("submissions") if isinstance(content, dict) else content
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise EvenhandError(f"{manifest}: a list of mappings with system, dimension and path is needed")
    return [_keyed(row) for row in rows]


def _keyed(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key).strip().lower(): value for key, value in row.items()}


def _descriptors(rows: list[dict[str, Any]]) -> Descriptors:
    found: Descriptors = {}
    for row in rows:
        about = found.setdefault(_cell(row.get("system")), {})
        for key, value in row.items():
            values = _several(value)
            if key not in OWN_KEYS and values:
                about[key] = tuple(dict.fromkeys((*about.get(key, ()), *values)))
    return {system: about for system, about in found.items() if about}


def _several(value: Any) -> tuple[str, ...]:
    cells = value if isinstance(value, list | tuple) else str("" if value is None else value).split(SEVERAL)
    return tuple(text for cell in cells if (text := _cell(cell)))


def _cell(value: Any) -> str:
    return "" if value is None else str(value).strip()

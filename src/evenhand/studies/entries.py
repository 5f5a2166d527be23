"""Studies of many systems: which files there are, by folder or by manifest, and what is said about the systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from evenhand.errors import EvenhandError, UsageError
from evenhand.tables import ENDINGS, read_table

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


def find_entries(place: Path) -> tuple[list[Entry], Descriptors]:
    """The submissions in a folder with one sub-folder per system, or those that a manifest lists.

    A manifest (csv, jsonl, parquet, yaml; in a folder: `manifest.csv` or `manifest.yaml`) has the column `system`, and
    maybe `dimension` and `path`: relative to the manifest; without it, the sub-folder of the system's name is meant.
    All its other columns describe the systems.
    """
    if place.is_dir():
        manifest = next((place / name for name in MANIFESTS if (place / name).is_file()), None)
        if manifest is None:
            return list(_in_folder(place)), {}
        place = manifest
    elif not place.exists():
        raise UsageError(f"no such folder or manifest: {place}")
    rows = _rows(place)
    entries = [entry for number, row in enumerate(rows, start=1) for entry in _listed(place, number, row)]
    return list(dict.fromkeys(entries)), _descriptors(rows)


def _in_folder(folder: Path) -> Iterator[Entry]:
    teams = sorted(sub for sub in folder.iterdir() if sub.is_dir() and not sub.name.startswith("."))
    if not teams:
        raise UsageError(f"{folder} has no sub-folders; it needs one per system, or a manifest.csv")
    for team in teams:
        yield from _of_system(team)


def _of_system(team: Path) -> Iterator[Entry]:
    files = sorted(path for path in team.iterdir() if path.is_file() and not path.name.startswith("."))
    for path in files:
        if path.suffix.lower() in ENDINGS:
            yield Entry(team.name, path)


def _rows(manifest: Path) -> list[dict[str, Any]]:
    if manifest.suffix.lower() not in (".yaml", ".yml"):
        return [_keyed(row) for row in read_table(manifest).iter_rows(named=True)]
    try:
        content = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise EvenhandError(f"{manifest} cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise EvenhandError(f"{manifest}: not valid YAML: {' '.join(str(error).split())}") from error
    rows = content.get("submissions") if isinstance(content, dict) else content
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise EvenhandError(f"{manifest}: a list of mappings with system, dimension and path is needed")
    return [_keyed(row) for row in rows]


def _keyed(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key).strip().lower(): value for key, value in row.items()}


def _listed(manifest: Path, number: int, row: Mapping[str, Any]) -> Iterator[Entry]:
    system = _cell(row.get("system"))
    if not system:
        raise EvenhandError(f"{manifest}, row {number}: the system's name is missing (column 'system')")
    path, dimension = _cell(row.get("path")), _cell(row.get("dimension"))
    if path:
        yield Entry(system, manifest.parent / path, dimension.lower() or None)
        return
    folder = manifest.parent / system
    # A name is no way out of the folder.
    if system in (".", "..") or Path(system).name != system or not folder.is_dir():
        raise EvenhandError(f"{manifest}, row {number}: {system!r} has neither a path nor a folder of its own")
    yield from _of_system(folder)


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

"""Scores in many files, one for each group and system, and the mapping that says what paths, columns and codes mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel, ConfigDict

from evenhand.errors import EvenhandError, UsageError, did_you_mean, quoted
from evenhand.files.structured import read_yaml, validated
from evenhand.files.tables import ENDINGS, TableFile
from evenhand.settings import crossed

MAPPING = "mapping.yaml"
"""The mapping of a folder, where it lies in it."""
PATH_ROLES = ("data", "group", "system", "dataset", "via")
"""What a path may say."""
MOST_PARTS = 50
"""Of a pattern of paths."""
ONLY = "all"
"""The dataset of files whose paths and columns name none."""
Code = str | int | float | bool
Meaning = Code | list[Code]


class GroupMapping(BaseModel):
    """What a group is called, by what it is rated, what may confound it, and columns and codes of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str | None = None
    attributes: list[str] = []
    confounders: list[str] = []
    columns: dict[str, str] = {}
    codes: dict[str, dict[Code, Meaning]] = {}


class ScoreMapping(BaseModel):
    """What paths, columns and codes of score files mean."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: list[str]
    columns: dict[str, str] = {}
    codes: dict[str, dict[Code, Meaning]] = {}
    systems: dict[str, str] = {}
    datasets: dict[str, str] = {}
    groups: dict[str, GroupMapping] = {}


@dataclass(frozen=True, eq=False)
class GroupScores:
    """All scores of one group, and by what it is rated."""

    group: str | None
    frame: pl.DataFrame
    attributes: tuple[str, ...]
    confounders: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class FolderScores:
    """The scores in a folder, group by group; the files that they came from, and those that no pattern fits."""

    groups: tuple[GroupScores, ...]
    files: tuple[Path, ...]
    unread: tuple[Path, ...]


def read_mapping(path: Path | str | None, folder: Path) -> ScoreMapping:
    """A mapping by its file; without one, `mapping.yaml` in the folder, or else the layout of the paper's authors."""
    if path is None and not (folder / MAPPING).is_file():
        with as_file(files("evenhand") / "data" / "rating_layout.yaml") as packaged:
            return _parsed(packaged)
    return _parsed(folder / MAPPING if path is None else Path(path))


def _parsed(path: Path) -> ScoreMapping:
    found = validated(ScoreMapping, read_yaml(path), path)
    for pattern in found.files:
        _pattern(pattern, path)
    return found


def _pattern(pattern: str, path: Path | str) -> list[str]:
    """A pattern of paths as its parts: what stands there, `*`, and names in braces."""
    parts = [part for part in re.split(r"(\{[^{}]*\}|\*)", pattern) if part]
    named = [part for part in parts if _is_name(part)]
    for part in named:
        if part[1:-1] not in PATH_ROLES:
            raise EvenhandError(f"{path}: a path has no {part}{did_you_mean(part[1:-1], PATH_ROLES)}")
        if named.count(part) > 1:
            raise EvenhandError(f"{path}: {pattern!r} names {part} twice")
    if len(parts) > MOST_PARTS:
        raise EvenhandError(f"{path}: {quoted(pattern, 60)} has more than {MOST_PARTS} parts")
    return parts


def _is_name(part: str) -> bool:
    return part.startswith("{") and part.endswith("}")


def _fitted(parts: Sequence[str], text: str) -> dict[str, str] | None:
    """What the names in a pattern stand for in a path, each for as little as can be; None where it does not fit.

    No place is tried twice, as in a regular expression, which takes for ever where many parts may stand for anything.

    >>> _fitted(_pattern("{group}/{system}/{dataset}_*.csv", "x"), "group1/textblob/e3_tb.csv")
    {'group': 'group1', 'system': 'textblob', 'dataset': 'e3'}
    """

    @cache
    def rest(number: int, at: int) -> tuple[tuple[str, str], ...] | None:
        if number == len(parts):
            return () if at == len(text) else None
        part = parts[number]
        if part != "*" and not _is_name(part):
            return rest(number + 1, at + len(part)) if text.startswith(part, at) else None
        within = text.find("/", at) if "/" in text[at:] else len(text)
        for end in range(at if part == "*" else at + 1, within + 1):
            if (found := rest(number + 1, end)) is not None:
                return found if part == "*" else ((part[1:-1], text[at:end]), *found)
        return None

    found = rest(0, 0)
    return None if found is None else dict(found)


def read_folder(
    folder: Path,
    mapping: ScoreMapping,
    *,
    attributes: Sequence[str] = (),
    confounders: Sequence[str] = (),
) -> FolderScores:
    """Read every file of a folder that a pattern fits; `attributes` and `confounders` replace those of the mapping."""
    known = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in ENDINGS)
    patterns = [_pattern(pattern, folder) for pattern in mapping.files]
    told = [(path, found) for path in known if (found := _told(path, folder, patterns)) is not None]
    if not told:
        asked = " or ".join(map(repr, mapping.files))
        example = f"; it holds {known[0].relative_to(folder).as_posix()}" if known else ""
        near = next((root for root in _folders_near(folder, known) if _fits(root, known, patterns)), None)
        do = "say how they are, with --mapping FILE" if near is None else f"seen from {near} they are: name that folder"
        raise EvenhandError(f"{folder}: no file is called like {asked}{example}; {do}")
    _refuse_the_same_twice(told, folder)
    own = _own_mappings(told, mapping)
    by_group: dict[str | None, list[tuple[Path, pl.DataFrame]]] = {}
    for path, says in told:
        for group, frame in _by_group(_read(path, says, mapping, own.get(says.get("group"), GroupMapping()))):
            by_group.setdefault(group, []).append((path, frame))
    groups = tuple(_group(name, frames, mapping, folder, attributes, confounders) for name, frames in by_group.items())
    read = tuple(path for path, _ in told)
    return FolderScores(groups, read, tuple(path for path in known if path not in read))


def _told(path: Path, folder: Path, patterns: Sequence[Sequence[str]]) -> dict[str, str] | None:
    """What a file's path says; None where no pattern fits it."""
    relative = path.relative_to(folder).as_posix()
    return next((says for pattern in patterns if (says := _fitted(pattern, relative)) is not None), None)


def _refuse_the_same_twice(told: Sequence[tuple[Path, dict[str, str]]], folder: Path) -> None:
    """Two files that are called after one data set would count its sentences twice."""
    found: dict[tuple[str, ...], Path] = {}
    for path, says in told:
        before = found.setdefault(tuple(says.get(role, "") for role in PATH_ROLES), path)
        if {"system", "dataset"} <= says.keys() and before is not path:
            both = " and ".join(one.relative_to(folder).as_posix() for one in (before, path))
            raise EvenhandError(
                f"{folder}: {both} are the same data set of one system by their names; name the files that count in a "
                "mapping (--mapping FILE)"
            )


def _folders_near(folder: Path, known: Sequence[Path]) -> list[Path]:
    """The folder above, and those below in which there are files, the outermost first."""
    below = {parent for path in known for parent in path.parents if folder in parent.parents}
    return [folder.parent, *sorted(below, key=lambda parent: (len(parent.parts), parent))]


def _fits(root: Path, known: Sequence[Path], patterns: Sequence[Sequence[str]]) -> bool:
    return any(_told(path, root, patterns) is not None for path in known if root in path.parents)


def _own_mappings(told: Sequence[tuple[Path, dict[str, str]]], mapping: ScoreMapping) -> dict[str | None, GroupMapping]:
    """By group, the columns and codes of its own; not where its files have other codes, and those of all groups fit."""
    found: dict[str | None, GroupMapping] = {}
    for group in dict.fromkeys(says.get("group") for _, says in told):
        own = mapping.groups.get(group or "", GroupMapping())
        if own.codes:
            paths = [path for path, says in told if says.get("group") == group]
            if not _decodes(paths, own.columns, own.codes) and _decodes(paths, mapping.columns, mapping.codes):
                own = own.model_copy(update={"columns": {}, "codes": {}})
        found[group] = own
    return found


def _decodes(paths: Sequence[Path], columns: Mapping[str, str], codes: Mapping[str, Mapping[Code, Meaning]]) -> bool:
    """Whether all cells of the columns that have codes are among these."""
    known = {column: {_plain(code) for code in codes[role]} for column, role in columns.items() if role in codes}
    for path in paths:
        frame = TableFile(path, known=tuple(columns)).frame
        for column in set(known) & set(frame.columns):
            if not {_plain(cell) for cell in frame[column].drop_nulls().unique()} <= known[column]:
                return False
    return True


def _read(path: Path, says: Mapping[str, str], mapping: ScoreMapping, own: GroupMapping) -> pl.DataFrame:
    named, codes = {**mapping.columns, **own.columns}, {**mapping.codes, **own.codes}
    file = TableFile(path, known=tuple(named))
    roles = {column: named.get(column, column.strip().lower()) for column in file.frame.columns}
    if "sentiment" not in roles.values():
        raise EvenhandError(f"{path}: no column says the sentiment; it has {file.has}")
    columns: dict[str, pl.Series] = {}
    for column, role in roles.items():
        if role == "sentiment":
            columns[role] = pl.Series(file.column(column).numbers())
        elif role in codes:
            columns |= _decoded(file, column, role, codes[role])
        else:
            columns[role] = file.frame[column].cast(pl.String)
    frame = pl.DataFrame([series.alias(role) for role, series in columns.items()])
    frame = frame.with_columns(pl.lit(text).alias(role) for role, text in says.items())
    if "system" not in frame.columns:
        raise EvenhandError(f"{path}: neither its path nor a column says whose scores these are")
    if "dataset" not in frame.columns:
        frame = frame.with_columns(dataset=pl.lit(ONLY))
    return frame.with_columns(pl.col("system").replace(mapping.systems), pl.col("dataset").replace(mapping.datasets))


def _decoded(file: TableFile, column: str, role: str, codes: Mapping[Code, Meaning]) -> dict[str, pl.Series]:
    """What the codes of a column mean, for each attribute that it is about."""
    parts = role.split("+")
    meanings = {_plain(code): meaning if isinstance(meaning, list) else [meaning] for code, meaning in codes.items()}
    cells = file.column(column).texts
    found: list[list[str | None]] = [[] for _ in parts]
    for row, cell in enumerate(cells):
        known = [None] * len(parts) if cell is None else meanings.get(_plain(cell))
        if known is None or len(known) != len(parts):
            what = "has no meaning" if known is None else f"means {len(known)} things, not {len(parts)}"
            codes_known = ", ".join(meanings)
            raise file.column(column).error(row, f"the code {quoted(cell, 60)} {what} in the mapping ({codes_known})")
        for place, meaning in enumerate(known):
            found[place].append(None if meaning is None else str(meaning))
    return {part: pl.Series(part, texts, dtype=pl.String) for part, texts in zip(parts, found, strict=True)}


def _plain(code: object) -> str:
    """
    >>> _plain(0), _plain("0.0"), _plain(" 1 "), _plain("NA")
    ('0', '0', '1', 'NA')
    """
    return str(code).strip().removesuffix(".0")


def _by_group(frame: pl.DataFrame) -> Iterator[tuple[str | None, pl.DataFrame]]:
    if "group" not in frame.columns:
        yield None, frame
        return
    for (group,), part in frame.partition_by("group", as_dict=True, maintain_order=True).items():
        yield None if group is None else str(group), part


def _group(
    name: str | None,
    frames: Sequence[tuple[Path, pl.DataFrame]],
    mapping: ScoreMapping,
    folder: Path,
    attributes: Sequence[str],
    confounders: Sequence[str],
) -> GroupScores:
    own = mapping.groups.get(name or "", GroupMapping())
    wanted = tuple(attributes) or tuple(own.attributes)
    if not wanted:
        whose = f"the group {name!r}" if name else "these scores"
        told = "say it in the mapping, or with --attribute gender"
        raise UsageError(f"{folder}: by what is {whose} to be rated? {told}")
    confounding = tuple(confounders) if attributes else tuple(own.confounders)
    needed = dict.fromkeys(part for one in (*wanted, *confounding) for part in crossed(one))
    for path, each in frames:
        for part in (*needed, *(["emotion"] if confounding else [])):
            if part not in each.columns:
                raise EvenhandError(f"{path}: no column says {part!r}{did_you_mean(part, each.columns)}")
    frame = pl.concat([each for _, each in frames], how="diagonal_relaxed")
    called = own.name or name
    if called is not None:
        frame = frame.with_columns(group=pl.lit(called))
    return GroupScores(called, frame, wanted, confounding)


def described(mapping: ScoreMapping) -> dict[str, Any]:
    """A mapping as plain values, for the provenance; what codes mean is in the scores."""
    groups = {name: one.model_dump(exclude={"codes", "columns"}) for name, one in mapping.groups.items()}
    return mapping.model_dump(include={"files", "columns", "systems", "datasets"}) | {"groups": groups}

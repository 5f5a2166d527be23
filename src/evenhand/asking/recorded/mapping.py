"""Predictions that others recorded: which column is what, as the user says or as it can be seen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from evenhand.corpora.corpus import Corpus
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.files.tables import TableFile
from evenhand.files.task_files import TaskFile
from evenhand.systems.base import Output
from evenhand.systems.yours.declared import named_outputs

KEYS = ("id", "text")
DECLARED = (*KEYS, "outputs", "long", "label", "values", "kind")
WHO = "file"
"""What messages about settings call the reader."""


@dataclass(frozen=True)
class Among:
    """In a file with a row per sentence and output, the rows of one output."""

    column: str
    value: str


@dataclass(frozen=True)
class Place:
    """Where an output's predictions stand: in a column, and maybe only in some of its rows."""

    output: Output
    column: str
    among: Among | None = None


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The mapping as the user declares it; see `read_predictions`."""

    text: Any
    id: Any
    outputs: Any
    long: Any
    label: Any
    values: Any
    kind: str | None
    low: float
    high: float

    def __post_init__(self) -> None:
        for key in ("text", "id", "label"):
            if not isinstance(getattr(self, key), str | None):
                raise UsageError(f"'{WHO}': {key} must be the name of a column, not {getattr(self, key)!r}")
        if self.label is not None and (self.outputs is not None or self.long is not None or self.values is None):
            raise UsageError(
                f"'{WHO}': label goes with values, as in {{negative: 0, positive: 1}}, and without outputs or long"
            )
        if self.long is not None and not (
            isinstance(self.long, Mapping)
            and set(self.long) == {"name", "value"}
            and all(isinstance(column, str) for column in self.long.values())
        ):
            raise UsageError(f"'{WHO}': long must be {{name: COLUMN, value: COLUMN}}, not {self.long!r}")

    @property
    def declared(self) -> str:
        """The mapping as text, for fingerprints; empty where nothing is declared."""
        given = {key: value for key in DECLARED if (value := getattr(self, key))}
        return json.dumps(given, default=str) if given else ""

    @property
    def leaves_columns_open(self) -> bool:
        """Whether nothing is said about which column is what."""
        return not any(getattr(self, key) for key in DECLARED if key != "kind")

    def of_task(self, task: TaskFile) -> Self:
        """The same for a file of the shared task: its tweets, and its scores, called after what they are about."""
        column = task.score_column
        outputs = None if column is None else {column: task.dimension or "score"}
        return replace(self, text=task.text_column, outputs=outputs)

    @property
    def leaves_kind_open(self) -> bool:
        """Whether nothing is said about what kind of numbers these are."""
        said = any("kind" in about for _, about in self.columns() or ())
        return self.kind is None and self.values is None and not said

    def worth(self) -> dict[str, float] | None:
        """What each label is worth."""
        if self.values is None:
            return None
        if not isinstance(self.values, Mapping) or not all(_is_number(value) for value in self.values.values()):
            raise UsageError(f"'{WHO}': values must map labels to numbers, not {self.values!r}")
        return {str(label): float(value) for label, value in self.values.items()}

    def columns(self) -> list[tuple[str, dict[str, Any]]] | None:
        """The columns (of a long file: the names) to read and what is said about each; None: those that are there."""
        declared = [self.label] if self.label is not None else self.outputs
        if declared is None:
            return None
        if isinstance(declared, Mapping) and declared:
            return [(str(column), self._said(column, about)) for column, about in declared.items()]
        if isinstance(declared, Sequence) and declared and not isinstance(declared, str):
            return [self._listed(one) for one in declared]
        raise UsageError(f"'{WHO}': outputs must be a list, or a mapping from columns to outputs, not {declared!r}")

    def output(self, column: str, about: Mapping[str, Any]) -> Output:
        """The output that a column holds; labels are ordinal, from the least to the most that they are worth."""
        worth = self.worth()
        labels = {"low": min(worth.values()), "high": max(worth.values()), "kind": "ordinal"} if worth else {}
        (made,) = named_outputs([{"name": column, **labels, **about}], self.low, self.high, WHO, kind=self.kind)
        return made

    def _said(self, column: object, about: object) -> dict[str, Any]:
        if about is None:
            return {}
        if isinstance(about, str):
            return {"name": about}
        if isinstance(about, Mapping):
            return dict(about)
        raise UsageError(f"'{WHO}': the output {column!r} must be a name or a mapping, not {about!r}")

    def _listed(self, one: object) -> tuple[str, dict[str, Any]]:
        if not isinstance(one, Mapping):
            return str(one), {}
        about = dict(one)
        column = about.pop("column", about.get("name"))
        if column is None:
            raise UsageError(f"'{WHO}': an output needs a name or a column, not {one!r}")
        return str(column), about


@dataclass(frozen=True)
class Mapped:
    """The mapping, found in a file: every column that it names is there."""

    keys: dict[str, str]
    places: tuple[Place, ...]
    values: dict[str, float] | None

    @classmethod
    def of(cls, file: TableFile, corpus: Corpus, wanted: Wanted) -> Self:
        """Find the columns; what is not there is told."""
        keys = _keys(file, wanted)
        places = _long_places(file, wanted) if wanted.long else _wide_places(file, corpus, wanted, keys)
        repeated = [place.output.name for place in places]
        for name in repeated:
            if repeated.count(name) > 1:
                raise UsageError(f"'{WHO}': two outputs are called {name!r}")
        return cls(keys, tuple(places), wanted.worth())


def _keys(file: TableFile, wanted: Wanted) -> dict[str, str]:
    named = {key: column for key in KEYS if (column := getattr(wanted, key)) is not None}
    if named:
        return {key: _column(file, column) for key, column in named.items()}
    spelled = {column.strip().lower(): column for column in file.frame.columns}
    found = {key: spelled[key] for key in KEYS if key in spelled}
    if not found:
        raise EvenhandError(f"{file.path}: no column 'text' or 'id'; it has {file.has}")
    return found


def _wide_places(file: TableFile, corpus: Corpus, wanted: Wanted, keys: Mapping[str, str]) -> list[Place]:
    columns = wanted.columns()
    if columns is None:
        known = {*KEYS, *(column.lower() for column in corpus.frame.columns), *(key.lower() for key in keys.values())}
        columns = [(column, {}) for column in file.frame.columns if column.lower() not in known]
    if not columns:
        raise EvenhandError(f"{file.path}: no column of predictions beside {file.has}")
    return [Place(wanted.output(column, about), _column(file, column)) for column, about in columns]


def _long_places(file: TableFile, wanted: Wanted) -> list[Place]:
    names, values = _column(file, wanted.long["name"]), _column(file, wanted.long["value"])
    column = file.column(names)
    column.refuse_missing()
    known = dict.fromkeys(column.texts)
    columns = wanted.columns()
    if columns is None:
        columns = [(name, {}) for name in known]
    for name, _ in columns:
        if name not in known:
            raise EvenhandError(f"{file.path}: no row has {name!r} in column {names!r}{did_you_mean(name, known)}")
    return [Place(wanted.output(name, about), values, Among(names, name)) for name, about in columns]


def _column(file: TableFile, name: str) -> str:
    """The column as the file spells it."""
    columns = file.frame.columns
    found = [column for column in columns if column == name] or [
        c for c in columns if c.strip().lower() == name.lower()
    ]
    if len(found) != 1:
        raise EvenhandError(f"{file.path}: no column {name!r}{did_you_mean(name, columns)}; it has {file.has}")
    return found[0]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

"""What the paper about ratings printed, and the numbers that its systems gave."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import polars as pl

from evenhand.files.tables import read_table
from evenhand.published import checks

PAPER = "rating"
HUGE = 20_000.0
"""What the paper prints as H."""
SAME = "all"
"""The dataset of conversations, which have one only."""


@dataclass(frozen=True)
class Cell:
    """One printed t; `mark` is its superscript: 1 rejected at all levels, 2 at the two weaker, 3 at the weakest, 0 at
    none."""

    system: str
    dataset: str
    pair: tuple[str, str]
    t: float
    mark: int
    text: str

    @property
    def name(self) -> str:
        """Which cell of its table it is."""
        return f"{self.system} {self.dataset} {'/'.join(self.pair)}"


@dataclass(frozen=True)
class TestTable:
    """A table of t values by system, word set and pair of classes."""

    where: str
    data: str
    group: str
    attribute: str
    cells: tuple[Cell, ...]
    errata: Mapping[str, str]


@dataclass(frozen=True)
class ImpactRow:
    """Observed and adjusted means for negative and positive words, their impacts and the larger one; X is infinite."""

    where: str
    data: str
    group: str
    system: str
    dataset: str
    observed: tuple[float, float]
    adjusted: tuple[float, float]
    impacts: tuple[float, float]
    largest: float
    erratum: str | None


@dataclass(frozen=True)
class Order:
    """A row of tables IV and V: raw scores (X is infinite) and levels by system."""

    table: str
    data: str
    group: str
    scores: Mapping[str, float]
    ratings: Mapping[str, int]
    errata: Mapping[str, str]
    """Ids, by what differs: scores, ratings, and the scores that come out at the stated levels or by equation 1."""

    @property
    def name(self) -> str:
        """Which data and group."""
        return f"{self.data} {self.group}"


def content() -> dict[str, Any]:
    """The printed figures."""
    return checks.published(PAPER)


def orders() -> list[Order]:
    """Tables IV and V."""
    return [
        Order(**{"errata": {}, **row, "scores": {system: _number(score) for system, score in row["scores"].items()}})
        for row in content()["orders"]
    ]


def printed_tests() -> list[TestTable]:
    """The supplement's tables of t."""
    return [
        TestTable(
            table["where"],
            table["data"],
            table["group"],
            table["attribute"],
            tuple(_cells(table)),
            table.get("errata", {}),
        )
        for table in content()["tests"]
    ]


def recorded_tests() -> list[TestTable]:
    """The t values of the English data, which the paper does not print, from its authors' result files."""
    return [
        TestTable("the authors' result files", "SD", table["group"], table["attribute"], tuple(_cells(table)), {})
        for table in content()["recorded"]
    ]


def printed_impacts() -> list[ImpactRow]:
    """The supplement's tables of impacts."""
    rows = []
    for table in content()["impacts"]:
        for system, by_set in table["rows"].items():
            for dataset, (observed, adjusted, impacts, largest) in by_set.items():
                rows.append(
                    ImpactRow(
                        table["where"],
                        table["data"],
                        table["group"],
                        system,
                        dataset,
                        tuple(observed),
                        tuple(adjusted),
                        (_number(impacts[0]), _number(impacts[1])),
                        _number(largest),
                        table.get("errata", {}).get(f"{system} {dataset}"),
                    )
                )
    return rows


def errata(ids: str | None) -> tuple[str, ...]:
    """Errata of this paper by id."""
    return checks.errata(PAPER, ids)


@cache
def published_scores() -> pl.DataFrame:
    """What five systems gave each sentence of the English data: a table that can be rated."""
    with as_file(files("evenhand") / "data" / "published" / "rating_scores.csv") as path:
        return read_table(path).with_columns(pl.col("sentiment").cast(pl.Float64))


def _cells(table: Mapping[str, Any]) -> Iterator[Cell]:
    for system, by_set in table["rows"].items():
        for dataset, line in by_set.items():
            for pair, text in zip(table["pairs"], str(line).split(), strict=True):
                value, _, mark = text.partition("^")
                first, second = pair.split("/")
                t = HUGE if value == "H" else float(value)
                yield Cell(system, dataset, (first, second), t, int(mark or 0), text)


def _number(value: float | str) -> float:
    return math.inf if value == "X" else float(value)

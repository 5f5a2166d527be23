"""Score alignment: the groups' distributions of scores are moved to their common barycentre, by as much as is deserved.

In one dimension the Wasserstein-2 barycentre of distributions has the mean of their quantile functions for its own
(Agueh and Carlier, 2011), and the cheapest way there sends each score to the barycentre's at the same rank: a monotone
map for each group, so that nobody is overtaken within a group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from evenhand.asking import Scores
from evenhand.corpora import Corpus
from evenhand.repairs.calibrator import Calibrator, FittedFor, calibrator, numbers
from evenhand.repairs.cells import of_kind
from evenhand.repairs.evidence import Evidence, evidence
from evenhand.repairs.rows import Labels, Rows
from evenhand.repairs.variables import Variable, variables
from evenhand.systems.base import Array

STEPS = 100
"""A map has at most so many steps: neighbouring scores are put together, which also takes chance out of it."""


@dataclass(frozen=True)
class Path:
    """Where the scores of one group go: from the steps of its distribution to the barycentre's of the same ranks."""

    starts: Array
    ends: Array

    def shift(self, values: Array) -> Array:
        """How far each value has to go: between steps interpolated, beyond them as far as the nearest."""
        return np.asarray(np.interp(values, self.starts, self.ends - self.starts))


@dataclass(frozen=True)
class Move:
    """The paths of one attribute's groups, for one variable and one kind of persons."""

    variable: str
    attribute: str
    kind: str
    weight: float
    """How much of the way is gone: as much as the evidence supports, 0 to 1."""
    paths: Mapping[str, tuple[Path, ...]]
    """By group, one for each column of the variable."""

    def moved(self, columns: Array, rows: Rows, variable: Variable) -> Array:
        """The columns with the groups nearer to each other; other rows keep their numbers to the last bit."""
        after = columns.copy()
        labels = rows.groups.get(self.attribute)
        if labels is None or not self.weight:
            return after
        for group, paths in self.paths.items():
            own = np.flatnonzero((labels == group) & of_kind(rows, self.kind))
            shift = np.column_stack([path.shift(columns[own, place]) for place, path in enumerate(paths)])
            going = (shift != 0).any(axis=1)
            after[own[going]] = within(variable, columns[own[going]] + self.weight * shift[going])
        return after


@calibrator("alignment")
@dataclass(frozen=True, eq=False)
class Alignment(Calibrator):
    """Groups moved to their barycentre, one attribute after the other."""

    fitted_for: FittedFor
    moves: tuple[Move, ...]

    @classmethod
    def fit(cls, scores: Scores, corpus: Corpus, *, attributes: Sequence[str] | None = None) -> Self:
        """Fit the moves on the scores of one system, for these attributes (all, unless told).

        Kinds of persons (paired ones and names) move apart where `evidence` tells them apart, else together. A move is
        fitted on scores as the moves before it leave them, so that a sentence with a gender and a race is not moved
        twice for the same reason.
        """
        rows = Rows.of(corpus)
        moves = []
        for variable in variables([column.output for column in scores.columns]):
            columns = scores.matrix[:, list(variable.places)]
            for attribute in attributes or corpus.attributes:
                made = [
                    Move(variable.name, attribute, one.kind, one.weight, _paths(columns, rows.groups[attribute], one))
                    for one in evidence(scores, corpus, variable, attribute)
                ]
                for move in made:
                    columns = move.moved(columns, rows, variable)
                moves += made
        return cls(FittedFor.of(scores, corpus), tuple(moves))

    def corrected(self, columns: Array, rows: Rows) -> Array:
        """The answers after all moves of the groups that each row belongs to."""
        after = columns.copy()
        for variable in self.variables:
            own = list(variable.places)
            for move in self.moves:
                if move.variable == variable.name:
                    after[:, own] = move.moved(after[:, own], rows, variable)
        return after

    def content(self) -> dict[str, Any]:
        """The moves with their weights and paths."""
        return {
            "moves": [
                {
                    "variable": move.variable,
                    "attribute": move.attribute,
                    "kind": move.kind,
                    "weight": move.weight,
                    "paths": {
                        group: [{"starts": path.starts.tolist(), "ends": path.ends.tolist()} for path in paths]
                        for group, paths in move.paths.items()
                    },
                }
                for move in self.moves
            ]
        }

    @classmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        """Read what `content` gave."""
        return cls(fitted_for, tuple(_move_from(entry) for entry in content["moves"]))


def barycentre_paths(values: Sequence[Array], weights: Sequence[Array], *, steps: int = STEPS) -> list[Path]:
    """The way of each group's values to the groups' barycentre.

    A value that occurs several times takes up a stretch of ranks and goes to the barycentre's mean over that stretch,
    so that the groups' means become equal whatever the ties. Groups of one size and without ties: sorted values go to
    the means of the values with the same rank.

    >>> low, high = barycentre_paths([np.array([0.1, 0.3]), np.array([0.7, 0.5])], [np.ones(2), np.ones(2)])
    >>> low.ends.round(9).tolist(), high.ends.round(9).tolist()
    ([0.3, 0.5], [0.3, 0.5])
    """
    found = [_distribution(*group) for group in zip(values, weights, strict=True)]
    sums = [(_from_zero(masses), _from_zero(masses * points)) for points, masses in found]

    def up_to(rank: Array) -> Array:
        """The barycentre's quantile function, summed up from rank zero."""
        return np.asarray(np.mean([np.interp(rank, *each) for each in sums], axis=0))

    paths = []
    for points, masses in found:
        ranks = _from_zero(masses)
        first = _firsts(ranks, steps)
        mass = np.add.reduceat(masses, first)
        starts = points if len(first) == len(points) else np.add.reduceat(masses * points, first) / mass
        ends = np.diff(up_to(np.append(ranks[first], ranks[-1]))) / mass
        # Sums of many small numbers may come out of order by a rounding.
        paths.append(Path(np.maximum.accumulate(starts), np.maximum.accumulate(ends)))
    return paths


def within(variable: Variable, columns: Array) -> Array:
    """Moved columns as answers: within their range, and a distribution adding up to one."""
    if variable.is_distribution:
        kept = np.maximum(columns, 0.0)
        total = kept.sum(axis=1, keepdims=True)
        even = np.full_like(kept, 1 / kept.shape[1])
        shares: Array = np.divide(kept, total, out=even, where=total > 0)
        return shares
    output = variable.outputs[0]
    return columns if output.low is None or output.high is None else np.clip(columns, output.low, output.high)


def _paths(columns: Array, labels: Labels, found: Evidence) -> dict[str, tuple[Path, ...]]:
    """The paths of the groups, in whose distributions each sentence counts what it counts in the evidence: groups are
    seen in the same sentences whatever their size, and how far they lie apart on average is the gap that was found."""
    counts = np.sum([np.abs(gap.operator) for gap in found.gaps], axis=0)
    of_group = {group: np.flatnonzero((labels == group) & (counts > 0)) for group in found.groups}
    weights = [counts[own] for own in of_group.values()]
    by_column = [barycentre_paths([column[own] for own in of_group.values()], weights) for column in columns.T]
    return {group: tuple(paths[place] for paths in by_column) for place, group in enumerate(of_group)}


def _distribution(values: Array, weights: Array) -> tuple[Array, Array]:
    """The distinct values in order, and the share of each."""
    points, which = np.unique(values, return_inverse=True)
    masses = np.bincount(which, weights=weights)
    return points, masses / masses.sum()


def _from_zero(parts: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(parts)])


def _firsts(ranks: Array, steps: int) -> npt.NDArray[np.intp]:
    """Where steps begin: at each value, or at some of them so that there are at most so many, about equally large."""
    if len(ranks) - 1 <= steps:
        return np.arange(len(ranks) - 1)
    middles = (ranks[:-1] + ranks[1:]) / 2
    return np.flatnonzero(np.diff(np.floor(middles * steps), prepend=-1.0))


def _move_from(entry: Mapping[str, Any]) -> Move:
    paths = {str(group): tuple(_path_from(one) for one in each) for group, each in entry["paths"].items()}
    weight = float(numbers([entry["weight"]])[0])
    return Move(entry["variable"], entry["attribute"], entry["kind"], weight, paths)


def _path_from(entry: Mapping[str, Any]) -> Path:
    path = Path(numbers(entry["starts"]), numbers(entry["ends"]))
    if not len(path.starts) or path.starts.shape != path.ends.shape or (np.diff(path.starts) < 0).any():
        raise ValueError("a path has as many ends as starts, in order")
    return path

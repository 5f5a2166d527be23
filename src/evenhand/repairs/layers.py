"""Weighted layers: each group is moved to the mean of the groups, or to a neutral person, by as much as is deserved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import optimize

from evenhand.asking import Scores
from evenhand.contrasts import EVERYBODY, PAIRED
from evenhand.corpora import Corpus
from evenhand.corpora.once import once
from evenhand.errors import UsageError
from evenhand.numbering import placed
from evenhand.repairs.calibrator import Calibrator, FittedFor, calibrator, numbers
from evenhand.repairs.evidence import Evidence, attributes_in, evidence
from evenhand.repairs.rows import Rows
from evenhand.repairs.variables import Variable, variables
from evenhand.systems.base import Array

ANYBODY = "anybody"
"""The layer of all persons together, who may lie elsewhere than a neutral person does."""

LARGEST_WEIGHT = 2.0
"""A layer that must be more than doubled to close the gap does not describe it."""

SWEEPS = 2
"""Layers of several attributes change each other's gaps a little where answers are not additive."""


@dataclass(frozen=True)
class Layer:
    """What is taken off the answers about one attribute's groups, for one variable and one kind of persons."""

    variable: str
    attribute: str
    kind: str
    far: Mapping[str, Array]
    """How far each group lies from where it should, on the scale on which corrections add up."""
    closing: float
    """The weight that closes the gap on the sentences it was fitted on."""
    deserved: float
    """How much of that the evidence supports, 0 to 1."""
    p: float | None

    @property
    def weight(self) -> float:
        """What the layer counts."""
        return self.closing * self.deserved

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "variable": self.variable,
            "attribute": self.attribute,
            "kind": self.kind,
            "far": {group: far.tolist() for group, far in self.far.items()},
            "closing": self.closing,
            "deserved": self.deserved,
            "p": self.p,
            "weight": self.weight,
        }

    def shift(self, rows: Rows) -> Array:
        """What is added to each row."""
        if self.attribute == ANYBODY:
            labels = np.array([ANYBODY if named else None for named in rows.named], dtype=object)
        else:
            labels = rows.groups.get(self.attribute, np.full(len(rows), None, dtype=object))
        place = placed(labels.tolist(), self.far)
        if self.kind != EVERYBODY:
            place[rows.paired != (self.kind == PAIRED)] = -1
        table = np.vstack([*self.far.values(), np.zeros_like(next(iter(self.far.values())))])
        return -self.weight * table[place] if self.weight else np.zeros((len(rows), table.shape[1]))


@calibrator("layers")
@dataclass(frozen=True, eq=False)
class Layers(Calibrator):
    """Group layers whose weights are fitted, and shrunk towards none where the evidence is weak."""

    fitted_for: FittedFor
    layers: tuple[Layer, ...]

    @classmethod
    def fit(
        cls,
        scores: Scores,
        corpus: Corpus,
        *,
        attributes: Sequence[str] | None = None,
        neutral: Array | None = None,
    ) -> Self:
        """Fit the layers on the scores of one system, for these attributes (all, unless told).

        Each group is moved towards the mean of the groups or, with `neutral`, towards the same sentences about a
        neutral person: their answers, a row for each sentence of the corpus.
        """
        if neutral is not None and neutral.shape != scores.matrix.shape:
            raise UsageError(
                f"the answers about a neutral person have the shape {neutral.shape}, not that of the scores"
            )
        there = attributes_in(corpus, attributes)
        found: list[Layer] = []
        for variable in variables([column.output for column in scores.columns]):
            found += _fitted_once(scores, corpus, variable, there)
            if neutral is not None:
                found += _to_neutral(scores, corpus, variable, there, neutral)
        return cls(FittedFor.of(scores, corpus), tuple(found))

    def corrected(self, columns: Array, rows: Rows) -> Array:
        """The answers less the weighted layers of the groups that each row belongs to."""
        after = columns.copy()
        for variable in self.variables:
            own = list(variable.places)
            shift = sum_of_shifts([one for one in self.layers if one.variable == variable.name], rows, len(own))
            after[:, own] = variable.moved(columns[:, own], shift)
        return after

    def content(self) -> dict[str, Any]:
        """The layers with their weights."""
        return {"layers": [layer.to_dict() for layer in self.layers]}

    @classmethod
    def from_content(cls, fitted_for: FittedFor, content: Mapping[str, Any]) -> Self:
        """Read what `content` gave."""
        return cls(fitted_for, tuple(layer_from(entry) for entry in content["layers"]))


def layer_from(entry: Mapping[str, Any]) -> Layer:
    """A layer as JSON holds it."""
    far = {str(group): numbers(vector) for group, vector in entry["far"].items()}
    closing, deserved = numbers([entry["closing"], entry["deserved"]]).tolist()
    return Layer(entry["variable"], entry["attribute"], entry["kind"], far, closing, deserved, entry["p"])


def sum_of_shifts(layers: Sequence[Layer], rows: Rows, width: int) -> Array:
    """What all layers of a variable add to each row."""
    return sum((layer.shift(rows) for layer in layers), np.zeros((len(rows), width)))


def _fitted_once(scores: Scores, corpus: Corpus, variable: Variable, attributes: tuple[str, ...]) -> tuple[Layer, ...]:
    """The layers between the groups, which all methods that build on layers share."""
    asked = "layers", corpus.digest, variable, attributes
    return once(scores, asked, lambda: _fitted(scores, corpus, variable, attributes))


def _fitted(scores: Scores, corpus: Corpus, variable: Variable, attributes: Sequence[str]) -> tuple[Layer, ...]:
    own = list(variable.places)
    columns, rows = scores.matrix[:, own], Rows.of(corpus)
    spread = variable.spread_out(columns)
    found: list[Evidence] = []
    layers: list[Layer] = []
    for attribute in attributes:
        for one in evidence(scores, corpus, variable, attribute):
            found.append(one)
            layers.append(Layer(variable.name, attribute, one.kind, one.layer(spread), 1.0, one.weight, one.p))
    return tuple(_closing(layers, found, variable, columns, rows))


def _to_neutral(
    scores: Scores, corpus: Corpus, variable: Variable, attributes: tuple[str, ...], neutral: Array
) -> list[Layer]:
    """A layer once for everybody: a row with a gender and a race must not be moved to the neutral person twice."""
    groups = _fitted_once(scores, corpus, variable, attributes)
    deserved = max((layer.deserved for layer in groups), default=0.0)
    if not deserved:
        return []
    own = list(variable.places)
    far = variable.spread_out(scores.matrix[:, own]) - variable.spread_out(neutral[:, own])
    found = [one for attribute in attributes for one in evidence(scores, corpus, variable, attribute)]
    return [Layer(variable.name, ANYBODY, EVERYBODY, {ANYBODY: _mean_of_sides(found, far)}, 1.0, deserved, None)]


def _mean_of_sides(found: Sequence[Evidence], far: Array) -> Array:
    """How far persons lie from the neutral person: the mean over both sides of all gaps."""
    operators = [gap.operator for one in found for gap in one.gaps]
    sides = [side for operator in operators for side in (np.maximum(operator, 0), np.maximum(-operator, 0))]
    means: Array = np.mean([side @ far / side.sum() for side in sides if side.sum()], axis=0)
    return means


def _closing(
    layers: list[Layer], found: Sequence[Evidence], variable: Variable, columns: Array, rows: Rows
) -> list[Layer]:
    """The layers with the weights that close their own gaps best; those that deserve nothing are not looked at."""
    whole = {place: replace(layer, deserved=1.0) for place, layer in enumerate(layers) if layer.deserved}
    shifts = {place: layer.shift(rows) for place, layer in whole.items()}
    # Among all persons that the gap was seen in, also where only one kind of them is corrected by it.
    where_seen = {place: replace(layer, kind=EVERYBODY).shift(rows) for place, layer in whole.items()}
    weights = dict.fromkeys(whole, 1.0)
    for _ in range(SWEEPS):
        for place, layer in whole.items():
            others = sum(
                (weights[other] * shifts[other] for other in whole if whole[other].attribute != layer.attribute),
                np.zeros_like(columns),
            )
            weights[place] = _best_weight(_remaining(found[place], variable, columns, others, where_seen[place]))
    return [replace(layer, closing=weights.get(place, 1.0)) for place, layer in enumerate(layers)]


def _remaining(
    found: Evidence, variable: Variable, columns: Array, others: Array, shift: Array
) -> Callable[[float], float]:
    """The sum of the squared gaps that are left, by the weight of a layer."""
    operators = np.array([gap.operator for gap in found.gaps])
    used: npt.NDArray[np.intp] = np.flatnonzero((operators != 0).any(axis=0))
    operators, columns, others, shift = operators[:, used], columns[used], others[used], shift[used]

    def remaining(weight: float) -> float:
        gaps = operators @ variable.read(variable.moved(columns, others + weight * shift))
        return float((gaps**2).sum())

    return remaining


def _best_weight(remaining: Callable[[float], float]) -> float:
    best = optimize.minimize_scalar(remaining, bounds=(0.0, LARGEST_WEIGHT), method="bounded", options={"xatol": 1e-6})
    return float(best.x)

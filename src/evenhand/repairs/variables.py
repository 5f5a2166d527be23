"""What is repaired: the variables of a system's outputs, and the scale on which corrections add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.systems.base import Array, Output

SMALLEST = 1e-12
"""Probabilities below this have no finite logarithm worth speaking of."""


@dataclass(frozen=True)
class Variable:
    """One thing that a system says about a text: a number, or a distribution over labels, in one or more columns."""

    name: str
    places: tuple[int, ...]
    """Its columns, among the outputs of its system."""
    outputs: tuple[Output, ...]

    @property
    def is_distribution(self) -> bool:
        """Whether its columns are the probabilities of labels, which add up to one."""
        return self.outputs[0].of is not None

    @property
    def _is_probability(self) -> bool:
        """Whether it is one probability, from 0 to 1; one in per cent is a score like others."""
        output = self.outputs[0]
        return output.kind == "probability" and (output.low, output.high) == (0, 1)

    @property
    def values(self) -> Array | None:
        """What each label counts as; None for labels that are no numbers, and for plain scores."""
        values = [output.value for output in self.outputs]
        return None if None in values else np.array(values, dtype=np.float64)

    @property
    def readings(self) -> tuple[Output, ...]:
        """What it is judged by: the expected label of a distribution over numbers, else its own columns."""
        values = self.values
        if not self.is_distribution or values is None:
            return self.outputs
        return (Output(self.name, float(values.min()), float(values.max()), high_is=self.outputs[0].high_is),)

    def read(self, columns: Array) -> Array:
        """Its readings: (rows, readings)."""
        return columns @ self.values[:, None] if self.is_distribution and self.values is not None else columns

    def spread_out(self, columns: Array) -> Array:
        """On the scale on which corrections add up: logarithms for a distribution, log odds for a probability, the
        numbers themselves for a score."""
        if self.is_distribution:
            logs: Array = np.log(np.maximum(columns, SMALLEST))
            return logs
        if self._is_probability:
            return np.asarray(special.logit(np.clip(columns, SMALLEST, 1 - SMALLEST)))
        return columns

    def folded(self, spread: Array) -> Array:
        """Back from that scale: probabilities that add up to one, or numbers within their range."""
        if self.is_distribution:
            return np.asarray(special.softmax(spread, axis=1))
        if self._is_probability:
            return np.asarray(special.expit(spread))
        output = self.outputs[0]
        return spread if output.low is None or output.high is None else np.clip(spread, output.low, output.high)

    def moved(self, columns: Array, shift: Array) -> Array:
        """The columns after a shift on that scale; rows that are not shifted keep their numbers to the last bit."""
        shifted = np.flatnonzero((shift != 0).any(axis=1))
        after = columns.copy()
        after[shifted] = self.folded(self.spread_out(columns[shifted]) + shift[shifted])
        return after


def variables(outputs: Sequence[Output]) -> tuple[Variable, ...]:
    """The variables that outputs form: those that are a distribution of the same thing belong together.

    A distribution that is called as a score beside it is told from it by its name.

    >>> low, high = Output("mood=1", of="mood", value=1.0), Output("mood=2", of="mood", value=2.0)
    >>> [variable.name for variable in variables([low, Output("joy"), high])]
    ['mood', 'joy']
    >>> [variable.name for variable in variables([low, high, Output("mood")])]
    ['mood (distribution)', 'mood']
    """
    places: dict[tuple[str, bool], list[int]] = {}
    for place, output in enumerate(outputs):
        places.setdefault((output.of or output.name, output.of is not None), []).append(place)
    return tuple(
        Variable(
            f"{name} (distribution)" if whole and (name, False) in places else name,
            tuple(where),
            tuple(outputs[place] for place in where),
        )
        for (name, whole), where in places.items()
    )

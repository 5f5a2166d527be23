"""Sequences: rows that stand side by side in one example are compared position by position, and averaged."""

from __future__ import annotations

import numpy as np

from evenhand.metrics.cells import Cells
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.shares import share
from evenhand.stats.types import Bools, Floats, Ints


class Positions:
    """The positions of every source, numbered through; a comparison within a source is the mean of theirs.

    So long sentences weigh no more than short ones, and tuples of terms never mix one token with another.
    """

    def __init__(self, source: Ints, position: Ints, *, sources: int) -> None:
        pairs, place = np.unique(np.stack([source, position], axis=1), axis=0, return_inverse=True)
        self.place: Ints = place.reshape(-1)
        """Of each row."""
        self.source: Ints = pairs[:, 0]
        """Of each position."""
        self.sources = sources

    def cells(self, numbers: Floats, rows: Bools, column: Ints, *, columns: int) -> Cells:
        """Numbers of the chosen rows by position, as if each were a source of its own."""
        place, column = self.place[rows], column[rows]
        order = np.lexsort((column, place))
        return Cells(numbers[rows][order], place[order], column[order], shape=(len(self.source), columns))

    def mean(self, values: Floats) -> Floats:
        """(positions, …) to (sources, …): means over the positions where a value is defined; NaN where none is."""
        defined = ~np.isnan(values)
        sums, number = np.zeros((self.sources, *values.shape[1:])), np.zeros((self.sources, *values.shape[1:]))
        np.add.at(sums, self.source, np.where(defined, values, 0.0))
        np.add.at(number, self.source, defined)
        return share(sums, number)

    def error_of_mean(self, errors: Floats, values: Floats) -> Floats:
        """Standard errors of such means, where some of the values are estimates; 0 where none is."""
        defined = ~np.isnan(values)
        squares = np.bincount(self.source, weights=np.where(defined, errors, 0.0) ** 2, minlength=self.sources)
        number = np.bincount(self.source, weights=defined, minlength=self.sources)
        return np.asarray(np.sqrt(squares) / np.maximum(number, 1), dtype=np.float64)


def positions_of(predictions: Predictions) -> Positions | None:
    """The positions of sequences; None where every row is an example."""
    if predictions.position is None:
        return None
    return Positions(predictions.source, predictions.position, sources=len(predictions.sources))

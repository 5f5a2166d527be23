"""True and false positives and negatives by source, group and class: all that count-based scores are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from evenhand.errors import EvenhandError
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import UNKNOWN
from evenhand.stats.types import Floats, Ints

NO_NEGATIVES = "true negatives are not defined for spans"


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of shape (sources, groups, classes), one class against the rest.

    This is the seam for other tasks than classification: whoever can count matches (spans of a tagger, say) hands
    counts to `measure` and gets every count-based metric. Spans have no true negatives: `tn` is None, and what needs it
    is undefined. `predicted` and `examples` count all rows, also those whose gold class is not known; left out, they
    follow from the rest.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats | None
    predicted: Floats | None = None
    """How often the class was predicted, whatever the gold."""
    examples: Floats | None = None
    """How many rows there are, whatever the gold."""

    def __post_init__(self) -> None:
        shapes = {name: array.shape for name, array in self._arrays().items()}
        if len(set(shapes.values())) > 1 or len(self.tp.shape) != 3:
            raise EvenhandError(f"counts need one shape (sources, groups, classes), not {shapes}")

    @property
    def negatives(self) -> Floats:
        """True negatives, where there is such a thing."""
        if self.tn is None:
            raise Undefined(NO_NEGATIVES)
        return self.tn

    @property
    def predicted_and_examples(self) -> tuple[Floats, Floats]:
        """How often each class was predicted, and out of how many rows."""
        if self.predicted is not None and self.examples is not None:
            return self.predicted, self.examples
        return self.tp + self.fp, self.tp + self.fp + self.fn + self.negatives

    def weighted(self, weights: Floats) -> Self:
        """The sums over sources for each row of `weights` (resamples, sources): (resamples, groups, classes)."""
        return self.each(lambda array: np.tensordot(weights, array, axes=1))

    def with_empty_group(self) -> Self:
        """One more group without any row, at the end."""
        return self.each(lambda array: np.pad(array, ((0, 0), (0, 1), (0, 0))))

    def _arrays(self) -> dict[str, Floats]:
        names = ("tp", "fp", "fn", "tn", "predicted", "examples")
        return {name: array for name in names if (array := getattr(self, name)) is not None}

    def each(self, change: Callable[[Floats], Floats]) -> Self:
        """The same change to every array."""
        changed: dict[str, Any] = {name: change(array) for name, array in self._arrays().items()}
        return type(self)(**{"tn": None, **changed})


def count(predictions: Predictions) -> Counts:
    """Count a classifier's rows; the last group is that of the unperturbed sentences.

    Rows whose gold class is not known count as predictions only.
    """
    shape = (len(predictions.sources), len(predictions.groups) + 1, len(predictions.classes))
    cell = predictions.source * shape[1] + np.where(predictions.group == UNKNOWN, shape[1] - 1, predictions.group)
    return count_cells(predictions, cell, shape=shape[:2])


def count_cells(predictions: Predictions, cell: Ints, *, shape: tuple[int, int]) -> Counts:
    """The same in cells of one's own: the number of each row's cell, of so many by so many."""
    predicted = predictions.predicted
    if predicted is None:
        raise Undefined("no classes are predicted")
    by_class = (*shape, len(predictions.classes))
    gold = np.full_like(predicted, UNKNOWN) if predictions.gold is None else predictions.gold
    known = gold != UNKNOWN
    right = known & (gold == predicted)
    tp = _by_class(cell[right], predicted[right], by_class)
    fp = _by_class(cell[known], predicted[known], by_class) - tp
    fn = _by_class(cell[known], gold[known], by_class) - tp
    every = _by_class(cell[known], np.zeros_like(cell[known]), (*shape, 1))
    examples = _by_class(cell, np.zeros_like(cell), (*shape, 1))
    return Counts(
        tp=tp,
        fp=fp,
        fn=fn,
        tn=every - tp - fp - fn,
        predicted=_by_class(cell, predicted, by_class),
        examples=np.broadcast_to(examples, by_class),
    )


def _by_class(cell: Ints, label: Ints, shape: tuple[int, int, int]) -> Floats:
    flat = np.bincount(cell * shape[2] + label, minlength=shape[0] * shape[1] * shape[2])
    return flat.reshape(shape).astype(np.float64)

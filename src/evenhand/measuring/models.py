"""Several models on the same sentences: the metrics of each against those of the first, on the rows that both have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.errors import EvenhandError
from evenhand.measuring.compared import ModelDifference
from evenhand.measuring.result import MeasureSettings
from evenhand.metrics import Predictions
from evenhand.metrics.differences import metric_differences
from evenhand.numbering import UNKNOWN

RESAMPLES = 500
"""Of the sentences, for intervals of differences; fewer if fewer are asked for."""


@dataclass(frozen=True, eq=False)
class Made:
    """What one system said, by one attribute."""

    system: str
    attribute: str
    predictions: Predictions


def model_differences(
    made: Sequence[Made], settings: MeasureSettings
) -> tuple[tuple[ModelDifference, ...], tuple[str, ...]]:
    """Every system against the first that was measured by the same attribute; and what cannot be compared, with why."""
    found, refused = [], []
    for attribute in dict.fromkeys(one.attribute for one in made):
        first, *others = [one for one in made if one.attribute == attribute]
        for other in others:
            try:
                found.append(_difference(first, other, settings))
            except EvenhandError as error:
                refused.append(f"{first.system} and {other.system}, {attribute}, are not compared: {error}")
    return tuple(found), tuple(refused)


def _difference(first: Made, other: Made, settings: MeasureSettings) -> ModelDifference:
    one, two = same_rows(_of_groups(first.predictions, settings), _of_groups(other.predictions, settings))
    differences = metric_differences(
        one, two, settings.metrics, seed=settings.seed, bootstrap=min(settings.bootstrap, RESAMPLES),
        level=settings.level,
    )  # fmt: skip
    return ModelDifference(first.system, other.system, first.attribute, len(one), tuple(differences))


def _of_groups(predictions: Predictions, settings: MeasureSettings) -> Predictions:
    return predictions if settings.groups is None else predictions.of_groups(settings.groups)


def same_rows(one: Predictions, other: Predictions) -> tuple[Predictions, Predictions]:
    """The rows that both have, in the order of the first: those of the same source, group and term."""
    if one.regression != other.regression:
        raise EvenhandError("one predicts classes, the other gives scores")
    keys, there = list(_keys(one)), {key: place for place, key in enumerate(_keys(other))}
    shared = [(mine, there[key]) for mine, key in enumerate(keys) if key in there]
    if not shared:
        raise EvenhandError("they share no row with the same source, group and term")
    mine, theirs = np.array(shared).T
    first, second = one.select(mine), other.select(theirs)
    second = replace(
        second, sources=first.sources, source=first.source, groups=first.groups, group=first.group, terms=first.terms
    )
    if first.gold is not None and second.gold is not None and _golds(first) != _golds(second):
        raise EvenhandError("their gold classes differ")
    return first, second


def _keys(predictions: Predictions) -> Iterator[tuple[str, str | None, str, int]]:
    """Source, group and term of each row, and which of the rows with the same ones it is."""
    seen: Counter[tuple[str, str | None, str]] = Counter()
    for source, group, term in zip(
        predictions.source.tolist(), predictions.group.tolist(), predictions.terms, strict=True
    ):
        key = predictions.sources[source], None if group == UNKNOWN else predictions.groups[group], term
        seen[key] += 1
        yield *key, seen[key]


def _golds(predictions: Predictions) -> list[str | None]:
    codes = [] if predictions.gold is None else predictions.gold.tolist()
    return [None if code == UNKNOWN else predictions.classes[code] for code in codes]

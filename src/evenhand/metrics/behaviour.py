"""Behavioural tests (Ribeiro et al. 2020) on any predictions: what must not change, what must be right, what must move.

Each test says how often it fails, how sure that is, and where it fails.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from evenhand.errors import UsageError, did_you_mean
from evenhand.metrics.failures import Behaviour, Cases, Counting, Example, Weight, an_example
from evenhand.metrics.metric import UNPERTURBED
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.scores import predicted_class, probability
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import UNKNOWN
from evenhand.stats.types import ROUNDING, Floats, Ints

RESAMPLES = 2_000


def invariance(
    predictions: Predictions,
    *,
    tolerance: float | None = None,
    label: str | None = None,
    weight: Weight = "sources",
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> Behaviour:
    """The predicted class must not change within a source; with `tolerance`, a score must not move by more than that.

    A case is a tuple with one row of each group that the source has (the unperturbed sentence counts as a group); it
    fails if not all are predicted the same. All tuples are counted, without drawing up the product. Sources weigh the
    same; `weight="cases"` pools their tuples. `label` is the class whose probability is looked at; regression scores
    need none, and always a tolerance. Tokens of sequences are compared position by position. Undefined where no source
    has two groups.

    >>> predictions = Predictions.of(
    ...     source=["like"] * 3, group=["female", "female", "male"], term=["Ann", "Eve", "Bob"],
    ...     predicted=["good", "bad", "good"])
    >>> found = invariance(predictions)
    >>> found.rate, found.failures[0].examples[0].term, found.failures[0].examples[0].expected
    (0.5, 'Eve', 'good')
    """
    _check(tolerance is not None or label is None, "say by how much the probability of the class may move (tolerance)")
    _check(tolerance is not None or not predictions.regression, "say by how much the score may move (tolerance)")
    _check(tolerance is None or tolerance >= 0, "a tolerance is not negative")
    expectation = "the predicted class stays" if tolerance is None else f"the score moves by {tolerance:g} at most"
    counting = Counting(predictions, "invariance", expectation, "no source has rows of two groups")

    def cases(rows: Ints, values: Floats) -> Cases | None:
        groups = [values[predictions.group[rows] == code] for code in np.unique(predictions.group[rows])]
        if len(groups) < 2:
            return None
        tuples = math.prod(len(group) for group in groups)
        failing = tuples - _tuples_within(groups, tolerance or 0.0)
        if not failing:
            return Cases(tuples, 0)
        odd = _minority(predictions, rows) if tolerance is None else _ends(predictions, rows, values, expectation)
        return Cases(tuples, failing, odd)

    try:
        values = predicted_class(predictions, 0) if tolerance is None else _score(predictions, label)
    except Undefined as reason:
        return counting.nothing(str(reason))
    found = ((source, cases(rows, values[rows])) for source, rows in counting.versions())
    return counting.counted(found, weight=weight, resamples=resamples, seed=seed, level=level)


def minimum_functionality(
    predictions: Predictions, *, resamples: int = RESAMPLES, seed: int = 0, level: float = 0.95
) -> Behaviour:
    """The predicted class must be the gold class. A case is a row with a gold class; the rate is over rows.

    >>> predictions = Predictions.of(
    ...     source=["like", "like", "hate"], group=["female", "male", "male"], term=["Ann", "Bob", "Bob"],
    ...     predicted=["good", "bad", "bad"], gold=["good", "good", "bad"])
    >>> minimum_functionality(predictions).rate.__round__(3)
    0.333
    """
    counting = Counting(
        predictions, "minimum functionality", "the predicted class is the gold class", "no row has a gold class"
    )
    gold, predicted = predictions.gold, predictions.predicted
    if gold is None or predicted is None:
        return counting.nothing("no gold classes are given" if gold is None else "no classes are predicted")

    def cases(rows: Ints) -> Cases | None:
        rows = rows[gold[rows] != UNKNOWN]
        if not len(rows):
            return None
        wrong = rows[predicted[rows] != gold[rows]]
        examples = [an_example(predictions, row, predictions.classes[gold[row]]) for row in wrong]
        return Cases(len(rows), len(wrong), tuple(examples))

    found = ((source, cases(rows)) for source, rows in counting.versions())
    return counting.counted(found, weight="cases", resamples=resamples, seed=seed, level=level, independent=True)


def directional(
    predictions: Predictions,
    first: str,
    second: str,
    *,
    expect: Literal["rise", "fall"],
    by: float = 0.0,
    label: str | None = None,
    weight: Weight = "sources",
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> Behaviour:
    """From the first group (or condition) of a source to the second, the score must rise or fall by at least `by`.

    The score is the probability of `label`, or a regression score. A negative `by` lets it go the other way that far:
    `expect="fall", by=-0.1` is "it must not rise by more than 0.1". `unperturbed` names the sentences without a group.
    A case is a pair of rows of a source, one of each group; sources weigh the same unless `weight="cases"`.

    >>> predictions = Predictions.of(
    ...     source=["like", "like"], group=["plain", "very"], term=["good", "very good"], score=[0.6, 0.5])
    >>> directional(predictions, "plain", "very", expect="rise").rate
    1.0
    """
    _check(expect in ("rise", "fall"), f"a score is expected to rise or to fall, not to {expect!r}")
    columns = [_column(predictions, name) for name in (first, second)]
    _check(columns[0] != columns[1], f"{first!r} cannot be compared with itself")
    sign = 1.0 if expect == "rise" else -1.0
    expectation = f"from {first} to {second} the score {expect}s by at least {by:g}"
    counting = Counting(predictions, "directional expectation", expectation, f"no source has {first} and {second}")
    try:
        values = _score(predictions, label)
    except Undefined as reason:
        return counting.nothing(str(reason))
    tolerance = ROUNDING * float(np.abs(values).max())

    def cases(rows: Ints) -> Cases | None:
        before, after = (rows[predictions.group[rows] == column] for column in columns)
        if not len(before) or not len(after):
            return None
        pairs = len(before) * len(after)
        start, end = np.sort(sign * values[before]), sign * values[after]
        # A pair fails where the end lies below start + by: for each end, the starts that are too high for it.
        failing = int((len(start) - np.searchsorted(start, end - by + tolerance, side="right")).sum())
        if not failing:
            return Cases(pairs, 0)
        worst = before[np.argmax(sign * values[before])], after[np.argmin(end)]
        examples = tuple(an_example(predictions, row, expectation, said=float(values[row])) for row in worst)
        return Cases(pairs, failing, examples)

    found = ((source, cases(rows)) for source, rows in counting.versions())
    return counting.counted(found, weight=weight, resamples=resamples, seed=seed, level=level)


def _tuples_within(groups: list[Floats], tolerance: float) -> int:
    """How many tuples, one number of each group, have all their numbers within `tolerance` of one another.

    Summed over which number is the smallest: all lie from it up to the tolerance, less those where all lie above it.
    In whole numbers of any size, for the product soon outgrows others.
    """
    numbers = np.unique(np.concatenate(groups))
    top = numbers + tolerance + ROUNDING * float(np.abs(numbers).max())
    from_it, above_it = [1] * len(numbers), [1] * len(numbers)
    for group in groups:
        ordered = np.sort(group)
        up_to = np.searchsorted(ordered, top, side="right")
        here = (up_to - np.searchsorted(ordered, numbers, side="left")).tolist()
        higher = (up_to - np.searchsorted(ordered, numbers, side="right")).tolist()
        from_it = [count * more for count, more in zip(from_it, here, strict=True)]
        above_it = [count * more for count, more in zip(above_it, higher, strict=True)]
    return sum(from_it) - sum(above_it)


def _minority(predictions: Predictions, rows: Ints) -> tuple[Example, ...]:
    """The rows that are not predicted as most rows of the source are."""
    if predictions.predicted is None:
        raise Undefined("no classes are predicted")
    predicted = predictions.predicted[rows]
    usual = int(np.bincount(predicted).argmax())
    return tuple(an_example(predictions, row, predictions.classes[usual]) for row in rows[predicted != usual])


def _ends(predictions: Predictions, rows: Ints, values: Floats, expectation: str) -> tuple[Example, ...]:
    """The rows with the lowest and the highest score."""
    places = int(values.argmin()), int(values.argmax())
    return tuple(an_example(predictions, rows[place], expectation, said=float(values[place])) for place in places)


def _score(predictions: Predictions, label: str | None) -> Floats:
    """The probability of a class by name, or a regression score."""
    if predictions.probabilities is None:
        raise Undefined("no probabilities are given")
    if label is None:
        _check(predictions.regression, "say for which class the probability is looked at (label)")
        return probability(predictions, 0)
    if label not in predictions.classes:
        raise UsageError(f"there is no class {label!r}{did_you_mean(label, predictions.classes)}")
    return probability(predictions, predictions.classes.index(label))


def _column(predictions: Predictions, name: str) -> int:
    if name == UNPERTURBED and name not in predictions.groups:
        return UNKNOWN
    if name not in predictions.groups:
        raise UsageError(f"there is no group {name!r}{did_you_mean(name, [*predictions.groups, UNPERTURBED])}")
    return predictions.groups.index(name)


def _check(good: bool, wrong: str) -> None:
    if not good:
        raise UsageError(wrong)

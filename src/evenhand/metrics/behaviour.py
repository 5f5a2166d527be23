"""Behavioural tests (Ribeiro et al. 2020) on any predictions: what must not change, what must be right, what must move.

Each test says how often it fails, how sure that is, and where it fails.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evenhand.errors import UsageError, did_you_mean
from evenhand.metrics.failures import Behaviour, Cases, Counting, Example, Versions, Weight, an_example
from evenhand.metrics.metric import UNPERTURBED
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.scores import predicted_class, probability
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import UNKNOWN, pairs_numbered
from evenhand.stats.types import ROUNDING, Bools, Floats, Ints

RESAMPLES = 2_000
SURE_BITS = 60
"""Products of group sizes up to so many bits are counted by the processor, larger ones by Python."""


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

    def cases(rows: Ints, values: Floats) -> tuple[int, int, tuple[Example, ...]]:
        tuples, within = _tuples(predictions.group[rows], values, tolerance or 0.0)
        failing = tuples - within
        return tuples, failing, _ends(predictions, rows, values, expectation) if failing else ()

    try:
        values = predicted_class(predictions, 0) if tolerance is None else _score(predictions, label)
    except Undefined as reason:
        return counting.nothing(str(reason))
    versions = Versions.of(predictions)
    if tolerance is None:
        found = _changed(predictions, versions)
    else:
        each = (versions.of_version(place) for place in range(len(versions)))
        found = Cases.one_by_one(cases(rows, values[rows]) for rows in each)
    return counting.counted(versions, found, weight=weight, resamples=resamples, seed=seed, level=level)


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

    versions = Versions.of(predictions)
    known = gold != UNKNOWN
    wrong = known & (predicted != gold)
    number, failing = (np.bincount(versions.of_row[of], minlength=len(versions)) for of in (known, wrong))

    def examples(place: int) -> tuple[Example, ...]:
        rows = versions.of_version(place)
        return tuple(an_example(predictions, row, predictions.classes[gold[row]]) for row in rows[wrong[rows]])

    found = Cases(number, failing, np.flatnonzero(wrong), examples)
    settings: dict[str, Any] = {"resamples": resamples, "seed": seed, "level": level}
    return counting.counted(versions, found, weight="cases", independent=True, **settings)


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

    before, after = (np.flatnonzero(predictions.group == column) for column in columns)
    versions = Versions.of(predictions)
    pairs, failing = _too_high(
        sign * values[before], versions.of_row[before],
        sign * values[after] - by + tolerance, versions.of_row[after], versions=len(versions),
    )  # fmt: skip
    # The pair of a version that is furthest off: its highest start and its lowest end.
    high = _first_of(versions, before, -sign * values)
    low = _first_of(versions, after, sign * values)

    def examples(place: int) -> tuple[Example, ...]:
        worst = (int(of[place]) for of in (high, low))
        return tuple(an_example(predictions, row, expectation, said=float(values[row])) for row in worst)

    fail = failing > 0
    found = Cases(pairs, failing, np.stack([high[fail], low[fail]], axis=1).reshape(-1), examples)
    return counting.counted(versions, found, weight=weight, resamples=resamples, seed=seed, level=level)


def _too_high(start: Floats, of_start: Ints, most: Floats, of_most: Ints, *, versions: int) -> tuple[Ints, Ints]:
    """By version: the pairs of a start and a bound, and those whose start lies above the bound."""
    numbers, rank = np.unique(start, return_inverse=True)
    width = len(numbers) + 1
    # By version and rank among all starts, so that all versions are looked through at once.
    ordered = np.sort(of_start * width + rank)
    up_to = np.searchsorted(ordered, of_most * width + np.searchsorted(numbers, most, side="right"))
    number = np.bincount(of_start, minlength=versions)
    above = np.cumsum(number)[of_most] - up_to
    pairs = number * np.bincount(of_most, minlength=versions)
    return pairs, np.bincount(of_most, weights=above, minlength=versions).astype(np.int64)


def _first_of(versions: Versions, rows: Ints, numbers: Floats) -> Ints:
    """By version, its row with the smallest number, the first of those that tie; UNKNOWN where it has none."""
    of_row = versions.of_row[rows]
    best = np.lexsort((numbers[rows], of_row))
    first = best[np.flatnonzero(np.diff(of_row[best], prepend=-1))]
    found = np.full(len(versions), UNKNOWN)
    found[of_row[first]] = rows[first]
    return found


def _changed(predictions: Predictions, versions: Versions) -> Cases:
    """Tuples of each version, one row of each group, and those that are not all predicted the same."""
    predicted = predictions.predicted
    if predicted is None:
        raise Undefined("no classes are predicted")
    group, version, classes = predictions.group - UNKNOWN, versions.of_row, len(predictions.classes)
    pairs, of_row = pairs_numbered(version, group)
    several = np.bincount(pairs[0], minlength=len(versions)) > 1
    # Of each version and class, how many rows each group has; it counts where all groups have some.
    labelled, same = pairs_numbered(version * classes + predicted, group)
    sizes, alike = np.bincount(of_row), np.bincount(same)
    kinds, kind = np.unique(labelled[0], return_inverse=True)
    whole = np.bincount(kind) == np.bincount(pairs[0], minlength=len(versions))[kinds // classes]
    large = np.bincount(pairs[0], weights=np.log2(sizes), minlength=len(versions)).max() > SURE_BITS
    if large:
        sizes, alike = sizes.astype(object), alike.astype(object)
    tuples = _products(sizes, pairs[0], several)
    within = np.zeros_like(tuples)
    every = np.multiply.reduceat(alike, np.flatnonzero(np.diff(labelled[0], prepend=-1)))
    np.add.at(within, kinds[whole] // classes, every[whole])
    failing = np.where(several, tuples - within, 0)
    usual = _usual(versions, predicted)
    odd = (predicted != usual[version]) & np.asarray(failing > 0, dtype=np.bool_)[version]

    def examples(place: int) -> tuple[Example, ...]:
        rows = versions.of_version(place)
        expected = predictions.classes[usual[place]]
        return tuple(an_example(predictions, row, expected) for row in rows[odd[rows]])

    return Cases(tuples, failing, np.flatnonzero(odd), examples)


def _products(sizes: npt.NDArray[Any], version: Ints, several: Bools) -> npt.NDArray[Any]:
    """The product of the sizes of each version's groups; 0 where there are not several."""
    products = np.multiply.reduceat(sizes, np.flatnonzero(np.diff(version, prepend=-1)))
    return np.where(several, products, 0)


def _usual(versions: Versions, predicted: Ints) -> Ints:
    """The class that most rows of each version are predicted to be of; the first of those that tie."""
    pairs, of_row = pairs_numbered(versions.of_row, predicted)
    best = np.lexsort((pairs[1], -np.bincount(of_row), pairs[0]))
    first = np.flatnonzero(np.diff(pairs[0][best], prepend=-1))
    return np.asarray(pairs[1][best][first], dtype=np.int64)


def _tuples(group: Ints, values: Floats, tolerance: float) -> tuple[int, int]:
    """How many tuples a version has, one row of each group, and how many of them are within the tolerance."""
    groups = [values[group == code] for code in np.unique(group)]
    if len(groups) < 2:
        return 0, 0
    return math.prod(len(one) for one in groups), _tuples_within(groups, tolerance)


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

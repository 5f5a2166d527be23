"""What failures, gaps and metrics rest on: the few terms or sources that most of it comes from, and what is left.

It is said only where it is true: most failures share these terms, far more often than chance would have it, or a gap
loses half of its size without one term.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

from evenhand.metrics.failures import Behaviour, Shared, failing_rows
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.testing import GroupTests
from evenhand.numbering import UNKNOWN
from evenhand.stats.types import Bools, Ints

What = Literal["terms", "sources"]
MOST = 0.5
"""Failures rest on terms that at least this share of them contain."""
NEARLY_ALL = 0.9
"""More terms are named until this share of the failures contains one of them."""
AT_MOST = 3
"""So many terms are named at most."""
FEWEST_FAILURES = 4
CHANCE = 0.01
"""How likely it may be that chance alone puts so many failures on so few of the terms, whichever they are."""
HALF = 0.5
"""A gap rests on a term without which no more than this share of it is left."""
SMALL = 1e-9
WORTH_IT = 0.01
"""Gaps below this share of the range of probabilities, or of the scores at hand, are not asked what they rest on."""


@dataclass(frozen=True)
class GapWithout:
    """The gap between a group and the others in one class, and what is left of it without one of the group's terms."""

    label: str
    group: str
    term: str
    gap: float
    without: float


def with_shared(behaviour: Behaviour, predictions: Predictions, again: Callable[[Predictions], Behaviour]) -> Behaviour:
    """The same with what its failures rest on; `again` counts the failures of other predictions."""
    failing = failing_rows(behaviour.failures)
    # Of a score that moves the wrong way only the worst pair of a source is kept, which says nothing about the others.
    if behaviour.kind == "directional expectation" or len(failing) < FEWEST_FAILURES:
        return behaviour
    columns: dict[What, tuple[Sequence[str], Ints]] = {}
    # Of two terms that get different answers, neither is the one that it rests on.
    if any(predictions.terms) and (behaviour.kind != "invariance" or len(set(predictions.spelled[1].tolist())) > 2):
        columns["terms"] = predictions.spelled
    columns["sources"] = predictions.sources, predictions.source
    found = []
    for what, (names, codes) in columns.items():
        chosen = _most_shared(names, codes, failing)
        if chosen:
            held = np.isin(codes, chosen)
            rate = again(predictions.select(~held)).rate if not held.all() else None
            said = tuple(names[code] for code in chosen)
            found.append(Shared(what, said, int(held[failing].sum()), len(failing), float(held.mean()), rate))
    return replace(behaviour, rests_on=tuple(found))


def _most_shared(names: Sequence[str], codes: Ints, failing: Ints) -> tuple[int, ...]:
    """The fewest names (by number) that nearly all failures have, or most of them; none where chance could do that."""
    number, rows = (np.bincount(of, minlength=len(names)) for of in (codes[failing], codes))
    kinds = int((rows > 0).sum())
    size = min(AT_MOST, int((number > 0).sum()))
    # No others than those that as many have as the last of these need be put in order.
    likely = np.flatnonzero(number >= np.partition(number, -size)[-size]).tolist()
    ordered = heapq.nsmallest(size, likely, key=lambda code: (-number[code], names[code]))
    chosen: tuple[int, ...] = ()
    for size in range(1, min(len(ordered), kinds - 1) + 1):
        these = ordered[:size]
        held = int(number[these].sum())
        share = int(rows[these].sum()) / len(codes)
        by_chance = math.comb(kinds, size) * float(special.bdtrc(held - 1, len(failing), share))
        if held >= MOST * len(failing) and by_chance <= CHANCE:
            if held >= NEARLY_ALL * len(failing):
                return tuple(these)
            chosen = chosen or tuple(these)
    return chosen


def gaps_without(
    tests: GroupTests, predictions: Predictions, again: Callable[..., GroupTests]
) -> tuple[GapWithout, ...]:
    """For groups that are shown to differ, and for the one that differs most in each class: whether one term does it.

    The term is the one whose mean lies furthest from that of the group's others.
    """
    if not any(predictions.terms):
        return ()
    asked = list(_looked_at(tests, least=WORTH_IT * _range(predictions)))
    odd = {(label, group): _odd_one(predictions, label, group) for label, group, _ in asked}
    labels: dict[tuple[str, str], list[str]] = {}
    for (label, group), term in odd.items():
        if term is not None:
            labels.setdefault((group, term), []).append(label)
    left = {
        (group, term): again(predictions.select(~_rows_of(predictions, group, term)), labels=of)
        for (group, term), of in labels.items()
    }
    found = []
    for label, group, gap in asked:
        term = odd[label, group]
        without = None if term is None else _estimates(left[group, term], label).get(group)
        if term is not None and without is not None and abs(without) <= HALF * abs(gap):
            found.append(GapWithout(label, group, term, gap, without))
    return tuple(found)


def _range(predictions: Predictions) -> float:
    if predictions.probabilities is None or not predictions.regression:
        return 1.0
    return float(np.ptp(predictions.probabilities))


def _looked_at(tests: GroupTests, *, least: float) -> Iterator[tuple[str, str, float]]:
    for label, both in tests:
        estimates = _estimates(tests, label)
        known = {group: gap for group, gap in estimates.items() if gap is not None and abs(gap) >= max(least, SMALL)}
        if not known or both.generalising is None:
            continue
        largest = max(known, key=lambda group: abs(known[group]))
        by_group = both.generalising.by_group
        yield from (
            (label, group, gap) for group, gap in known.items() if group == largest or by_group[group].significant
        )


def _estimates(tests: GroupTests, label: str) -> Mapping[str, float | None]:
    general = tests.classes[label].generalising if label in tests.classes else None
    return {} if general is None else {group: test.estimate for group, test in general.by_group.items()}


def _rows_of(predictions: Predictions, group: str, term: str) -> Bools:
    in_group = predictions.group == predictions.groups.index(group)
    names, codes = predictions.spelled
    return np.asarray(in_group & (codes == names.index(term)), dtype=np.bool_)


def _odd_one(predictions: Predictions, label: str, group: str) -> str | None:
    """The group's term that lies furthest from its others, in p(c) or p(gold), as differences within sources."""
    values = _values(predictions, label)
    here = (predictions.group == predictions.groups.index(group)) & ~np.isnan(values)
    names, codes = predictions.spelled
    own, code = np.unique(codes[here], return_inverse=True)
    if len(own) < 2:
        return None
    source = predictions.source[here]
    level = np.bincount(source, weights=values[here]) / np.maximum(np.bincount(source), 1)
    off = values[here] - level[source]
    means = np.bincount(code, weights=off) / np.bincount(code)
    return names[int(own[np.argmax(np.abs(means - np.median(means)))])]


def _values(predictions: Predictions, label: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    probabilities = predictions.probabilities
    if probabilities is None:
        return np.full(len(predictions), np.nan)
    if label in predictions.classes:
        return np.asarray(probabilities[:, predictions.classes.index(label)], dtype=np.float64)
    gold = predictions.gold
    if gold is None:
        return np.full(len(predictions), np.nan)
    own = np.take_along_axis(probabilities, np.where(gold == UNKNOWN, 0, gold)[:, None], axis=1)[:, 0]
    return np.where(gold == UNKNOWN, np.nan, own)

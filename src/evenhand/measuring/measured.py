"""Metrics, tests and failures of one system by one attribute."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

from evenhand.asking.progress import work_bar
from evenhand.errors import UsageError
from evenhand.measuring.result import Measured, MeasureSettings
from evenhand.metrics import Predictions, measure
from evenhand.metrics.behaviour import directional, invariance, minimum_functionality
from evenhand.metrics.failures import Behaviour
from evenhand.metrics.grids import MOST_ORDERED
from evenhand.metrics.rests_on import gaps_without, with_shared
from evenhand.metrics.sequences import TaggedPredictions, measure_tags
from evenhand.metrics.testing import group_tests

MANY = (
    "with {:,} rows, intervals come from lots of sources, and what terms dealt to other groups do within sources from "
    "a part of them; values and tests are of all rows"
)
EXPECTATION = re.compile(r"(?P<first>[^<>:]+?)\s*(?P<sign>[<>])\s*(?P<second>[^<>:]+?)(?:\s*:\s*(?P<label>.+))?")


def measured(predictions: Predictions, system: str, attribute: str, settings: MeasureSettings) -> Measured:
    """Metrics, tests and failures of one system by one attribute."""
    kept = _kept(predictions, settings)
    found = measure(predictions, settings.metrics, working=work_bar, **settings.measured())
    tests = group_tests(kept, alpha=settings.alpha, working=work_bar)
    notes = (MANY.format(len(kept)),) if len(kept) > MOST_ORDERED else ()
    return _tested(kept, Measured(system, attribute, found, tests, (), len(kept), notes), settings)


def _tested(kept: Predictions, found: Measured, settings: MeasureSettings) -> Measured:
    """The same with failures, and with what gaps rest on."""
    rests_on = gaps_without(found.tests, kept, partial(group_tests, alpha=settings.alpha))
    return replace(found, behaviours=_behaviours(kept, settings), rests_on=rests_on)


def _kept(predictions: Predictions, settings: MeasureSettings) -> Predictions:
    """Of the groups that are asked about; unperturbed sentences stay."""
    return predictions if settings.groups is None else predictions.of_groups(settings.groups)


def _behaviours(kept: Predictions, settings: MeasureSettings) -> tuple[Behaviour, ...]:
    """What can fail: the predicted class must stay and be right, and scores must move as expected."""
    ways: list[Callable[[Predictions], Behaviour]] = []
    if kept.predicted is not None:
        ways.append(partial(invariance, seed=settings.seed, level=settings.level))
        if kept.gold is not None:
            ways.append(partial(minimum_functionality, seed=settings.seed, level=settings.level))
    ways += [partial(_expected, text=text, settings=settings) for text in settings.expectations]
    found = []
    with work_bar("behaviours", len(ways)) as advance:
        for count in ways:
            found.append(with_shared(count(kept), kept, count))
            advance()
    return tuple(found)


def _expected(predictions: Predictions, *, text: str, settings: MeasureSettings) -> Behaviour:
    """What an expectation comes to: `first < second` or `first > second`, with `: class` where there are several."""
    said = EXPECTATION.fullmatch(text.strip())
    if said is None:
        raise UsageError(f"cannot read the expectation {text!r}: write 'first < second' or 'first > second: class'")
    label = said["label"] or (None if predictions.regression else predictions.classes[-1])
    direction: Literal["rise", "fall"] = "rise" if said["sign"] == "<" else "fall"
    return directional(
        predictions, said["first"], said["second"],
        expect=direction, label=label, seed=settings.seed, level=settings.level,
    )  # fmt: skip


def measured_tags(tagged: TaggedPredictions, system: str, attribute: str, settings: MeasureSettings) -> Measured:
    """The same for a tagger: spans are counted; tests and failures are about the identity term's tokens."""
    found = measure_tags(tagged, settings.metrics, **settings.measured())
    kept = _kept(tagged.terms, settings)
    tests = group_tests(kept, alpha=settings.alpha)
    notes = [
        f"{number} {'sentence' if number == 1 else 'sentences'} of {group} had ill-formed tags, which were repaired"
        for group, number in tagged.repaired.items()
        if number and group in kept.groups
    ]
    return _tested(kept, Measured(system, attribute, found, tests, (), len(kept), tuple(notes)), settings)

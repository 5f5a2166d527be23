"""Scores → decisions: what counts as selected.

A number selects every score that reaches it (≥). `median` selects what lies strictly above the median of the output's
own scores, as scoring rates are defined in New York City's rule for hiring tools. Scores that differ from a threshold
by rounding alone are equal to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evenhand.asking import Scores
from evenhand.errors import UsageError
from evenhand.stats import ROUNDING
from evenhand.stats.types import Floats
from evenhand.systems.base import Output

MEDIAN: Literal["median"] = "median"
Threshold = float | Literal["median"]
Rule = Literal["number", "median"]


@dataclass(frozen=True, eq=False)
class Selection:
    """One threshold applied to all columns: where it lies for each, and who is selected (1) or not (0)."""

    rule: Rule
    values: Floats
    decisions: Floats
    """(sentences, columns)."""


def read_thresholds(given: Threshold | str | Iterable[Threshold | str]) -> tuple[Threshold, ...]:
    """Numbers and `median`, each once; texts as people type them, with commas between several.

    >>> read_thresholds(["0.4,0.6", "median"]), read_thresholds(0.5)
    ((0.4, 0.6, 'median'), (0.5,))
    """
    several = [given] if isinstance(given, str | int | float) else list(given)
    parts = [part for one in several for part in (one.split(",") if isinstance(one, str) else [one])]
    return tuple(dict.fromkeys(_threshold(part) for part in parts))


def _threshold(part: float | str) -> Threshold:
    if isinstance(part, str) and part.strip().lower() == MEDIAN:
        return MEDIAN
    try:
        number = math.nan if isinstance(part, bool) else float(part)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"a threshold is a number, or {MEDIAN!r}, not {part!r}")
    return number


def check_thresholds(thresholds: Sequence[Threshold], outputs: Iterable[tuple[str, Output]]) -> None:
    """Refuse thresholds that an output cannot fall short of, or cannot reach."""
    for system, output in outputs:
        low, high = output.low, output.high
        for threshold in thresholds:
            if threshold == MEDIAN or low is None or high is None or low < threshold <= high:
                continue
            what = "select everybody" if threshold <= low else "select nobody"
            raise UsageError(
                f"the threshold {threshold:g} would {what}: {system} gives {output.name} from {low:g} to "
                f"{high:g}; name a threshold above {low:g} and up to {high:g}, or {MEDIAN!r}"
            )


def selected(scores: Scores, threshold: Threshold) -> Selection:
    """Who is selected by a threshold, for every column."""
    slack = ROUNDING * scores.spans
    if threshold == MEDIAN:
        values = np.median(scores.matrix, axis=0)
        return Selection("median", values, (scores.matrix > values + slack).astype(np.float64))
    values = np.full(len(scores.columns), threshold)
    return Selection("number", values, (scores.matrix >= values - slack).astype(np.float64))

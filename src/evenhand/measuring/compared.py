"""Several models side by side: the difference of each metric, and how far metrics order models and attributes alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from evenhand.files.plain import rebuild
from evenhand.metrics.differences import MetricDifference
from evenhand.metrics.measurements import ALL, Measurement
from evenhand.metrics.table import METRICS
from evenhand.stats import spearman

if TYPE_CHECKING:
    from evenhand.measuring.result import Measured

FEWEST = 4
"""Systems and attributes together, without which a correlation of metrics says nothing."""


@dataclass(frozen=True)
class ModelDifference:
    """All metrics of two systems by one attribute, on the rows that both have: the second less the first."""

    one: str
    other: str
    attribute: str
    rows: int
    differences: tuple[MetricDifference, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {**asdict(self), "differences": [asdict(one) for one in self.differences]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return rebuild(cls, values)


@dataclass(frozen=True)
class MetricCorrelation:
    """How far two metrics order the same systems and attributes alike, by how far each is from its ideal value.

    Spearman's rank correlation (of a vector of comparisons: of the group furthest from the ideal); None where there are
    too few cases, or one of the two does not vary.
    """

    label: str
    """The class."""
    one: str
    other: str
    cases: int
    """Pairs of a system and an attribute for which both metrics are defined."""
    correlation: float | None
    undefined: str | None = None


def metric_correlations(results: Sequence[Measured]) -> tuple[MetricCorrelation, ...]:
    """How far metrics agree over systems and attributes, class by class; nothing where there are too few of these."""
    if len({result.system for result in results}) < 2 or len(results) < FEWEST:
        return ()
    labels = dict.fromkeys(label for result in results for _, label, _ in result.measurements)
    own = [label for label in labels if label != ALL] or list(labels)
    return tuple(one for label in own for one in _correlations(results, label))


def _correlations(results: Sequence[Measured], label: str) -> Iterator[MetricCorrelation]:
    names = list(dict.fromkeys(name for result in results for name in result.measurements.metrics))
    apart = {name: np.array([_apart(result, name, label) for result in results]) for name in names}
    defined = [name for name in names if np.isfinite(apart[name]).any()]
    for one, other in combinations(defined, 2):
        both = np.isfinite(apart[one]) & np.isfinite(apart[other])
        cases = int(both.sum())
        if cases < FEWEST:
            few = f"{cases} systems and attributes have both; at least {FEWEST} are needed"
            yield MetricCorrelation(label, one, other, cases, None, few)
            continue
        (found,) = spearman(apart[one][both][:, None], apart[other][both]).tolist()
        flat = not np.isfinite(found)
        why = "one of the two is the same for all" if flat else None
        yield MetricCorrelation(label, one, other, cases, None if flat else found, why)


def _apart(result: Measured, name: str, label: str) -> float:
    """How far a metric is from its ideal value; NaN where it is undefined."""
    by_class = result.measurements.metrics.get(name, {})
    found = by_class.get(label) or by_class.get(ALL)
    value = None if found is None else furthest_value(name, found)
    # What differs by rounding only ties.
    return float("nan") if value is None else round(abs(value - METRICS[name].ideal), 12)


def furthest_value(name: str, found: Measurement) -> float | None:
    """The value by which systems are compared: of a vector of comparisons, which mirror each other and are not added
    up, that of the group that is furthest from the ideal."""
    if METRICS[name].shape != "VBCM":
        return found.value
    known = [value for value in found.by_group.values() if value is not None]
    return max(known, key=lambda value: abs(value - METRICS[name].ideal)) if known else None

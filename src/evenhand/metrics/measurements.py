"""What was measured: a value per metric and class, with its groups, interval and, where there is none, the reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from evenhand.files.plain import rebuild

ALL = "all"
"""The class of metrics that have one value for all classes."""
Interval = tuple[float, float]


@dataclass(frozen=True)
class TermWithout:
    """A term of a group, and what a metric is without it."""

    group: str
    term: str
    without: float


@dataclass(frozen=True)
class Measurement:
    """One metric for one class. What is None has its reason in `undefined`."""

    value: float | None
    by_group: Mapping[str, float | None] = field(default_factory=dict)
    """Each group's part: its mean over pairs (PCM), its comparison (BCM, VBCM), its score φ (MCM)."""
    interval: Interval | None = None
    """From resamples of the sources: what the value would be with many more of them, for the terms tested.

    None where none was asked for."""
    undefined: str | None = None
    scores: Mapping[str, float | None] | None = None
    """φ of each group, where it is a number."""
    references: Mapping[str, float | None] | None = None
    """φ of what each group is compared with, where it is a number: the other half of a ratio."""
    intervals_by_group: Mapping[str, Interval | None] | None = None
    error: float | None = None
    """The standard error of the value where the product of terms was sampled; None: exact."""
    sources: int | None = None
    """For counterfactual metrics, how many sources hold examples of these groups."""
    lacking: Mapping[str, int] = field(default_factory=dict)
    """How many of them lack a group, and are left out of the comparisons with it."""
    expected_if_exchangeable: float | None = None
    """The mean over deals of the terms to groups of the same sizes: what a system gets that groups mean nothing to."""
    range_if_exchangeable: Interval | None = None
    """What 95 % of these deals come to."""
    excess: float | None = None
    """The value less what is expected if terms are exchangeable."""
    p: float | None = None
    """Of the excess, for terms and sources like these: `p_for_these_sources`, or the p of the generalising test of what
    the metric is made of, whichever is larger."""
    p_for_these_sources: float | None = None
    """The share of deals that lie as far out as the value: for terms like these, if they vary alike in all groups, and
    for no other sources."""
    why_no_p: str | None = None
    """Why `p` is None where there is an excess."""
    not_exchangeable: str | None = None
    """Why terms cannot be dealt, or why that says nothing here; None also where it was not asked for."""
    rests_on: TermWithout | None = None
    """Where `p_for_these_sources` is below 0.05: the one term without which at most half of the excess is left."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        plain: dict[str, Any] = {
            "value": self.value,
            "by_group": dict(self.by_group),
            "interval": None if self.interval is None else list(self.interval),
            "undefined": self.undefined,
        }
        beside: dict[str, Any] = {
            "scores": self.scores and dict(self.scores),
            "references": self.references and dict(self.references),
            "intervals_by_group": self.intervals_by_group
            and {name: pair and list(pair) for name, pair in self.intervals_by_group.items()},
            "error": self.error,
            "sources": self.sources,
            "lacking": dict(self.lacking) or None,
            "expected_if_exchangeable": self.expected_if_exchangeable,
            "range_if_exchangeable": self.range_if_exchangeable and list(self.range_if_exchangeable),
            "excess": self.excess,
            "p": self.p,
            "p_for_these_sources": self.p_for_these_sources,
            "why_no_p": self.why_no_p,
            "not_exchangeable": self.not_exchangeable,
            "rests_on": self.rests_on and asdict(self.rests_on),
        }
        return plain | {name: entry for name, entry in beside.items() if entry is not None}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return rebuild(cls, values)


@dataclass(frozen=True)
class Measurements:
    """All metrics of one attribute: `measurements["cf_gap"]["positive"].value`."""

    groups: tuple[str, ...]
    classes: tuple[str, ...]
    metrics: Mapping[str, Mapping[str, Measurement]]
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Gold classes that the model does not have, and how many rows were left out for them."""

    def __getitem__(self, metric: str) -> Mapping[str, Measurement]:
        return self.metrics[metric]

    def __iter__(self) -> Iterator[tuple[str, str, Measurement]]:
        """Metric, class and measurement, in the order of the table."""
        for name, by_class in self.metrics.items():
            for label, measurement in by_class.items():
                yield name, label, measurement

    def to_dict(self) -> dict[str, Any]:
        """`{"metrics": {name: {class: {"value", "by_group", "interval", "undefined", …}}}}`, ready for JSON."""
        return {
            "groups": list(self.groups),
            "classes": list(self.classes),
            "dropped": dict(self.dropped),
            "metrics": {
                name: {label: measurement.to_dict() for label, measurement in by_class.items()}
                for name, by_class in self.metrics.items()
            },
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild them from their plain values."""
        return rebuild(cls, values)

"""Quality by group, for text written by different people or about them: how well predictions follow what is known.

Differences in quality need no counterfactuals. They may come from the texts as much as from the system: groups may
write about other things, or be rated by other people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from evenhand.errors import UsageError
from evenhand.metrics.conllu import BOTH, HEAD, arcs_of, groups_of, read_parses
from evenhand.metrics.grids import MOST_ORDERED
from evenhand.metrics.quality_lots import resample_lots
from evenhand.metrics.quality_rows import Kind, QualityRows, quality_rows, read_quality_columns
from evenhand.settings import check_choice, check_level, check_resamples, check_seed
from evenhand.stats.intervals import cluster_draws, percentile_interval
from evenhand.stats.types import Bools, Floats
from evenhand.stats.weighted import weighted_macro_f1, weighted_mean, weighted_pearson, weighted_spearman

Against = Literal["pairs", "rest"]
Interval = tuple[float, float]
Measure = Callable[[Floats], Floats]
"""How often each row counts, (resamples, rows), to a number for each resample."""
REST = "the rest"
MEASURES: dict[str, tuple[str, ...]] = {
    "regression": ("pearson", "spearman", "mae", "mean_error"),
    "classification": ("accuracy", "macro_f1"),
    "arcs": ("las", "uas"),
}
"""`mae` is the mean absolute error, `mean_error` the mean of predicted − known: whether scores are too high or too low.
`macro_f1` is the mean of F1 over the classes that occur or are predicted in the group. `las` and `uas` are the shares
of the arcs of dependency trees with the right head and label, and with the right head."""
FLAT = "what is known, or what is predicted, does not vary"


@dataclass(frozen=True)
class Estimate:
    """A number and its bootstrap interval. What is None has its reason in `undefined`, under the field's name."""

    value: float | None
    interval: Interval | None
    undefined: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupQuality:
    """The measures on the rows of one group."""

    rows: int
    clusters: int
    measures: Mapping[str, Estimate]


@dataclass(frozen=True)
class QualityDifference:
    """The first group's measures minus the second's (or those of the rest)."""

    first: str
    second: str
    measures: Mapping[str, Estimate]


@dataclass(frozen=True)
class Quality:
    """Quality overall, by group, and the differences. Intervals are not adjusted for their number."""

    kind: Kind
    level: float
    resamples: int
    overall: GroupQuality
    by_group: Mapping[str, GroupQuality]
    differences: tuple[QualityDifference, ...]
    left_out: int
    """Rows without a group."""

    def __getitem__(self, group: str) -> GroupQuality:
        return self.by_group[group]

    def difference(self, first: str, second: str = REST) -> QualityDifference:
        """The first group minus the second."""
        for one in self.differences:
            if (one.first, one.second) == (first, second):
                return one
        known = ", ".join(f"{one.first} − {one.second}" for one in self.differences)
        raise UsageError(f"there is no difference {first} − {second}; there are {known}")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def quality_by(
    group: Sequence[object],
    gold: Sequence[Any],
    predicted: Sequence[Any],
    *,
    kind: Kind = "regression",
    cluster: Sequence[object] | None = None,
    groups: Sequence[str] | None = None,
    against: Against = "pairs",
    resamples: int = 2_000,
    seed: int = 0,
    level: float = 0.95,
) -> Quality:
    """Measure quality in each group: Pearson, Spearman, mean absolute and mean error; or accuracy and macro-F1.

    One entry per row; rows without a group (None or empty) are left out and counted. Differences are between all
    `pairs` of groups, or each group `against` the "rest". `groups` chooses groups and their order. Intervals come from
    resampling rows, or whole clusters (authors, sources) where `cluster` names them: texts of one author are not
    independent. Clusters that lie in one group each are drawn group by group; others, such as templates that all groups
    share, are drawn for all groups together, so that differences are paired. Without resamples there are no intervals.

    >>> found = quality_by(
    ...     ["a", "a", "a", "b", "b", "b"], [0.1, 0.5, 0.9] * 2, [0.2, 0.5, 0.8, 0.3, 0.2, 0.7], resamples=50)
    >>> round(found["a"].measures["mae"].value, 4), round(found["b"].measures["mae"].value, 4)
    (0.0667, 0.2333)
    >>> round(found.difference("a", "b").measures["mae"].value, 4)
    -0.1667
    """
    check_choice("kind", kind, MEASURES)
    check_choice("comparison", against, get_args(Against))
    check_resamples("the number of resamples", resamples)
    check_seed(seed)
    check_level(level)
    rows = quality_rows(group, gold, predicted, kind=kind, cluster=cluster, groups=groups)
    everyone = _Measured(rows, np.ones(len(rows.group), dtype=np.bool_))
    own = [_Measured(rows, rows.group == code) for code in range(len(rows.names))]
    others = [_Measured(rows, ~one.members) for one in own] if against == "rest" and len(own) > 1 else []
    every = (everyone, *own, *others)
    if len(rows.group) > MOST_ORDERED and resamples:
        resample_lots(rows, every, resamples=resamples, seed=seed)
    else:
        for draws in cluster_draws(rows.cluster, stratum=rows.stratum, resamples=resamples, seed=seed):
            for measured in every:
                measured.resample(draws)
    named = list(zip(rows.names, own, strict=True))
    if against == "rest":
        pairs = [((name, one), (REST, rest)) for (name, one), rest in zip(named, others, strict=bool(others))]
    else:
        pairs = list(combinations(named, 2))
    return Quality(
        kind,
        level,
        resamples,
        everyone.quality(level),
        {name: measured.quality(level) for name, measured in named},
        tuple(QualityDifference(first, second, here.minus(there, level)) for (first, here), (second, there) in pairs),
        rows.left_out,
    )


def read_quality_table(
    path: Path | str,
    *,
    by: str,
    gold: str = "gold",
    predicted: str = "predicted",
    kind: Kind = "regression",
    cluster: str | None = None,
    **settings: Any,
) -> Quality:
    """Quality by a column of a table (CSV, TSV, JSON lines or Parquet); `settings` are those of `quality_by`.

    Rows whose `by` cell is empty are left out and counted. Numbers or labels that are missing or wrong are named with
    their line.
    """
    columns = read_quality_columns(path, by=by, gold=gold, predicted=predicted, kind=kind, cluster=cluster)
    return quality_by(columns.group, columns.gold, columns.predicted, kind=kind, cluster=columns.cluster, **settings)


def quality_of_parses(predicted: Path | str, gold: Path | str, *, by: str, **settings: Any) -> Quality:
    """LAS and UAS by the group that a comment of the gold file names, in all words of a group together.

    Both files are CoNLL-U. Intervals come from resampling sentences; `settings` are those of `quality_by`. Sentences
    without a group are left out, and their words counted.
    """
    parses = read_parses(predicted, gold)
    groups = groups_of(parses, by, gold)
    numbers, right = zip(*arcs_of(parses), strict=True)
    named = [groups[number] for number in numbers]
    return quality_by(named, [BOTH] * len(right), right, kind="arcs", cluster=[str(one) for one in numbers], **settings)


def _measures(rows: QualityRows, members: Bools) -> dict[str, Measure]:
    """The measures on some of the rows, given weights of these rows."""
    gold, predicted = rows.gold[members], rows.predicted[members]
    if rows.kind == "arcs":
        return {
            "las": partial(weighted_mean, (predicted == BOTH).astype(np.float64)),
            "uas": partial(weighted_mean, (predicted >= HEAD).astype(np.float64)),
        }
    if rows.classes is None:
        return {
            "pearson": partial(weighted_pearson, predicted, gold),
            "spearman": partial(weighted_spearman, predicted, gold),
            "mae": partial(weighted_mean, np.abs(predicted - gold)),
            "mean_error": partial(weighted_mean, predicted - gold),
        }
    codes = gold.astype(np.int64), predicted.astype(np.int64)
    return {
        "accuracy": partial(weighted_mean, (gold == predicted).astype(np.float64)),
        "macro_f1": partial(weighted_macro_f1, *codes, classes=rows.classes),
    }


class _Measured:
    """All measures on one set of rows: as they are, and in each resample."""

    def __init__(self, rows: QualityRows, members: Bools) -> None:
        self.members = members
        self.measures = _measures(rows, members)
        self.size = int(members.sum())
        self.clusters = len(np.unique(rows.cluster[members]))
        self.point = {name: float(of(np.ones((1, self.size)))[0]) for name, of in self.measures.items()}
        self._resampled: dict[str, list[Floats]] = {name: [] for name in self.measures}

    def resample(self, draws: Floats) -> None:
        """Keep each measure's numbers for these draws of all rows."""
        weights = draws[:, self.members]
        for name, of in self.measures.items():
            self._resampled[name].append(of(weights))

    def keep(self, name: str, resampled: Floats) -> None:
        """Keep a measure's numbers for resamples that were made elsewhere."""
        self._resampled[name].append(resampled)

    def resampled(self, name: str) -> Floats:
        """A measure's numbers in all resamples."""
        return np.concatenate([np.empty(0), *self._resampled[name]])

    def quality(self, level: float) -> GroupQuality:
        """Numbers and intervals."""
        found = {
            name: _estimate(value, self.resampled(name), level, thin=self.clusters < 2)
            for name, value in self.point.items()
        }
        return GroupQuality(self.size, self.clusters, found)

    def minus(self, other: _Measured, level: float) -> dict[str, Estimate]:
        """The differences to another set of rows, resample by resample."""
        thin = min(self.clusters, other.clusters) < 2
        return {
            name: _estimate(value - other.point[name], self.resampled(name) - other.resampled(name), level, thin=thin)
            for name, value in self.point.items()
        }


def _estimate(value: float, resampled: Floats, level: float, *, thin: bool) -> Estimate:
    if np.isnan(value):
        return Estimate(None, None, {"value": FLAT, "interval": FLAT})
    if thin:
        return Estimate(value, None, {"interval": "a group has one row or cluster only, which cannot be resampled"})
    if not len(resampled):
        return Estimate(value, None, {"interval": "no resamples were asked for"})
    interval = percentile_interval(resampled, level=level)
    why = {} if interval else {"interval": "too many resamples have no value"}
    return Estimate(value, interval, why)

"""What a behavioural test comes to: a rate of failures with its intervals, and the rows that fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np

from evenhand.files.plain import rebuild
from evenhand.metrics.metric import UNPERTURBED
from evenhand.metrics.predictions import Predictions
from evenhand.numbering import UNKNOWN
from evenhand.settings import check_choice, check_count, check_level, check_seed
from evenhand.stats.intervals import cluster_draws, percentile_interval, wilson
from evenhand.stats.types import Floats, Ints

Kind = Literal["invariance", "minimum functionality", "directional expectation"]
Weight = Literal["sources", "cases"]
Interval = tuple[float, float]
MOST_FAILURES = 8
"""So many failing sources are saved and shown."""


@dataclass(frozen=True)
class Example:
    """One row that fails: where it stands in the predictions, whom it mentions, what was said and what was expected."""

    row: int
    group: str
    term: str
    said: str | float
    expected: str


@dataclass(frozen=True)
class Failure:
    """A source that fails, the share of its cases that do, and the rows that show it."""

    source: str
    share: float
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Shared:
    """A few terms (or sources) that most failures share."""

    what: Literal["terms", "sources"]
    names: tuple[str, ...]
    failures: int
    """Failing rows with one of them."""
    of: int
    """All failing rows."""
    share_of_rows: float
    """How much of all rows they make up: what they would share by chance."""
    without: float | None
    """The rate of failures where their rows are left out; None: nothing is left to count."""


@dataclass(frozen=True)
class Behaviour:
    """How often one expectation is not met. What is None has its reason in `undefined`, under the field's name."""

    kind: Kind
    expectation: str
    cases: int
    """Tuples of terms (invariance), rows (minimum functionality) or pairs of rows (directional expectation)."""
    failing: int
    """How many of them fail."""
    sources: int
    """Sources with cases; the others are `without`."""
    failing_sources: int
    without: int
    rate: float | None
    wilson: Interval | None
    """As if the cases of a source always failed together (rows of minimum functionality: as if independent)."""
    bootstrap: Interval | None
    """From resampling sources."""
    failures: tuple[Failure, ...]
    """Every failing source, those that fail most first."""
    undefined: dict[str, str]
    rests_on: tuple[Shared, ...] = ()
    """A few terms, or sources, that most failures share; empty where none do."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; the first failures are examples enough."""
        return asdict(replace(self, failures=self.failures[:MOST_FAILURES]))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return rebuild(cls, values)


@dataclass(frozen=True)
class Cases:
    """What one source comes to."""

    number: int
    failing: int
    examples: tuple[Example, ...] = ()

    @property
    def share(self) -> float:
        """Of its cases, those that fail."""
        return self.failing / self.number

    def with_more(self, other: Cases) -> Cases:
        """Those of the same source at another position too."""
        return Cases(self.number + other.number, self.failing + other.failing, self.examples + other.examples)


@dataclass(frozen=True)
class Counting:
    """From sources to a rate."""

    predictions: Predictions
    kind: Kind
    expectation: str
    empty: str

    def versions(self) -> Iterator[tuple[str, Ints]]:
        """Sources by name and the rows that are versions of one another; in sequences, position by position."""
        predictions = self.predictions
        position = np.zeros(len(predictions), dtype=np.int64) if predictions.position is None else predictions.position
        order = np.lexsort((position, predictions.source))
        changes = np.diff(predictions.source[order]).astype(np.bool_) | np.diff(position[order]).astype(np.bool_)
        for rows in np.split(order, np.flatnonzero(changes) + 1):
            yield predictions.sources[predictions.source[rows[0]]], rows

    def nothing(self, reason: str) -> Behaviour:
        """The test has no cases."""
        undefined = dict.fromkeys(("rate", "wilson", "bootstrap"), reason)
        without = len(self.predictions.sources)
        return Behaviour(self.kind, self.expectation, 0, 0, 0, 0, without, None, None, None, (), undefined)

    def counted(
        self,
        found: Iterable[tuple[str, Cases | None]],
        *,
        weight: Weight,
        resamples: int,
        seed: int,
        level: float,
        independent: bool = False,
    ) -> Behaviour:
        """The rate over sources or cases, with its intervals."""
        check_choice("weight", weight, get_args(Weight))
        check_count("the number of resamples", resamples, least=1)
        check_seed(seed)
        check_level(level)
        there: dict[str, Cases] = {}
        for source, one in found:
            if one is not None:
                there[source] = one if source not in there else there[source].with_more(one)
        if not there:
            return self.nothing(self.empty)
        there = dict(sorted(there.items()))  # the order of a file's rows changes nothing
        cases, failing = sum(one.number for one in there.values()), sum(one.failing for one in there.values())
        shares = np.array([one.share for one in there.values()])
        # As shares of all cases: the product of terms may be larger than any float.
        weights = np.array([one.number / cases if weight == "cases" else 1.0 for one in there.values()])
        rate = failing / cases if weight == "cases" else float(shares.mean())
        bootstrap, why_not = _bootstrap(shares, weights, resamples=resamples, seed=seed, level=level)
        failures = [Failure(source, one.share, one.examples) for source, one in there.items() if one.failing]
        return Behaviour(
            kind=self.kind,
            expectation=self.expectation,
            cases=cases,
            failing=failing,
            sources=len(there),
            failing_sources=len(failures),
            without=len(self.predictions.sources) - len(there),
            rate=rate,
            wilson=wilson(rate, cases if independent else len(there), level=level),
            bootstrap=bootstrap,
            failures=tuple(sorted(failures, key=lambda failure: -failure.share)),
            undefined={} if why_not is None else {"bootstrap": why_not},
        )


def _bootstrap(
    shares: Floats, weights: Floats, *, resamples: int, seed: int, level: float
) -> tuple[Interval | None, str | None]:
    if len(shares) < 2:
        return None, "there is one source only, which cannot be resampled"
    if (shares == shares[0]).all():
        return None, "all sources fail to the same extent, so resampling them shows nothing"
    draws = cluster_draws(np.arange(len(shares)), resamples=resamples, seed=seed)
    rates = np.concatenate([drawn @ (weights * shares) / (drawn @ weights) for drawn in draws])
    return percentile_interval(rates, level=level), None


def an_example(predictions: Predictions, row: int | np.int64, expected: str, *, said: float | None = None) -> Example:
    """One row of the predictions, and what was said about it."""
    group = predictions.group[row]
    answer: str | float = "" if said is None else said
    if said is None and predictions.predicted is not None:
        answer = predictions.classes[predictions.predicted[row]]
    name = UNPERTURBED if group == UNKNOWN else predictions.groups[group]
    return Example(int(row), name, predictions.terms[row], answer, expected)

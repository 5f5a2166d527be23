"""What a behavioural test comes to: a rate of failures with its intervals, and the rows that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args, overload

import numpy as np
import numpy.typing as npt

from evenhand.files.plain import rebuild
from evenhand.metrics.metric import UNPERTURBED
from evenhand.metrics.predictions import Predictions
from evenhand.numbering import UNKNOWN
from evenhand.settings import check_choice, check_level, check_resamples, check_seed
from evenhand.stats.intervals import cluster_draws, lots, percentile_interval, wilson
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
    failures: Sequence[Failure]
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


class Failures(Sequence[Failure]):
    """Failing sources, put into words when they are looked at: there may be hundreds of thousands."""

    def __init__(self, make: Callable[[int], Failure], number: int, rows: Ints) -> None:
        self._make, self._number = make, number
        self.rows = rows
        """All rows that show failures, in no order."""

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, place: int) -> Failure: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Failure, ...]: ...
    def __getitem__(self, place: int | slice) -> Failure | tuple[Failure, ...]:
        chosen = range(self._number)[place]
        return self._make(chosen) if isinstance(chosen, int) else tuple(map(self._make, chosen))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def failing_rows(failures: Sequence[Failure]) -> Ints:
    """The rows that show failures."""
    if isinstance(failures, Failures):
        return failures.rows
    return np.array([example.row for one in failures for example in one.examples], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Versions:
    """Rows that are versions of one another: those of a source; in sequences, position by position."""

    rows: Ints
    """All rows, version after version."""
    begins: Ints
    sizes: Ints
    source: Ints
    """Of each version."""

    @classmethod
    def of(cls, predictions: Predictions) -> Versions:
        """Those of these predictions."""
        position = np.zeros(len(predictions), dtype=np.int64) if predictions.position is None else predictions.position
        order = np.lexsort((position, predictions.source))
        changes = np.diff(predictions.source[order]).astype(np.bool_) | np.diff(position[order]).astype(np.bool_)
        begins = np.append(0, np.flatnonzero(changes) + 1)
        sizes = np.diff(np.append(begins, len(order)))
        return cls(order, begins, sizes, predictions.source[order[begins]])

    def __len__(self) -> int:
        return len(self.begins)

    def of_version(self, place: int) -> Ints:
        """The rows of one version."""
        return self.rows[self.begins[place] : self.begins[place] + self.sizes[place]]

    @cached_property
    def of_row(self) -> Ints:
        """The version of each row."""
        found = np.empty(len(self.rows), dtype=np.int64)
        found[self.rows] = np.repeat(np.arange(len(self)), self.sizes)
        return found


@dataclass(frozen=True, eq=False)
class Cases:
    """What each version comes to. Products of terms may be larger than any float: then they are Python's integers."""

    number: npt.NDArray[Any]
    """How many cases; 0: the version has none."""
    failing: npt.NDArray[Any]
    rows: Ints
    """All rows that show failures."""
    examples: Callable[[int], tuple[Example, ...]]
    """Of one failing version."""

    @classmethod
    def one_by_one(cls, found: Iterable[tuple[int, int, tuple[Example, ...]]]) -> Cases:
        """From each version's number, failing number and examples."""
        listed = list(found)
        number, failing = (np.array([one[place] for one in listed], dtype=object) for place in (0, 1))
        rows = np.array([example.row for one in listed for example in one[2]], dtype=np.int64)
        return cls(number, failing, rows, lambda place: listed[place][2])


@dataclass(frozen=True)
class Counting:
    """From sources to a rate."""

    predictions: Predictions
    kind: Kind
    expectation: str
    empty: str

    def nothing(self, reason: str) -> Behaviour:
        """The test has no cases."""
        undefined = dict.fromkeys(("rate", "wilson", "bootstrap"), reason)
        without = len(self.predictions.sources)
        return Behaviour(self.kind, self.expectation, 0, 0, 0, 0, without, None, None, None, (), undefined)

    def counted(
        self,
        versions: Versions,
        found: Cases,
        *,
        weight: Weight,
        resamples: int,
        seed: int,
        level: float,
        independent: bool = False,
    ) -> Behaviour:
        """The rate over sources or cases, with its intervals."""
        check_choice("weight", weight, get_args(Weight))
        check_resamples("the number of resamples", resamples, least=1)
        check_seed(seed)
        check_level(level)
        names = self.predictions.sources
        there = np.flatnonzero(found.number > 0)
        if not len(there):
            return self.nothing(self.empty)
        by_name = sorted(np.unique(versions.source[there]).tolist(), key=names.__getitem__)  # whatever the file's order
        rank = np.full(len(names), -1)
        rank[by_name] = np.arange(len(by_name))
        there = there[np.argsort(rank[versions.source[there]], kind="stable")]
        begins = np.flatnonzero(np.diff(rank[versions.source[there]], prepend=-1))
        number, failing = (np.add.reduceat(of[there], begins) for of in (found.number, found.failing))
        cases, failed = sum(number.tolist()), sum(failing.tolist())
        shares = np.asarray(failing / number, dtype=np.float64)
        # As shares of all cases: the product of terms may be larger than any float.
        weights = np.asarray(number / cases, dtype=np.float64) if weight == "cases" else np.ones(len(number))
        rate = failed / cases if weight == "cases" else float(shares.mean())
        bootstrap, why_not = _bootstrap(shares, weights, resamples=resamples, seed=seed, level=level)
        of_source = np.split(there, begins[1:])
        fail = np.flatnonzero(failing > 0)
        fail = fail[np.argsort(-shares[fail], kind="stable")]

        def failure(place: int) -> Failure:
            source = int(fail[place])
            shown = (found.examples(one) for one in of_source[source].tolist() if found.failing[one])
            return Failure(names[by_name[source]], float(shares[source]), tuple(one for some in shown for one in some))

        return Behaviour(
            kind=self.kind,
            expectation=self.expectation,
            cases=cases,
            failing=failed,
            sources=len(by_name),
            failing_sources=len(fail),
            without=len(names) - len(by_name),
            rate=rate,
            wilson=wilson(rate, cases if independent else len(by_name), level=level),
            bootstrap=bootstrap,
            failures=Failures(failure, len(fail), found.rows),
            undefined={} if why_not is None else {"bootstrap": why_not},
        )


def _bootstrap(
    shares: Floats, weights: Floats, *, resamples: int, seed: int, level: float
) -> tuple[Interval | None, str | None]:
    if len(shares) < 2:
        return None, "there is one source only, which cannot be resampled"
    if (shares == shares[0]).all():
        return None, "all sources fail to the same extent, so resampling them shows nothing"
    part, whole = weights * shares, weights
    lot = lots(len(shares), seed=seed)
    if lot is not None:
        part, whole = (np.bincount(lot, weights=of).astype(np.float64) for of in (part, whole))
    draws = cluster_draws(np.arange(len(part)), resamples=resamples, seed=seed)
    rates = np.concatenate([drawn @ part / (drawn @ whole) for drawn in draws])
    return percentile_interval(rates, level=level), None


def an_example(predictions: Predictions, row: int | np.int64, expected: str, *, said: float | None = None) -> Example:
    """One row of the predictions, and what was said about it."""
    group = predictions.group[row]
    answer: str | float = "" if said is None else said
    if said is None and predictions.predicted is not None:
        answer = predictions.classes[predictions.predicted[row]]
    name = UNPERTURBED if group == UNKNOWN else predictions.groups[group]
    return Example(int(row), name, predictions.terms[row], answer, expected)

"""What a classifier said, as arrays of codes: the one input of all metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.errors import EvenhandError, UsageError
from evenhand.metrics.crossing import Sampled
from evenhand.numbering import UNKNOWN, pairs_numbered, placed
from evenhand.stats.types import Bools, Floats, Ints

SCORE = "score"
"""What the one column of a regression system is called."""
BETWEEN = "\t"
"""Between a group and its term, where a term is a group of its own; tables have it between columns, never inside."""
MARGIN = 1e-6
"""How far a probability may lie outside 0..1 by rounding; it is then set to 0 or 1."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a classifier said: one row per filled sentence.

    A row whose group is -1 is the unperturbed sentence of its source; it serves as a background only. Regression
    systems have one class, `score`, whose probability is the score; they predict no class.
    """

    sources: tuple[str, ...]
    groups: tuple[str, ...]
    classes: tuple[str, ...]
    source: Ints
    group: Ints
    terms: tuple[str, ...]
    gold: Ints | None = None
    """Class codes; -1 where it is not known."""
    predicted: Ints | None = None
    """Class codes; None for regression scores."""
    probabilities: Floats | None = None
    """(rows, classes); for regression scores one column named `score`."""
    position: Ints | None = None
    """Where in its example a row stands, for sequences: counterfactual metrics compare position by position and average
    over the positions of a source. None: every row is an example."""
    arcs: Ints | None = None
    """(rows, 2): arcs of the dependency tree that are attached and labelled correctly, and all its arcs."""
    values: Floats | None = None
    """What each class counts for where classes are grades of a scale; None where they have no order."""
    sampled: Sampled | None = None
    """What is known of the sources (their template and word) and of the terms (their family), to generalise over."""
    dropped: tuple[tuple[str, int], ...] = ()
    """Gold classes that the model does not know, and how many rows were left out for them."""

    def __post_init__(self) -> None:
        rows, width = len(self.terms), len(self.classes)
        for name, names in (("sources", self.sources), ("groups", self.groups), ("classes", self.classes)):
            _refuse_repeated(name, names)
        self._freeze("source", np.int64, (rows,), codes=(0, len(self.sources)))
        self._freeze("group", np.int64, (rows,), codes=(UNKNOWN, len(self.groups)))
        self._freeze("gold", np.int64, (rows,), codes=(UNKNOWN, width))
        self._freeze("predicted", np.int64, (rows,), codes=(0, width))
        self._freeze("probabilities", np.float64, (rows, width))
        self._freeze("position", np.int64, (rows,))
        self._freeze("arcs", np.int64, (rows, 2))
        self._freeze("values", np.float64, (width,))
        if not rows:
            raise EvenhandError("predictions need at least one row")
        if self.predicted is None and self.probabilities is None and self.arcs is None:
            raise EvenhandError("predictions need probabilities, predicted classes, or counts of arcs")
        if self.arcs is not None and not ((self.arcs >= 0).all() and (self.arcs[:, 0] <= self.arcs[:, 1]).all()):
            raise EvenhandError("arcs are (correct, all) per row: counts, the first no larger than the second")
        if self.probabilities is not None and not self.regression:
            object.__setattr__(self, "probabilities", _checked_probabilities(self.probabilities))

    def __len__(self) -> int:
        return len(self.terms)

    def __repr__(self) -> str:
        return (
            f"<Predictions: {len(self):,} rows of {len(self.sources):,} sources, {len(self.groups)} groups; "
            f"classes {', '.join(self.classes)}>"
        )

    @property
    def regression(self) -> bool:
        """Whether the one column is a score rather than a probability."""
        return self.classes == (SCORE,)

    @classmethod
    def of(
        cls,
        *,
        source: Sequence[object],
        group: Sequence[object],
        term: Sequence[object] | None = None,
        gold: Sequence[object] | None = None,
        probabilities: Mapping[str, Sequence[float] | Floats] | None = None,
        predicted: Sequence[object] | None = None,
        score: Sequence[float] | Floats | None = None,
        arcs: Sequence[tuple[int, int]] | None = None,
        sampled: Sampled | None = None,
    ) -> Predictions:
        """Predictions from plain columns, one entry per row.

        `predicted` defaults to the most likely class (the first of those that tie). A `group` of None marks the
        unperturbed sentence of its source, a `gold` of None a class that is not known. Rows whose gold class is none
        of those the model has are left out and counted in `dropped`, as for a two-class model on three-class gold.

        >>> predictions = Predictions.of(
        ...     source=["like", "like"], group=["female", "male"], term=["Anna", "Adam"],
        ...     gold=["positive", "positive"], probabilities={"negative": [0.1, 0.7], "positive": [0.9, 0.3]})
        >>> predictions.predicted.tolist()
        [1, 0]
        """
        if score is not None:
            if probabilities is not None or predicted is not None:
                raise UsageError("give score, or probabilities and predicted, but not both")
            probabilities = {SCORE: score}
        classes = _classes(probabilities, predicted, gold)
        gold_codes, known, dropped = _gold(gold, classes, len(source), regression=score is not None)
        sources, source_codes = _coded(source)
        groups, group_codes = _coded(group)
        matrix = None
        if probabilities is not None:
            matrix = np.column_stack([np.asarray(column, dtype=np.float64) for column in probabilities.values()])
        predicted_codes: Ints | None = None
        if predicted is not None:
            predicted_codes = _looked_up("predicted", predicted, classes)
        elif matrix is not None and score is None:
            predicted_codes = matrix.argmax(axis=1)
        whole = cls(
            sources=sources,
            groups=groups,
            classes=classes,
            source=source_codes,
            group=group_codes,
            terms=_shared_strings(term, len(source)),
            gold=gold_codes,
            predicted=predicted_codes,
            probabilities=matrix,
            arcs=None if arcs is None else np.array(arcs, dtype=np.int64).reshape(len(arcs), 2),
            sampled=sampled,
        )
        return whole if known.all() else replace(whole.select(known), dropped=dropped)

    def select(self, rows: npt.NDArray[Any]) -> Predictions:
        """The chosen rows (a mask or places), in that order; sources that keep no row are forgotten, groups stay."""
        if rows.dtype == np.bool_ and len(rows) != len(self):
            raise UsageError(f"a mask of {len(rows):,} entries does not fit {len(self):,} rows")
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        if not len(places):
            raise EvenhandError("no rows are left")
        kept, source = np.unique(self.source[places], return_inverse=True)
        chosen = replace(
            self,
            sources=tuple(self.sources[code] for code in kept.tolist()),
            source=source,
            group=self.group[places],
            terms=tuple(map(self.terms.__getitem__, places.tolist())),
            gold=None if self.gold is None else self.gold[places],
            predicted=None if self.predicted is None else self.predicted[places],
            probabilities=None if self.probabilities is None else self.probabilities[places],
            position=None if self.position is None else self.position[places],
            arcs=None if self.arcs is None else self.arcs[places],
        )
        if "spelled" in self.__dict__:  # what is known of many names need not be found again
            names, codes = self.spelled
            chosen.__dict__["spelled"] = names, codes[places]
        return chosen

    @cached_property
    def spelled(self) -> tuple[tuple[str, ...], Ints]:
        """Names of terms in alphabetical order (not all of which need occur), and each row's place among them."""
        names = tuple(sorted(set(self.terms)))
        return names, placed(self.terms, names)

    def with_values(self, values: Mapping[str, float]) -> Predictions:
        """The same predictions, with what each class counts for as a grade of a scale."""
        missing = [name for name in self.classes if name not in values]
        if missing:
            raise UsageError(f"no value is given for the class {missing[0]!r}")
        return replace(self, values=np.array([values[name] for name in self.classes], dtype=np.float64))

    def of_groups(self, groups: Sequence[str]) -> Predictions:
        """The rows of these groups and the unperturbed sentences; the groups in this order."""
        _refuse_repeated("groups", groups)
        places = placed(groups, self.groups)
        if UNKNOWN in places:
            unknown = groups[int(np.argmax(places == UNKNOWN))]
            raise UsageError(f"there is no group {unknown!r}; there are {', '.join(self.groups)}")
        new_codes = np.full(len(self.groups) + 1, UNKNOWN)  # the last place is where the code -1 points to
        new_codes[places] = np.arange(len(groups))
        codes = new_codes[self.group]
        kept = self.select((codes != UNKNOWN) | (self.group == UNKNOWN))
        return self._regrouped(kept, tuple(groups), new_codes[kept.group])

    def by_term(self) -> Predictions:
        """The same rows with every term as a group of its own: the units that `exchange` deals to groups anew."""
        names, codes = self.spelled
        mentioned = np.flatnonzero(self.group != UNKNOWN)
        pairs, of_row = pairs_numbered(self.group[mentioned], codes[mentioned])
        unit = np.full(len(self), UNKNOWN)
        unit[mentioned] = of_row
        units = tuple(term_of_group(self.groups[group], names[term]) for group, term in pairs.T.tolist())
        return self._regrouped(self, units, unit)

    def renamed_sources(self, sources: tuple[str, ...], source: Ints) -> Predictions:
        """The same rows with the sources in another order."""
        anew = replace(self, sources=sources, source=source)
        if "spelled" in self.__dict__:
            anew.__dict__["spelled"] = self.spelled
        return anew

    @staticmethod
    def _regrouped(rows: Predictions, groups: tuple[str, ...], group: Ints) -> Predictions:
        """These rows in other groups."""
        anew = replace(rows, groups=groups, group=group)
        if "spelled" in rows.__dict__:
            anew.__dict__["spelled"] = rows.spelled
        return anew

    def _freeze(
        self, name: str, dtype: type[np.generic], shape: tuple[int, ...], *, codes: tuple[int, int] | None = None
    ) -> None:
        """Take a private copy that cannot be written to, of the right shape and with codes that mean something."""
        given = getattr(self, name)
        if given is None:
            return
        array = np.array(given, dtype=dtype)
        array.flags.writeable = False
        object.__setattr__(self, name, array)
        if array.shape != shape:
            raise EvenhandError(f"{name} has the shape {array.shape} where {shape} is needed")
        if codes is not None and len(array) and not (codes[0] <= array.min() and array.max() < codes[1]):
            raise EvenhandError(f"{name} holds codes outside {codes[0]}..{codes[1] - 1}")
        if not np.isfinite(array).all():
            raise EvenhandError(f"{name} holds numbers that are not finite")


def term_of_group(group: str, term: str) -> str:
    """What a term is called as a group of its own: the same word in two groups is two terms."""
    return f"{group}{BETWEEN}{term}"


def _checked_probabilities(matrix: Floats) -> Floats:
    outside = (matrix < -MARGIN) | (matrix > 1 + MARGIN)
    if outside.any():
        row, column = (int(place) for place in np.argwhere(outside)[0])
        raise EvenhandError(f"row {row + 1} has the probability {matrix[row, column]:g}, which is outside 0..1")
    clipped = np.clip(matrix, 0.0, 1.0)
    clipped.flags.writeable = False
    return clipped


def _classes(
    probabilities: Mapping[str, Sequence[float] | Floats] | None,
    predicted: Sequence[object] | None,
    gold: Sequence[object] | None,
) -> tuple[str, ...]:
    """The model's classes: those with probabilities, in that order; otherwise all that are named, sorted."""
    if probabilities is not None:
        return tuple(probabilities)
    named = {str(label) for label in [*(predicted or ()), *(gold or ())] if label is not None}
    return tuple(sorted(named, key=lambda label: (0, int(label), label) if label.isdecimal() else (1, 0, label)))


def _gold(
    gold: Sequence[object] | None, classes: tuple[str, ...], rows: int, *, regression: bool
) -> tuple[Ints | None, Bools, tuple[tuple[str, int], ...]]:
    """Codes, which rows have a class that the model has (or none at all), and what the other rows had."""
    if gold is None or regression:
        return None, np.ones(rows, dtype=np.bool_), ()
    labels = [None if label is None else str(label) for label in gold]
    codes = placed(labels, classes)
    known: Bools = (codes != UNKNOWN) | np.array([label is None for label in labels], dtype=np.bool_)
    if len(known) and not known.any():
        raise EvenhandError(f"no gold label is one of the classes {', '.join(classes)}; the first is {labels[0]!r}")
    strange = Counter(label for label in labels if label is not None and label not in classes)
    return codes, known, tuple(sorted(strange.items()))


def _coded(column: Sequence[object]) -> tuple[tuple[str, ...], Ints]:
    """Names in the order in which they first appear, and a code per row; None becomes -1."""
    labels = [None if name is None else str(name) for name in column]
    names = tuple(dict.fromkeys(name for name in labels if name is not None))
    return names, placed(labels, names)


def _shared_strings(column: Sequence[object] | None, rows: int) -> tuple[str, ...]:
    """Each row's term, every spelling kept once."""
    if column is None:
        return ("",) * rows
    known: dict[str, str] = {}
    return tuple(known.setdefault(term, term) for term in ("" if entry is None else str(entry) for entry in column))


def _looked_up(what: str, column: Sequence[object], classes: tuple[str, ...]) -> Ints:
    codes = placed(map(str, column), classes)
    if UNKNOWN in codes:
        strange = column[int(np.argmax(codes == UNKNOWN))]
        raise EvenhandError(f"{what} names {strange!r}, which is none of the classes {', '.join(classes)}")
    return codes


def _refuse_repeated(what: str, names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        name, times = Counter(names).most_common(1)[0]
        raise UsageError(f"{what} name {name!r} {times} times")

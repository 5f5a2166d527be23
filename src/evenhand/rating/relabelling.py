"""Dealing persons to the classes anew: what a system would get if it did not matter who belongs to which class."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import Any, Literal

import numpy as np

from evenhand.rating.resampling import apart, portions
from evenhand.rating.table import Block, Sample
from evenhand.stats.dealing import ways
from evenhand.stats.types import Floats, Ints

Labels = Callable[[Sample], Ints]
"""To which class each row of a sample belongs: replicates × rows."""
Over = Literal["persons", "rows"]
MOST = 1_000
"""Up to so many relabellings are all gone through; of more, so many are drawn, the labels as they are among them."""
ALPHA = 0.05
"""Differences that this share of the relabellings reaches, or fewer, are not put down to chance."""
COUNTED = 2_000
"""Of more persons nobody counts the relabellings."""
SAME = 1e-9
"""What differs by a smaller share is the same."""


@dataclass(frozen=True)
class Relabelled:
    """What one system gets if its persons are dealt to the classes anew, each with all their sentences.

    `mean` is the rejection score that the system would get if it did not matter to it who belongs to which class, given
    everything else it does; 95 % of the scores lie between `low` and `high`. None for impacts: relabelling would change
    what is adjusted for.

    `p` is the share of relabellings whose classes differ as much as the real ones, by the sum of the differences
    between the classes' means, emotion words taken out. It goes by differences because the score does not show them:
    its tests take the sentences of one person for independent, so that a system that reacts to single persons gets a
    high score however they are dealt.
    """

    mean: float | None
    low: float | None
    high: float | None
    p: float
    relabellings: int
    every: bool
    """Whether these are all that there are."""
    smallest_p: float
    """The smallest p that is possible: with few persons, it is not small."""
    reference_p: float | None
    """The largest p of a system that singles out one class and goes by nothing else: above 0.05, persons are too few to
    find even that one. None where rows were relabelled."""
    over: Over
    """What was relabelled: `persons`, or `rows` where a table names no persons."""
    p_rows: float
    """The same as p, with rows relabelled instead of persons: whether the classes differ by more than chance from
    sentence to sentence, for these very persons."""
    smallest_p_rows: float

    @property
    def about_others(self) -> bool:
        """Whether there are persons enough to speak of others like them."""
        return self.reference_p is not None and self.reference_p <= ALPHA

    @property
    def above(self) -> bool | None:
        """Whether the classes differ by more than chance; None where even rows are too few to tell.

        Where persons are too few, p cannot be asked to be small: it must be as small as that of a system which goes by
        the class alone, and rows must differ by more than chance.
        """
        if self.about_others:
            return self.p <= ALPHA
        if self.smallest_p_rows > ALPHA:
            return None
        return self.p_rows <= ALPHA and (self.reference_p is None or self.p <= self.reference_p + SAME)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {**asdict(self), "about_others": self.about_others}


def relabel(
    block: Block, system: str, *, adjusting: bool, seed: int, score: Callable[[Labels], Floats] | None
) -> Relabelled:
    """Relabel one system's persons, and its rows; `score` gives the rejection score of each relabelling."""
    rows = Relabelling(block, system, over="rows", adjusting=adjusting, seed=seed)
    dealing = Relabelling(block, system, over="persons", adjusting=adjusting, seed=seed) if block.has_persons else rows
    scores = np.concatenate([score(labels) for labels in dealing.dealt()]) if score is not None else np.array([])
    known = scores[~np.isnan(scores)]
    low, high = np.quantile(known, [0.025, 0.975], method="inverted_cdf") if len(known) else (None, None)
    p_rows = rows.p()
    return Relabelled(
        mean=float(known.mean()) if len(known) else None,
        low=low if low is None else float(low),
        high=high if high is None else float(high),
        p=p_rows if dealing is rows else dealing.p(),
        relabellings=dealing.number,
        every=dealing.every,
        smallest_p=dealing.smallest_p,
        reference_p=None if dealing is rows else dealing.reference_p(),
        over=dealing.over,
        p_rows=p_rows,
        smallest_p_rows=rows.smallest_p,
    )


class Relabelling:
    """The ways to deal one system's persons (or rows) to the classes, which keep as many of them as they have.

    Persons change places with those who occur in the same datasets, rows with those of the same dataset and emotion.
    Nothing depends on other systems.
    """

    def __init__(self, block: Block, system: str, *, over: Over, adjusting: bool, seed: int) -> None:
        self._samples = list(block.of(system))
        self._units = _persons(self._samples) if over == "persons" else _rows(self._samples, block)
        codes = [sample.strata if adjusting else sample.classes for sample in self._samples]
        self._labels = np.empty(1 + max(int(units.max()) for units in self._units), dtype=np.int64)
        for units, mine in zip(self._units, codes, strict=True):
            self._labels[units] = mine
        self._kinds = _kinds(self._samples, self._units, by_emotion=over == "rows")
        self._seed = [*apart(block, seed), zlib.crc32(f"{over} {block.attribute}".encode())]
        possible = math.prod(_ways(self._labels[places]) for places in self._kinds)
        self.every = possible <= MOST
        self.number = int(possible) if self.every else MOST
        self.smallest_p = max(self._alike() / possible, 0.0 if self.every else 1 / MOST)
        self.over: Over = over

    def _alike(self) -> int:
        """How many relabellings only change the names of classes, which changes no difference's size."""
        sizes = Counter(
            tuple(int(np.count_nonzero(self._labels[places] == label)) for places in self._kinds)
            for label in np.unique(self._labels)
        )
        return math.prod(math.factorial(number) for number in sizes.values())

    def dealt(self) -> Iterator[Labels]:
        """All relabellings, some at a time."""
        longest = max(len(sample.sentiment) for sample in self._samples)
        for labels in self._every_way(longest) if self.every else self._drawn(longest):
            yield partial(self._of_rows, labels)

    def _every_way(self, width: int) -> Iterator[Ints]:
        dealt = np.tile(self._labels, (self.number, 1))
        for number, way in enumerate(product(*(_deals(self._labels[places]) for places in self._kinds))):
            for places, labels in zip(self._kinds, way, strict=True):
                dealt[number, places] = labels
        start = 0
        for some in portions(self.number, width):
            yield dealt[start : start + some]
            start += some

    def _drawn(self, width: int) -> Iterator[Ints]:
        rng = np.random.default_rng(self._seed)
        yield self._labels[None, :]
        for some in portions(self.number - 1, width):
            dealt = np.tile(self._labels, (some, 1))
            for places in self._kinds:
                dealt[:, places] = rng.permuted(dealt[:, places], axis=1)
            yield dealt

    def _of_rows(self, labels: Ints, sample: Sample) -> Ints:
        """From the class of each unit to that of each row."""
        place = next(place for place, one in enumerate(self._samples) if one.dataset == sample.dataset)
        of_rows: Ints = labels[:, self._units[place]]
        return of_rows

    def p(self) -> float:
        """The share of relabellings whose classes differ as much as they do."""
        return self._p([sample.sentiment for sample in self._samples])

    def reference_p(self) -> float:
        """The largest p of systems that single out one class and go by nothing else."""
        of_rows = [self._of_rows(self._labels[None, :], sample)[0] for sample in self._samples]
        return max(
            self._p([np.where(mine == label, 1.0, -1.0) for mine in of_rows]) for label in np.unique(self._labels)
        )

    def _p(self, answers: Sequence[Floats]) -> float:
        largest = max(float(np.abs(values).max(initial=0.0)) for values in answers) or 1.0
        asked = [
            replace(sample, sentiment=_without_words(sample, values / largest))
            for sample, values in zip(self._samples, answers, strict=True)
        ]
        own = _differences(asked, partial(self._of_rows, self._labels[None, :]))[0]
        found = np.concatenate([_differences(asked, labels) for labels in self.dealt()])
        return float(np.mean((found >= own) | np.isclose(found, own, SAME, SAME)))


def _persons(samples: Sequence[Sample]) -> list[Ints]:
    """Of each sample, the place of each row's person among all persons of the system."""
    known = np.unique(np.concatenate([sample.units for sample in samples]))
    return [np.searchsorted(known, sample.units) for sample in samples]


def _rows(samples: Sequence[Sample], block: Block) -> list[Ints]:
    """Of each sample, the place of each row among all rows of the system.

    The nth sentence about a person with a word is the same one in all datasets, and counts as one: most systems answer
    the same to it.
    """
    places: dict[tuple[object, ...], int] = {}
    found = []
    for sample in samples:
        seen: Counter[tuple[object, ...]] = Counter()
        mine = []
        for unit, word in zip(sample.units.tolist(), sample.words.tolist(), strict=True):
            key = (unit, block.words[word]) if block.has_persons and block.has_words else (sample.dataset,)
            seen[key] += 1
            mine.append(places.setdefault((*key, seen[key]), len(places)))
        found.append(np.array(mine, dtype=np.int64))
    return found


def _kinds(samples: Sequence[Sample], units: Sequence[Ints], *, by_emotion: bool) -> list[Ints]:
    """Units that may change places: of the same datasets, and of the same emotion if asked for."""
    occurs: dict[int, set[tuple[str, int]]] = {}
    for sample, mine in zip(samples, units, strict=True):
        emotions = sample.emotions.tolist() if by_emotion else [0] * len(mine)
        for unit, emotion in zip(mine.tolist(), emotions, strict=True):
            occurs.setdefault(unit, set()).add((sample.dataset, emotion))
    kinds: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for unit in sorted(occurs):
        kinds.setdefault(tuple(sorted(occurs[unit])), []).append(unit)
    return [np.array(kinds[kind], dtype=np.int64) for kind in sorted(kinds)]


def _without_words(sample: Sample, answers: Floats) -> Floats:
    """What is left of answers once the mean of each emotion word (or emotion, if no words are named) is taken out."""
    left = answers.copy()
    words = np.unique(np.stack([sample.words, sample.emotions]), axis=1, return_inverse=True)[1].reshape(-1)
    for word in range(words.max(initial=-1) + 1):
        left[words == word] -= answers[words == word].mean()
    return left


def _differences(samples: Sequence[Sample], labels: Labels) -> Floats:
    """The sum of the differences between any two classes' means over all datasets, relabelling by relabelling."""
    total: Floats = np.sum([_apart(sample, labels(sample)) for sample in samples], axis=0)
    return total


def _apart(sample: Sample, labels: Ints) -> Floats:
    means = []
    for label in np.unique(labels):
        mine = labels == label
        number = mine.sum(axis=1)
        means.append(np.divide(mine @ sample.sentiment, number, out=np.full(len(labels), np.nan), where=number > 0))
    if len(means) < 2:
        return np.zeros(len(labels))
    total: Floats = np.nansum([np.abs(one - other) for one, other in combinations(means, 2)], axis=0)
    return total


def _ways(labels: Ints) -> float:
    """How many ways there are to deal these labels to as many places; infinite where nobody would count them.

    >>> _ways(np.array([0, 0, 1, 1, 2, 2, 2])), _ways(np.arange(5000))
    (210, inf)
    """
    if len(labels) > COUNTED:
        return 1 if len(np.unique(labels)) == 1 else math.inf
    return ways([*Counter(labels.tolist()).values()])


def _deals(labels: Ints) -> list[Ints]:
    """All of them, the labels as they are among them.

    >>> [dealt.tolist() for dealt in _deals(np.array([0, 1, 1]))]
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    sizes = Counter(labels.tolist())
    first, *others = sorted(sizes)
    of_others = _deals(np.repeat(others, [sizes[one] for one in others])) if others else [np.array([], dtype=np.int64)]
    found = []
    for chosen in combinations(range(len(labels)), sizes[first]):
        rest = [place for place in range(len(labels)) if place not in chosen]
        for dealt in of_others:
            whole = np.full(len(labels), first, dtype=np.int64)
            whole[rest] = dealt
            found.append(whole)
    return found

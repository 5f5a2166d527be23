"""Significance tests of groups: the published rank tests, and beside them those that generalise over terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from evenhand.files.plain import rebuild
from evenhand.metrics.cells import Cells
from evenhand.metrics.crossing import SOURCE, Crossed, TermCells, crossed
from evenhand.metrics.measurements import ALL
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.scores import chosen_rows, probability, probability_of_gold
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import UNKNOWN, placed
from evenhand.settings import check_alpha, check_choice
from evenhand.stats.multiplicity import CORRECTIONS
from evenhand.stats.ranks import RankTest, independent_tests, related_tests
from evenhand.stats.terms import (
    TermOmnibus,
    TermTest,
    TermTests,
    crossed_term_tests,
    gap_variances_between_sources,
    term_tests,
)
from evenhand.stats.types import Bools, Floats, Ints

Design = Literal["related", "independent"]
Method = Literal["variance components", "terms and sources apart", "terms alone"]
CROSSED: Method = "variance components"
APART: Method = "terms and sources apart"
TERMS_ALONE: Method = "terms alone"
NOT_CROSSED = (
    "terms fill different sources, so what varies with terms and what varies with sources cannot be told apart: some "
    "of it is counted twice, and the interval is a little too wide"
)
ONE_GROUP_A_SOURCE = (
    "each source is about one group, so groups are compared across sources: if they stand in different kinds of "
    "sources, that shows as a gap too"
)


@dataclass(frozen=True)
class PairOfGroups:
    """A follow-up to the rank test of all groups."""

    first: str
    second: str
    test: RankTest
    p_adjusted: float | None
    significant: bool | None


@dataclass(frozen=True)
class Published:
    """Rank tests on the mean probability per source and group: they answer for these very terms."""

    omnibus: RankTest
    pairs: tuple[PairOfGroups, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is None has its reason in `undefined` beside it."""
        pairs = [asdict(pair) for pair in self.pairs]
        return {"omnibus": asdict(self.omnibus), "pairs": [pair.pop("test") | pair for pair in pairs]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild them from their plain values."""
        pairs = [rebuild(PairOfGroups, {**pair, "test": pair}) for pair in values["pairs"]]
        return cls(rebuild(RankTest, values["omnibus"]), tuple(pairs))


@dataclass(frozen=True)
class Generalising:
    """Tests of each group against the others: they answer for terms and sources like these."""

    omnibus: TermOmnibus
    left_out: tuple[str, ...]
    """Groups of one term, which the test of all groups does without."""
    by_group: Mapping[str, TermTest]
    method: Method = TERMS_ALONE
    over: tuple[str, ...] = ()
    """What is generalised over besides terms: the source, or the columns that sort them (template, word)."""
    sources: int | None = None
    """How many sources it rests on."""
    terms_left_out: tuple[str, ...] = ()
    """Terms that are missing from many sources."""
    limits: str | None = None
    """What it does not allow for, or allows for too much."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is None has its reason in `undefined` beside it."""
        return {
            "omnibus": asdict(self.omnibus) | {"left_out": list(self.left_out)},
            "by_group": {name: asdict(test) for name, test in self.by_group.items()},
            "method": self.method,
            "over": list(self.over),
            "sources": self.sources,
            "terms_left_out": list(self.terms_left_out),
            "limits": self.limits,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild them from their plain values."""
        omnibus = rebuild(TermOmnibus, {**values["omnibus"], "left_out": ()})
        by_group = {name: rebuild(TermTest, test) for name, test in values["by_group"].items()}
        return cls(
            omnibus,
            tuple(values["omnibus"]["left_out"]),
            by_group,
            # Results that were saved before sources counted are over terms alone.
            method=values.get("method", TERMS_ALONE),
            over=tuple(values.get("over", ())),
            sources=values.get("sources"),
            terms_left_out=tuple(values.get("terms_left_out", ())),
            limits=values.get("limits"),
        )


@dataclass(frozen=True)
class ClassTests:
    """Both kinds for one class. What is None has its reason in `undefined`."""

    published: Published | None
    generalising: Generalising | None
    undefined: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "published": self.published and self.published.to_dict(),
            "generalising": self.generalising and self.generalising.to_dict(),
            "undefined": dict(self.undefined),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild them from their plain values."""
        published, general = values["published"], values["generalising"]
        return cls(
            published and Published.from_dict(published),
            general and Generalising.from_dict(general),
            dict(values["undefined"]),
        )


@dataclass(frozen=True)
class GroupTests:
    """Tests of one attribute: `tests["positive"].generalising.by_group["old"].p_adjusted`."""

    groups: tuple[str, ...]
    design: Design
    """`related`: groups are compared within sources; `independent`: no source holds two groups."""
    sources: int
    complete: int
    """Sources that hold every group."""
    alpha: float
    correction: str
    classes: Mapping[str, ClassTests]

    def __getitem__(self, label: str) -> ClassTests:
        return self.classes[label]

    def __iter__(self) -> Iterator[tuple[str, ClassTests]]:
        return iter(self.classes.items())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "groups": list(self.groups),
            "design": self.design,
            "sources": self.sources,
            "complete": self.complete,
            "alpha": self.alpha,
            "correction": self.correction,
            "classes": {label: tests.to_dict() for label, tests in self.classes.items()},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild them from their plain values."""
        classes = {label: ClassTests.from_dict(tests) for label, tests in values["classes"].items()}
        return cls(**{**values, "groups": tuple(values["groups"]), "classes": classes})


def group_tests(
    predictions: Predictions, *, alpha: float = 0.05, correction: str = "holm", design: Design | None = None
) -> GroupTests:
    """Test whether groups differ in p(c), class by class, and in p(gold) under `all` (or in a regression score).

    `published` are the tests of Czarnowska et al. (2021) on the mean per source and group: Friedman's for more than two
    groups, Wilcoxon's for two; where no source holds two groups, Kruskal and Wallis's or Mann and Whitney's. Their
    false alarms are many where terms differ among themselves, or groups by source. `generalising` tests each group
    against the mean of the others as an audit does, terms and sources (templates, words) being samples. `correction`
    (`holm`, `bonferroni`, `bh`, `none`) is within a class, over pairs or over groups. That nothing is significant does
    not show that groups are treated alike.

    >>> scores = {"Ann": 0.5, "Eve": 0.7, "Bob": 0.2, "Tom": 0.4}
    >>> rows = [(source, name) for source in "abcdefgh" for name in scores]
    >>> tests = group_tests(Predictions.of(
    ...     source=[source for source, _ in rows], term=[name for _, name in rows],
    ...     group=["female" if name in ("Ann", "Eve") else "male" for _, name in rows],
    ...     score=[scores[name] for _, name in rows]))
    >>> tests["score"].published.omnibus.p, round(tests["score"].generalising.by_group["female"].p, 3)
    (0.0078125, 0.168)
    """
    check_choice("correction", correction, CORRECTIONS)
    check_alpha(alpha)
    mentioned = predictions.group != UNKNOWN
    holds = _holds(predictions, mentioned)
    asked: Design = design or ("related" if (holds.sum(axis=1) > 1).any() else "independent")

    def of_class(of: Callable[[Predictions, int], Floats], code: int, *, gold: bool = False) -> ClassTests:
        try:
            if len(predictions.groups) < 2:
                raise Undefined("there is one group only, and nothing to compare it with")
            values = of(predictions, code)
            rows = mentioned & chosen_rows(predictions, "with gold" if gold else "all", code)
        except Undefined as reason:
            return ClassTests(None, None, {"published": str(reason), "generalising": str(reason)})
        return _Tested(predictions, values, rows, design=asked, alpha=alpha, correction=correction).both()

    tests = {label: of_class(probability, code) for code, label in enumerate(predictions.classes)}
    if not predictions.regression:
        tests[ALL] = of_class(probability_of_gold, 0, gold=True)
    complete = int(holds.all(axis=1).sum())
    return GroupTests(predictions.groups, asked, int(holds.any(axis=1).sum()), complete, alpha, correction, tests)


def _holds(predictions: Predictions, rows: Bools) -> Bools:
    """(sources, groups): whether a source has a row of the group."""
    holds = np.zeros((len(predictions.sources), len(predictions.groups)), dtype=np.bool_)
    holds[predictions.source[rows], predictions.group[rows]] = True
    return holds


class _Tested:
    """One number per row, tested in both ways."""

    def __init__(
        self, predictions: Predictions, values: Floats, rows: Bools, *, design: Design, alpha: float, correction: str
    ) -> None:
        # By source, then group, then term, so that the order of a file's rows changes no sum.
        term = placed(predictions.terms, sorted(set(predictions.terms)))
        order = np.lexsort((values, term, predictions.group, predictions.source))
        order = order[rows[order]]
        self.names, self.named_terms = predictions.groups, any(predictions.terms)
        self.sources, self.sampled = predictions.sources, predictions.sampled
        self.spelled = sorted(set(predictions.terms))
        self.values, self.term = values[order], term[order]
        self.source, self.group = predictions.source[order], predictions.group[order]
        shape = (len(predictions.sources), len(self.names))
        self.means = Cells(self.values, self.source, self.group, shape=shape).means()
        self.design, self.alpha, self.correction = design, alpha, correction

    def both(self) -> ClassTests:
        """Both kinds; where terms cannot be told apart, the reason instead."""
        try:
            return ClassTests(self._published(), self._generalising(), {})
        except Undefined as reason:
            return ClassTests(self._published(), None, {"generalising": str(reason)})

    def _published(self) -> Published:
        if self.design == "related":
            found = related_tests(self.means, alpha=self.alpha, correction=self.correction)
        else:
            groups = [column[~np.isnan(column)] for column in self.means.T]
            found = independent_tests(groups, alpha=self.alpha, correction=self.correction)
        pairs = (
            PairOfGroups(self.names[pair.first], self.names[pair.second], pair.test, pair.p_adjusted, pair.significant)
            for pair in found.pairs
        )
        return Published(found.omnibus, tuple(pairs))

    def _generalising(self) -> Generalising:
        if not self.named_terms:
            raise Undefined("no terms are given, so it cannot be said how they differ")
        if self.design == "independent":
            return self._over_terms(self._cells(self.values, np.ones(len(self.values), dtype=np.bool_)))
        table = crossed(self._cells(self.values, self._in_whole_sources()), self.names, self.sampled)
        return self._apart() if table is None else self._crossed(table)

    def _in_whole_sources(self) -> Bools:
        """The sentences of sources that hold every group."""
        holds_all: Bools = np.asarray(~np.isnan(self.means).any(axis=1), dtype=np.bool_)
        if not holds_all.any():
            raise Undefined("no source holds every group; choose groups that stand together")
        return holds_all[self.source]

    def _crossed(self, table: Crossed) -> Generalising:
        found = crossed_term_tests(
            table.groupings,
            group=table.group,
            groups=len(self.names),
            alpha=self.alpha,
            correction=self.correction,
            scale=self._scale,
            family=table.family,
        )
        return replace(
            self._made(found), method=CROSSED, over=table.columns, sources=table.sources, terms_left_out=table.left_out
        )

    def _apart(self) -> Generalising:
        """Within sources, what counts is how far a term lies from its source's mean (in which groups count the same): a
        term that stands in some sources only is not to be blamed for them."""
        whole = self._in_whole_sources()
        cells = self._cells(self.values - self.means.mean(axis=1)[self.source], whole)
        source = np.unique(cells.source, return_inverse=True)[1].reshape(-1)
        found = self._over_terms(cells, source)
        return replace(found, method=APART, over=(SOURCE,), sources=int(source.max()) + 1, limits=NOT_CROSSED)

    def _over_terms(self, cells: TermCells, source: Ints | None = None) -> Generalising:
        """Over term means; where sources count, with what gaps vary by from source to source."""
        sums, counts = np.bincount(cells.term, weights=cells.values), np.bincount(cells.term)
        means, groups = sums / counts, len(self.names)
        between = None
        if source is not None:
            between = gap_variances_between_sources(
                cells.values, term=cells.term, group=cells.group, source=source, groups=groups
            )
        found = term_tests(
            [means[cells.group == code] for code in range(groups)],
            alpha=self.alpha,
            correction=self.correction,
            scale=self._scale,
            between_sources=between,
            sources=0 if source is None else int(source.max()) + 1,
        )
        return replace(self._made(found), limits=ONE_GROUP_A_SOURCE)

    def _made(self, found: TermTests) -> Generalising:
        left_out = tuple(self.names[place] for place in found.omnibus.left_out)
        return Generalising(found.omnibus, left_out, dict(zip(self.names, found.groups, strict=True)))

    @property
    def _scale(self) -> float:
        return float(np.abs(self.values).max(initial=0.0))

    def _cells(self, values: Floats, kept: Bools) -> TermCells:
        """The sentences that are kept, by term; a term of two groups counts as two."""
        units, term = np.unique(np.stack([self.group[kept], self.term[kept]]), axis=1, return_inverse=True)
        return TermCells(
            values=values[kept],
            source=self.source[kept],
            term=term.reshape(-1),
            group=units[0],
            terms=tuple(self.spelled[code] for code in units[1]),
            sources=self.sources,
        )

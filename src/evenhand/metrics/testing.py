"""Significance tests of groups: the published rank tests, and beside them those that generalise over terms."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

import numpy as np

from evenhand.files.plain import rebuild
from evenhand.metrics.cells import Cells
from evenhand.metrics.crossing import TermCells
from evenhand.metrics.generalising import Generalising, generalising
from evenhand.metrics.measurements import ALL
from evenhand.metrics.predictions import Predictions
from evenhand.metrics.scores import chosen_rows, probability, probability_of_gold
from evenhand.metrics.undefined import Undefined
from evenhand.metrics.working import Working, silent
from evenhand.numbering import UNKNOWN, pairs_numbered
from evenhand.settings import check_alpha, check_choice
from evenhand.stats.multiplicity import CORRECTIONS
from evenhand.stats.over_sentences import SentenceTest, sentence_tests
from evenhand.stats.ranks import RankTest, independent_tests, related_tests
from evenhand.stats.types import Bools, Floats, Ints

Design = Literal["related", "independent"]


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
class ClassTests:
    """Both kinds for one class. What is None has its reason in `undefined`."""

    published: Published | None
    generalising: Generalising | None
    undefined: Mapping[str, str]
    these_terms: Mapping[str, SentenceTest] | None = None
    """By group, where one has a single term: the answer for these very terms, over sentences like these. None where
    terms are a sample, and in groups that stand in different sources."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        these = self.these_terms
        return {
            "published": self.published and self.published.to_dict(),
            "generalising": self.generalising and self.generalising.to_dict(),
            "these_terms": these and {group: asdict(test) for group, test in these.items()},
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
            # Results of earlier versions say nothing where a group has one term.
            {group: rebuild(SentenceTest, test) for group, test in (values.get("these_terms") or {}).items()} or None,
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
    predictions: Predictions,
    *,
    alpha: float = 0.05,
    correction: str = "holm",
    design: Design | None = None,
    labels: Container[str] | None = None,
    working: Working | None = None,
) -> GroupTests:
    """Test whether groups differ in p(c), class by class, and in p(gold) under `all` (or in a regression score).

    `published` are the tests of Czarnowska et al. (2021) on the mean per source and group: Friedman's for more than two
    groups, Wilcoxon's for two; where no source holds two groups, Kruskal and Wallis's or Mann and Whitney's. Their
    false alarms are many where terms differ among themselves, or groups by source. `generalising` tests each group
    against the mean of the others as an audit does, terms and sources (templates, words) being samples. `correction`
    (`holm`, `bonferroni`, `bh`, `none`) is within a class, over pairs or over groups. With `labels`, there is nothing
    but the generalising test of these classes. That nothing is significant does
    not show that groups are treated alike. `working` shows how far it is.

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

    def of_class(label: str) -> ClassTests:
        gold = label not in predictions.classes
        of, code = (probability_of_gold, 0) if gold else (probability, predictions.classes.index(label))
        try:
            if len(predictions.groups) < 2:
                raise Undefined("there is one group only, and nothing to compare it with")
            values = of(predictions, code)
            rows = mentioned & chosen_rows(predictions, "with gold" if gold else "all", code)
        except Undefined as reason:
            return ClassTests(None, None, {"published": str(reason), "generalising": str(reason)})
        tested = _Tested(predictions, values, rows, design=asked, alpha=alpha, correction=correction)
        return tested.both() if labels is None else tested.generalising_alone()

    known = (*predictions.classes, *(() if predictions.regression else (ALL,)))
    wanted = [label for label in known if labels is None or label in labels]
    tests = {}
    with (working or silent)("tests", len(wanted)) as advance:
        for label in wanted:
            tests[label] = of_class(label)
            advance()
    complete = int(holds.all(axis=1).sum())
    return GroupTests(predictions.groups, asked, int(holds.any(axis=1).sum()), complete, alpha, correction, tests)


def _in_order(predictions: Predictions, values: Floats) -> Ints:
    """Rows by source, group and term; by value where a source has several of the same."""
    of_source, group, term = predictions.source, predictions.group, predictions.spelled[1]
    order = np.lexsort((term, group, of_source))
    same = [np.diff(of[order]) == 0 for of in (of_source, group, term)]
    if not (same[0] & same[1] & same[2]).any():
        return order
    return np.lexsort((values, term, group, of_source))


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
        self.spelled, term = predictions.spelled
        order = _in_order(predictions, values)
        order = order[rows[order]]
        self.names, self.named_terms = predictions.groups, any(predictions.terms)
        self.sources, self.sampled = predictions.sources, predictions.sampled
        self.values, self.term = values[order], term[order]
        self.source, self.group = predictions.source[order], predictions.group[order]
        shape = (len(predictions.sources), len(self.names))
        self.means = Cells(self.values, self.source, self.group, shape=shape).means()
        self.design, self.alpha, self.correction = design, alpha, correction

    def both(self) -> ClassTests:
        """Both kinds; where terms cannot be told apart, the reason instead."""
        these = self._these_terms()
        try:
            return ClassTests(self._published(), self._generalising(), {}, these)
        except Undefined as reason:
            return ClassTests(self._published(), None, {"generalising": str(reason)}, these)

    def generalising_alone(self) -> ClassTests:
        """The test that generalises, or the reason why there is none."""
        try:
            return ClassTests(None, self._generalising(), {})
        except Undefined as reason:
            return ClassTests(None, None, {"generalising": str(reason)})

    def _these_terms(self) -> dict[str, SentenceTest] | None:
        """Where a group has one term, or terms are not named: each group over sentences."""
        terms = pairs_numbered(self.group, self.term)[0][0]
        a_sample = self.named_terms and (np.bincount(terms, minlength=len(self.names)) > 1).all()
        if a_sample or self.design == "independent":
            return None
        found = sentence_tests(self.means, scale=self._scale, alpha=self.alpha, correction=self.correction)
        return dict(zip(self.names, found, strict=True))

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
        return generalising(
            self._cells(),
            self.names,
            self.sampled,
            independent=self.design == "independent",
            alpha=self.alpha,
            correction=self.correction,
        )

    @property
    def _scale(self) -> float:
        return float(np.abs(self.values).max(initial=0.0))

    def _cells(self) -> TermCells:
        """The sentences by term; a term of two groups counts as two."""
        units, term = pairs_numbered(self.group, self.term)
        return TermCells(
            values=self.values,
            source=self.source,
            term=term,
            group=units[0],
            terms=tuple(self.spelled[code] for code in units[1].tolist()),
            sources=self.sources,
        )

"""Each group against the others, for terms and sources like these, in the way that how terms fill sources allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from evenhand.files.plain import rebuild
from evenhand.metrics.crossing import SOURCE, Crossed, Sampled, TermCells, crossed
from evenhand.metrics.undefined import Undefined
from evenhand.numbering import pairs_numbered
from evenhand.stats.terms import (
    TermOmnibus,
    TermTest,
    TermTests,
    crossed_term_tests,
    gap_variances_between_sources,
    term_tests,
)
from evenhand.stats.types import Bools, Floats, Ints

Method = Literal["variance components", "terms and sources apart", "terms alone"]
CROSSED: Method = "variance components"
APART: Method = "terms and sources apart"
TERMS_ALONE: Method = "terms alone"
NOT_CROSSED = (
    "terms fill different sources, so what varies with terms and what varies with sources cannot be told apart: some "
    "of it is counted twice, and the interval is a little too wide"
)
ONE_SOURCE = "there is one source, so what varies from source to source is not known: the answer is about this one"
ONE_GROUP_A_SOURCE = (
    "each source is about one group, so groups are compared across sources: if they stand in different kinds of "
    "sources, that shows as a gap too"
)


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


def generalising(
    cells: TermCells,
    names: tuple[str, ...],
    sampled: Sampled | None,
    *,
    independent: bool,
    alpha: float = 0.05,
    correction: str = "holm",
) -> Generalising:
    """Test each group's cells against the others'. `independent`: no source holds two groups."""
    return _Tests(cells, names, sampled, alpha=alpha, correction=correction).found(independent=independent)


class _Tests:
    def __init__(
        self, cells: TermCells, names: tuple[str, ...], sampled: Sampled | None, *, alpha: float, correction: str
    ) -> None:
        self.cells, self.names, self.sampled = cells, names, sampled
        self.alpha, self.correction = alpha, correction

    def found(self, *, independent: bool) -> Generalising:
        if independent:
            return self._across_sources()
        held = self._means_by_source()
        whole: Bools = np.asarray(~np.isnan(held).any(axis=1), dtype=np.bool_)
        if not whole.any():
            raise Undefined("no source holds every group; choose groups that stand together")
        cells = chosen_cells(self.cells, whole[self.cells.source])
        table = crossed(cells, self.names, self.sampled)
        return self._apart(cells, held.mean(axis=1)) if table is None else self._crossed(table)

    def _means_by_source(self) -> Floats:
        """(sources, groups); NaN where a source lacks a group."""
        cells = self.cells
        shape = (len(cells.sources), len(self.names))
        place = cells.source * shape[1] + cells.group[cells.term]
        sums = np.bincount(place, weights=cells.values, minlength=shape[0] * shape[1])
        number = np.bincount(place, minlength=shape[0] * shape[1])
        means = np.divide(sums, number, out=np.full_like(sums, np.nan), where=number > 0)
        return np.asarray(means.reshape(shape), dtype=np.float64)

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

    def _apart(self, cells: TermCells, source_means: Floats) -> Generalising:
        """Within sources, what counts is how far a term lies from its source's mean (in which groups count the same): a
        term that stands in some sources only is not to be blamed for them."""
        source = np.unique(cells.source, return_inverse=True)[1].reshape(-1)
        if not source.any():
            return replace(self._over_terms(cells), sources=1, limits=ONE_SOURCE)
        found = self._over_terms(replace(cells, values=cells.values - source_means[cells.source]), source)
        return replace(found, method=APART, over=(SOURCE,), sources=int(source.max()) + 1, limits=NOT_CROSSED)

    def _across_sources(self) -> Generalising:
        """Where a source holds several terms of its group, these share what is odd about it, so sources count as well.

        Where each has one term, how terms differ holds how sources do.
        """
        pairs, _ = pairs_numbered(self.cells.source, self.cells.term)
        source = np.unique(self.cells.source, return_inverse=True)[1].reshape(-1)
        if (np.bincount(pairs[0]) < 2).all():  # every source has one term
            return self._over_terms(self.cells)
        of_group = pairs_numbered(self.cells.group[pairs[1]], pairs[0])[0][0]
        found = self._over_terms(self.cells, source, number=int(np.bincount(of_group).min()))
        return replace(found, method=APART, over=(SOURCE,), sources=int(source.max()) + 1)

    def _over_terms(self, cells: TermCells, source: Ints | None = None, number: int | None = None) -> Generalising:
        """Over term means; where sources count, with what gaps vary by from source to source.

        `number` is how many sources there are to tell by, if not all of them.
        """
        sums, counts = np.bincount(cells.term, weights=cells.values), np.bincount(cells.term)
        means, groups = sums / counts, len(self.names)
        between, sources = None, 0
        if source is not None:
            sources = number or int(source.max()) + 1
            between = gap_variances_between_sources(
                cells.values, term=cells.term, group=cells.group, source=source, groups=groups
            )
        found = term_tests(
            [means[cells.group == code] for code in range(groups)],
            alpha=self.alpha,
            correction=self.correction,
            scale=self._scale,
            between_sources=between,
            sources=sources,
        )
        return replace(self._made(found), limits=ONE_GROUP_A_SOURCE)

    def _made(self, found: TermTests) -> Generalising:
        left_out = tuple(self.names[place] for place in found.omnibus.left_out)
        return Generalising(found.omnibus, left_out, dict(zip(self.names, found.groups, strict=True)))

    @property
    def _scale(self) -> float:
        return float(np.abs(self.cells.values).max(initial=0.0))


def chosen_cells(cells: TermCells, kept: Bools) -> TermCells:
    """The sentences that are kept, and the terms that have any."""
    terms, term = np.unique(cells.term[kept], return_inverse=True)
    return replace(
        cells,
        values=cells.values[kept],
        source=cells.source[kept],
        term=term.reshape(-1),
        group=cells.group[terms],
        terms=tuple(cells.terms[code] for code in terms.tolist()),
    )

"""How much there is to repair: gaps for persons in general, and what weight a correction deserves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.asking import Column, Scores, read_only
from evenhand.comparing.general import general_gap, general_p, scale_of
from evenhand.contrasts import (
    EVERYBODY,
    PAIRED,
    UNPAIRED,
    Contrast,
    comparisons_asked,
    general_comparisons,
    joined,
    kinds_of,
)
from evenhand.corpora import Corpus
from evenhand.corpora.once import once
from evenhand.errors import UsageError, did_you_mean
from evenhand.repairs.variables import Variable, variables
from evenhand.systems.base import Array

ALPHA = 0.05
"""The level at which a gap counts as there, for all that the corpus asks of one system together: a fair system is left
alone in at least 95 of 100 fits, as an audit leaves it alone."""

DIFFERENCE = "difference"

SHARES = {EVERYBODY: 0.8, PAIRED: 0.1, UNPAIRED: 0.1}
"""Of the level, when it is asked whether there is any gap at all: most for all persons together, who see it best; a
little for each kind, in case that they contradict each other."""


@dataclass(frozen=True)
class Gap:
    """One gap for persons in general: first group minus second; arrays hold one number per reading of the variable."""

    first: str
    second: str
    operator: Array
    """What each sentence counts: `operator @ scores` is the gap."""
    rest: int
    """How many groups the first is compared with, where that is the mean of all others; 0 where it is one group."""
    estimate: Array
    variance: Array
    freedom: Array
    p: Array
    """As in an audit: two-sided; where nothing varies, 1 for no gap, and for a gap 0 or, with few persons, the share
    of swapped labels that give as large a one; NaN where too little is left to tell."""

    @classmethod
    def of(cls, contrast: Contrast, read: Scores) -> Gap:
        """What the scores say about the two groups."""
        parts = general_gap(contrast, read.matrix, scale=scale_of(read.matrix, read.spans))
        return cls(
            contrast.first,
            contrast.second,
            contrast.operator,
            len(contrast.rest),
            parts.estimate,
            parts.variance,
            parts.degrees_of_freedom,
            general_p(parts, contrast),
        )


@dataclass(frozen=True)
class Evidence:
    """What is known about the gaps between the groups of an attribute, among some kind of persons."""

    kind: str
    gaps: tuple[Gap, ...]
    p: float | None
    """The smallest p after correction for all that was asked: comparisons and readings (Holm), what else the corpus
    asks of the system, and kinds of persons (closed testing); None where there is none."""

    @property
    def weight(self) -> float:
        """How much of a correction is deserved, 0 to 1: nothing unless the gap is significant, else 1 − V/gap².

        The gap that is seen is the true one and chance: its square is too large by V on average. Of all multiples of
        the gap that is seen, this one leaves the smallest squared gap to be expected.
        """
        if self.p is None or self.p >= ALPHA:
            return 0.0
        squares = sum(float(gap.estimate @ gap.estimate) for gap in self.gaps)
        return max(0.0, 1 - sum(float(gap.variance.sum()) for gap in self.gaps) / squares)

    def layer(self, spread: Array) -> dict[str, Array]:
        """How far each group lies from the mean of the groups: numbers of the kind that the operators are fed with."""
        far = {group: np.zeros(spread.shape[1]) for group in self.groups}
        for gap in self.gaps:
            difference = gap.operator @ spread
            if gap.rest:
                # The mean of all groups holds the first one, too.
                far[gap.first] += difference * gap.rest / (gap.rest + 1)
            else:
                far[gap.first] += difference / len(far)
                far[gap.second] -= difference / len(far)
        return far

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that the gaps are about; a rest is none of them."""
        sides = ((gap.first,) if gap.rest else (gap.first, gap.second) for gap in self.gaps)
        return tuple(dict.fromkeys(group for side in sides for group in side))


def evidence(scores: Scores, corpus: Corpus, variable: Variable, attribute: str) -> tuple[Evidence, ...]:
    """What the scores of one system say about the gaps between the groups of an attribute.

    Where there are two kinds of persons, it is asked first whether there is any gap at all, and then about each kind. A
    kind that finds a gap by itself is corrected by that; one that does not is corrected by what all persons find
    together, unless the kinds differ significantly. Groups that cannot be compared (a single person) are left out.
    Every method asks for the same, which is found once.
    """
    asked = "evidence", corpus.digest, variable, attribute
    family = questions_judged(scores, corpus)
    return once(
        scores, asked, lambda: weighed(gaps_by_scope(_tested(scores, variable), corpus, attribute), family=family)
    )


def questions_judged(scores: Scores, corpus: Corpus) -> int:
    """How many gaps a system may have, whatever is to be repaired: what an audit asks, for each reading."""
    outputs = [column.output for column in scores.columns]
    return comparisons_asked(corpus) * sum(len(variable.readings) for variable in variables(outputs))


def gaps_by_scope(read: Scores, corpus: Corpus, attribute: str) -> dict[str, list[Gap]]:
    """The gaps among each kind of persons, among all persons (each counting the same), and the kinds' difference."""
    made = {kind: general_comparisons(corpus, attribute, kind) for kind in kinds_of(corpus, attribute)}
    # Where each kind has one group only, groups are compared across kinds.
    made = {kind: each for kind, each in made.items() if each}
    made = made or {EVERYBODY: general_comparisons(corpus, attribute, EVERYBODY)}
    if len(made) == 2 and _alike(*made.values()):
        some, others = made.values()
        made |= {
            EVERYBODY: [joined(*both, _by_persons(*both)) for both in zip(some, others, strict=True)],
            DIFFERENCE: [joined(*both, (1.0, -1.0)) for both in zip(some, others, strict=True)],
        }
    whole = {scope: each for scope, each in made.items() if each and not any(one.not_general for one in each)}
    return {scope: [Gap.of(one, read) for one in each] for scope, each in whole.items()}


def weighed(gaps: Mapping[str, Sequence[Gap]], *, family: int = 1) -> tuple[Evidence, ...]:
    """What the gaps among each kind of persons, and among all of them, speak for; `family` is how many comparisons are
    asked of the system."""
    asked = {scope: _smallest_p(each, family=family) for scope, each in gaps.items() if scope != DIFFERENCE}
    found = {scope: Evidence(scope, tuple(gaps[scope]), p) for scope, p in _closed(asked).items()}
    if len(found) == 1:
        # Those who can speak for persons in general do so for all.
        return tuple(replace(one, kind=EVERYBODY) for one in found.values())
    alone = [one for kind, one in found.items() if kind != EVERYBODY]
    everybody = found.get(EVERYBODY)
    if everybody is None or _differ(gaps[DIFFERENCE]):
        return tuple(alone)
    if not any(one.weight for one in alone):
        return (everybody,)
    return tuple(one if one.weight or not everybody.weight else replace(everybody, kind=one.kind) for one in alone)


def readings(scores: Scores, variable: Variable) -> Scores:
    """The scores as the variable is judged by; the same scores are read once."""
    return once(scores, ("readings", variable), lambda: _read(scores, variable))


def _read(scores: Scores, variable: Variable) -> Scores:
    first = scores.columns[variable.places[0]]
    columns = tuple(Column(first.system, output, first.fingerprint) for output in variable.readings)
    matrix = np.ascontiguousarray(variable.read(scores.pick(variable.places).matrix))
    return Scores(scores.ids, read_only(matrix), columns, scores.corpus_digest)


def _tested(scores: Scores, variable: Variable) -> Scores:
    """The readings that say something of their own: of two labels, one says it all."""
    read = readings(scores, variable)
    if not variable.is_distribution or len(read.columns) != 2:
        return read
    return Scores(read.ids, read_only(read.matrix[:, 1:].copy()), read.columns[1:], read.corpus_digest)


def attributes_in(corpus: Corpus, asked: Sequence[str] | None) -> tuple[str, ...]:
    """Those of the attributes asked for (all, unless told) that have two groups in this part of a corpus."""
    for attribute in asked or ():
        if attribute not in corpus.frame.columns:
            known = did_you_mean(attribute, corpus.attributes)
            raise UsageError(f"corpus {corpus.name!r} has no attribute {attribute!r}{known}")
    return tuple(one for one in (corpus.attributes if asked is None else asked) if one in corpus.attributes)


def _alike(some: Sequence[Contrast], others: Sequence[Contrast]) -> bool:
    """Whether two kinds of persons have the same groups."""
    sides = [[(one.first, one.second, one.rest) for one in each] for each in (some, others)]
    return sides[0] == sides[1]


def _by_persons(one: Contrast, other: Contrast) -> tuple[float, float]:
    """What each kind counts, so that each person counts the same."""
    persons = one.n_persons, other.n_persons
    return persons[0] / sum(persons), persons[1] / sum(persons)


def _differ(differences: Sequence[Gap]) -> bool:
    p = _smallest_p(differences)
    return p is not None and p < ALPHA


def _smallest_p(gaps: Sequence[Gap], *, family: int = 1) -> float | None:
    """Corrected for comparisons and readings, and for the rest of the family; None where nothing can be told."""
    p = np.concatenate([gap.p for gap in gaps])
    if np.isnan(p).all():
        return None
    return min(1.0, float(np.nanmin(p)) * max(len(p), family))


def _closed(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """Corrected for asking in several scopes, by closed testing: each on its own p, once there is any gap at all.

    Whether there is any is asked by Bonferroni with unequal shares of the level.
    """
    shares = SHARES if EVERYBODY in p and len(p) > 1 else dict.fromkeys(p, 1 / max(len(p), 1))
    known = {scope: one for scope, one in p.items() if one is not None}
    any_at_all = min((min(1.0, one / shares[scope]) for scope, one in known.items()), default=1.0)
    return {scope: max(known[scope], any_at_all) if scope in known else None for scope in p}

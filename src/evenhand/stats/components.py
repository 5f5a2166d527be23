"""The generalising test: persons, templates and words as samples, by variance components with strata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse, special

from evenhand.numbering import pairs_numbered
from evenhand.stats.types import ROUNDING, Bools, Floats, Ints

FEWEST_FOR_OWN_VARIANCE = 5
FEWEST_TO_STAND_ALONE = 50
"""With fewer units than this, beside a stratum of many more or beside a rest, a stratum's own variance counts only
where it is larger than what all share: where one person in ten reacts, none of ten may, and hide that the hundred of
the other side are no different."""
MANY = 1.5
"""How many times as many are many more."""
WORTH = {1: 1.0, 2: 6.0}
"""Two or three units may lie closer together than they vary, by luck: where strata share a variance, and theirs alone
is smaller, it is worth so many degrees of freedom to them, by how many they have of their own."""
HALF = 0.5
"""And so many has a pair of a rest, whose spread nothing checks: where it carries half of the variance, there is no
answer."""
FEWEST_TO_SUBTRACT = 5
"""With fewer groups than this (three templates, say), what persons add to the variance between them is not subtracted:
two or three groups say too little about it, and would raise false alarms."""


@dataclass(frozen=True)
class GroupedMeans:
    """Every unit's mean in every group of one grouping of the cells: `means` is (units, groups, columns)."""

    means: Floats
    weights: Floats
    """The share of the cells in each group."""

    @property
    def unit_means(self) -> Floats:
        """Every unit's mean over the groups: (units, columns)."""
        return np.asarray(np.einsum("ugk,g->uk", self.means, self.weights))


@dataclass(frozen=True)
class Components:
    """The estimate and where its variance comes from; one number per column."""

    estimate: Floats
    variance: Floats
    degrees_of_freedom: Floats
    """NaN where the variance is zero."""
    persons: Floats
    """The persons' part of the variance: what more persons would shrink."""
    persons_if_matched: Floats
    """The same, had each stratum's two sides the same number of persons."""
    pairs: Floats
    """The part of paired persons in `persons_if_matched`: what more unpaired persons would leave as it is."""
    pooled: bool
    """Whether the strata share one variance between persons, because some have too few to show their own."""
    unit_means: Floats
    """Every unit's mean over all cells: (units, columns)."""
    unit_weights: Floats
    """What each of them counts in the estimate, the same in all columns."""
    drawn_anew: Floats
    """What the estimate would vary by if persons alone were drawn anew (first row), or the groups of one grouping alone
    (a row each): (1 + groupings, columns)."""

    @property
    def standard_error(self) -> Floats:
        """The square root of the variance."""
        return np.sqrt(self.variance)

    @property
    def too_thin(self) -> Bools:
        """Where less than one degree of freedom is left: then nothing can be said with any confidence."""
        return np.asarray((self.variance > 0) & (self.degrees_of_freedom < 1), dtype=np.bool_)

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The interval of that level; without variance it is the estimate itself, NaN if too thin."""
        certain = self.variance == 0
        df = np.where(certain, 1.0, self.degrees_of_freedom)
        margin = np.where(certain, 0.0, special.stdtrit(df, (1 + level) / 2) * self.standard_error)
        margin = np.where(self.too_thin, np.nan, margin)
        return self.estimate - margin, self.estimate + margin

    def p(self) -> Floats:
        """Two-sided; without variance, 1 for an estimate of zero and 0 for any other; NaN if too thin."""
        return two_sided_p(self.estimate, self.variance, self.degrees_of_freedom)


def two_sided_p(estimate: Floats, variance: Floats, degrees_of_freedom: Floats) -> Floats:
    """Of estimates with these variances; without variance, 1 for zero and 0 for any other; NaN below one degree of
    freedom."""
    certain = variance == 0
    t = np.divide(estimate, np.sqrt(variance), out=np.zeros_like(estimate), where=~certain)
    tested = 2 * special.stdtr(np.where(certain, 1.0, degrees_of_freedom), -np.abs(t))
    p = np.where(certain, np.where(estimate == 0, 1.0, 0.0), tested)
    return np.where(~certain & (degrees_of_freedom < 1), np.nan, p)


def variance_components(
    groupings: Sequence[GroupedMeans],
    *,
    stratum: Ints,
    coefficients: Floats,
    scale: Floats,
    pairs: Bools | None = None,
    matched_sizes: Floats | None = None,
    family: Ints | None = None,
    rest: Bools | None = None,
    unit_means: Floats | None = None,
    larger: bool = True,
    strict: bool = True,
) -> Components:
    """Estimate Σ coefficient · stratum mean, and how it would vary with other persons, templates and words.

    The persons' part is Σ c²·var/n over the strata. A grouping of the cells adds the variance of the gap between its
    groups, less what the persons' own reactions to those groups (person × group) put into it already. Degrees of
    freedom follow Satterthwaite. A grouping with one group adds nothing: there is nothing to see it vary by. Where a
    stratum has fewer than five units, or fewer than fifty beside half as many again, those of one kind (`pairs` or not)
    share one variance, or take their own where that is larger: two or three values say too little about how persons
    vary, and separate variances would raise false alarms.

    Units with one `family` number (Latisha and Latoya) may react alike. They count as one: with r their distances from
    the stratum's mean, the persons' part of a stratum of n units in F families is c²·F/(F − 1)·Σ (Σ r in a family)²/n²,
    with F − 1 degrees of freedom. Where everybody is a family of one, that is c²·var/n.

    `rest` marks the strata of the other groups, where one group is compared with the mean of several. Groups differ in
    how much their units vary, so each has a variance of its own; see `_against_rest`. A group of the rest may be a
    single unit, which gets the largest variance among the others; the group itself needs two.

    Without `larger`, strata that share a variance all take the shared one. Without `strict`, two or three units keep
    the degrees of freedom of their variance, as where one of them was left out of a design that was judged already.

    The units' means are those of the first grouping, unless they are given: groupings may then have means of their own,
    as words do that are nested in an emotion, and each varies around its own.
    """
    sizes = np.bincount(stratum, minlength=len(coefficients))
    if (sizes < (2 if rest is None else np.where(rest, 1, 2))).any():
        raise ValueError("every stratum needs two units, but those of a rest")
    together = _Families.of(stratum, sizes, family, rest)
    if rest is not None and rest.any() and together.numbers[rest].max() < 2:
        raise ValueError("some stratum of the rest needs two units")
    averaging = _averaging(stratum, sizes)
    if unit_means is None:
        unit_means = groupings[0].unit_means
    estimate = (coefficients @ averaging) @ unit_means
    centred = unit_means - (averaging @ unit_means)[stratum]
    squares = together.squares(centred)
    paired = np.zeros(len(sizes), dtype=bool) if pairs is None else pairs
    by_stratum, parts, pooled = persons_variance(
        squares,
        together.numbers,
        sizes=sizes,
        coefficients=coefficients,
        pairs=paired,
        rest=rest,
        larger=larger,
        strict=strict,
    )
    persons = by_stratum.sum(axis=0)
    matched = sizes.astype(np.float64) if matched_sizes is None else matched_sizes
    drawn_anew = [persons]
    for grouping in groupings:
        between, less_persons, df_between = _between_groups(grouping, stratum, coefficients, averaging, together)
        drawn_anew.append(between)
        if len(grouping.weights) > 1:
            parts.append(Part(less_persons, df_between, seen=between))
    variance = np.sum([part.variance for part in parts], axis=0)
    flat = np.sqrt(variance) <= ROUNDING * scale
    df = satterthwaite(parts, np.where(flat, 0.0, variance))
    if_matched = by_stratum * (sizes / matched)[:, None]
    return Components(
        estimate=np.where(flat & (np.abs(estimate) <= ROUNDING * scale), 0.0, estimate),
        variance=np.where(flat, 0.0, variance),
        degrees_of_freedom=df,
        persons=np.where(flat, 0.0, persons),
        persons_if_matched=np.where(flat, 0.0, if_matched.sum(axis=0)),
        pairs=np.where(flat, 0.0, if_matched[paired].sum(axis=0)),
        pooled=pooled,
        unit_means=unit_means,
        unit_weights=np.repeat((coefficients @ averaging)[:, None], estimate.shape[0], axis=1),
        drawn_anew=np.array(drawn_anew),
    )


@dataclass(frozen=True)
class Part:
    """What adds to the variance of an estimate, one number a column, with its degrees of freedom."""

    variance: Floats
    freedom: Floats | float
    seen: Floats | None = None
    """What it was before something was taken off, if anything was: that is what its degrees of freedom are about."""
    in_full: bool = False
    """Whether its share counts, and not the share's square: a share that is seen in two or three units may be small by
    luck, and a square makes little of what is small."""


def persons_variance(
    squares: Floats,
    numbers: Ints,
    *,
    sizes: Ints,
    coefficients: Floats,
    pairs: Bools,
    rest: Bools | None = None,
    larger: bool = True,
    strict: bool = True,
) -> tuple[Floats, list[Part], bool]:
    """The persons' part by stratum, as independent parts with their degrees of freedom, and whether strata share one.

    From each stratum's squared distances (families added up, then squared): (strata, columns); `numbers` says how many
    families each has and `sizes` how many units.
    """
    # A family that is all of its stratum is one draw, however many it has.
    counts = coefficients**2 * np.where(numbers < 2, 1.0, numbers / sizes**2)
    if rest is None or not rest.any():
        return _two_sides(squares, numbers, counts, pairs, coefficients > 0, larger=larger, strict=strict)
    return _against_rest(squares, numbers, counts, pairs, rest, strict=strict)


def satterthwaite(parts: Sequence[Part], variance: Floats) -> Floats:
    """The degrees of freedom of a sum of independent variances; NaN where nothing varies.

    >>> halves = np.array([1.0])
    >>> satterthwaite([Part(halves, 2), Part(halves, 2)], np.array([2.0])).tolist()
    [4.0]
    >>> satterthwaite([Part(halves, 2, in_full=True), Part(halves, 2)], np.array([2.0])).round(6).tolist()
    [2.666667]
    """
    squared = np.sum([_uncertainty(part, variance) for part in parts], axis=0)
    known = (squared > 0) & (variance > 0)
    return np.asarray(np.divide(variance**2, squared, out=np.full_like(variance, np.nan), where=known))


def _uncertainty(part: Part, variance: Floats) -> Floats:
    if part.in_full:
        return np.asarray(part.variance * variance / part.freedom)
    return np.asarray((part.variance if part.seen is None else part.seen) ** 2 / part.freedom)


def _two_sides(
    squares: Floats, numbers: Ints, counts: Floats, paired: Bools, first: Bools, *, larger: bool, strict: bool
) -> tuple[Floats, list[Part], bool]:
    """The persons' part by stratum, as independent parts, and whether strata share a variance.

    Where strata share one, each takes that or its own, whichever is larger: the shared one alone raised 19 to 47 %
    false alarms where the two or three persons of one side vary more than the twenty of the other. Where two persons
    are all of their side and lie closer together than the others, that may be luck and hide that they vary more, which
    no larger variance shows: then there is one degree of freedom; with three, there are six, and what they vary by
    themselves counts in full.
    """
    kinds, pooled = _kinds_of_variance(numbers, paired)
    freedom = numbers - 1
    spread = squares / freedom[:, None]
    by_stratum = np.zeros_like(squares)
    parts: list[Part] = []
    for kind in np.unique(kinds):
        members = np.flatnonzero(kinds == kind)
        together = int(freedom[members].sum())
        shared = squares[members].sum(axis=0) / together
        takes_own = (spread[members] > (1 + ROUNDING) * shared) & (larger and len(members) > 1)
        by_stratum[members] = counts[members, None] * np.where(takes_own, spread[members], shared)
        own = np.where(takes_own, by_stratum[members], 0.0)
        total = by_stratum[members].sum(axis=0)
        most, in_full = np.full(len(total), float(together)), np.zeros(len(members), dtype=np.bool_)
        for side in (first[members], ~first[members]):
            of_side = int(freedom[members[side]].sum())
            if larger and len(members) > 1 and of_side in WORTH and (strict or of_side == 1):
                close = (spread[members[side]] < (1 - ROUNDING) * shared).any(axis=0)
                most = np.where(close, np.minimum(most, WORTH[of_side]), most)
                in_full |= side & (of_side > 1)
        squared = (own * np.where(in_full[:, None], total, own) / freedom[members, None]).sum(axis=0)
        squared += (total - own.sum(axis=0)) ** 2 / together
        # What is shared holds what is a stratum's own, so that both together know no more than all strata do.
        together_df = np.divide(total**2, squared, out=np.full_like(total, together), where=squared > 0)
        parts.append(Part(total, np.minimum(together_df, most)))
    return by_stratum, parts, pooled


def _against_rest(
    squares: Floats, numbers: Ints, counts: Floats, paired: Bools, rest: Bools, *, strict: bool
) -> tuple[Floats, list[Part], bool]:
    """The same for one group against several.

    Each group of the rest has its own variance; those of a single unit have the largest of these, as nothing is known
    about theirs. The group itself has its own from fifty units on; with fewer, its own or the one that all groups
    share, whichever is larger. Over a corpus of 51 comparisons at 5 %, the own alone raised 20 % false alarms, the
    shared alone 28 to 55 % where groups differ in how much they vary, the larger one 3 to 6 %.

    Two or three units, in the group or in the rest, take the larger one too. Where such a group varies three to ten
    times as much as the others, its spread is small by luck in one run of ten, and 7 to 13 % of the other groups were
    called different: see `_few`.
    """
    freedom = np.maximum(numbers - 1, 0)
    alone = numbers < 2
    few = ~alone & ~paired & np.isin(freedom, list(WORTH)) & strict
    careful = few | (~rest & ~paired & (numbers < FEWEST_TO_STAND_ALONE))
    spread = np.divide(squares, freedom[:, None], out=np.zeros_like(squares), where=~alone[:, None])
    spread[alone] = spread[rest & ~alone].max(axis=0)
    shared = squares[~paired].sum(axis=0) / freedom[~paired].sum()
    takes_shared = careful[:, None] & (spread < shared)
    by_stratum = counts[:, None] * np.where(takes_shared, shared, spread)
    taken = np.where(takes_shared, by_stratum, 0.0)
    own = by_stratum - taken
    parts = [Part(own[one], float(freedom[one])) for one in np.flatnonzero(~alone & ~few)]
    for one in np.flatnonzero(few):
        parts += _few(own[one], taken[one], int(freedom[one]), of_rest=bool(rest[one]))
    close = (careful & (freedom == 1))[:, None] & (spread < (1 - ROUNDING) * shared)
    parts.append(Part(taken[~few].sum(axis=0), np.where(close[~few].any(axis=0), 1.0, freedom[~paired].sum())))
    parts.append(Part(by_stratum[alone].sum(axis=0), float(freedom[rest].sum())))
    return by_stratum, parts, bool(alone.any() or careful.any())


def _few(own: Floats, taken: Floats, freedom: int, *, of_rest: bool) -> list[Part]:
    """The parts of a group of two or three units: of its own variance, or of the one that is shared."""
    if freedom == 1:
        return [Part(own + taken, HALF if of_rest else 1.0, in_full=True)]
    return [Part(own, float(freedom), in_full=True), Part(taken, WORTH[freedom])]


def _between_groups(
    grouping: GroupedMeans, stratum: Ints, coefficients: Floats, averaging: Floats, together: _Families
) -> tuple[Floats, Floats, float]:
    """The variance of the gap between groups, the same less what persons put into it, and its degrees of freedom."""
    weights, unit_means = grouping.weights, grouping.unit_means
    if len(weights) < 2:
        return np.zeros(unit_means.shape[1]), np.zeros(unit_means.shape[1]), np.nan
    concentration = float(weights @ weights)
    stratum_by_group = np.einsum("su,ugk->sgk", averaging, grouping.means)
    gaps = np.einsum("s,sgk->gk", coefficients, stratum_by_group)
    between = concentration * (weights @ (gaps - weights @ gaps) ** 2) / (1 - concentration)
    if len(weights) < FEWEST_TO_SUBTRACT:
        return between, between, 1 / concentration - 1
    stratum_means = averaging @ unit_means
    expected = stratum_by_group - stratum_means[:, None, :]
    residuals = grouping.means - unit_means[:, None, :] - expected[stratum]
    squares = np.einsum("g,sgk->sk", weights**2 / (1 - weights), together.squares(residuals))
    # A stratum of one says nothing about how its persons react to groups, so nothing is taken off for it.
    sizes = np.bincount(stratum, minlength=len(coefficients))
    own = squares * (together.numbers / np.maximum(together.numbers - 1, 1) / sizes**2)[:, None]
    interaction = np.sum(coefficients[:, None] ** 2 * own, axis=0)
    return between, np.maximum(between - interaction, 0.0), 1 / concentration - 1


@dataclass(frozen=True)
class _Families:
    """Which units count as one, within each stratum."""

    of_unit: Ints
    stratum: Ints
    """The stratum of each family."""
    numbers: Ints
    """How many families each stratum has."""

    @classmethod
    def of(cls, stratum: Ints, sizes: Ints, family: Ints | None, rest: Bools | None = None) -> _Families:
        """Everybody on their own where no families are given, or where a stratum would be a single family.

        In a `rest`, a single family counts as a single unit does.
        """
        alone = np.arange(len(stratum))
        given = alone if family is None else family
        pairs, of_unit = pairs_numbered(stratum, given)
        numbers = np.bincount(pairs[0], minlength=len(sizes))
        lumped = (numbers < 2) & (sizes > 1) & (True if rest is None else ~rest)
        if lumped.any():
            return cls.of(stratum, sizes, np.where(lumped[stratum], alone + given.max() + 1, given), rest)
        return cls(of_unit, pairs[0], numbers)

    def squares(self, residuals: Floats) -> Floats:
        """The squared sums of families, added up by stratum."""
        sums = _summed(residuals, self._of_families)
        return _summed(sums**2, self._of_strata)

    @cached_property
    def _of_families(self) -> sparse.csc_array | None:
        return _adding(self.of_unit, len(self.stratum))

    @cached_property
    def _of_strata(self) -> sparse.csc_array | None:
        return _adding(self.stratum, len(self.numbers))


def _adding(group: Ints, groups: int) -> sparse.csc_array | None:
    """The operator that adds rows up by group; None where each row is a group of its own."""
    if groups == len(group) and np.array_equal(group, np.arange(groups)):
        return None
    # One entry a column: a full matrix of thousands of units would be all zeros, and take their square.
    ones, ends = np.ones(len(group)), np.arange(len(group) + 1)
    return sparse.csc_array((ones, group, ends), shape=(groups, len(group)))


def _summed(values: Floats, adding: sparse.csc_array | None) -> Floats:
    """Rows added up by group."""
    if adding is None:
        return values
    summed = np.asarray(adding @ values.reshape(len(values), int(np.prod(values.shape[1:]))))
    return summed.reshape(adding.shape[0], *values.shape[1:])


def _kinds_of_variance(sizes: Ints, pairs: Bools) -> tuple[Ints, bool]:
    """Which strata share a variance between persons: each its own, or all of a kind where some are small."""
    kinds = np.arange(len(sizes))
    pooled = False
    for kind in (True, False):
        of_kind = np.flatnonzero(pairs == kind)
        if len(of_kind) > 1 and _too_few(int(sizes[of_kind].min()), int(sizes[of_kind].max())):
            kinds[of_kind] = of_kind[0]
            pooled = True
    return kinds, pooled


def _too_few(fewest: int, most: int) -> bool:
    """Whether the smallest stratum says too little about how its units vary."""
    return fewest < FEWEST_FOR_OWN_VARIANCE or (fewest < FEWEST_TO_STAND_ALONE and most >= MANY * fewest)


def _averaging(stratum: Ints, sizes: Ints) -> Floats:
    """The matrix that turns units into stratum means."""
    return np.asarray((stratum[None, :] == np.arange(len(sizes))[:, None]) / sizes[:, None], dtype=np.float64)

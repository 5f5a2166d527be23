"""What each person's own name or word adds to the answers, and how much of that is more than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.asking import Scores
from evenhand.contrasts import EVERYBODY, Contrast, Grouping, Ints, general_contrasts
from evenhand.corpora import Corpus
from evenhand.repairs.variables import Variable
from evenhand.stats import ROUNDING
from evenhand.systems.base import Array

LEVEL = 0.01
"""The level at which persons count as different from others of their group. Those that learned systems tell apart are
far beyond it; a false alarm would move all of them."""


@dataclass(frozen=True)
class Own:
    """What persons add by themselves to one variable, and how much of that is more than chance."""

    variable: str
    far: Mapping[str, Array]
    """By person, how far they lie from the mean of the groups, on the scale on which corrections add up; for persons
    who correspond one to one, from the mean of their own pair."""
    share: Mapping[str, float]
    """By person, what of the differences between such persons of one group is more than chance, 0 to 1."""


def own_parts(scores: Scores, corpus: Corpus, variable: Variable, attributes: Sequence[str]) -> Own:
    """Each person's own part in a variable, for these attributes."""
    columns = scores.matrix[:, list(variable.places)]
    found = _People(variable.spread_out(columns), variable.read(columns))
    for attribute in attributes:
        found.look(general_contrasts(corpus, attribute, EVERYBODY))
    return found.own(variable.name, _centred_among(corpus, attributes))


class _People:
    """What is seen of persons, attribute by attribute."""

    def __init__(self, spread: Array, read: Array) -> None:
        self._spread, self._read = spread, read
        self._halves: dict[str, Array] = {}
        self._means: dict[str, Array] = {}
        self._share: dict[str, float] = {}
        self._left_out: set[str] = set()

    def look(self, made: Sequence[Contrast]) -> None:
        """See the units of all comparisons of an attribute."""
        shares = {is_of_pairs: _more_than_chance(made, self._read, pairs=is_of_pairs) for is_of_pairs in (True, False)}
        pairs_gaps: dict[str, list[Array]] = {}
        for one in made:
            means = one.unit_means(self._spread)
            is_pair = one.pairs[one.stratum]
            for unit, (first, second) in enumerate(one.members):
                # Nobody can be told from themselves: who stands on both sides is left to the groups.
                self._left_out |= set(first) & set(second)
                for persons, sign in ((first, 1.0), (second, -1.0)):
                    for person in persons:
                        self._note_share(person, shares[bool(is_pair[unit])])
                        if is_pair[unit]:
                            pairs_gaps.setdefault(person, []).append(sign * means[unit])
                        else:
                            # Names stand in the comparisons of several attributes, with the same mean each time.
                            self._means.setdefault(person, means[unit])
        for person, gaps in pairs_gaps.items():
            # The mean over the groups includes one's own, which lies nowhere from itself.
            self._halves[person] = self._halves.get(person, 0.0) + np.sum(gaps, axis=0) / (len(gaps) + 1)

    def own(self, variable: str, among: Mapping[str, tuple[object, object]]) -> Own:
        """How far persons lie from the mean of the groups; who stands in pairs and alone is left to the groups."""
        groups: dict[object, dict[object, list[Array]]] = {}
        for person, mean in self._means.items():
            comparable, group = among[person]
            groups.setdefault(comparable, {}).setdefault(group, []).append(mean)
        centre = {
            comparable: np.mean([np.mean(each, axis=0) for each in by_group.values()], axis=0)
            for comparable, by_group in groups.items()
        }
        far = self._halves | {person: mean - centre[among[person][0]] for person, mean in self._means.items()}
        left_out = self._left_out | (self._halves.keys() & self._means.keys())
        kept = {person: vector for person, vector in far.items() if person not in left_out}
        return Own(variable, kept, {person: self._share[person] for person in kept})

    def _note_share(self, person: str, share: float) -> None:
        self._share[person] = min(share, self._share.get(person, 1.0))


def _centred_among(corpus: Corpus, attributes: Sequence[str]) -> dict[str, tuple[object, object]]:
    """By person: with whom they can be compared, and which group they are of.

    Comparable are those who have the same of the attributes at all, and the same groups of attributes that are not to
    be repaired.
    """
    others = [attribute for attribute in corpus.attributes if attribute not in attributes]
    people = corpus.frame.select("person", *attributes, *others).unique("person", keep="first", maintain_order=True)
    found: dict[str, tuple[object, object]] = {}
    for person, *groups in people.iter_rows():
        asked, rest = tuple(groups[: len(attributes)]), tuple(groups[len(attributes) :])
        found[person] = (tuple(group is not None for group in asked), rest), asked
    return found


def _more_than_chance(made: Sequence[Contrast], read: Array, *, pairs: bool) -> float:
    """Which share of the variance between pairs, or between persons of one group, is theirs and not chance; none unless
    that is significant (F-test) or where it cannot be told."""
    seen = [found for one in made if (found := _variances(one, read, pairs=pairs)) is not None]
    if not seen:
        return 0.0
    between, chance = (float(np.mean([each[place] for each in seen])) for place in (0, 1))
    if between <= max(chance, (ROUNDING * float(np.abs(read).max())) ** 2):
        return 0.0
    if chance == 0:
        return 1.0
    # Comparisons of one attribute share their persons: they are no larger a sample than one of them.
    freedom, freedom_of_chance = (min(each[place] for each in seen) for place in (2, 3))
    p = float(special.fdtrc(freedom, freedom_of_chance, between / chance))
    return 1 - chance / between if p < LEVEL else 0.0


def _variances(made: Contrast, read: Array, *, pairs: bool) -> tuple[float, float, float, float] | None:
    """The variance between units within their strata, what of it is chance, and the degrees of freedom of both.

    Chance is by how much a unit's mean would vary with other templates and words, from how units react to those apart
    from their own means. Sums over the readings; None where there are no such units, or nothing to see chance by.
    """
    units = np.flatnonzero(made.pairs[made.stratum] == pairs)
    groupings = [grouping for grouping in made.sampled_groupings if len(grouping.weights) > 1]
    if not len(units) or not groupings:
        return None
    centred = _Centred(units, np.unique(made.stratum[units], return_inverse=True)[1])
    between = float((centred.of(made.unit_means(read)) ** 2).sum()) / centred.freedom
    parts = [_reactions(grouping, read, centred) for grouping in groupings]
    # What varies from sentence to sentence is in each part, and must be counted once.
    twice = (len(parts) - 1) * _reactions(made.by("source"), read, centred) if len(parts) > 1 else 0.0
    chance = max(*parts, sum(parts) - twice) if len(parts) > 1 else parts[0]
    freedoms = [centred.freedom * (1 / float(grouping.weights @ grouping.weights) - 1) for grouping in groupings]
    squared = sum(part**2 / freedom for part, freedom in zip(parts, freedoms, strict=True))
    return between, chance, centred.freedom, chance**2 / squared if squared else min(freedoms)


@dataclass(frozen=True, eq=False)
class _Centred:
    """Some units, each less the mean of its stratum."""

    units: Ints
    stratum: Ints

    @property
    def freedom(self) -> float:
        return float(len(self.units) - len(np.unique(self.stratum)))

    def of(self, values: Array) -> Array:
        own = values[self.units]
        sizes = np.bincount(self.stratum)
        sums = np.zeros((len(sizes), *own.shape[1:]))
        np.add.at(sums, self.stratum, own)
        centred: Array = own - (sums / sizes.reshape(-1, *[1] * (own.ndim - 1)))[self.stratum]
        return centred


def _reactions(grouping: Grouping, read: Array, centred: _Centred) -> float:
    """The variance of a unit's mean over the groups of a column, were those drawn anew."""
    weights = grouping.weights
    means = (grouping.operator @ read).reshape(-1, len(weights), read.shape[1])
    residuals = centred.of(means - np.einsum("ugk,g->uk", means, weights)[:, None, :])
    return float(np.einsum("g,ugk->", weights**2 / (1 - weights), residuals**2)) / centred.freedom

"""The comparisons that an attribute asks for: pairs of groups, each of many against the rest, crossings, interactions.

Up to three groups are compared in pairs. Of more, each is compared with the mean of all others, in which every group
counts the same: that is one question a group, and not one for each two of them. Pairs come on top where they are asked
for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.contrasts.build import build
from evenhand.contrasts.contrast import AVERAGE, Contrast
from evenhand.contrasts.kinds import EVERYBODY, PAIRED, joined
from evenhand.corpora import Corpus
from evenhand.corpora.coded import Codes, coded
from evenhand.corpora.once import once
from evenhand.errors import UsageError, did_you_mean
from evenhand.numbering import placed
from evenhand.settings import CROSS, crossed

MOST_IN_PAIRS = 3
"""Of more groups than this, each is compared with the rest."""
REST = "rest"
"""The second side where that is the mean of all other groups."""


def contrasts(corpus: Corpus, attribute: str, *, subset: str = "all", pairs: bool = False) -> list[Contrast]:
    """Every comparison that an attribute asks for: all pairs of up to three groups, or each of more against the rest
    (then, if asked for, their pairs too); for two crossed attributes of two groups each, pairs and their interaction.

    >>> from evenhand.corpora import load_corpus
    >>> made = contrasts(load_corpus("identity"), "race")
    >>> len(made), made[0].first, made[0].second, len(made[0].rest)
    (6, 'African American', 'rest', 5)
    """
    _, groups = groups_of(corpus, attribute)
    there = _present(corpus, attribute, subset)
    present = tuple(group for group in groups if group in there)
    if len(present) < 2:
        raise UsageError(
            f"{attribute} on the subset {subset!r}: needs two groups, has {present[0] if present else 'none'}"
        )
    two_by_two = _is_two_by_two(corpus, attribute) and len(present) == 4
    many = len(present) > MOST_IN_PAIRS and not two_by_two
    made = _each_against_rest(corpus, attribute, present, subset, needed=not pairs) if many else []
    if pairs or not many:
        made += [contrast(corpus, attribute, groups=pair, subset=subset) for pair in combinations(present, 2)]
    if two_by_two:
        made.append(interaction(corpus, *attribute.split(CROSS), subset=subset))
    return made


def on_demand(corpus: Corpus, one: Contrast) -> bool:
    """Whether a comparison is a pair of groups that the corpus compares with the rest, unless told otherwise."""
    if one.rest or one.interaction or _is_two_by_two(corpus, one.attribute):
        return False
    return len(_present(corpus, one.attribute, one.subset)) > MOST_IN_PAIRS


def _is_two_by_two(corpus: Corpus, attribute: str) -> bool:
    parts = attribute.split(CROSS)
    return len(parts) == 2 and all(len(corpus.attributes.get(part, ())) == 2 for part in parts)


def _each_against_rest(
    corpus: Corpus, attribute: str, groups: Sequence[str], subset: str, *, needed: bool
) -> list[Contrast]:
    """None where no two sources hold all groups, unless that is `needed`."""
    try:
        return [against_rest(corpus, attribute, group, subset=subset) for group in groups]
    except UsageError:
        if needed:
            raise
        return []


def comparisons_asked(corpus: Corpus) -> int:
    """How many comparisons the attributes of a corpus ask for; of a part of a corpus, those of the whole.

    >>> from evenhand.corpora import eec, load_corpus
    >>> [comparisons_asked(corpus) for corpus in (eec(), eec().narrowed(["race"]), load_corpus("identity"))]
    [2, 2, 51]
    """
    return sum(_asked_of(len(groups)) for groups in corpus.asks.values())


def _asked_of(groups: int) -> int:
    return groups if groups > MOST_IN_PAIRS else _pairs_of(groups)


def _pairs_of(groups: int) -> int:
    return groups * (groups - 1) // 2


def contrast(
    corpus: Corpus,
    attribute: str,
    *,
    groups: tuple[str, str] | None = None,
    subset: str = "all",
    among: str = EVERYBODY,
) -> Contrast:
    """Compare two groups of an attribute, the first two unless told, among everybody or one kind of persons.

    The contrasts of a corpus are made once, whoever asks.

    >>> from evenhand.corpora import eec
    >>> contrast(eec(), "gender").shape, contrast(eec(), "race").shape
    ((1584, 8640), (144, 8640))
    """
    labels, known = groups_of(corpus, attribute)
    first, second = groups or known[:2]
    for group in (first, second):
        if group not in known:
            raise UsageError(f"{attribute} has no group {group!r}{did_you_mean(group, known)}")

    def made() -> Contrast:
        group = np.select([labels == known.index(first), labels == known.index(second)], [0, 1], default=-1)
        group[~_asked(corpus, subset, among)] = -1
        return build(corpus, attribute, first, second, subset if among == EVERYBODY else among, group)

    return once(corpus, ("contrast", attribute, first, second, subset, among), made)


def against_rest(
    corpus: Corpus, attribute: str, group: str, *, subset: str = "all", among: str = EVERYBODY
) -> Contrast:
    """Compare a group with the mean of all others that these sentences are about, each counting the same."""
    labels, known = groups_of(corpus, attribute)
    if group not in known:
        raise UsageError(f"{attribute} has no group {group!r}{did_you_mean(group, known)}")

    def made() -> Contrast:
        asked = _asked(corpus, subset, among)
        there = np.bincount(labels[asked] + 1, minlength=len(known) + 1)[1:] > 0
        rest = tuple(other for other, one in zip(known, there, strict=True) if other != group and one)
        numbers = {name: number for number, name in enumerate((group, *rest))}
        # The last place is that of −1, sentences of no group.
        numbered = np.array([*(numbers.get(name, -1) for name in known), -1], dtype=np.int64)[labels]
        numbered[~asked] = -1
        return build(corpus, attribute, group, REST, subset if among == EVERYBODY else among, numbered, rest=rest)

    return once(corpus, ("against rest", attribute, group, subset, among), made)


def _asked(corpus: Corpus, subset: str, among: str) -> npt.NDArray[np.bool_]:
    """The sentences of a subset that are about everybody, or about one kind of persons."""
    asked = corpus.mask(subset).to_numpy().copy()
    if among != EVERYBODY:
        asked &= corpus.frame["pair"].is_not_null().to_numpy() == (among == PAIRED)
    return np.asarray(asked, dtype=np.bool_)


def general_contrast(
    corpus: Corpus, attribute: str, groups: tuple[str, str], among: str, *, rest: bool = False
) -> Contrast | str:
    """The contrast of two groups, or of the first against the rest, that speaks for persons in general, or why not."""
    try:
        made = (
            against_rest(corpus, attribute, groups[0], among=among)
            if rest
            else contrast(corpus, attribute, groups=groups, among=among)
        )
    except UsageError as error:
        return str(error)
    return made.not_general or made


def general_contrasts(corpus: Corpus, attribute: str, among: str) -> list[Contrast]:
    """All pairs of those groups that can all be compared with each other; none where there are not two."""
    groups = list(corpus.attributes[attribute])
    made = {pair: general_contrast(corpus, attribute, pair, among) for pair in combinations(groups, 2)}
    while failed := [pair for pair, one in made.items() if isinstance(one, str)]:
        # Who fails most often goes first: a group of a single person fails with everybody.
        worst = max(groups, key=lambda group: sum(group in pair for pair in failed))
        groups.remove(worst)
        made = {pair: one for pair, one in made.items() if worst not in pair}
    return [one for one in made.values() if isinstance(one, Contrast)]


def sides_asked(corpus: Corpus, attribute: str) -> list[tuple[str, str]]:
    """What an attribute of a corpus compares: pairs of up to three groups, or each of more with the rest.

    >>> from evenhand.corpora import eec, load_corpus
    >>> sides_asked(eec(), "gender"), sides_asked(load_corpus("identity"), "race")[0]
    ([('female', 'male')], ('African American', 'rest'))
    """
    groups = corpus.attributes[attribute]
    many = len(groups) > MOST_IN_PAIRS
    return [(group, REST) for group in groups] if many else list(combinations(groups, 2))


def general_comparisons(corpus: Corpus, attribute: str, among: str) -> list[Contrast]:
    """Those of the comparisons that an attribute asks for that speak for persons in general."""
    if len(corpus.attributes[attribute]) <= MOST_IN_PAIRS:
        return general_contrasts(corpus, attribute, among)
    made = (general_contrast(corpus, attribute, sides, among, rest=True) for sides in sides_asked(corpus, attribute))
    return [one for one in made if isinstance(one, Contrast)]


def interaction(corpus: Corpus, attribute: str, other: str, *, subset: str = "all") -> Contrast:
    """The gap in `attribute` among the first group of `other`, minus the same gap among the second."""
    within = corpus.attributes[other][:2]
    inside = [f"{other}={group}" if subset == "all" else f"{subset},{other}={group}" for group in within]

    def made() -> Contrast:
        one, two = (contrast(corpus, attribute, subset=part) for part in inside)
        shared = one.comparisons.join(two.comparisons, on="source", how="semi")["source"].unique(maintain_order=True)
        return replace(
            joined(one, two, (1.0, -1.0)),
            attribute=f"{attribute}{CROSS}{other}",
            first=f"{attribute} gap ({within[0]})",
            second=f"{attribute} gap ({within[1]})",
            subset=subset,
            matrix=sparse.csr_array(_average_rows(one, shared) - _average_rows(two, shared)),
            comparisons=pl.DataFrame({"source": shared, "label": [AVERAGE] * len(shared)}),
            n_sources=len(shared),
            interaction=True,
        )

    return once(corpus, ("interaction", attribute, other, subset), made)


def _average_rows(part: Contrast, sources: pl.Series) -> sparse.csr_array:
    """One row per source: the mean of that source's comparisons."""
    place = {source: number for number, source in enumerate(sources)}
    rows = np.array([place.get(source, -1) for source in part.comparisons["source"]], dtype=np.int64)
    kept = np.flatnonzero(rows >= 0)
    sizes = np.bincount(rows[kept], minlength=len(sources))
    mean = sparse.csr_array((1 / sizes[rows[kept]], (rows[kept], kept)), shape=(len(sources), len(rows)))
    return sparse.csr_array(mean @ part.matrix)


def groups_of(corpus: Corpus, attribute: str) -> tuple[Codes, tuple[str, ...]]:
    """The number of each sentence's group, −1 for none, and the groups; crossed attributes join their names."""
    return once(corpus, ("groups", attribute), lambda: _read_groups(corpus, attribute))


def _read_groups(corpus: Corpus, attribute: str) -> tuple[Codes, tuple[str, ...]]:
    parts = crossed(attribute)
    corpus.refuse_unknown(parts)
    number = np.zeros(len(corpus), dtype=np.int32)
    for part in parts:
        groups = corpus.attributes[part]
        column = coded(corpus, part)
        own = placed([*column.labels, None], groups)[column.numbers]
        number = np.where((number < 0) | (own < 0), -1, number * len(groups) + own).astype(np.int32)
    named = [" ".join(combination) for combination in product(*(corpus.attributes[part] for part in parts))]
    present = np.bincount(number + 1, minlength=len(named) + 1)[1:] > 0
    place = np.append(np.where(present, np.cumsum(present) - 1, -1), -1).astype(np.int32)
    return place[number], tuple(name for name, there in zip(named, present, strict=True) if there)


def _present(corpus: Corpus, attribute: str, subset: str) -> set[str]:
    labels, known = groups_of(corpus, attribute)
    return {known[number] for number in np.unique(labels[corpus.mask(subset).to_numpy()]) if number >= 0}

"""The comparisons that an attribute asks for: two groups, all pairs of groups, intersections and interactions."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.contrasts.build import CROSS, build
from evenhand.contrasts.contrast import AVERAGE, Contrast
from evenhand.contrasts.kinds import EVERYBODY, PAIRED, joined
from evenhand.corpora import Corpus
from evenhand.corpora.once import once
from evenhand.errors import UsageError, did_you_mean


def contrasts(corpus: Corpus, attribute: str, *, subset: str = "all") -> list[Contrast]:
    """Every comparison that an attribute asks for: all pairs of its groups and, for two crossed attributes of two
    groups each, their interaction."""
    _, groups = groups_of(corpus, attribute)
    present = _present(corpus, attribute, subset)
    pairs = [pair for pair in combinations(groups, 2) if set(pair) <= present]
    if not pairs:
        have = ", ".join(group for group in groups if group in present) or "none"
        raise UsageError(f"{attribute} on the subset {subset!r}: needs two groups, has {have}")
    made = [contrast(corpus, attribute, groups=pair, subset=subset) for pair in pairs]
    parts = attribute.split(CROSS)
    if len(parts) == 2 and all(len(corpus.attributes.get(part, ())) == 2 for part in parts) and len(pairs) == 6:
        made.append(interaction(corpus, parts[0], parts[1], subset=subset))
    return made


def comparisons_asked(corpus: Corpus) -> int:
    """How many comparisons the attributes of a corpus ask for; of a part of a corpus, those of the whole.

    >>> from evenhand.corpora import eec
    >>> comparisons_asked(eec()), comparisons_asked(eec().narrowed(["race"]))
    (2, 2)
    """
    return sum(len(groups) * (len(groups) - 1) // 2 for groups in corpus.asks.values())


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
        side = np.select([labels == first, labels == second], [1, -1], default=0)
        side[~corpus.mask(subset).to_numpy()] = 0
        if among != EVERYBODY:
            side[corpus.frame["pair"].is_not_null().to_numpy() != (among == PAIRED)] = 0
        return build(corpus, attribute, first, second, subset if among == EVERYBODY else among, side)

    return once(corpus, ("contrast", attribute, first, second, subset, among), made)


def general_contrast(corpus: Corpus, attribute: str, groups: tuple[str, str], among: str) -> Contrast | str:
    """The contrast of two groups that speaks for persons in general, or why there is none."""
    try:
        made = contrast(corpus, attribute, groups=groups, among=among)
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


def groups_of(corpus: Corpus, attribute: str) -> tuple[npt.NDArray[np.object_], tuple[str, ...]]:
    """Each sentence's group (None where it has none) and the groups in order; crossed attributes join their names."""
    return once(corpus, ("groups", attribute), lambda: _read_groups(corpus, attribute))


def _read_groups(corpus: Corpus, attribute: str) -> tuple[npt.NDArray[np.object_], tuple[str, ...]]:
    parts = attribute.split(CROSS)
    corpus.refuse_unknown(parts)
    if len(set(parts)) < len(parts):
        raise UsageError(f"{attribute!r} crosses an attribute with itself")
    labels = corpus.frame.select(pl.concat_str(parts, separator=" ")).to_series().to_numpy()
    present = set(labels)
    groups = [" ".join(combination) for combination in product(*(corpus.attributes[part] for part in parts))]
    return labels, tuple(group for group in groups if group in present)


def _present(corpus: Corpus, attribute: str, subset: str) -> set[str]:
    labels, _ = groups_of(corpus, attribute)
    return {label for label in labels[corpus.mask(subset).to_numpy()] if label is not None}

"""The comparisons that an attribute asks for: two groups, all pairs of groups, intersections and interactions."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from evenhand.contrasts.build import CROSS, build
from evenhand.contrasts.contrast import AVERAGE, Contrast, Floats, Ints
from evenhand.corpora import Corpus
from evenhand.errors import UsageError, did_you_mean


def contrasts(corpus: Corpus, attribute: str, *, subset: str = "all") -> list[Contrast]:
    """Every comparison that an attribute asks for: all pairs of its groups and, for two crossed attributes of two
    groups each, their interaction."""
    _, groups = _groups(corpus, attribute)
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


def contrast(corpus: Corpus, attribute: str, *, groups: tuple[str, str] | None = None, subset: str = "all") -> Contrast:
    """Compare two groups of an attribute, the first two unless told.

    >>> from evenhand.corpora import eec
    >>> contrast(eec(), "gender").shape, contrast(eec(), "race").shape
    ((1584, 8640), (144, 8640))
    """
    labels, known = _groups(corpus, attribute)
    first, second = groups or known[:2]
    for group in (first, second):
        if group not in known:
            raise UsageError(f"{attribute} has no group {group!r}{did_you_mean(group, known)}")
    side = np.select([labels == first, labels == second], [1, -1], default=0)
    side[~corpus.mask(subset).to_numpy()] = 0
    return build(corpus, attribute, first, second, subset, side)


def interaction(corpus: Corpus, attribute: str, other: str, *, subset: str = "all") -> Contrast:
    """The gap in `attribute` among the first group of `other`, minus the same gap among the second."""
    within = corpus.attributes[other][:2]
    inside = [f"{other}={group}" if subset == "all" else f"{subset},{other}={group}" for group in within]
    one, two = (contrast(corpus, attribute, subset=part) for part in inside)
    shared = one.comparisons.join(two.comparisons, on="source", how="semi")["source"].unique(maintain_order=True)
    average = _average_rows(one, shared) - _average_rows(two, shared)
    cells = one.cells.filter(pl.col("source").is_in(two.cells["source"].to_list()))
    unit, cell, sentence, value = (
        np.concatenate(part) for part in zip(*(_on(c, cells) for c in (one, two)), strict=True)
    )
    unit[-len(_on(two, cells)[0]) :] += len(one.units)
    return Contrast(
        attribute=f"{attribute}{CROSS}{other}",
        first=f"{attribute} gap ({within[0]})",
        second=f"{attribute} gap ({within[1]})",
        subset=subset,
        matrix=sparse.csr_array(average),
        comparisons=pl.DataFrame({"source": shared, "label": [AVERAGE] * len(shared)}),
        units=one.units + two.units,
        members=one.members + two.members,
        stratum=np.concatenate([one.stratum, two.stratum + len(one.coefficients)]),
        coefficients=np.concatenate([one.coefficients, -two.coefficients]),
        block=np.concatenate([one.block, np.where(two.block < 0, -1, two.block + one.block.max() + 1)]),
        cells=cells,
        entries=(unit, cell, sentence, value),
        groupings=one.groupings,
        n_sources=len(shared),
        left_out=tuple(dict.fromkeys(one.left_out + two.left_out)),
        called=one.called,
        interaction=True,
    )


def _average_rows(part: Contrast, sources: pl.Series) -> sparse.csr_array:
    """One row per source: the mean of that source's comparisons."""
    place = {source: number for number, source in enumerate(sources)}
    rows = np.array([place.get(source, -1) for source in part.comparisons["source"]], dtype=np.int64)
    kept = np.flatnonzero(rows >= 0)
    sizes = np.bincount(rows[kept], minlength=len(sources))
    mean = sparse.csr_array((1 / sizes[rows[kept]], (rows[kept], kept)), shape=(len(sources), len(rows)))
    return sparse.csr_array(mean @ part.matrix)


def _on(part: Contrast, cells: pl.DataFrame) -> tuple[Ints, Ints, Ints, Floats]:
    """A contrast's entries, their cells renumbered to those given."""
    place = {source: number for number, source in enumerate(cells["source"])}
    renumbered = np.array([place.get(source, -1) for source in part.cells["source"]], dtype=np.int64)
    unit, cell, sentence, value = part.entries
    kept = renumbered[cell] >= 0
    return unit[kept].copy(), renumbered[cell][kept], sentence[kept], value[kept]


def _groups(corpus: Corpus, attribute: str) -> tuple[npt.NDArray[np.object_], tuple[str, ...]]:
    """Each sentence's group (None where it has none) and the groups in order; crossed attributes join their names."""
    parts = attribute.split(CROSS)
    for part in parts:
        if part not in corpus.attributes:
            raise UsageError(f"corpus {corpus.name!r} has no attribute {part!r}{did_you_mean(part, corpus.attributes)}")
    if len(set(parts)) < len(parts):
        raise UsageError(f"{attribute!r} crosses an attribute with itself")
    labels = corpus.frame.select(pl.concat_str(parts, separator=" ")).to_series().to_numpy()
    present = set(labels)
    groups = [" ".join(combination) for combination in product(*(corpus.attributes[part] for part in parts))]
    return labels, tuple(group for group in groups if group in present)


def _present(corpus: Corpus, attribute: str, subset: str) -> set[str]:
    labels, _ = _groups(corpus, attribute)
    return {label for label in labels[corpus.mask(subset).to_numpy()] if label is not None}

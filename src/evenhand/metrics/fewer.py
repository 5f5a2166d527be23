"""Fewer rows and terms, where there are so many that every deal of all of them would be too much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.metrics.predictions import BETWEEN, Predictions, term_of_group
from evenhand.numbering import UNKNOWN, numbered
from evenhand.stats.types import Ints

MOST_TERMS = 2_000
"""Up to so many terms are dealt one by one; more of them in bundles, each within a group."""
BUNDLES = 500
"""About so many."""
MOST_ONE_BY_ONE = 5_000
"""How many rows are looked at where every deal is measured by itself."""
FEWEST_SOURCES = 50
MOST_CELLS = 4_000_000
"""How many sources times terms a part may have."""


def bundled(by_term: Predictions, *, most: int, seed: int) -> Predictions:
    """Terms (each a group of its own) in about `most` bundles of the same size, which terms at random make up.

    Where groups mean nothing, bundles may trade places as terms may, so that deals of them are as fair.
    """
    group = numbered(name.split(BETWEEN, 1)[0] for name in by_term.groups)
    sizes = np.bincount(group)
    each = -(-len(group) // most)
    bundles = np.clip(sizes // each, np.minimum(sizes, 2), None)
    rng = np.random.default_rng([seed, len(group)])
    bundle = np.empty(len(group), dtype=np.int64)
    for code, number in enumerate(bundles.tolist()):
        bundle[rng.permutation(np.flatnonzero(group == code))] = np.arange(sizes[code]) % number
    width = len(str(int(bundles.max())))
    groups = [name.split(BETWEEN, 1)[0] for name in by_term.groups]
    names = [term_of_group(of, f"bundle {code:0{width}d}") for of, code in zip(groups, bundle.tolist(), strict=True)]
    unit = numbered(names)
    return replace(by_term, groups=tuple(dict.fromkeys(names)), group=np.append(unit, UNKNOWN)[by_term.group])


def some_rows(predictions: Predictions, most: int, *, seed: int) -> Predictions:
    """Sources at random with about so many rows together; of few large ones, the rows of some of their terms."""
    rng = np.random.default_rng([seed, most])
    sources = len(predictions.sources)
    order = rng.permutation(sources)
    rows = np.cumsum(np.bincount(predictions.source, minlength=sources)[order])
    number = int(np.searchsorted(rows, most, side="right"))
    terms = np.minimum(MOST_TERMS, rows)
    number = min(number, int(np.searchsorted(terms * np.arange(1, sources + 1), MOST_CELLS, side="right")))
    chosen = np.zeros(sources, dtype=np.bool_)
    chosen[order[: max(number, min(FEWEST_SOURCES, sources))]] = True
    kept = predictions.select(chosen[predictions.source])
    return kept if len(kept) <= 2 * most else _of_some_terms(kept, most, rng)


def _of_some_terms(predictions: Predictions, most: int, rng: np.random.Generator) -> Predictions:
    """The same share of the terms of each group, two at least, and all unperturbed sentences."""
    by_term = predictions.by_term()
    group = numbered(name.split(BETWEEN, 1)[0] for name in by_term.groups)
    chosen = np.zeros(len(group) + 1, dtype=np.bool_)
    chosen[UNKNOWN] = True
    for code in range(int(group.max()) + 1):
        terms: Ints = rng.permutation(np.flatnonzero(group == code))
        chosen[terms[: max(2, round(len(terms) * most / len(predictions)))]] = True
    return predictions.select(chosen[by_term.group])

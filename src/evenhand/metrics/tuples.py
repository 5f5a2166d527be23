"""Tuples of terms, one per group: all of them where they are few, a sample with a known error where they are many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from evenhand.metrics.cells import Cells
from evenhand.stats.types import Floats, Ints

MOST_ENUMERATED = 4096
"""Products up to this size are enumerated, source by source."""
DRAWS = 32_768
"""How many tuples are drawn for all sources together where they are too many to enumerate."""
FEWEST_DRAWS = 128
"""How many are drawn for a source at least."""
AT_ONCE = 1 << 20
"""How many numbers are held at a time."""

Among = Callable[[Floats], Floats]


def products(cells: Cells, columns: Ints) -> Floats:
    """How many tuples each source has; 0 where it lacks a column."""
    return np.asarray(cells.sizes[:, columns].astype(np.float64).prod(axis=1), dtype=np.float64)


def expected(cells: Cells, columns: Ints, among: Among, *, seed: int) -> tuple[Floats, Floats]:
    """What `among` gives on average over all tuples of each source, and the standard error of that (0: exact).

    Up to 4,096 tuples are enumerated. Of more, a sample is drawn, and what is known exactly about the product serves to
    correct it: the mean variance and the mean range of its tuples are known in closed form, so the part of the sample's
    deviation that goes with those two is taken out (control variates). The standard error is that of what remains.
    """
    number = products(cells, columns)
    few, many = (number > 0) & (number <= MOST_ENUMERATED), np.flatnonzero(number > MOST_ENUMERATED)
    means, errors = enumerated_mean(cells, columns, among, sources=np.flatnonzero(few)), np.zeros(len(number))
    if len(many):
        means[many], errors[many] = _estimated(cells, many, columns, among, seed=seed)
    return means, errors


def enumerated_mean(cells: Cells, columns: Ints, among: Among, *, sources: Ints | None = None) -> Floats:
    """The mean of `among` over all tuples of each source, one by one; 0 for sources that lack a column."""
    number = products(cells, columns)
    means = np.zeros(len(number))
    for source, numbers in _enumerated(cells, np.flatnonzero(number) if sources is None else sources, columns):
        means += np.bincount(source, weights=among(numbers), minlength=len(means)) / np.maximum(number, 1)
    return means


def sampled(cells: Cells, columns: Ints, *, size: int, seed: int) -> tuple[Ints, Floats]:
    """At most `size` tuples of each source, without replacement: their sources and (tuples, columns) numbers."""
    rng = np.random.default_rng(seed)
    number = products(cells, columns)
    chosen = [
        chosen_places(cells.sizes[source, columns], size, rng) if number[source] > size else None
        for source in range(len(number))
    ]
    few = np.flatnonzero((number > 0) & (number <= size))
    parts = list(_enumerated(cells, few, columns))
    for source, digits in enumerate(chosen):
        if digits is not None:
            places = cells.first[source, columns] + digits
            parts.append((np.full(len(digits), source), cells.numbers[places]))
    if not parts:
        return np.empty(0, dtype=np.int64), np.empty((0, len(columns)))
    return np.concatenate([source for source, _ in parts]), np.concatenate([numbers for _, numbers in parts])


def chosen_places(sizes: Ints, size: int, rng: np.random.Generator) -> Ints:
    """`size` different tuples, as the place of each term within its column."""
    if math.prod(sizes.tolist()) < 2**62:
        flat = rng.choice(math.prod(sizes.tolist()), size=size, replace=False)
        return np.stack(np.unravel_index(flat, sizes.tolist()), axis=1)
    digits = rng.integers(sizes, size=(size, len(sizes)))  # so many that the same one twice is out of the question
    return np.asarray(digits, dtype=np.int64)


def _enumerated(cells: Cells, sources: Ints, columns: Ints) -> Iterator[tuple[Ints, Floats]]:
    """All tuples of these sources, some at a time: their sources and (tuples, columns) numbers."""
    number = cells.sizes[sources][:, columns].prod(axis=1)
    for part in _parts(number * len(columns)):
        here = sources[part]
        of = np.repeat(np.arange(len(here)), number[part])
        rank = np.arange(len(of)) - np.repeat(np.cumsum(number[part]) - number[part], number[part])
        places = np.empty((len(of), len(columns)), dtype=np.int64)
        for position in range(len(columns) - 1, -1, -1):
            width = cells.sizes[here, columns[position]][of]
            places[:, position] = cells.first[here, columns[position]][of] + rank % width
            rank //= width
        yield here[of], cells.numbers[places]


def _parts(amounts: Ints) -> Iterator[slice]:
    """Cut a list into pieces whose amounts add up to no more than what is held at a time (one entry at least)."""
    start, held = 0, 0
    for place, amount in enumerate(amounts.tolist()):
        if place > start and held + amount > AT_ONCE:
            yield slice(start, place)
            start, held = place, 0
        held += amount
    if len(amounts):
        yield slice(start, len(amounts))


def _estimated(cells: Cells, sources: Ints, columns: Ints, among: Among, *, seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    draws = max(FEWEST_DRAWS, DRAWS // len(sources))
    means, errors = np.empty(len(sources)), np.empty(len(sources))
    known = np.stack([_mean_variance(cells, columns), cells.spread(columns)], axis=1)
    for part in _parts(np.full(len(sources), draws * len(columns))):
        here = sources[part]
        sizes = cells.sizes[here][:, None, columns]
        digits = (rng.random((len(here), draws, len(columns))) * sizes).astype(np.int64)
        numbers = cells.numbers[cells.first[here][:, None, columns] + digits]
        controls = np.stack([numbers.var(axis=2), np.ptp(numbers, axis=2)], axis=2)
        means[part], errors[part] = _corrected(among(numbers), controls, known[here])
    return means, errors


def _corrected(drawn: Floats, controls: Floats, known: Floats) -> tuple[Floats, Floats]:
    """Means of (sources, draws), less what the controls (sources, draws, 2) explain of their being off."""
    draws = drawn.shape[1]
    off = controls - controls.mean(axis=1, keepdims=True)
    centred = drawn - drawn.mean(axis=1, keepdims=True)
    between = np.einsum("sdi,sdj->sij", off, off)
    with_drawn = np.einsum("sdi,sd->si", off, centred)
    slopes = np.einsum("sij,sj->si", np.linalg.pinv(between, rcond=1e-10, hermitian=True), with_drawn)
    left = centred - np.einsum("sdi,si->sd", off, slopes)
    errors = np.sqrt((left**2).sum(axis=1) / (draws - 3) / draws)
    return drawn.mean(axis=1) - np.einsum("si,si->s", controls.mean(axis=1) - known, slopes), errors


def _mean_variance(cells: Cells, columns: Ints) -> Floats:
    """E[variance of a tuple] per source: the spread of the columns' means, and most of that within columns."""
    means, within = cells.means()[:, columns], cells.variances()[:, columns]
    number = len(columns)
    return np.asarray(means.var(axis=1) + within.mean(axis=1) * (number - 1) / number, dtype=np.float64)

"""Intervals: Wilson's for a share, and the bootstrap over clusters as weights, for all resamples at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import special

from evenhand.stats.types import Floats, Ints

AT_ONCE = 1 << 21
"""How many weights are held at a time."""
SHARE_DEFINED = 0.95
"""An interval is given where at least this share of the resamples has a value."""


def wilson(share: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share of n independent cases; it has a width even where the share is 0 or 1.

    >>> low, high = wilson(0.0, 10)
    >>> low, round(high, 4)
    (0.0, 0.2775)
    """
    if n < 1:
        raise ValueError("a share of nothing has no interval")
    z = float(special.ndtri((1 + level) / 2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    margin = z * float(np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))) / (1 + z**2 / n)
    return (0.0 if share == 0 else max(0.0, centre - margin)), (1.0 if share == 1 else min(1.0, centre + margin))


def cluster_draws(cluster: Ints, *, stratum: Ints | None = None, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each row is drawn in each resample: arrays (some resamples, rows) until there are enough.

    Rows of one cluster (codes from 0) come and go together. With `stratum` (a code per row), clusters are drawn within
    their stratum, so that each keeps its number of clusters; a cluster must then lie in one stratum.
    """
    rng = np.random.default_rng(seed)
    clusters = int(cluster.max()) + 1
    of_cluster = np.zeros(clusters, dtype=np.int64)
    if stratum is not None:
        of_cluster[cluster] = stratum
    at_once = max(1, AT_ONCE // len(cluster))
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        drawn = np.zeros((size, clusters))
        for code in np.unique(of_cluster):
            members = np.flatnonzero(of_cluster == code)
            drawn[:, members] = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), size=size)
        yield drawn[:, cluster]


def percentile_interval(values: Floats, *, level: float = 0.95) -> tuple[float, float] | None:
    """The middle part of the resamples; None where too many of them have no value.

    >>> percentile_interval(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    defined = values[~np.isnan(values)]
    if not len(defined) or len(defined) < SHARE_DEFINED * len(values):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)

"""Intervals: Wilson's for a share; from resamples of clusters, for values and for sizes, which noise only enlarges."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import special

from evenhand.stats.types import Floats, Ints

AT_ONCE = 1 << 21
"""How many weights are held at a time."""
MOST_RESAMPLED = 4_000
"""Up to so many clusters are resampled one by one; more of them in so many lots, which say as much about the spread."""
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


def lots(clusters: int, *, seed: int, most: int = MOST_RESAMPLED) -> Ints | None:
    """The lot of each cluster: as many of them in each, at random; None where each is a lot of its own.

    Lots are to clusters what clusters are to rows. Resamples of 4,000 lots give the spread of a mean within a few per
    cent of what resamples of all clusters would, however many these are.

    >>> lots(4_000, seed=0) is None, np.bincount(lots(12_001, seed=0)).max().item()
    (True, 4)
    """
    if clusters <= most:
        return None
    order = np.random.default_rng([seed, clusters]).permutation(clusters)
    return np.asarray(order % most, dtype=np.int64)


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


def tail(level: float, clusters: int) -> float:
    """How much of the resamples to cut off at each end: less than (1 − level) / 2, as few clusters vary too little.

    Resamples of n clusters spread √((n − 1) / n) as much as they should, and t distributions reach further than normal.

    >>> round(tail(0.95, 12), 4), round(tail(0.95, 1000), 4)
    (0.0108, 0.0248)
    """
    return float(special.ndtr(-margin(level, clusters)))


def margin(level: float, clusters: int) -> float:
    """How many standard deviations of the resamples an interval reaches to each side."""
    return float(np.sqrt(clusters / (clusters - 1)) * special.stdtrit(clusters - 1, (1 + level) / 2))


def resampled_interval(
    values: Floats, *, level: float, clusters: int, estimate: float = 0.0, step: float = 0.0, ideal: float = 0.0
) -> tuple[float, float] | None:
    """The percentile interval of values that `clusters` resampled clusters gave, widened where these are few.

    Shares move in steps. Where hardly any row goes its own way, resamples of the few that do say too little, so the
    interval has room for one row more (`step`) beside what resamples show, as Wilson's has for a share. If no resample
    differs from the estimate, there is such room only around what is `ideal`: elsewhere, it is left without width.

    >>> [round(end, 4) for end in resampled_interval(np.zeros(500), level=0.95, clusters=1000, step=0.01)]
    [-0.0196, 0.0196]
    """
    ends = percentile_interval(values, level=1 - 2 * tail(level, clusters))
    if ends is None or step == 0 or ends[0] == ends[1] != ideal:
        return ends
    reach = margin(level, clusters)
    # Percentiles of steps fall on a step, so they may end short of what the spread of the resamples says.
    least = reach * float(np.nanstd(values))
    low, high = (float(np.hypot(max(out, least), reach * step)) for out in (estimate - ends[0], ends[1] - estimate))
    return estimate - low, estimate + high


def size_interval(
    estimate: float, values: Floats, moved: Floats, *, level: float, clusters: int
) -> tuple[float, float] | None:
    """The interval of a size |x| that is estimated by |x + noise|, which is too large on average.

    `values` are the sizes in resamples; `moved` are the sizes of what resampling changed, |x* − x|. An estimate exceeds
    the truth by no more than the size of its noise (triangle inequality), so the lower end is the estimate less what
    `moved` hardly ever exceeds, and 0 at least: it is 0 where noise alone could be so large. It falls short of the
    truth as an unbiased number would, or less, so the upper end is as many standard deviations above it.

    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(0, 1, 2000)
    >>> [round(end, 1) for end in size_interval(0.5, np.abs(0.5 + noise), np.abs(noise), level=0.95, clusters=100)]
    [0.0, 1.8]
    """
    ends = percentile_interval(moved, level=1 - 2 * tail(level, clusters))
    defined = values[~np.isnan(values)]
    if ends is None or len(defined) < SHARE_DEFINED * len(values):
        return None
    return max(0.0, estimate - ends[1]), estimate + margin(level, clusters) * float(defined.std())


def size_difference_interval(
    difference: float, values: tuple[Floats, Floats], moved: tuple[Floats, Floats], *, level: float, clusters: int
) -> tuple[float, float] | None:
    """The interval of the second size less the first, both estimated with noise, as in `size_interval`.

    The difference is too large by what noise adds to the second and what the first falls short by, and too small the
    other way round; both are taken from the same resamples.
    """
    cut = tail(level, clusters)
    short = [own - np.nanmean(own) for own in values]
    ends = [
        percentile_interval(added - missing, level=1 - 2 * cut)
        for added, missing in ((moved[1], short[0]), (moved[0], short[1]))
    ]
    if ends[0] is None or ends[1] is None:
        return None
    return difference - ends[0][1], difference + ends[1][1]

"""Comparison functions d: two scores, two sets or all groups' scores in, one number out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from evenhand.metrics import dealt_sets, grids
from evenhand.metrics.cells import Cells
from evenhand.metrics.grids import Grid, Held
from evenhand.metrics.orders import Order, Part, Weighing
from evenhand.metrics.shares import share
from evenhand.stats.types import Floats, Ints


@dataclass(frozen=True)
class Between:
    """Compares two numbers: a group's score, and that of its background or of the second group."""

    name: str
    of: Callable[[Floats, Floats], Floats]
    """Element by element; NaN where it is undefined."""
    signed: bool = False
    """Whether swapping the two changes the result."""
    undefined: str = "what it is compared with is undefined"
    """Why the result is NaN although both scores are numbers."""
    expected_pairs: Callable[[Cells], Floats] | None = None
    """A fast way to the mean over all pairs of terms, for every source and two groups; None: they are enumerated."""
    seminorm: bool = False
    """Whether it is a size: never negative, and no larger for a sum than for its parts together. Noise only adds."""


@dataclass(frozen=True)
class OfSets:
    """Compares two sets of numbers: a group's, and its background's or the second group's."""

    name: str
    of: Callable[[Floats, Floats], float]
    signed: bool = False
    weighted: Callable[[Weighing, Part, Part], Floats] | None = None
    """A fast way for many weightings of ordered numbers at once; None: one by one."""
    expected_pairs: Callable[[Cells], Floats] | None = None
    """A fast way for every source and two groups; None: one by one."""
    dealt: Callable[[Order, Ints, Floats, dealt_sets.Held, dealt_sets.Held], Floats] | None = None
    """A fast way for many deals of terms to groups, over all rows; None: one by one."""
    dealt_wins: bool = False
    """Whether it is ½ less the share of pairs that the background wins, so that deals need wins by term alone."""
    dealt_in_sources: Callable[[Cells, Floats, Ints, Ints], Floats] | None = None
    """The same within each source."""
    on_grid: Callable[[Grid, Held, Held], Floats] | None = None
    """`weighted` and `dealt` for so many rows that the order of each would be too much; None: there is no such way."""
    moved: Callable[[Weighing, Part, Part], Floats] | None = None
    """For sizes (see `Between.seminorm`): how far resampling moved the two sets apart from where they were."""
    moved_on_grid: Callable[[Grid, Held, Held, tuple[Held, Held]], Floats] | None = None


@dataclass(frozen=True)
class Among:
    """Compares the scores of all groups, along the last axis."""

    name: str
    of: Callable[[Floats], Floats]
    signed: bool = False
    part: Between | None = None
    """How a group's own part is found, as its mean comparison with each of the others; None: its score is shown."""
    expected_tuples: Callable[[Cells, Ints], Floats] | None = None
    """A fast way to the mean over all tuples of terms, for every source; None: enumerated, or sampled if too many."""
    dealt_in_sources: Callable[[Cells, Floats, Ints], Floats] | None = None
    """A fast way for many deals of terms to groups, within each source; None: one by one."""
    seminorm: bool = False
    """See `Between.seminorm`."""


Comparison = Between | OfSets | Among


def _equality_gap(group: Floats, background: Floats) -> float:
    above = stats.mannwhitneyu(background, group, method="asymptotic").statistic
    return float(0.5 - above / (len(group) * len(background)))


ABSOLUTE = Between("absolute difference", lambda x, y: np.abs(x - y), expected_pairs=Cells.absolute, seminorm=True)
DIFFERENCE = Between("difference", lambda x, y: x - y, signed=True, expected_pairs=Cells.difference)
RATIO = Between("ratio", share, signed=True, undefined="the score it is divided by is 0")
DISAGREEMENT = Between("whether they differ", lambda x, y: (x != y).astype(np.float64), expected_pairs=Cells.different)
WASSERSTEIN = OfSets(
    "Wasserstein-1 distance",
    lambda x, y: float(stats.wasserstein_distance(x, y)),
    weighted=Weighing.wasserstein,
    expected_pairs=Cells.wasserstein,
    dealt=dealt_sets.wasserstein,
    dealt_in_sources=dealt_sets.wasserstein_in_sources,
    on_grid=grids.wasserstein,
    moved=Weighing.wasserstein_moved,
    moved_on_grid=grids.wasserstein_moved,
)
EQUALITY_GAP = OfSets(
    "½ − share of pairs in which the background is higher, ties half",
    _equality_gap,
    signed=True,
    weighted=Weighing.equality_gap,
    dealt=dealt_sets.equality_gap,
    dealt_wins=True,
    on_grid=grids.equality_gap,
)
SPREAD = Among(
    "largest − smallest",
    lambda x: np.ptp(x, axis=-1),
    expected_tuples=Cells.spread,
    dealt_in_sources=dealt_sets.spread_in_sources,
    seminorm=True,
)
DEVIATION = Among(
    "standard deviation (ddof 0)",
    lambda x: x.std(axis=-1),
    dealt_in_sources=dealt_sets.deviation_in_sources,
    seminorm=True,
)
ANY_DISAGREEMENT = Among(
    "whether any two differ",
    lambda x: (x != x[..., :1]).any(axis=-1).astype(np.float64),
    part=DISAGREEMENT,
    expected_tuples=Cells.not_all_equal,
    dealt_in_sources=dealt_sets.not_all_equal_in_sources,
)

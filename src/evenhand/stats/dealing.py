"""Labels dealt to places: in how many ways, and what is put down to chance where there are few."""

from __future__ import annotations

import math
from collections.abc import Sequence

FEW_WAYS = 0.05
"""Groups in which everybody is treated alike differ by chance if more than this share of swapped labels do."""


def ways(sizes: Sequence[int]) -> int:
    """In how many ways labels can be dealt, of each of which there are so many.

    >>> ways([2, 2, 3]), ways([4])
    (210, 1)
    """
    return math.factorial(sum(sizes)) // math.prod(math.factorial(size) for size in sizes)

"""Labels dealt to places: in how many ways."""

from __future__ import annotations

import math
from collections.abc import Sequence


def ways(sizes: Sequence[int]) -> int:
    """In how many ways labels can be dealt, of each of which there are so many.

    >>> ways([2, 2, 3]), ways([4])
    (210, 1)
    """
    return math.factorial(sum(sizes)) // math.prod(math.factorial(size) for size in sizes)

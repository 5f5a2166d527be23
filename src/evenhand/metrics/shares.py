"""Division that says where there is nothing to divide by."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.stats.types import Floats

Numbers = npt.NDArray[np.floating[Any] | np.integer[Any] | np.bool_]


def share(part: Numbers, whole: Numbers) -> Floats:
    """A part of a whole; NaN where that is zero.

    >>> share(np.array([1, 0]), np.array([4, 0])).tolist()
    [0.25, nan]
    """
    empty = np.full(np.broadcast(part, whole).shape, np.nan)
    return np.asarray(np.divide(part, whole, out=empty, where=whole != 0), dtype=np.float64)

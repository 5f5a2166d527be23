"""Labels as whole numbers, for arrays that are indexed by them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import numpy.typing as npt

UNKNOWN = -1
"""The number of a label that is not known."""

Ints = npt.NDArray[np.int64]


def numbered(labels: Iterable[Hashable]) -> Ints:
    """The same number for the same label, in order of appearance; None is a label too.

    >>> numbered(["b", "a", "b", None]).tolist()
    [0, 1, 0, 2]
    """
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(label, len(places)) for label in labels], dtype=np.int64)


def placed(labels: Iterable[Hashable], known: Iterable[Hashable]) -> Ints:
    """The place of each label among those that are known, each of which stands there once; −1 for others.

    >>> placed(["b", "a", None], ["a", "b"]).tolist()
    [1, 0, -1]
    """
    places = {label: place for place, label in enumerate(known)}
    return np.array([places.get(label, UNKNOWN) for label in labels], dtype=np.int64)

"""There and back: which persons and sources to leave out, so that nothing broken is left and the design is whole."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def leave_out(broken: Flags, unit: Ints, source: Ints) -> tuple[list[int], list[int]]:
    """The units and the sources to leave out, greedily: the one with the largest share of broken sentences first.

    A person whom a translator cannot bring home is broken in every source, a template that falls apart is so for
    everybody; what is broken in one place only costs the smaller of the two. Ties go to whoever has more broken
    sentences, then to units, then to the first.

    >>> broken = np.array([True, False, True, False, False, False])  # she, he in three sources; she is lost in two
    >>> leave_out(broken, np.array([0, 1, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2]))
    ([0], [])
    """
    there = np.ones(len(broken), dtype=bool)
    left: tuple[list[int], list[int]] = ([], [])
    while (broken & there).any():
        shares = [_worst(broken, there, codes) for codes in (unit, source)]
        side = 0 if shares[0][:2] >= shares[1][:2] else 1
        number = shares[side][2]
        left[side].append(number)
        there &= (unit, source)[side] != number
    return sorted(left[0]), sorted(left[1])


def _worst(broken: Flags, there: Flags, codes: Ints) -> tuple[float, int, int]:
    """The largest share of broken sentences, how many they are, and whose."""
    size = int(codes.max()) + 1
    all_, bad = np.bincount(codes[there], minlength=size), np.bincount(codes[there & broken], minlength=size)
    share = np.divide(bad, all_, out=np.zeros(size), where=all_ > 0)
    number = int(np.lexsort((-np.arange(size), bad, share))[-1])
    return float(share[number]), int(bad[number]), number

"""Arrays that the statistics pass around."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

ROUNDING = 1e-12
"""Differences below this share of an output's range are rounding, not a finding."""

Result = TypeVar("Result")


def side_by_side(parts: Sequence[Result]) -> Result:
    """Results of the same test on blocks of columns as one: arrays are joined along their columns."""
    first: Any = parts[0]
    if len(parts) == 1:
        return parts[0]
    joined = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts], axis=-1)
        if isinstance(getattr(first, field.name), np.ndarray)
        else getattr(first, field.name)
        for field in fields(first)
    }
    made: Result = type(first)(**joined)
    return made

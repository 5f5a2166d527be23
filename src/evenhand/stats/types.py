"""Arrays that the statistics pass around."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

ROUNDING = 1e-12
"""Differences below this share of an output's range are rounding, not a finding."""

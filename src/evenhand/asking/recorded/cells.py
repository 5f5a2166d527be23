"""Predictions that others recorded: cells become numbers, or an error that names the line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.asking.answers import TOLERANCE
from evenhand.asking.recorded.mapping import Place
from evenhand.files.tables import TableFile
from evenhand.systems.base import Array


def numbers(file: TableFile, place: Place, rows: Sequence[int], worth: Mapping[str, float] | None) -> Array:
    """The predictions of one output in these rows: finite, and within its range."""
    output = place.output
    low = -np.inf if output.low is None else output.low
    high = np.inf if output.high is None else output.high
    found = file.column(place.column).numbers(
        rows=rows,
        low=low,
        high=high,
        margin=TOLERANCE * output.span,
        worth=worth,
        if_meant="; if that is right, give its bounds (--range), or low and high of this output in a system file",
    )
    return np.clip(found, low, high)

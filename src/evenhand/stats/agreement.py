"""How far several annotators agree: the share of equal pairs, and Krippendorff's alpha."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from evenhand.errors import MissingExtra
from evenhand.stats.types import Floats

Level = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree about the units that at least two of them labelled.

    `percent` is the share of equal pairs: of all pairs of labels that two annotators gave to one unit, in %; ideal 100.
    `unanimous` is the share of units whose labels are all equal, in %. `alpha` is Krippendorff's alpha: 1 for full
    agreement, 0 for what labels dealt out by chance would give, below 0 for less. `pairs` has the percentage of each
    two annotators. What has no value is None; `undefined` says why.
    """

    annotators: int
    units: int
    percent: float | None
    unanimous: float | None
    pairs: dict[tuple[int, int], float | None]
    alpha: float | None
    level: Level
    undefined: str | None


def agreement(labels: Floats, *, level: Level = "ordinal") -> Agreement:
    """The agreement of annotators (rows) about units (columns); NaN where an annotator gave no label.

    The level says what counts as a larger disagreement: none (nominal), more labels in between (ordinal), a larger
    difference (interval). Alpha comes from the package `krippendorff` (Krippendorff 2004, chapter 11; Hayes and
    Krippendorff 2007).

    >>> found = agreement(np.array([[1.0, 0, -1, 0], [1, 0, -1, np.nan], [1, 1, -1, 0]]))
    >>> found.units, round(found.percent, 1), found.unanimous, round(found.alpha, 3)
    (4, 80.0, 75.0, 0.852)
    """
    paired = labels[:, (~np.isnan(labels)).sum(axis=0) >= 2]
    pairs = {
        (first, second): _percent(*_equal(labels[first], labels[second]))
        for first, second in combinations(range(len(labels)), 2)
    }
    alpha, undefined = _alpha(paired, level)
    counts = [_equal(labels[first], labels[second]) for first, second in pairs]
    equal, both = (sum(numbers) for numbers in zip(*counts, strict=True)) if counts else (0, 0)
    unanimous = int((np.nanmax(paired, axis=0) == np.nanmin(paired, axis=0)).sum()) if paired.size else 0
    return Agreement(
        annotators=len(labels),
        units=paired.shape[1],
        percent=_percent(equal, both),
        unanimous=_percent(unanimous, paired.shape[1]),
        pairs=pairs,
        alpha=alpha,
        level=level,
        undefined=undefined,
    )


def _equal(first: Floats, second: Floats) -> tuple[int, int]:
    """On how many units two annotators agree, and how many both labelled."""
    both = ~np.isnan(first) & ~np.isnan(second)
    return int((first[both] == second[both]).sum()), int(both.sum())


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _alpha(paired: Floats, level: Level) -> tuple[float | None, str | None]:
    if not paired.shape[1]:
        return None, "no unit was labelled by two annotators"
    if np.nanmin(paired) == np.nanmax(paired):
        return (
            None,
            f"all labels are {np.nanmin(paired):g}: without variation, agreement and chance cannot be told apart",
        )
    try:
        import krippendorff
    except ModuleNotFoundError as error:
        raise MissingExtra("Krippendorff's alpha", "human") from error
    return float(krippendorff.alpha(reliability_data=paired, level_of_measurement=level)), None

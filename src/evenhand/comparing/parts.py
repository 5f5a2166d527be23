"""Whether the gap differs by part: each emotion (or other kind of sentence) against the rest, for people like these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.comparing.family import Adjustment
from evenhand.comparing.findings import PartGap
from evenhand.comparing.general import gap_over_cells, general_p
from evenhand.comparing.tested import Tested
from evenhand.contrasts import Floats, Parts
from evenhand.stats import ROUNDING, Components, side_by_side
from evenhand.stats.multiplicity import holm

TOO_THIN = "less than one degree of freedom: too few templates or words to tell the parts apart"


@dataclass(frozen=True)
class _Differing:
    """One column's parts: by level, the gap in it and how that differs from the rest's."""

    parts: Parts
    gaps: list[Floats]
    differences: list[Components]
    p: Floats
    """(levels, columns of scores)."""

    @classmethod
    def of(cls, parts: Parts, tested: Tested) -> _Differing:
        contrast = tested.contrast
        gaps, differences = [], []
        blocks = [(contrast.cell_values(tested.scores.matrix[:, own]), tested.scale[own]) for own in tested.blocks()]
        for level in range(len(parts.levels)):
            counts, difference = parts.gap(level).counts, parts.difference(level)
            gaps.append(np.concatenate([contrast.unit_weights @ (counts @ values) for values, _ in blocks]))
            differences.append(
                side_by_side([gap_over_cells(contrast, values, difference, scale=scale) for values, scale in blocks])
            )
        return cls(parts, gaps, differences, np.array([general_p(one, contrast) for one in differences]))


class PartGaps:
    """The gaps of one contrast by part, for all columns of a score matrix; none where it cannot speak in general."""

    def __init__(self, tested: Tested, adjustments: Sequence[Adjustment]) -> None:
        self._adjustments = adjustments
        self._tolerance = ROUNDING * tested.scale
        asked = () if tested.contrast.not_general else tested.contrast.parts
        self._found = [_Differing.of(parts, tested) for parts in asked]

    @property
    def asked(self) -> tuple[str, ...]:
        """The columns whose levels were compared."""
        return tuple(one.parts.column for one in self._found)

    def of(self, number: int) -> tuple[PartGap, ...]:
        """One column's gap in each part and in the rest: corrected over all parts, and as the verdict is."""
        return tuple(gap for one in self._found for gap in self._of_column(one, number))

    def _of_column(self, found: _Differing, number: int) -> list[PartGap]:
        adjustment, raw = self._adjustments[number], found.p[:, number]
        over_parts = corrected_over_parts(raw, columns=len(self._found))
        questions = questions_in(len(raw)) * len(self._found)
        made = []
        for place, (level, difference) in enumerate(zip(found.parts.levels, found.differences, strict=True)):
            gap, estimate = float(found.gaps[place][number]), float(difference.estimate[number])
            rest = gap - estimate if abs(gap - estimate) > self._tolerance[number] else 0.0
            gap = gap if abs(gap) > self._tolerance[number] else 0.0
            low, high = (float(end[number]) for end in difference.interval(1 - (1 - adjustment.level) / questions))
            thin, p = bool(np.isnan(raw[place])), adjustment.adjust(float(over_parts[place]), member=False)
            made.append(
                PartGap(
                    grouping=found.parts.column,
                    level=level,
                    gap=gap,
                    rest=rest,
                    difference=estimate,
                    interval=None if thin else (low, high),
                    p=None if thin else float(raw[place]),
                    p_adjusted=None if thin else p,
                    significant=None if thin else p < adjustment.alpha,
                    undefined=TOO_THIN if thin else None,
                )
            )
        return made


def questions_in(levels: int) -> int:
    """How many questions the levels of one column ask: of two, each is the other's rest, which is one question."""
    return levels if levels > 2 else 1


def corrected_over_parts(p: Floats, *, columns: int = 1) -> Floats:
    """Corrected for all levels of a column (Holm), and for all columns; what could not be tested counts as asked.

    >>> corrected_over_parts(np.array([0.01, 0.02, 0.4])).round(3).tolist()
    [0.03, 0.04, 0.4]
    >>> corrected_over_parts(np.array([0.03, 0.03]), columns=2).tolist()
    [0.06, 0.06]
    """
    asked = np.where(np.isnan(p), 1.0, p)
    corrected = holm(asked) if questions_in(len(p)) > 1 else asked
    return np.minimum(1.0, columns * corrected)

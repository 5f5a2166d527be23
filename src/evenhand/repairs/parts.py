"""What became of a gap by part: an average that is closed may hide a gap that was opened in one emotion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from evenhand.comparing.general import Strata, gap_over_cells
from evenhand.comparing.parts import corrected_over_parts, questions_in
from evenhand.contrasts import Contrast, Floats
from evenhand.files.plain import rebuild
from evenhand.repairs.estimates import Estimate, estimates_of, mean_of

PartVerdict = Literal["within bounds", "left", "opened", "cannot tell"]


@dataclass(frozen=True)
class PartEstimate:
    """The gap in one part of the sentences, such as those about anger, and by how much it differs from the rest's."""

    grouping: str
    level: str
    gap: Estimate
    apart: Estimate


@dataclass(frozen=True)
class PartOutcome:
    """What became of the gap in one part, on sentences that the repair was not fitted on.

    `apart_before` and `apart_after` are the gap in the part less that in the rest; they differ where that is shown,
    corrected for all parts. A gap is `left` where it is more than the tolerance and more than half of what it was. It
    was `opened` where it is also larger than before, by more than half the tolerance, or of the other sign, and where
    that is shown, by itself or in that it differs from the rest; `cannot tell` where it is not shown.
    """

    grouping: str
    level: str
    before: Estimate
    after: Estimate
    apart_before: Estimate
    apart_after: Estimate
    differs_before: bool
    differs_after: bool
    verdict: PartVerdict

    def to_dict(self, alpha: float) -> dict[str, Any]:
        """Plain values, with intervals at that level."""
        return {
            **{name: getattr(self, name) for name in ("grouping", "level", "verdict")},
            **{name: getattr(self, name) for name in ("differs_before", "differs_after")},
            **{name: getattr(self, name).to_dict(alpha) for name in ESTIMATES},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return rebuild(cls, {**values, **{name: Estimate.from_dict(values[name]) for name in ESTIMATES}})


ESTIMATES = ("before", "after", "apart_before", "apart_after")


def part_gaps(
    made: Contrast, table: Floats, *, scale: Floats, strata: Strata | None = None
) -> list[list[PartEstimate]]:
    """The gaps by part, for each column of numbers; none where the sentences do not come in kinds."""
    found: list[list[PartEstimate]] = [[] for _ in range(table.shape[1])]
    if not made.parts:
        return found
    values = made.cell_values(table)
    for parts in made.parts:
        for level, asked in zip(parts.levels, parts.each, strict=True):
            gaps, apart = (
                estimates_of(gap_over_cells(made, values, over, scale=scale, strata=strata), made) for over in asked
            )
            for column, both in enumerate(zip(gaps, apart, strict=True)):
                found[column].append(PartEstimate(parts.column, level, *both))
    return found


def mean_parts(repeated: Sequence[Sequence[PartEstimate]]) -> list[PartEstimate]:
    """The means over repetitions."""
    return [
        PartEstimate(same[0].grouping, same[0].level, mean_of([p.gap for p in same]), mean_of([p.apart for p in same]))
        for same in zip(*repeated, strict=True)
    ]


def part_outcomes(
    before: Sequence[PartEstimate], after: Sequence[PartEstimate], *, tolerance: float, alpha: float
) -> tuple[PartOutcome, ...]:
    """What became of the gap in each part; `alpha` is the level of one comparison, corrected here for its parts."""
    differs = [_differ(parts, alpha) for parts in (before, after)]
    levels = {part.grouping: sum(other.grouping == part.grouping for other in before) for part in before}
    each = alpha / max(sum(questions_in(number) for number in levels.values()), 1)
    return tuple(
        PartOutcome(
            was.grouping,
            was.level,
            was.gap,
            now.gap,
            was.apart,
            now.apart,
            did,
            does,
            _verdict(was.gap, now.gap, tolerance=tolerance, shown=does or now.gap.is_there(each), alpha=each),
        )
        for was, now, did, does in zip(before, after, *differs, strict=True)
    )


def _differ(parts: Sequence[PartEstimate], alpha: float) -> list[bool]:
    """Which parts are shown to differ from the rest, corrected for all parts."""
    columns = list(dict.fromkeys(part.grouping for part in parts))
    found: list[bool] = []
    for column in columns:
        p = np.array([part.apart.p for part in parts if part.grouping == column])
        found += (corrected_over_parts(p, columns=len(columns)) < alpha).tolist()
    return found


def _verdict(before: Estimate, after: Estimate, *, tolerance: float, shown: bool, alpha: float) -> PartVerdict:
    turned = before.value * after.value < 0
    if turned and after.is_there(alpha) and abs(after.value) > tolerance:
        return "opened"
    if abs(after.value) <= max(tolerance, abs(before.value) / 2):
        return "within bounds"
    if not turned and abs(after.value) <= abs(before.value) + tolerance / 2:
        return "left"
    return "opened" if shown else "cannot tell"

"""What it would take to reach a verdict, by kind of person; and what those who were not asked could still do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.comparing.findings import Power
from evenhand.comparing.general import general_gap
from evenhand.comparing.tested import Tested
from evenhand.contrasts import UNPAIRED, Contrast, Floats, general_contrast
from evenhand.stats import persons_to_settle


@dataclass(frozen=True)
class _Kind:
    """Persons there could be more of, what they add to the variance of each column, and what stays."""

    called: str
    per_group: float
    groups: int
    varies: Floats
    stays: Floats
    estimate: Floats


@dataclass(frozen=True)
class Needs:
    """Persons needed, one number per column: with all persons, or with those of one kind alone."""

    everybody: float
    together: _Kind
    alone: _Kind | None
    needed: tuple[Floats, Floats]
    """If the gap is zero, and if it is as estimated; among everybody."""
    needed_alone: tuple[Floats, Floats] | None

    @classmethod
    def of(cls, tested: Tested, delta: Floats, thresholds: Sequence[float]) -> Needs:
        """Where noun phrases come in pairs, only names can be added to: what pairs vary by stays as it is."""
        together = _together(tested)
        alone = _alone(tested) if tested.contrast.pairs.any() and not tested.contrast.pairs.all() else None
        made = [
            None if kind is None else _needed(kind, delta, np.array(thresholds), tested.settings.one_sided_alpha)
            for kind in (together, alone)
        ]
        assert made[0] is not None  # noqa: S101
        return cls(tested.contrast.per_group, together, alone, made[0], made[1])

    def power(self, number: int, *, smallest_gap: float | None) -> Power:
        """One column's plan: with everybody where that can settle it, else with one kind of persons alone."""
        needed, kind, alone = self.needed, self.together, False
        if np.isnan(needed[0][number]) and self.alone is not None and self.needed_alone is not None:
            needed, kind, alone = self.needed_alone, self.alone, True
        at_zero, at_gap = (None if np.isnan(one[number]) else int(one[number]) for one in needed)
        return Power(smallest_gap, self.everybody, at_zero, at_gap, kind.called, kind.per_group, alone)


def _needed(kind: _Kind, delta: Floats, thresholds: Floats, alpha: float) -> tuple[Floats, Floats]:
    at_zero, at_gap = (
        persons_to_settle(
            kind.varies,
            kind.stays,
            delta=delta,
            per_group=kind.per_group,
            alpha=alpha,
            gap=gap,
            test_alpha=thresholds,
            groups=kind.groups,
        )
        for gap in (None, kind.estimate)
    )
    return at_zero, at_gap


def _together(tested: Tested) -> _Kind:
    contrast, parts = tested.contrast, tested.components
    assert parts is not None  # noqa: S101
    rest = np.maximum(parts.variance - parts.persons, 0.0)
    mixed = bool(contrast.pairs.any() and not contrast.pairs.all())
    varies = parts.persons_if_matched - parts.pairs if mixed else parts.persons_if_matched
    groups = _groups(contrast)
    per_group = _unpaired(contrast) / groups if mixed else contrast.per_group
    called = _called_alone(tested) if mixed else contrast.called
    return _Kind(called, per_group, groups, varies, rest + parts.pairs if mixed else rest, parts.estimate)


def _groups(contrast: Contrast) -> int:
    return max(len(contrast.rest), 1) + 1


def _alone(tested: Tested) -> _Kind | None:
    """The unpaired persons by themselves; None where they cannot be compared on these sentences."""
    made = _contrast_alone(tested)
    if made is None:
        return None
    parts = general_gap(made, tested.scores.matrix, scale=tested.scale)
    rest = np.maximum(parts.variance - parts.persons, 0.0)
    return _Kind(made.called, made.per_group, _groups(made), parts.persons_if_matched, rest, parts.estimate)


def _contrast_alone(tested: Tested) -> Contrast | None:
    contrast = tested.contrast
    if contrast.interaction or contrast.subset != "all":
        return None
    sides = contrast.first, contrast.second
    made = general_contrast(tested.corpus, contrast.attribute, sides, UNPAIRED, rest=bool(contrast.rest))
    return None if isinstance(made, str) else made


def _called_alone(tested: Tested) -> str:
    made = _contrast_alone(tested)
    return "persons" if made is None else made.called


def _unpaired(contrast: Contrast) -> int:
    return int((~contrast.pairs[contrast.stratum]).sum())


def unseen(contrast: Contrast, *, room: float, alpha: float) -> tuple[float, float]:
    """Which share of persons may react although none of those asked did, and by how much before that matters.

    Of n persons none of whom reacts, up to s = 1 − α^(1/n) of all may. They move the gap by at most `room` unless they
    react by more than room/s. Where there are pairs and others, the kind that could move the gap most is meant; of many
    groups, the group that could.
    """
    weights, pairs = contrast.coefficients, contrast.pairs[contrast.stratum]
    kinds = []
    if pairs.any():
        kinds.append((int(pairs.sum()), float(np.abs(weights[contrast.pairs]).sum())))
    if contrast.rest and contrast.group is not None:
        of_group = contrast.group[contrast.stratum]
        kinds += [
            (int((of_group == group).sum()), float(np.abs(weights[contrast.group == group]).sum()))
            for group in np.unique(contrast.group[contrast.group >= 0])
        ]
    elif not pairs.all():
        sides = [int(((weights[contrast.stratum] * side > 0) & ~pairs).sum()) for side in (1, -1)]
        # A group by itself, whose rate is asked, has one side only.
        fewest = min(number for number in sides if number)
        kinds.append((fewest, float(weights[(weights > 0) & ~contrast.pairs].sum())))
    shares = [(1 - alpha ** (1 / size), weight) for size, weight in kinds if size]
    share, weight = max(shares, key=lambda one: one[0] * one[1])
    return share, room / (share * weight)

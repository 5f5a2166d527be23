"""From tests to findings: one column of one contrast, its verdict, and why what is undefined is so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from evenhand.asking import Column
from evenhand.comparing.family import Family
from evenhand.comparing.findings import Direction, Equivalence, Finding, Generalising, Interval, Power, RestsOn, Verdict
from evenhand.comparing.rests_on import Evidence
from evenhand.comparing.tested import Tested
from evenhand.contrasts import Contrast, Floats, side_labels
from evenhand.stats import persons_to_settle, smallest_visible_gap
from evenhand.systems.base import FOUND

CONSTANT = "constant: every comparison gives the same difference, so there is no variance to test against"
IDENTICAL = "identical: no difference exceeds rounding"
NO_VARIANCE = "constant: persons, templates and words make no difference"
TOO_THIN = "less than one degree of freedom: nearly all sentences are of one template or word"
NO_TOKENISER = "no tokeniser is known for this system"
NO_GROUPS = "an interaction compares gaps, not two groups of persons"
NOT_ASKED = "not asked for here"
ALL_ALIKE = (
    "all that were tested are treated alike, which says little about others: with {n:g} per group, up to {s:.0%} of "
    "them could be treated differently"
)
NOT_BY_PERSONS_ALONE = "more persons alone would not settle it: templates and words vary too much"


NOTHING = RestsOn(None, None, False, (), (), (), (), (), None)


def findings(
    tested: Tested,
    family: Family,
    pieces: Mapping[str, Mapping[str, int]] | None = None,
    *,
    member: bool | None = None,
    evidence: bool = True,
) -> list[Finding]:
    """A finding for every column; without `evidence`, what each rests on and the smallest visible gap are left out.

    A `member` of the family has its own adjusted p; others reuse the family's threshold. Tests on all sentences are
    taken for members unless it is said otherwise.
    """
    is_member = tested.contrast.subset == "all" if member is None else member
    judge = _Judge(tested, family, member=is_member, evidence=evidence)
    if not evidence:
        return [judge.finding(number, column, NOTHING) for number, column in enumerate(tested.scores.columns)]
    found = Evidence(tested.contrast, tested.corpus, tested.scores.matrix, scale=tested.scale)
    return [
        judge.finding(number, column, found.rests_on(number, pieces=(pieces or {}).get(column.system)))
        for number, column in enumerate(tested.scores.columns)
    ]


class _Judge:
    def __init__(self, tested: Tested, family: Family, *, member: bool, evidence: bool) -> None:
        self._tested = tested
        self._family = family
        self._alpha = tested.settings.alpha
        self._member = member
        self._delta = tested.settings.equivalence * tested.span
        self._per_group = tested.contrast.n_persons / 2
        self._sizes = _sizes(tested.contrast)
        self._labels = side_labels(tested.contrast, tested.corpus)
        parts = tested.components
        if parts is not None:
            self._interval = parts.interval(1 - self._alpha)
            self._bound = np.maximum(*(np.abs(end) for end in parts.interval(1 - 2 * self._alpha)))
            self._smallest_gap = np.full(len(tested.scores.columns), np.nan)
            if evidence:
                self._smallest_gap = smallest_visible_gap(
                    parts.standard_error, parts.degrees_of_freedom, alpha=family.general.threshold
                )
            self._persons_needed = persons_to_settle(
                parts.persons_if_matched,
                parts.variance - parts.persons,
                delta=self._delta,
                per_group=self._per_group,
                alpha=self._alpha,
            )

    def finding(self, number: int, column: Column, rests_on: RestsOn) -> Finding:
        test, contrast, output = self._tested.published, self._tested.contrast, column.output
        p, mean = float(test.p[number]), float(test.mean[number])
        p_adjusted = self._family.published.adjust(p, member=self._member)
        general, equivalence = self._general(number), self._equivalence(number)
        if output.kind == FOUND and self._is_flat(number):
            # One that was not asked may be missed whole: to have missed none of these shows no gap to be small.
            equivalence = replace(equivalence, equivalent=None, bound=None)
            general = replace(general, interval=None) if general.estimate == 0 else general
        found = Finding(
            system=column.system,
            output=output.name,
            range=None if output.low is None or output.high is None else (output.low, output.high),
            span=output.span,
            attribute=contrast.attribute,
            first=contrast.first,
            second=contrast.second,
            subset=contrast.subset,
            persons_called=contrast.called,
            interaction=contrast.interaction,
            n=test.n,
            mean_difference=mean,
            standard_error=float(test.standard_error[number]),
            t=_or_none(test.t, number),
            p=p,
            p_adjusted=p_adjusted,
            significant=p_adjusted < self._alpha,
            interval=(float(test.low[number]), float(test.high[number])),
            delta_spread=float(test.spread[number]),
            largest_difference=float(test.largest[number]),
            mean_positive=_or_none(test.mean_positive, number),
            mean_negative=_or_none(test.mean_negative, number),
            share_positive=float(test.share_positive[number]),
            share_negative=float(test.share_negative[number]),
            effect_size=_or_none(self._tested.effect_size, number),
            draws=column.draws,
            draw_spread=column.draw_spread,
            generalising=general,
            equivalence=equivalence,
            power=self._power(number),
            rests_on=rests_on,
            direction=_direction(mean),
            verdict=_verdict(general, equivalence),
            undefined={},
            first_label=self._labels[0],
            second_label=self._labels[1],
            output_kind=output.kind,
        )
        return replace(found, undefined=self._reasons(number, found))

    def _general(self, number: int) -> Generalising:
        parts, contrast = self._tested.components, self._tested.contrast
        p = _or_none(self._tested.general_p, number)
        p_adjusted = None if p is None else self._family.general.adjust(p, member=self._member)
        interval: Interval | None = None
        if parts is not None and not parts.too_thin[number]:
            interval = (float(self._interval[0][number]), float(self._interval[1][number]))
        return Generalising(
            estimate=None if parts is None else float(parts.estimate[number]),
            standard_error=None if parts is None else float(parts.standard_error[number]),
            p=p,
            p_adjusted=p_adjusted,
            significant=None if p_adjusted is None else p_adjusted < self._alpha,
            interval=interval,
            df=None if parts is None else _or_none(parts.degrees_of_freedom, number),
            **self._sizes,
            p_permutation=_or_none(self._tested.permutation_p, number),
            left_out=contrast.left_out,
            pooled_variance=parts is not None and parts.pooled,
        )

    def _equivalence(self, number: int) -> Equivalence:
        delta = float(self._delta[number])
        bound = None if self._tested.components is None else _or_none(self._bound, number)
        return Equivalence(delta, equivalent=None if bound is None else bound <= delta, bound=bound)

    def _is_flat(self, number: int) -> bool:
        """Whether persons, templates and words make no difference at all."""
        return self._tested.components is not None and self._tested.components.variance[number] == 0

    def _power(self, number: int) -> Power:
        if self._tested.components is None:
            return Power(None, self._per_group, None)
        gap, needed = _or_none(self._smallest_gap, number), _or_none(self._persons_needed, number)
        return Power(gap, self._per_group, None if needed is None else int(needed))

    def _reasons(self, number: int, found: Finding) -> dict[str, str]:
        """Why each None is None, by its dotted name."""
        test, contrast, parts = self._tested.published, self._tested.contrast, self._tested.components
        no_sign = "no comparison has a {} difference"
        flat = IDENTICAL if parts is None or parts.estimate[number] == 0 else NO_VARIANCE
        of_design = contrast.not_general
        if of_design is None and parts is not None and parts.too_thin[number]:
            of_design = TOO_THIN
        alike = ALL_ALIKE.format(n=self._per_group, s=1 - self._alpha ** (1 / self._per_group))
        why = {
            "equivalence.equivalent": alike,
            "equivalence.bound": alike,
            "generalising.interval": alike,
            "t": IDENTICAL if test.identical[number] else CONSTANT,
            "range": "this output has no bounds; tolerances refer to its unit",
            "mean_positive": no_sign.format("positive"),
            "mean_negative": no_sign.format("negative"),
            "effect_size": "the system's mean score does not vary between sentences",
            "draw_spread": "asked once",
            "generalising.n_templates": "this corpus has no column of templates",
            "generalising.n_words": "this corpus has no column of words",
            "generalising.df": flat,
            "generalising.p_permutation": "an interaction has no exact permutation over persons",
            "power.smallest_gap": NOT_ASKED if found.rests_on is NOTHING else flat,
            "power.persons_needed": flat if parts is None or parts.persons[number] == 0 else NOT_BY_PERSONS_ALONE,
            "rests_on.person": NOT_ASKED if found.rests_on is NOTHING else "no single person makes a difference",
            "rests_on.without": NOT_ASKED if found.rests_on is NOTHING else "no single person makes a difference",
            "rests_on.pieces": NO_GROUPS if contrast.interaction else contrast.not_general or NO_TOKENISER,
            "rests_on.pieces.adjusted_gap": "not separable here: no group varies in the number of pieces",
        }
        # What hangs on the generalising view has one reason where the design does not support that.
        general: tuple[str, ...] = ("generalising.", "equivalence.", "power.")
        if contrast.not_general:
            general += ("rests_on.person", "rests_on.without")
        reasons = {}
        for name in _nones(found):
            hangs = name.startswith(general) and ".n_" not in name
            reasons[name] = of_design if of_design and hangs else why[name]
        return reasons


def _sizes(contrast: Contrast) -> dict[str, Any]:
    """What the general answer rests on, the same for every column."""
    cells = contrast.cells
    words = [column for column in contrast.groupings if column != "template"]
    return {
        "n_persons": contrast.n_persons,
        "n_sources": cells.height,
        "n_templates": cells["template"].n_unique() if "template" in contrast.groupings else None,
        "n_words": sum(cells[column].drop_nulls().n_unique() for column in words) if words else None,
    }


def _nones(part: Any, path: str = "") -> list[str]:
    """The dotted names of what is None in a finding or a part of one."""
    found = []
    for name in part.__dataclass_fields__:
        value = getattr(part, name)
        if value is None:
            found.append(f"{path}{name}")
        elif is_dataclass(value):
            found += _nones(value, f"{path}{name}.")
    return found


def _or_none(values: Floats, number: int) -> float | None:
    value = float(values[number])
    return None if np.isnan(value) else value


def _direction(mean: float) -> Direction:
    return "none" if mean == 0 else "first_higher" if mean > 0 else "second_higher"


def _verdict(general: Generalising, equivalence: Equivalence) -> Verdict:
    """From the generalising test alone: shown small, shown different, or neither."""
    if equivalence.equivalent:
        return "equivalent"
    if general.significant and general.estimate is not None:
        return "higher" if general.estimate > 0 else "lower"
    return "cannot tell"

"""From tests to findings: one column of one contrast, its verdict, and why what is undefined is so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from evenhand.asking import Column
from evenhand.comparing.family import Family
from evenhand.comparing.findings import (
    Direction,
    Equivalence,
    Finding,
    Generalising,
    Interval,
    Power,
    RestsOn,
    Verdict,
    Withheld,
)
from evenhand.comparing.hanging import DECIDED, steadiness
from evenhand.comparing.harm import NOT_ASKED as NOT_LOOKED
from evenhand.comparing.harm import NOT_DECLARED, worse_off
from evenhand.comparing.parts import PartGaps
from evenhand.comparing.planning import Needs, unseen
from evenhand.comparing.rests_on import Evidence
from evenhand.comparing.tested import Tested
from evenhand.contrasts import Contrast, Floats, side_labels
from evenhand.stats import Components, smallest_visible_gap
from evenhand.stats.dealing import FEW_WAYS
from evenhand.stats.few import few_reactions_bound
from evenhand.stats.types import Bools
from evenhand.systems.meaning import high_is

CONSTANT = "constant: every comparison gives the same difference, so there is no variance to test against"
IDENTICAL = "identical: no difference exceeds rounding"
NO_VARIANCE = "constant: persons, templates and words make no difference"
TOO_THIN = (
    "less than one degree of freedom: nearly all sentences are of one template or word, or too much rests on groups of "
    "two persons; three would do"
)
NO_TOKENISER = "no tokeniser is known for this system"
NO_GROUPS = "an interaction compares gaps, not two groups of persons"
NOT_ASKED = "not asked for here"
FEW_ALIKE = "all of a group are treated alike, and they are so few that dealing them anew often gives as large a gap"
TOO_FEW_ALIKE = "all of a group are treated alike, and they are too few to show it after correcting for all comparisons"
THIN_WITHOUT = "without one of the persons or templates, too little is left to tell"
ALL_ALIKE = "none that was tested makes a difference, which says little about others: up to {s:.0f} % of them could"
NOT_AT_THIS_GAP = "no number of persons would decide a gap as large as the estimate at this tolerance"
NOT_BY_PERSONS_ALONE = "more persons alone would not settle it: templates and words vary too much"


NOTHING = RestsOn(None, None, False, (), (), (), (), (), None)
SMALL = "given where the gap is shown to be small, or where nobody reacts"
NO_STUDY = "this is not part of a study"
STEADY = "no verdict hangs on one person or template"


def findings(
    tested: Tested,
    family: Family,
    pieces: Mapping[str, Mapping[str, int]] | None = None,
    *,
    member: bool | None = None,
    evidence: bool = True,
    study: bool = False,
) -> list[Finding]:
    """A finding for every column; without `evidence`, what each rests on and the smallest visible gap are left out.

    A `member` of the family has its own adjusted p; others reuse the family's threshold. Tests on all sentences are
    taken for members unless it is said otherwise. In a `study`, the tests are also corrected for all of its systems.
    """
    is_member = tested.contrast.subset == "all" if member is None else member
    judge = _Judge(tested, family, member=is_member, evidence=evidence, study=study)
    if not evidence:
        return [judge.finding(number, column, NOTHING) for number, column in enumerate(tested.scores.columns)]
    found = Evidence(tested.contrast, tested.corpus, tested.scores.matrix, scale=tested.scale)
    return [
        judge.finding(number, column, found.rests_on(number, pieces=(pieces or {}).get(column.system)))
        for number, column in enumerate(tested.scores.columns)
    ]


class _Judge:
    def __init__(self, tested: Tested, family: Family, *, member: bool, evidence: bool, study: bool) -> None:
        self._tested = tested
        self._family = family
        self._study = study
        self._alpha = tested.settings.alpha
        self._one_sided_alpha = tested.settings.one_sided_alpha
        self._member = member
        self._delta = tested.settings.equivalence * tested.span
        self._per_group = tested.contrast.per_group
        self._sizes = _sizes(tested.contrast)
        self._labels = side_labels(tested.contrast, tested.corpus)
        self._adjustments = [family.general(column.system, tested) for column in tested.scores.columns]
        self._verdicts: list[Verdict] = ["cannot tell"] * len(tested.scores.columns)
        self._withheld: list[Withheld | None] = [None] * len(tested.scores.columns)
        parts = tested.components
        if parts is not None:
            self._interval = parts.interval(1 - self._alpha)
            self._one_sided = parts.interval(1 - 2 * self._one_sided_alpha)
            # Where few persons are all treated alike, chance may do that too: no interval is right, and none is given.
            self._few_alike = (parts.variance == 0) & (parts.estimate != 0) & (tested.general_p >= FEW_WAYS)
            self._bound = np.where(self._few_alike, np.nan, self._small_within(parts, self._one_sided_alpha))
            self._study_bound = self._small_within(parts, self._one_sided_alpha / family.over_all.size)
            self._smallest_gap = np.full(len(tested.scores.columns), np.nan)
            if evidence:
                self._smallest_gap = smallest_visible_gap(
                    parts.standard_error,
                    parts.degrees_of_freedom,
                    alpha=np.array([one.threshold for one in self._adjustments]),
                )
            self._needs = Needs.of(tested, self._delta, [one.threshold for one in self._adjustments])
            self._steady_bound = np.full(len(tested.scores.columns), np.nan)
            self._judge(parts, evidence=evidence)
        self._parts = PartGaps(tested, self._adjustments) if evidence else None

    def _judge(self, parts: Components, *, evidence: bool) -> None:
        """The verdict of each column, or that it is withheld because it hangs on one person or template."""
        significant = [bool(self._general(number).significant) for number in range(len(self._adjustments))]
        self._verdicts = _verdicts(parts, significant, self._bound <= self._delta)
        looked_at = [
            number
            for number, verdict in enumerate(self._verdicts)
            if verdict in DECIDED or (evidence and verdict != "no reaction seen")
        ]
        if not looked_at:
            return
        kept = np.array([self._adjustments[number].kept for number in looked_at])

        def again(parts: Components, p: Floats) -> tuple[list[Verdict], Floats]:
            bound, times = _bound(parts, self._one_sided_alpha), len(p) // len(kept)
            small = bound <= np.tile(self._delta[looked_at], times)
            return _verdicts(parts, (p < np.tile(kept, times)).tolist(), small), bound

        steady = steadiness(
            self._tested.contrast,
            self._tested.scores.matrix[:, looked_at],
            scale=self._tested.scale[looked_at],
            judge=again,
            verdicts=[self._verdicts[number] for number in looked_at],
            bound=self._bound[looked_at],
        )
        self._steady_bound[looked_at] = steady.bound
        for number, withheld in zip(looked_at, steady.withheld, strict=True):
            self._withheld[number] = withheld
            if withheld is not None:
                self._verdicts[number] = "cannot tell"

    def _small_within(self, parts: Components, alpha: float) -> Floats:
        """The smallest tolerance within which the gap is shown to lie, also where few react and others still might."""
        contrast = self._tested.contrast
        few = few_reactions_bound(
            parts.estimate,
            parts.unit_means,
            stratum=contrast.stratum,
            coefficients=contrast.coefficients,
            asked=~contrast.pairs[contrast.stratum],
            scale=self._tested.scale,
            alpha=alpha,
        )
        return np.maximum(_bound(parts, alpha), few)

    def finding(self, number: int, column: Column, rests_on: RestsOn) -> Finding:
        test, contrast, output = self._tested.published, self._tested.contrast, column.output
        p, mean = float(test.p[number]), float(test.mean[number])
        p_adjusted = self._family.published.adjust(p, member=self._member)
        general, equivalence = self._general(number), self._equivalence(number)
        meaning, verdict = high_is(output), self._verdicts[number]
        worse, why_nobody = worse_off(
            verdict,
            contrast.first,
            contrast.second,
            output=output.name,
            high_is=meaning,
            interaction=contrast.interaction,
        )
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
            verdict=verdict,
            withheld=self._withheld[number],
            undefined={},
            first_label=self._labels[0],
            second_label=self._labels[1],
            output_kind=output.kind,
            rest=contrast.rest,
            parts=() if self._parts is None else self._parts.of(number),
            parts_asked=() if self._parts is None else self._parts.asked,
            high_is=meaning,
            worse_off=worse,
        )
        harm = {
            "worse_off": why_nobody,
            "high_is": NOT_DECLARED.format(output=output.name),
            "does_its_job": NOT_LOOKED,
            "why_not_its_job": NOT_LOOKED,
        }
        return replace(found, undefined=self._reasons(number, found, harm))

    def _general(self, number: int) -> Generalising:
        parts, contrast, adjustment = self._tested.components, self._tested.contrast, self._adjustments[number]
        p = _or_none(self._tested.general_p, number)
        p_adjusted = None if p is None else adjustment.adjust(p, member=self._member)
        p_in_study = None if p is None or not self._study else self._family.over_all.adjust(p, member=self._member)
        interval: Interval | None = None
        if parts is not None and not (parts.too_thin[number] or self._is_silent(number) or self._few_alike[number]):
            interval = (float(self._interval[0][number]), float(self._interval[1][number]))
        significant = None if p_adjusted is None else p_adjusted < self._alpha
        shown = None
        if parts is not None and interval is not None and not self._is_flat_by_chance(number, bool(significant)):
            shown = self._shown(number, parts, significant=bool(significant))
        return Generalising(
            estimate=None if parts is None else float(parts.estimate[number]),
            standard_error=None if parts is None else float(parts.standard_error[number]),
            p=p,
            p_adjusted=p_adjusted,
            significant=significant,
            interval=interval,
            df=None if parts is None else _or_none(parts.degrees_of_freedom, number),
            **self._sizes,
            p_permutation=_or_none(self._tested.permutation_p, number),
            left_out=contrast.left_out,
            pooled_variance=parts is not None and parts.pooled,
            shown_interval=None if shown is None else shown[0],
            shown_level=None if shown is None else shown[1],
            comparisons=adjustment.size,
            p_in_study=p_in_study,
            significant_in_study=None if p_in_study is None else p_in_study < self._alpha,
        )

    def _shown(self, number: int, parts: Components, *, significant: bool) -> tuple[Interval, float]:
        """The interval that the verdict was taken from, and its level."""
        if self._verdicts[number] != "equivalent":
            adjustment = self._adjustments[number]
            # Stepwise corrections reject more than the plain one: what they reject has the interval of that step.
            level = 1 - adjustment.kept if significant else adjustment.level
            low, high = (float(end[number]) for end in parts.interval(level))
            return (low, high), level
        # Two one-sided tests at α have this interval of level 1 − α: it holds zero, and the ends of the 1 − 2α one.
        low, high = (float(end[number]) for end in self._one_sided)
        return (min(low, 0.0), max(high, 0.0)), 1 - self._one_sided_alpha

    def _equivalence(self, number: int) -> Equivalence:
        delta = float(self._delta[number])
        silent = self._is_silent(number)
        bound = None if self._tested.components is None or silent else _or_none(self._bound, number)
        equivalent = None if bound is None else bound <= delta
        share, reaction = None, None
        if silent or equivalent:
            alpha = self._tested.settings.silent_alpha if silent else self._one_sided_alpha
            share, reaction = unseen(self._tested.contrast, room=delta - (bound or 0.0), alpha=alpha)
        in_study = None
        if self._study and bound is not None:
            in_study = bool(self._study_bound[number] <= delta)
        steady = None if self._tested.components is None else _or_none(self._steady_bound, number)
        return Equivalence(delta, equivalent, bound, share, reaction, steady, in_study)

    def _is_silent(self, number: int) -> bool:
        """Whether nobody makes any difference at all: nothing is then known about those who were not asked."""
        parts = self._tested.components
        return parts is not None and bool(parts.variance[number] == 0 and parts.estimate[number] == 0)

    def _is_flat_by_chance(self, number: int, significant: bool) -> bool:
        """Whether all of a group are treated alike, but too few of them for the number of comparisons to show a gap."""
        parts = self._tested.components
        flat = parts is not None and bool(parts.variance[number] == 0 and parts.estimate[number] != 0)
        return flat and not significant and self._verdicts[number] != "equivalent"

    def _power(self, number: int) -> Power:
        if self._tested.components is None:
            return Power(None, self._per_group, None, vary_per_group=self._per_group)
        return self._needs.power(number, smallest_gap=_or_none(self._smallest_gap, number))

    def _reasons(self, number: int, found: Finding, harm: Mapping[str, str]) -> dict[str, str]:
        """Why each None is None, by its dotted name."""
        test, contrast, parts = self._tested.published, self._tested.contrast, self._tested.components
        no_sign = "no comparison has a {} difference"
        flat = IDENTICAL if parts is None or parts.estimate[number] == 0 else NO_VARIANCE
        of_design = contrast.not_general
        if of_design is None and parts is not None and parts.too_thin[number]:
            of_design = TOO_THIN
        alike = ALL_ALIKE.format(s=100 * (found.equivalence.unseen_share or 0.0))
        if parts is not None and self._few_alike[number]:
            alike = FEW_ALIKE
        by_chance = self._is_flat_by_chance(number, bool(found.generalising.significant))
        not_shown = TOO_FEW_ALIKE if found.generalising.interval is not None and by_chance else alike
        unsteady = alike if found.equivalence.bound is None else THIN_WITHOUT
        why = {
            **harm,
            "equivalence.equivalent": alike,
            "equivalence.bound": alike,
            "generalising.interval": alike,
            "generalising.shown_interval": not_shown,
            "generalising.shown_level": not_shown,
            "generalising.p_in_study": NO_STUDY,
            "generalising.significant_in_study": NO_STUDY,
            "equivalence.in_study": alike if self._study else NO_STUDY,
            "equivalence.steady_bound": NOT_ASKED if found.rests_on is NOTHING else unsteady,
            "equivalence.unseen_share": SMALL,
            "equivalence.unseen_reaction": SMALL,
            "withheld": STEADY,
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
            "power.needed_at_gap": flat if parts is None or parts.persons[number] == 0 else NOT_AT_THIS_GAP,
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
            hangs = name.startswith(general) and ".n_" not in name and why.get(name) not in (NO_STUDY, SMALL)
            reasons[name] = of_design if of_design and hangs else why[name]
        return reasons


def _sizes(contrast: Contrast) -> dict[str, Any]:
    """What the general answer rests on, the same for every column."""
    cells = contrast.cells
    words = [column for column in contrast.groupings if column != "template"]
    return {
        "n_persons": contrast.n_persons,
        "n_first": contrast.members.on_each_side[0],
        "n_sources": cells.height,
        "n_templates": cells["template"].n_unique() if "template" in contrast.groupings else None,
        "n_words": sum(cells[column].drop_nulls().n_unique() for column in words) if words else None,
    }


def _nones(part: Any, path: str = "") -> list[str]:
    """The dotted names of what is None in a finding or a part of one; a path has only what was asked in waves."""
    found = []
    for name in part.__dataclass_fields__:
        value = getattr(part, name)
        if name == "sequential":
            continue
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


def _bound(parts: Components, alpha: float) -> Floats:
    """The smallest tolerance within which the gap is shown to lie, by two one-sided tests at α."""
    return np.maximum(*(np.abs(end) for end in parts.interval(1 - 2 * alpha)))


def _verdicts(parts: Components, significant: Sequence[bool], small: Bools) -> list[Verdict]:
    """From the generalising test alone: nothing seen, shown small, shown different, or none of these."""
    return [
        _verdict(float(estimate), bool(variance == 0), bool(is_small), is_significant)
        for estimate, variance, is_small, is_significant in zip(
            parts.estimate, parts.variance, small, significant, strict=True
        )
    ]


def _verdict(estimate: float, flat: bool, small: bool, significant: bool) -> Verdict:
    if flat and estimate == 0:
        return "no reaction seen"
    if small:
        return "equivalent"
    if significant:
        return "higher" if estimate > 0 else "lower"
    return "cannot tell"

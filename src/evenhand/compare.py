"""Scores → findings: every comparison for every system at once, with both answers to "is it significant?"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import numpy.typing as npt

from evenhand.contrasts import Contrast, Floats, contrasts
from evenhand.corpora import Corpus
from evenhand.errors import EvenhandError, UsageError, did_you_mean
from evenhand.findings import Direction, Equivalence, Finding, Generalising, Interval, Power, RestsOn, Verdict
from evenhand.rests_on import Evidence
from evenhand.scoring import Column, Scores
from evenhand.stats import (
    CORRECTIONS,
    ROUNDING,
    Components,
    GroupedMeans,
    PairedTest,
    paired_test,
    permutation_p,
    persons_to_settle,
    raw_threshold,
    smallest_visible_gap,
    variance_components,
)

NO_VARIANCE = "constant: persons, templates and words make no difference"
MORE_IS_NOT_ENOUGH = "more persons alone would not settle it: templates and words vary too much"
CONSTANT = "constant: every comparison gives the same difference, so there is no variance to test against"
IDENTICAL = "identical: no difference exceeds rounding"


@dataclass(frozen=True)
class Settings:
    """How comparisons are judged."""

    alpha: float = 0.05
    correction: str = "bonferroni"
    equivalence: float = 0.01
    """The tolerance δ as a share of each output's range."""
    seed: int = 0
    permutations: int = 9_999

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 0.5:
            raise UsageError(f"alpha must lie between 0 and 0.5, not {self.alpha}")
        if not 0 < self.equivalence < 1:
            raise UsageError(f"the equivalence tolerance is a share of the range, 0 to 1, not {self.equivalence}")
        if self.correction not in CORRECTIONS:
            raise UsageError(f"unknown correction {self.correction!r}{did_you_mean(self.correction, CORRECTIONS)}")


@dataclass(frozen=True)
class Comparison:
    """The findings of one audit, and the family that its p-values were adjusted over."""

    findings: tuple[Finding, ...]
    assessments: int
    """Systems × outputs × comparisons on the full corpus."""
    threshold: float
    """The raw p below which the published test counts as significant."""
    generalising_threshold: float


def compare(
    scores: Scores,
    corpus: Corpus,
    *,
    attributes: Sequence[str] | None = None,
    subsets: Sequence[str] = ("all",),
    settings: Settings | None = None,
    pieces: Mapping[str, Mapping[str, int]] | None = None,
) -> Comparison:
    """Compare the groups of each attribute on each subset.

    The family for the correction is that of the full corpus, whatever the subsets asked for: they reuse its threshold.
    `pieces` gives, by system, how many pieces its tokeniser makes of each person.
    """
    settings = settings or Settings()
    if scores.corpus_digest != corpus.digest:
        raise EvenhandError("these scores were made for another corpus (or another version of it)")
    names = list(attributes) if attributes else list(corpus.attributes)
    full = [_Judged(made, corpus, scores, settings) for name in names for made in contrasts(corpus, name)]
    family = _Family.of(full, settings)
    findings: list[Finding] = []
    for subset in subsets:
        if subset == "all":
            judged = full
        else:
            judged = [
                _Judged(made, corpus, scores, settings)
                for name in names
                for made in contrasts(corpus, name, subset=subset)
            ]
        for one in judged:
            findings += one.findings(family, settings, pieces or {})
    order = {column: place for place, column in enumerate(scores.columns)}
    place = {(column.system, column.output.name): order[column] for column in scores.columns}
    findings.sort(key=lambda finding: place[finding.system, finding.output])
    return Comparison(tuple(findings), family.size, family.published.raw, family.general.raw)


@dataclass(frozen=True)
class _Adjustment:
    """Raw p → adjusted p, for members of the family and for tests that reuse its threshold."""

    raw: float
    alpha: float
    members: Mapping[float, float] = field(repr=False)

    @classmethod
    def of(cls, p: Floats, settings: Settings) -> _Adjustment:
        # A test that could not be made still counts as asked.
        asked = np.where(np.isnan(p), 1.0, p)
        adjusted = CORRECTIONS[settings.correction](asked)
        raw = raw_threshold(asked, alpha=settings.alpha, method=settings.correction)
        return cls(raw, settings.alpha, dict(zip(asked.tolist(), adjusted.tolist(), strict=True)))

    def __call__(self, p: float, *, member: bool) -> float:
        return self.members[p] if member else min(1.0, p * self.alpha / self.raw)


@dataclass(frozen=True)
class _Family:
    size: int
    published: _Adjustment
    general: _Adjustment

    @classmethod
    def of(cls, full: Sequence[_Judged], settings: Settings) -> _Family:
        published = np.concatenate([one.published.p for one in full])
        general = np.concatenate([one.general_p for one in full])
        return cls(len(published), _Adjustment.of(published, settings), _Adjustment.of(general, settings))


class _Judged:
    """One contrast, tested for all columns."""

    def __init__(self, made: Contrast, corpus: Corpus, scores: Scores, settings: Settings) -> None:
        self._contrast = made
        self._corpus = corpus
        self._scores = scores
        self._scale = np.array([column.output.span for column in scores.columns])
        self.published = paired_test(made.matrix @ scores.matrix, scale=self._scale, level=1 - settings.alpha)
        self._effect_sizes = self._effects()
        self._components = self._generalise()
        undefined = np.full(len(scores.columns), np.nan)
        self.general_p = undefined if self._components is None else self._components.p()
        self._permutation_p = undefined if self._components is None or made.interaction else self._permute(settings)

    def _generalise(self) -> Components | None:
        if self._contrast.not_general:
            return None
        shape = (len(self._contrast.units), -1, len(self._scores.columns))
        return variance_components(
            [
                GroupedMeans((grouping.operator @ self._scores.matrix).reshape(shape), grouping.weights)
                for grouping in self._contrast.sampled_groupings()
            ],
            stratum=self._contrast.stratum,
            coefficients=self._contrast.coefficients,
            scale=self._scale,
        )

    def _permute(self, settings: Settings) -> Floats:
        return permutation_p(
            cast(Components, self._components).unit_means,
            self._contrast.unit_weights,
            block=self._contrast.block,
            scale=self._scale,
            rng=np.random.default_rng(settings.seed),
            draws=settings.permutations,
        )

    def _effects(self) -> Floats:
        """The gap in standard deviations of the system's own cell means; NaN where those do not vary."""
        mask = self._corpus.mask(self._contrast.subset).to_numpy()
        source = self._corpus.frame["source"].filter(mask).rank("dense").to_numpy().astype(np.int64) - 1
        totals = np.zeros((source.max() + 1, len(self._scores.columns)))
        np.add.at(totals, source, self._scores.matrix[mask])
        means = totals / np.bincount(source)[:, None]
        spread = means.std(axis=0, ddof=1) if len(means) > 1 else np.zeros(len(self._scores.columns))
        varies = spread > ROUNDING * self._scale
        gap = self.published.mean
        effects: Floats = np.divide(gap, spread, out=np.full(gap.shape, np.nan), where=varies)
        return effects

    def findings(self, family: _Family, settings: Settings, pieces: Mapping[str, Mapping[str, int]]) -> list[Finding]:
        evidence = Evidence(self._contrast, self._corpus, self._scores.matrix, scale=self._scale)
        visible = self._power(family, settings)
        intervals = self._intervals(settings)
        return [
            self._finding(
                number,
                column,
                family,
                settings,
                rests_on=evidence.rests_on(number, pieces=pieces.get(column.system)),
                power=visible[number],
                intervals=intervals[number] if intervals else None,
            )
            for number, column in enumerate(self._scores.columns)
        ]

    def _intervals(self, settings: Settings) -> list[tuple[Interval, Interval]] | None:
        """Each column's interval for the estimate and the narrower one for equivalence."""
        if self._components is None:
            return None
        ends = [*self._components.interval(1 - settings.alpha), *self._components.interval(1 - 2 * settings.alpha)]
        return [((a, b), (c, d)) for a, b, c, d in zip(*(end.tolist() for end in ends), strict=True)]

    def _power(self, family: _Family, settings: Settings) -> list[Power]:
        per_group = self._contrast.n_persons / 2
        if self._components is None:
            return [Power(None, per_group, None)] * len(self._scores.columns)
        parts = self._components
        gaps = smallest_visible_gap(parts.standard_error, parts.degrees_of_freedom, alpha=family.general.raw)
        delta = settings.equivalence * self._scale
        needed = persons_to_settle(parts.persons, parts.variance, delta=delta, per_group=per_group)
        return [
            Power(float(gap), per_group, None if np.isnan(number) else int(number))
            for gap, number in zip(gaps, needed, strict=True)
        ]

    def _finding(
        self,
        number: int,
        column: Column,
        family: _Family,
        settings: Settings,
        *,
        rests_on: RestsOn,
        power: Power,
        intervals: tuple[Interval, Interval] | None,
    ) -> Finding:
        test, made, output = self.published, self._contrast, column.output
        member = made.subset == "all"
        p, mean = float(test.p[number]), float(test.mean[number])
        p_adjusted = family.published(p, member=member)
        general = self._general(number, family, settings, member=member, interval=intervals[0] if intervals else None)
        delta = settings.equivalence * output.span
        bound = max(abs(end) for end in intervals[1]) if intervals else None
        equivalence = Equivalence(delta, bound is not None and bound <= delta, bound)
        return Finding(
            system=column.system,
            output=output.name,
            range=None if output.low is None or output.high is None else (output.low, output.high),
            attribute=made.attribute,
            first=made.first,
            second=made.second,
            subset=made.subset,
            persons_called=made.called,
            n=test.n,
            mean_difference=mean,
            standard_error=float(test.standard_error[number]),
            t=_or_none(test.t, number),
            p=p,
            p_adjusted=p_adjusted,
            significant=p_adjusted < settings.alpha,
            interval=(float(test.low[number]), float(test.high[number])),
            delta_spread=float(test.spread[number]),
            mean_positive=_or_none(test.mean_positive, number),
            mean_negative=_or_none(test.mean_negative, number),
            share_positive=float(test.share_positive[number]),
            share_negative=float(test.share_negative[number]),
            effect_size=_or_none(self._effect_sizes, number),
            generalising=general,
            equivalence=equivalence,
            power=power,
            rests_on=rests_on,
            direction=_direction(mean),
            verdict=_verdict(general, equivalence),
            undefined=self._undefined(number, rests_on, power, test),
        )

    def _general(
        self, number: int, family: _Family, settings: Settings, *, member: bool, interval: Interval | None
    ) -> Generalising:
        parts, made = self._components, self._contrast
        p = _or_none(self.general_p, number)
        p_adjusted = None if p is None else family.general(p, member=member)
        words = [column for column in made.groupings if column != "template"]
        return Generalising(
            estimate=None if parts is None else float(parts.estimate[number]),
            standard_error=None if parts is None else float(parts.standard_error[number]),
            p=p,
            p_adjusted=p_adjusted,
            significant=p_adjusted is not None and p_adjusted < settings.alpha,
            interval=interval,
            df=None if parts is None else _or_none(parts.degrees_of_freedom, number),
            n_persons=made.n_persons,
            n_templates=made.cells["template"].n_unique() if "template" in made.groupings else None,
            n_words=sum(made.cells[column].drop_nulls().n_unique() for column in words) if words else None,
            p_permutation=_or_none(self._permutation_p, number),
        )

    def _undefined(self, number: int, rests_on: RestsOn, power: Power, test: PairedTest) -> dict[str, str]:
        """Why each None is None."""
        made, parts = self._contrast, self._components
        reasons: dict[str, str] = {}
        if test.identical[number] or test.constant[number]:
            reasons["t"] = IDENTICAL if test.identical[number] else CONSTANT
        for field_name, values in {"mean_positive": test.mean_positive, "mean_negative": test.mean_negative}.items():
            if np.isnan(values[number]):
                reasons[field_name] = f"no comparison has a {field_name.removeprefix('mean_')} difference"
        if np.isnan(self._effect_sizes[number]):
            reasons["effect_size"] = "the system's mean score does not vary between sentences"
        if self._scores.columns[number].output.low is None:
            reasons["range"] = "this output has no bounds; tolerances refer to its unit"
        if "template" not in made.groupings:
            reasons["generalising.n_templates"] = "this corpus has no column of templates"
        if set(made.groupings) <= {"template"}:
            reasons["generalising.n_words"] = "this corpus has no column of words"
        if parts is None:
            reason = made.not_general or ""
            general = ("estimate", "standard_error", "p", "p_adjusted", "interval", "df", "p_permutation")
            reasons |= {f"generalising.{name}": reason for name in general}
            reasons |= {"equivalence.bound": reason, "power.smallest_gap": reason, "power.persons_needed": reason}
        else:
            if np.isnan(parts.degrees_of_freedom[number]):
                none = parts.estimate[number] == 0
                reasons["generalising.df"] = (
                    IDENTICAL if none else "constant: persons, templates and words make no difference"
                )
            if made.interaction:
                reasons["generalising.p_permutation"] = "an interaction has no exact permutation over persons"
            if power.persons_needed is None:
                reasons["power.persons_needed"] = (
                    "more persons alone would not settle it: templates and words vary too much"
                )
        if rests_on.person is None:
            reasons["rests_on.person"] = made.not_general or "no single person makes a difference"
            reasons["rests_on.without"] = reasons["rests_on.person"]
        if rests_on.pieces is None:
            reasons["rests_on.pieces"] = "no tokeniser is known for this system"
        elif rests_on.pieces.adjusted_gap is None:
            reasons["rests_on.pieces.adjusted_gap"] = "not separable here: no group varies in the number of pieces"
        return reasons


def _or_none(values: npt.NDArray[np.float64], number: int) -> float | None:
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

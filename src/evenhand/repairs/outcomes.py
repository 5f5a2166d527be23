"""What became of a gap: before, after, how much of it is gone, whether it was reversed, and what that cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from scipy import special

from evenhand.files.plain import rebuild
from evenhand.repairs.estimates import Estimate, mean_of
from evenhand.repairs.parts import PartOutcome
from evenhand.stats import ROUNDING

Verdict = Literal[
    "nothing to repair", "closed", "reduced", "not reduced", "reversed", "made a gap", "opened a part", "undefined"
]


@dataclass(frozen=True)
class Looked:
    """A gap before and after a repair, and what the two vary by together (their covariance)."""

    before: Estimate
    after: Estimate
    shared: float
    by_what_is_new: float = 0.0
    """What the gap after would vary by if only those were drawn anew whom the fit had not seen."""


@dataclass(frozen=True)
class Outcome:
    """What became of one gap under one method, on sentences that it was not fitted on.

    `before` is the gap as an audit of the whole corpus finds it, `after` what is left of it when each half of the
    corpus is repaired by a fit on the other half, with the interval for the gap that is truly left. In that mean the
    errors of the two fits cancel; `left_by_single_fit` is what one of them leaves (root mean square, less the luck of
    the half that it is judged on). `reduction` is 1 − after/before, with Fieller's interval; these are undefined unless
    the gap was there before. `reversed_share` is how often, among the `splits` single halves, a significant gap of the
    other sign stood there after, and `spread` how far the gaps of single halves lay apart (standard deviation).
    `left_alone` is the share of fits that changed no score. `parts` has the same gap by emotion, or by whatever kinds
    the sentences come in.
    """

    method: str
    family: str
    output: str
    new: str
    attribute: str
    first: str
    second: str
    scope: str
    before: Estimate | None
    after: Estimate | None
    reduction: float | None
    reduction_interval: tuple[float, float] | None
    reversed_share: float | None
    spread: float | None
    left_alone: float
    splits: int
    verdict: Verdict
    undefined: str | None = None
    first_label: str = ""
    """What the first group is called where people read of it; empty where that is not known."""
    second_label: str = ""
    left_by_single_fit: float | None = None
    """In the output's own units, whatever the sign."""
    parts: tuple[PartOutcome, ...] = ()

    @property
    def left_share(self) -> float | None:
        """What a single fit leaves, as a share of the gap before; None where there was none."""
        if self.left_by_single_fit is None or self.reduction is None or self.before is None:
            return None
        return self.left_by_single_fit / abs(self.before.value)

    @property
    def opened(self) -> tuple[PartOutcome, ...]:
        """The parts in which a gap was opened."""
        return tuple(part for part in self.parts if part.verdict == "opened")

    @property
    def not_closed(self) -> tuple[PartOutcome, ...]:
        """The parts that do not bear out that the gap is closed."""
        return tuple(part for part in self.parts if part.verdict != "within bounds")

    @property
    def differed(self) -> tuple[PartOutcome, ...]:
        """The parts of the columns by which the gap was shown to differ before."""
        columns = {part.grouping for part in self.parts if part.differs_before}
        return tuple(part for part in self.parts if part.grouping in columns)

    def to_dict(self, alpha: float) -> dict[str, Any]:
        """Plain values, with intervals at that level."""
        both = {"before": self.before, "after": self.after}
        nested = {when: one and one.to_dict(alpha) for when, one in both.items()}
        return {**asdict(self), **nested, "parts": [part.to_dict(alpha) for part in self.parts]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        both = {when: values[when] and Estimate.from_dict(values[when]) for when in ("before", "after")}
        parts = tuple(PartOutcome.from_dict(part) for part in values.get("parts", ()))
        return replace(rebuild(cls, {**values, **both, "parts": ()}), parts=parts)

    def row(self, alpha: float) -> dict[str, Any]:
        """One row of a table: both gaps with their intervals; empty cells are undefined."""
        names = ("method", "family", "output", "attribute", "first", "second", "scope", "new", "splits", "verdict")
        more = ("left_by_single_fit", "reversed_share", "spread", "left_alone", "undefined")
        return {
            **{name: getattr(self, name) for name in names},
            **_gap("before", self.before, alpha),
            **_gap("after", self.after, alpha),
            **_between("reduction", self.reduction, self.reduction_interval),
            **{name: getattr(self, name) for name in more},
            "opened_in": ", ".join(part.level for part in self.opened),
        }


def _gap(name: str, estimate: Estimate | None, alpha: float) -> dict[str, float | None]:
    return _between(name, None, None) if estimate is None else _between(name, estimate.value, estimate.ends(alpha))


def _between(name: str, value: float | None, ends: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = ends or (None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


@dataclass(frozen=True)
class Price:
    """What a method does to the scores otherwise: rank correlations of before with after on held-out sentences.

    `overall` over all sentences, `within` the lowest among groups of people who share all attributes, `words` that of
    the emotion words' mean scores. `spread_kept` is how far sentences still lie apart, whoever they are about: the
    standard deviation of their mean scores after, as a share of before; a method that flattens everything flattens gaps
    too, and has mended nothing. Means over the splits. None where scores do not vary. 1 is no price at all.
    """

    method: str
    family: str
    output: str
    new: str
    overall: float | None
    within: float | None
    words: float | None
    spread_kept: float | None
    splits: int


def outcome(
    whole: Estimate | str,
    repeated: Sequence[Looked],
    single: Sequence[Looked],
    *,
    alpha: float,
    parts: Sequence[PartOutcome] = (),
) -> Outcome:
    """The outcome over repetitions: `whole` is the gap before in the whole corpus, or why there is none.

    In one repetition, each half is corrected by what the other showed. What is left is then off from the truth by what
    the gap before is off, no more and no less: the halves' luck cancels. Other divisions of the same sentences change
    nothing in that, so that estimates and variances are averaged.
    """
    nobody = ("",) * 8
    if isinstance(whole, str) or not repeated:
        reason = whole if isinstance(whole, str) else "not judged"
        return Outcome(*nobody, None, None, None, None, None, None, 0.0, 0, "undefined", reason)
    after = mean_of([looked.after for looked in repeated])
    there = whole.is_there(alpha)
    gone = reduction_interval(mean_of_looked(repeated), alpha=alpha) if there else None
    values = [looked.after.value for looked in single]
    return Outcome(
        *nobody,
        whole,
        after,
        1 - after.value / whole.value if there else None,
        gone,
        float(np.mean([_turned(looked, alpha) for looked in single])) if single else None,
        float(np.std(values, ddof=1)) if len(values) > 1 else None,
        0.0,
        len(single),
        in_parts(verdict(whole, after, gone, alpha=alpha), parts),
        left_by_single_fit=left_by_single_fit(single) if there and single else None,
        parts=tuple(parts),
    )


def left_by_single_fit(single: Sequence[Looked]) -> float:
    """What a single fit leaves on those whom it has not seen: the root mean square over the halves.

    The half that it is judged on has luck of its own, whose variance is taken off. The mean of the gaps would not do:
    with two halves, what one fit takes off too much the other takes off too little.

    >>> halves = [Looked(Estimate(0.1, 0.0, None), Estimate(left, 0.0, None), 0.0, 0.0007) for left in (0.05, -0.03)]
    >>> round(left_by_single_fit(halves), 3)
    0.032
    """
    squares = [looked.after.value**2 - looked.by_what_is_new for looked in single]
    return float(np.sqrt(max(float(np.mean(squares)), 0.0)))


def mean_of_looked(looked: Sequence[Looked]) -> Looked:
    """The means of estimates and variances."""
    before, after = mean_of([one.before for one in looked]), mean_of([one.after for one in looked])
    return Looked(before, after, float(np.mean([one.shared for one in looked])))


def verdict(before: Estimate, after: Estimate, gone: tuple[float, float] | None, *, alpha: float) -> Verdict:
    """In a word; `gone` is the interval of the reduction.

    `closed` says that no gap can be told any more, that less than half of it is left, and that some of it is gone for
    sure; not that there is none.
    """
    if not before.is_there(alpha):
        return "made a gap" if after.is_there(alpha) else "nothing to repair"
    if before.value * after.value < 0 and after.is_there(alpha):
        return "reversed"
    for_sure = gone is None or gone[0] > 0
    if abs(after.value) < abs(before.value) / 2 and not after.is_there(alpha) and for_sure:
        return "closed"
    return "reduced" if abs(after.value) < (1 - ROUNDING) * abs(before.value) else "not reduced"


def in_parts(whole: Verdict, parts: Sequence[PartOutcome]) -> Verdict:
    """The verdict on the whole gap, in view of its parts: nothing is closed that was opened in one of them."""
    found = {part.verdict for part in parts}
    if whole in ("closed", "reduced", "nothing to repair") and "opened" in found:
        return "opened a part"
    return "reduced" if whole == "closed" and found - {"within bounds"} else whole


def reduction_interval(looked: Looked, *, alpha: float) -> tuple[float, float] | None:
    """Fieller's interval of 1 − after/before; None where the gap before is not far enough from zero for one.

    >>> interval = reduction_interval(Looked(Estimate(0.1, 1e-4, 30.0), Estimate(0.02, 1e-4, 30.0), 1e-4), alpha=0.05)
    >>> [round(end, 3) for end in interval]
    [0.664, 1.005]
    """
    before, after = looked.before, looked.after
    freedoms = [one.freedom for one in (before, after) if one.freedom is not None and one.variance > 0]
    if freedoms and min(freedoms) < 1:
        return None
    squared = float(special.stdtrit(min(freedoms), 1 - alpha / 2)) ** 2 if freedoms else 0.0
    a = before.value**2 - squared * before.variance
    b = before.value * after.value - squared * looked.shared
    c = after.value**2 - squared * after.variance
    if a <= 0:
        return None
    root = np.sqrt(max(b**2 - a * c, 0.0))
    return float(1 - (b + root) / a), float(1 - (b - root) / a)


def _turned(looked: Looked, alpha: float) -> bool:
    return looked.before.value * looked.after.value < 0 and looked.after.is_there(alpha)

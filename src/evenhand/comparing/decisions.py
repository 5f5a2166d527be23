"""What gaps do to decisions: who reaches a threshold, and how often that flips when only the person changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np

from evenhand.asking import Column, Scores
from evenhand.comparing.findings import Finding, Interval
from evenhand.comparing.flipping import ALIKE, NOT_GENERAL, Estimate, Sides
from evenhand.comparing.planning import unseen
from evenhand.comparing.thresholds import Rule, Selection, Threshold, check_thresholds, selected
from evenhand.comparing.verdicts import ALL_ALIKE
from evenhand.contrasts import CROSS, Contrast, Floats, contrasts, group_label, groups_of, level, side_labels
from evenhand.corpora import Corpus
from evenhand.errors import UsageError
from evenhand.files.plain import rebuild
from evenhand.stats import ROUNDING

NONE_SELECTED = "no sentence of {} is selected"
NO_FLIP = "no decision flips this way among those tested, which says little about others"
ALL_OR_NONE = "all decisions are the same, which says little about others"
TOO_FEW = "too few people, templates or words are behind it to tell what others would do"
TAGGERS = "thresholds turn scores into decisions; taggers find an entity or they do not, which is a decision already"
MOST_CROSSED = 40
"""Attributes whose crossing has more groups than this are not crossed unasked."""


@dataclass(frozen=True)
class Estimated:
    """A number with its interval over persons, templates and words; None where undefined."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Selected:
    """How often one side of a comparison is selected; `value` weighs sentences as the gap does."""

    value: float
    interval: Interval | None
    selected: int
    sentences: int
    persons: int


@dataclass(frozen=True)
class Flips:
    """Pairs of sentences that differ only in the person, of which only one is selected: their share and their number.

    The share weighs pairs as the gap does; the number counts each once.
    """

    value: float
    interval: Interval | None
    pairs: int


@dataclass(frozen=True)
class Row:
    """What is saved as plain values, and is one row of a table."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)

    def flat(self) -> dict[str, Any]:
        """One row of a table: nested parts in columns such as `first_rate_low`."""
        return flattened(self.to_dict())

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        return rebuild(cls, values)


@dataclass(frozen=True)
class Decision(Row):
    """What one threshold makes of one comparison for one output of one system.

    `first_only` are the pairs in which only the first group's sentence is selected, `second_only` those in which only
    the second group's is; the difference between the two is the difference in selection rates. What is None has its
    reason in `undefined`, under the field's (dotted) name. Intervals are each at `level`, without correction.
    """

    system: str
    output: str
    attribute: str
    first: str
    second: str
    subset: str
    first_label: str
    second_label: str
    persons_called: str
    rule: Rule
    """`number`: selected is a score of at least the threshold; `median`: one above the median of the output's own."""
    threshold: float
    first_rate: Selected
    second_rate: Selected
    difference: Estimated
    impact_ratio: Estimated
    """The first group's selection rate divided by the second's."""
    pairs: int
    """How many pairs of sentences are compared."""
    first_only: Flips
    second_only: Flips
    level: float
    undefined: dict[str, str]


@dataclass(frozen=True)
class SelectionRate(Row):
    """How often the sentences of one group are selected, every sentence counting once."""

    system: str
    output: str
    attribute: str
    group: str
    subset: str
    label: str
    rule: Rule
    threshold: float
    value: float
    interval: Interval | None
    selected: int
    sentences: int
    persons: int
    level: float
    undefined: dict[str, str]


@dataclass(frozen=True)
class Decided:
    """Every comparison at every threshold, and the selection rates of the groups."""

    decisions: tuple[Decision, ...]
    rates: tuple[SelectionRate, ...]


def decide(
    findings: Sequence[Finding],
    scores: Scores,
    corpus: Corpus,
    *,
    thresholds: Sequence[Threshold],
    alpha: float = 0.05,
) -> Decided:
    """Turn scores into decisions, and say for each comparison of the findings what changes with the person.

    Interactions compare gaps, not persons, and have no decisions.
    """
    if any(finding.of_tagger for finding in findings):
        raise UsageError(TAGGERS)
    check_thresholds(thresholds, [(column.system, column.output) for column in scores.columns])
    cuts = [selected(scores, threshold) for threshold in thresholds]
    decisions = [
        made
        for one in contrasts_behind(findings, corpus)
        for cut in cuts
        for made in decisions_on(one, cut, scores, corpus, alpha=alpha)
    ]
    rates = [
        rate
        for attribute, subset in _asked_about(findings, corpus)
        for cut in cuts
        for rate in selection_rates(scores, corpus, attribute, cut, subset=subset, level=1 - alpha)
    ]
    order = {(column.system, column.output.name): place for place, column in enumerate(scores.columns)}
    decisions.sort(key=lambda one: order[one.system, one.output])
    rates.sort(key=lambda one: order[one.system, one.output])
    return Decided(tuple(decisions), tuple(rates))


def selection_rates(
    scores: Scores, corpus: Corpus, attribute: str, cut: Selection, *, subset: str = "all", level: float
) -> list[SelectionRate]:
    """The rates of all groups of an attribute, or of crossed attributes, for every column."""
    labels, groups = groups_of(corpus, attribute)
    inside = corpus.mask(subset).to_numpy()
    made = []
    for number, group in enumerate(groups):
        if ((labels == number) & inside).any():
            made.append(_rates(scores, corpus, attribute, group, cut, subset, level))
    return [rate for place in range(len(scores.columns)) for rates in made for rate in [rates[place]]]


def crossings(corpus: Corpus, attributes: Iterable[str]) -> list[str]:
    """The attributes, and each two of them crossed where the corpus has persons of crossed groups."""
    asked = list(dict.fromkeys(attributes))
    plain = list(dict.fromkeys(part for attribute in asked for part in attribute.split(CROSS)))
    # race+gender and gender+race are the same groups: what was asked for keeps its name.
    known = {frozenset(pair): CROSS.join(pair) for pair in combinations(plain, 2)}
    known |= {frozenset(attribute.split(CROSS)): attribute for attribute in asked if CROSS in attribute}
    kept = [name for name in known.values() if name in asked or 2 <= len(groups_of(corpus, name)[1]) <= MOST_CROSSED]
    return [*plain, *kept]


def contrasts_behind(findings: Sequence[Finding], corpus: Corpus) -> list[Contrast]:
    """The contrasts behind the findings, each once."""
    asked = dict.fromkeys((one.attribute, one.subset) for one in findings)
    known = {(one.attribute, one.subset, one.first, one.second, bool(one.rest)) for one in findings}
    # Pairs of many groups are made only where they were asked for.
    in_pairs = {(one.attribute, one.subset) for one in findings if not one.rest and not one.interaction}
    return [
        one
        for attribute, subset in asked
        for one in contrasts(corpus, attribute, subset=subset, pairs=(attribute, subset) in in_pairs)
        if not one.interaction and (attribute, subset, one.first, one.second, bool(one.rest)) in known
    ]


def _asked_about(findings: Sequence[Finding], corpus: Corpus) -> list[tuple[str, str]]:
    """Attributes with their subsets, and the crossings of those that stand side by side."""
    by_subset: dict[str, list[str]] = {}
    for one in findings:
        by_subset.setdefault(one.subset, []).append(one.attribute)
    return [(name, subset) for subset, asked in by_subset.items() for name in crossings(corpus, asked)]


def decisions_on(contrast: Contrast, cut: Selection, scores: Scores, corpus: Corpus, *, alpha: float) -> list[Decision]:
    """What one threshold makes of one comparison, for every column of the scores."""
    level = 1 - alpha
    sides, chosen = Sides(contrast), cut.decisions
    labels = side_labels(contrast, corpus)
    estimates = {
        "first_rate": sides.rate(chosen, first=True, level=level),
        "second_rate": sides.rate(chosen, first=False, level=level),
        "difference": sides.difference(chosen, level=level),
        "impact_ratio": sides.ratio(chosen, level=level),
        "first_only": sides.flips(chosen, level=level),
        "second_only": sides.flips(1 - chosen, level=level),
    }
    flipped = {"first_only": sides.pairs_flipped(chosen), "second_only": sides.pairs_flipped(1 - chosen)}
    counts = [_counts(chosen, rows, corpus) for rows in sides.sentences]
    pairs = sides.pairs()

    def made(place: int, column: Column) -> Decision:
        undefined: dict[str, str] = {}
        found = {
            name: estimated(one, place, name, undefined, contrast=contrast, labels=labels, alpha=1 - level)
            for name, one in estimates.items()
        }
        first, second = (
            Selected(found[name].value or 0.0, found[name].interval, int(number[place]), sentences, persons)
            for name, (number, sentences, persons) in zip(("first_rate", "second_rate"), counts, strict=True)
        )
        first_only, second_only = (
            Flips(found[name].value or 0.0, found[name].interval, int(number[place]))
            for name, number in flipped.items()
        )
        return Decision(
            system=column.system,
            output=column.output.name,
            attribute=contrast.attribute,
            first=contrast.first,
            second=contrast.second,
            subset=contrast.subset,
            first_label=labels[0],
            second_label=labels[1],
            persons_called=contrast.called,
            rule=cut.rule,
            threshold=float(cut.values[place]),
            first_rate=first,
            second_rate=second,
            difference=found["difference"],
            impact_ratio=found["impact_ratio"],
            pairs=pairs,
            first_only=first_only,
            second_only=second_only,
            level=level,
            undefined=undefined,
        )

    return [made(place, column) for place, column in enumerate(scores.columns)]


def _rates(
    scores: Scores, corpus: Corpus, attribute: str, group: str, cut: Selection, subset: str, confidence: float
) -> list[SelectionRate]:
    alone = level(corpus, attribute, [group], subset=subset)
    sides = Sides(alone)
    rates = sides.rate(cut.decisions, first=True, level=confidence)
    number, sentences, persons = _counts(cut.decisions, sides.sentences[0], corpus)
    label = group_label(corpus, attribute, group, called=alone.called) or group

    def made(place: int, column: Column) -> SelectionRate:
        undefined: dict[str, str] = {}
        found = estimated(rates, place, "value", undefined, contrast=alone, labels=[label, label], alpha=1 - confidence)
        return SelectionRate(
            system=column.system,
            output=column.output.name,
            attribute=attribute,
            group=group,
            subset=subset,
            label=label,
            rule=cut.rule,
            threshold=float(cut.values[place]),
            value=float(number[place]) / sentences,
            interval=found.interval,
            selected=int(number[place]),
            sentences=sentences,
            persons=persons,
            level=confidence,
            undefined={name.replace("value.interval", "interval"): why for name, why in undefined.items()},
        )

    return [made(place, column) for place, column in enumerate(scores.columns)]


def _counts(decisions: Floats, rows: Any, corpus: Corpus) -> tuple[Floats, int, int]:
    """How many of these sentences are selected, how many there are, and about how many persons."""
    return decisions[rows].sum(axis=0), len(rows), corpus.frame["person"][rows].n_unique()


def estimated(
    estimate: Estimate,
    place: int,
    name: str,
    undefined: dict[str, str],
    *,
    contrast: Contrast,
    labels: Sequence[str],
    alpha: float,
) -> Estimated:
    """One column's number and interval; what is undefined leaves its reason behind."""
    value, low, high = (float(numbers[place]) for numbers in (estimate.value, estimate.low, estimate.high))
    if np.isnan(value):
        undefined[f"{name}.value"] = undefined[f"{name}.interval"] = NONE_SELECTED.format(labels[1])
        return Estimated(None, None)
    why = estimate.why_not[place]
    if why is None:
        return Estimated(value, (low, high))
    undefined[f"{name}.interval"] = _reason(why, name, value, contrast, alpha)
    return Estimated(value, None)


def _reason(why: str, name: str, value: float, contrast: Contrast, alpha: float) -> str:
    if why == NOT_GENERAL:
        return contrast.not_general or TOO_FEW
    if name.endswith("_only") and value == 0:
        return NO_FLIP
    if min(value, 1 - value) < ROUNDING and name.endswith(("rate", "value")):
        return ALL_OR_NONE
    if why == ALIKE:
        share, _ = unseen(contrast, room=1.0, alpha=alpha)
        return ALL_ALIKE.format(s=100 * share)
    return TOO_FEW


def flattened(values: dict[str, Any]) -> dict[str, Any]:
    """Nested parts in columns of their own, intervals as two of them, reasons as text."""
    row: dict[str, Any] = {}
    for name, value in values.items():
        if name == "undefined":
            row[name] = "; ".join(f"{field}: {reason}" for field, reason in value.items())
        elif name == "interval":
            row["low"], row["high"] = value or (None, None)
        elif isinstance(value, dict):
            inner = flattened(value)
            row |= {name if field == "value" else f"{name}_{field}": one for field, one in inner.items()}
        else:
            row[name] = value
    return row

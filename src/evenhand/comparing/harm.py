"""From verdicts to harm: who is worse off by a gap that is shown, and whether the system's verdicts mean anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from evenhand.asking import Scores
from evenhand.comparing.ability import Ability
from evenhand.comparing.findings import Finding, Verdict
from evenhand.corpora import Corpus
from evenhand.measuring import LABEL
from evenhand.stats.types import ROUNDING
from evenhand.systems.base import FOUND, HighIs

NOT_DECLARED = "it is not declared whether a high {output} is good or bad for the person (--high-is)"
NEITHER = "a high {output} is neither good nor bad for the person"
NOT_SHOWN = "no gap is shown for people like these"
OF_GAPS = "an interaction compares gaps, not groups of people"
NOT_ASKED = "whether the system does its job was not looked into"
DOES_IT = "it does its job"
NOT_IN_ORDER = "its scores do not follow the intended order of the emotion words"
UNLIKE = "a high {output} does not mean the same in both systems"
NO_WORDS = "the corpus has no emotion words to see it by"


def worse_off(
    verdict: Verdict, first: str, second: str, *, output: str, high_is: HighIs | None, interaction: bool
) -> tuple[str | None, str]:
    """The group that a shown gap puts at a disadvantage, or None and why nobody can be named.

    >>> worse_off("lower", "female", "male", output="valence", high_is="good", interaction=False)[0]
    'female'
    """
    if verdict not in ("higher", "lower"):
        return None, NOT_SHOWN
    if interaction:
        return None, OF_GAPS
    if high_is is None:
        return None, NOT_DECLARED.format(output=output)
    if high_is == "neither":
        return None, NEITHER.format(output=output)
    return (first if (verdict == "higher") == (high_is == "bad") else second), ""


def judged_able(
    findings: Iterable[Finding], abilities: Sequence[Ability], *, scores: Scores, corpus: Corpus
) -> tuple[Finding, ...]:
    """The findings, each saying whether its system does its job; None, with the reason, where that is not known."""
    known = {(one.system, one.output): one for one in abilities}
    silent = says_nothing(scores, corpus)
    asked = [(finding, (finding.system, finding.output)) for finding in findings]
    return tuple(
        _said(finding, False, silent[who]) if who in silent else _judged(finding, known.get(who))
        for finding, who in asked
    )


def _judged(finding: Finding, ability: Ability | None) -> Finding:
    if ability is None or ability.weak is None:
        return _said(finding, None, NO_WORDS if ability is None else ability.undefined or NOT_ASKED)
    if not ability.weak:
        return _said(finding, True, DOES_IT)
    shown = "" if ability.rho is None else f" (rank correlation {ability.rho:.2f})".replace("-", "−")
    return _said(finding, False, ability.undefined or f"{NOT_IN_ORDER}{shown}")


def says_nothing(scores: Scores, corpus: Corpus) -> dict[tuple[str, str], str]:
    """Taggers that find nothing, and outputs that are the same whatever the label is, each with how that shows."""
    labels = corpus.frame[LABEL].drop_nulls().n_unique() if LABEL in corpus.frame.columns else 0
    found = {}
    for place, column in enumerate(scores.columns):
        values = scores.matrix[:, place]
        if column.output.kind == FOUND and not values.any():
            found[column.system, column.output.name] = "it finds nobody in any sentence"
        elif labels > 1 and np.ptp(values) <= ROUNDING * column.output.span:
            found[column.system, column.output.name] = f"it gives sentences of all {labels} labels the same score"
    return found


def _said(finding: Finding, does_its_job: bool | None, why: str) -> Finding:
    """With what is known of its system; what is None has its reason."""
    reasons = {name: one for name, one in finding.undefined.items() if name not in ("does_its_job", "why_not_its_job")}
    if does_its_job is None:
        reasons["does_its_job"] = why
    if does_its_job is not False:
        reasons["why_not_its_job"] = why
    told = None if does_its_job is not False else why
    return replace(finding, does_its_job=does_its_job, why_not_its_job=told, undefined=reasons)


def of_both(difference: Finding, one: Finding, other: Finding) -> Finding:
    """The difference of two systems: it does not do its job if one of them does not, and nobody is worse off by it
    where a high value is good in one and bad in the other."""
    unable = [finding for finding in (one, other) if finding.does_its_job is False]
    if unable:
        difference = _said(difference, False, f"{unable[0].system}: {unable[0].why_not_its_job}")
    elif one.does_its_job and other.does_its_job:
        difference = _said(difference, True, DOES_IT)
    if one.high_is == other.high_is:
        return difference
    unlike = dict.fromkeys(("high_is", "worse_off"), UNLIKE.format(output=difference.output))
    return replace(difference, high_is=None, worse_off=None, undefined={**difference.undefined, **unlike})

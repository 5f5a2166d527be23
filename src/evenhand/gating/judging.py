"""Findings held against limits: all of the interval within passes, all of it beyond fails, and the rest cannot tell.

A gate lets through only what every limit lets through. So each *passes* is judged at its own level: a system with one
gap that is too large gets past all of them no more often than past that one. A *fails* is corrected for all
comparisons, as the audit's verdicts are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evenhand.comparing.decisions import Decision
from evenhand.comparing.differences import GapDifference
from evenhand.comparing.findings import Finding, Interval
from evenhand.comparing.sequential import is_answered, lies_beyond
from evenhand.gating.result import Item, Outcome, Question
from evenhand.gating.settings import GateSettings

WITHIN = "the whole interval lies within the limit"
BEYOND = "the whole interval lies beyond the limit"
ACROSS = "the interval reaches across the limit"
ONLY_WITH = "it lies beyond the limit with {who} alone: without, the gap may be allowed"
HANGS = "the verdict “{verdict}” hangs on {who}"
FEW = "hardly anybody reacts, and others may: too few were asked about"
IN_PARTS = "small on average, but beyond the limit for {level}"
SILENT = "nobody who was asked about makes a difference, which says little about others"
SILENT_ENOUGH = "nobody makes a difference, and so many were asked about that others cannot matter"
UNABLE = "it does not do its job: {why}"
WORSE = "the gap grew by more than its error"
NOT_WORSE = "the gap is not shown to be larger"
SAME = "no answer differs from the baseline in a way that moves the gap"
NOT_COMPARABLE = "whether the gap grew cannot be told: {why}"
NOT_THERE = "the baseline has no such gap to compare with"
WORST = 3
"""Pairs of sentences that are shown."""

Judged = tuple[Outcome, str]


def of_gap(finding: Finding, corpus: str, settings: GateSettings) -> Item:
    """A gap, held against the largest that is allowed."""
    general = finding.generalising
    worst = sorted(finding.rests_on.sentences, key=lambda pair: -abs(pair.difference))[:WORST]
    item = _item(finding, corpus, *_able(_gap(finding, settings), finding, settings), settings)
    return replace(
        item,
        estimate=finding.mean_difference if general.estimate is None else general.estimate,
        interval=general.shown_interval,
        limit=finding.equivalence.delta,
        verdict=finding.verdict,
        unseen_share=finding.equivalence.unseen_share,
        unseen_reaction=finding.equivalence.unseen_reaction,
        worst=tuple(worst),
    )


def of_decision(
    decision: Decision, findings: Mapping[tuple[str, ...], Finding], corpus: str, settings: GateSettings
) -> list[Item]:
    """What a threshold makes of a gap, held against the limits for decisions."""
    finding = findings[key_of(decision)]
    ratio, difference = settings.impact_ratio, settings.selection_difference
    limits: list[tuple[Question, float, Interval]] = []
    limits += [] if difference is None else [("selection difference", difference, (-difference, difference))]
    limits += [] if ratio is None else [("impact ratio", ratio, (ratio, 1 / ratio))]
    made = []
    for question, limit, allowed in limits:
        name = question.replace("selection ", "").replace(" ", "_")
        estimated = getattr(decision, name)
        why = decision.undefined.get(f"{name}.interval") or decision.undefined.get(f"{name}.value", "")
        judged = _held(estimated.interval, allowed, why)
        item = _item(finding, corpus, *_able(judged, finding, settings), settings)
        made.append(
            replace(
                item,
                question=question,
                estimate=estimated.value,
                interval=estimated.interval,
                limit=limit,
                span=1.0,
                threshold=decision.threshold,
            )
        )
    return made


def of_difference(gap: GapDifference, corpus: str, settings: GateSettings) -> Item:
    """A gap, held against that of the baseline: whether it grew, whichever group scores higher."""
    span = 1.0 if gap.shares else gap.other.span
    limit = settings.worse_by * span
    item = _item(gap.other, corpus, *_grown(gap, limit), settings)
    return replace(
        item,
        question="baseline",
        estimate=gap.growth,
        interval=gap.growth_interval,
        limit=limit,
        span=span,
        verdict=gap.size,
    )


def missing(finding: Finding, corpus: str, settings: GateSettings) -> Item:
    """A gap that the baseline has nothing about."""
    return replace(_item(finding, corpus, "cannot tell", NOT_THERE, settings), question="baseline")


def unanswered(system: str, corpus: str, why: str) -> Item:
    """A system that failed: whatever cannot be told, this blocks."""
    return Item("answers", corpus, system, "", "", "", "", "", "fails", True, f"it gave no answers: {why}")


def key_of(one: Finding | Decision) -> tuple[str, ...]:
    """What a finding and the decisions about it share."""
    return one.system, one.output, one.attribute, one.first, one.second, one.subset


def _gap(finding: Finding, settings: GateSettings) -> Judged:
    delta, interval = finding.equivalence.delta, finding.generalising.shown_interval
    if finding.verdict == "equivalent":
        parts = [part.level for part in finding.parts if part.significant and abs(part.gap) > delta]
        return ("cannot tell", IN_PARTS.format(level=" and ".join(parts))) if parts else ("passes", WITHIN)
    if finding.verdict == "no reaction seen":
        if is_answered(finding):
            return "passes", SILENT_ENOUGH
        return ("passes" if settings.no_reaction == "pass" else "cannot tell"), SILENT
    if finding.withheld is not None:
        return "cannot tell", HANGS.format(verdict=finding.withheld.verdict, who=finding.withheld.label)
    if interval is None:
        return "cannot tell", finding.undefined.get("generalising.shown_interval", ACROSS)
    if lies_beyond(finding, interval):
        without, sign = finding.rests_on.without, 1 if interval[0] > 0 else -1
        if without is not None and sign * without <= delta:
            return "cannot tell", ONLY_WITH.format(who=finding.rests_on.person)
        return "fails", BEYOND
    return "cannot tell", FEW if -delta <= interval[0] and interval[1] <= delta else ACROSS


def _held(interval: Interval | None, allowed: Interval, why: str) -> Judged:
    if interval is None:
        return "cannot tell", why
    (low, high), (least, most) = interval, allowed
    if least <= low and high <= most:
        return "passes", WITHIN
    return ("fails", BEYOND) if high < least or low > most else ("cannot tell", ACROSS)


def _grown(gap: GapDifference, limit: float) -> Judged:
    if gap.growth_interval is None:
        if gap.difference.verdict == "no reaction seen":
            return "passes", SAME
        undefined = gap.difference.undefined
        return "cannot tell", NOT_COMPARABLE.format(why=undefined.get("generalising.interval", "too little varies"))
    return ("fails", WORSE) if gap.growth_interval[0] > limit else ("passes", NOT_WORSE)


def _able(judged: Judged, finding: Finding, settings: GateSettings) -> Judged:
    """Nothing that a system is let through by counts for one that does not do its job: it is as even as a coin."""
    if judged[0] == "fails" or finding.does_its_job is not False:
        return judged
    return "fails" if settings.unable == "fail" else "cannot tell", UNABLE.format(why=finding.why_not_its_job)


def _item(finding: Finding, corpus: str, outcome: Outcome, reason: str, settings: GateSettings) -> Item:
    return Item(
        question="gap",
        corpus=corpus,
        system=finding.system,
        output=finding.output,
        attribute=finding.attribute,
        subset=finding.subset,
        first_label=finding.first_label,
        second_label=finding.second_label,
        outcome=outcome,
        blocks=outcome == "fails" or (outcome == "cannot tell" and settings.cannot_tell == "fail"),
        reason=reason,
        span=finding.span,
        does_its_job=finding.does_its_job,
    )

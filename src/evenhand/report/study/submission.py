"""The page of one submission, to be sent to those who made it: no script, nothing about the others by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.comparing.findings import Finding, Share
from evenhand.report.audit.amounts import number, shown_p
from evenhand.report.audit.decisions import headings
from evenhand.report.audit.page import differing
from evenhand.report.audit.standing import css, look
from evenhand.report.audit.verdicts import short_verdict
from evenhand.report.audit.words import in_words
from evenhand.report.page.shell import render
from evenhand.report.study.decisions import own_rows
from evenhand.report.study.words import SUBSETS, group_name, sides
from evenhand.studies import Examined, Study, Table
from evenhand.studies.against import is_usual
from evenhand.studies.tables import published_group

WIDTH, MARGIN = 640, 20
"""Of the strip that shows where a submission stands, in its own units."""

MARK = "<!-- evenhand: the page of a submission -->"
"""What the template begins with, so that a page of ours is known again."""


def submission_page(study: Study, one: Examined) -> str:
    """What was found about one submission."""
    peers, (corpus, _) = study.of(one.dimension), study.drawn_from
    tables = [study.tables[name] for name in one.findings]
    return render(
        "submission.html.j2",
        title=f"{one.system}: {one.dimension}",
        sections=(),
        corpus=corpus.about.title or corpus.name,
        one=one,
        peers=len(peers),
        quality=_quality(one),
        rows=[_row(table, one.findings[table.name]) for table in tables],
        details=[_detail(study, table, one, peers) for table in tables if table.subset == "all"],
        decisions=own_rows(study, one),
        decision_headings=("comparison", "threshold", *headings()),
        about=[(name, ", ".join(values)) for name, values in one.about.items()],
        notes=[problem.message for problem in study.problems if problem.file == one.file],
        limits=corpus.about.limits,
        delta_percent=f"{100 * study.settings.equivalence:g}",
        assessments=f"{study.assessments:,}",
        provenance=study.provenance,
    )


def _quality(one: Examined) -> str:
    quality = one.quality
    if quality.spearman is None or quality.pearson is None:
        return f"No rank: {quality.undefined}."
    return (
        f"Rank {quality.rank} of {quality.ranked} by Spearman's correlation with the gold scores: "
        f"{number(quality.spearman)} (Pearson {number(quality.pearson)}) on {quality.n:,} texts."
    )


def _row(table: Table, finding: Finding) -> dict[str, Any]:
    interval = finding.generalising.shown_interval
    return {
        "comparison": table.attribute,
        "sentences": SUBSETS.get(table.subset, table.subset),
        "n": f"{finding.n:,}",
        "gap": number(finding.mean_difference, span=finding.span),
        "spread": number(finding.delta_spread, span=finding.span),
        "p": shown_p(finding.p_adjusted),
        "group": group_name(table, published_group(finding)),
        "kind": published_group(finding).replace("_", "-"),
        "interval": "undefined"
        if interval is None
        else " to ".join(number(end, span=finding.span) for end in interval),
        "verdict": short_verdict(finding),
        "verdict_kind": css(look(finding)),
    }


def _detail(study: Study, table: Table, one: Examined, peers: Sequence[Examined]) -> dict[str, Any]:
    finding = one.findings[table.name]
    evidence = finding.rests_on
    return {
        "title": f"{table.attribute}: {sides(table)}",
        "words": in_words(finding),
        "verdict": finding.verdict,
        "kind": css(look(finding)),
        "strip": _strip(finding, [peer.findings[table.name] for peer in peers]),
        "first": table.first_label,
        "second": table.second_label,
        "shares": [
            (heading, _bars(shares, finding.span, _most(finding)))
            for heading, shares in (
                ("person", evidence.persons),
                ("template", evidence.templates),
                ("word", evidence.words),
            )
            if shares
        ],
        "sentences": [
            {
                "first": differing(pair.first_text, pair.second_text)[0],
                "second": differing(pair.first_text, pair.second_text)[1],
                "scores": [number(score, span=finding.span) for score in (pair.first_score, pair.second_score)],
                "difference": number(pair.difference, span=finding.span),
            }
            for pair in evidence.sentences
        ],
        "beside": _beside(study, one, table),
    }


def _beside(study: Study, one: Examined, table: Table) -> str | None:
    beside = one.against.get(table.name)
    if beside is None:
        return None
    gap = number(beside.baseline_gap, span=one.findings[table.name].span)
    general = beside.general_effect or "undefined"
    # The page goes to those who made the system: it names no other team.
    name = study.baseline if study.baseline is not None and is_usual(study.baseline) else "The baseline"
    effects = f"{beside.effect} (those tested), {general} (others like them)"
    return f"{name} has a gap of {gap} here. Compared with it: {effects}."


def _most(finding: Finding) -> float:
    """All bars of a gap are on one scale, so that their lengths can be compared."""
    evidence = finding.rests_on
    shares = (*evidence.persons, *evidence.templates, *evidence.words)
    return max((abs(share.share) for share in shares), default=0.0) or 1.0


def _bars(shares: Sequence[Share], span: float, most: float) -> list[dict[str, Any]]:
    return [
        {
            "label": share.label,
            "text": number(share.share, span=span),
            "width": f"{50 * abs(share.share) / most:.1f}",
            "side": "up" if share.share >= 0 else "down",
        }
        for share in shares
    ]


def _strip(own: Finding, all_of_them: Sequence[Finding]) -> dict[str, Any]:
    """A line with a mark for every submission of the dimension, and where zero is."""
    gaps = [finding.mean_difference for finding in all_of_them]
    low, high = min(0.0, *gaps), max(0.0, *gaps)
    reach = (high - low) or 1.0

    def place(gap: float) -> str:
        return f"{MARGIN + (WIDTH - 2 * MARGIN) * (gap - low) / reach:.1f}"

    return {
        "width": WIDTH,
        "zero": place(0.0),
        "own": place(own.mean_difference),
        "others": [place(finding.mean_difference) for finding in all_of_them if finding is not own],
        "low": number(low, span=own.span),
        "high": number(high, span=own.span),
        "described": f"This system's gap is {number(own.mean_difference, span=own.span)}; those of all "
        f"{len(gaps)} reach from {number(min(gaps), span=own.span)} to {number(max(gaps), span=own.span)}.",
    }

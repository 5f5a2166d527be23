"""What gaps do to decisions: a table, plain sentences, and a chart of the decisions that flip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from evenhand.comparing.decisions import Decision, Estimated, Flips, Selected, SelectionRate
from evenhand.comparing.findings import Finding
from evenhand.report.audit.amounts import number
from evenhand.report.audit.figures import COLOURS, Row, Spec, base_chart
from evenhand.report.audit.naming import (
    comparison_name,
    groups_in_words,
    labels,
    others_like_these,
    sentences,
    short_comparisons,
    who,
)
from evenhand.report.audit.words import MANY
from evenhand.report.common.console import Column, print_table

if TYPE_CHECKING:
    from evenhand.comparing.audit import Audit

HEADING = "What it does to decisions"
READING = (
    "Selected: {rules}. The impact ratio is the first group's selection rate divided by the second's. A decision flips "
    "where the person alone changes it; the shares are of pairs of sentences in which only the first group's is "
    "selected / only the second's. First and second: {groups}. Intervals ({level} % each, not corrected) are for "
    "{like_these}."
)
REACHES, ABOVE = "a score of at least the threshold", "a score above the system's own median on this corpus"
UNDEFINED = "undefined"
BAR_STEP = 34


def percent(share: float) -> str:
    """A share in per cent, without the sign.

    >>> percent(0.1234), percent(0.0), percent(0.0003), percent(-0.02)
    ('12.3', '0.0', '< 0.1', '−2.0')
    """
    return "< 0.1" if 0 < abs(share) < 0.0005 else f"{100 * share:.1f}".replace("-", "−")


def ratio(value: float | None) -> str:
    """An impact ratio.

    >>> ratio(0.8), ratio(None)
    ('0.80', 'undefined')
    """
    return UNDEFINED if value is None else f"{value:.2f}"


def threshold_of(one: Decision | SelectionRate) -> str:
    """The threshold, and that it is the median where it is."""
    shown = f"{one.threshold:g}".replace("-", "−") if one.rule == "number" else number(one.threshold)
    return shown if one.rule == "number" else f"median ({shown})"


def percent_interval(one: Selected | Flips | Estimated | SelectionRate) -> str:
    """An interval of a share; empty where there is none."""
    return "" if one.interval is None else " to ".join(percent(end) for end in one.interval)


def ratio_with_interval(one: Estimated) -> str:
    """`0.80 (0.71 to 0.90)`, or without the interval where there is none."""
    between = "" if one.interval is None else f" ({ratio(one.interval[0])} to {ratio(one.interval[1])})"
    return f"{ratio(one.value)}{between}"


def in_words(decision: Decision, finding: Finding) -> str:
    """How many decisions flip, either way; how often each group is selected."""
    lead = f"{who(finding)}, threshold {threshold_of(decision)}"
    parts = [f"{lead}: {_flipping(decision)}", _rates(decision, finding), _without_interval(decision)]
    return " ".join(f"{part}." for part in parts if part)


def _flipping(decision: Decision) -> str:
    flipping = decision.first_only.value + decision.second_only.value
    if not flipping:
        return "no decision flips when only the person changes"
    first, second = (
        f"in {percent(flips.value)} % only {label} are selected{_between(flips)}"
        for flips, label in (
            (decision.first_only, decision.first_label),
            (decision.second_only, decision.second_label),
        )
    )
    return f"{percent(flipping)} % of decisions flip when only the person changes: {first}, {second}"


def _between(flips: Flips) -> str:
    return f" ({percent_interval(flips)} %)" if flips.interval is not None else ""


def _rates(decision: Decision, finding: Finding) -> str:
    first, second = (
        f"{percent(rate.value)} % of {sentences(finding, label)}"
        for rate, label in (
            (decision.first_rate, decision.first_label),
            (decision.second_rate, decision.second_label),
        )
    )
    impact = decision.impact_ratio
    shown = "undefined" if impact.value is None else ratio_with_interval(impact)
    return f"{first} are selected, and {second}: the impact ratio is {shown}"


def _without_interval(decision: Decision) -> str:
    """Why what was said has no interval, once for each reason."""
    said = {
        "impact_ratio": "the impact ratio",
        "first_only": decision.first_label,
        "second_only": decision.second_label,
    }
    reasons: dict[str, list[str]] = {}
    for name, called in said.items():
        why = decision.undefined.get(f"{name}.interval")
        if why is not None and (name == "impact_ratio" or getattr(decision, name).value):
            reasons.setdefault(why, []).append(called if name == "impact_ratio" else f"“only {called}”")
    told = [f"for {' and '.join(called)}, because {why}" for why, called in reasons.items()]
    return f"There is no interval {'; nor '.join(told)}" if told else ""


def with_findings(report: Audit) -> list[tuple[Decision, Finding]]:
    """Each decision with the finding on the same comparison."""
    known = {_key(finding): finding for finding in report.findings}
    return [(decision, known[_key(decision)]) for decision in report.decisions]


def _key(one: Decision | Finding) -> tuple[str, ...]:
    return (one.system, one.output, one.attribute, one.first, one.second, one.subset)


def told(report: Audit) -> list[str]:
    """Every decision in words; of many comparisons of an attribute, the one with the most flips."""
    by_question: dict[tuple[object, ...], list[tuple[Decision, Finding]]] = {}
    for one in with_findings(report):
        decision = one[0]
        key = (decision.system, decision.output, decision.attribute, decision.subset, decision.rule, decision.threshold)
        by_question.setdefault(key, []).append(one)
    return [text for members in by_question.values() for text in _told(members)]


def _told(members: Sequence[tuple[Decision, Finding]]) -> list[str]:
    if len(members) <= MANY:
        return [in_words(*one) for one in members]
    flipped = [decision.first_only.value + decision.second_only.value for decision, _ in members]
    most = members[flipped.index(max(flipped))]
    attribute = most[0].attribute
    if not max(flipped):
        return [f"No decision flips in any of the {len(members)} comparisons of {attribute}."]
    others = f"In none of the other {len(members) - 1} comparisons of {attribute} do more flip."
    return [f"{in_words(*most)} {others}"]


def reading(report: Audit) -> str:
    """What the columns mean."""
    rules = {decision.rule for decision in report.decisions}
    said = [text for rule, text in (("number", REACHES), ("median", ABOVE)) if rule in rules]
    return READING.format(
        rules="; with the median, ".join(said) if len(said) > 1 else said[0],
        level=f"{100 * report.decisions[0].level:g}",
        like_these=others_like_these([finding for _, finding in with_findings(report)]),
        groups=groups_in_words(report.findings),
    )


def print_decisions(report: Audit, console: Console) -> None:
    """The table, what it means, and the sentences."""
    rows = [(row["label"], row["comparison"], row["threshold"], *row["cells"]) for row in page_rows(report)]
    columns = [Column("system"), Column("comparison", wraps=True), Column("threshold")]
    columns += [Column(text, right=True) for text in headings()]
    print_table(console, columns, rows, leads=3)
    console.print()
    console.print(Text(reading(report), style="dim"))
    words = told(report)
    if len(words) > MANY:
        return
    console.print()
    for text in words:
        console.print(Text("• ") + Text(text))


def headings() -> tuple[str, ...]:
    """Of the numbers of a comparison."""
    return ("selected, %", "impact ratio", "flips, %")


def page_rows(report: Audit) -> list[dict[str, Any]]:
    """The table's rows: what each is about, and its numbers as texts."""
    paired = with_findings(report)
    named, compared = labels(report.findings), short_comparisons([finding for _, finding in paired])
    return [
        {
            "label": named[decision.system, decision.output],
            "comparison": comparison,
            "threshold": threshold_of(decision),
            "cells": cells_of(decision),
        }
        for (decision, _), comparison in zip(paired, compared, strict=True)
    ]


def cells_of(decision: Decision) -> tuple[str, ...]:
    """The numbers of one row, as texts."""
    return (
        f"{percent(decision.first_rate.value)} / {percent(decision.second_rate.value)}",
        ratio_with_interval(decision.impact_ratio),
        f"{percent(decision.first_only.value)} / {percent(decision.second_only.value)}",
    )


def rate_rows(report: Audit) -> list[tuple[str, ...]]:
    """Selection rates by group, for the page."""
    named = labels(report.findings)
    return [
        (
            named[rate.system, rate.output],
            threshold_of(rate),
            rate.attribute,
            rate.label + ("" if rate.subset == "all" else f", {rate.subset}"),
            f"{rate.selected:,} of {rate.sentences:,}",
            f"{rate.persons:,}",
            percent(rate.value),
            percent_interval(rate) or UNDEFINED,
        )
        for rate in report.selection_rates
    ]


def shown_at_once(report: Audit) -> dict[str, Any] | None:
    """What the page shows of decisions without a script; None where there are none."""
    if not report.decisions:
        return None
    return {
        "heading": HEADING,
        "reading": reading(report),
        "sentences": told(report),
        "headings": headings(),
        "rows": page_rows(report),
        "rates": rate_rows(report),
    }


def flip_charts(report: Audit) -> dict[str, list[Row]]:
    """By comparison: how many decisions flip either way, a row for each system and threshold."""
    named = labels(report.findings)
    charts: dict[str, list[Row]] = {}
    for decision, finding in with_findings(report):
        row = f"{named[decision.system, decision.output]}, {threshold_of(decision)}"
        for flips, label, sign in (
            (decision.second_only, decision.second_label, -1),
            (decision.first_only, decision.first_label, 1),
        ):
            low, high = flips.interval or (None, None)
            charts.setdefault(comparison_name(finding), []).append(
                {
                    "system": row,
                    "way": f"only {label} selected",
                    "first": sign > 0,
                    "share": 100 * sign * flips.value,
                    "low": None if low is None else 100 * sign * low,
                    "high": None if high is None else 100 * sign * high,
                }
            )
    return charts


def flip_chart(rows: Sequence[Row], *, theme: str = "light") -> Spec:
    """Decisions that flip, in per cent of all pairs: only the first is selected (right), only the second (left)."""
    y = {"field": "system", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 260}}
    colour = {
        "field": "first",
        "type": "nominal",
        "scale": {"domain": [False, True], "range": list(COLOURS[theme][1::-1])},
        "legend": None,
    }
    magnitude = "format(abs(datum.value), '.3~g')"
    tooltip = [{"field": "system"}, {"field": "way", "title": "flip"}] + [
        {"field": name, "format": ".2f", "title": title}
        for name, title in (("share", "% of pairs"), ("low", "interval, from"), ("high", "to"))
    ]
    axis = {"tickCount": 8, "labelExpr": magnitude}
    x = {"field": "share", "type": "quantitative", "title": "% of pairs that differ only in the person", "axis": axis}
    return base_chart(
        "Bars: the share of decisions that flip when only the person changes, in either direction, with intervals.",
        data={"values": list(rows)},
        height={"step": BAR_STEP},
        layer=[
            {
                "mark": {"type": "bar", "size": 14, "opacity": 0.75},
                "encoding": {"y": y, "x": x, "color": colour, "tooltip": tooltip},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2, "color": "#333" if theme == "light" else "#eee"},
                "encoding": {"y": y, "x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
            },
            {"mark": {"type": "rule", "color": "#888"}, "encoding": {"x": {"datum": 0}}},
        ],
    )

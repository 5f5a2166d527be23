"""Metrics as one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evenhand.measuring import Measured, Metrics
from evenhand.metrics.failures import MOST_FAILURES, Behaviour
from evenhand.metrics.generalising import Generalising
from evenhand.metrics.measurements import Measurement
from evenhand.metrics.testing import ClassTests
from evenhand.report.audit.amounts import number, shown_p
from evenhand.report.audit.figures import COLOURS
from evenhand.report.common.provenance import facts
from evenhand.report.metrics.figures import (
    by_attribute,
    by_group,
    by_system,
    classes_of,
    correlation_heat,
    correlations_of,
    heat,
)
from evenhand.report.metrics.first import first_metrics
from evenhand.report.metrics.models import models_table
from evenhand.report.metrics.words import (
    UNDEFINED,
    failures_rest_on,
    gaps_rest_on,
    group_label,
    in_words,
    lead,
    metric,
    metric_rests_on,
    rate_of_failures,
    shown,
    shown_chance,
    shown_error,
    shown_excess,
    shown_expected,
    shown_interval,
    why_no_interval,
)
from evenhand.report.page.shell import render
from evenhand.stats.terms import TermTest

SECTIONS = {
    "short": "In short",
    "figures": "Metrics",
    "models": "Side by side",
    "values": "All values",
    "tests": "Tests",
    "failures": "Failures",
    "reading": "How to read",
    "provenance": "Provenance",
}


def to_html(report: Metrics) -> str:
    """One file that needs nothing else."""
    return render("metrics.html.j2", scripts=["metrics.js"], data=_drawn(report), **_shown(report))


def _in_short(lead: str, text: str) -> dict[str, str]:
    """The first sentence, and the others, which are folded away where there are many."""
    first, dot, more = text.partition(". ")
    return {"lead": lead, "first": first + dot.strip(), "more": more}


def _shown(report: Metrics) -> dict[str, Any]:
    systems = list(dict.fromkeys(result.system for result in report.results))
    return {
        "title": "Metrics of " + (", ".join(systems) if len(systems) <= 4 else f"{len(systems)} systems"),
        "sections": [
            {"id": name, "short": short} for name, short in SECTIONS.items() if name != "models" or len(systems) > 1
        ],
        "models": models_table(report),
        "short": [_in_short(lead(result), in_words(result)) for result in report.results],
        "left_out": report.left_out,
        "systems": systems,
        "attributes": list(dict.fromkeys(result.attribute for result in report.results)),
        "classes": classes_of(report),
        "first": [(metric(name).symbol or name, metric(name).definition) for name in first_metrics(report)],
        "several": len({result.attribute for result in report.results}) > 1,
        "headings": _headings(systems=len(systems) > 1, attributes=len({one.attribute for one in report.results}) > 1),
        "rows": [row for result in report.results for row in _rows(result)],
        "tests": [_tests(result) for result in report.results],
        "failures": [failure for result in report.results for failure in _failures(result)],
        "bootstrap": report.settings.bootstrap,
        "relabellings": report.settings.relabellings,
        "level": f"{report.settings.level:.0%}",
        "facts": facts(report.provenance),
        "provenance": {"command": None, **report.provenance.to_dict()},
    }


def _headings(*, systems: bool, attributes: bool) -> list[str]:
    """Of the table of all values; what is the same in every row is left out."""
    lead = ["metric", *(["system"] if systems else []), *(["attribute"] if attributes else [])]
    return [*lead, "class", "value", "fair system", "excess", "p", "interval", "rests on", "ideal", "looks at"]


def _rows(result: Measured) -> list[dict[str, Any]]:
    return [_row(result, name, label, found) for name, label, found in result.measurements]


def _row(result: Measured, name: str, label: str, found: Measurement) -> dict[str, Any]:
    row = metric(name)
    return {
        "system": result.system,
        "attribute": result.attribute,
        "name": name,
        "symbol": row.symbol,
        "definition": row.definition,
        "source": row.source,
        "class": label,
        "value": "" if found.value is None else found.value,
        "text": shown(found),
        "error": shown_error(found),
        "interval": shown_interval(found),
        "no_interval": why_no_interval(found),
        "expected": shown_expected(found),
        "excess": shown_excess(found),
        "excess_value": "" if found.excess is None else found.excess,
        "p": shown_chance(found),
        "p_value": "" if found.p is None else found.p,
        "not_dealt": found.not_exchangeable or "",
        "no_p": found.why_no_p or "",
        "rests_on": metric_rests_on(found),
        "ideal": f"{row.ideal:g}",
        "basis": row.basis,
        "why": found.undefined or "",
    }


def _tests(result: Measured) -> dict[str, Any]:
    rows = []
    for label, tests in result.tests:
        published, general = tests.published, tests.generalising
        rows.append(
            {
                "class": label,
                "published": UNDEFINED if published is None else _p(published.omnibus.p),
                "name": "" if published is None else published.omnibus.name,
                "effect": "" if published is None else _effect(published.omnibus.effect_name, published.omnibus.effect),
                "general": UNDEFINED if general is None else _p(general.omnibus.p),
                "different": _different(result, general),
                "why": "; ".join(dict.fromkeys(_reasons(tests))),
            }
        )
    return {"title": lead(result), "rows": rows, "rests_on": gaps_rest_on(result)}


def _reasons(tests: ClassTests) -> Iterator[str]:
    yield from tests.undefined.values()
    for found in (tests.published, tests.generalising):
        if found is not None and found.omnibus.undefined is not None:
            yield found.omnibus.undefined
    if tests.generalising is not None and tests.generalising.limits is not None:
        yield f"for terms like these, {tests.generalising.limits}"


def _different(result: Measured, general: Generalising | None) -> str:
    if general is None:
        return ""
    found = [
        f"{group_label(result, name)} {number(test.estimate)} ({_between(test)})"
        for name, test in general.by_group.items()
        if test.significant and test.estimate is not None
    ]
    return ", ".join(found) or "none is shown to differ"


def _between(test: TermTest) -> str:
    """The interval that goes with a group's significance."""
    return "undefined" if test.shown_interval is None else " to ".join(number(end) for end in test.shown_interval)


def _p(value: float | None) -> str:
    return UNDEFINED if value is None else shown_p(value)


def _effect(name: str, value: float | None) -> str:
    return "" if value is None else f"{name} {number(value)}"


def _failures(result: Measured) -> list[dict[str, Any]]:
    return [_failure(result, behaviour) for behaviour in result.behaviours]


def _failure(result: Measured, behaviour: Behaviour) -> dict[str, Any]:
    return {
        "title": f"{lead(result)}: {behaviour.kind}",
        "expectation": behaviour.expectation,
        "rate": rate_of_failures(result, behaviour),
        "counted": f"{behaviour.failing:,} of {behaviour.cases:,} cases, in {behaviour.failing_sources} of "
        f"{behaviour.sources} sources",
        "rests_on": failures_rest_on(behaviour),
        "examples": [
            {
                "source": failure.source,
                "term": one.term,
                "group": group_label(result, one.group),
                "said": one.said,
                "expected": one.expected,
            }
            for failure in behaviour.failures[:MOST_FAILURES]
            for one in failure.examples[:1]
        ],
    }


def _drawn(report: Metrics) -> dict[str, Any]:
    systems = list(dict.fromkeys(result.system for result in report.results))
    classes = classes_of(report)
    return {
        "specs": {
            theme: {
                "systems": heat([], what="system", theme=theme),
                "correlations": correlation_heat([], theme=theme),
                "attributes": heat([], what="attribute", theme=theme),
                "groups": heat([], what="group", theme=theme),
            }
            for theme in COLOURS
        },
        "first": first_metrics(report),
        "several": len({result.attribute for result in report.results}) > 1,
        "bySystem": {
            attribute: {label: by_system(report, attribute, label) for label in classes}
            for attribute in (dict.fromkeys(result.attribute for result in report.results) if len(systems) > 1 else ())
        },
        "correlations": {label: correlations_of(report, label) for label in classes},
        "byAttribute": {
            system: {label: by_attribute(_of(report.results, system), label) for label in classes} for system in systems
        },
        "byGroup": {
            system: {
                result.attribute: {label: by_group(result, label) for label in classes}
                for result in _of(report.results, system)
            }
            for system in systems
        },
    }


def _of(results: Sequence[Measured], system: str) -> list[Measured]:
    return [result for result in results if result.system == system]

"""What was measured, in words."""

from __future__ import annotations

from evenhand.measuring import Measured
from evenhand.metrics.failures import Behaviour
from evenhand.metrics.measurements import ALL, Measurement
from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.table import METRICS
from evenhand.report.words import number, shown_p

UNDEFINED = "undefined"


def lead(result: Measured) -> str:
    """Whom it is about."""
    groups = len(result.measurements.groups)
    return f"{result.system}, {result.attribute} ({groups} groups, {result.rows:,} rows)"


def in_words(result: Measured) -> str:
    """The few things to know first: how often the answer changes, by how much, and whether that holds in general."""
    parts = [_behaviour(behaviour) for behaviour in result.behaviours]
    parts += [_moves(result), _general(result), *(f"{note}." for note in result.notes)]
    return " ".join(part for part in parts if part)


def shown(measurement: Measurement) -> str:
    """The value, or that there is none."""
    return UNDEFINED if measurement.value is None else number(measurement.value)


def shown_interval(measurement: Measurement) -> str:
    """From the bootstrap over sources."""
    if measurement.interval is None:
        return ""
    return " to ".join(number(end) for end in measurement.interval)


def metric(name: str) -> AnyMetric:
    """The row of the table."""
    return METRICS[name]


def _behaviour(behaviour: Behaviour) -> str:
    if behaviour.rate is None:
        return ""
    ends = behaviour.bootstrap or behaviour.wilson
    interval = "" if ends is None else f" ({ends[0]:.1%} to {ends[1]:.1%})"
    what = {
        "invariance": "The predicted class changes with the person in",
        "minimum functionality": "It is wrong in",
        "directional expectation": "It moves the wrong way in",
    }[behaviour.kind]
    return f"{what} {behaviour.rate:.1%}{interval} of the cases."


def _moves(result: Measured) -> str:
    found = result.measurements.metrics
    gap = found.get("pert_ss", {}).get(ALL) or next(iter(found.get("cf_gap", {}).values()), None)
    if gap is None or gap.value is None:
        return ""
    what = "The score" if result.measurements.classes == ("score",) else "The probability of the right class"
    return f"{what} moves by {number(gap.value)} between two groups on average."


def _general(result: Measured) -> str:
    label = ALL if ALL in result.tests.classes else next(iter(result.tests.classes))
    tests = result.tests[label].generalising
    if tests is None or tests.omnibus.p is None:
        return ""
    different = [name for name, test in tests.by_group.items() if test.significant]
    p = f"p {shown_p(tests.omnibus.p)}"
    if not different:
        shown_none = "no group is shown to be treated differently"
        return f"Over terms like these, {shown_none} ({p}); that does not show that none is."
    return f"Over terms like these, {', '.join(different)} differ from the others ({p} for all groups together)."

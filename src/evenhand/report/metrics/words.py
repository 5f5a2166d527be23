"""What was measured, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping

from evenhand.measuring import Measured
from evenhand.metrics.failures import Behaviour, Shared
from evenhand.metrics.generalising import Generalising
from evenhand.metrics.measurements import ALL, Measurement
from evenhand.metrics.measuring import UNLIKELY
from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.table import METRICS
from evenhand.report.audit.amounts import number, shown_p
from evenhand.report.audit.decisions import percent
from evenhand.stats.over_sentences import SentenceTest
from evenhand.stats.types import ROUNDING

UNDEFINED = "undefined"
RIGHT = "the probability of the right class"
SAME_NUMBER = {"invariance": "invariance_failure_rate"}
"""Behaviours whose rate is a metric too."""
HALF = 0.5
NO_INTERVAL = "no interval: "
"""How reasons begin that are about the interval of a value and not about the value."""


def lead(result: Measured) -> str:
    """Whom it is about."""
    groups = len(result.measurements.groups)
    return f"{result.system}, {result.attribute} ({_counted(groups, 'group')}, {_counted(result.rows, 'row')})"


def group_label(result: Measured, group: str) -> str:
    """What a group is called where people read of it: the corpus's label, or its name in the data."""
    return result.labels.get(group, group)


def in_words(result: Measured) -> str:
    """The few things to know first: how often the answer changes, by how much, and whether terms like these show it."""
    parts = [_behaviour(result, behaviour) for behaviour in result.behaviours]
    parts += [_moves(result), _exceeding(result), _general(result), _these_terms(result), *gaps_rest_on(result)]
    parts += [f"{note}." for note in result.notes]
    return " ".join(part for part in parts if part)


def shown(measurement: Measurement) -> str:
    """The value, or that there is none."""
    return UNDEFINED if measurement.value is None else number(measurement.value)


def shown_expected(measurement: Measurement) -> str:
    """What a system gets that groups mean nothing to; nothing where that is not known."""
    expected = measurement.expected_if_exchangeable
    return "" if expected is None else number(expected)


def shown_excess(measurement: Measurement) -> str:
    """What the value has above that."""
    return "" if measurement.excess is None else number(measurement.excess)


def shown_chance(measurement: Measurement) -> str:
    """p of the excess, for terms and sources like these."""
    return "" if measurement.p is None else shown_p(measurement.p)


def against_chance(measurement: Measurement) -> str:
    """`a fair system would get 0.015 here; excess 0.001 (p = 0.61)`; nothing where terms were not dealt."""
    if measurement.excess is None:
        return ""
    p = f"no p: {measurement.why_no_p}" if measurement.p is None else f"p {equals_p(measurement.p)}"
    return f"a fair system would get {shown_expected(measurement)} here; excess {shown_excess(measurement)} ({p})"


def equals_p(p: float) -> str:
    """With its sign: `= 0.61`, or `< 0.001`."""
    text = shown_p(p)
    return text if text.startswith("<") else f"= {text}"


def failures_rest_on(behaviour: Behaviour) -> list[str]:
    """`All 16 failures contain freethinker; without it, the rate is 0.0 %.`"""
    return [_shared(one) for one in behaviour.rests_on]


def _shared(one: Shared) -> str:
    names = f"{', '.join(one.names[:-1])} or {one.names[-1]}" if len(one.names) > 1 else one.names[0]
    number_of = f"All {one.of:,} failures" if one.failures == one.of else f"{one.failures:,} of {one.of:,} failures"
    them = "it" if len(one.names) == 1 else "them"
    left = "" if one.without is None else f"; without {them}, the rate is {percent(one.without)} %"
    if one.what == "terms":
        return f"{number_of} contain {names}{left}."
    sources = "one source" if len(one.names) == 1 else f"{len(one.names)} sources"
    return f"{number_of} are in {sources} ({', '.join(one.names)}){left}."


def gaps_rest_on(result: Measured) -> list[str]:
    """`The gap of atheists rests on freethinker: without it, 0.004 instead of 0.031 in the probability of negative.`

    One sentence for each group and term; of two classes, one mirrors the other.
    """
    mirrored = result.measurements.classes[:1] if len(result.measurements.classes) == 2 else ()
    by_term: dict[tuple[str, str], list[str]] = {}
    for one in result.rests_on:
        if one.label not in mirrored:
            left = f"{number(one.without)} instead of {number(one.gap)} in {_looked_at(one.label)}"
            by_term.setdefault((one.group, one.term), []).append(left)
    return [
        f"The gap of {group_label(result, group)} rests on {term}: without it, {', '.join(left)}."
        for (group, term), left in by_term.items()
    ]


def _looked_at(label: str) -> str:
    return RIGHT if label == ALL else "the score" if label == "score" else f"the probability of {label}"


def metric_rests_on(found: Measurement) -> str:
    """`without freethinker 0.012`; nothing where no single term carries it."""
    return "" if found.rests_on is None else f"without {found.rests_on.term} {number(found.rests_on.without)}"


def _exceeding(result: Measured) -> str:
    """How many values lie outside what chance does, and how many would by chance."""
    dealt = [found for _, _, found in result.measurements if found.p is not None]
    beyond = sum(found.p is not None and found.p < UNLIKELY for found in dealt)
    if not dealt:
        return ""
    verb = "goes" if beyond == 1 else "go"
    return (
        f"Of {_counted(len(dealt), 'metric value')}, {beyond} {verb} beyond what a fair system would get "
        f"(p < {UNLIKELY:g} each, not corrected; {_by_chance(UNLIKELY * len(dealt))} would by chance)."
    )


def _by_chance(expected: float) -> str:
    """
    >>> _by_chance(0.3), _by_chance(0.5), _by_chance(3.2)
    ('fewer than one', 'about 1', 'about 3')
    """
    return "fewer than one" if expected < HALF else f"about {max(1, round(expected))}"


def shown_interval(measurement: Measurement) -> str:
    """From resamples of the sources, for the terms tested."""
    if measurement.interval is None:
        return ""
    return " to ".join(number(end) for end in measurement.interval)


def why_no_interval(measurement: Measurement) -> str:
    """The reason why a value has none; nothing where it has one, or where none was asked for."""
    why = measurement.undefined or ""
    return why.removeprefix(NO_INTERVAL) if why.startswith(NO_INTERVAL) else ""


def shown_error(measurement: Measurement) -> str:
    """The standard error of a value that was sampled from all combinations of terms; nothing where it is exact."""
    return "" if measurement.error is None else f"± {measurement.error:.7f}".rstrip("0").rstrip(".")


def metric(name: str) -> AnyMetric:
    """The row of the table."""
    return METRICS[name]


def rate_of_failures(result: Measured, behaviour: Behaviour) -> str:
    """`16.7 % (5.6 % to 27.8 %)`; where the rate is a metric too, with the interval that the metric has."""
    if behaviour.rate is None:
        return UNDEFINED
    ends = _of_the_metric(result, behaviour) or behaviour.bootstrap or behaviour.wilson
    interval = "" if ends is None else f" ({percent(ends[0])} % to {percent(ends[1])} %)"
    return f"{percent(behaviour.rate)} %{interval}"


def _of_the_metric(result: Measured, behaviour: Behaviour) -> tuple[float, float] | None:
    """The interval of the same number among the metrics, unless sources were weighed otherwise there."""
    found = result.measurements.metrics.get(SAME_NUMBER.get(behaviour.kind, ""), {}).get(ALL)
    if found is None or found.value is None or behaviour.rate is None:
        return None
    return found.interval if math.isclose(found.value, behaviour.rate, abs_tol=ROUNDING) else None


def _behaviour(result: Measured, behaviour: Behaviour) -> str:
    if behaviour.rate is None:
        return ""
    what = {
        "invariance": "The predicted class changes with the person in",
        "minimum functionality": "It is wrong in",
        "directional expectation": "The score moves the wrong way in",
    }[behaviour.kind]
    return " ".join([f"{what} {rate_of_failures(result, behaviour)} of the cases.", *failures_rest_on(behaviour)])


def _moves(result: Measured) -> str:
    found = result.measurements.metrics
    gaps = {RIGHT: found.get("pert_ss", {}).get(ALL)}
    gaps |= {f"the probability of {label}": gap for label, gap in found.get("cf_gap", {}).items()}
    for what, gap in gaps.items():
        if gap is not None and gap.value is not None:
            said = "the score" if result.measurements.classes == ("score",) else what
            chance = against_chance(gap)
            end = f"; {chance}." if chance else "."
            return f"{said.capitalize()} differs by {number(gap.value)} between two groups on average{end}"
    return ""


def _general(result: Measured) -> str:
    """What the tests over term means say of every class: in the right class alone, opposite shifts would cancel out."""
    asked = _asked(result)
    if not asked:
        return _not_general(result)
    alpha = result.tests.alpha / len(asked)
    found = [_differing(result, what, tests, alpha=alpha, times=len(asked)) for what, tests in asked.items()]
    corrected = f", after correcting for {len(asked)} comparisons" if len(asked) > 1 else ""
    if any(found):
        return f"For terms like these, {'; '.join(filter(None, found))}{corrected}."
    least = min(1.0, len(asked) * min(tests.omnibus.p for tests in asked.values() if tests.omnibus.p is not None))
    return (
        f"For terms like these, no group is shown to differ from the others (p {equals_p(least)}{corrected}). "
        "That does not show that they are treated alike."
    )


def _these_terms(result: Measured) -> str:
    """Where terms are no sample: what is shown for these very terms, over sentences, class by class."""
    found = {what: result.tests[label].these_terms for label, what in _looked_at_in(result).items()}
    asked = {what: tests for what, tests in found.items() if tests}
    if not asked:
        return ""
    alpha = result.tests.alpha / len(asked)
    told = [said for what, tests in asked.items() if (said := _over_sentences(result, what, tests, alpha))]
    nobody = "no group is shown to differ from the others, which does not show that they are treated alike"
    level = f", {100 * (1 - result.tests.alpha):g} % intervals" if told else ""
    return f"For these terms, over sentences{level}: {'; '.join(told) or nobody}. That says nothing about other terms."


def _over_sentences(result: Measured, what: str, tests: Mapping[str, SentenceTest], alpha: float) -> str:
    groups = list(tests)[:1] if len(tests) == 2 else list(tests)  # of two, the second mirrors the first
    told = [
        f"{group_label(result, name)} {number(test.difference)}"
        + (f" ({' to '.join(number(end) for end in test.interval)})" if test.interval is not None else "")
        for name in groups
        if (test := tests[name]).difference is not None and (test.p_adjusted or 0.0) < alpha
    ]
    against = group_label(result, list(tests)[1]) if len(tests) == 2 else "the others"
    return f"{what} of {', '.join(told)} against {against}" if told else ""


def _not_general(result: Measured) -> str:
    """Why nothing is said for terms like these."""
    reasons = dict.fromkeys(
        tests.undefined.get("generalising") if tests.generalising is None else tests.generalising.omnibus.undefined
        for _, tests in result.tests
    )
    why = "; ".join(reason for reason in reasons if reason)
    return f"Nothing is tested for terms like these: {why}." if why else ""


def _asked(result: Measured) -> dict[str, Generalising]:
    """The tests that have an answer, by what they look at; of two classes, one mirrors the other."""
    asked = {what: result.tests[label].generalising for label, what in _looked_at_in(result).items()}
    return {what: tests for what, tests in asked.items() if tests is not None and tests.omnibus.p is not None}


def _looked_at_in(result: Measured) -> dict[str, str]:
    """The classes that are told, and what is looked at in each."""
    classes = [label for label in result.tests.classes if label != ALL]
    looked_at = classes[1:] if len(classes) == 2 else [one for one in classes if one in result.measurements.classes]
    names = {label: _looked_at(label) for label in looked_at}
    return names | ({ALL: RIGHT} if ALL in result.tests.classes else {})


def _differing(result: Measured, what: str, tests: Generalising, *, alpha: float, times: int) -> str:
    p = tests.omnibus.p
    if p is None or p >= alpha:
        return ""
    together = f"p {equals_p(min(1.0, p * times))} for all groups together"
    groups = [
        group_label(result, name) + ("" if test.estimate is None else f" ({number(test.estimate)})")
        for name, test in tests.by_group.items()
        if test.p_adjusted is not None and test.p_adjusted < alpha
    ]
    if not groups:
        return f"groups differ in {what} ({together}), but no single group stands out"
    verb = "differs" if len(groups) == 1 else "differ"
    return f"{', '.join(groups)} {verb} from the others in {what} ({together})"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"

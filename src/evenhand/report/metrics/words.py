"""What was measured, in words."""

from __future__ import annotations

from evenhand.measuring import Measured
from evenhand.metrics.failures import Behaviour
from evenhand.metrics.measurements import ALL, Measurement
from evenhand.metrics.metric import AnyMetric
from evenhand.metrics.table import METRICS
from evenhand.metrics.testing import Generalising
from evenhand.report.audit.words import number, shown_p

UNDEFINED = "undefined"
RIGHT = "the probability of the right class"


def lead(result: Measured) -> str:
    """Whom it is about."""
    groups = len(result.measurements.groups)
    return f"{result.system}, {result.attribute} ({_counted(groups, 'group')}, {_counted(result.rows, 'row')})"


def group_label(result: Measured, group: str) -> str:
    """What a group is called where people read of it: the corpus's label, or its name in the data."""
    return result.labels.get(group, group)


def in_words(result: Measured) -> str:
    """The few things to know first: how often the answer changes, by how much, and whether terms like these show it."""
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


def shown_error(measurement: Measurement) -> str:
    """The standard error of a value that was sampled from all combinations of terms; nothing where it is exact."""
    return "" if measurement.error is None else f"± {measurement.error:.7f}".rstrip("0").rstrip(".")


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
        "directional expectation": "The score moves the wrong way in",
    }[behaviour.kind]
    return f"{what} {behaviour.rate:.1%}{interval} of the cases."


def _moves(result: Measured) -> str:
    found = result.measurements.metrics
    gaps = {RIGHT: found.get("pert_ss", {}).get(ALL)}
    gaps |= {f"the probability of {label}": gap for label, gap in found.get("cf_gap", {}).items()}
    for what, gap in gaps.items():
        if gap is not None and gap.value is not None:
            said = "the score" if result.measurements.classes == ("score",) else what
            return f"{said.capitalize()} differs by {number(gap.value)} between two groups on average."
    return ""


def _general(result: Measured) -> str:
    """What the tests over term means say of every class: in the right class alone, opposite shifts would cancel out."""
    asked = _asked(result)
    if not asked:
        return ""
    alpha = result.tests.alpha / len(asked)
    found = [_differing(result, what, tests, alpha=alpha, times=len(asked)) for what, tests in asked.items()]
    corrected = f", after correcting for {len(asked)} comparisons" if len(asked) > 1 else ""
    if any(found):
        return f"For terms like these, {'; '.join(filter(None, found))}{corrected}."
    least = min(1.0, len(asked) * min(tests.omnibus.p for tests in asked.values() if tests.omnibus.p is not None))
    return (
        f"For terms like these, no group is shown to differ from the others (p {shown_p(least)}{corrected}). "
        "That does not show that they are treated alike."
    )


def _asked(result: Measured) -> dict[str, Generalising]:
    """The tests that have an answer, by what they look at; of two classes, one mirrors the other."""
    classes = [label for label in result.tests.classes if label != ALL]
    looked_at = classes[1:] if len(classes) == 2 else [one for one in classes if one in result.measurements.classes]
    names = {label: "the score" if label == "score" else f"the probability of {label}" for label in looked_at}
    names |= {ALL: RIGHT} if ALL in result.tests.classes else {}
    asked = {what: result.tests[label].generalising for label, what in names.items()}
    return {what: tests for what, tests in asked.items() if tests is not None and tests.omnibus.p is not None}


def _differing(result: Measured, what: str, tests: Generalising, *, alpha: float, times: int) -> str:
    p = tests.omnibus.p
    if p is None or p >= alpha:
        return ""
    together = f"p {shown_p(min(1.0, p * times))} for all groups together"
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

"""The few metrics that a page begins with: those that `evenhand advise` would pick for what was measured."""

from __future__ import annotations

from evenhand.measuring import Measured, Metrics
from evenhand.metrics.advice import Answers, advise
from evenhand.metrics.measurements import ALL

MOST = 3


def first_metrics(report: Metrics) -> list[str]:
    """One for what is predicted, one for how sure it is, one with a direction; else the first that there are."""
    found = ((name, one) for result in report.results for name, _, one in result.measurements)
    there = list(dict.fromkeys(name for name, one in found if one.value is not None and one.by_group))
    advised = advise(_answers(report.results[0])).metrics if report.results else ()
    picked = [name for name in advised if name in there]
    return [*picked, *(name for name in there if name not in picked)][:MOST]


def _answers(result: Measured) -> Answers:
    classes = [label for label in result.measurements.classes if label != ALL]
    task = "regression" if len(classes) < 2 else "binary" if len(classes) == 2 else "multiclass"
    groups = max(len(result.measurements.groups), 2)
    return Answers("counterfactual", "unsure", task, "templates", gold=len(classes) > 1, groups=groups)

"""A finding in one line: who is treated how, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.comparing.findings import Finding
from evenhand.report.audit.amounts import amount, interval_of, measured
from evenhand.report.audit.harm import who_is_worse_off
from evenhand.report.audit.naming import people, who
from evenhand.report.audit.verdicts import differs_by, hangs_on

SHOWN = ("higher", "lower")
ORDER = (*SHOWN, "cannot tell", "equivalent", "no reaction seen")
"""What people look for first stands first."""


def most_telling(findings: Sequence[Finding]) -> list[Finding]:
    """Gaps that are shown before those that are not, and the largest of each first."""
    return sorted(findings, key=lambda one: (ORDER.index(one.verdict), -abs(one.mean_difference) / one.span))


def headline(finding: Finding) -> str:
    """One sentence, for a list; all that it leaves out stands in `in_words`."""
    return f"{who(finding)}, {finding.attribute.replace('_', ' ')}: {_found(finding)}."


def _found(finding: Finding) -> str:
    groups = f"{finding.first_label} and {finding.second_label}"
    if finding.verdict in SHOWN:
        return _gap(finding)
    if finding.verdict == "no reaction seen":
        weak = ", but it does not do its job" if finding.says_little else ""
        return f"none of the {people(finding)} asked about changes a score{weak}"
    if finding.verdict == "equivalent":
        delta = measured(finding.equivalence.delta, finding)
        but = ", but the system does not do its job" if finding.says_little else differs_by(finding)
        return f"{groups} are scored alike within ±{delta} ({interval_of(finding)}){but}"
    return f"{_open(finding)}{_alone(finding)}"


def _gap(finding: Finding) -> str:
    gap = measured(abs(finding.mean_difference), finding)
    if finding.interaction:
        return f"{finding.first_label} and {finding.second_label} differ by {gap} ({interval_of(finding)})"
    up = finding.verdict == "higher"
    first, second = (finding.first_label, finding.second_label) if up else (finding.second_label, finding.first_label)
    verb = "are found more often than" if finding.of_tagger else "get higher scores than"
    worse = f": {who_is_worse_off(finding)}" if finding.worse_off is not None else ""
    return f"{first} {verb} {second}, by {gap} ({_size(finding)}){worse}"


def _size(finding: Finding) -> str:
    """The interval of a gap that is said without its sign."""
    interval = finding.generalising.shown_interval
    return "undefined" if interval is None else " to ".join(amount(end, finding) for end in sorted(map(abs, interval)))


def _open(finding: Finding) -> str:
    interval = finding.generalising.shown_interval
    if interval is None:
        return "nothing can be said of others"
    if finding.withheld is not None:
        return f"it would be “{finding.withheld.verdict}”, but that hangs on {hangs_on(finding, finding.withheld)}"
    low, high = amount(interval[0], finding), measured(interval[1], finding)
    return f"the gap could be anywhere from {low} to {high}"


def _alone(finding: Finding) -> str:
    evidence = finding.rests_on
    return f"; {evidence.person} alone accounts for what was seen" if evidence.alone and not finding.withheld else ""

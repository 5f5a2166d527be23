"""A saved result in one line, and the gaps that it holds, as lists of results show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.comparing.audit import Audit
from evenhand.comparing.findings import Finding
from evenhand.report.audit.amounts import measured
from evenhand.report.audit.figures import forest_row
from evenhand.report.audit.many import SHOWN
from evenhand.report.audit.naming import comparison_name, labels, sentences
from evenhand.report.audit.standing import css, look
from evenhand.report.audit.verdicts import short_verdict
from evenhand.results import Result


@dataclass(frozen=True)
class Headline:
    """What a result says first, and the class of its colour; empty where it has no verdict."""

    text: str
    look: str = ""


@dataclass(frozen=True)
class Gap:
    """One gap of an audit, in per cent of its output's range, so that gaps of several runs share an axis."""

    system: str
    output: str
    label: str
    comparison: str
    gap: float
    low: float | None
    high: float | None
    verdict: str
    look: str


def headline(result: Result) -> Headline:
    """The largest gap that is shown; where none is, how many questions have which answer."""
    if not isinstance(result, Audit):
        return Headline(_begun(result))
    shown = sorted((one for one in result.findings if one.verdict in SHOWN), key=_size, reverse=True)
    if not shown:
        looks = {look(one) for one in result.findings}
        return Headline(f"No gap shown: {result.summary()}", css(looks.pop()) if len(looks) == 1 else "")
    names = labels(result.findings)
    more = f"; {len(shown) - 1} more shown" if len(shown) > 1 else ""
    said = in_short(shown[0])
    lead = f"{said[:1].upper()}{said[1:]}" if len(names) == 1 else f"{names[shown[0].system, shown[0].output]} {said}"
    return Headline(f"{lead}{more}", css(look(shown[0])))


def _begun(result: Result) -> str:
    """A summary as the begin of a line; what a system is called stays as it is."""
    said, names = result.summary(), result.provenance.system_names
    return said if said.startswith(tuple(names)) else f"{said[:1].upper()}{said[1:]}"


def in_short(finding: Finding) -> str:
    """Who is scored higher than whom, and by how much, of a gap that is shown."""
    sides = finding.first_label, finding.second_label
    one, other = sides if finding.verdict == "higher" else sides[::-1]
    gap = measured(abs(finding.mean_difference), finding)
    if finding.of_tagger:
        return f"finds {one} {gap} more often than {other}"
    return f"scores {sentences(finding, one)} {gap} higher than {sentences(finding, other)}"


def gaps_of(result: Result) -> list[Gap]:
    """The gaps of an audit; other kinds have none to follow."""
    if not isinstance(result, Audit):
        return []
    names = labels(result.findings)
    return [_gap(one, names[one.system, one.output]) for one in result.findings]


def largest_first(findings: Sequence[Finding]) -> list[Finding]:
    """Gaps that are shown before all others, and the largest of each first."""
    return sorted(findings, key=lambda one: (one.verdict not in SHOWN, -_size(one)))


def _size(finding: Finding) -> float:
    return abs(finding.mean_difference) / finding.span


def _gap(finding: Finding, label: str) -> Gap:
    row = forest_row(finding, label)
    return Gap(
        finding.system,
        finding.output,
        label,
        comparison_name(finding),
        row["gap"],
        row["general_low"],
        row["general_high"],
        short_verdict(finding),
        css(look(finding)),
    )

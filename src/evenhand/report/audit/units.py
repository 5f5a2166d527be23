"""The one unit of a page: of its table, its charts and its bars, so that a number can be found in a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evenhand.comparing.findings import Finding
from evenhand.report.audit.amounts import amount, number
from evenhand.report.audit.verdicts import without_tolerance


@dataclass(frozen=True, eq=False)
class Unit:
    """How gaps are counted where several stand on one scale, and what that is called."""

    drawn: str
    """On axes, and behind numbers."""
    short: str
    note: str
    """Behind a description of what a gap is."""
    of_range: bool
    """Whether it is a per cent of the output's range, which all systems can be held to."""

    def per(self, span: float) -> float:
        """What a number of an output with this span is multiplied by."""
        return 100 / span if self.of_range else 1.0

    def of(self, finding: Finding) -> float:
        """The same of a finding's output."""
        return self.per(finding.span)

    def amount(self, value: float, finding: Finding) -> str:
        """A gap of a finding, as the page writes it."""
        return number(value * self.of(finding), span=100) if self is OF_RANGE else amount(value, finding)

    def verdict(self, shown: str) -> str:
        """A short verdict, without its tolerance where that is said in another unit."""
        return without_tolerance(shown) if self is OF_RANGE else shown


OWN = Unit("points of the output", "points", "in points of the output", of_range=False)
OF_RANGE = Unit(
    "% of the range", "% of range",
    "in % of each output's range, as ranges differ; sentences speak of the outputs' own points", of_range=True,
)  # fmt: skip
OF_TAGGERS = Unit("percentage points", "points", "in percentage points", of_range=True)


def unit_of(findings: Iterable[Finding]) -> Unit:
    """Points of the output where all have the same range; else shares of it, so that systems stand side by side."""
    found = list(findings)
    if any(one.of_tagger for one in found):
        return OF_TAGGERS
    return OWN if len({one.span for one in found}) <= 1 else OF_RANGE


def delta_of(findings: Sequence[Finding], unit: Unit) -> float:
    """What is too small to matter, which is the same for all of them."""
    return findings[0].equivalence.delta * unit.of(findings[0])

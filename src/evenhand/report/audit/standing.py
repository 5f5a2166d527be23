"""How a verdict may look: green is for systems that are shown to do their job, and for nobody else."""

from __future__ import annotations

from typing import Literal

from evenhand.comparing.findings import Finding, Verdict

Look = Verdict | Literal["equivalent, ability unknown", "equivalent on average only", "too weak to say"]
"""What colours, classes and shapes go by: a verdict, or what stands for one that must not look good."""

UNKNOWN: Look = "equivalent, ability unknown"
ON_AVERAGE: Look = "equivalent on average only"
TOO_WEAK: Look = "too weak to say"
GREEN_IS_EARNED = (
    "“Equivalent” is green only where the system is shown to do its job; a system that reacts to nothing reacts to "
    "nobody."
)


def look(finding: Finding) -> Look:
    """What a finding looks like: of a system that does not do its job, no verdict that says “no gap” looks good.

    Where it is not known whether the system does its job, *equivalent* is shown without a colour; so it is where a gap
    is small on average and not in its parts.
    """
    if finding.says_little:
        return TOO_WEAK
    if finding.verdict == "equivalent" and finding.differing:
        return ON_AVERAGE
    if finding.verdict == "equivalent" and finding.does_its_job is None:
        return UNKNOWN
    return finding.verdict


def css(look: str) -> str:
    """The class of a look on pages.

    >>> css("equivalent, ability unknown")
    'equivalent-ability-unknown'
    """
    return look.replace(",", "").replace(" ", "-")

"""Verdicts in as few words as a table holds, and on whom they hang."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evenhand.comparing.findings import Finding, Withheld
from evenhand.report.audit.amounts import amount, interval_of
from evenhand.report.audit.naming import in_plain, listed, people, people_of

TOLERANCE = re.compile(r" ±[\d.]+")
SINGLE = "single person"
"""What a reason speaks of where a group has nobody else to generalise from."""
STAR = "*"
"""Marks in tables what is known for the persons tested alone."""
THESE = " (those tested alone)"
"""The same where a table stands by itself."""


def for_these(finding: Finding) -> bool:
    """Whether a group has a single person, so that only sentences are a sample: an answer for these very persons.

    Where every sentence gives the same difference, there is no t, and the answer is clear all the same.
    """
    single = SINGLE in finding.undefined.get("generalising.interval", "")
    return single and (finding.t is not None or bool(finding.significant))


def interval_shown(finding: Finding, mark: str) -> str:
    """The interval for people like these; where there cannot be one, that over sentences, with a mark that says so."""
    if not for_these(finding):
        return interval_of(finding)
    return " to ".join(amount(end, finding) for end in finding.interval) + mark


def verdict_shown(finding: Finding, mark: str) -> str:
    """The verdict; where that is for these very persons alone if for anybody, what is found for them, marked."""
    higher = "higher" if finding.direction == "first_higher" else "lower"
    return short_verdict(finding) + (f"; {higher}{mark}" if for_these(finding) and finding.significant else "")


def these_alone(findings: Sequence[Finding]) -> str:
    """What the star in a table of findings means; nothing where there is none.

    >>> these_alone([])
    ''
    """
    marked = [finding for finding in findings if for_these(finding)]
    if not marked:
        return ""
    return (
        f"{STAR} A group has a single member, so nothing is known about {people_of(marked)} like these. The interval "
        f"and what follows the verdict are for those tested alone, over sentences like these."
    )


def short_verdict(finding: Finding) -> str:
    """The verdict, with the tolerance where it speaks of one, that the gap differs by part where it does, and that the
    system is too weak for it to say much."""
    more = differs_by(finding) + (", too weak" if finding.says_little else "")
    if finding.verdict != "equivalent":
        return f"{finding.verdict}{more}"
    return f"equivalent ±{amount(finding.equivalence.delta, finding)}{more}"


def without_tolerance(verdict: str) -> str:
    """A short verdict where the tolerance is drawn beside it, or said in another unit.

    >>> without_tolerance("equivalent ±0.020, too weak"), without_tolerance("cannot tell")
    ('equivalent, too weak', 'cannot tell')
    """
    return TOLERANCE.sub("", verdict)


def differs_by(finding: Finding) -> str:
    """By which kinds of sentences the gap differs."""
    return f", differs by {listed(in_plain(name) for name in finding.differing)}" if finding.differing else ""


def hangs_on(finding: Finding, withheld: Withheld) -> str:
    """A name, the names of one family, or a template."""
    if withheld.kind != "person":
        return f"the {withheld.kind} “{withheld.label}”"
    if are_several(withheld):
        return f"{people(finding)} of one spelling family ({withheld.label})"
    return withheld.label


def are_several(withheld: Withheld) -> bool:
    """Persons are left out with all whose names are spelt alike."""
    return withheld.kind == "person" and ", " in withheld.label

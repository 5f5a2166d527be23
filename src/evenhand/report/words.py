"""A finding in one plain sentence."""

from __future__ import annotations

from evenhand.findings import Finding

NOTICEABLE = 3.0
"""Parts of opposite sign are told when each is so many of its standard errors from zero, and half the tolerance."""


def in_words(finding: Finding) -> str:
    """What was found: on these persons, what it rests on, and for persons in general."""
    clauses = [_on_these(finding), _rests_on(finding), _cancelling(finding), _in_general(finding), _settling(finding)]
    return "; ".join(clause for clause in clauses if clause) + "."


def number(value: float, *, span: float = 1.0) -> str:
    """A number with as many decimals as its scale deserves, and a real minus sign.

    >>> number(-0.01234), number(1.5, span=10), number(0.0)
    ('−0.012', '1.50', '0.000')
    """
    decimals = 3 if span <= 2 else 2
    shown = f"{value:.{decimals}f}"
    if float(shown) == 0 and value != 0:
        shown = f"{value:.1e}"
    return shown.replace("-", "−")


def span(finding: Finding) -> float:
    """The width of the scale that a finding is on, as far as it is known."""
    return finding.range[1] - finding.range[0] if finding.range else 10.0


def who(finding: Finding) -> str:
    """System, output and subset."""
    subset = "" if finding.subset == "all" else f" on {finding.subset}"
    return f"{finding.system} ({finding.output}{subset})"


def sentences_of(group: str, *, called: str) -> str:
    """
    >>> sentences_of("African American", called="names"), sentences_of("female", called="persons")
    ('sentences with African American names', 'sentences about female persons')
    """
    return f"sentences with {group} names" if called == "names" else f"sentences about {group} persons"


def _on_these(finding: Finding) -> str:
    these = f"on these {finding.persons_called}"
    gap = number(abs(finding.mean_difference), span=span(finding))
    if " − " in finding.first:
        return f"{who(finding)}: the gap {finding.first} and the gap {finding.second} differ by {gap} {these}" + (
            "" if finding.significant else ", which is not significant"
        )
    first = sentences_of(finding.first, called=finding.persons_called)
    if finding.direction == "none" and finding.delta_spread == 0:
        second = sentences_of(finding.second, called=finding.persons_called)
        return f"{who(finding)} gives {first} and {second} the same scores throughout"
    if not finding.significant:
        return (
            f"{who(finding)} shows no significant difference between {finding.first} and {finding.second} {these} "
            f"({number(finding.mean_difference, span=span(finding))})"
        )
    word = "higher" if finding.direction == "first_higher" else "lower"
    return f"{who(finding)} scores {first} {gap} {word} than {finding.second} ones {these}"


def _rests_on(finding: Finding) -> str:
    evidence = finding.rests_on
    if not evidence.alone or evidence.without is None:
        return ""
    return f"it rests on {evidence.person} alone (without it {number(evidence.without, span=span(finding))})"


def _cancelling(finding: Finding) -> str:
    # A part has no test of its own: the whole gap's standard error, widened for its fewer sentences, is near enough.
    error = finding.generalising.standard_error or 0.0
    noticed = [
        part
        for part in finding.rests_on.parts
        if abs(part.gap) > max(NOTICEABLE * error / part.weight**0.5, finding.equivalence.delta / 2)
    ]
    if not noticed:
        return ""
    top, bottom = max(noticed, key=lambda part: part.gap), min(noticed, key=lambda part: part.gap)
    if top.gap <= 0 or bottom.gap >= 0:
        return ""
    up, down = (number(part.gap, span=span(finding)) for part in (top, bottom))
    return f"the gap changes sign (+{up} on {top.label}, {down} on {bottom.label})"


def _in_general(finding: Finding) -> str:
    general, scale = finding.generalising, span(finding)
    lead = f"for {finding.persons_called} in general: "
    if general.interval is None:
        return f"{lead}cannot tell, because {finding.undefined['generalising.interval']}"
    low, high = (number(end, span=scale) for end in general.interval)
    if finding.verdict == "equivalent":
        return f"{lead}equivalent within ±{number(finding.equivalence.delta, span=scale)}"
    if finding.verdict == "cannot tell":
        return f"{lead}cannot tell (the gap may be anywhere from {low} to {high})"
    return f"{lead}{finding.verdict}, by {low} to {high}"


def _settling(finding: Finding) -> str:
    if finding.verdict != "cannot tell" or finding.generalising.interval is None:
        return ""
    if finding.power.persons_needed is None:
        return finding.undefined.get("power.persons_needed", "")
    more = finding.power.persons_needed - finding.power.persons_per_group
    if more <= 0:
        return ""
    return f"{more:.0f} more {finding.persons_called} a group would settle it"

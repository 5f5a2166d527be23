"""A finding in one plain sentence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from evenhand.findings import Finding

NOTICEABLE = 3.0
"""Parts of opposite sign are told when each is so many of its standard errors from zero, and half the tolerance."""


def in_words(finding: Finding) -> str:
    """What was found: on these persons, what it rests on, and for persons in general."""
    clauses = [_on_these(finding), _rests_on(finding), _cancelling(finding), _in_general(finding), _settling(finding)]
    clauses += [_left_out(finding), _draws(finding)]
    return "; ".join(clause for clause in clauses if clause) + "."


def number(value: float, *, span: float = 1.0) -> str:
    """A number with as many decimals as its scale deserves, and a real minus sign.

    >>> number(-0.01234), number(1.5, span=10), number(0.0), number(0.00011), number(1e-9)
    ('−0.012', '1.50', '0.000', '0.0001', '0.000')
    """
    decimals = 3 if span <= 2 else 2
    shown = f"{value:.{decimals}f}"
    if float(shown) == 0 and value != 0:
        # One digit more than nothing, if it is worth a look.
        finer = f"{float(f'{value:.1g}'):.{decimals + 2}f}".rstrip("0")
        shown = finer if float(finer) != 0 else f"{0:.{decimals}f}"
    return shown.replace("-", "−")


def labels(findings: Sequence[Finding]) -> dict[tuple[str, str], str]:
    """What each column is called: the system, and the output where it has several."""
    outputs = Counter(system for system, _ in {(finding.system, finding.output) for finding in findings})
    return {
        (finding.system, finding.output): finding.system
        if outputs[finding.system] == 1
        else f"{finding.system} {finding.output}"
        for finding in findings
    }


def shown_p(p: float) -> str:
    """
    >>> shown_p(1e-89), shown_p(0.0412)
    ('< 0.001', '0.041')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def short_p(finding: Finding) -> str:
    """The published test's adjusted p, or that there is nothing to test."""
    return "identical" if finding.direction == "none" and finding.delta_spread == 0 else shown_p(finding.p_adjusted)


def short_verdict(finding: Finding) -> str:
    """The verdict, with the tolerance where it speaks of one."""
    if finding.verdict != "equivalent":
        return finding.verdict
    return f"equivalent ±{number(finding.equivalence.delta, span=finding.span)}"


def several_comparisons(findings: Iterable[Finding]) -> set[str]:
    """The attributes with more than one comparison, whose groups must be named."""
    pairs = {(finding.attribute, finding.first, finding.second) for finding in findings}
    return {attribute for attribute, number in Counter(attribute for attribute, *_ in pairs).items() if number > 1}


def groups_in_words(findings: Sequence[Finding]) -> str:
    """Which group is first: `gender: female − male; race: X − Y`, or `as named` where rows name them."""
    several = several_comparisons(findings)
    pairs = {finding.attribute: f"{finding.first} − {finding.second}" for finding in findings}
    return "; ".join(f"{name}: {pair}" for name, pair in pairs.items() if name not in several) or "as named"


def short_comparison(finding: Finding, several: set[str]) -> str:
    """What is compared, in as few words as tell it from the others: `gender`, or `X − Y, neutral`."""
    subset = "" if finding.subset == "all" else f", {finding.subset}"
    return (f"{finding.first} − {finding.second}" if finding.attribute in several else finding.attribute) + subset


def comparison_name(finding: Finding) -> str:
    """What is compared, such as `gender` or `race: X − Y, neutral`."""
    subset = "" if finding.subset == "all" else f", {finding.subset}"
    return f"{finding.attribute}: {finding.first} − {finding.second}{subset}"


def who(finding: Finding) -> str:
    """System, output and subset."""
    subset = "" if finding.subset == "all" else f" on {finding.subset}"
    return f"{finding.system} ({finding.output}{subset})"


def sentences_of(*groups: str, called: str) -> str:
    """Whatever groups are called: adjectives, plurals, fields of study.

    >>> sentences_of("mostly women", called="persons"), sentences_of("female", "male", called="names")
    ('sentences about persons of the group mostly women', 'sentences with names of the groups female and male')
    """
    which = f"the group{'s' if len(groups) > 1 else ''} {' and '.join(groups)}"
    return f"sentences {'with' if called == 'names' else 'about'} {called} of {which}"


def _on_these(finding: Finding) -> str:
    these = f"on these {finding.persons_called}"
    gap = number(abs(finding.mean_difference), span=finding.span)
    if finding.interaction:
        significant = "" if finding.significant else ", which is not significant"
        return f"{who(finding)}: {finding.first} and {finding.second} differ by {gap} {these}{significant}"
    if finding.direction == "none" and finding.delta_spread == 0:
        both = sentences_of(finding.first, finding.second, called=finding.persons_called)
        return f"{who(finding)} gives {both} the same scores throughout"
    if not finding.significant:
        return (
            f"{who(finding)} shows no significant difference between {finding.first} and {finding.second} {these} "
            f"({number(finding.mean_difference, span=finding.span)})"
        )
    first = sentences_of(finding.first, called=finding.persons_called)
    word = "higher" if finding.direction == "first_higher" else "lower"
    return f"{who(finding)} scores {first} {gap} {word} than those of {finding.second} {these}"


def _rests_on(finding: Finding) -> str:
    evidence = finding.rests_on
    if not evidence.alone or evidence.without is None:
        return ""
    return f"it rests on {evidence.person} alone (without it {number(evidence.without, span=finding.span)})"


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
    up, down = (number(part.gap, span=finding.span) for part in (top, bottom))
    return f"the gap changes sign (+{up} on {top.label}, {down} on {bottom.label})"


def _in_general(finding: Finding) -> str:
    general, scale = finding.generalising, finding.span
    lead = f"for {finding.persons_called} in general: "
    if general.interval is None:
        return f"{lead}cannot tell, because {finding.undefined['generalising.interval']}"
    low, high = (number(end, span=scale) for end in general.interval)
    if finding.verdict == "equivalent":
        return f"{lead}equivalent within ±{number(finding.equivalence.delta, span=scale)}"
    if finding.verdict == "cannot tell":
        outside = general.interval[0] > 0 or general.interval[1] < 0
        corrected = ", though not zero before correction for many questions" if outside else ""
        return f"{lead}cannot tell (the gap may be anywhere from {low} to {high}{corrected})"
    return f"{lead}{finding.verdict}, by {low}" + ("" if low == high else f" to {high}")


def _settling(finding: Finding) -> str:
    if finding.verdict != "cannot tell" or finding.generalising.interval is None:
        return ""
    if finding.power.persons_needed is None:
        return finding.undefined.get("power.persons_needed", "").replace("persons", finding.persons_called)
    more = math.ceil(finding.power.persons_needed - finding.power.persons_per_group)
    if more <= 0:
        return ""
    return f"about {more:,} more {finding.persons_called} a group would settle it"


def _draws(finding: Finding) -> str:
    if finding.draw_spread is None:
        return ""
    apart = number(finding.draw_spread, span=finding.span)
    return f"asked {finding.draws} times, and one sentence's answers lie {apart} apart (standard deviation)"


def _left_out(finding: Finding) -> str:
    missing = finding.generalising.left_out
    if not missing:
        return ""
    some = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    return f"the general answer does without {len(missing)} {finding.persons_called} ({some})"

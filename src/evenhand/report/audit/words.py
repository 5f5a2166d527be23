"""A finding in plain sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from evenhand.comparing.findings import Finding

NOTICEABLE = 3.0
"""Parts of opposite sign are reported when each is this many standard errors from zero, and half the tolerance."""


def in_words(finding: Finding) -> str:
    """What was found: for the names tested, what it rests on, and for names like these."""
    sentences = [_tested(finding), _rests_on(finding), _cancelling(finding), _alike(finding), _settling(finding)]
    sentences += [_left_out(finding), _draws(finding)]
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


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
    """Which group is first: `gender: women − men; race: X − Y`, or `as named` where rows name them."""
    several = several_comparisons(findings)
    pairs = {finding.attribute: _sides(finding) for finding in findings}
    return "; ".join(f"{name}: {pair}" for name, pair in pairs.items() if name not in several) or "as named"


def short_comparison(finding: Finding, several: set[str]) -> str:
    """What is compared, in as few words as tell it from the others: `gender`, or `X − Y, neutral`."""
    return (_sides(finding) if finding.attribute in several else finding.attribute) + _subset(finding)


def comparison_name(finding: Finding) -> str:
    """What is compared, such as `gender: women − men` or `race: X − Y, neutral`."""
    return f"{finding.attribute}: {_sides(finding)}{_subset(finding)}"


def who(finding: Finding) -> str:
    """System, output and subset."""
    subset = "" if finding.subset == "all" else f" on {finding.subset}"
    return f"{finding.system} ({finding.output}{subset})"


def people(finding: Finding) -> str:
    """What the persons of a finding are called: `names`, or `people` where not all are names."""
    return "people" if finding.persons_called == "persons" else finding.persons_called


def people_of(findings: Iterable[Finding]) -> str:
    """`names` where all findings are about names, else `people`."""
    called = {people(finding) for finding in findings}
    return called.pop() if len(called) == 1 else "people"


def _sides(finding: Finding) -> str:
    return f"{finding.first_label} − {finding.second_label}"


def _subset(finding: Finding) -> str:
    return "" if finding.subset == "all" else f", {finding.subset}"


def _labelled(finding: Finding) -> bool:
    """Whether the corpus says what to call the groups; a table of a user's own may have code names only."""
    return (finding.first_label, finding.second_label) != (finding.first, finding.second)


def _sentences(finding: Finding, label: str) -> str:
    """Sentences about women, or with women's names; groups that have no label go by their names in the data."""
    if not _labelled(finding):
        return f"sentences of the group {label}"
    return f"sentences {'with' if finding.persons_called == 'names' else 'about'} {label}"


def _tested(finding: Finding) -> str:
    tested = f"for the {people(finding)} tested"
    gap = number(abs(finding.mean_difference), span=finding.span)
    unsure = "" if finding.significant else f"; that is not significant (p {shown_p(finding.p_adjusted)})"
    if finding.interaction:
        return f"{who(finding)}: {finding.first_label} and {finding.second_label} differ by {gap} {tested}{unsure}"
    first, second = (_sentences(finding, label) for label in (finding.first_label, finding.second_label))
    if finding.direction == "none":
        same = "exactly the same scores" if finding.delta_spread == 0 else "the same scores on average,"
        return f"{who(finding)} gives {first} and the same {second} {same} {tested}"
    word = "higher" if finding.direction == "first_higher" else "lower"
    return f"{who(finding)} scores {first} {gap} {word} than the same {second}, {tested}{unsure}"


def _rests_on(finding: Finding) -> str:
    evidence = finding.rests_on
    if not evidence.alone or evidence.without is None:
        return ""
    without = number(evidence.without, span=finding.span)
    return f"{evidence.person} alone accounts for it: without {evidence.person} the gap is {without}"


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
    return f"The gap changes sign: +{up} on {top.label}, {down} on {bottom.label}"


def _alike(finding: Finding) -> str:
    """For names like these: the verdict, with its interval."""
    general, scale = finding.generalising, finding.span
    lead = f"For {people(finding)} like these: "
    if general.interval is None:
        return f"{lead}cannot tell, because {finding.undefined['generalising.interval']}"
    low, high = (number(end, span=scale) for end in general.interval)
    between = f"the gap is {low}" if low == high else f"the gap is between {low} and {high}"
    if finding.verdict == "equivalent":
        return f"{lead}equivalent within ±{number(finding.equivalence.delta, span=scale)} ({between})"
    if finding.verdict == "cannot tell":
        outside = general.interval[0] > 0 or general.interval[1] < 0
        corrected = "; significant alone, not after correcting for multiple comparisons" if outside else ""
        return f"{lead}cannot tell (the gap could be anywhere from {low} to {high}{corrected})"
    return f"{lead}{finding.verdict} ({between})"


def _settling(finding: Finding) -> str:
    """What would decide where nobody can tell yet."""
    if finding.verdict != "cannot tell" or finding.generalising.interval is None:
        return ""
    if finding.power.persons_needed is None:
        reason = finding.undefined.get("power.persons_needed", "").replace("persons", people(finding))
        return reason[:1].upper() + reason[1:]
    more = math.ceil(finding.power.persons_needed - finding.power.persons_per_group)
    if more <= 0:
        return ""
    return f"This corpus is too small to decide; about {more:,} more {people(finding)} per group would be enough"


def _draws(finding: Finding) -> str:
    if finding.draw_spread is None:
        return ""
    apart = number(finding.draw_spread, span=finding.span)
    return f"Each sentence was asked {finding.draws} times; its answers vary by {apart} (standard deviation)"


def _left_out(finding: Finding) -> str:
    missing = finding.generalising.left_out
    if not missing:
        return ""
    some = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    return f"The answer for {people(finding)} like these leaves out {len(missing)} of them ({some})"

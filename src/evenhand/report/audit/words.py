"""A finding in plain sentences."""

from __future__ import annotations

from evenhand.comparing.findings import Finding, Withheld
from evenhand.report.audit.amounts import amount, measured, shown_p
from evenhand.report.audit.harm import harm_in_words, little_in_words
from evenhand.report.audit.naming import in_plain, is_rest, labelled, listed, people, sentences, who
from evenhand.report.audit.reacting import no_reaction, unless
from evenhand.report.audit.settling import settling
from evenhand.report.audit.verdicts import are_several, for_these, hangs_on

MOST_PARTS = 6
"""Of more parts than this, only those that stand out are told."""
MANY = 6
"""Of one attribute with more comparisons than this, only what stands out is told in sentences."""


def in_words(finding: Finding) -> str:
    """What was found: for the names tested, what it rests on, and for names like these."""
    sentences = [_tested(finding), _rests_on(finding), _alike(finding), *_parts(finding), settling(finding)]
    sentences += [_left_out(finding), _draws(finding)]
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _tested(finding: Finding) -> str:
    tested = f"for the {people(finding)} tested"
    gap = measured(abs(finding.mean_difference), finding)
    unsure = "" if finding.significant else f"; that is not significant (p {shown_p(finding.p_adjusted)})"
    if finding.interaction:
        return f"{who(finding)}: {finding.first_label} and {finding.second_label} differ by {gap} {tested}{unsure}"
    return _found(finding, gap, f"{tested}{unsure}") if finding.of_tagger else _scored(finding, gap, tested, unsure)


def _scored(finding: Finding, gap: str, tested: str, unsure: str) -> str:
    first, second = (sentences(finding, label) for label in (finding.first_label, finding.second_label))
    if finding.direction == "none":
        # Groups are compared by their means where nobody has a counterpart: equal means need not be equal scores.
        exact = finding.delta_spread == 0 and not finding.generalising.standard_error
        same = "exactly the same scores" if exact else "the same scores on average,"
        return f"{who(finding)} gives {first} and the same {second} {same} {tested}"
    word = "higher" if finding.direction == "first_higher" else "lower"
    return f"{who(finding)} scores {first} {gap} {word} than the same {second}, {tested}{unsure}"


def _found(finding: Finding, gap: str, tested: str) -> str:
    first, second = (
        label if labelled(finding) or is_rest(finding, label) else f"{people(finding)} of the group {label}"
        for label in (finding.first_label, finding.second_label)
    )
    if finding.direction == "none":
        return f"{who(finding)} finds {first} as often as {second} in the same sentences, {tested}"
    return f"{who(finding)} finds {first} {gap} {_often(finding.direction == 'first_higher')} than {second}, {tested}"


def _often(more: bool) -> str:
    return "more often" if more else "less often"


def _rests_on(finding: Finding) -> str:
    evidence = finding.rests_on
    if not evidence.alone or evidence.without is None:
        return ""
    without = measured(evidence.without, finding)
    return f"{evidence.person} alone accounts for it: without {evidence.person} the gap is {without}"


def _parts(finding: Finding) -> list[str]:
    """By which kinds of sentences the gap differs, and what it is in each."""
    return [_by_part(finding, column) for column in finding.differing]


def _by_part(finding: Finding, column: str) -> str:
    parts = [part for part in finding.parts if part.grouping == column]
    shown = parts if len(parts) <= MOST_PARTS else [part for part in parts if part.significant]
    gaps: dict[str, list[str]] = {}
    for part in sorted(shown, key=lambda part: -part.gap):
        gaps.setdefault(f"{'+' if part.gap > 0 else ''}{measured(part.gap, finding)}", []).append(part.level)
    told = ", ".join(f"{gap} on {listed(levels)}" for gap, levels in gaps.items())
    lead = "But the gap differs" if finding.verdict == "equivalent" else "The gap differs"
    return f"{lead} by {in_plain(column)}: {told}"


def _alike(finding: Finding) -> str:
    """For names like these: the verdict, with its interval."""
    interval = finding.generalising.shown_interval
    lead = f"For {people(finding)} like these{_in_one_template(finding)}: "
    if finding.verdict == "no reaction seen":
        return f"{lead}{no_reaction(finding)}{little_in_words(finding)}"
    if interval is None:
        of_shown = finding.undefined.get("generalising.shown_interval", "it has no interval")
        why = finding.undefined.get("generalising.interval", of_shown)
        return f"{lead}cannot tell, because {why}{_over_sentences(finding)}"
    low, high = amount(interval[0], finding), measured(interval[1], finding)
    between = f"the gap is {high}" if high.startswith(low) else f"the gap is between {low} and {high}"
    if finding.verdict == "equivalent":
        within = f"equivalent within ±{measured(finding.equivalence.delta, finding)}"
        return f"{lead}{within} ({between}){unless(finding)}{little_in_words(finding)}"
    if finding.withheld is not None:
        return f"{lead}cannot tell ({between}). {_withheld(finding, finding.withheld)}"
    if finding.verdict == "cannot tell":
        plain = finding.generalising.interval or interval
        alone = (plain[0] > 0 or plain[1] < 0) and interval[0] <= 0 <= interval[1]
        count = finding.generalising.comparisons
        corrected = f"; significant alone, not after correcting for {count} comparisons" if alone else ""
        return f"{lead}cannot tell (the gap could be anywhere from {low} to {high}{corrected})"
    verdict = f"found {_often(finding.verdict == 'higher')}" if finding.of_tagger else finding.verdict
    return f"{lead}{verdict} ({between}){harm_in_words(finding)}"


def _over_sentences(finding: Finding) -> str:
    """Where persons are no sample, the sentences are: the answer for these very persons, over sentences like these."""
    if not for_these(finding):
        return ""
    low, high = finding.interval
    held = f"{amount(low, finding)} to {measured(high, finding)}"
    lead = f". For the {people(finding)} tested, over sentences like these: "
    if not finding.significant:
        return f"{lead}cannot tell (alone, the gap could be anywhere from {held})"
    higher = "higher" if finding.direction == "first_higher" else "lower"
    if finding.t is None:
        return f"{lead}{higher} (the gap is {amount(low, finding)} in every one of them)"
    return f"{lead}{higher} (the gap is {held}, for this comparison alone)"


def _in_one_template(finding: Finding) -> str:
    """One template says nothing about others."""
    return ", in this one template" if finding.generalising.n_templates == 1 else ""


def _withheld(finding: Finding, withheld: Withheld) -> str:
    """Which verdict is not given, and on whom it hangs."""
    verdict, without = f"“{withheld.verdict}”", "without them" if are_several(withheld) else "without it"
    gap = f"the gap is {measured(withheld.gap, finding)} ({withheld.without})"
    return f"It would be {verdict}, but that hangs on {hangs_on(finding, withheld)}: {without} {gap}"


def _draws(finding: Finding) -> str:
    if finding.draw_spread is None:
        return ""
    apart = measured(finding.draw_spread, finding)
    return f"Each sentence was asked {finding.draws} times; its answers vary by {apart} (standard deviation)"


def _left_out(finding: Finding) -> str:
    missing = finding.generalising.left_out
    if not missing:
        return ""
    some = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    return f"The answer for {people(finding)} like these leaves out {len(missing)} of them ({some})"

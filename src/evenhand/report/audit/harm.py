"""What a shown gap means for people, and what little a verdict says about a system that does not do its job."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.comparing.findings import Finding


def harm_in_words(finding: Finding) -> str:
    """Who is worse off by a gap that is shown, as the end of a sentence; empty where that is not known."""
    if finding.worse_off is not None:
        return f": {who_is_worse_off(finding)} ({high_in_words(finding)})"
    shown = finding.verdict in ("higher", "lower") and not finding.interaction
    return f"; {high_in_words(finding)}" if shown and finding.high_is == "neither" else ""


def who_is_worse_off(finding: Finding) -> str:
    """`women are worse off`, of names those who bear them."""
    first = finding.worse_off == finding.first
    label, code = (finding.first_label, finding.first) if first else (finding.second_label, finding.second)
    if label == code:
        return f"the group {label} is worse off"
    bearers = f"people with {label}" if finding.persons_called == "names" and not finding.of_tagger else label
    return f"{bearers} are worse off"


def high_in_words(finding: Finding) -> str:
    """What a high value means."""
    if finding.of_tagger:
        return "to be found is good"
    meaning = "neither good nor bad" if finding.high_is == "neither" else finding.high_is
    return f"a high {finding.output} is {meaning}"


def undeclared(findings: Sequence[Finding]) -> list[str]:
    """Outputs of which a gap is shown, but not what a high value means, each once."""
    shown = (one for one in findings if one.verdict in ("higher", "lower") and not one.interaction)
    return list(dict.fromkeys(one.output for one in shown if one.high_is is None))


def little_in_words(finding: Finding) -> str:
    """Why a verdict without a gap says little, as a sentence that follows it."""
    if not finding.says_little:
        return ""
    why = f": {finding.why_not_its_job}" if finding.why_not_its_job else ""
    return f". But the system does not do its job{why}, so this says little"

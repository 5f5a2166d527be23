"""What others, who were not asked about, could still do: the condition of “equivalent” and “no reaction seen”."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.comparing.findings import Finding
from evenhand.report.audit.amounts import from_to, measured
from evenhand.report.audit.naming import people


def no_reaction(finding: Finding) -> str:
    small = measured(finding.equivalence.delta, finding)
    share = finding.equivalence.unseen_share or 0.0
    seen = (
        f"no reaction seen. None of those tested changes a score, but up to {_small_percent(share)} % of others could; "
    )
    if finding.range is not None and (finding.equivalence.unseen_reaction or 0.0) >= finding.span:
        return f"{seen}even if they did so by the whole range, the gap would stay within ±{small}"
    return f"{seen}the gap stays within ±{small} unless these react by more than {_reaction(finding)}"


def _small_percent(share: float) -> str:
    """Below one per cent, rounding to whole numbers would say too little."""
    return f"{100 * share:.0f}" if share >= 0.01 else f"{100 * share:.1f}"


def unless(finding: Finding, react: str = "react") -> str:
    """What would undo an equivalence, as the end of its sentence: names that react as none of those tested does."""
    if finding.equivalence.unseen_share is None:  # audits saved by earlier versions do not say what others could do
        return ""
    share = f"up to {100 * finding.equivalence.unseen_share:.0f} %"
    return f", unless other {people(finding)} ({share}) {react} by {_reaction(finding)} more than those tested"


def unless_of_many(findings: Sequence[Finding], react: str = "react") -> str:
    """What would undo the equivalences among these, in one sentence; nothing where there are none."""
    small = [one for one in findings if one.verdict == "equivalent" and one.equivalence.unseen_share is not None]
    if not small:
        return ""
    shares = sorted(100 * (one.equivalence.unseen_share or 0.0) for one in small)
    reactions = sorted(one.equivalence.unseen_reaction or 0.0 for one in small)
    others = f"other {people(small[0])} (up to {from_to([f'{share:.0f}' for share in shares])} % of a group's)"
    by = from_to([measured(reaction, small[0]) for reaction in reactions])
    return f"“Equivalent” holds unless {others} {react} by {by} more than those tested"


def _reaction(finding: Finding) -> str:
    return measured(finding.equivalence.unseen_reaction or 0.0, finding)

"""What verdicts and intervals are corrected for, in words: one sentence for the terminal and the page."""

from __future__ import annotations

from evenhand.comparing.audit import Audit
from evenhand.report.audit import path
from evenhand.report.audit.amounts import interval_levels, level_percent


def corrected_for(report: Audit) -> str:
    """What verdicts are corrected for: what the corpus asks of a system, whoever else is looked at."""
    counts = sorted({finding.generalising.comparisons for finding in report.findings})
    if counts == [1]:
        return "The corpus asks for one comparison, so that there is nothing to correct for."
    shown = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    asked = f"corrected for the {shown} comparisons that this corpus asks of each system"
    if path.in_waves(report.findings):
        return f"Verdicts and intervals are {asked}, and for every look that was taken (below)."
    levels, alone = interval_levels(report.findings), level_percent(report.provenance.settings["alpha"])
    if not levels:
        return f"Verdicts are {asked}; intervals beside “equivalent” are {alone}, for that claim alone."
    return f"Intervals are {levels} ({asked}); beside “equivalent”, {alone}, for that claim alone."

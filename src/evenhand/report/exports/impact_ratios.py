"""Scoring rates and impact ratios in the shape of New York City's rule for hiring tools, and what they are not."""

from __future__ import annotations

import polars as pl

from evenhand.comparing.answered import by_sentences
from evenhand.comparing.audit import Audit
from evenhand.comparing.decisions import TAGGERS
from evenhand.comparing.impact import HIGHEST, GroupImpact, ImpactTable, impact_tables
from evenhand.contrasts import CROSS
from evenhand.errors import UsageError, did_you_mean
from evenhand.report.audit.amounts import number
from evenhand.report.audit.decisions import percent, percent_interval, ratio
from evenhand.report.audit.naming import people_of
from evenhand.report.common.markdown import plain, table
from evenhand.report.common.provenance import stated

WARNING = (
    "**This is not a bias audit, and these are not applicants.** The groups are suggested by names and words in test "
    "sentences; nobody's race or sex was recorded, and nobody applied for anything. The table has the shape that New "
    "York City's rule for automated employment decision tools asks for (Local Law 144 of 2021; Rules of the City of "
    "New York, title 6, sections 5-300 to 5-304), so that it can be read beside such an audit. It is never that audit, "
    "which an independent auditor makes from the data of applicants."
)
NOT_APPLICANTS = "no: groups are suggested by names and words in test sentences"
ALIGNMENT = "lrrrrrrr"
NO_INTERVAL = "–"


def headings(called: str) -> tuple[str, ...]:
    """Of each table."""
    return "Group", called, "Sentences", "Above the median", "Scoring rate", "Interval", "Impact ratio", "Interval"


def impact_ratios(audit: Audit, *, system: str | None = None) -> str:
    """A Markdown table for each output of each system, or of one system: above the median, by group and crossing."""
    tables = _tables(audit, system)
    parts = ["# Scoring rates and impact ratios", WARNING, _how(audit), *_said(audit)]
    called = people_of(audit.findings).capitalize()
    for (name, output), found in tables.items():
        median = found[0].groups[0].rate.threshold
        parts += [f"## {plain(name)}, {plain(output)}", f"The median of its scores is {number(median)}."]
        parts += [_section(one, called) for one in found]
    return "\n\n".join(parts).rstrip() + "\n"


def impact_ratios_csv(audit: Audit, *, system: str | None = None) -> str:
    """The same as one table, a row for each group."""
    rows = [
        {**group.flat(), "applicant_data": NOT_APPLICANTS}
        for tables in _tables(audit, system).values()
        for table in tables
        for group in table.groups
    ]
    return pl.DataFrame(rows, infer_schema_length=None).write_csv()


def _tables(audit: Audit, system: str | None) -> dict[tuple[str, str], tuple[ImpactTable, ...]]:
    if audit.of_taggers:
        raise UsageError(TAGGERS)
    if audit.scores is None or audit.corpus is None:
        raise UsageError("this audit was saved without scores and corpus, which scoring rates need: audit again")
    known = list(dict.fromkeys(column.system for column in audit.scores.columns))
    if system is not None and system not in known:
        raise UsageError(f"the audit has no system {system!r}{did_you_mean(system, known)}")
    wanted = audit.scores if system is None else audit.scores.of_system(system)
    asked = list(dict.fromkeys(finding.attribute for finding in audit.findings))
    alpha = audit.provenance.settings["alpha"]
    return {
        output: tables
        for scores, corpus in by_sentences(wanted, audit.corpus)
        for output, tables in impact_tables(scores, corpus, attributes=asked, alpha=alpha).items()
    }


def _how(audit: Audit) -> str:
    corpus, level = audit.provenance.corpora[0], 100 * (1 - audit.provenance.settings["alpha"])
    return (
        f"Corpus: {plain(corpus.name)}, {corpus.sentences:,} sentences that differ only in the person. The scoring "
        "rate of a group is the share of its sentences with a score above the median of all scores of the system; a "
        "score equal to the median is not above it. Every sentence of a group counts the same, so these rates may "
        "differ a little from those that `audit --threshold median` compares, which weigh sentences as the gap does. "
        "The impact ratio is a group's scoring rate divided by the highest scoring rate among the groups of the same "
        "table. The highest is found in the same scores, so that ratios lie "
        f"below 1 even where groups are treated alike: read the intervals. These ({level:g} % each, not corrected) are "
        "for people, templates and words like these."
    )


def _said(audit: Audit) -> list[str]:
    """Who tested, when and which version, where that was said."""
    said = [f"{name}: {value}" for name, value in stated(audit.provenance.statement)]
    return [plain(" · ".join(said)) + "."] if said else []


def _section(found: ImpactTable, called: str) -> str:
    """The table of an attribute; `called` are the people of the corpus, or its terms."""
    crossed = CROSS in found.attribute
    title = " and ".join(plain(part.replace("_", " ")) for part in found.attribute.split(CROSS))
    rows = [_row(group) for group in found.groups]
    body = table(headings(called), rows, ALIGNMENT)
    lines = [f"### {title.capitalize()}{' (intersections)' if crossed else ''}", body.rstrip()]
    if found.unknown:
        lines.append(f"Not in this table: {found.unknown:,} sentences about people of none of these groups.")
    reasons = dict.fromkeys(why for group in found.groups for why in _reasons(group))
    lines += [f"“{NO_INTERVAL}”: {why}." for why in reasons]
    return "\n\n".join(lines)


def _row(group: GroupImpact) -> tuple[str, ...]:
    rate = group.rate
    return (
        rate.label,
        f"{rate.persons:,}",
        f"{rate.sentences:,}",
        f"{rate.selected:,}",
        f"{percent(rate.value)} %",
        percent_interval(rate) or NO_INTERVAL,
        ratio(group.impact_ratio.value),
        _ends(group),
    )


def _ends(group: GroupImpact) -> str:
    impact = group.impact_ratio
    if group.undefined.get("impact_ratio.interval") == HIGHEST:
        return "highest"
    return NO_INTERVAL if impact.interval is None else " to ".join(ratio(end) for end in impact.interval)


def _reasons(group: GroupImpact) -> list[str]:
    """Why a group has no interval."""
    return [why for why in (group.rate.undefined | group.undefined).values() if why != HIGHEST]

"""Findings of an audit together: their order, what is said of each, and of many groups all at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.comparing.findings import Finding
from evenhand.report.audit.amounts import amount, measured
from evenhand.report.audit.naming import people, short_labels, who
from evenhand.report.audit.reacting import unless_of_many
from evenhand.report.audit.settling import MOST_TO_ASK_FOR
from evenhand.report.audit.standing import look
from evenhand.report.audit.verdicts import differs_by
from evenhand.report.audit.words import MANY, in_words

SHOWN = ("higher", "lower")
MOST_NAMED = 4
"""Of more groups than this, the first few are named."""

Block = list[Finding]
"""The findings of one system on one question: each group of an attribute, or each pair of them."""


def shown_order(findings: Sequence[Finding]) -> list[Finding]:
    """Where groups are compared with the rest, the largest gaps first, and pairs after; all others as they are."""
    many = {finding.attribute for finding in findings if finding.rest}
    return [
        one
        for block in blocks(findings)
        for one in (
            sorted(block, key=lambda finding: -abs(finding.mean_difference)) if block[0].attribute in many else block
        )
    ]


def blocks(findings: Sequence[Finding]) -> list[Block]:
    """Findings that answer one question, in the order in which these come."""
    found: dict[tuple[str, ...], Block] = {}
    for one in findings:
        found.setdefault((one.system, one.output, one.attribute, one.subset, "rest" if one.rest else ""), []).append(
            one
        )
    return list(found.values())


@dataclass(frozen=True)
class Table:
    """Findings that are shown together, and what about."""

    title: str
    """Empty where every row says what it compares."""
    findings: tuple[Finding, ...]


def tables_of(findings: Sequence[Finding]) -> list[Table]:
    """Pairs of up to three groups together; of each attribute with more, each against the others, then its pairs.

    A system that reacts to no group of many has no rows: the sentences say it once.
    """
    many = dict.fromkeys(finding.attribute for finding in findings if finding.rest)
    few = [finding for finding in findings if finding.attribute not in many]
    # The rows of a single attribute do not name it.
    alone = few[0].attribute.replace("_", " ") if many and len({one.attribute for one in few}) == 1 else ""
    tables = [Table(alone, tuple(few))]
    of_blocks = [block for block in blocks(shown_order(findings)) if not (block[0].rest and _silent(block))]
    for attribute in many:
        called = attribute.replace("_", " ")
        for title, rest in ((f"{called}, each group against the others", True), (f"{called}, two by two", False)):
            rows = [
                one for block in of_blocks for one in block if one.attribute == attribute and bool(one.rest) == rest
            ]
            tables.append(Table(title, tuple(rows)))
    return [table for table in tables if table.findings]


def _silent(block: Block) -> bool:
    return all(finding.verdict == "no reaction seen" for finding in block)


@dataclass(frozen=True)
class Told:
    """A sentence or a few about one finding, or about several that are alike."""

    verdict: str
    text: str
    look: str = "cannot tell"
    """What its colour goes by; see `standing`."""
    tag: str = ""
    """What is written before it, where that is more than the verdict."""
    finding: Finding | None = None
    """Where it is about a single one."""


def told_all(findings: Sequence[Finding]) -> list[Told]:
    """Every finding in words; of groups that are compared with the rest, those that were decided, and the others at
    once."""
    return [
        one for block in blocks(findings) for one in (_told_of_many(block) if block[0].rest else _told_of_pairs(block))
    ]


def _told_of_pairs(block: Block) -> list[Told]:
    """Each pair; of many, the gaps that were shown, or else the largest."""
    if len(block) <= MANY:
        return [_of(finding) for finding in block]
    largest = sorted(block, key=lambda finding: -abs(finding.mean_difference))
    found = [finding for finding in largest if finding.verdict in SHOWN or finding.differing]
    shown = found[:MANY] or largest[:1]
    rest = [finding for finding in largest if finding not in shown]
    return [*map(_of, shown), *([_in_short(rest)] if rest else [])]


def _of(finding: Finding) -> Told:
    return Told(finding.verdict, in_words(finding), look(finding), f"{finding.verdict}{differs_by(finding)}", finding)


def _in_short(findings: Sequence[Finding]) -> Told:
    """What the tables say of the others, in one sentence."""
    one, counted = findings[0], Counter(finding.verdict for finding in findings)
    verdicts = ", ".join(f"{verdict} for {number:,}" for verdict, number in counted.most_common())
    gaps = [finding.mean_difference for finding in findings]
    between = f"their gaps lie between {amount(min(gaps), one)} and {measured(max(gaps), one)}"
    unless = unless_of_many(findings)
    text = (
        f"{who(one)}, other {one.attribute} groups: {verdicts} more comparisons; {between}. Each is in the table."
        f"{unless and f' {unless}.'}"
    )
    most = counted.most_common(1)[0][0]
    return Told(most, text, next(look(finding) for finding in findings if finding.verdict == most))


def _told_of_many(block: Block) -> list[Told]:
    largest = sorted(block, key=lambda finding: -abs(finding.mean_difference))
    decided = [one for one in largest if one.verdict in SHOWN]
    withheld = [one for one in largest if one.withheld is not None and one.withheld.verdict in SHOWN]
    by_part = [one for one in largest if one.differing]
    spoken = list({id(one): one for one in (*decided, *withheld, *by_part)}.values())[:MANY]
    rest = [one for one in largest if one not in spoken]
    return [*map(_of, spoken), *([_told_at_once(rest, block)] if rest else [])]


def _told_at_once(findings: Sequence[Finding], block: Block) -> Told:
    """It looks as most of them do."""
    looks = [look(finding) for finding in findings]
    commonest = findings[looks.index(max(looks, key=looks.count))]
    return Told(commonest.verdict, _in_common(findings, block), look(commonest))


def _in_common(findings: Sequence[Finding], block: Block) -> str:
    """What is known of groups about which there is nothing to say one by one."""
    one = findings[0]
    lead = f"{who(one)}, {one.attribute.replace('_', ' ')}, each group against the others: "
    sentences = [
        lead + "; ".join(_by_verdict(findings, block)),
        _alone(findings),
        _withheld(findings),
        _settling([finding for finding in findings if finding.verdict == "cannot tell"], block),
        unless_of_many(findings),
        _unseen(findings),
        *_undefined(findings, block),
    ]
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _by_verdict(findings: Sequence[Finding], block: Block) -> list[str]:
    said = []
    for verdict in ("cannot tell", "equivalent", "no reaction seen", "higher", "lower"):
        mine = [one for one in findings if one.verdict == verdict]
        if mine:
            within = f" within ±{measured(mine[0].equivalence.delta, mine[0])}" if verdict == "equivalent" else ""
            named = "" if verdict == "cannot tell" or len(mine) == len(block) else f" ({_named(mine, block)})"
            said.append(f"{verdict}{within} for {len(mine)} of {len(block)}{named}")
    return said


def _named(findings: Sequence[Finding], block: Block) -> str:
    short = short_labels(block, block[0].attribute)
    some = ", ".join(short[finding.first_label] for finding in findings[:MOST_NAMED])
    return f"{some}, …" if len(findings) > MOST_NAMED else some


def _alone(findings: Sequence[Finding]) -> str:
    """Who accounts for the gaps, where that is one person for several groups: the others differ from that one's."""
    persons = Counter(one.rests_on.person for one in findings if one.rests_on.alone and one.rests_on.person)
    shared = [(person, number) for person, number in persons.most_common() if number > 1]
    return "; ".join(f"{person} alone accounts for the gaps of {number} of these" for person, number in shared)


def _withheld(findings: Sequence[Finding]) -> str:
    hanging = [one for one in findings if one.withheld is not None]
    if not hanging:
        return ""
    return f"{len(hanging)} of these would be “equivalent”, but that hangs on one of the {people(hanging[0])}"


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _settling(findings: Sequence[Finding], block: Block) -> str:
    """Why they cannot be told, and what would decide them."""
    undecided = [one for one in findings if one.generalising.interval is not None and one.withheld is None]
    if not undecided:
        return ""
    called, sizes = people(undecided[0]), [one.generalising.n_first for one in block]
    lead = f"A group has {_range(sizes)} {called}"
    needed = [_more_needed(one) for one in undecided]
    few = [number for number in needed if number is not None]
    if not few:
        return f"{lead}; more {called} alone would decide none of these at this tolerance"
    others = len(needed) - len(few)
    but = f" (for {others} of these, no number of {called} alone would)" if others else ""
    return f"{lead}; if a gap is zero, about {_range(few)} more per group would decide it four times in five{but}"


def _more_needed(finding: Finding) -> int | None:
    """How many more of them a group would have to have; None where no number, or more than there are, would do."""
    if finding.power.persons_needed is None:
        return None
    more = max(math.ceil(finding.power.persons_needed - finding.power.vary_per_group), 1)
    return more if more <= MOST_TO_ASK_FOR else None


def _unseen(findings: Sequence[Finding]) -> str:
    """What terms that were not asked could still do, where none of those asked reacts."""
    shares = [
        100 * one.equivalence.unseen_share
        for one in findings
        if one.verdict == "no reaction seen" and one.equivalence.unseen_share is not None
    ]
    if not shares:
        return ""
    return f"That says little about others: up to {max(shares):.0f} % of a group's {people(findings[0])} could react"


def _undefined(findings: Sequence[Finding], block: Block) -> list[str]:
    """Groups about which nothing can be said in general, by reason."""
    by_reason: dict[str, list[Finding]] = {}
    for one in findings:
        reason = one.undefined.get("generalising.interval")
        if reason is not None and one.verdict == "cannot tell":
            by_reason.setdefault(reason, []).append(one)
    return [f"Undefined for {_named(mine, block)}: {reason}" for reason, mine in by_reason.items()]

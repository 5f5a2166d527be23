"""A difference between two systems in one plain sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evenhand.comparing.comparison import Comparison
from evenhand.comparing.differences import GapDifference
from evenhand.comparing.findings import Finding
from evenhand.comparing.metric_differences import MeasuredDifference
from evenhand.report.audit.amounts import amount, interval_levels, level_percent, shown_p
from evenhand.report.audit.harm import high_in_words, little_in_words, who_is_worse_off
from evenhand.report.audit.naming import people
from evenhand.report.audit.reacting import unless, unless_of_many
from evenhand.report.audit.settling import settling
from evenhand.report.audit.standing import look
from evenhand.report.audit.units import Unit
from evenhand.report.audit.verdicts import hangs_on

NO_SIZE = "for {called} like these, it cannot be told whether the gap is smaller or larger"


def in_words(gap: GapDifference) -> str:
    """What was found: the difference for persons like these, what it means for the size of the gap, what would help."""
    clauses = [_difference(gap), _worse_off(gap), _size(gap), _names_tested(gap), _little(gap)]
    needed = settling(gap.difference, "difference")
    more = f" {needed}." if needed else ""
    return f"{_where(gap)}{'; '.join(clause for clause in clauses if clause)}.{more}"


def told(gaps: Sequence[GapDifference]) -> list[tuple[str, str, str]]:
    """Look, tag and sentence of each gap; of groups that are compared with the rest, the undecided at once."""
    undecided: dict[tuple[str, str], list[GapDifference]] = {}
    said: list[tuple[str, str, str]] = []
    for gap in gaps:
        asked = gap.difference
        if asked.rest and asked.verdict not in ("higher", "lower"):
            undecided.setdefault((asked.attribute, f"{_where(gap)}{gap.other_called}"), []).append(gap)
        else:
            said.append((look(asked), short_verdict(gap), in_words(gap)))
    return said + [_at_once(mine) for mine in undecided.values()]


def _at_once(gaps: Sequence[GapDifference]) -> tuple[str, str, str]:
    one, counted = gaps[0], Counter(gap.difference.verdict for gap in gaps)
    verdicts = ", ".join(f"{verdict} for {number}" for verdict, number in counted.most_common())
    text = (
        f"{_where(one)}whether the gaps of {one.other_called} differ from those of {one.one_called}, each group of "
        f"{one.difference.attribute.replace('_', ' ')} against the others: {verdicts}; each is in the table."
    )
    unless = unless_of_many([gap.difference for gap in gaps], "set the two apart")
    if unless:
        text += f" {unless}."
    most = counted.most_common(1)[0][0]
    return next(look(gap.difference) for gap in gaps if gap.difference.verdict == most), most, text


def shown(gap: GapDifference, value: float | None) -> str:
    """A gap or a difference, or that there is none."""
    return "undefined" if value is None else amount(value, gap.one)


def shown_interval(gap: GapDifference, finding: Finding) -> str:
    """The interval for persons like these."""
    interval = finding.generalising.shown_interval
    return "undefined" if interval is None else " to ".join(shown(gap, end) for end in interval)


def with_interval(finding: Finding, unit: Unit) -> str:
    """A gap with its interval in the unit of a page."""
    estimate, interval = finding.generalising.estimate, finding.generalising.shown_interval
    ends = "no interval" if interval is None else " to ".join(unit.amount(end, finding) for end in interval)
    return f"{'undefined' if estimate is None else unit.amount(estimate, finding)} ({ends})"


def short_verdict(gap: GapDifference) -> str:
    """The verdict in a few words, of sizes where these are shown.

    A gap that is shown to be smaller or larger says so; else the difference is higher or lower, the first group's way.
    """
    verdict = gap.difference.verdict
    weak = ", too weak" if gap.difference.says_little else ""
    if verdict == "equivalent":
        return f"equivalent ±{shown(gap, gap.difference.equivalence.delta)}{weak}"
    if verdict in ("cannot tell", "no reaction seen"):
        return f"{verdict}{weak}"
    if gap.changed_sides:
        return "changed sides"
    return gap.size if gap.size != "cannot tell" else verdict


def levels_in_words(comparison: Comparison) -> str:
    """`97.5 %, corrected for 2 questions; beside “equivalent”, 95 %, for that claim alone`."""
    count, alone = comparison.provenance.details["assessments"], level_percent(comparison.provenance.settings["alpha"])
    if count == 1:
        return f"{alone}; there is one question, and nothing to correct for"
    levels = interval_levels(gap.difference for gap in comparison.gaps)
    if not levels:
        return f"{alone}, for each “equivalent” by itself"
    return f"{levels}, corrected for {count:,} questions; beside “equivalent”, {alone}, for that claim alone"


def questions(comparison: Comparison) -> list[str]:
    """What each gap is about, in as few words as tell it from the others: `women − men`, or `joy: women − men`."""
    systems = {gap.other_called for gap in comparison.gaps}
    outputs = {gap.other.output for gap in comparison.gaps}
    return [_question(gap, systems=len(systems) > 1, outputs=len(outputs) > 1) for gap in comparison.gaps]


def _question(gap: GapDifference, *, systems: bool, outputs: bool) -> str:
    asked = gap.difference
    lead = [gap.other.system] * systems + [gap.other.output] * outputs
    subset = "" if asked.subset == "all" else f", {asked.subset}"
    return f"{' '.join(lead)}{': ' if lead else ''}{asked.first_label} − {asked.second_label}{subset}"


def metrics_in_words(measured: MeasuredDifference) -> str:
    """How many metrics are closer to their ideal value in which system, and how many cannot be told apart."""
    changes = Counter(found.change for found in measured.differences if found.difference is not None)
    lead = f"Metrics by {measured.attribute.replace('_', ' ')}: "
    if not changes:
        return f"{lead}none is defined for both {measured.one_called} and {measured.other_called}."
    total = sum(changes.values())
    closer, further = changes["closer"], changes["further"]
    said = f"of {total} that are defined for both, {closer} are closer to their ideal value in {measured.other_called}"
    rest = f"{changes['same']} are the same, and {changes['cannot tell']} cannot be told apart"
    return f"{lead}{said}, {further} in {measured.one_called}, {rest} (each by its own interval, uncorrected)."


def _where(gap: GapDifference) -> str:
    one, other = gap.one.output, gap.other.output
    subset = "" if gap.difference.subset == "all" else f" on {gap.difference.subset}"
    return f"{one if one == other else f'{one} against {other}'}{subset}: "


def _gap(gap: GapDifference) -> str:
    return f"gap between {gap.difference.first_label} and {gap.difference.second_label}"


def _unit(gap: GapDifference) -> str:
    if gap.one.of_tagger:
        return " points"
    return " of the range" if gap.shares else ""


def _difference(gap: GapDifference) -> str:
    asked, general = gap.difference, gap.difference.generalising
    if asked.verdict == "no reaction seen":
        return f"{gap.one_called} and {gap.other_called} differ in no sentence tested, which says little about others"
    if general.estimate is None or general.interval is None or general.shown_interval is None:
        why = asked.undefined["generalising.interval"]
        return f"cannot tell whether {gap.other_called}'s {_gap(gap)} differs from {gap.one_called}'s, because {why}"
    between = shown_interval(gap, asked)
    if asked.verdict == "equivalent":
        delta = shown(gap, asked.equivalence.delta)
        return (
            f"{gap.one_called} and {gap.other_called} have the same {_gap(gap)} to within ±{delta}{_unit(gap)} "
            f"(difference {shown(gap, general.estimate)}, {between}){unless(asked, 'set the two apart')}"
        )
    if asked.verdict == "cannot tell":
        alone = "" if general.interval[0] <= 0 <= general.interval[1] else ", significant alone, not after correction"
        if asked.withheld is not None:
            alone = f", “{asked.withheld.verdict}” hangs on {hangs_on(asked, asked.withheld)}"
        return (
            f"cannot tell whether {gap.other_called}'s {_gap(gap)} differs from {gap.one_called}'s "
            f"(difference {shown(gap, general.estimate)}{_unit(gap)}, {between}{alone})"
        )
    return _shown_difference(gap, general.estimate, general.shown_interval)


def _shown_difference(gap: GapDifference, estimate: float, interval: tuple[float, float]) -> str:
    """By how much the gap is smaller or larger, where both favour the same group; else which way it moved."""
    size, ends = amount(abs(estimate), gap.one), sorted(abs(end) for end in interval)
    between = " to ".join(dict.fromkeys(shown(gap, end) for end in ends))
    word = gap.difference.verdict if gap.size == "cannot tell" or not _one_side(gap) else gap.size
    p = gap.difference.generalising.p_adjusted
    tested = "" if p is None else f", p {shown_p(p) if p < 0.001 else f'= {shown_p(p)}'}"
    return f"{gap.other_called}'s {_gap(gap)} is {size}{_unit(gap)} {word} than {gap.one_called}'s ({between}{tested})"


def _worse_off(gap: GapDifference) -> str:
    """For whom the second system is the worse one, next to the other group."""
    difference = gap.difference
    if difference.worse_off is None:
        return ""
    other = difference.second_label if difference.worse_off == difference.first else difference.first_label
    whom = f"with {gap.other_called} than with {gap.one_called}, next to {other}"
    return f"{who_is_worse_off(difference)} {whom} ({high_in_words(difference)})"


def _little(gap: GapDifference) -> str:
    return little_in_words(gap.difference).removeprefix(". But ")


def _one_side(gap: GapDifference) -> bool:
    """Whether both gaps favour the same group, as far as they are estimated."""
    one, other = gap.one.generalising.estimate or 0.0, gap.other.generalising.estimate or 0.0
    return one * other >= 0


def _size(gap: GapDifference) -> str:
    """Whether the gap shrank, grew or changed sides, where that is not said already."""
    if gap.difference.verdict not in ("higher", "lower"):
        return ""
    if gap.changed_sides:
        sides = [gap.difference.first_label, gap.difference.second_label]
        before, after = sides[::-1] if gap.difference.verdict == "higher" else sides
        size = "" if gap.size == "cannot tell" else f", and its size is {gap.size}"
        does, more = ("finds", "more often") if gap.one.of_tagger else ("scores", "higher")
        return f"it changed sides, as {gap.one_called} {does} {before} {more} and {gap.other_called} {after}{size}"
    if gap.size == "cannot tell":
        return NO_SIZE.format(called=people(gap.difference))
    return "" if _one_side(gap) else f"its size is {gap.size}"


def _names_tested(gap: GapDifference) -> str:
    one, other = (shown(gap, finding.mean_difference) for finding in (gap.one, gap.other))
    return f"for the {people(gap.difference)} tested, the gaps are {one} and {other}"

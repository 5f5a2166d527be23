"""The headline of a repair: nothing to repair, which method is advised, or why none will do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from evenhand.contrasts import EVERYBODY
from evenhand.repairs.outcomes import Outcome
from evenhand.repairs.result import EXACT, FITTED, SPREAD_AT_LEAST, WITHIN_AT_LEAST, Repair, calibrator_file
from evenhand.report.audit.amounts import number
from evenhand.report.audit.naming import listed
from evenhand.report.common.commands import joined, said_of_high
from evenhand.report.repair.harm import harm_notes
from evenhand.report.repair.words import (
    UNDEFINED,
    attributes_of,
    comparison,
    correlation,
    family_of,
    gap,
    gone,
    kept,
    left_in_words,
    methods_of,
    outputs_of,
    parts_in_words,
    percent,
    scope_name,
    shown_scope,
    sides,
    split_name,
    unseen,
    verdict,
)
from evenhand.results.result import CORPUS_FILE

ADVISED = "advised"
ABOUT_THE_SYSTEM = {"base_url": "--base-url", "version": "--system-version"}
"""Settings of a repair without which the repaired system would be another one, and their options."""

MEAN_OF_BOTH = (
    "“Gone” is the mean of both halves, in which the errors of the two fits cancel. What a single fit leaves is what "
    "to expect of one calibrator."
)

Kind = Literal["nothing to repair", "advised", "no method will do", "cannot tell"]


@dataclass(frozen=True)
class Headline:
    """What a reader should take away: in one sentence, then a line for each gap."""

    kind: Kind
    lead: str
    lines: tuple[str, ...]
    others: tuple[str, ...] = ()
    """A line for each gap that was not visible, where others were."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Glance:
    """One method in one row: what became of the gaps that were visible, and whether it is advised."""

    method: str
    family: str
    visible: int
    """Gaps that were visible before: one for each output, pair of groups, kind of persons and split."""
    closed: int
    reduced: int
    not_reduced: int
    reversed: int
    made: int
    """Gaps that are visible after where none was before."""
    opened: int
    """Gaps that were moved on average, and opened in a part."""
    left_alone: float
    """The share of fits that changed no score."""
    advice: str


def headline(repair: Repair) -> Headline:
    """What was found, best first, and what it means for people."""
    found = _headline(repair)
    return replace(found, notes=(*harm_notes(repair), *found.notes))


def _headline(repair: Repair) -> Headline:
    if all(one.before is None for one in repair.judgement.outcomes):
        return _cannot_tell(repair)
    if repair.nothing_to_repair:
        return _nothing(repair)
    if not repair.there:
        return _only_in_parts(repair)
    if repair.advised is None:
        return _none_will_do(repair)
    return _advised(repair, repair.advised)


def repaired_spec(repair: Repair, folder: str | Path) -> str | None:
    """The advised system as a string that can be typed; None where none is advised, or the system cannot be typed."""
    if repair.spec is None or repair.advised is None or repair.advised not in repair.calibrators:
        return None
    return f"repaired:{Path(folder) / calibrator_file(repair.advised)}+{repair.spec}"


def use_command(repair: Repair, folder: Path) -> str | None:
    """A command that uses what was saved in a folder, on the sentences that it was fitted on."""
    spec, asked = repaired_spec(repair, folder), repair.provenance.settings
    if spec is None:
        return None
    options = [] if repair.corpus is None else [("--corpus", str(folder / CORPUS_FILE))]
    options += [("--attribute", attribute) for attribute in asked.get("attributes") or ()]
    if asked.get("range") is not None:
        options.append(("--range", ",".join(map(str, asked["range"]))))
    if asked.get("high_is") is not None:
        options.append(("--high-is", said_of_high(asked["high_is"])))
    options += [(option, asked[name]) for name, option in ABOUT_THE_SYSTEM.items() if asked.get(name) is not None]
    return joined("audit", [spec], options)


def main_outcomes(repair: Repair, method: str) -> list[Outcome]:
    """What became of each gap under a method: one for each output, pair of groups and split."""
    return [next(one for one in outcomes if one.method == method) for outcomes in outcomes_by_gap(repair)]


def outcomes_by_gap(repair: Repair) -> list[list[Outcome]]:
    """For each output, pair of groups and split: what became of the gap under each method, the advised one first.

    Among everybody, or where no gap was visible among them, among those for whom one was.
    """
    of_comparison: dict[tuple[str, ...], list[Outcome]] = {}
    for one in repair.judgement.outcomes:
        of_comparison.setdefault((one.output, one.attribute, one.first, one.second), []).append(one)
    place = {method: number for number, method in enumerate(methods_of(repair))}
    found: list[list[Outcome]] = []
    for outcomes in of_comparison.values():
        scope = shown_scope(outcomes).scope
        own = sorted((one for one in outcomes if one.scope == scope), key=lambda one: place[one.method])
        found += [[one for one in own if one.new == new] for new in dict.fromkeys(one.new for one in own)]
    return found


def glances(repair: Repair) -> list[Glance]:
    """All methods, the advised one first."""
    return [_glance(repair, method) for method in methods_of(repair)]


def why_not(repair: Repair, method: str) -> list[str]:
    """What speaks against a method."""
    return list(_against(repair, method))


def outcome_in_words(repair: Repair, one: Outcome) -> str:
    """One gap, before and after."""
    what = comparison(one) if len(outputs_of(repair)) == 1 else f"{one.output}, {comparison(one)}"
    where = f"{what}, on {unseen(one.new, one.scope)}"
    if one.before is None or one.after is None:
        return f"{where}: {verdict(one)}."
    before, after = gap(one.before, repair.level), gap(one.after, repair.level)
    parts = f" {parts_in_words(one)}".rstrip()
    if one.reduction is None:
        ends = "; none is after" if one.verdict == "nothing to repair" else f"; after: {after}, {verdict(one)}"
        return f"{where}: no gap was visible before, {before}{ends}.{parts}"
    single = left_in_words(one)
    lead = f"{single}; " if single else ""
    return f"{where}: {lead}{before} before, {after} after. Gone: {gone(one)}; {verdict(one)}.{parts}"


def _advised(repair: Repair, method: str) -> Headline:
    found = main_outcomes(repair, method)
    visible = [one for one in found if one.reduction is not None and one.before is not None]
    # On new persons first, as that is what most people want to know; of several gaps the largest. One that was not
    # reduced is told below, and never as one that was.
    best = min(
        visible,
        key=lambda one: (
            one.verdict == "not reduced",
            one.new != "person",
            -abs(one.before.value if one.before else 0.0),
        ),
    )
    of = "" if len(outputs_of(repair)) == 1 else f" in {best.output}"
    between = f"between {' and '.join(sides(best))}{of}, on {unseen(best.new, best.scope)}"
    lead = f"Advised: {method}. {_removed(best)} {between} ({_how_far(best)})."
    notes = [MEAN_OF_BOTH, "More than 100 % of a gap gone means that it was reversed."]
    notes.append("“Closed” means that a gap is no longer visible, not that the system is fair.")
    lines = tuple(outcome_in_words(repair, one) for one in visible)
    others = tuple(outcome_in_words(repair, one) for one in found if one.reduction is None)
    return Headline("advised", lead, lines, others, tuple(notes))


def _removed(one: Outcome) -> str:
    return "It closes the gap" if one.verdict == "closed" else "It reduces the gap"


def _how_far(one: Outcome) -> str:
    """`a single fit leaves about 20 % of the gap; 0.043 → −0.001 on average over both halves`."""
    before, after = (UNDEFINED if gap is None else number(gap.value) for gap in (one.before, one.after))
    single = left_in_words(one)
    return f"{f'{single}; ' if single else ''}{before} → {after} on average over both halves"


def _nothing(repair: Repair) -> Headline:
    groups = listed(attributes_of(repair))
    lead = f"Nothing to repair: no gap between the groups of {groups} was visible, for people like these."
    lines = dict.fromkeys(_not_visible(repair, one) for one in main_outcomes(repair, repair.methods[0]))
    notes = ["“Not visible” does not mean “fair”: the gap could be anywhere in its interval."]
    notes += list(_left_alone(repair))
    made = [one.method for one in glances(repair) if one.made]
    if made:
        notes.append(f"Introduced a gap where none was visible: {listed(made)}.")
    return Headline("nothing to repair", lead, tuple(lines), notes=tuple(notes))


def _only_in_parts(repair: Repair) -> Headline:
    """No gap on average, and yet gaps by emotion, which cancel out."""
    lines = []
    for one in repair.differing:
        what = comparison(one) if len(outputs_of(repair)) == 1 else f"{one.output}, {comparison(one)}"
        lines.append(f"{what}: {', '.join(f'{part.level} {number(part.before.value)}' for part in one.differed)}.")
    columns = dict.fromkeys(part.grouping.replace("_", " ") for one in repair.differing for part in one.differed)
    lead = f"No gap was visible on average, but it differs by {listed(columns)}; no method here is fitted to that."
    return Headline("no method will do", lead, tuple(lines), notes=tuple(_exact(repair)))


def _exact(repair: Repair) -> Iterator[str]:
    """What is left where no fitted method will do."""
    found = [method for method in methods_of(repair) if family_of(repair, method) == EXACT]
    if found:
        yield f"Equal by construction in all kinds of sentences, at the price of other questions: {listed(found)}."


def _not_visible(repair: Repair, one: Outcome) -> str:
    what = comparison(one) if len(outputs_of(repair)) == 1 else f"{one.output}, {comparison(one)}"
    return f"{what}: {verdict(one) if one.before is None else gap(one.before, repair.level)}."


def _left_alone(repair: Repair) -> Iterator[str]:
    """What the fitted methods did where there was nothing to do."""
    fitted = [one for one in glances(repair) if one.family == FITTED]
    whole = [one.method for one in fitted if one.left_alone == 1]
    if whole:
        yield f"Changed no score in any fit: {listed(whole)}."
    for one in fitted:
        if one.left_alone < 1:
            yield f"{one.method} changed some scores in {percent(1 - one.left_alone)} of its fits."


def _none_will_do(repair: Repair) -> Headline:
    fitted = [method for method in methods_of(repair) if family_of(repair, method) == FITTED]
    if not fitted:
        return Headline("no method will do", "No fitted method was tried, so none is advised.", ())
    lines = [f"{method}: {'; '.join(why_not(repair, method)) or 'closes nothing'}." for method in fitted]
    lead = "A gap was visible, but no fitted method can be advised."
    return Headline("no method will do", lead, tuple(lines), notes=tuple(_exact(repair)))


def _cannot_tell(repair: Repair) -> Headline:
    reasons = dict.fromkeys(one.undefined or "not judged" for one in repair.judgement.outcomes)
    lead = "Cannot tell: no gap could be judged on held-out data."
    return Headline("cannot tell", lead, tuple(f"{reason[:1].upper()}{reason[1:]}." for reason in reasons))


def _glance(repair: Repair, method: str) -> Glance:
    outcomes = repair.outcomes(method=method, scope=None)
    counts: Counter[str] = Counter(one.verdict for one in outcomes)
    alone = {one.new: one.left_alone for one in outcomes}
    return Glance(
        method,
        family_of(repair, method),
        sum(one.reduction is not None for one in outcomes),
        counts["closed"],
        counts["reduced"],
        counts["not reduced"],
        counts["reversed"],
        counts["made a gap"],
        counts["opened a part"],
        sum(alone.values()) / len(alone),
        _advice(repair, method),
    )


def _advice(repair: Repair, method: str) -> str:
    if method == repair.advised:
        return ADVISED
    family, against = family_of(repair, method), why_not(repair, method)
    if family == EXACT:
        against = ["equal by construction", *against]
    if against:
        return "; ".join(against)
    if family != FITTED:
        return "for comparison"
    if repair.nothing_to_repair:
        return "not needed"
    return f"{repair.advised} closes more, or as much and is simpler" if repair.advised else "closes nothing"


def _against(repair: Repair, method: str) -> Iterator[str]:
    outcomes = repair.outcomes(method=method, scope=None)
    for bad, words in (("reversed", "reverses a gap"), ("made a gap", "introduces a gap"), ("opened a part", "")):
        found = [one for one in outcomes if one.verdict == bad]
        if found:
            more = f", and {len(found) - 1} more" if len(found) > 1 else ""
            yield f"{words or _opening(found[0])} ({_place(repair, found[0])}{more})"
    within = [price.within for price in repair.judgement.prices if price.method == method and price.within is not None]
    if within and min(within) < WITHIN_AT_LEAST:
        yield (
            f"changes the order within a group (rank correlation {correlation(min(within))}, at least "
            f"{number(WITHIN_AT_LEAST, span=10)} is required)"
        )
    left = [one.spread_kept for one in repair.judgement.prices if one.method == method and one.spread_kept is not None]
    if left and min(left) < SPREAD_AT_LEAST:
        yield f"flattens all scores ({kept(min(left))} of the spread between sentences is left)"


def _opening(one: Outcome) -> str:
    gaps = [f"{part.level}, {number(part.before.value)} → {number(part.after.value)}" for part in one.opened]
    return f"opens a gap in {'; '.join(gaps)}"


def _place(repair: Repair, one: Outcome) -> str:
    parts = [one.output] if len(outputs_of(repair)) > 1 else []
    parts += [" − ".join(sides(one)), split_name(one.new)]
    return ", ".join(parts if one.scope == EVERYBODY else [*parts, scope_name(one.scope)])

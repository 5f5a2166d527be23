"""What a gate found, in words: one line in all, and a row for each limit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from evenhand.errors import so_many
from evenhand.gating.judging import ACROSS, BEYOND, NOT_WORSE, WITHIN, WORSE
from evenhand.gating.result import OUTCOMES, Check, Item
from evenhand.report.audit.amounts import number
from evenhand.report.audit.naming import listed
from evenhand.report.common.plain import Listing

HEADINGS = ("system", "limit on", "allowed", "found", "outcome", "why")
UNKNOWN = "not known whether it does its job"


def title(check: Check) -> str:
    """Whether it is passed, and how many limits have which outcome."""
    counted = [f"{count} {said}" for count, said in zip(check.outcomes.values(), _said(check), strict=True) if count]
    return f"{'Passed' if check.passed else 'Failed'}: of {so_many(len(check.items), 'limit')}, {listed(counted)}"


def _said(check: Check) -> list[str]:
    """Verbs that go with the number of limits."""
    one = {outcome: check.outcomes[outcome] == 1 for outcome in OUTCOMES}
    return [
        "is broken" if one["fails"] else "are broken",
        "cannot be told",
        "is kept" if one["passes"] else "are kept",
    ]


def in_order(items: Iterable[Item]) -> list[Item]:
    """What keeps the gate shut first, then what cannot be told, then what passes."""
    return sorted(items, key=lambda item: (not item.blocks, OUTCOMES.index(item.outcome)))


def about(item: Item, short: Collection[str] = ()) -> str:
    """What a limit is on: `gender: women − men`, a decision at a threshold, or growth since the baseline.

    Of attributes that are `short`, the name alone.
    """
    if item.question == "answers":
        return f"answers on {item.corpus}"
    compared = item.attribute if item.attribute in short else f"{item.attribute}: {_sides(item)}"
    subset = "" if item.subset == "all" else f", {item.subset}"
    if item.question == "baseline":
        return f"growth of {compared}{subset}"
    if item.question == "gap":
        return f"{compared}{subset}"
    return f"{item.question} at {item.threshold:.3g}, {compared}{subset}"


def pairs(items: Iterable[Item]) -> dict[str, str]:
    """The groups that are compared, by attributes that have one comparison only."""
    known: dict[str, set[str]] = {}
    for item in items:
        if item.attribute:
            known.setdefault(item.attribute, set()).add(_sides(item))
    return {attribute: sides.pop() for attribute, sides in known.items() if len(sides) == 1}


def _sides(item: Item) -> str:
    return f"{item.first_label} − {item.second_label}"


def who(item: Item, *, outputs: bool) -> str:
    """The system, and its output where systems have several."""
    return f"{item.system} {item.output}" if outputs and item.output else item.system


def several_outputs(items: Iterable[Item]) -> bool:
    """Whether a system has more than one output."""
    known: dict[str, set[str]] = {}
    for item in items:
        known.setdefault(item.system, set()).add(item.output)
    return any(len(outputs - {""}) > 1 for outputs in known.values())


def allowed(item: Item) -> str:
    """
    >>> made = Item("gap", "eec", "vader", "valence", "race", "all", "a", "b", "passes", False, "", limit=0.02)
    >>> allowed(made)
    '±0.020'
    """
    if item.limit is None:
        return ""
    shown = number(item.limit, span=item.span)
    if item.question == "impact ratio":
        return f"{shown} to {number(1 / item.limit)}"
    if item.question == "baseline":
        return f"up to {shown}" if item.limit else "none"
    return f"±{shown}"


def found(item: Item) -> str:
    """The estimate with its interval."""
    if item.estimate is None:
        return "undefined"
    shown = number(item.estimate, span=item.span)
    if item.interval is None:
        return shown
    low, high = (number(end, span=item.span) for end in item.interval)
    return f"{shown} ({low} to {high})"


def why(item: Item) -> str:
    """Why it is so, where the numbers beside it do not say it."""
    reason = "" if item.reason in (WITHIN, BEYOND, ACROSS, NOT_WORSE, WORSE) else item.reason
    unknown = UNKNOWN if item.outcome == "passes" and item.question == "gap" and item.does_its_job is None else ""
    return "; ".join(part for part in (reason, unknown) if part)


def row(item: Item, *, outputs: bool, short: Collection[str] = ()) -> tuple[str, ...]:
    """The cells below `HEADINGS`."""
    outcome = item.outcome if item.blocks or item.outcome != "cannot tell" else "cannot tell (passes)"
    return who(item, outputs=outputs), about(item, short), allowed(item), found(item), outcome, why(item)


def listing(items: Sequence[Item], heading: str = "") -> Listing:
    """All of them as a table."""
    outputs = several_outputs(items)
    return Listing(HEADINGS, [row(item, outputs=outputs) for item in items], title=heading)


def sentence(item: Item) -> str:
    """One limit in one line."""
    numbers = "" if item.estimate is None else f" is {found(item)}, allowed {allowed(item)}"
    label = "" if item.question == "answers" else f", {about(item)}"
    return f"{item.system}{f' ({item.output})' if item.output else ''} on {item.corpus}{label}{numbers}: {item.reason}"


def reading(check: Check) -> str:
    """How outcomes come about, and what they hold for."""
    lenient = check.provenance.settings.get("cannot_tell") == "pass"
    told = "passes here, as configured" if lenient else "keeps the gate shut"
    return (
        "Allowed and found are in the output's own units, the interval is for people, templates and words like these. "
        f"All of it within passes, all of it beyond fails; what cannot be told {told}.{_unless(check.items)}"
    )


def _unless(items: Iterable[Item]) -> str:
    """What would undo what passes: reactions of people who were not asked about."""
    known = [
        (item.unseen_share, item.unseen_reaction)
        for item in items
        if item.outcome == "passes" and item.unseen_share is not None and item.unseen_reaction is not None
    ]
    if not known:
        return ""
    share, reaction = max(share for share, _ in known), min(reaction for _, reaction in known)
    return (
        f" What passes holds unless others who were not asked about (up to {100 * share:.2g} %) react by more than "
        f"{number(reaction)}."
    )


def worst(item: Item) -> list[str]:
    """The pairs of sentences with the largest differences."""
    return [
        f"{number(pair.difference, span=item.span)}: “{pair.first_text}” {number(pair.first_score, span=item.span)}, "
        f"“{pair.second_text}” {number(pair.second_score, span=item.span)}"
        for pair in item.worst
    ]

"""What carries a gap, in plain sentences, and numbers as they are shown."""

from __future__ import annotations

from evenhand.explaining import Explanation, GroupEffect, Question
from evenhand.explaining.training import ROUNDING

Interval = tuple[float, float]
UNDEFINED = "undefined"


def amount(value: float | None, span: float) -> str:
    """Gaps and what they are made of are small: four digits of the range.

    >>> amount(-0.00351, 1.0), amount(0.0351, 10.0), amount(None, 1.0), amount(-0.00001, 1.0)
    ('−0.0035', '0.035', 'undefined', '0.0000')
    """
    if value is None:
        return UNDEFINED
    decimals = 4 if span <= 2 else 3 if span <= 20 else 2
    shown = f"{value:.{decimals}f}"
    return (f"{0:.{decimals}f}" if float(shown) == 0 else shown).replace("-", "−")


def between(interval: Interval | None, span: float) -> str:
    """An interval."""
    return UNDEFINED if interval is None else " to ".join(amount(end, span) for end in interval)


def called(question: Question) -> str:
    """What a gap is called: `valence: women − men`."""
    return f"{question.output}: {question.first_label} − {question.second_label}"


def headline(found: Explanation, question: Question) -> str:
    """The gap, and which training texts or words carry it, as far as that is shown."""
    lead = f"{called(question)}: "
    if question.gap is None:
        return f"{lead}the gap is undefined, because {question.undefined}."
    span = question.span
    told = f"{lead}the gap is {amount(question.gap, span)}"
    if question.interval is not None:
        told += f" ({between(question.interval, span)} for people like these)"
    by_chance = question.training_interval
    if by_chance is not None and max(map(abs, by_chance)) <= ROUNDING * span:
        return f"{told}; the model has learned nothing that tells the two sides apart."
    if by_chance is not None and by_chance[0] <= 0 <= by_chance[1]:
        told += f"; other training texts of the same kind might give no gap at all ({between(by_chance, span)})"
    elif by_chance is not None:
        told += f"; with other training texts of the same kind it would lie between {_ends(by_chance, span)}"
    return f"{told}. {_training(found, question)}"


def _ends(interval: Interval, span: float) -> str:
    return " and ".join(amount(end, span) for end in interval)


def _training(found: Explanation, question: Question) -> str:
    groups: list[GroupEffect] = found.about(question, "groups")
    carrying = sorted((one for one in groups if one.role == "carries"), key=lambda one: -abs(one.change))
    if carrying:
        first = carrying[0]
        more = f" ({len(carrying) - 1} more in the table)" if len(carrying) > 1 else ""
        return (
            f"Shown to carry it: {first.group}; trained again without these {first.texts:,} texts, "
            f"{amount(first.left, question.span)} is left{more}."
        )
    if groups:
        return f"None of {len(groups)} groups of training texts is shown to carry it."
    return _strongest(found, question)


def _strongest(found: Explanation, question: Question) -> str:
    """Which name or word of the groups moves the score most, and how many do so as far."""
    swaps = [one for one in found.swaps if one.output == question.output and one.kind == "person"]
    # A side may be called after what stands in its sentences: African American names, of African American people.
    first = {question.first_label, f"{question.first} people"}
    second = {question.second_label, f"{question.second} people"}
    both = any(second & set(one.groups) for one in swaps)
    ours = [one for one in swaps if (first | second if both else first) & set(one.groups)]
    if not ours:
        return ""
    strongest = max(ours, key=lambda one: abs(one.effect))
    alike = sum(abs(abs(one.effect) - abs(strongest.effect)) <= ROUNDING * question.span for one in ours) - 1
    others = f"; {alike} other{' moves' if alike == 1 else 's move'} it as far" if alike else ""
    shown = amount(strongest.effect, question.span)
    side = "both groups" if both else "the first group"
    return f"Of the names and words of {side}, {strongest.word} moves the score most (by {shown}){others}."

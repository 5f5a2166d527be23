"""Ratings in words: what the data are, and what the answers to the questions are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.rating import Rating, Ratings
from evenhand.rating.questions import SYNTHETIC, Answer
from evenhand.rating.ratings import LABELLED, PART, UNBROKEN
from evenhand.rating.relabelling import Relabelled

QUESTIONS = {
    "human data": "How do ratings on text that people wrote compare with those on synthetic text?",
    "human ratings": "How do systems compare with what people say?",
    "round trip": "What does translating there and back do to the ratings?",
}
NEEDS = {
    "human data": "Not asked: it needs conversations (chat) and data group 1 or 3.",
    "human ratings": "Not asked: it needs people's labels as a system (human:FILE,FILE) and what they labelled.",
    "round trip": "Not asked: it needs a language to translate through (via).",
}
GROUPS = {
    "Group-1": "Made-up sentences with “this man”, “this woman” and the like",
    "Group-2": "“This man”, “this woman” and the like, some with happy words more often than others",
    "Group-3": "Made-up sentences with first names",
    "Group-4": "First names, some with happy words more often than others",
    "user": "What users wrote to a chatbot",
    "chatbot": "What a chatbot answered",
}
LANGUAGES = {"es": "Spanish", "da": "Danish", "fr": "French", "de": "German", "it": "Italian", "pt": "Portuguese"}
LEVELS = (
    "Level 1: the groups differ by no more than chance (p above 0.05; where people are few, each rating says what it "
    "goes by), or not at all. Levels 2 to {levels}: they differ by more; these are equal parts of the way from a score "
    "of 0 to that of a system that goes by the group alone. A system's level is the same whichever others are rated "
    "beside it. A level never means “fair”."
)
EXPECTED = (
    "Expected: the score if people are dealt to the groups anew, each with all their sentences, on average and in 95 % "
    "of the ways. p: how often the groups then differ as much as they do. A high score that is also expected comes "
    "from single people who are treated differently: the score counts their sentences as if they were many people."
)
UNDEFINED = "undefined"
X = "X"
"""A score that is worse than any number."""


def score_text(score: float | None) -> str:
    """A raw score as the paper prints it.

    >>> score_text(23.0), score_text(160.2787456), score_text(math.inf), score_text(math.nan), score_text(0.0)
    ('23', '160.28', 'X', 'undefined', '0')
    """
    if score is None or math.isnan(score):
        return "undefined"
    return X if math.isinf(score) else f"{score:.2f}".rstrip("0").rstrip(".")


def level_text(level: int | None) -> str:
    """A level, or that there is none."""
    return "undefined" if level is None else str(level)


def overall_text(ratings: Ratings, system: str) -> str:
    """The overall level, and whether it is about the people in the texts only: `3 (for these people only)`."""
    level = level_text(ratings.overall[system])
    return level if ratings.overall_about_others[system] is not False else f"{level} (for these people only)"


def order_text(result: Rating) -> str:
    """The partial order: systems from the lowest raw score to the highest, with their levels."""
    return (
        UNDEFINED
        if not result.partial_order
        else ", ".join(f"{name}: {level_text(result.ratings[name])}" for name, _ in result.partial_order)
    )


def among_text(result: Rating) -> str:
    """The complete order: in which part of these systems' scores each one is."""
    return (
        UNDEFINED
        if not result.partial_order
        else ", ".join(f"{name}: {level_text(result.among_these[name])}" for name, _ in result.partial_order)
    )


def expected_text(found: Relabelled | None) -> str:
    """The score with persons relabelled, on average and in 95 % of the relabellings: `6.9 (0 to 14)`."""
    if found is None or found.mean is None:
        return ""
    return f"{score_text(round(found.mean, 1))} ({score_text(found.low)} to {score_text(found.high)})"


def p_text(found: Relabelled | None) -> str:
    """How often relabelled classes differ as much."""
    return "" if found is None else f"{found.p:.2g}"


def relabelled_in_words(result: Rating) -> list[str]:
    """What was relabelled in one rating, what that can show, and of whom its levels speak; once if all are alike."""
    alike: dict[str, list[str]] = {}
    for name, found in result.expected_by_system.items():
        alike.setdefault(_relabelled_in_words(found), []).append(name)
    return [text if len(alike) == 1 else f"{', '.join(names)}: {text}" for text, names in alike.items()]


def _relabelled_in_words(found: Relabelled) -> str:
    what = "people" if found.over == "persons" else "sentences"
    many = f"all {found.relabellings:,} ways" if found.every else f"{found.relabellings:,} of the ways"
    told = f"Relabelled: {many} to deal these {what} to the groups; the smallest possible p is {found.smallest_p:.2g}."
    if found.reference_p is None:
        return f"{told} No column names the people, so nothing is said of other people than these."
    if found.about_others:
        return told
    return (
        f"{told} These people are too few to tell groups from single people: a system that goes by the group alone may "
        f"have p = {found.reference_p:.2g}. Levels above 1 go by that p here, and by differences beyond chance between "
        "sentences; they are about these people only."
    )


@dataclass(frozen=True)
class Asked:
    """A question with its answers, and what they come to."""

    text: str
    short: str
    answers: Sequence[Answer]


def questions_of(ratings: Ratings) -> list[Asked]:
    """Each question; one without answers says what it needs, where systems were asked and could be asked more."""
    found = []
    for name, text in QUESTIONS.items():
        mine = [answer for answer in ratings.answers if answer.question == name]
        if mine or ratings.provenance.corpora:
            found.append(Asked(text, f"{in_short(mine)}." if mine else NEEDS[name], mine))
    return found


def where(result: Rating | Answer) -> str:
    """The short name of a setting, as in the paper: `SD, Group-1, by gender, via es`."""
    parts = (result.data, result.group, f"by {result.attribute}", result.via and f"via {result.via}")
    return ", ".join(part for part in parts if part)


def tested_on(result: Rating | Answer) -> str:
    """What the data of a setting are, for whoever has not read the paper; nothing of the round trip.

    >>> from types import SimpleNamespace
    >>> tested_on(SimpleNamespace(data="homework", group="user", attribute="gender", via=None))
    'What users wrote to a chatbot (homework), compared by gender'
    """
    group = (result.group or "").partition(",")[0]
    named = GROUPS.get(group)
    if named is None:
        named = ", ".join(part for part in (result.data, result.group) if part) or "What others have scored"
    elif result.data not in (SYNTHETIC, None):
        named = f"{named} ({result.data})"
    if of_people(result):
        named += ", the sentences that people labelled"
    return f"{named}, compared by {result.attribute.replace('+', ' and ')}"


def of_people(result: Rating | Answer) -> bool:
    """Whether it is about the sentences that people labelled, where these are not all."""
    return (result.group or "").partition(PART)[2].startswith(LABELLED)


def through(via: str | None) -> str:
    """
    >>> through("es"), through("xx")
    ('translated into Spanish and back', 'translated into xx and back')
    """
    return "" if via is None else f"translated into {LANGUAGES.get(via, via)} and back"


def is_unbroken(result: Rating | Answer) -> bool:
    """Whether sentences that the round trip broke are left out."""
    return (result.group or "").partition(PART)[2] == UNBROKEN


def in_words(answer: Answer) -> str:
    """One answer as a sentence."""
    lead = f"{answer.system}, {where(answer)}"
    if answer.change is None:
        return f"{lead}: undefined ({answer.undefined})."
    return f"{lead}: {_values(answer)}; {change_text(answer)}."


def change_text(answer: Answer) -> str:
    """How large the change is, and between what it lies: `+33 points (+12 to +50)`."""
    if answer.change is None:
        return f"undefined: {answer.undefined}"
    between = answer.interval
    ends = f"no interval: {answer.no_interval}" if between is None else f"{_round(between[0])} to {_round(between[1])}"
    return f"{_round(answer.change)} {answer.unit} ({ends})"


def _round(value: float) -> str:
    return f"{round(value) + 0:+d}" if round(value) else "0"


def _values(answer: Answer) -> str:
    before, after = score_text(answer.before), score_text(answer.after)
    if answer.unit == "%":
        return f"raw score {before} before, {after} after"
    if answer.unit == "percentage points":
        return f"impact of deconfounding {before} % for people, {after} % for the system"
    old, new = {
        "human data": ("on synthetic text", "here"),
        "human ratings": ("for people", "for the system"),
        "round trip": ("before", "after"),
    }[answer.question]
    return f"{before} % of the largest possible score {old}, {after} % {new}"


def in_short(answers: Sequence[Answer]) -> str:
    """How many of the answers are above zero, below it, or not told from it."""
    known = [answer for answer in answers if answer.change is not None]
    ends = [answer.interval for answer in known if answer.interval is not None]
    up, down = sum(low > 0 for low, _ in ends), sum(high < 0 for _, high in ends)
    counted = {
        "undefined": len(answers) - len(known),
        "without an interval": len(known) - len(ends),
    }
    told = f"{up} higher, {down} lower, {len(ends) - up - down} not told apart"
    return told + "".join(f", {number} {what}" for what, number in counted.items() if number)

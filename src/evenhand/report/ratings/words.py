"""Ratings in words: where something was rated, and what the answers to the questions are."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.rating import Rating
from evenhand.rating.questions import Answer
from evenhand.report.rating import score_text

QUESTIONS = {
    "human data": "How do ratings on text that people wrote compare with those on synthetic text?",
    "human ratings": "How do systems compare with what people say?",
    "round trip": "What does translating there and back do to the ratings?",
}


def where(result: Rating) -> str:
    """`SD, Group-1, by gender, via es`."""
    parts = (result.data, result.group, f"by {result.attribute}", result.via and f"via {result.via}")
    return ", ".join(part for part in parts if part)


def in_words(answer: Answer) -> str:
    """One answer as a sentence."""
    lead = f"{answer.system}, {answer.setting}"
    if answer.change is None:
        return f"{lead}: undefined ({answer.undefined})."
    ends = "" if answer.interval is None else f" ({answer.interval[0]:+.0f} to {answer.interval[1]:+.0f})"
    unit = "%" if answer.unit == "%" else "points of the largest possible score"
    values = f"{score_text(answer.before)} → {score_text(answer.after)}"
    return f"{lead}: {answer.change:+.0f} {unit}{ends}; {values}."


def in_short(question: str, answers: Sequence[Answer]) -> str:
    """How many of the answers are above zero, below it, or not told from it."""
    known = [answer for answer in answers if answer.change is not None]
    sure = [answer for answer in known if answer.interval is not None]
    up = sum(answer.interval is not None and answer.interval[0] > 0 for answer in sure)
    down = sum(answer.interval is not None and answer.interval[1] < 0 for answer in sure)
    undefined = len(answers) - len(known)
    told = f"{up} higher, {down} lower, {len(known) - up - down} not told apart"
    return told + (f", {undefined} undefined" if undefined else "")

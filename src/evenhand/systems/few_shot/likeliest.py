"""Who answers: what a server lists as the likeliest next tokens, and what that says of labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.errors import BadAnswer
from evenhand.systems.base import Array

Listed = Mapping[str, float]
"""Tokens as text, each with its probability, the likeliest first."""

NOTHING: Listed = {}
LEAST = 1e-6
"""What rounding may have taken from the listed probabilities, where they add up to one."""

ROUNDING = 1e-4
"""By how much a log-probability may lie above zero."""

SPACES = str.maketrans({"▁": " ", "Ġ": " "})
"""Some servers give tokens as their vocabulary spells them, with a sign where a word begins."""


@dataclass(frozen=True)
class Read:
    """The labels' masses, and how many of the labels were not listed."""

    masses: Array
    unlisted: int
    most: float
    """The largest mass that one of those could have, which is what each was given."""
    singly: int = 0
    """How many labels were asked for by themselves."""


def masses_of(listed: Listed, firsts: Sequence[str], *, singly: Listed = NOTHING) -> Read | None:
    """The mass of each label, by its first token; None if none of them is known. `singly` has what was told of labels
    that are not listed.

    A token that is not listed is no likelier than the least of those that are, nor can all those that are not listed
    hold more than what the listed ones leave to one. How much less it is, nobody knows: to take it for 0 would be as
    arbitrary, and would hide a label's mass entirely, so it is given the most that it can have.

    >>> read = masses_of({"1": 0.6, "2": 0.3, "the": 0.04}, ["1", "2", "3"])
    >>> read.masses.tolist(), read.unlisted
    ([0.6, 0.3, 0.04], 1)
    >>> masses_of({"1": 0.6, "2": 0.3, "the": 0.04}, ["1", "2", "3"], singly={"3": 0.01}).masses.tolist()
    [0.6, 0.3, 0.01]
    """
    told = {**listed, **singly}
    known = [told.get(token) for token in firsts]
    unlisted = known.count(None)
    if unlisted == len(firsts):
        return None
    # No model gives a token nothing: where the listed ones add up to one, rounding has taken the rest.
    left = max(LEAST, 1 - math.fsum(told.values()))
    most = min(min(listed.values()), left / unlisted) if unlisted else 0.0
    masses = np.array([most if mass is None else mass for mass in known])
    return Read(masses, unlisted, most, sum(token in singly for token in firsts))


def listed_in(answer: Any) -> Listed:
    """The likeliest first tokens of a server's answer, in either of the two shapes that servers give them."""
    pairs = sorted(_pairs(_logprobs(answer)), key=lambda pair: -pair[1])
    found: dict[str, float] = {}
    for token, log in pairs:
        found.setdefault(token.translate(SPACES), math.exp(min(log, 0.0)))
    return found


def _logprobs(answer: Any) -> Any:
    choices = answer.get("choices") if isinstance(answer, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadAnswer(f"its answer holds no choices but {_held(answer)}; does it speak the OpenAI protocol?")
    logprobs = choices[0].get("logprobs")
    if not isinstance(logprobs, dict):
        raise BadAnswer("it gives no log-probabilities, which the scores are read from; ask a server that does")
    return logprobs


def _pairs(logprobs: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    content = logprobs.get("content")
    if isinstance(content, list):  # as for chats, and wherever servers have no other
        first = content[0] if content else None
        rows = first.get("top_logprobs") if isinstance(first, dict) else None
        listed = rows if isinstance(rows, list) else []
        pairs = [(row.get("token"), row.get("logprob")) for row in listed if isinstance(row, dict)]
    else:  # as for completions of old
        tops = logprobs.get("top_logprobs")
        first = tops[0] if isinstance(tops, list) and tops else None
        pairs = list(first.items()) if isinstance(first, dict) else []
    if len(pairs) < 2:
        raise BadAnswer(
            f"it lists {'one token' if pairs else 'no tokens'} with log-probabilities, where labels are to be found "
            "among several; ask a server that lists them"
        )
    for token, log in pairs:
        if not isinstance(token, str) or isinstance(log, bool) or not isinstance(log, int | float) or log > ROUNDING:
            raise BadAnswer(f"it lists the token {token!r} with {log!r}, which is not a log-probability (at most 0)")
        yield token, float(log)


def _held(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(map(str, value)) or "nothing"
    return f"a list of {len(value)}" if isinstance(value, list) else repr(value)

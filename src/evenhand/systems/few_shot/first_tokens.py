"""Who answers: which token each label begins with, as a server's tokeniser has it, found out by having it repeated."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evenhand.errors import BadAnswer
from evenhand.systems.few_shot.label_tokens import refuse_shared_first
from evenhand.systems.few_shot.likeliest import Listed

TIMES = 5
"""How often a model is shown what it is to repeat; even a small one does so after three."""

BEFORE_LABEL = re.compile(r"\W*\Z")


@dataclass(frozen=True)
class Repeat:
    """A label that a model is shown several times after `before`, and is to go on with after `end`."""

    label: str
    before: str = ""
    end: str = ""

    @property
    def text(self) -> str:
        """As one text."""
        return f"Answer{self.before}{self.label}\n" * TIMES + f"Answer{self.end}"

    @property
    def turns(self) -> list[dict[str, str]]:
        """As the turns of a chat."""
        asked = {"role": "user", "content": f"Say: {self.label}"}
        return [asked, {"role": "assistant", "content": self.label}] * TIMES + [asked]


Ask = Callable[[Sequence[Repeat]], list[Listed]]
"""The likeliest tokens to go on with."""


@dataclass(frozen=True)
class FirstTokens:
    """The first token of each label, after a prompt with the spaces at its end, or without them."""

    tokens: tuple[str, ...]
    keeps_space: bool

    def prompt(self, text: str) -> str:
        """A prompt as it has to be put for these tokens to follow."""
        return text if self.keeps_space else text.rstrip(" ")


def between(prompt: str) -> str:
    """What stands right before the label: where tokens are cut depends on their neighbours.

    >>> between("Sentence: Oh! Anger: ")
    ': '
    """
    found = BEFORE_LABEL.search(prompt)
    return found.group() if found else ""


def in_a_text(ask: Ask, before: str, labels: Sequence[str]) -> FirstTokens:
    """Find out which token each label begins with when a text goes on; two labels that begin alike are refused.

    A server tells tokens only as it uses them, and whether the space before a label is a token of its own or joins the
    label depends on both. So the model is shown each label several times, and the likeliest token that the label can
    begin with is the one that it begins with. A space that is a token of its own before all labels stays with the
    prompt.
    """
    bare = before.rstrip(" ")
    found = _begun(ask, [Repeat(label, before, bare) for label in labels], before[len(bare) :])
    keeps_space = bare != before and not any(token.strip() for token in found)
    if keeps_space:
        found = _begun(ask, [Repeat(label, before, before) for label in labels], "")
    refuse_shared_first(labels, found)
    return FirstTokens(tuple(found), keeps_space)


def in_a_chat(ask: Ask, labels: Sequence[str]) -> FirstTokens:
    """Find out which token each label begins with when it is all that is answered."""
    found = _begun(ask, [Repeat(label) for label in labels], " ")
    refuse_shared_first(labels, found)
    return FirstTokens(tuple(found), keeps_space=False)


def _begun(ask: Ask, repeats: Sequence[Repeat], spaces: str) -> list[str]:
    return [beginning(listed, spaces, one.label) for listed, one in zip(ask(repeats), repeats, strict=True)]


def beginning(listed: Listed, spaces: str, label: str) -> str:
    """The likeliest of the listed tokens that a label, perhaps with spaces before it, can begin with.

    Some servers show tokens without the space that they begin with, and a space that is a token as nothing.

    >>> beginning({" lo": 0.9, " low": 0.05, "l": 0.01}, " ", "low")
    ' lo'
    """
    for token in listed:
        if (token or spaces) and any(text.startswith(token) for text in (spaces + label, label)):
            return token
    raise BadAnswer(
        f"the model does not go on with the label {label!r} after it was shown {TIMES} times, so its first token is "
        "not known; choose another label"
    )

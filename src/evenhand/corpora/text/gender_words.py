"""What is asked: words for women and for men, and which takes the place of which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from evenhand.corpora.text.data import text_data

WOMEN, MEN = "female", "male"
OTHER = {WOMEN: MEN, MEN: WOMEN}


@dataclass(frozen=True)
class Words:
    """Gendered words: which gender they tell, and what takes their place."""

    gender: dict[str, str]
    other: dict[str, str]


@cache
def gendered_words() -> Words:
    """All gendered nouns and adjectives with their counterparts."""
    data = text_data("gender")
    gender: dict[str, str] = {}
    other: dict[str, str] = {}

    def enter(word: str, group: str, counterpart: str) -> None:
        if word in data["generic"]:
            return
        gender.setdefault(word, group)
        other.setdefault(word, counterpart)

    def both(women: str, men: str, ways: Iterable[str]) -> None:
        for ending in (False, True):
            first, second = (_plural(women), _plural(men)) if ending else (women, men)
            if WOMEN in ways:
                enter(first.lower(), WOMEN, second)
            if MEN in ways:
                enter(second.lower(), MEN, first)

    for women, men in data["to_male"].items():
        both(women, men, [WOMEN])
    for men, women in data["to_female"].items():
        both(women, men, [MEN])
    for pair in data["pairs"]:
        women, men = pair.split("/")
        both(women, men, [WOMEN, MEN])
    return Words(gender, other)


def _plural(word: str) -> str:
    known = text_data("gender")["plurals"]
    if word in known:
        return str(known[word])
    if word.endswith(("man", "woman")) and len(word) > 3:
        return word[:-2] + "en"
    if word.endswith(("hood", "ly", "ish", "less", "folk")):
        return word
    return word + ("es" if word.endswith(("s", "x", "ch")) else "s")

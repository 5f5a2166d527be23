"""What is asked: the words of a text and where they stand, so that all that lies between them is kept as it is."""

from __future__ import annotations

import re
from typing import NamedTuple

WORD_OR_NOT = re.compile(
    r"(?P<other>https?://\S+|www\.\S+|(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+|[#@＠]\w+"
    r"|[^\W_]++(?:_[^\W_]++)+)|(?i:ma['’]am)\b|[^\W_]+"
)
"""Addresses, hashtags and mentions are matched first, so that no word is found within them. Each run of signs is tried
once as an address, from its first sign: else a line of dots takes time by the square of its length."""
OPENING = frozenset("\"'“‘«([{*_$£€")
ENDS_SENTENCE = re.compile(r"[.!?…:;\n—–]|\.\.\.|[^\w\s,'’\"“”‘()&/%$£€-]")


class Token(NamedTuple):
    """A word of a text."""

    start: int
    end: int
    text: str
    lower: str


def tokens_of(text: str) -> list[Token]:
    """The words of a text; addresses, hashtags and mentions are none.

    >>> [token.text for token in tokens_of("She's #1, mail her@home.org — “ma’am”")]
    ['She', 's', 'mail', 'ma’am']
    """
    return [
        Token(match.start(), match.end(), match.group(), match.group().lower())
        for match in WORD_OR_NOT.finditer(text)
        if match.lastgroup is None
    ]


class Text:
    """A text and its words, with what stands between them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        letters = [one for one in text if one.isalpha()]
        upper = sum(map(str.isupper, letters))
        self.shouted = len(letters) > 3 and upper > 0.8 * len(letters)
        self.lower_case = bool(letters) and not upper
        self.chatty = bool(self.tokens) and (self.lower_case or self.tokens[0].text[0].islower())
        long = [one.text for one in self.tokens if len(one.text) > 3]
        self.title_case = len(long) > 4 and sum(one[0].isupper() for one in long) > 0.85 * len(long)

    def __len__(self) -> int:
        return len(self.tokens)

    def lower(self, place: int) -> str:
        """The word at a place, in lower case; empty beyond the ends."""
        return self.tokens[place].lower if 0 <= place < len(self.tokens) else ""

    def word(self, place: int) -> str:
        """The word at a place as it is written; empty beyond the ends."""
        return self.tokens[place].text if 0 <= place < len(self.tokens) else ""

    def gap(self, place: int) -> str:
        """What stands between a word and the next; after the last, the rest."""
        end = self.tokens[place].end if place >= 0 else 0
        return self.text[end : self.tokens[place + 1].start if place + 1 < len(self.tokens) else len(self.text)]

    def starts_sentence(self, place: int) -> bool:
        """Whether a sentence or a quotation begins at a word."""
        if place == 0:
            return True
        before = self.gap(place - 1)
        if any(one in before for one in '“"‘«') and not before.startswith(" (") and before.strip(" \t") not in ("",):
            return True
        after_initial = before == ". " and (len(self.word(place - 1)) == 1 or self.lower(place - 1) in ABBREVIATED)
        return bool(ENDS_SENTENCE.search(before)) and not after_initial

    def joined(self, place: int) -> bool:
        """Whether only spaces part a word from the next."""
        gap = self.gap(place)
        return place + 1 < len(self.tokens) and gap.isspace() and "\n\n" not in gap

    def capital(self, place: int) -> bool:
        """Whether a word begins with a capital."""
        return 0 <= place < len(self.tokens) and self.tokens[place].text[0].isupper()


ABBREVIATED = frozenset(
    ["mr", "mrs", "ms", "dr", "prof", "rev", "st", "sgt", "capt", "lt", "col", "gen", "sen", "rep", "hon", "jr", "sr"]
)


def in_case_of(words: str, model: str, *, shouted: bool = False) -> str:
    """Words in the case of the word whose place they take.

    >>> in_case_of("man", "WOMAN"), in_case_of("him", "Her"), in_case_of("stepson", "stepdaughter")
    ('MAN', 'Him', 'stepson')
    """
    if shouted or (len(model) > 1 and model.isupper()):
        return words.upper()
    return words[:1].upper() + words[1:] if model[:1].isupper() else words

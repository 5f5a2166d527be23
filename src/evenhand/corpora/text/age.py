"""What is asked: the ages of people in text, in words and in numbers."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from evenhand.corpora.text.articles import article_edits
from evenhand.corpora.text.data import text_data
from evenhand.corpora.text.identity import FARTHEST, FOLLOWERS, STOPS
from evenhand.corpora.text.people import is_person
from evenhand.corpora.text.tokens import Text, in_case_of
from evenhand.corpora.text.versions import CHANGED, NOBODY, SKIPPED, UNCHANGED, Analysis, Edit, edited

YOUNG, ADULT, OLD = "young", "adult", "old"
GROUPS = (YOUNG, ADULT, OLD)
OF_AGE = {YOUNG: (13, 35), ADULT: (36, 59), OLD: (60, 99)}
MIDDLE = {YOUNG: 25, ADULT: 45, OLD: 72}
NUMBER = re.compile(
    r"(?<![\w.,£$€])(?P<before>aged\s+)?(?P<age>\d{2})(?P<after>[-\s]year[-\s]olds?\b|\s?y/?o\b|[-\s]?yrs?[-\s]old\b)?(?![\w%:/]|[.,]\d)",
    re.IGNORECASE,
)
NOUNS = {
    "teenager": YOUNG,
    "adolescent": YOUNG,
    "youngster": YOUNG,
    "teen": YOUNG,
    "pensioner": OLD,
    "retiree": OLD,
    "octogenarian": OLD,
    "septuagenarian": OLD,
}

MEASURED = frozenset(
    ["year", "years", "yr", "yrs", "month", "months", "week", "weeks", "day", "days", "so", "too", "how"]
)
OWNERS = ("my", "your", "his", "her", "our", "ur")
"""`my old man` is a father or a husband."""


@cache
def _data() -> Any:
    return text_data("identity")


class AgeRules:
    """Finds the ages of people in English text, and gives them another."""

    groups = GROUPS

    def __init__(self) -> None:
        data = _data()
        self.bound, self.long_standing, self.kin = (
            frozenset(data[name]) for name in ("age_bound", "long_standing", "kin")
        )
        self.works = frozenset(data["age"]["works"])
        self.to, self.decades = data["age"]["to"], data["age"]["decades"]
        self.adjectives = {word: group for group, words in data["age"]["words"].items() for word in words}

    def analysis(self, content: str) -> Analysis:
        """The text about people of each other age, or why not."""
        text = Text(content)
        found = [*self._words(text), *self._numbers(text)]
        if not found:
            return Analysis(None, UNCHANGED, NOBODY)
        found.sort()
        groups = {one[2] for one in found}
        if len(groups) > 1:
            return Analysis(found[0][2], SKIPPED, "people of several groups are mentioned", mixed=True)
        (own,) = groups
        held = next((one.text for one in text.tokens if one.lower in self.bound), None)
        if held is not None:
            return Analysis(own, SKIPPED, f"“{held.lower()}” holds the rest of the text to one age")
        texts = {}
        for group in GROUPS:
            if group != own:
                edits = [self._edit(text, one, group) for one in found]
                made = [one for one in edits if one is not None]
                if len(made) == len(edits):
                    texts[group] = edited(content, [*made, *article_edits(text, made)])
        return Analysis(own, CHANGED, "", texts)

    def _edit(self, text: Text, found: tuple[int, int, str, str], group: str) -> Edit | None:
        start, end, own, form = found
        written = text.text[start:end]
        if form == "number":
            low, high = OF_AGE[group]
            moved = int(written) + MIDDLE[group] - MIDDLE[own]
            return Edit(start, end, str(min(max(moved, low), high)))
        if group not in self.to[form]:
            return None
        return Edit(start, end, in_case_of(self.to[form][group], written, shouted=text.shouted))

    def _numbers(self, text: Text) -> list[tuple[int, int, str, str]]:
        found = []
        for match in NUMBER.finditer(text.text):
            if not match["before"] and not match["after"]:
                continue
            if (match["after"] or "").lower().endswith(("old", "olds", "o")) and not self._told_of_person(
                text, match.end()
            ):
                continue
            age = int(match["age"])
            group = next((one for one, (low, high) in OF_AGE.items() if low <= age <= high), None)
            if group is not None:
                found.append((match.start("age"), match.end("age"), group, "number"))
        return found

    def _told_of_person(self, text: Text, end: int) -> bool:
        """Whether what is so many years old is a person: `a 19-year-old`, `a 19-year-old chef`, and no bridge."""
        place = next((k for k, one in enumerate(text.tokens) if one.start >= end), len(text))
        between = text.text[end : text.tokens[place].start] if place < len(text) else ""
        if place == len(text) or between != " " or text.lower(place) in FOLLOWERS | STOPS or text.capital(place):
            return True
        for k in range(place, min(place + FARTHEST, len(text))):
            if is_person(text.lower(k)):
                return True
            if not text.joined(k) or text.lower(k + 1) in FOLLOWERS | STOPS:
                break
        word = text.lower(place)
        return word.endswith("ed") or (word.endswith("s") and text.lower(place + 1) in FOLLOWERS | STOPS)

    def _words(self, text: Text) -> list[tuple[int, int, str, str]]:
        found = []
        for place, token in enumerate(text.tokens):
            word = token.lower
            start, end, last = token.start, token.end, place
            if word == "middle" and text.gap(place) == "-" and text.lower(place + 1) == "aged":
                word, end, last = "middle-aged", text.tokens[place + 1].end, place + 1
            form = self._form(text, place, last, word)
            if form is not None:
                found.append((start, end, form[0], form[1]))
        return found

    def _form(self, text: Text, place: int, last: int, word: str) -> tuple[str, str] | None:
        """The group and the form of a word about age; None where it is about no person, or about something else."""
        before = text.lower(place - 1)
        if (
            word in self.decades
            and before in ("his", "her", "their", "my", "your", "our")
            and text.lower(place - 2) == "in"
        ):
            return self.decades[word], "decade"
        if text.gap(last) == "-" or text.lower(last + 2) in self.works:
            return None
        if word in NOUNS or (word[:-1] in NOUNS and word.endswith("s")):
            return (NOUNS[word], "singular") if word in NOUNS else (NOUNS[word[:-1]], "plural")
        if word in ("younger", "youngest", "older", "oldest"):
            return self._compared(text, place, word)
        group = self.adjectives.get(word)
        if (
            group is None
            or not text.joined(last)
            or (text.capital(place) and not text.starts_sentence(place) and not text.shouted)
        ):
            return None
        if word == "aged" or before in MEASURED or (place and text.gap(place - 1) == "-"):
            return None
        head = self._head(text, last)
        if (
            word == "old"
            and before in ("my", "your", "his", "her", "our", "ur")
            and head in ("man", "lady", "woman", "dear")
        ):
            return None
        if head is None or (word == "old" and head in self.long_standing):
            return None
        return group, "adjective"

    def _compared(self, text: Text, place: int, word: str) -> tuple[str, str] | None:
        head = self._head(text, place)
        if head is None or head in self.kin or text.lower(place + 1) in ("than",):
            return None
        return (YOUNG if word.startswith("young") else OLD), "superlative" if word.endswith("est") else "comparative"

    def _head(self, text: Text, last: int) -> str | None:
        """The noun for people that an adjective stands before."""
        if not text.joined(last):
            return None
        for place in range(last + 1, min(last + 1 + FARTHEST, len(text))):
            word = text.lower(place)
            if word in STOPS or (text.capital(place) and not text.shouted and not text.title_case):
                return None
            if is_person(word):
                return word
            if not text.joined(place) or place > last + 1:
                return None
        return None

"""What is asked: text about women made text about men and the reverse, everybody in it at once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evenhand.corpora.text.advice import NO_ADVICE, Advice
from evenhand.corpora.text.articles import article_edits
from evenhand.corpora.text.data import text_data, word_list
from evenhand.corpora.text.gender_found import Finder, Found
from evenhand.corpora.text.gender_words import MEN, OTHER
from evenhand.corpora.text.names import DETERMINERS, OFFICES, OPENERS, PERSON_VERBS, Names
from evenhand.corpora.text.neutral import NEUTRAL, NoWord, neutral_text
from evenhand.corpora.text.people import is_person
from evenhand.corpora.text.roles import FEMALE, Unclear
from evenhand.corpora.text.tokens import Text
from evenhand.corpora.text.versions import CHANGED, NOBODY, SKIPPED, UNCHANGED, UNSURE, Analysis, edited

FUR, PERSONIFIED = word_list("fur"), word_list("personified")
GROUPED = (word_list("counted") - {"no", "most", "many", "of", "all"}) | DETERMINERS


class GenderRules:
    """Finds women and men in English text, and swaps them."""

    def __init__(self, names: Names, *, neutral: bool = False, advice: Advice = NO_ADVICE) -> None:
        data = text_data("gender")
        self.neutral, self.names, self.advice = neutral, names, advice
        self.finder = Finder(names, advice)
        self.things, self.animals = frozenset(data["things"]), self.finder.animals
        self.single_sex = _any_of(data["no_counterpart"])

    def analysis(self, content: str) -> Analysis:
        """Everybody in the text swapped, or why not."""
        text = Text(content)
        found = self.finder.found(text)
        if not found.genders:
            return Analysis(None, UNCHANGED, self._why_nobody(found))
        for edit, place, group in found.sorted:
            found.add(*edit, place, group)
        if found.doubts:
            found.unclear = found.unclear or found.doubts[0]
        if any(one == MEN for _, one in found.genders):
            found.edits += found.soft
        found.genders.sort()
        first = found.genders[0][1]
        groups = {one for _, one in found.genders}
        status, reason = self._obstacle(text, found)
        if reason:
            return Analysis(first, status, reason, mixed=len(groups) > 1)
        texts = {OTHER[first]: edited(content, [*found.edits, *article_edits(text, found.edits)])}
        left: dict[str, tuple[str, str]] = {}
        if self.neutral and len(groups) > 1:
            left[NEUTRAL] = SKIPPED, "of a woman and a man, “they” would not tell which"
        elif self.neutral:
            try:
                texts[NEUTRAL] = neutral_text(text, [place for place, _ in found.genders], self.names, self.advice)
            except NoWord as reason:
                left[NEUTRAL] = SKIPPED, str(reason)
            except Unclear as reason:
                left[NEUTRAL] = UNSURE, str(reason)
        settled = "; ".join(dict.fromkeys(found.settled))
        return Analysis(first, CHANGED, settled, texts, mixed=len(groups) > 1, left=left)

    def _why_nobody(self, found: Found) -> str:
        if found.figure:
            return f"{found.figure} is known by name"
        if found.perhaps:
            return "what may be a name may be another word"
        return NOBODY

    def _obstacle(self, text: Text, found: Found) -> tuple[str, str]:
        if found.figure:
            return SKIPPED, f"{found.figure} is known by name"
        if found.named_after:
            return SKIPPED, f"{found.named_after} is part of a name"
        if (one := self.single_sex.search(text.text)) is not None:
            return SKIPPED, f"“{one.group().lower()}” has no counterpart"
        if self._merely_called(text, found):
            return UNSURE, "who is meant, if anybody, cannot be told"
        if self._of_groups(text):
            return SKIPPED, "women and men are told apart as groups"
        if found.unclear:
            return UNSURE, found.unclear
        if unknown := self._unknown_name(text):
            return UNSURE, f"“{unknown}” may be somebody's first name"
        return self._no_person(text, found)

    def _merely_called(self, text: Text, found: Found) -> bool:
        """Whether all there is are words without an article or the like: `no way man`, `boys in blue`."""
        places = [place for place, _ in found.genders]
        return all(self.finder.senses.is_bare(text, place) for place in places)

    def _of_groups(self, text: Text) -> bool:
        """Whether women and men are told apart as such: `women were granted the vote in 1919, men in 1907`."""
        bare = {"women": False, "men": False}
        for place, token in enumerate(text.tokens):
            if (
                token.lower in bare
                and text.lower(place - 1) not in GROUPED
                and not text.gap(place).startswith(("'", "’"))
            ):
                bare[token.lower] = True
        return all(bare.values())

    def _unknown_name(self, text: Text) -> str:
        """A first name on no list, before a surname and what people do or are: `Oluwaseuna Bello said`."""
        if text.shouted or text.title_case or text.lower_case:
            return ""
        known = self.names.known
        for place in range(len(text) - 1):
            word, surname = text.lower(place), text.lower(place + 1)
            if (
                not (text.capital(place) and text.joined(place) and text.capital(place + 1))
                or word in self.finder.interesting
            ):
                continue
            behind = text.lower(place + 2)
            told = behind in PERSON_VERBS or (text.gap(place + 1).startswith((", ", " (")) and behind.isdigit())
            before = text.lower(place - 1)
            starts = place == 0 or not (text.joined(place - 1) and text.capital(place - 1))
            plain = (
                word not in OPENERS | OFFICES and word.isalpha() and len(word) > 2 and not text.word(place).isupper()
            )
            if told and starts and plain and before != "the" and surname not in known and not is_person(surname):
                return text.word(place)
        return ""

    def _no_person(self, text: Text, found: Found) -> tuple[str, str]:
        """Whether the only thing that a pronoun can mean is a thing or an animal."""
        sexes = {"female", "male", "females", "males", "mother", "mothers", "father"}
        if all(text.lower(place) in sexes for place, _ in found.genders):
            for token in text.tokens:
                if token.lower in self.animals or token.lower.removesuffix("s") in self.animals or token.lower in FUR:
                    return SKIPPED, f"it may be about the {token.lower}"
        if len(found.pronouns) < len(found.genders) or found.people:
            return "", ""
        first = found.pronouns[0]
        women = text.lower(first) in FEMALE
        if (cue := next((one.text for one in text.tokens if one.lower in FUR), None)) is not None:
            return SKIPPED, f"“{cue.lower()}” may be that of an animal"
        subject = 1 if text.lower(0) in ("the", "old") else 0
        if text.lower(subject) in PERSONIFIED and subject < first:
            return SKIPPED, f"“{text.lower(subject)}” may be what the pronoun stands for"
        for place in range(first):
            word = text.lower(place)
            if word in self.animals or (word in self.things and women):
                if any(_names_a_person(text.lower(k)) for k in range(first) if k != place):
                    return "", ""
                return SKIPPED, f"“{word}” may be what the pronoun stands for"
        return "", ""


def _names_a_person(word: str) -> bool:
    return word in ("i", "who", "we", "somebody", "someone", "nobody") or is_person(word)


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    parts = [re.escape(one.rstrip("*")) + (r"\w*" if one.endswith("*") else r"(?!\w)") for one in phrases]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})", re.IGNORECASE)

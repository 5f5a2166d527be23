"""What is asked: how one sentence is said of a neutral person, by the rules of its language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from evenhand.corpora.language import Language, Neutral, sentence_case, starts_sentence

IDENTITY, PRONOUN = "identity", "pronoun"
"""Kinds of terms that are no names or noun phrases."""
ADJECTIVE, NOUN, PLURAL, OBJECT = "adjective", "noun", "plural", "object"
WORD = r"[^\W_]+(?:['’-][^\W_]+)*"


class CannotBeMade(Exception):
    """Says why a sentence about a neutral person cannot be made."""


@dataclass(frozen=True)
class Sentence:
    """One sentence and the rules of its language."""

    text: str
    rules: Language
    neutral: Neutral

    def about_nobody(self, term: str | None, kind: str | None, role: str | None, gender: str | None) -> str:
        """The sentence with the neutral person in the place of the term, and of pronouns that stand for them."""
        if not term:
            raise CannotBeMade("it is not known which words stand for the person")
        self._check_agreement(term, gender)
        places = self._places(term)
        if not places:
            raise CannotBeMade(f"the term {term!r} does not stand in it")
        pronoun = self.rules.pronoun_by_form.get(term.lower()) if kind in (None, PRONOUN) else None
        if kind == IDENTITY:
            edits = [self._of_identity(term, role, places)]
        elif pronoun is not None:
            is_object = role == OBJECT and len(places) == 1
            edits = [self._of_pronoun(pronoun, *place, self.neutral.genitive, is_object=is_object) for place in places]
        else:
            edits = [self._of_noun(term, start, end) for start, end in places]
        taken = {place for start, end, _ in edits for place in range(start, end)}
        return self._edited(edits + self._further(pronoun or self.rules.pronoun_of.get(gender or ""), taken))

    def _check_agreement(self, term: str, gender: str | None) -> None:
        wanted = self.neutral.agreement
        if wanted is not None and self.rules.agreement_with(term, gender=gender) != wanted:
            raise CannotBeMade(f"words may agree with {term!r} otherwise than with {self.neutral.phrase!r}")

    def _places(self, form: str) -> list[tuple[int, int]]:
        """Where a form stands as whole words: as it is or, where a sentence begins, with a capital."""
        capital = sentence_case(form)
        return [
            match.span()
            for match in _whole(form, capital).finditer(self.text)
            if match.group() == form or starts_sentence(self.text, match.start())
        ]

    def _of_noun(self, term: str, start: int, end: int) -> tuple[int, int, str]:
        """A name or noun phrase; a determiner that stands before a bare noun goes with it (`my` sister)."""
        before = re.search(rf"({WORD})\s+$", self.text[:start])
        bare = term[:1].islower() and self.rules.bare(term) == term
        if bare and before is not None and before.group(1).lower() in self.rules.determiners:
            start = before.start()
        apostrophe = re.match(r"['’](?!\w)", self.text[end:])
        if apostrophe and self.neutral.genitive:
            return start, end + 1, self.neutral.genitive.replace("'", apostrophe.group())
        return start, end, self.neutral.phrase

    def _of_pronoun(
        self, pronoun: str, start: int, end: int, possessive: str | None, *, is_object: bool = False
    ) -> tuple[int, int, str]:
        """A form of a pronoun, by what it is: a subject, an object, or a possessive before a noun."""
        form, rule = self.text[start:end].lower(), self.rules.pronouns[pronoun]
        if form == rule.object == rule.possessive and not is_object:
            raise CannotBeMade(f"{form!r} may be an object or a possessive")
        if form in (pronoun, rule.object):
            return start, end, self.neutral.phrase
        if form == rule.possessive and possessive and re.match(r"\s+\w", self.text[end:]):
            return start, end, possessive
        raise CannotBeMade(f"there is no rule for {form!r}")

    def _of_identity(self, term: str, role: str | None, places: list[tuple[int, int]]) -> tuple[int, int, str]:
        """A word that says what somebody is: it goes, or a word that says nothing takes its place."""
        if len(places) > 1:
            raise CannotBeMade(f"{term!r} stands in it {len(places)} times")
        ((start, end),) = places
        before = re.search(rf"(?:({WORD})\s+)?({WORD})\s+$", self.text[:start])
        last, last_but_one = (before.group(2), before.group(1)) if before else (None, None)
        after_determiner = last is not None and last.lower() in self.rules.determiners
        if role == PLURAL and self.neutral.plural:
            return start, end, self.neutral.plural
        if role == NOUN and self.neutral.noun and after_determiner:
            return start, end, self.neutral.noun
        if role == ADJECTIVE and after_determiner and (following := re.match(r"\s+(?=\w)", self.text[end:])):
            return start, end + following.end(), ""
        if role == ADJECTIVE and (last_but_one or "").lower() in self.rules.determiners:
            return len(self.text[:start].rstrip()), end, ""
        raise CannotBeMade(f"it cannot be told what is left of it without {term!r}")

    def _further(self, own: str | None, taken: set[int]) -> list[tuple[int, int, str]]:
        """Pronouns that stand for the person as well. Of persons whose pronoun is not known, only a reflexive does."""
        by_form = self.rules.pronoun_by_form
        there = {by_form[form] for form in _whole(*by_form).findall(self.text.lower())}
        forms = {one: self._anywhere(one, taken, reflexive=False) for one in self.rules.pronouns if one in there}
        reflexives = {one: self._anywhere(one, taken, reflexive=True) for one in forms}
        anybody = self.rules.pronoun_otherwise
        if own is None:
            meant = [one for one in forms if reflexives[one]]
            if len(meant) > 1 or any(forms[one] for one in forms if one not in (anybody, *meant)):
                raise CannotBeMade("it is not known for whom its pronouns stand")
            own = meant[0] if meant else anybody
        edits = [(start, end, self.neutral.reflexive) for start, end in reflexives.get(own or "", ())]
        if own is not None and own != anybody:  # a pronoun that anybody may have tells nothing
            edits += [self._of_pronoun(own, *place, self.neutral.possessive) for place in forms.get(own, ())]
        return edits

    def _anywhere(self, pronoun: str, taken: set[int], *, reflexive: bool) -> list[tuple[int, int]]:
        """Where a pronoun stands in one of its forms, or as a reflexive."""
        own = self.rules.pronouns[pronoun].reflexive
        forms = [form for form in self.rules.forms_of(pronoun) if (form == own) == reflexive]
        return sorted(place for form in forms for place in self._places(form) if place[0] not in taken)

    def _edited(self, edits: list[tuple[int, int, str]]) -> str:
        """The sentence with these places filled anew; articles and capitals follow what stands there now."""
        text = self.text
        for start, end, said in sorted(edits, reverse=True):
            shown = sentence_case(said) if starts_sentence(text, start) else said
            text = self._with_article(text[:start] + shown + text[end:], start)
        return text

    def _with_article(self, text: str, place: int) -> str:
        """The text with the indefinite article, if one stands before that place, as the next word asks for it."""
        article = re.search(r"\b([Aa])n?(\s+)$", text[:place])
        if self.rules.indefinite is None or article is None or not text[place:]:
            return text
        said = self.rules.article(text[place:])
        said = said if article.group(1) == "a" else sentence_case(said)
        return text[: article.start()] + said + article.group(2) + text[place:]


@lru_cache(maxsize=4096)
def _whole(*forms: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, dict.fromkeys(forms)))})(?!\w)")

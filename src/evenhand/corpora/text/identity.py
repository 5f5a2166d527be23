"""What is asked: words that say what people are, such as a religion, put in the place of one another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from evenhand.corpora.lexicon import Lexicon, Term
from evenhand.corpora.text.articles import article_edits
from evenhand.corpora.text.data import Phrases, text_data, word_list
from evenhand.corpora.text.names import names_of
from evenhand.corpora.text.people import is_person
from evenhand.corpora.text.tokens import Text, in_case_of
from evenhand.corpora.text.versions import CHANGED, NOBODY, SKIPPED, UNCHANGED, UNSURE, Analysis, Edit, edited

Form = Literal["adjective", "noun", "plural", "after"]
FARTHEST = 3
SEVERAL = frozenset(["people", "men", "women", "children", "folk", "staff", "police", "twins", "those"])
IN_PLURAL = {"uses": "use", "has": "have", "walks": "walk", "lives": "live"}
SOMEBODY = word_list("somebody")
INSTITUTIONS = word_list("institutions")
"""A noun for people is looked for so many words behind an adjective."""
BE = word_list("be")
ONE = word_list("one")
STOPS = word_list("stops")
SUBJECTS = ("he", "she", "they", "you", "u")
CALENDAR = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FOLLOWERS = word_list("followers")


@dataclass(frozen=True)
class Mention:
    """A word for a group: where it stands, and in which form."""

    start: int
    end: int
    group: str
    form: Form
    written: str


@dataclass
class Forms:
    """What a group is called, form by form."""

    said: dict[Form, str] = field(default_factory=dict)


class IdentityRules:
    """Finds words of a lexicon that are said of people, and says the word of another group in their place."""

    def __init__(self, lexicon: Lexicon, attribute: str) -> None:
        self.attribute = attribute
        self.groups = tuple(lexicon.attributes[attribute])
        self.forms: dict[str, Forms] = {group: Forms() for group in self.groups}
        self.known: dict[tuple[str, ...], tuple[str, Form, str]] = {}
        overrides = text_data("identity").get(attribute, {}).get("nouns", {})
        for group, (one, several) in overrides.items():
            self._enter(group, "noun", one)
            self._enter(group, "plural", several)
        for group, words in text_data("identity").get(attribute, {}).get("adjectives", {}).items():
            self._enter(group, "adjective", words)
        for persons in lexicon.persons:
            group = persons.groups.get(attribute)
            for term in persons.terms if group else ():
                if isinstance(term, Term):
                    self._enter_term(str(group), term)
        self.said_of_things = frozenset(text_data("identity")["said_of_things"])
        self.known_names = names_of().known
        self.phrases = Phrases(phrase for _, _, phrase in self.known.values())
        self.bound = frozenset(text_data("identity").get(f"{attribute}_bound", ()))
        self.of_places = attribute in text_data("identity")["of_places"]
        self.names = frozenset(text_data("identity").get(attribute, {}).get("names", ()))

    def _enter_term(self, group: str, term: Term) -> None:
        said: dict[Form, str | None] = {"adjective": term.adjective, "after": term.after, "noun": term.noun}
        if term.noun:
            said["plural"] = term.in_plural
        for form, words in said.items():
            if words:
                self._enter(group, form, words)

    def _enter(self, group: str, form: Form, words: str) -> None:
        self.forms[group].said.setdefault(form, words)
        key = tuple(one.lower for one in Text(words).tokens)
        known = self.known.get(key)
        if known is None or (known[0] == group and known[1] == "noun"):
            self.known[key] = group, form, words

    def analysis(self, content: str) -> Analysis:
        """The text about each other group, or why not."""
        text = Text(content)
        mentions, doubt = self._mentions(text)
        if not mentions:
            return Analysis(None, UNSURE if doubt else UNCHANGED, doubt or NOBODY)
        groups = {one.group for one in mentions}
        first = mentions[0].group
        if len(groups) > 1:
            return Analysis(first, SKIPPED, "people of several groups are mentioned", mixed=True)
        if len({one.written.lower()[:3] for one in mentions}) > 1 and len(mentions) > 1:
            return Analysis(first, SKIPPED, "people are told apart within a group", mixed=True)
        held = next((one.text for one in text.tokens if one.lower in self.bound), None) or self._elsewhere(
            text, mentions
        )
        if held is not None:
            return Analysis(first, SKIPPED, f"“{held.lower()}” holds the rest of the text to one group")
        if doubt:
            return Analysis(first, UNSURE, doubt)
        texts = {}
        for group in self.groups:
            edits = [self._edit(text, one, group) for one in mentions] if group != first else []
            if edits and None not in edits:
                made = [one for one in edits if one is not None]
                texts[group] = edited(content, [*made, *article_edits(text, made)])
        return Analysis(first, CHANGED, "", texts)

    def _elsewhere(self, text: Text, mentions: list[Mention]) -> str | None:
        """Of attributes that places belong to: another word with a capital, which may be one, or a term of a thing."""
        if not self.of_places:
            return None
        said = {
            place for one in mentions for place, token in enumerate(text.tokens) if one.start <= token.start < one.end
        }
        for place, token in enumerate(text.tokens):
            proper = text.capital(place) and not text.starts_sentence(place) and token.text not in ("I", *CALENDAR)
            if place not in said and not text.shouted and (proper or (token.lower,) in self.known):
                return token.text
        return None

    def _edit(self, text: Text, one: Mention, group: str) -> Edit | None:
        words = self.forms[group].said.get(one.form)
        if words is None:
            return None
        if one.form == "after" and words.startswith("who "):
            return self._relative(text, one, words)
        proper = words[:1].isupper()
        listed = next((said for key, (_, _, said) in self.known.items() if said.lower() == one.written.lower()), "")
        if one.written.islower() and ((listed[:1].isupper() and proper) or text.lower_case):
            words = words.lower()
        elif (
            not proper
            and one.written[:1].isupper()
            and listed[:1].isupper()
            and not text.starts_sentence(_place(text, one.start))
        ):
            return Edit(one.start, one.end, words)
        return Edit(one.start, one.end, in_case_of(words, one.written, shouted=text.shouted))

    def _relative(self, text: Text, one: Mention, words: str) -> Edit | None:
        """`who uses a wheelchair`, its verb in the plural where several people stand before it."""
        before = text.lower(_place(text, one.start) - 1)
        if not (before.endswith("s") or before in SEVERAL):
            return Edit(one.start, one.end, words)
        verb = words.split()[1]
        if verb not in IN_PLURAL:
            return None
        return Edit(one.start, one.end, words.replace(verb, IN_PLURAL[verb], 1))

    def _mentions(self, text: Text) -> tuple[list[Mention], str]:
        found, doubt, place = [], "", 0
        while place < len(text):
            length = self.phrases.length(text, place) if text.lower(place) in self.phrases.by_first else 0
            if not length:
                place += 1
                continue
            group, form, _ = self.known[tuple(one.lower for one in text.tokens[place : place + length])]
            used = self._used_as(text, place, length, group, form)
            if used == "unsure":
                doubt = f"“{text.word(place)}” may not be said of a person"
            elif used is not None:
                start, end = text.tokens[place].start, text.tokens[place + length - 1].end
                found.append(Mention(start, end, group, used, text.text[start:end]))
            place += length
        return found, doubt

    def _used_as(self, text: Text, place: int, length: int, group: str, form: Form) -> Form | Literal["unsure"] | None:
        """In which form a term is said of people where it stands; None where it is not."""
        last = place + length - 1
        before = text.lower(place - 1) if place and text.gap(place - 1).strip(" '’\"“(") == "" else ""
        said = " ".join(text.lower(k) for k in range(place, last + 1))
        noun = form == "noun" or (form == "adjective" and self.forms[group].said.get("noun", "").lower() == said)
        proper = (
            text.capital(place)
            and text.joined(last)
            and text.capital(last + 1)
            and text.word(last + 1) != "I"
            and not text.shouted
            and not text.title_case
        )
        if text.gap(last).startswith("-") or proper or (place and text.gap(place - 1).endswith("-")):
            return None
        if form == "after":
            return "after" if is_person(text.lower(place - 1)) else None
        if form == "plural":
            return "plural" if not proper and not (self.of_places and before in ("like", "as")) else None
        if text.joined(last) and (head := self._head(text, last)) is not None:
            return "adjective" if head else None
        if before in BE and not self._of_a_person(text, place, group, form):
            return None
        asked = before in SUBJECTS and text.lower(place - 2) in BE  # is she Sikh?
        if asked or before in BE or (is_person(before) and "adjective" in self.forms[group].said):
            return "adjective"
        if (
            noun
            and (before in ONE or text.lower(place - 2) in ONE or before in ("one", "two", "young", "old"))
            and (text.capital(place) or text.lower(place) not in self.names or before in ("a", "an"))
        ):
            return "noun"
        return None if before else "unsure"

    def _of_a_person(self, text: Text, place: int, group: str, form: Form) -> bool:
        """Whether what `is` a term is a person; asked of words that are said of things too: `Bluetooth is disabled`."""
        if text.lower(place) not in self.said_of_things:
            return True
        if text.joined(place) and text.lower(place + 1) in ("to", "by", "in", "for", "on", "from"):
            return False
        start = next((k for k in range(place, max(place - 6, 0), -1) if text.starts_sentence(k)), max(place - 6, 0))
        said = [text.lower(k) for k in range(start, place)]
        return any(one in SOMEBODY or is_person(one) or one in self.known_names for one in said)

    def _head(self, text: Text, last: int) -> bool | None:
        """Whether what an adjective stands before is a person; None where it stands before nothing."""
        following = text.lower(last + 1)
        if (
            following in STOPS
            or following in FOLLOWERS
            or (
                following.endswith("s")
                and not is_person(following)
                and text.lower(last + 2) in STOPS | {"past", "a", "the"}
            )
        ):
            return None
        for place in range(last + 1, min(last + 1 + FARTHEST, len(text))):
            if text.lower(place) in STOPS:
                break
            if is_person(text.lower(place)):
                return not (text.joined(place) and text.lower(place + 1) in INSTITUTIONS)
            if not text.joined(place):
                break
        return None if following.endswith("ed") or following in ("too", "now", "lol", "here", "there") else False


def _place(text: Text, start: int) -> int:
    return next(place for place, one in enumerate(text.tokens) if one.start == start)

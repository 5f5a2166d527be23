"""What is asked: the women and men of a text, found from left to right, with what would take their place."""

from __future__ import annotations

from dataclasses import dataclass, field

from evenhand.corpora.text.advice import NO_ADVICE, Advice
from evenhand.corpora.text.data import Phrases, text_data, word_list
from evenhand.corpora.text.gender_words import MEN, OTHER, WOMEN, gendered_words
from evenhand.corpora.text.names import NOT, SURELY, Names
from evenhand.corpora.text.roles import FEMALE, PRONOUNS, Unclear
from evenhand.corpora.text.senses import Senses
from evenhand.corpora.text.tokens import Text, in_case_of
from evenhand.corpora.text.versions import Edit

OR = frozenset(["or"])
COMPANIES, EDUCATION = word_list("companies"), word_list("education")
PLURALS, POSTS = word_list("plurals"), word_list("posts")
AFTER_S = word_list("after_s")
"""What may follow a name and `s` without its apostrophe: `liams here`."""


@dataclass
class Found:
    """What is found in one text, from left to right."""

    edits: list[Edit] = field(default_factory=list)
    soft: list[Edit] = field(default_factory=list)
    genders: list[tuple[int, str]] = field(default_factory=list)
    pronouns: list[int] = field(default_factory=list)
    people: list[int] = field(default_factory=list)
    names: list[tuple[int, int, str]] = field(default_factory=list)
    perhaps: list[tuple[int, int, str]] = field(default_factory=list)
    sorted: list[tuple[Edit, int, str]] = field(default_factory=list)
    """What things are made for: `men's coats`."""
    doubts: list[str] = field(default_factory=list)
    figure: str | None = None
    named_after: str | None = None
    unclear: str | None = None
    settled: list[str] = field(default_factory=list)
    """What somebody else told where rules could not."""

    def settle(self, word: str, told_by: str) -> None:
        if told_by:
            self.settled.append(f"“{word}” as the {told_by} reads it")

    def add(self, start: int, end: int, words: str, place: int, group: str) -> None:
        self.edits.append(Edit(start, end, words))
        self.genders.append((place, group))


class Finder:
    """Finds women and men in English text."""

    def __init__(self, names: Names, advice: Advice = NO_ADVICE) -> None:
        data = text_data("gender")
        self.names, self.words, self.advice = names, gendered_words(), advice
        self.phrases = Phrases(data["phrases"])
        self.soft = frozenset(data["with_evidence"])
        self.titles: dict[str, str] = data["titles"]
        self.mens_titles, self.animals = frozenset(data["mens_titles"]), frozenset(data["animals"])
        self.senses = Senses(names, self.animals, frozenset(self.words.gender))
        self.interesting = (
            frozenset([*PRONOUNS, *self.words.gender, *names.known, *(one.lower() for one in self.titles)])
            | {f"{name}s" for name in names.known}
            | set(self.phrases.by_first)
            | set(names.figures.by_first)
            | set(names.brands.by_first)
        )

    def found(self, text: Text) -> Found:
        found, place = Found(), 0
        while place < len(text):
            if text.lower(place) not in self.interesting:
                place += 1
                continue
            place += self._at(text, place, found)
        self._add_names(text, found)
        return found

    def _at(self, text: Text, place: int, found: Found) -> int:
        """Look at one word; how many are dealt with."""
        word = text.lower(place)
        if (length := self.names.figures.length(text, place)) and not self._another_person(text, place, length):
            found.figure = " ".join(text.word(place + k) for k in range(length))
            return length
        if length := self.phrases.length(text, place):
            return length
        if length := self.names.brands.length(text, place):
            return length
        if word in PRONOUNS:
            return self._pronoun(text, place, found)
        if word.title() in self.titles and self._is_title(text, place):
            return self._title(text, place, found)
        if word in self.words.gender:
            self._noun(text, place, found)
            return 1
        return self._name(text, place, found)

    def _another_person(self, text: Text, place: int, length: int) -> bool:
        """Whether a single surname that is known belongs to somebody who has a first name here."""
        if length > 1:
            return False
        after = text.joined(place) and text.capital(place + 1) and text.lower(place + 1) not in PRONOUNS
        before = (
            place > 0
            and text.gap(place - 1) in (" ", ". ")
            and text.capital(place - 1)
            and not text.starts_sentence(place)
        )
        return bool(after or (before and text.lower(place - 1) not in ("the", "and")))

    def _pronoun(self, text: Text, place: int, found: Found) -> int:
        token, word = text.tokens[place], text.lower(place)
        if token.text == "HE" and not text.shouted and text.lower(place + 1) in EDUCATION:
            return 1
        if place and text.lower(place - 1) in ("s",) and text.gap(place - 1) in ("/", ")"):
            return 1
        if skipped := _either_pronoun(text, place):
            return skipped
        if text.gap(place) == "-" or (place and text.gap(place - 1) == "-"):
            return 1  # a she-shed, a he-man
        if text.gap(place)[:1] in ("'", "’") and word in ("her", "his", "him") and text.lower(place + 1) == "s":
            return 1
        capital = token.text[0].isupper() and not text.starts_sentence(place)
        if (
            capital
            and not token.text.isupper()
            and not text.shouted
            and not text.title_case
            and word not in ("hes", "shes")
        ):
            return 1  # part of a name: His Girl Friday
        try:
            other, told_by = self.advice.pronoun(text, place)
            found.settle(word, told_by)
        except Unclear as reason:
            found.unclear = str(reason)
            other = word
        group = WOMEN if word in FEMALE else MEN
        edit = Edit(token.start, token.end, in_case_of(other, token.text, shouted=text.shouted))
        if "/" in (text.gap(place)[:1], text.gap(place - 1)[-1:] if place else ""):
            found.sorted.append((edit, place, group))
            return 1
        found.add(*edit, place, group)
        found.pronouns.append(place)
        return 1

    def _is_title(self, text: Text, place: int) -> bool:
        word, gap = text.word(place), text.gap(place)
        if word.isupper() and not text.shouted:
            return False
        if not text.capital(place) and not (text.chatty and word in ("mr", "mrs")):
            return False
        if word in ("Lady", "Lord") and text.lower(place - 1) == "the":
            return False
        after = text.lower(place + 1)
        if after in ("and", "or") or "&" in gap:
            other = place + (1 if "&" in gap else 2)
            return text.lower(other).title() in self.titles and (text.capital(other + 1) or text.chatty)
        return gap in (" ", ". ", ".") and (text.capital(place + 1) or text.chatty)

    def _title(self, text: Text, place: int, found: Found) -> int:
        token = text.tokens[place]
        group = MEN if token.lower in self.mens_titles else WOMEN
        other = self.titles[token.lower.title()]
        following = text.lower(place + 1)
        couple = following in ("and", "or") or "&" in text.gap(place)
        if token.lower == "mr" and couple:
            other = text.word(place + (1 if "&" in text.gap(place) else 2)).title()
        words = other.lower() if token.text.islower() else in_case_of(other, token.text, shouted=text.shouted)
        end = token.end + (1 if token.lower == "miss" and text.gap(place).startswith(".") else 0)
        found.add(token.start, end, words, place, group)
        found.people.append(place)
        return 1

    def _noun(self, text: Text, place: int, found: Found) -> None:
        token, word = text.tokens[place], text.lower(place)
        if self.senses.reigns(text, place):
            found.figure = f"{token.text} {text.word(place + 1)}"
            return
        if self.senses.is_other_sense(text, place):
            return
        if self.senses.names_an_event(text, place):
            found.named_after = token.text
            return
        name = self.senses.proper(text, place)
        if name:
            clergy = word in ("father", "mother") and text.joined(place) and text.capital(place + 1)
            if word.endswith("s") or word in ("women", "men") or clergy or self.senses.is_noble(text, place):
                found.named_after = token.text
            return
        if text.lower(place - 1) == "of" and text.lower(place - 2) in POSTS and word not in PLURALS:
            found.doubts.append(f"“{text.lower(place - 2)} of {word}” may be anybody's")
            return
        if word in ("lady", "lord") and text.lower(place - 1) == "the" and self._named(text, place):
            found.named_after = token.text
            return
        group, other = self.words.gender[word], self.words.other[word]
        if word == "lady" and text.lower(place - 1) in COMPANIES:
            other = "man"
        if (
            word == "sir"
            and text.capital(place)
            and text.joined(place)
            and text.capital(place + 1)
            and not text.shouted
        ):
            other = "Dame"
        edit = _with_ending(text, place, in_case_of(other, token.text, shouted=text.shouted))
        if word in ("female", "male") and self.senses.of_a_thing(text, place):
            found.doubts.append(f"“{word} {text.lower(place + 1)}” may be a thing")
            return
        if self.senses.sorts_things(text, place):
            found.sorted.append((edit, place, group))
            return
        if word in self.soft:
            found.soft.append(edit)
            found.people.append(place)
            return
        found.add(*edit, place, group)
        found.people.append(place)

    def _named(self, text: Text, place: int) -> bool:
        """Whether a word with a capital is the first of a name of several: `the Lady Eagles`."""
        named = text.capital(place) and text.joined(place) and text.capital(place + 1)
        return named and not text.shouted and not text.title_case

    def _name(self, text: Text, place: int, found: Found) -> int:
        spanned = self.names.span(text, place)
        if spanned is None:
            return self._name_and_is(text, place, found)
        words, one = spanned
        if self.names.reigns(text, place):
            found.figure = f"{text.word(place)} {text.word(place + 1)}"
            return 2
        evidence = self.names.evidence(text, place, words, one)
        if evidence == NOT:
            return words
        found.people.append(place)
        if words == 1 and self.names.doubled(text, place, one):
            found.unclear = f"{text.word(place)} {text.word(place + 1)} may be one name or two"
        if one.gender is not None:
            (found.names if evidence == SURELY else found.perhaps).append((place, words, one.gender))
        return words

    def _name_and_is(self, text: Text, place: int, found: Found) -> int:
        """`liams here`: a name, and a verb that lost its apostrophe."""
        one = self.names.known.get(text.lower(place)[:-1])
        chat = text.chatty and not text.capital(place) and text.lower(place + 1) in AFTER_S
        if one is None or one.weak or one.place or one.gender is None or not chat or len(text.lower(place)) < 5:
            return 1
        token = text.tokens[place]
        other = self.names.counterpart(token.text[:-1], OTHER[one.gender], None, {each.lower for each in text.tokens})
        if other is not None:
            found.add(token.start, token.end, other.lower() + "s", place, one.gender)
            found.people.append(place)
        return 1

    def _add_names(self, text: Text, found: Found) -> None:
        """Names, with those that may be words where something else tells that they are persons."""
        told = {group for _, group in found.genders}
        sure = {text.lower(place) for place, _, _ in found.names}
        likely = [
            one
            for one in found.perhaps
            if text.lower(one[0]) in sure or (one[2] in told and self._told_of(text, one, found))
        ]
        names = sorted([*found.names, *likely])
        if len(names) < len(found.names) + len(found.perhaps) and (found.genders or names):
            found.unclear = found.unclear or "what may be a name may be another word"
        self._doubt_surnames(text, names, found)
        taken = {one.lower for one in text.tokens}
        chosen: dict[str, str] = {}
        for place, words, gender in names:
            start, end = text.tokens[place].start, text.tokens[place + words - 1].end
            written = text.text[start:end]
            key = written.lower()
            if key not in chosen:
                other = self.names.counterpart(written, OTHER[gender], None, taken)
                if other is None:
                    found.unclear = f"no name of the pool for {written}"
                    continue
                chosen[key] = other
                taken.add(other.lower())
            other = chosen[key].lower() if written.islower() else chosen[key]
            found.add(start, end, in_case_of(other, text.word(place), shouted=text.shouted), place, gender)

    def _doubt_surnames(self, text: Text, names: list[tuple[int, int, str]], found: Found) -> None:
        """`Jackson said she would resign`: of a name that is rather a surname, pronouns tell who bears it."""
        told = {group for _, group in found.genders}
        for place, words, gender in names:
            alone = not (text.joined(place + words - 1) and text.capital(place + words))
            if alone and told and gender not in told and self.names.is_rather_surname(text.lower(place)):
                found.unclear = found.unclear or f"“{text.word(place)}” may be a surname"

    def _told_of(self, text: Text, name: tuple[int, int, str], found: Found) -> bool:
        """Whether a pronoun of its gender follows a name in its own sentence."""
        place, words, gender = name
        if self.names.known[text.lower(place)].place:
            return False
        for k in range(place + words, min(place + 15, len(text))):
            if text.starts_sentence(k) and "," not in text.gap(k - 1):
                return False
            if k in found.pronouns and (text.lower(k) in FEMALE) == (gender == WOMEN):
                return True
        return False


def _with_ending(text: Text, place: int, words: str) -> Edit:
    """New words with what a possessive needs: `ladies'` becomes `gentlemen's`, and the reverse."""
    token, gap = text.tokens[place], text.gap(place)
    s_follows = gap in ("'", "’") and text.lower(place + 1) == "s"
    if token.lower in PLURALS:
        owns = gap[:1] in ("'", "’")
        if owns and gap[1:2] == " " and token.lower.endswith("s") and not words.lower().endswith("s"):
            return Edit(token.start, token.end + 1, words + gap[0] + ("S" if words.isupper() else "s"))
        if s_follows and not token.lower.endswith("s") and words.lower().endswith("s"):
            return Edit(token.start, text.tokens[place + 1].end, words + gap)
    return Edit(token.start, token.end, words)


def _either_pronoun(text: Text, place: int) -> int:
    """The length of `his or her` and the like, which is about anybody; 0 for another pronoun."""
    word = text.lower(place)
    for step, joined in ((1, "/" in text.gap(place)), (2, text.lower(place + 1) in OR)):
        other = text.lower(place + step)
        if joined and other in PRONOUNS and (other in FEMALE) != (word in FEMALE):
            return step + 1
    return 0

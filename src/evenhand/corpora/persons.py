"""What is asked: finding the persons of a corpus in other text, and the groups that they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

from evenhand.corpora.corpus import Corpus
from evenhand.corpora.language import Language, sentence_case, starts_sentence
from evenhand.corpora.neutral import language_of
from evenhand.corpora.once import once
from evenhand.corpora.person_forms import GENDER, PersonForms, Role, any_written
from evenhand.errors import EvenhandError, one_line
from evenhand.files.plain import rebuild

FORMAT = 1


@dataclass(frozen=True)
class Known:
    """A word, or several, that stand for a person."""

    form: str
    persons: tuple[str, ...]
    """Several where the form is said of several persons."""
    groups: Mapping[str, str]
    """By attribute, where all of these persons who have a group have the same."""
    unclear: tuple[str, ...] = ()
    """The attributes in which these persons belong to different groups."""
    role: Role = "name"
    anybody: bool = False
    """Whether it is a form of the pronoun that stands for anybody whose gender is not told."""


@dataclass(frozen=True)
class Found:
    """Who stands in a text: the persons, and by attribute their group; None where they have none, or several."""

    persons: tuple[str, ...]
    groups: Mapping[str, str | None]
    mixed: tuple[str, ...] = ()
    """The attributes for which the text names persons of several groups."""


@dataclass(frozen=True)
class Directory:
    """The persons of a corpus in all forms in which they are known, to find them in any text.

    Names are found as they are written. Noun phrases are found after any determiner, and they and pronouns may have a
    capital where a sentence begins. A pronoun is found in all its forms; where a person is named who may be meant by
    it, it adds no person.
    """

    attributes: tuple[str, ...]
    determiners: tuple[str, ...]
    known: tuple[Known, ...]

    @classmethod
    def of(cls, corpus: Corpus, *, code: str | None = None) -> Self:
        """Enter every person of a corpus, once; `code` is its language, which is known for corpora of Evenhand.

        >>> from evenhand.corpora import eec
        >>> she, tia, nobody = Directory.of(eec()).people(["I saw her.", "Tia met his sister.", "It rained."])
        >>> she, nobody
        (Found(persons=('she',), groups={'gender': 'female', 'race': None}, mixed=()), None)
        >>> tia.persons, tia.groups, tia.mixed
        (('Tia', 'he', 'my sister'), {'gender': None, 'race': 'African American'}, ('gender',))
        """
        code = code or language_of(corpus)
        return once(corpus, ("directory", cls, code), lambda: cls._entered(corpus, code))

    @classmethod
    def _entered(cls, corpus: Corpus, code: str | None) -> Self:
        forms = PersonForms(code)
        entries: dict[tuple[str, Role], dict[str, Mapping[str, str]]] = {}
        for form, role, person, groups in forms.in_corpus(corpus):
            entries.setdefault((form, role), {})[person] = groups
        for gender in corpus.attributes.get(GENDER, ()):
            for form, role, pronoun, groups in forms.of_gender(gender):
                entries.setdefault((form, role), {pronoun: groups})
        rules = forms.rules
        otherwise = () if rules is None or not rules.pronoun_otherwise else rules.forms_of(rules.pronoun_otherwise)
        return cls(
            attributes=tuple(corpus.attributes),
            determiners=() if rules is None else _determiners(rules),
            known=tuple(
                _known(form, role, owners, anybody=form in otherwise and role in ("pronoun", "reflexive"))
                for (form, role), owners in entries.items()
            ),
        )

    def people(self, texts: Iterable[str]) -> list[Found | None]:
        """Who stands in each text; None where nobody does who is known."""
        return [self._found(self._mentions(text)) for text in texts]

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Rebuild it from its plain values."""
        try:
            if content["format"] != FORMAT:
                raise ValueError(f"its format is {content['format']!r}, and this version reads {FORMAT}")
            known = tuple(rebuild(Known, one) for one in content["known"])
            return cls(tuple(content["attributes"]), tuple(content["determiners"]), known)
        except (LookupError, TypeError, ValueError) as error:
            raise EvenhandError(f"this directory of persons cannot be read: {one_line(error)}") from error

    @cached_property
    def _by_form(self) -> dict[str, Known]:
        """By form as it may be written: also with a capital, for the beginning of a sentence."""
        written = {sentence_case(one.form): one for one in reversed(self.known)}
        return written | {one.form: one for one in reversed(self.known)}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        before = "|".join(map(re.escape, self.determiners)) or "(?!)"
        return re.compile(rf"(?<!\w)(?:(?P<before>(?i:{before}))\s+)?(?P<form>{any_written(self._by_form)})(?!\w)")

    def _mentions(self, text: str) -> list[Known]:
        """Forms in the order in which they stand in the text."""
        found = []
        for match in self._pattern.finditer(text):
            before, place = match.group("before"), match.start("form")
            if before and (possessive := self._at(before, text, match.start())) is not None:
                found.append(possessive)
            one = self._at(" ".join(match.group("form").split()), text, place)
            if one is not None and (one.role != "noun" or before):
                found.append(one)
        return found

    def _at(self, written: str, text: str, place: int) -> Known | None:
        one = self._by_form.get(written)
        return one if one is not None and (written == one.form or starts_sentence(text, place)) else None

    def _found(self, mentions: Sequence[Known]) -> Found | None:
        if not mentions:
            return None
        named = [one for one in mentions if one.role in ("name", "noun")]
        persons: list[str] = []
        telling: list[Known] = []
        for one in mentions:
            again = one not in named and any(_may_mean(one, other) for other in named)
            if not again:
                persons += one.persons
            # A reflexive says again who was named before it; a form that anybody may have says nothing.
            if not again or (one.role == "pronoun" and not one.anybody):
                telling.append(one)
        groups: dict[str, str | None] = {}
        mixed: list[str] = []
        for attribute in self.attributes:
            there = {one.groups[attribute] for one in telling if attribute in one.groups}
            several = len(there) > 1 or any(attribute in one.unclear for one in telling)
            groups[attribute] = next(iter(there)) if len(there) == 1 and not several else None
            mixed += [attribute] if several else []
        return Found(tuple(dict.fromkeys(persons)), groups, tuple(mixed))


def _determiners(rules: Language) -> tuple[str, ...]:
    """Those of the language, and what they melt into with the word before (`de el`: del)."""
    melted = [together for apart, together in rules.contractions.items() if apart.split()[-1] in rules.determiners]
    return (*rules.determiners, *melted)


def _known(form: str, role: Role, owners: Mapping[str, Mapping[str, str]], *, anybody: bool) -> Known:
    by_attribute: dict[str, set[str]] = {}
    for groups in owners.values():
        for attribute, group in groups.items():
            by_attribute.setdefault(attribute, set()).add(group)
    return Known(
        form=form,
        persons=tuple(owners),
        groups={name: next(iter(groups)) for name, groups in by_attribute.items() if len(groups) == 1},
        unclear=tuple(name for name, groups in by_attribute.items() if len(groups) > 1),
        role=role,
        anybody=anybody,
    )


def _may_mean(pronoun: Known, person: Known) -> bool:
    """Whether nothing that is known of a person's gender speaks against the pronoun."""
    genders = {one.groups.get(GENDER) for one in (pronoun, person)} - {None}
    return len(genders) < 2

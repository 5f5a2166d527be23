"""What is asked: how a person may be called in a text, by name, noun or pronoun, and what may stand before that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from evenhand.corpora.corpus import Corpus
from evenhand.corpora.language import Language, language, languages

GENDER = "gender"

Role = Literal["name", "noun", "pronoun", "reflexive"]
"""What a form is; a noun is met after a determiner (`a`, `my`, `the`), whichever that is."""


class Called(NamedTuple):
    """A form that stands for a person, and the groups that the person belongs to."""

    form: str
    role: Role
    person: str
    groups: Mapping[str, str]


class PersonForms:
    """The forms of persons in a language; without rules for it, everybody is called by the term alone.

    A pronoun is itself in all its forms (she, her, hers, herself), a noun phrase whatever determiner stands before it.
    """

    def __init__(self, code: str | None) -> None:
        self.rules: Language | None = language(code) if code in languages() else None

    def of(self, term: str) -> list[tuple[str, Role]]:
        """What a person of this term may be called.

        >>> PersonForms("en").of("my sister"), PersonForms("en").of("him")[2]
        ([('sister', 'noun')], ('himself', 'reflexive'))
        """
        if self.rules is None:
            return [(term, "name")]
        pronoun = self.rules.pronoun_by_form.get(term)
        if pronoun is not None:
            reflexive = self.rules.pronouns[pronoun].reflexive
            return [(form, "reflexive" if form == reflexive else "pronoun") for form in self.rules.forms_of(pronoun)]
        bare = self.rules.bare(term)
        return [(bare, "noun" if bare != term else "name")]

    def in_corpus(self, corpus: Corpus, *, spelled: Callable[[str], str] = str) -> Iterator[Called]:
        """Everybody in a corpus, as the terms say that are `spelled` like this."""
        term = "term" if "term" in corpus.frame.columns else "person"
        columns = dict.fromkeys(["person", term, *corpus.attributes])
        for row in corpus.frame.select(*columns).unique(maintain_order=True).iter_rows(named=True):
            groups = {name: row[name] for name in corpus.attributes if row[name] is not None}
            for form, role in self.of(spelled(row[term])) if row[term] else ():
                yield Called(form, role, row["person"], groups)

    def of_gender(self, gender: str | None) -> Iterator[Called]:
        """The pronoun of a gender, which belongs to it even where no person is called so."""
        pronoun = None if self.rules is None or gender is None else self.rules.pronoun_of.get(gender)
        for form, role in self.of(pronoun) if pronoun else ():
            yield Called(form, role, pronoun or "", {GENDER: gender or ""})


def any_written(forms: Iterable[str]) -> str:
    """A pattern for any of the forms, the longest first, with any space between their words; for none, nothing.

    >>> any_written(["Ann", "Ann Lee"]), any_written([])
    ('Ann\\\\s+Lee|Ann', '(?!)')
    """
    longest_first = sorted(forms, key=len, reverse=True)
    return "|".join(r"\s+".join(map(re.escape, form.split(" "))) for form in longest_first) or "(?!)"

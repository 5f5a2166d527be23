"""There and back: finding the person in a text again, and words that belong to another group."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache

from evenhand.corpora.corpus import Corpus
from evenhand.corpora.person_forms import GENDER, PersonForms, any_written

PLACE = "\N{WHITE SQUARE}"
"""Stands for the person where sentences are compared without them."""


class PersonWords:
    """The words for persons in a corpus: who is called how, and which words belong to one group only.

    Of an attribute `gender`, the pronouns of its groups belong to them as well, if the language has rules.
    """

    def __init__(self, corpus: Corpus, code: str) -> None:
        self._corpus = corpus
        self._forms = PersonForms(code)

    def holds(self, text: str, term: str) -> bool:
        """Whether a text holds the term, or another form of it."""
        return _any_of(self.forms(term)).search(text) is not None

    def without(self, text: str, term: str, gender: str | None) -> str:
        """A text with all that stands for the person taken out: what should be the same for everybody."""
        forms = dict.fromkeys((*self.forms(term), *(called.form for called in self._forms.of_gender(gender))))
        before = () if self._forms.rules is None else tuple(self._forms.rules.determiners)
        return " ".join(_any_of(tuple(forms), before).sub(PLACE, text).split()).casefold()

    def newcomers(self, before: str, after: str, attribute: str) -> set[str]:
        """The groups of an attribute whose words stand in the text after, but did not stand there before."""
        owner = self._owners[attribute]
        found = {_plain(word) for word in self._any_owned[attribute].findall(after)}
        # What is a form in other capitals only ("ſhe") belongs to nobody.
        return {owner[word] for word in found if word in owner and not _any_of((word,)).search(before)}

    def forms(self, term: str) -> tuple[str, ...]:
        """What a term may look like, in lower case.

        >>> from evenhand.corpora import eec
        >>> words = PersonWords(eec(), "en")
        >>> words.forms("Her"), words.forms("my sister"), words.forms("Ebony")
        (('she', 'her', 'herself', 'hers'), ('sister',), ('ebony',))
        """
        return tuple(form for form, _ in self._forms.of(_plain(term)))

    @cached_property
    def _owners(self) -> dict[str, dict[str, str]]:
        """By attribute, the words that belong to one group only, with that group."""
        return {attribute: self._owned(attribute) for attribute in self._corpus.attributes}

    def _owned(self, attribute: str) -> dict[str, str]:
        owners: dict[str, set[str | None]] = {}
        genders = self._corpus.attributes[attribute] if attribute == GENDER else ()
        of_genders = (called for gender in genders for called in self._forms.of_gender(gender))
        for called in (*self._forms.in_corpus(self._corpus, spelled=_plain), *of_genders):
            owners.setdefault(called.form, set()).add(called.groups.get(attribute))
        alone = {form: next(iter(groups)) for form, groups in owners.items() if len(groups) == 1}
        return {form: group for form, group in alone.items() if group is not None}

    @cached_property
    def _any_owned(self) -> Mapping[str, re.Pattern[str]]:
        return {attribute: _any_of(tuple(owner)) for attribute, owner in self._owners.items()}


def _plain(words: str) -> str:
    return " ".join(words.lower().split())


@lru_cache(maxsize=4096)
def _any_of(forms: tuple[str, ...], before: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Any of the forms as whole words, the longest first, with such words before it; without any form, nothing."""
    leading = rf"(?:(?:{'|'.join(map(re.escape, before))})\s+)*" if before else ""
    return re.compile(rf"(?<!\w){leading}(?:{any_written(forms)})(?!\w)", re.IGNORECASE)

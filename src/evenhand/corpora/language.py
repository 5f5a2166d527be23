"""What a language asks of a sentence: articles, capital letters, and the forms of a person by role."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

from evenhand.errors import UsageError

Form = Literal["subject", "object", "reflexive"]


class Language(BaseModel):
    """The rules of one language, read from its data file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pronouns: dict[str, dict[Literal["object", "reflexive"], str]]
    reflexive: dict[str, str]
    reflexive_otherwise: str
    an_before: list[str]
    a_before: list[str]
    an_despite: list[str]

    def person(self, term: str, form: Form, *, gender: str | None) -> str:
        """How a person is called in that role.

        >>> english = language("en")
        >>> english.person("she", "object", gender="female"), english.person("my son", "reflexive", gender="male")
        ('her', 'himself')
        """
        if term in self.pronouns and form != "subject":
            return self.pronouns[term][form]
        if form == "reflexive":
            return self.reflexive.get(gender or "", self.reflexive_otherwise)
        return term

    def article(self, following: str) -> str:
        """`a` or `an`, by the sound that follows.

        >>> [language("en").article(word) for word in ("annoying", "grim", "hour", "university", "uneasy", "european")]
        ['an', 'a', 'an', 'a', 'an', 'a']
        """
        word = following.lower()
        if word.startswith(tuple(self.an_despite)):
            return "an"
        if word.startswith(tuple(self.a_before)):
            return "a"
        return "an" if word.startswith(tuple(self.an_before)) else "a"


def sentence_case(text: str) -> str:
    """Capitalise the first letter and leave the rest alone.

    >>> sentence_case("my mom met Tia.")
    'My mom met Tia.'
    """
    return text[:1].upper() + text[1:]


@cache
def language(code: str) -> Language:
    """The rules of a language by its code."""
    file = files("evenhand") / "data" / "languages" / f"{code}.yaml"
    if not code.isalpha() or not file.is_file():
        raise UsageError(f"no rules for the language {code!r}; known: en")
    return Language.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))

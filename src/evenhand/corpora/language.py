"""What a language asks of a sentence: agreement, articles, contractions, capital letters, and persons by role."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evenhand.errors import UsageError, did_you_mean
from evenhand.files.structured import read_yaml

Form = Literal["subject", "object", "genitive", "reflexive", "possessive", "pronoun", "pronoun object"]
"""What names a person (the first three), and what stands for one who was named: `herself`, `her` keys, `she`, `her`."""

BAR = "|"
"""Between the forms of a word that agrees with the person: `feels|feel`."""

SENTENCE_START = re.compile(r"(?:^|[.!?…][\"”»)]*\s)\s*[¿¡\"“«(]*$")


class _Rules(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Pronoun(_Rules):
    """A pronoun's other forms, and which form of a word agrees with it."""

    object: str
    reflexive: str
    possessive: str | None = None
    """Before a noun: `her` keys."""
    also: list[str] = []
    """Possessive forms, and other spellings: forms that the filler does not write, but that may be met."""
    agreement: str | None = None


class Indefinite(_Rules):
    """Beginnings of words that ask for `a` or `an`."""

    an_despite: list[str]
    a_before: list[str]
    an_before: list[str]

    def before(self, following: str) -> str:
        """`a` or `an`, by the sound that follows."""
        word = following.lower()
        if word.startswith(tuple(self.an_despite)):
            return "an"
        if word.startswith(tuple(self.a_before)):
            return "a"
        return "an" if word.startswith(tuple(self.an_before)) else "a"


class Neutral(_Rules):
    """What stands for a person of whom nothing is told."""

    phrase: str
    """As subject and as object: `this person`."""
    genitive: str | None = None
    """`this person's`."""
    reflexive: str
    possessive: str | None = None
    """Before a noun, where the person was named already: `their` keys."""
    noun: str | None = None
    """After an article."""
    plural: str | None = None
    agreement: str | None = None
    """How words agree with the phrase: where they agree with a person otherwise, more than the person would change."""


class Language(_Rules):
    """The rules of one language, read from its data file."""

    agreement: Annotated[list[str], Field(min_length=1)]
    """What the forms of `{feels|feel}` stand for, in order; the first is the form of a word as it is listed."""
    nouns_agree_as: str | None = None
    """The agreement of names and noun phrases; where it is not given, that of their pronoun."""
    pronouns: dict[str, Pronoun]
    pronoun_of: dict[str, str]
    """The pronoun of a person whose term is none, by gender."""
    pronoun_otherwise: str | None = None
    indefinite: Indefinite | None = None
    contractions: dict[str, str] = {}
    genitive: str | None = None
    """What stands after a name or noun to say whose something is: `'s`; of a pronoun, its possessive says so."""
    determiners: list[str] = []
    """Words that stand before a noun and may change without the person changing: `my` sister, `the` sister."""
    before_nouns_only: list[str] = []
    """Words after which a noun follows and never a name: `the` woman, not `the` Mary."""
    neutral: Neutral | None = None

    @model_validator(mode="after")
    def _names_agree(self) -> Language:
        agreements = [self.nouns_agree_as, *(pronoun.agreement for pronoun in self.pronouns.values())]
        agreements += [] if self.neutral is None else [self.neutral.agreement]
        for name in agreements:
            if name is not None and name not in self.agreement:
                raise ValueError(f"no agreement {name!r}; there are {self.agreement}")
        for pronoun in (*self.pronoun_of.values(), self.pronoun_otherwise):
            if pronoun is not None and pronoun not in self.pronouns:
                raise ValueError(f"no pronoun {pronoun!r}; there are {list(self.pronouns)}")
        return self

    def pronoun(self, term: str, *, gender: str | None, given: str | None = None) -> str:
        """The pronoun that stands for a person: the term itself, the one that was given, or the one of the gender.

        >>> english = language("en")
        >>> english.pronoun("my son", gender="male"), english.pronoun("xe", gender=None)
        ('he', 'xe')
        """
        if term in self.pronouns:
            return term
        found = given or self.pronoun_of.get(gender or "", self.pronoun_otherwise)
        if found is None:
            raise UsageError(f"no pronoun stands for {term!r}: give the person a gender ({', '.join(self.pronoun_of)})")
        if found not in self.pronouns:
            raise UsageError(f"no rules for the pronoun {found!r}{did_you_mean(found, self.pronouns)}")
        return found

    def forms_of(self, pronoun: str) -> tuple[str, ...]:
        """All forms of a pronoun.

        >>> language("en").forms_of("she")
        ('she', 'her', 'herself', 'hers')
        """
        one = self.pronouns[pronoun]
        given = [pronoun, one.object, one.reflexive, one.possessive, *one.also]
        return tuple(dict.fromkeys(form for form in given if form))

    @cached_property
    def pronoun_by_form(self) -> dict[str, str]:
        """The pronoun that a form belongs to; a form of several belongs to the first.

        >>> language("en").pronoun_by_form["his"]
        'he'
        """
        return {form: pronoun for pronoun in reversed(self.pronouns) for form in self.forms_of(pronoun)}

    def bare(self, term: str) -> str:
        """A term without the determiners before its noun.

        >>> language("en").bare("my sister"), language("en").bare("Ebony")
        ('sister', 'Ebony')
        """
        words = term.split(" ")
        while len(words) > 1 and words[0].lower() in self.determiners:
            words = words[1:]
        return " ".join(words)

    def agreement_with(self, term: str, *, gender: str | None) -> str | None:
        """How words agree with a person; None where that is not known.

        >>> english, spanish = language("en"), language("es")
        >>> english.agreement_with("them", gender=None), spanish.agreement_with("Ana", gender="female")
        ('plural', 'feminine')
        """
        pronoun = self.pronoun_by_form.get(term.lower())
        if pronoun is None:
            if self.nouns_agree_as is not None:
                return self.nouns_agree_as
            pronoun = self.pronoun_of.get(gender or "", self.pronoun_otherwise)
        return None if pronoun is None else self.pronouns[pronoun].agreement or self.agreement[0]

    def person(self, term: str, form: Form, *, gender: str | None, pronoun: str | None = None) -> str:
        """How a person is called in that role.

        >>> english = language("en")
        >>> english.person("she", "object", gender="female"), english.person("my son", "reflexive", gender="male")
        ('her', 'himself')
        >>> [english.person(term, "genitive", gender="male") for term in ("my son", "he")]
        ["my son's", 'his']
        >>> [english.person("my son", form, gender="male") for form in ("pronoun", "pronoun object", "possessive")]
        ['he', 'him', 'his']
        """
        if form not in ("subject", "object", "genitive"):
            return self._stands_for(self.pronoun(term, gender=gender, given=pronoun), form)
        if term in self.pronouns:
            naming: dict[Form, Form] = {"object": "pronoun object", "genitive": "possessive"}
            return self._stands_for(term, naming.get(form, "pronoun"))
        if form == "genitive":
            if self.genitive is None:
                raise UsageError("this language has no rule for a genitive; say it in the template (the house of Ana)")
            return f"{term}{self.genitive}"
        return term

    def _stands_for(self, pronoun: str, form: Form) -> str:
        rule = self.pronouns[pronoun]
        forms = {
            "pronoun": pronoun,
            "pronoun object": rule.object,
            "reflexive": rule.reflexive,
            "possessive": rule.possessive,
        }
        said = forms[form]
        if said is None:
            raise UsageError(f"the rules of this language have no {form} of {pronoun!r}")
        return said

    def agree(self, forms: str, term: str, *, gender: str | None, pronoun: str | None = None) -> str:
        """Of forms with bars between them, the one that agrees with a person.

        >>> english = language("en")
        >>> [english.agree("feels|feel", term, gender="non-binary") for term in ("they", "this person")]
        ['feel', 'feels']
        >>> language("es").agree("cansado|cansada", "mi hermana", gender="female")
        'cansada'
        """
        choices = forms.split(BAR)
        if len(choices) == 1:
            return forms
        if term not in self.pronouns and self.nouns_agree_as is not None:
            return choices[self.agreement.index(self.nouns_agree_as)]
        stands_for = self.pronouns[self.pronoun(term, gender=gender, given=pronoun)]
        return choices[self.agreement.index(stands_for.agreement or self.agreement[0])]

    def wrong_with(self, forms: str) -> str | None:
        """What is wrong with forms that should agree, or None.

        >>> language("es").wrong_with("cansado|cansada|cansades")
        '3 forms where there must be 2: masculine, feminine'
        """
        choices = forms.split(BAR)
        if len(choices) not in (1, len(self.agreement)):
            return f"{len(choices)} forms where there must be {len(self.agreement)}: {', '.join(self.agreement)}"
        return None if all(choices) else "one of the forms is empty"

    def forms_for(self, genders: Sequence[str], form: Form) -> list[str]:
        """A form that stands for persons of these genders, each once; where there are none, for anybody.

        >>> language("en").forms_for(["female", "male"], "reflexive"), language("en").forms_for([], "possessive")
        (['herself', 'himself'], ['their'])
        """
        known = [self.pronoun_of.get(gender, self.pronoun_otherwise) for gender in genders]
        chosen = [pronoun for pronoun in known if pronoun] or [self.pronoun_otherwise or next(iter(self.pronouns))]
        return list(dict.fromkeys(self._stands_for(pronoun, form) for pronoun in chosen))

    def article(self, following: str) -> str:
        """`a` or `an`, by the sound that follows.

        >>> [language("en").article(word) for word in ("annoying", "grim", "hour", "university", "uneasy", "european")]
        ['an', 'a', 'an', 'a', 'an', 'a']
        """
        if self.indefinite is None:
            forms = BAR.join(self.agreement)
            raise UsageError(f"this language has no rule for {{a}}; write the article's forms, as {{{forms}}}")
        return self.indefinite.before(following)

    def contracted(self, text: str) -> str:
        """The text with words that melt into one; a capital that begins the first is kept, others stand in the way.

        >>> language("es").contracted("A el abuelo le gusta el libro de el niño de El Salvador.")
        'Al abuelo le gusta el libro del niño de El Salvador.'
        """
        for apart, together in self.contractions.items():
            for one, other in ((apart, together), (sentence_case(apart), sentence_case(together))):
                text = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", other, text)
        return text


def sentence_case(text: str) -> str:
    """Capitalise the first letter, after marks that open a sentence, and leave the rest alone.

    >>> sentence_case("my mom met Tia."), sentence_case("¿está él en casa?"), sentence_case("3 cats slept.")
    ('My mom met Tia.', '¿Está él en casa?', '3 cats slept.')
    """
    for place, letter in enumerate(text):
        if letter.isalnum():
            return text[:place] + letter.upper() + text[place + 1 :]
    return text


def starts_sentence(text: str, place: int) -> bool:
    """Whether a sentence begins at that place of the text.

    >>> starts_sentence("What a day! {person} naps.", 12), starts_sentence("I saw {person}.", 6)
    (True, False)
    """
    return SENTENCE_START.search(text[:place]) is not None


def languages() -> list[str]:
    """The codes of the languages that have rules."""
    folder = files("evenhand") / "data" / "languages"
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


@cache
def language(code: str) -> Language:
    """The rules of a language by its code."""
    if code not in languages():
        raise UsageError(f"no rules for the language {code!r}; known: {', '.join(languages())}")
    file = files("evenhand") / "data" / "languages" / f"{code}.yaml"
    return Language.model_validate(read_yaml(file))

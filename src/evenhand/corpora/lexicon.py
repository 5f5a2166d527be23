"""Who sentences are about: persons and identity terms, in their grammatical forms and with where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evenhand.corpora.labels import Labels
from evenhand.errors import UsageError, did_you_mean
from evenhand.files.structured import read_yaml

HEADS = ("person", "people")
"""What a term without a noun of its own describes: "a deaf person", "people with epilepsy"."""


STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)
"""In recipes and lexicons, unknown keys and silent conversions are mistakes."""


Use = Literal["preferred", "acceptable", "contested"]
"""How a term is received: a guide recommends it; it is in use and nobody named objects; or somebody does."""


class Term(BaseModel):
    """An identity term: a word that describes people (before a noun, or after it), and the noun, where there is one.

    >>> deaf, epilepsy = Term(adjective="deaf"), Term(after="with epilepsy")
    >>> deaf.describing("guest"), epilepsy.describing("guest"), deaf.singular, epilepsy.in_plural
    ('deaf guest', 'guest with epilepsy', 'deaf person', 'people with epilepsy')
    >>> Term(adjective="Sikh", noun="Sikh").in_plural
    'Sikhs'
    """

    model_config = STRICT

    adjective: str | None = None
    after: str | None = None
    noun: str | None = None
    plural: str | None = None
    source: list[str] = []
    """Who lists or recommends it: keys of the lexicon's sources."""
    use: Use | None = None
    note: str | None = None
    ambiguous: str | None = None
    """What else the word commonly means."""
    figure: float | None = None
    """The number that puts it into its group, such as the GDP of a nationality's country."""

    @model_validator(mode="after")
    def _forms_are_whole(self) -> Term:
        if (self.adjective is None) == (self.after is None):
            raise ValueError("give either adjective (said before a noun) or after (said after it)")
        if self.plural and not self.noun:
            raise ValueError(f"the plural {self.plural!r} needs its noun")
        if self.use == "contested" and not self.note:
            raise ValueError(f"{self.singular!r} is contested: a note must say by whom, or why")
        return self

    def describing(self, noun: str) -> str:
        """The noun with the term before or after it."""
        return f"{self.adjective} {noun}" if self.adjective else f"{noun} {self.after}"

    @property
    def singular(self) -> str:
        """One such person, without an article; also what the term is called in tables."""
        return self.noun or self.describing(HEADS[0])

    @property
    def in_plural(self) -> str:
        """Several such people."""
        return self.plural or (f"{self.noun}s" if self.noun else self.describing(HEADS[1]))


class Persons(BaseModel):
    """Persons of one kind: a list of terms of one group, or pairs whose places follow an attribute's groups.

    Every further key names an attribute and the group that all of these persons belong to.
    """

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    kind: str = "name"
    source: list[str] = []
    terms: list[str | Term] = []
    paired: str | None = None
    pairs: list[list[str]] = []
    figures: dict[str, float] = {}
    """The number that puts each of them into the group, such as a country's GDP; `terms` need not list them again."""
    use: Use | None = None
    """How these terms are received, where each says nothing else."""
    uses: dict[str, Use] = {}
    """How single ones among them are received."""
    notes: dict[str, str] = {}
    """Required for contested terms: who contests them, or why; others may have one too."""
    ambiguous: dict[str, str] = {}
    """What else a name commonly means."""
    pronoun: str | list[str] | None = None
    """The pronoun that stands for them, where their gender doesn't tell; a list follows the places of the pairs."""

    pair: str | None = None
    """What these terms and those that correspond to them are called, where they don't stand in pairs."""
    object: str | None = None
    """As in `I made us feel grim`; for pronouns that the language has no rules for."""
    agreement: str | None = None
    """How words agree with them, where that is not as the language says: `plural`."""
    families: dict[str, str] = {}
    """What names that a system may treat as one have in common; see `families`."""
    in_order: bool = False
    """Whether the terms stand in the order of a draw, so that the first of them are a smaller draw."""
    templates: Annotated[list[int], Field(min_length=1)] | None = None
    """The templates that are about them, counted from 1; else all."""

    __pydantic_extra__: dict[str, str] = Field(init=False)

    @property
    def groups(self) -> dict[str, str]:
        """The attributes that these persons share."""
        return self.__pydantic_extra__

    @property
    def named_sources(self) -> list[str]:
        """The keys of all sources, those of single terms too."""
        return self.source + [key for term in self.terms if isinstance(term, Term) for key in term.source]

    @model_validator(mode="before")
    @classmethod
    def _figures_name_the_terms(cls, content: Any) -> Any:
        if isinstance(content, dict) and isinstance(content.get("figures"), dict) and "terms" not in content:
            return content | {"terms": list(content["figures"])}
        return content

    @model_validator(mode="after")
    def _one_of_both(self) -> Persons:
        if bool(self.terms) == bool(self.pairs):
            raise ValueError("give either terms or pairs")
        if bool(self.paired) != bool(self.pairs):
            raise ValueError("pairs need 'paired: ATTRIBUTE', the attribute whose groups their places follow")
        for name in self.ambiguous:
            if name not in self.terms:
                raise ValueError(f"{name!r} is called ambiguous and is not among the terms")
        for name in self.figures:
            if name not in self.terms:
                raise ValueError(f"{name!r} has a figure and is not among the terms")
        self._check_uses()
        if isinstance(self.pronoun, list) and any(len(pair) != len(self.pronoun) for pair in self.pairs or [[]]):
            raise ValueError(f"{len(self.pronoun)} pronouns must follow the places of pairs; for terms give one")
        return self

    def _check_uses(self) -> None:
        listed = {term for term in self.terms if isinstance(term, str)} | {term for pair in self.pairs for term in pair}
        for name in (*self.uses, *self.notes):
            if name not in listed:
                raise ValueError(f"{name!r} has a use or a note and is not among the terms{did_you_mean(name, listed)}")
        for name in sorted(listed):
            if self.use_of(name) == "contested" and name not in self.notes:
                raise ValueError(f"{name!r} is contested: a note must say by whom, or why")

    def use_of(self, term: str) -> Use | None:
        """How a term among them is received."""
        return self.uses.get(term, self.use)


class Lexicon(BaseModel):
    """Persons that several recipes may name, the groups they belong to, and where they come from."""

    model_config = STRICT

    sources: Annotated[dict[str, str], Field(min_length=1)]
    attributes: Annotated[dict[str, list[str]], Field(min_length=1)]
    labels: dict[str, dict[str, str]] = {}
    """What groups are called where people read of them, by attribute: `female: women`."""
    persons: Annotated[list[Persons], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_agree(self) -> Lexicon:
        check_labels(self.labels, self.attributes)
        for persons in self.persons:
            check_groups(persons, self.attributes)
            for term in persons.terms:
                given = persons.source + (term.source if isinstance(term, Term) else [])
                called = term.singular if isinstance(term, Term) else term
                if not given:
                    raise ValueError(f"{called!r} has no source")
                for source in given:
                    if source not in self.sources:
                        raise ValueError(f"{called!r}: no source {source!r}{did_you_mean(source, self.sources)}")
        return self


def check_groups(persons: Persons, attributes: Mapping[str, Sequence[str]]) -> None:
    """Refuse persons of a group that is not there, and pairs that do not follow an attribute's groups."""
    for attribute, group in persons.groups.items():
        if attribute not in attributes:
            raise ValueError(f"persons name the attribute {attribute!r}, which is not among the attributes")
        if group not in attributes[attribute]:
            raise ValueError(f"persons have {attribute} {group!r}; its groups are {attributes[attribute]}")
    if persons.paired is None:
        return
    if persons.paired not in attributes:
        raise ValueError(f"pairs follow {persons.paired!r}, which is not among the attributes")
    wanted = len(attributes[persons.paired])
    for pair in persons.pairs:
        if len(pair) != wanted:
            raise ValueError(f"pair {pair} has {len(pair)} places; {persons.paired!r} has {wanted} groups")


def check_labels(labels: Labels, attributes: Mapping[str, Sequence[str]]) -> None:
    """Refuse a label for a group that is not there."""
    for attribute, groups in labels.items():
        if attribute not in attributes:
            raise ValueError(f"labels name the attribute {attribute!r}{did_you_mean(attribute, attributes)}")
        for group in groups:
            if group not in attributes[attribute]:
                hint = did_you_mean(group, attributes[attribute])
                raise ValueError(f"labels name the group {group!r} of {attribute!r}{hint}")


def known_labels(attribute: str, groups: Sequence[str]) -> dict[str, dict[str, str]]:
    """The labels that Evenhand's lexicon of an attribute has for groups that others call alike.

    >>> known_labels("age", ["old", "ancient"]), known_labels("hats", ["felt"])
    ({'age': {'old': 'older people'}}, {})
    """
    if attribute not in lexicon_names():
        return {}
    labels = lexicon(attribute).labels.get(attribute, {})
    return {attribute: {group: labels[group] for group in groups if group in labels}}


def lexicon_names() -> list[str]:
    """The lexicons that come with Evenhand."""
    folder = files("evenhand") / "data" / "lexicons"
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


@cache
def lexicon(name: str) -> Lexicon:
    """A lexicon that comes with Evenhand.

    >>> lexicon("age").attributes
    {'age': ['young', 'adult', 'old']}
    """
    if name not in lexicon_names():
        raise UsageError(f"unknown lexicon {name!r}{did_you_mean(name, lexicon_names())}")
    file = files("evenhand") / "data" / "lexicons" / f"{name}.yaml"
    return Lexicon.model_validate(read_yaml(file))

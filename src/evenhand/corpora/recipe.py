"""The file format in which corpora are written: persons, word slots, templates, groups and provenance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evenhand.corpora.corpus import CORE, Condition
from evenhand.corpora.drawn import with_drawn
from evenhand.corpora.lexicon import STRICT, Persons, check_groups, check_labels, lexicon
from evenhand.errors import EvenhandError, did_you_mean
from evenhand.files.structured import first_mistake, read_yaml, validated

GOLD = "label"
"""The one column of every corpus that templates may give."""
SHAPE = "a recipe is a mapping with the keys name, attributes, persons and templates"


class Slot(BaseModel):
    """Words that a template varies over: a list, or lists by category."""

    model_config = STRICT

    words: list[str] | dict[str, list[str]]
    column: str | None = None
    by: str | None = None

    @model_validator(mode="after")
    def _categories_are_named(self) -> Slot:
        if isinstance(self.words, dict) and not self.by:
            raise ValueError("words in categories need 'by: COLUMN', the column that holds the category")
        return self

    def fillings(self) -> list[tuple[str | None, str]]:
        """(category, word) in order."""
        if isinstance(self.words, list):
            return [(None, word) for word in self.words]
        return [(category, word) for category, words in self.words.items() for word in words]


class Template(BaseModel):
    """One sentence with places for words and a person, or several that share their columns.

    Every further key names a column, such as `label`, and its value in all sentences made from these.
    """

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    text: str | list[str]
    attribute: str | None = None
    """Only persons who have a group of this attribute are asked about."""
    tags: str | None = None
    """For taggers: a BILOU tag for each token of the one text, with spaces between; the person counts as one token."""

    __pydantic_extra__: dict[str, str] = Field(init=False)

    @property
    def texts(self) -> list[str]:
        """The sentences with their places."""
        return [self.text] if isinstance(self.text, str) else self.text

    @property
    def columns(self) -> dict[str, str]:
        """Value by column."""
        return self.__pydantic_extra__


class Recipe(BaseModel):
    """A corpus as its author writes it."""

    model_config = STRICT

    name: str
    version: str = "1"
    language: str = "en"
    title: str = ""
    chosen: str = ""
    selection: dict[str, str] = {}
    """How each part was chosen, by its name: `first names: ...`."""
    source: str = ""
    sources: dict[str, str] = {}
    """What the keys under `source` of persons stand for."""
    licence: str = ""
    limits: list[str] = []
    attributes: Annotated[dict[str, list[str]], Field(min_length=1)]
    labels: dict[str, dict[str, str]] = {}
    """What groups are called where people read of them, by attribute: `female: women`."""
    groupings: list[str] = ["template"]
    subsets: dict[str, dict[str, Condition]] = {}
    lexicons: list[str] = []
    """Lexicons of Evenhand whose persons and groups belong here."""
    persons: Annotated[list[Persons], Field(min_length=1)]
    one_attribute_at_a_time: bool = False
    """Whether persons of different attributes never share a source: a religion is not exchanged for an age."""
    slots: dict[str, Slot] = {}
    held: dict[str, list[Persons]] = {}
    """Other persons in a sentence, who stay the same while the person varies: by the name of their place."""
    templates: Annotated[list[str | Template], Field(min_length=1)]
    spellings: dict[str, dict[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _with_others(cls, content: Any) -> Any:
        """Persons and groups of the lexicons and pools that are named."""
        return with_drawn(cls._with_lexicons(content))

    @classmethod
    def _with_lexicons(cls, content: Any) -> Any:
        """Persons and groups of the lexicons that are named, before those of the recipe's own."""
        if not isinstance(content, dict) or not isinstance(content.get("lexicons"), list):
            return content
        named = [lexicon(str(name)) for name in content["lexicons"]]
        attributes = {attribute: groups for one in named for attribute, groups in one.attributes.items()}
        labels = {attribute: groups for one in named for attribute, groups in one.labels.items()}
        persons = [persons for one in named for persons in one.persons]
        sources = {key: source for one in named for key, source in one.sources.items()}
        return content | {
            "sources": sources | content.get("sources", {}),
            "attributes": attributes | content.get("attributes", {}),
            "labels": labels | content.get("labels", {}),
            "persons": persons + content.get("persons", []),
        }

    @model_validator(mode="after")
    def _names_agree(self) -> Recipe:
        taken = sorted(set(self.attributes) & {*CORE, "template"})
        if taken:
            raise ValueError(f"{taken[0]!r} is a column of every corpus and can't be an attribute")
        for attribute, groups in self.attributes.items():
            if len(set(groups)) < 2:
                raise ValueError(f"attribute {attribute!r} needs at least two different groups")
        check_labels(self.labels, self.attributes)
        for persons in self.persons:
            self._check_groups(persons)
        self._check_held()
        for _, template in self.numbered():
            self._check_columns(template)
        self._check_tags()
        return self

    def numbered(self) -> Iterator[tuple[str, Template]]:
        """Each text with the template it belongs to, in order."""
        for given in self.templates:
            template = Template(text=given) if isinstance(given, str) else given
            for text in template.texts:
                yield text, template

    @property
    def template_columns(self) -> list[str]:
        """The columns that templates give, in the order in which they first appear."""
        return list(dict.fromkeys(column for _, template in self.numbered() for column in template.columns))

    def _check_columns(self, template: Template) -> None:
        slots = {name for key, slot in self.slots.items() for name in (slot.column or key, slot.by)}
        taken = ({*CORE, "template", *self.attributes, *self.held_columns} | slots) - {GOLD}
        for column in template.columns:
            if column in taken:
                raise ValueError(f"a template gives the column {column!r}, which is taken")
        if template.attribute is not None and template.attribute not in self.attributes:
            raise ValueError(
                f"a template is about {template.attribute!r}{did_you_mean(template.attribute, self.attributes)}"
            )

    @property
    def held_columns(self) -> list[str]:
        """For each person who is held, a column of who it is, and one of each group that is given for them."""
        groups = {name: dict.fromkeys(key for one in held for key in one.groups) for name, held in self.held.items()}
        return [column for name, keys in groups.items() for column in (name, *(f"{name}_{key}" for key in keys))]

    def _check_held(self) -> None:
        slots = {name for key, slot in self.slots.items() for name in (key, slot.column or key, slot.by)}
        taken = {*CORE, "template", "a", *self.attributes} | slots
        for name, held in self.held.items():
            if not name.isidentifier():
                raise ValueError(f"the place {name!r} of a person who is held is not a word")
            if not held or any(not one.terms or not all(isinstance(term, str) for term in one.terms) for one in held):
                raise ValueError(f"persons who are held ({name!r}) are lists of terms, which are plain texts")
            for key in {key for one in held for key in one.named_sources} - set(self.sources):
                raise ValueError(f"persons have the source {key!r}{did_you_mean(key, self.sources)}")
        for column in self.held_columns:
            if column in taken:
                raise ValueError(f"persons who are held give the column {column!r}, which is taken")

    def _check_tags(self) -> None:
        without = [text for text, template in self.numbered() if template.tags is None]
        for text, template in self.numbered():
            if template.tags is not None and without:
                raise ValueError(f"{text!r} has tags and {without[0]!r} has none; give them to all or to none")
            if template.tags is not None and len(template.texts) > 1:
                raise ValueError(f"tags are for one text, and this template has {len(template.texts)}")

    @property
    def provenance(self) -> str:
        """Where the corpus comes from, and then each source that its persons name."""
        everybody = [*self.persons, *(one for held in self.held.values() for one in held)]
        named = dict.fromkeys(key for persons in everybody for key in persons.named_sources)
        return "; ".join(part for part in (self.source, *(self.sources[key] for key in named)) if part)

    def _check_groups(self, persons: Persons) -> None:
        for key in persons.named_sources:
            if key not in self.sources:
                raise ValueError(f"persons have the source {key!r}{did_you_mean(key, self.sources)}")
        check_groups(persons, self.attributes)
        templates = len(list(self.numbered()))
        for number in persons.templates or ():
            if not 1 <= number <= templates:
                raise ValueError(f"persons are in template {number}; there are {templates}, counted from 1")


def made_recipe(content: object) -> Recipe:
    """A recipe of plain values; what is wrong with them is said with its place."""
    try:
        return Recipe.model_validate(content)
    except ValidationError as error:
        raise EvenhandError(first_mistake(error, content, Recipe, shape=SHAPE)) from error


def read_recipe(path: Path) -> Recipe:
    """Read a recipe; what is wrong with it is said with its place in the file."""
    return validated(Recipe, read_yaml(path), path, shape=SHAPE)

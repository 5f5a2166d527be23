"""The file format in which corpora are written: persons, word slots, templates, groups and provenance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evenhand.corpora.corpus import CORE, Condition
from evenhand.errors import EvenhandError, did_you_mean


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Persons(_Part):
    """Persons of one kind: a list of terms of one group, or pairs whose places follow an attribute's groups.

    Every further key names an attribute and the group that all of these persons belong to.
    """

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    kind: str = "name"
    terms: list[str] = []
    paired: str | None = None
    pairs: list[list[str]] = []

    __pydantic_extra__: dict[str, str] = Field(init=False)

    @property
    def groups(self) -> dict[str, str]:
        """The attributes that these persons share."""
        return self.__pydantic_extra__

    @model_validator(mode="after")
    def _one_of_both(self) -> Persons:
        if bool(self.terms) == bool(self.pairs):
            raise ValueError("give either terms or pairs")
        if bool(self.paired) != bool(self.pairs):
            raise ValueError("pairs need 'paired: ATTRIBUTE', the attribute whose groups their places follow")
        return self


class Slot(_Part):
    """Words that a template varies over: a list, or lists by category."""

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


class Recipe(_Part):
    """A corpus as its author writes it."""

    name: str
    version: str = "1"
    language: str = "en"
    title: str = ""
    chosen: str = ""
    source: str = ""
    licence: str = ""
    limits: list[str] = []
    attributes: Annotated[dict[str, list[str]], Field(min_length=1)]
    groupings: list[str] = ["template"]
    subsets: dict[str, dict[str, Condition]] = {}
    persons: Annotated[list[Persons], Field(min_length=1)]
    slots: dict[str, Slot] = {}
    templates: Annotated[list[str], Field(min_length=1)]
    spellings: dict[str, dict[str, str]] = {}

    @model_validator(mode="after")
    def _names_agree(self) -> Recipe:
        taken = sorted(set(self.attributes) & {*CORE, "template"})
        if taken:
            raise ValueError(f"{taken[0]!r} is a column of every corpus and can't be an attribute")
        for attribute, groups in self.attributes.items():
            if len(set(groups)) < 2:
                raise ValueError(f"attribute {attribute!r} needs at least two different groups")
        for persons in self.persons:
            self._check_groups(persons)
        return self

    def _check_groups(self, persons: Persons) -> None:
        for attribute, group in persons.groups.items():
            if attribute not in self.attributes:
                raise ValueError(f"persons name the attribute {attribute!r}, which is not among the attributes")
            if group not in self.attributes[attribute]:
                raise ValueError(f"persons have {attribute} {group!r}; its groups are {self.attributes[attribute]}")
        if persons.paired is None:
            return
        if persons.paired not in self.attributes:
            raise ValueError(f"pairs follow {persons.paired!r}, which is not among the attributes")
        wanted = len(self.attributes[persons.paired])
        for pair in persons.pairs:
            if len(pair) != wanted:
                raise ValueError(f"pair {pair} has {len(pair)} places; {persons.paired!r} has {wanted} groups")


def read_recipe(path: Path) -> Recipe:
    """Read a recipe; what is wrong with it is said with its place in the file."""
    try:
        return Recipe.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise EvenhandError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise EvenhandError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise EvenhandError(f"{path}: {_worst(error)}") from error


def _worst(error: ValidationError) -> str:
    """The mistake to mend first: a key that nobody knows explains those that are missing."""
    found = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    first = found[0]
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = f"unknown key{did_you_mean(str(first['loc'][-1]), Recipe.model_fields)}"
    if first["type"] in ("model_type", "model_attributes_type") and not place:
        message = "a recipe is a mapping with the keys name, attributes, persons and templates"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{place}: {message}{more}" if place else f"{message}{more}"

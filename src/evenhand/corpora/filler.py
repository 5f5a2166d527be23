"""Templates × persons × words: every sentence of a recipe, in a fixed order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import cast

import polars as pl

from evenhand.corpora.corpus import About, Corpus
from evenhand.corpora.language import Form, Language, language, sentence_case
from evenhand.corpora.recipe import Persons, Recipe
from evenhand.errors import EvenhandError, UsageError, did_you_mean

PLACE = re.compile(r"\{([^{}]*)\}")
PERSON_FORMS: dict[str, Form] = {"person": "subject", "person.object": "object", "person.reflexive": "reflexive"}


@dataclass(frozen=True)
class _Person:
    term: str
    kind: str
    pair: str | None
    groups: dict[str, str]


@dataclass(frozen=True)
class _Filling:
    words: dict[str, str]
    """Word by slot."""
    columns: dict[str, str]
    """Word and category by column."""


def fill(recipe: Recipe, *, spelling: str | None = None) -> Corpus:
    """Build the corpus that a recipe describes: templates in order, then words, then persons."""
    rules = language(recipe.language)
    respell = _respelling(recipe, spelling)
    persons = [person for group in recipe.persons for person in _persons(group, recipe, rules)]
    slot_columns = _slot_columns(recipe)
    rows: list[dict[str, str | None]] = []
    for number, template in enumerate(recipe.templates, start=1):
        places = _places(template, recipe)
        shown = _shown(template, recipe, rules)
        role = next(PERSON_FORMS[place] for place in places if place in PERSON_FORMS)
        for filling in _fillings(places, recipe):
            words = {slot: respell.get(word, word) for slot, word in filling.words.items()}
            source = ":".join([str(number), *filling.words.values()])
            for person in persons:
                text = _sentence(template, words, person, rules)
                term = rules.person(person.term, role, gender=person.groups.get("gender"))
                row: dict[str, str | None] = {
                    "id": f"{recipe.name}-{len(rows) + 1:05d}",
                    "text": text,
                    "source": source,
                }
                row |= {"person": person.term, "term": term, "kind": person.kind, "pair": person.pair, "role": role}
                row |= {attribute: person.groups.get(attribute) for attribute in recipe.attributes}
                row |= {"template": shown} | {column: filling.columns.get(column) for column in slot_columns}
                rows.append(row)
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(rows[0], pl.String))
    _no_sentence_twice(frame, recipe)
    return Corpus(
        frame=frame,
        name=recipe.name,
        version=recipe.version,
        attributes={attribute: tuple(groups) for attribute, groups in recipe.attributes.items()},
        groupings=_known_columns(recipe.groupings, frame, recipe),
        subsets=recipe.subsets,
        about=About(recipe.title, recipe.chosen, recipe.source, recipe.licence, tuple(recipe.limits)),
    )


def _persons(group: Persons, recipe: Recipe, rules: Language) -> Iterator[_Person]:
    def kind(term: str) -> str:
        return "pronoun" if term in rules.pronouns else group.kind

    for term in group.terms:
        yield _Person(term, kind(term), None, group.groups)
    for pair in group.pairs:
        attribute = cast(str, group.paired)
        for term, value in zip(pair, recipe.attributes[attribute], strict=True):
            yield _Person(term, kind(term), "/".join(pair), group.groups | {attribute: value})


def _places(template: str, recipe: Recipe) -> list[str]:
    places = PLACE.findall(template)
    for place in places:
        if place not in PERSON_FORMS and place != "a" and place not in recipe.slots:
            hint = did_you_mean(place, [*PERSON_FORMS, "a", *recipe.slots])
            raise EvenhandError(f"corpus {recipe.name!r}, template {template!r}: unknown slot {{{place}}}{hint}")
    if not any(place in PERSON_FORMS for place in places):
        raise EvenhandError(f"corpus {recipe.name!r}, template {template!r} has no {{person}}")
    return places


def _fillings(places: list[str], recipe: Recipe) -> Iterator[_Filling]:
    slots = [place for place in dict.fromkeys(places) if place in recipe.slots]
    for chosen in product(*(recipe.slots[slot].fillings() for slot in slots)):
        columns: dict[str, str] = {}
        for slot, (category, word) in zip(slots, chosen, strict=True):
            columns[recipe.slots[slot].column or slot] = word
            if category is not None:
                columns[cast(str, recipe.slots[slot].by)] = category
        yield _Filling(dict(zip(slots, (word for _, word in chosen), strict=True)), columns)


def _slot_columns(recipe: Recipe) -> list[str]:
    columns: dict[str, None] = {}
    for name, slot in recipe.slots.items():
        if slot.by:
            columns[slot.by] = None
        columns[slot.column or name] = None
    return list(columns)


def _sentence(template: str, words: dict[str, str], person: _Person, rules: Language) -> str:
    def filled(match: re.Match[str]) -> str:
        place = match.group(1)
        if place in PERSON_FORMS:
            return rules.person(person.term, PERSON_FORMS[place], gender=person.groups.get("gender"))
        return words.get(place, match.group(0))

    text = PLACE.sub(filled, template)
    text = re.sub(r"\{a\} (?=(\S+))", lambda match: f"{rules.article(match.group(1))} ", text)
    return sentence_case(text)


def _shown(template: str, recipe: Recipe, rules: Language) -> str:
    reflexive = "/".join(dict.fromkeys(rules.reflexive.values()))
    names = dict.fromkeys(PERSON_FORMS, "<person>") | {"person.reflexive": reflexive, "a": "a/an"}
    return PLACE.sub(lambda match: names.get(match.group(1), f"<{match.group(1)}>"), template)


def _respelling(recipe: Recipe, spelling: str | None) -> dict[str, str]:
    if spelling is None:
        return {}
    if spelling not in recipe.spellings:
        known = did_you_mean(spelling, recipe.spellings) if recipe.spellings else "; it has only one"
        raise UsageError(f"corpus {recipe.name!r} has no spelling {spelling!r}{known}")
    return recipe.spellings[spelling]


def _known_columns(columns: list[str], frame: pl.DataFrame, recipe: Recipe) -> tuple[str, ...]:
    for column in columns:
        if column not in frame.columns:
            hint = did_you_mean(column, frame.columns)
            raise EvenhandError(f"corpus {recipe.name!r}: grouping {column!r} is no column{hint}")
    for name, conditions in recipe.subsets.items():
        for column in conditions:
            if column not in frame.columns:
                raise EvenhandError(f"corpus {recipe.name!r}: subset {name!r}: no column {column!r}")
    return tuple(columns)


def _no_sentence_twice(frame: pl.DataFrame, recipe: Recipe) -> None:
    doubled = frame["text"].is_duplicated()
    if doubled.any():
        example = frame["text"].filter(doubled)[0]
        raise EvenhandError(f"corpus {recipe.name!r} makes the sentence {example!r} more than once")

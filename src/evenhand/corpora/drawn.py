"""What is asked: recipes that draw their persons from a pool of names, with its groups and their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from evenhand.corpora.language import language
from evenhand.corpora.lexicon import STRICT
from evenhand.corpora.pools import Pool, load_pool
from evenhand.errors import did_you_mean
from evenhand.files.structured import first_mistake

ATTRIBUTES = ("gender", "race")
NAME, SURNAME = "name", "surname"
"""The kinds of persons who are drawn: called by a first name, or by a surname, which tells no gender."""


class PoolDraw(BaseModel):
    """Names to be drawn from a pool, as a recipe asks for them."""

    model_config = STRICT

    pool: str
    per_cell: int = Field(ge=1)
    """How many names each race has, of first names in each gender."""
    matched: bool = False
    """Whether the names of the races are to be about as common, as long and, where known, as old as one another."""
    strength: float = 0.80
    """The smallest share of a name's bearers who are of its race."""
    seed: int = Field(default=0, ge=0)
    races: list[str] | None = None
    """As the pool or the recipe calls them; else those of the recipe's attribute `race`, or all."""


def with_drawn(content: Any) -> Any:
    """The content of a recipe with names in place of the pools that its persons ask for."""
    if not isinstance(content, dict):
        return content
    persons = content.get("persons")
    entries = [persons] if _asks_for_pool(persons) else persons
    if not isinstance(entries, list) or not any(map(_asks_for_pool, entries)):
        return content
    made = content
    listed: list[Any] = []
    for entry in entries:
        if not _asks_for_pool(entry):
            listed.append(entry)
            continue
        draw = _read(entry)
        groups = _Groups(load_pool(draw.pool), made)
        listed += groups.entries(draw)
        made = groups.with_groups(draw)
    return made | {"persons": listed}


def drawn_by(content: Any) -> PoolDraw | None:
    """How the content of a recipe draws its persons from a pool; None where it lists them itself."""
    persons = content.get("persons") if isinstance(content, dict) else None
    entries: list[Any] = persons if isinstance(persons, list) else [persons]
    return next((_read(entry) for entry in entries if _asks_for_pool(entry)), None)


def _asks_for_pool(entry: object) -> bool:
    return isinstance(entry, dict) and "pool" in entry


def _read(entry: Mapping[str, Any]) -> PoolDraw:
    try:
        return PoolDraw.model_validate(entry)
    except ValidationError as error:
        known = ", ".join(PoolDraw.model_fields)
        raise ValueError(
            f"persons of a pool: {first_mistake(error, entry, PoolDraw)} (its keys are {known})"
        ) from error


class _Groups:
    """The groups of a pool as a recipe calls them."""

    def __init__(self, pool: Pool, content: Mapping[str, Any]) -> None:
        self.pool = pool
        self.content = content
        attributes = content.get("attributes", {})
        self.given: dict[str, Sequence[str]] = dict(attributes) if isinstance(attributes, dict) else {}
        if content.get("language", pool.language) != pool.language:
            raise ValueError(f"the names of {pool.name} are for sentences in {pool.language!r}")
        self.called = {attribute: self._called(attribute) for attribute in ATTRIBUTES if attribute in pool.groups}

    def _called(self, attribute: str) -> dict[str, str]:
        """By what the pool calls a group, what the recipe calls it."""
        known = list(self.pool.groups[attribute])
        if attribute not in self.given:
            return {group: group for group in known}
        meant = {self.pool.called(attribute, str(group)): str(group) for group in self.given[attribute]}
        found = {name: group for name, group in meant.items() if name is not None}
        if not found:
            groups = ", ".join(map(repr, self.given[attribute]))
            raise ValueError(
                f"the pool {self.pool.name} has no names for {attribute} {groups}; known: {', '.join(known)}"
            )
        return found

    def entries(self, draw: PoolDraw) -> list[dict[str, Any]]:
        """The drawn names as persons of a recipe, one list for each cell."""
        drawn = self.pool.draw(
            draw.per_cell,
            races=self._races(draw),
            strength=draw.strength,
            matched=draw.matched,
            seed=draw.seed,
        )
        return [
            {
                "kind": SURNAME if cell.gender is None else NAME,
                "source": [self.pool.name],
                "race": self.called["race"][cell.race],
                "terms": [one.name for one in names],
                "families": {one.name: one.family for one in names},
                "in_order": True,
            }
            | self._gender(cell.gender)
            for cell, names in drawn.items()
            if cell.gender is None or cell.gender in self.called["gender"]
        ]

    def _gender(self, gender: str | None) -> dict[str, str]:
        """The gender of first names, and the pronoun that goes with it."""
        if gender is None:
            return {}
        return {"gender": self.called["gender"][gender], "pronoun": language(self.pool.language).pronoun_of[gender]}

    def with_groups(self, draw: PoolDraw) -> dict[str, Any]:
        """The recipe with the groups, labels and source of the pool besides its own."""
        drawn = {name: self._races(draw) if name == "race" else list(called) for name, called in self.called.items()}
        groups = {name: [self.called[name][group] for group in some] for name, some in drawn.items()}
        if len(groups["race"]) < 2 and "race" not in self.given:
            otherwise = (
                ""
                if self.pool.of_surnames
                else (", and audit them by gender with --attribute gender, if that is the question")
            )
            raise ValueError(
                f"persons of a pool: races: {', '.join(draw.races or ())} alone cannot be compared by race; name at "
                f"least two{otherwise}"
            )
        own = self.content.get("labels", {})
        return {
            **self.content,
            "attributes": groups | self.given,
            "labels": own | {name: self._labels(name, some) | own.get(name, {}) for name, some in drawn.items()},
            "sources": {self.pool.name: self.pool.source} | self.content.get("sources", {}),
        }

    def _races(self, draw: PoolDraw) -> list[str]:
        """The races to draw, as the pool calls them: those of the draw, or all that the recipe has."""
        races = self.called["race"]
        if draw.races is None:
            return list(races)
        asked = [(race, self.pool.race_called(race)) for race in draw.races]
        for race, known in asked:
            if known not in races:
                raise ValueError(f"persons of a pool: no race {race!r} here{did_you_mean(race, races.values())}")
        return [str(known) for _, known in asked]

    def _labels(self, attribute: str, groups: Sequence[str]) -> dict[str, str]:
        """The pool's labels; a race that the recipe calls by another name is labelled by that."""
        labels = {}
        for group in groups:
            called = self.called[attribute][group]
            own = called == group or attribute != "race"
            labels[called] = self.pool.groups[attribute][group].label if own else f"{called} people"
        return labels

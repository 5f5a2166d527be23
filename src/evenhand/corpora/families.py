"""Which persons are so alike that a system may treat them as one: families that a corpus names, or spellings."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
import polars as pl
from scipy import sparse

from evenhand.numbering import numbered

Group = TypeVar("Group", bound=Hashable)

NAME = "name"
"""The kind of persons who get families by their spelling where the corpus names none."""
FIRST_LETTERS = 3
FEWEST_CONSONANTS = 3
VOWELS = frozenset("aeiouyhw")
"""Letters that spellings of one name add, drop or trade; h and w are often silent."""


def families_of(frame: pl.DataFrame, *, within: Sequence[Group]) -> dict[tuple[Group, str], str]:
    """By group and person, the family: the corpus's own, or that of the spelling among the names of one group.

    `within` has the group of each row. Who is not in the answer is on their own.

    >>> frame = pl.DataFrame({"person": ["Juan", "Juana", "Tuan"], "kind": NAME})
    >>> families_of(frame, within=["Latino", "Latino", "Vietnamese"])
    {('Latino', 'Juan'): 'Latino 0', ('Latino', 'Juana'): 'Latino 0', ('Vietnamese', 'Tuan'): 'Vietnamese 0'}
    """
    persons = frame["person"].to_list()
    if "family" in frame.columns:
        rows = dict.fromkeys(zip(within, persons, frame["family"].to_list(), strict=True))
        return {(group, person): str(family) for group, person, family in rows if family is not None}
    if "kind" not in frame.columns:
        return {}
    named: dict[Group, dict[str, None]] = {}
    for group, person, kind in dict.fromkeys(zip(within, persons, frame["kind"].to_list(), strict=True)):
        if kind == NAME:
            named.setdefault(group, {})[person] = None
    return {
        (group, name): f"{group} {number}"
        for group, names in named.items()
        for name, number in zip(names, spelling_families([*names]), strict=True)
    }


def spelling_families(names: Sequence[str]) -> list[int]:
    """A number for each name: the same for names of one family.

    Two names are of one family if they begin with the same three letters, have the same consonants in the same order
    (three at least, doubled ones counted once), or differ in a single letter; so is whoever is linked to both. Systems
    that read names in pieces treat such names alike, so that three of them say little more than one.

    >>> spelling_families(["Lakisha", "Latisha", "Latoya", "Terrence", "Torrance", "Tia"])
    [0, 0, 0, 1, 1, 2]
    """
    plain = [_plain(name) for name in names]
    keys = [_keys(name, known=frozenset(plain)) for name in plain]
    place = {key: number for number, key in enumerate(dict.fromkeys(key for mine in keys for key in mine))}
    links = [(name, len(names) + place[key]) for name, mine in enumerate(keys) for key in mine]
    size = len(names) + len(place)
    graph = sparse.coo_array((np.ones(len(links)), tuple(np.array(links).reshape(-1, 2).T)), shape=(size, size))
    _, family = sparse.csgraph.connected_components(graph, directed=False)
    return [int(number) for number in numbered(family[: len(names)].tolist())]


def led_families(names: Sequence[str]) -> list[str]:
    """For each name the first that it is alike, for lists of hundreds, in which everybody would be linked to everybody.

    Names are alike by the same rule, but nobody is linked through others: whoever is like the first name of the list is
    of its family, then whoever is left and like the next that is left. Put the most common names first.

    >>> led_families(["Latoya", "Lakisha", "Latisha", "Terrence", "Torrance", "Tia"])
    ['Latoya', 'Lakisha', 'Latoya', 'Terrence', 'Terrence', 'Tia']
    """
    plain = [_plain(name) for name in names]
    known = frozenset(plain)
    leader: dict[str, int] = {}
    families = []
    for place, spelled in enumerate(plain):
        keys = _keys(spelled, known=known)
        led = min((leader[key] for key in keys if key in leader), default=place)
        if led == place:
            leader |= dict.fromkeys(keys, place)
        families.append(names[led])
    return families


def _plain(name: str) -> str:
    """Lower case, without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))


def _keys(name: str, *, known: frozenset[str]) -> set[str]:
    """What a name shares with whoever is like it: names with a key in common are of one family."""
    keys = {name, f"{name[:FIRST_LETTERS]}…"}
    consonants = _consonants(name)
    if len(consonants) >= FEWEST_CONSONANTS:
        keys.add(f"consonants {consonants}")
    if len(name) > FIRST_LETTERS:
        keys |= {f"{name[:i]}*{name[i + 1 :]}" for i in range(len(name))}
        shorter = {name[:i] + name[i + 1 :] for i in range(len(name))}
        keys |= {one for one in shorter & known if len(one) > FIRST_LETTERS}
    return keys


def _consonants(name: str) -> str:
    """The consonants in order, doubled ones once."""
    kept = [letter for letter in name if letter.isalpha() and letter not in VOWELS]
    return "".join(letter for place, letter in enumerate(kept) if place == 0 or letter != kept[place - 1])
